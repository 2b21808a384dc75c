//! Which fields of a request a model takes: a table by family, and what was learned from
//! refusals.
//!
//! Models refuse fields that they do not know with status 400 ([requests](super#requests)), and some servers
//! drop them without a word. So a field that a family is known to lack is never sent, what a user set in vain
//! is reported by name, and a refusal that names a field is remembered for as long as the process lives.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::identity::slug;
use super::speed::Assumption;
use crate::config::{Endpoint, Wire};

/// A field of a request that not every model takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// How hard a model is to think: `reasoning.effort`, `reasoning_effort`.
    ReasoningEffort,
    /// The cap in the Responses API: `max_output_tokens`.
    MaxOutputTokens,
    /// The cap in Chat Completions: `max_tokens`.
    MaxTokens,
    /// The cap in Chat Completions for models that think: `max_completion_tokens`.
    MaxCompletionTokens,
    /// The class of service: `service_tier`.
    ServiceTier,
    /// How long-winded the answer is: `text.verbosity`, `verbosity`.
    Verbosity,
    /// Text that the answer is expected to repeat: `prediction`.
    Prediction,
    /// How much is left to chance: `temperature`.
    Temperature,
    /// What ends the answer: `stop`.
    Stop,
    /// The name of what is cached: `prompt_cache_key`.
    PromptCacheKey,
    /// What is asked of the stream: `stream_options`.
    StreamOptions,
    /// Whether the provider keeps the answer: `store`.
    Store,
    /// The lane on a socket: `stream_id`.
    StreamId,
    /// What the response repeats: `metadata`.
    Metadata,
}

/// The names by which servers speak of each field.
const NAMES: &[(&str, Field)] = &[
    ("reasoning_effort", Field::ReasoningEffort),
    ("reasoning.effort", Field::ReasoningEffort),
    ("reasoning", Field::ReasoningEffort),
    ("max_output_tokens", Field::MaxOutputTokens),
    ("max_tokens", Field::MaxTokens),
    ("max_completion_tokens", Field::MaxCompletionTokens),
    ("service_tier", Field::ServiceTier),
    ("text.verbosity", Field::Verbosity),
    ("verbosity", Field::Verbosity),
    ("prediction", Field::Prediction),
    ("temperature", Field::Temperature),
    ("stop", Field::Stop),
    ("prompt_cache_key", Field::PromptCacheKey),
    ("stream_options.include_obfuscation", Field::StreamOptions),
    ("stream_options.include_usage", Field::StreamOptions),
    ("stream_options", Field::StreamOptions),
    ("store", Field::Store),
    ("stream_id", Field::StreamId),
    ("metadata", Field::Metadata),
];

/// What is known of models whose names begin alike.
struct Family {
    /// How their names begin, without the provider's part and in small letters.
    prefix: &'static str,
    /// What they do not take, of what is sent to others.
    lacks: &'static [Field],
    /// What they take, of what is not sent to others.
    takes: &'static [Field],
    /// Tokens that they take in and give out together.
    window: u32,
    /// Tokens in a second that they are sold with, where a slower answer means another
    /// machine.
    rate: Option<u32>,
}

/// Fields that are sent only to models that are known to take them.
const SPECIAL: &[Field] = &[Field::MaxCompletionTokens, Field::Verbosity, Field::Prediction];

const THINKS: &[Field] = &[Field::MaxTokens, Field::Temperature, Field::Stop];
const PLAIN: &[Field] = &[Field::ReasoningEffort];
const OPEN: &[Field] = &[Field::ReasoningEffort, Field::ServiceTier];

