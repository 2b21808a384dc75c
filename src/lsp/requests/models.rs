//! `tandem.models` and `tandem.useModel`: the candidates of each gear with their speed and price, and the
//! candidate that the user prefers in this session.

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
    let list = |gear: Gear, fallback: Option<&Fallback>, left_out: &[UnavailableCandidate]| -> Vec<Value> {
        let standings = fallback.map(Fallback::standings).unwrap_or_default();
        let candidates = standings.iter().map(|it| candidate(it, &gears.meter, gear, picks));
        candidates.chain(left_out.iter().map(unusable)).collect()
    };
    json!({
        "fast": list(Gear::Fast, gears.fast.as_deref(), fast_left_out),
        "deep": list(Gear::Deep, gears.deep.as_deref(), deep_left_out),
    })
}

fn candidate(it: &Standings, meter: &Meter, gear: Gear, picks: &[Pick]) -> Value {
    let price = meter.price(&it.endpoint);
    json!({
        "provider": it.endpoint.provider,
        "model": it.endpoint.model,
        "name": identity::shown(&it.endpoint.model),
        "hasTurn": it.has_turn,
        "isPicked": picks.iter().any(|pick| pick.gear == gear && pick.is(&it.endpoint)),
        "isUsable": true,
        "why": it.why,
        "firstTokenMs": it.first_token.map(milliseconds),
        "tokensPerSecond": it.rate.map(|rate| rate.round() as u64),
        "price": price.map(|it| json!({ "input": it.input, "output": it.output })),
    })
}

/// A candidate in the settings that cannot be called, for example without a key.
fn unusable(it: &UnavailableCandidate) -> Value {
    json!({
        "provider": it.provider,
        "model": it.model,
        "name": it.model,
        "hasTurn": false,
        "isPicked": false,
        "isUsable": false,
        "why": it.why,
        "firstTokenMs": null,
        "tokensPerSecond": null,
        "price": null,
    })
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
