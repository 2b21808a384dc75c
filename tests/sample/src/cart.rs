//! A shopping cart: the sample that `tandem demo` works on.

use std::collections::BTreeMap;

/// What is in the cart, and what it costs.
#[derive(Debug, Default)]
pub struct Cart {
    items: BTreeMap<String, u32>,
    subtotal: u64,
    discount: u64,
    shipping: u64,
}

/// What is printed on the receipt, in cents.
#[derive(Debug, PartialEq)]
pub struct Receipt {
    pub subtotal: u64,
    pub discount: u64,
    pub shipping: u64,
}

impl Cart {
    /// Puts some of an article into the cart.
    pub fn add(&mut self, article: &str, count: u32, price: u64) {
        *self.items.entry(article.to_owned()).or_default() += count;
        self.subtotal += price * u64::from(count);
    }

    /// Makes the receipt.
    pub fn receipt(&self) -> Receipt {
        Receipt {
            subtotal: self.subtotal,
            discount: self.discount,
        }
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

// ai: rename amount to cents
/// Writes an amount as people read it.
pub fn show(amount: u64) -> String {
    let whole = amount / 100;
    let rest = amount % 100;
    format!("{whole}.{rest:02} €")
}