/// The families, the longer prefix before the shorter one. What is not here is sent what
/// is usual, and learned from.
const FAMILIES: &[Family] = &[
    // It took an effort and refused a summary, which is never sent; its window and its speed are those of its
    // launch.
    Family {
        prefix: "gpt-5.3-codex-spark",
        lacks: THINKS,
        takes: &[Field::MaxCompletionTokens],
        window: 128_000,
        rate: Some(1_000),
    },
    Family { prefix: "gpt-5-chat", lacks: PLAIN, takes: &[], window: 128_000, rate: None },
    Family {
        prefix: "gpt-5",
        lacks: THINKS,
        takes: &[Field::MaxCompletionTokens, Field::Verbosity],
        window: 400_000,
        rate: None,
    },
    Family {
        prefix: "gpt-6",
        lacks: THINKS,
        takes: &[Field::MaxCompletionTokens, Field::Verbosity],
        window: 400_000,
        rate: None,
    },
    Family {
        prefix: "o1-mini",
        lacks: &[Field::ReasoningEffort, Field::MaxTokens, Field::Temperature, Field::Stop],
        takes: &[Field::MaxCompletionTokens],
        window: 128_000,
        rate: None,
    },
    Family { prefix: "o1", lacks: THINKS, takes: &[Field::MaxCompletionTokens], window: 200_000, rate: None },
    Family { prefix: "o3", lacks: THINKS, takes: &[Field::MaxCompletionTokens], window: 200_000, rate: None },
    Family { prefix: "o4", lacks: THINKS, takes: &[Field::MaxCompletionTokens], window: 200_000, rate: None },
    Family { prefix: "gpt-4.1", lacks: PLAIN, takes: &[Field::Prediction], window: 1_000_000, rate: None },
    Family { prefix: "gpt-4o", lacks: PLAIN, takes: &[Field::Prediction], window: 128_000, rate: None },
    Family { prefix: "gpt-4", lacks: PLAIN, takes: &[], window: 8_192, rate: None },
    // Predicted outputs: inference-docs.cerebras.ai/capabilities/predicted-outputs.
    Family {
        prefix: "gpt-oss",
        lacks: &[Field::ServiceTier],
        takes: &[Field::Prediction],
        window: 131_072,
        rate: None,
    },
    Family {
        prefix: "zai-glm",
        lacks: &[Field::ServiceTier],
        takes: &[Field::Prediction],
        window: 131_072,
        rate: None,
    },
    Family { prefix: "claude", lacks: PLAIN, takes: &[], window: 200_000, rate: None },
    Family { prefix: "deepseek", lacks: OPEN, takes: &[], window: 64_000, rate: None },
    Family { prefix: "codestral", lacks: OPEN, takes: &[], window: 256_000, rate: None },
    Family { prefix: "devstral", lacks: OPEN, takes: &[], window: 128_000, rate: None },
    Family { prefix: "mercury", lacks: OPEN, takes: &[], window: 32_000, rate: None },
    Family { prefix: "qwen2.5-coder", lacks: OPEN, takes: &[], window: 32_768, rate: None },
    Family { prefix: "qwen3-coder", lacks: OPEN, takes: &[], window: 262_144, rate: None },
    Family { prefix: "starcoder", lacks: OPEN, takes: &[], window: 16_384, rate: None },
    Family { prefix: "codellama", lacks: OPEN, takes: &[], window: 16_384, rate: None },
    Family { prefix: "codegemma", lacks: OPEN, takes: &[], window: 8_192, rate: None },
    Family { prefix: "llama", lacks: OPEN, takes: &[], window: 128_000, rate: None },
    Family { prefix: "granite", lacks: OPEN, takes: &[], window: 128_000, rate: None },
];

/// What stands before the path of each file of a repository, for families that were trained to fill in the middle
/// of one.
const FILE_SEPARATORS: &[(&str, &str)] = &[
    ("qwen2.5-coder", "<|file_sep|>"),
    ("qwen3-coder", "<|file_sep|>"),
    ("starcoder2", "<file_sep>"),
    ("codestral", "+++++ "),
];

/// What a place adds to what its models are like: a part of its host's name, what it
/// refuses, and how fast it is.
const PLACES: &[(&str, &[Field], Option<u32>)] = &[
    // Refused fields as its documentation lists them; a third of the speed that it is sold with, since that
    // differs by model.
    (
        "cerebras.ai",
        &[Field::ServiceTier, Field::StreamOptions, Field::PromptCacheKey, Field::Store],
        Some(1_000),
    ),
    ("mistral.ai", &[Field::ServiceTier, Field::StreamOptions, Field::PromptCacheKey, Field::Store], None),
    ("deepseek.com", &[Field::ServiceTier, Field::PromptCacheKey, Field::Store], None),
    // Of the fields that are sent it refuses these.
    ("chatgpt.com", &[Field::MaxOutputTokens, Field::Metadata], None),
    ("inceptionlabs.ai", &[Field::ServiceTier, Field::PromptCacheKey, Field::Store], None),
];

