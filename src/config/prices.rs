//! The price of an answer: the user's own, the provider's, or the maker's.

use std::collections::BTreeMap;

use super::models::{self, is_same};
use super::network::is_on_this_machine;
use super::{Endpoint, Price, providers};

/// The price of a model, under its own name or an equivalent one.
fn listed(prices: &BTreeMap<String, Price>, model: &str) -> Option<Price> {
    prices
        .get(model)
        .or_else(|| prices.iter().find(|(name, _)| is_same(name, model)).map(|(_, it)| it))
        .cloned()
}

/// The price of a model at a base URL: the provider's, else the maker's.
pub fn known_price(base_url: &str, model: &str) -> Option<Price> {
    providers::price(base_url, model).or_else(|| listed(models::prices(), model))
}

/// The price of an endpoint's answer; `prices` are the user's own.
///
/// If another model answered than requested, its price applies, if known. Models on this machine
/// are free, unless the model has a price: then a local server forwards requests.
pub fn price_at(
    prices: &BTreeMap<String, Price>,
    endpoint: &Endpoint,
    served: Option<&str>,
) -> Option<Price> {
    let price = |model: &str| listed(prices, model).or_else(|| known_price(&endpoint.base_url, model));
    let known = served.and_then(price).or_else(|| price(&endpoint.model));
    known.or_else(|| is_on_this_machine(&endpoint.base_url).then(Price::default))
}
