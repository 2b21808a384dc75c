//! Capabilities of the model behind an endpoint: kinds of requests, window, speed.
//!
//! They come from the table of families, the provider's list of models and the user's settings. The
//! fields that a request may have are in [`fields`](super::fields).

use super::fields::{Field, Fields};
use super::request::RequestKind;
use super::requester;
use super::speed::Assumption;
use crate::config::{Endpoint, Wire, is_on_this_machine, models, providers};

/// Servers that also run without a graphics card: llama.cpp, Ollama, LM Studio.
///
/// Named as each server names itself in its list of models.
const SMALL_SERVERS: &[&str] = &["llamacpp", "library", "organization_owner"];

/// The window of models of an unknown family, in tokens.
const WINDOW: u32 = 128_000;

/// The user's settings for this endpoint that have no effect, one clause each.
pub fn ignored_settings(endpoint: &Endpoint) -> Vec<String> {
    let fields = Fields::of(endpoint);
    let Endpoint { model, provider, .. } = endpoint;
    let set = [
        ("reasoning_effort", Field::ReasoningEffort, &endpoint.reasoning_effort, "does not reason"),
        ("service_tier", Field::ServiceTier, &endpoint.service_tier, "has no service tiers"),
    ];
    set.into_iter()
        .filter(|(_, field, value, _)| value.is_some() && !fields.takes(*field))
        .map(|(name, _, _, why)| format!("`{name}` is left out: {model} at {provider} {why}"))
        .chain(requester::ignored(endpoint))
        .collect()
}

/// Whether the model behind an endpoint answers a kind of request.
///
/// A model trained for one kind of request answers only that kind, since it takes no instructions;
/// over `fim` it may also continue a text.
pub fn answers(endpoint: &Endpoint, kind: RequestKind) -> bool {
    let (is_fim, is_trained) = (matches!(endpoint.wire, Wire::Fim(_)), endpoint.edit_dialect.is_some());
    match kind {
        _ if endpoint.wire == Wire::Lsp => kind == RequestKind::Completion,
        RequestKind::Completion => is_fim || !is_trained,
        RequestKind::NextEdit => is_trained || !is_fim,
        RequestKind::Instruction => !is_fim && !is_trained,
    }
}

/// The model's window: input and output tokens together.
///
/// The user's setting, else the provider's list, else the built-in tables.
pub fn window(endpoint: &Endpoint, listed: Option<u32>) -> u32 {
    let there = || providers::offered_model(&endpoint.base_url, &endpoint.model)?.window;
    let known = || models::family(&endpoint.model).map(|family| family.window);
    endpoint.window.or(listed).or_else(there).or_else(known).unwrap_or(WINDOW)
}

/// The advertised speed of the model, in tokens per second.
///
/// `None` if no advertised speed applies to the model that answers.
pub fn rate(endpoint: &Endpoint) -> Option<u32> {
    let of_provider = providers::of_url(&endpoint.base_url).and_then(|it| it.rate);
    of_provider.or_else(|| models::family(&endpoint.model)?.rate)
}

/// The assumed speed of the model before it is measured.
///
/// A service is assumed to be quick; a server on this machine may have any speed.
pub(super) fn assumption(endpoint: &Endpoint) -> Assumption {
    if is_on_this_machine(&endpoint.base_url) { Assumption::THIS_MACHINE } else { Assumption::SERVICE }
}

/// Whether a server with this name in its list of models is one that runs on small machines.
pub fn is_small_server(name: &str) -> bool {
    SMALL_SERVERS.contains(&name)
}

/// The token that precedes the path of each file of a repository, for models that know one.
pub(super) fn file_separator(model: &str) -> Option<&'static str> {
    models::family(model)?.separator.as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::FimDialect;

    fn endpoint(model: &str, base_url: &str) -> Endpoint {
        Endpoint {
            provider: "p".to_owned(),
            model: model.to_owned(),
            base_url: base_url.to_owned(),
            reasoning_effort: Some("low".to_owned()),
            service_tier: Some("fast".to_owned()),
            ..Endpoint::default()
        }
    }

    #[test]
    fn setting_without_effect_is_named() {
        let check = |model: &str, base_url: &str, expected: &[&str]| {
            assert_eq!(ignored_settings(&endpoint(model, base_url)), expected, "{model}");
        };
        check("gpt-5.3-codex-spark", "https://api.openai.com/v1", &[]);
        check("an-unknown-model", "https://api.openai.com/v1", &[]);
        check(
            "openai/GPT-4.1-2025-04-14",
            "https://openrouter.ai/api/v1",
            &["`reasoning_effort` is left out: openai/GPT-4.1-2025-04-14 at p does not reason"],
        );
        check(
            "qwen2.5-coder:7b",
            "http://127.0.0.1:11434/v1",
            &[
                "`reasoning_effort` is left out: qwen2.5-coder:7b at p does not reason",
                "`service_tier` is left out: qwen2.5-coder:7b at p has no service tiers",
            ],
        );
        check(
            "gpt-oss-120b",
            "https://api.cerebras.ai/v1",
            &["`service_tier` is left out: gpt-oss-120b at p has no service tiers"],
        );
        let fim = Endpoint { wire: Wire::Fim(FimDialect::Infill), ..endpoint("m", "http://127.0.0.1:8080") };
        assert_eq!(ignored_settings(&fim).len(), 2);
    }

    #[test]
    fn figures_come_from_the_table_the_list_or_the_user() {
        assert_eq!(rate(&endpoint("gpt-5.3-codex-spark", "https://a")), Some(1_000));
        assert_eq!(rate(&endpoint("gpt-5.3-codex", "https://a")), None);
        let gpt_4 = endpoint("gpt-4-0613", "https://a");
        assert_eq!((window(&gpt_4, None), window(&gpt_4, Some(9_000))), (8_192, 9_000));
        assert_eq!(window(&Endpoint { window: Some(10), ..gpt_4 }, Some(9_000)), 10);
    }
}