/// Servers that people run without a graphics card, by what they call themselves: llama.cpp, Ollama and LM Studio.
const SMALL_SERVERS: &[&str] = &["llamacpp", "library", "organization_owner"];

/// The window of a model that no family is known of.
const WINDOW: u32 = 128_000;

/// What one model takes. Clones share what they learn.
#[derive(Debug, Clone)]
pub struct Fields {
    refused: Arc<Mutex<BTreeSet<Field>>>,
    taken: &'static [Field],
}

/// What the model behind an endpoint takes, as far as the table knows.
pub fn of(endpoint: &Endpoint) -> Fields {
    let family = family(endpoint);
    let mut refused: BTreeSet<Field> = SPECIAL.iter().copied().collect();
    let taken = family.map_or(&[][..], |family| family.takes);
    refused.retain(|field| !taken.contains(field));
    refused.extend(family.map_or(&[][..], |family| family.lacks));
    refused.extend(place(endpoint).map_or(&[][..], |(_, lacks, _)| lacks));
    if matches!(endpoint.wire, Wire::Fim(_)) {
        refused.extend([Field::ReasoningEffort, Field::ServiceTier]);
    }
    Fields { refused: Arc::new(Mutex::new(refused)), taken }
}

impl Fields {
    /// Whether a request may have this field.
    pub fn takes(&self, field: Field) -> bool {
        !self.refused.lock().unwrap_or_else(PoisonError::into_inner).contains(&field)
    }

    /// Learns from a refusal: `param` is the field that the server named, `message` its
    /// words. Gives the field that is not sent any more, so that the request can be made
    /// once again without it; `None` if no field of ours is named, or it was not sent
    /// anyway.
    pub fn learn(&self, param: Option<&str>, message: &str) -> Option<Field> {
        let field = named(param, message)?;
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let news = refused.insert(field);
        if field == Field::MaxTokens && news {
            // The two stand for each other; "use the other one" is what such a refusal says.
            refused.remove(&Field::MaxCompletionTokens);
        } else if field == Field::MaxCompletionTokens && news && !self.taken.contains(&field) {
            refused.remove(&Field::MaxTokens);
        }
        news.then_some(field)
    }
}

/// The field that a refusal is about: named by the server, else the only one that stands
/// in its words in quotes or with an underscore.
fn named(param: Option<&str>, message: &str) -> Option<Field> {
    let by_name = |name: &str| NAMES.iter().find(|(known, _)| *known == name).map(|(_, field)| *field);
    if let Some(field) = param.and_then(by_name) {
        return Some(field);
    }
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
    let words = message.split(|it: char| !is_part(it)).map(|word| word.trim_matches('.'));
    let quoted =
        |word: &str| ["'", "`", "\""].iter().any(|quote| message.contains(&format!("{quote}{word}{quote}")));
    // One form of refusal has no quotes: "Unsupported parameter: metadata".
    let behind = message.to_lowercase().find("parameter: ").map(|at| &message[at + "parameter: ".len()..]);
    let bare = behind.and_then(|rest| by_name(rest.split(|it| !is_part(it)).next()?.trim_matches('.')));
    if bare.is_some() {
        return bare;
    }
    // The first is what is refused; one that follows is what to use in its place.
    words.filter(|word| word.contains('_') || quoted(word)).find_map(by_name)
}

/// What a user set for this endpoint that has no effect there: one clause each, with the
/// setting's name.
pub fn ignored_settings(endpoint: &Endpoint) -> Vec<String> {
    let fields = of(endpoint);
    let Endpoint { model, provider, .. } = endpoint;
    let set = [
        ("reasoning_effort", Field::ReasoningEffort, &endpoint.reasoning_effort, "does not reason"),
        ("service_tier", Field::ServiceTier, &endpoint.service_tier, "has no service tiers"),
    ];
    set.into_iter()
        .filter(|(_, field, value, _)| value.is_some() && !fields.takes(*field))
        .map(|(name, _, _, why)| format!("`{name}` is left out: {model} at {provider} {why}"))
        .collect()
}

/// Tokens that the model takes in and gives out together.
pub fn window(endpoint: &Endpoint) -> u32 {
    family(endpoint).map_or(WINDOW, |family| family.window)
}

