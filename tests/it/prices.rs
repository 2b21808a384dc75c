//! The cost of requests: compared with the simulator's bill, which uses a separate table.

use std::collections::BTreeMap;
use std::sync::Arc;

use expect_test::expect;
use proptest::prelude::*;
use tandem::config::{Endpoint, LongInput, Price, Role, TierFactor, Wire};
use tandem::model::fallback::Fallback;
use tandem::model::usage::{Meter, Terms, cost};
use tandem::model::{self, Model, Request, Urgency, Usage};
use tandem::simulate::{self, Bill, Options, Rates, Script, Simulator};

use crate::socket::{read, request};
use crate::support::properties;

/// The price at these billed rates.
fn price(rates: &Rates) -> Price {
    let (above, input, output) = rates.long;
    let tier =
        |(tier, factor): &(String, f64)| (tier.clone(), vec![TierFactor { factor: *factor, until: None }]);
    Price {
        input: rates.input,
        cached: rates.cached,
        output: rates.output,
        cache_write: rates.written,
        retained: rates.retained,
        long: Some(LongInput { above: above as u64, input, output }),
        tiers: rates.tiers.iter().map(tier).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..properties::config() })]

    #[test]
    fn request_is_counted_as_it_is_billed(
        rates in prop::array::uniform5(0.01..100.0),
        long in (1_000_usize..400_000, 1.0..3.0, 1.0..3.0),
        tokens in (0_usize..400_000, 0_usize..400_000, 0_usize..400_000, 0_usize..20_000),
        tier in prop::sample::select(vec!["", "default", "fast", "ultrafast", "unknown"]),
        is_named in any::<bool>(),
        is_retained in any::<bool>(),
    ) {
        let [input, cached, written, retained, output] = rates;
        let tiers = vec![("fast".to_owned(), 2.0), ("ultrafast".to_owned(), 6.0)];
        let rates = Rates { input, cached, written, retained, output, long, tiers };
        let (plain, cached, written, output) = tokens;
        let bill = Bill { input: plain + cached + written, cached, written, output, tier, is_retained };
        let usage = Usage {
            input_tokens: bill.input as u64,
            cached_tokens: cached as u64,
            cache_write_tokens: written as u64,
            output_tokens: output as u64,
            tier: is_named.then(|| tier.to_owned()),
            ..Usage::default()
        };
        let terms = Terms { tier: Some(tier), is_retained, day: 0 };
        let (billed, counted) = (bill.dollars(&rates), cost(&usage, &price(&rates), terms));
        prop_assert!((billed - counted).abs() <= billed * 0.001, "{billed} is counted as {counted}");
    }
}

/// A keystroke in a file: the stable part is long, the changed part is short.
fn key(number: usize, stable: &str) -> Request {
    let typed = "x".repeat(number);
    let input = format!("{stable}<|code|>\nlet {typed}<|cursor|>\n{}", "g(width, height);\n".repeat(60));
    Request {
        instructions: "Complete the code. ".repeat(20).into(),
        input,
        stable: stable.len(),
        cache_key: "file".to_owned(),
        urgency: Urgency::Asked,
        ..request(64)
    }
}

async fn simulator(breakpoints: bool) -> Simulator {
    let script = Script::parse("{\"reply\": \"height = width;\"}").unwrap();
    simulate::start(Options { script, breakpoints, ..Options::default() }).await.unwrap()
}

/// Types some keys; returns the counted and the billed dollars.
async fn typed(model: &str, wire: Wire, tier: Option<&str>, keys: usize, breakpoints: bool) -> [f64; 2] {
    let simulator = simulator(breakpoints).await;
    let endpoint = Endpoint {
        provider: "test".to_owned(),
        base_url: simulator.base_url(),
        model: model.to_owned(),
        wire,
        service_tier: tier.map(str::to_owned),
        ..Endpoint::default()
    };
    let prices = BTreeMap::from([(model.to_owned(), price(&Rates::default()))]);
    let meter = Arc::new(Meter::new(Default::default(), prices, None));
    let role = Role { candidates: vec![endpoint], ..Role::default() };
    let fallback =
        Fallback::new("fast", &role, model::connect_to, Arc::clone(&meter), Arc::new(|_| ())).unwrap();
    let stable = "pub fn area(width: u32, height: u32) -> u32;\n".repeat(150);
    for number in 0..keys {
        let (text, end) = read(fallback.stream(key(number, &stable))).await;
        assert_eq!((text.as_str(), end.is_ok()), ("height = width;", true));
    }
    let billed = simulator.stats().nanodollars as f64 / 1e9;
    [meter.totals().session.dollars, billed]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_spent_over_each_wire_is_what_is_billed() {
    let cases = [
        ("m", Wire::Chat, None, false),
        ("m", Wire::ResponsesSse, Some("fast"), false),
        ("m", Wire::ResponsesSse, None, true),
        ("gpt-6-luna", Wire::ResponsesSse, None, true),
        ("gpt-6-luna", Wire::ResponsesSse, Some("fast"), true),
    ];
    for (model, wire, tier, breakpoints) in cases {
        let [counted, billed] = typed(model, wire, tier, 12, breakpoints).await;
        let is_right = (counted - billed).abs() <= billed * 0.001;
        assert!(is_right && billed > 0.0, "{model} {wire:?} {tier:?}: {counted} for {billed}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn explicit_caching_saves_what_each_key_would_write() {
    let wire = Wire::ResponsesSse;
    let [_, implicit] = typed("m", wire, None, 40, true).await;
    let [_, explicit] = typed("gpt-6-luna", wire, None, 40, true).await;
    // Of some 2,500 tokens 2,000 are stable.
    let share = explicit / implicit;
    expect!["18 % of what implicit caching costs"]
        .assert_eq(&format!("{:.0} % of what implicit caching costs", share * 100.0));
}
