//! Which fields of a request a model takes: a table by family, and what was learned from
//! refusals.
//!
//! Models refuse fields that they do not know with status 400 ([requests](super#requests)), and some servers
//! drop them without a word. So a field that a family is known to lack is never sent, what a user set in vain
//! is reported by name, and a refusal that names a field is remembered for as long as the process lives.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::request::RequestKind;
use super::speed::Assumption;
use crate::config::{Endpoint, Wire, models};

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
    /// What the provider caches, and where that ends: `prompt_cache_options`, `prompt_cache_breakpoint`.
    PromptCacheOptions,
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
    ("prompt_cache_options", Field::PromptCacheOptions),
    ("prompt_cache_options.mode", Field::PromptCacheOptions),
    ("prompt_cache_options.ttl", Field::PromptCacheOptions),
    ("prompt_cache_breakpoint", Field::PromptCacheOptions),
];

/// Fields that are sent only to models that are known to take them.
const SPECIAL: &[Field] =
    &[Field::MaxCompletionTokens, Field::Verbosity, Field::Prediction, Field::PromptCacheOptions];

/// Servers that people run without a graphics card, by what they call themselves: llama.cpp, Ollama and LM Studio.
const SMALL_SERVERS: &[&str] = &["llamacpp", "library", "organization_owner"];

/// The window of a model that no family is known of.
const WINDOW: u32 = 128_000;

/// The efforts that there are, the least first.
const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];

/// The service tiers that there are, the slowest of those above the usual one at [`FIRST_TIER`].
const TIERS: &[&str] = &["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"];
/// Where those begin in [`TIERS`] of which a slower one stands in for one that a model refuses. Instead of those before
/// them no tier is asked for.
const FIRST_TIER: usize = 4;

/// A setting of which a model may take one value and refuse another.
#[derive(Debug)]
struct Choice {
    wanted: Option<String>,
    refused: BTreeSet<String>,
    /// The values that there are, the least first.
    values: &'static [&'static str],
    /// The first of them that can stand in for another.
    first: usize,
    /// Whether a greater value may stand in where there is no lesser one.
    may_rise: bool,
}

impl Choice {
    fn effort(wanted: Option<String>) -> Self {
        Self { wanted, refused: BTreeSet::new(), values: EFFORTS, first: 0, may_rise: true }
    }

    /// A faster tier would cost more than the one that was asked for.
    fn tier(wanted: Option<String>) -> Self {
        Self { wanted, refused: BTreeSet::new(), values: TIERS, first: FIRST_TIER, may_rise: false }
    }

    /// Takes another value if it is the value that is refused, and there is another; false if it is not the value.
    ///
    /// That is the next lesser one which the model takes, as far as the message lists those, else the next greater one.
    fn refuse(&mut self, message: &str) -> bool {
        let quoted: Vec<&str> = message.split(['\'', '`', '"']).skip(1).step_by(2).collect();
        let Some(wanted) = self.wanted.clone().filter(|it| quoted.contains(&it.as_str())) else {
            return false;
        };
        self.refused.insert(wanted.clone());
        let values = self.values;
        let listed = |value: &&&str| quoted.contains(*value) && **value != wanted;
        let has_list = values.iter().any(|value| listed(&value));
        let is_open = |value: &&&str| !self.refused.contains(**value) && (!has_list || listed(value));
        let at = values.iter().position(|it| *it == wanted);
        let next = at.and_then(|at| {
            let greater = if self.may_rise { &values[at..] } else { &[] };
            values[self.first.min(at)..at].iter().rev().chain(greater).find(is_open)
        });
        self.wanted = next.map(|it| (*it).to_owned());
        // Without another one nothing is asked for.
        true
    }
}

/// What one model takes. Clones share what they learn.
#[derive(Debug, Clone)]
pub struct Fields {
    refused: Arc<Mutex<BTreeSet<Field>>>,
    taken: Vec<Field>,
    effort: Arc<Mutex<Choice>>,
    tier: Arc<Mutex<Choice>>,
}

