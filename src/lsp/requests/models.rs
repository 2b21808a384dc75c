//! `tandem.models` and `tandem.useModel`: the candidates of each gear with their speed and price, and the
//! candidate that the user prefers in this session.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};

use crate::config::UnavailableCandidate;
use crate::lsp::clock::milliseconds;
use crate::lsp::protocol::UseModel;
use crate::lsp::serving::{CurrentServing, Pick};
use crate::model::fallback::{Fallback, Standings};
use crate::model::identity;
use crate::model::usage::Meter;
use crate::route::Gear;

/// The candidates of each gear, in the order in which they are called, followed by unusable ones.
pub(in crate::lsp) fn models(serving: &CurrentServing, picks: &[Pick]) -> Value {
    let serving = serving.get();
    let gears = &serving.gears;
    let [fast_left_out, deep_left_out] = &gears.left_out;
    let list = |gear: Gear, fallback: Option<&Fallback>, left_out: &[UnavailableCandidate]| {
        let standings = fallback.map(Fallback::standings).unwrap_or_default();
        let usable = standings.iter().map(|it| json!(ListedCandidate::usable(it, &gears.meter, gear, picks)));
        let unusable = left_out.iter().map(|it| json!(ListedCandidate::unusable(it)));
        usable.chain(unusable).collect::<Vec<Value>>()
    };
    json!({
        "fast": list(Gear::Fast, gears.fast.as_deref(), fast_left_out),
        "deep": list(Gear::Deep, gears.deep.as_deref(), deep_left_out),
    })
}

/// A candidate as clients are shown it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedCandidate<'a> {
    provider: &'a str,
    model: &'a str,
    name: Cow<'a, str>,
    has_turn: bool,
    is_picked: bool,
    is_usable: bool,
    why: Option<&'a str>,
    first_token_ms: Option<u64>,
    tokens_per_second: Option<u64>,
    price: Option<Value>,
}

impl<'a> ListedCandidate<'a> {
    fn usable(it: &'a Standings, meter: &Meter, gear: Gear, picks: &[Pick]) -> Self {
        Self {
            provider: &it.endpoint.provider,
            model: &it.endpoint.model,
            name: identity::shown(&it.endpoint.model).into(),
            has_turn: it.has_turn,
            is_picked: picks.iter().any(|pick| pick.gear == gear && pick.is(&it.endpoint)),
            is_usable: true,
            why: it.why.as_deref(),
            first_token_ms: it.first_token.map(milliseconds),
            tokens_per_second: it.rate.map(|rate| rate.round() as u64),
            price: meter.price(&it.endpoint).map(|it| json!({ "input": it.input, "output": it.output })),
        }
    }

    /// A candidate in the settings that cannot be called, for example without a key.
    fn unusable(it: &'a UnavailableCandidate) -> Self {
        Self {
            provider: &it.provider,
            model: &it.model,
            name: it.model.as_str().into(),
            has_turn: false,
            is_picked: false,
            is_usable: false,
            why: Some(&it.why),
            first_token_ms: None,
            tokens_per_second: None,
            price: None,
        }
    }
}

/// The gear in the arguments, and its preferred candidate, if any.
pub(in crate::lsp) fn picked(serving: &CurrentServing, arguments: UseModel) -> Result<(Gear, Option<Pick>)> {
    let serving = serving.get();
    let (gear, fallback) = match arguments.gear.as_str() {
        "fast" => (Gear::Fast, &serving.gears.fast),
        "deep" => (Gear::Deep, &serving.gears.deep),
        other => return Err(Error::invalid_params(format!("`gear` is `{other}`; give `fast` or `deep`"))),
    };
    let pick = match (arguments.provider, arguments.model) {
        (Some(provider), Some(model)) => Pick { gear, provider, model },
        (None, None) => return Ok((gear, None)),
        _ => return Err(Error::invalid_params("give both `provider` and `model`, or neither")),
    };
    let standings = fallback.as_deref().map(Fallback::standings).unwrap_or_default();
    if !standings.iter().any(|it| pick.is(&it.endpoint)) {
        let Pick { provider, model, .. } = pick;
        return Err(Error::invalid_params(format!("{gear} has no usable candidate {model} of {provider}")));
    }
    Ok((gear, Some(pick)))
}