/// Tokens in a second that the model is sold with; `None` where that says nothing about
/// who answers.
pub fn rate(endpoint: &Endpoint) -> Option<u32> {
    place(endpoint).and_then(|(.., rate)| *rate).or_else(|| family(endpoint)?.rate)
}

/// How fast the model may be before it was measured: a service is quick, a server on this machine may be anything.
pub(super) fn assumption(endpoint: &Endpoint) -> Assumption {
    let host = endpoint.base_url.split_once("://").and_then(|(_, rest)| rest.split('/').next());
    let host = host.unwrap_or_default();
    let is_here = host.starts_with("127.") || host.starts_with("localhost") || host.starts_with("[::1]");
    if is_here { Assumption::THIS_MACHINE } else { Assumption::SERVICE }
}

/// Whether a server that gives itself this name in its list of models is one that small machines run.
pub fn is_small_server(name: &str) -> bool {
    SMALL_SERVERS.contains(&name)
}

/// The same for a server that gives itself this name in its list of models; `None` if that says nothing.
pub(super) fn assumption_of_server(name: &str) -> Option<Assumption> {
    is_small_server(name).then_some(Assumption::SMALL_SERVER)
}

/// What stands before the path of each file of a repository; `None` for models that know no such thing.
pub(super) fn file_separator(model: &str) -> Option<&'static str> {
    let name = slug(model);
    let found = FILE_SEPARATORS.iter().find(|(prefix, _)| name.starts_with(prefix));
    found.map(|(_, separator)| *separator)
}

fn family(endpoint: &Endpoint) -> Option<&'static Family> {
    let name = slug(&endpoint.model);
    FAMILIES.iter().find(|family| name.starts_with(family.prefix))
}

fn place(endpoint: &Endpoint) -> Option<&'static (&'static str, &'static [Field], Option<u32>)> {
    let (_, rest) = endpoint.base_url.split_once("://")?;
    let host = rest.split(['/', ':']).next()?;
    PLACES.iter().find(|(name, ..)| host == *name || host.ends_with(&format!(".{name}")))
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
    fn what_is_set_in_vain_is_named() {
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
    fn a_refusal_is_learned_once_and_by_all() {
        let fields = of(&endpoint("m", "https://a"));
        let other = fields.clone();
        let learn = |param, message| fields.learn(param, message);
        assert!(other.takes(Field::ReasoningEffort));
        assert_eq!(learn(Some("reasoning.effort"), "no"), Some(Field::ReasoningEffort));
        assert!(!other.takes(Field::ReasoningEffort));
        assert_eq!(learn(Some("reasoning.effort"), "no"), None, "it was not sent any more");
        assert_eq!(learn(None, "Unsupported parameter: prompt_cache_key"), Some(Field::PromptCacheKey));
        assert_eq!(
            learn(None, "'temperature' does not support 0.2 with this model"),
            Some(Field::Temperature)
        );
        // Words that are also names of fields mean nothing by themselves.
        assert_eq!(learn(None, "stop it: the model is not in store"), None);
        assert_eq!(learn(Some("messages[0].name"), "no"), None);
        assert_eq!(learn(None, "Unsupported parameter: metadata"), Some(Field::Metadata));
    }

    #[test]
    fn one_cap_stands_for_the_other() {
        let fields = of(&endpoint("m", "https://a"));
        assert!(fields.takes(Field::MaxTokens) && !fields.takes(Field::MaxCompletionTokens));
        let words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        assert_eq!(fields.learn(None, words), Some(Field::MaxTokens));
        assert!(!fields.takes(Field::MaxTokens) && fields.takes(Field::MaxCompletionTokens));
        assert!(!of(&endpoint("gpt-5.1", "https://a")).takes(Field::MaxTokens));
    }

    #[test]
    fn the_longer_prefix_comes_first() {
        for (at, family) in FAMILIES.iter().enumerate() {
            let hidden = FAMILIES[..at].iter().any(|before| family.prefix.starts_with(before.prefix));
            assert!(!hidden, "{} is never reached", family.prefix);
        }
        assert_eq!(rate(&endpoint("gpt-5.3-codex-spark", "https://a")), Some(1_000));
        assert_eq!(rate(&endpoint("gpt-5.3-codex", "https://a")), None);
        assert_eq!(window(&endpoint("gpt-4-0613", "https://a")), 8_192);
    }
}