/// What the model behind an endpoint takes, as far as the table knows.
pub fn of(endpoint: &Endpoint) -> Fields {
    let family = models::family(&endpoint.model);
    let mut refused: BTreeSet<Field> = SPECIAL.iter().copied().collect();
    let taken = family.map_or(Vec::new(), |family| fields(&family.takes));
    refused.retain(|field| !taken.contains(field));
    refused.extend(family.map_or(Vec::new(), |family| fields(&family.lacks)));
    refused.extend(models::place(&endpoint.base_url).map_or(Vec::new(), |place| fields(&place.lacks)));
    if matches!(endpoint.wire, Wire::Fim(_)) {
        refused.extend([Field::ReasoningEffort, Field::ServiceTier]);
    }
    let effort = Choice::effort(endpoint.reasoning_effort.clone());
    let tier = Choice::tier(endpoint.service_tier.clone());
    Fields {
        refused: Arc::new(Mutex::new(refused)),
        taken,
        effort: Arc::new(Mutex::new(effort)),
        tier: Arc::new(Mutex::new(tier)),
    }
}

/// The fields of these names; the table is checked to have no other.
fn fields(names: &[String]) -> Vec<Field> {
    let field = |name: &String| NAMES.iter().find(|(known, _)| known == name).map(|(_, field)| *field);
    names.iter().filter_map(field).collect()
}

impl Fields {
    /// Whether a request may have this field.
    pub fn takes(&self, field: Field) -> bool {
        !self.refused.lock().unwrap_or_else(PoisonError::into_inner).contains(&field)
    }

    /// How hard the model is to think: what the user wants, or what comes closest to it of what it takes.
    pub fn effort(&self) -> Option<String> {
        self.wanted(Field::ReasoningEffort)
    }

    /// The class of service: what the user wants, or the next slower one that the model takes.
    pub fn tier(&self) -> Option<String> {
        self.wanted(Field::ServiceTier)
    }

    fn wanted(&self, field: Field) -> Option<String> {
        let choice = self.choice(field).filter(|_| self.takes(field))?;
        choice.lock().unwrap_or_else(PoisonError::into_inner).wanted.clone()
    }

    /// The values of a field that has several.
    fn choice(&self, field: Field) -> Option<&Mutex<Choice>> {
        match field {
            Field::ReasoningEffort => Some(&self.effort),
            Field::ServiceTier => Some(&self.tier),
            _ => None,
        }
    }

