//! Orders of a small shop: the sample that `tandem demo` works on.

/// How far an order has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Open,
    Paid,
    Shipped,
    Returned,
}

impl Status {
    /// The word for it on the customer's page.
    pub fn label(self) -> &'static str {
        match self {
            Status::Open => "open",
            Status::Paid => "paid",
        }
    }
}

// ai: rename amount to cents
/// The price as customers read it.
pub fn show(amount: u64) -> String {
    let whole = amount / 100;
    let rest = amount % 100;
    format!("{whole}.{rest:02} €")
}