    /// Learns from a refusal: `param` is the field that the server named, `message` its
    /// words. Gives the field that is not sent any more, or has another value from now on, so
    /// that the request can be made once again; `None` if no field of ours is named, or it was
    /// not sent anyway.
    pub fn learn(&self, param: Option<&str>, message: &str) -> Option<Field> {
        let field = named(param, message)?;
        if self.takes(field)
            && let Some(choice) = self.choice(field)
            && choice.lock().unwrap_or_else(PoisonError::into_inner).refuse(message)
        {
            return Some(field);
        }
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

/// Whether the model behind an endpoint answers a kind of question. One that was trained for something does that alone,
/// since it takes no instructions; over `fim` it may go on with a text as well.
pub fn answers(endpoint: &Endpoint, kind: RequestKind) -> bool {
    let (is_fim, is_trained) = (matches!(endpoint.wire, Wire::Fim(_)), endpoint.edit_dialect.is_some());
    match kind {
        RequestKind::Completion => is_fim || !is_trained,
        RequestKind::NextEdit => is_trained || !is_fim,
        RequestKind::Instruction => !is_fim && !is_trained,
    }
}

/// Tokens that the model takes in and gives out together: as the user says, else as its provider lists it, else as the
/// table has it.
pub fn window(endpoint: &Endpoint, listed: Option<u32>) -> u32 {
    let known = || models::family(&endpoint.model).map(|family| family.window);
    endpoint.window.or(listed).or_else(known).unwrap_or(WINDOW)
}

/// Tokens in a second that the model is sold with; `None` where that says nothing about
/// who answers.
pub fn rate(endpoint: &Endpoint) -> Option<u32> {
    let of_place = models::place(&endpoint.base_url).and_then(|place| place.rate);
    of_place.or_else(|| models::family(&endpoint.model)?.rate)
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
    fn figures_come_from_the_table_the_list_or_the_user() {
        assert_eq!(rate(&endpoint("gpt-5.3-codex-spark", "https://a")), Some(1_000));
        assert_eq!(rate(&endpoint("gpt-5.3-codex", "https://a")), None);
        let gpt_4 = endpoint("gpt-4-0613", "https://a");
        assert_eq!((window(&gpt_4, None), window(&gpt_4, Some(9_000))), (8_192, 9_000));
        assert_eq!(window(&Endpoint { window: Some(10), ..gpt_4 }, Some(9_000)), 10);
    }

    #[test]
    fn table_names_only_fields_that_there_are() {
        let check = |model: &str, takes: &[Field]| {
            let family = models::family(model).unwrap();
            let all = family.takes.len() + family.lacks.len();
            assert_eq!(fields(&family.takes).len() + fields(&family.lacks).len(), all, "{model}");
            assert_eq!(fields(&family.takes), takes, "{model}");
        };
        check("gpt-5", &[Field::MaxCompletionTokens, Field::Verbosity]);
        check("gpt-6-luna", &[Field::MaxCompletionTokens, Field::Verbosity, Field::PromptCacheOptions]);
        check("o3", &[Field::MaxCompletionTokens]);
        check("gpt-oss-120b", &[Field::Prediction]);
    }

    #[test]
    fn refused_effort_gives_way_to_the_next_one() {
        let check = |wanted: &str, message: &str, expected: Option<&str>| {
            let fields =
                of(&Endpoint { reasoning_effort: Some(wanted.to_owned()), ..endpoint("m", "https://a") });
            assert!(fields.learn(Some("reasoning.effort"), message).is_some(), "{message}");
            assert_eq!(fields.effort().as_deref(), expected, "{wanted}: {message}");
        };
        let listed = "Unsupported value: 'none' is not supported with this model. Supported values are: 'low', 'medium', and 'high'.";
        check("none", listed, Some("low"));
        check(
            "max",
            "Unsupported value: 'max'. Supported values are: 'low', 'medium', 'high'.",
            Some("high"),
        );
        check("ultra", "Unsupported value: 'ultra'", Some("max"));
        check("none", "Invalid value: 'none'.", Some("minimal"));
        check("low", "Unsupported parameter: 'reasoning.effort'", None);
        check("odd", "Unsupported value: 'odd'", None);
    }

    #[test]
    fn refused_tier_gives_way_to_the_next_slower_one() {
        let check = |wanted: &str, message: &str, expected: Option<&str>| {
            let endpoint = Endpoint { service_tier: Some(wanted.to_owned()), ..endpoint("m", "https://a") };
            let fields = of(&endpoint);
            assert_eq!(fields.learn(Some("service_tier"), message), Some(Field::ServiceTier), "{message}");
            assert_eq!(fields.tier().as_deref(), expected, "{wanted}: {message}");
            assert!(
                fields.takes(Field::ServiceTier) || expected.is_none(),
                "{wanted}: the field is not refused"
            );
        };
        let listed =
            "Invalid value: 'ultrafast'. Supported values are: 'auto', 'default', 'flex', and 'priority'.";
        check("ultrafast", listed, Some("priority"));
        check("ultrafast", "Unsupported value: 'ultrafast' is not supported with this model.", Some("fast"));
        check("fast", "Invalid value: 'fast'. Supported values are: 'auto', 'default', 'ultrafast'.", None);
        check("priority", "Unsupported value: 'priority'", None);
        check("flex", "Unsupported value: 'flex'", None);
        check("fast", "Unsupported parameter: 'service_tier'", None);
    }

    #[test]
    fn each_effort_is_refused_once() {
        let fields =
            of(&Endpoint { reasoning_effort: Some("ultra".to_owned()), ..endpoint("m", "https://a") });
        let mut tried = vec![fields.effort().unwrap()];
        while let Some(effort) = fields.effort() {
            assert!(
                fields.learn(Some("reasoning.effort"), &format!("Unsupported value: '{effort}'")).is_some()
            );
            tried.extend(fields.effort());
            assert!(tried.len() < 20, "{tried:?}");
        }
        assert_eq!(tried, ["ultra", "max", "xhigh", "high", "medium", "low", "minimal", "none"]);
    }
}
