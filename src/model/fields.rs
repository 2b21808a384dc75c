//! Which fields of a request a model takes, by its family and by what it refused.
//!
//! Models refuse fields that they do not know with status 400 ([requests](super#requests)), and some servers
//! drop them without a word. So a field that a family is known to lack is never sent, and a refusal that names a
//! field is remembered for as long as the process lives.

mod graded;
mod output;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::config::{Endpoint, Wire, models, providers};
use graded::GradedSetting;
pub(super) use output::Fewer;

/// A field of a request that not every model takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Field {
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
    /// What is cached, and where that ends: `prompt_cache_options`, `prompt_cache_breakpoint`.
    PromptCacheOptions,
    /// That a model is not to think: `thinking` of the Messages API, `disabled`.
    NoThinking,
    /// The same for models that think between calls of tools at least: `between_tools`.
    ThinkingBetweenTools,
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
    ("thinking", Field::NoThinking),
    ("thinking.type", Field::NoThinking),
    ("thinking.type.disabled", Field::NoThinking),
    ("thinking.type.between_tools", Field::ThinkingBetweenTools),
    ("output_config.effort", Field::ReasoningEffort),
    ("stop_sequences", Field::Stop),
];

/// Fields that are sent only to models that are known to take them.
const SPECIAL: &[Field] = &[
    Field::MaxCompletionTokens,
    Field::Verbosity,
    Field::Prediction,
    Field::PromptCacheOptions,
    Field::ThinkingBetweenTools,
];

/// The type of thinking between calls of tools alone, which is none where there are no tools.
const BETWEEN_TOOLS: &str = "between_tools";

/// The fields that one model takes. Clones share what they learn.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    refused: Arc<Mutex<BTreeSet<Field>>>,
    taken: Vec<Field>,
    effort: Arc<Mutex<GradedSetting>>,
    tier: Arc<Mutex<GradedSetting>>,
    /// The most tokens that an answer may have, as far as that is known or was refused.
    output_limit: Arc<Mutex<Option<u32>>>,
}

impl Fields {
    /// What the model behind an endpoint takes, as far as the table knows.
    pub(super) fn of(endpoint: &Endpoint) -> Self {
        let family = models::family(&endpoint.model);
        let mut refused: BTreeSet<Field> = SPECIAL.iter().copied().collect();
        let taken = family.map_or(Vec::new(), |family| named_in(&family.takes));
        refused.retain(|field| !taken.contains(field));
        refused.extend(family.map_or(Vec::new(), |family| named_in(&family.lacks)));
        let provider = providers::of_url(&endpoint.base_url);
        refused.extend(provider.map_or(Vec::new(), |provider| named_in(&provider.lacks)));
        let offered = providers::offered_model(&endpoint.base_url, &endpoint.model);
        if matches!(endpoint.wire, Wire::Fim(_)) {
            refused.extend([Field::ReasoningEffort, Field::ServiceTier]);
        }
        let effort = GradedSetting::effort(endpoint.reasoning_effort.clone());
        let tier = GradedSetting::tier(endpoint.service_tier.clone());
        Self {
            refused: Arc::new(Mutex::new(refused)),
            taken,
            effort: Arc::new(Mutex::new(effort)),
            tier: Arc::new(Mutex::new(tier)),
            output_limit: Arc::new(Mutex::new(offered.and_then(|it| it.output))),
        }
    }

    /// The tokens to ask for where a request wants so many: no more than the model writes.
    pub(super) fn output_tokens(&self, wanted: u32) -> u32 {
        let limit = *self.output_limit.lock().unwrap_or_else(PoisonError::into_inner);
        limit.map_or(wanted, |limit| wanted.min(limit))
    }

    /// Learns from a refusal of a request that wanted so many tokens; how many to ask for instead.
    ///
    /// Each answer is lower than the one before, and there are few of them.
    pub(super) fn learn_output(&self, param: Option<&str>, message: &str, wanted: u32) -> Option<Fewer> {
        let fewer = output::fewer(param, message, self.output_tokens(wanted))?;
        if let Fewer::Always(limit) = fewer {
            *self.output_limit.lock().unwrap_or_else(PoisonError::into_inner) = Some(limit);
        }
        Some(fewer)
    }

    /// Whether a request may have this field.
    pub(super) fn takes(&self, field: Field) -> bool {
        !self.refused.lock().unwrap_or_else(PoisonError::into_inner).contains(&field)
    }

    /// How hard the model is to think: as the user wants, or the closest to it that it takes.
    pub(super) fn effort(&self) -> Option<String> {
        self.wanted(Field::ReasoningEffort)
    }

    /// The type of thinking that asks for none, if the model has one.
    pub(super) fn no_thinking(&self) -> Option<&'static str> {
        let between = || self.takes(Field::ThinkingBetweenTools).then_some(BETWEEN_TOOLS);
        if self.takes(Field::NoThinking) { Some("disabled") } else { between() }
    }

    /// The class of service: what the user wants, or the next slower one that the model takes.
    pub(super) fn tier(&self) -> Option<String> {
        self.wanted(Field::ServiceTier)
    }

    fn wanted(&self, field: Field) -> Option<String> {
        let setting = self.graded(field).filter(|_| self.takes(field))?;
        setting.lock().unwrap_or_else(PoisonError::into_inner).wanted()
    }

    /// The values of a field that has several.
    fn graded(&self, field: Field) -> Option<&Mutex<GradedSetting>> {
        match field {
            Field::ReasoningEffort => Some(&self.effort),
            Field::ServiceTier => Some(&self.tier),
            _ => None,
        }
    }

    /// Learns from a refusal: `param` is the field that the server named, `message` its words.
    ///
    /// Gives the field that is not sent any more, or has another value from now on, so that the request can be made
    /// once again; `None` if no field of ours is named, or it was not sent anyway.
    pub(super) fn learn(&self, param: Option<&str>, message: &str) -> Option<Field> {
        let field = named(param, message)?;
        if self.takes(field)
            && let Some(setting) = self.graded(field)
            && setting.lock().unwrap_or_else(PoisonError::into_inner).refuse(message)
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
        } else if field == Field::NoThinking && message.contains(BETWEEN_TOOLS) {
            refused.remove(&Field::ThinkingBetweenTools);
        }
        news.then_some(field)
    }
}

/// The fields of these names; the table is checked to have no other.
fn named_in(names: &[String]) -> Vec<Field> {
    let field = |name: &String| NAMES.iter().find(|(known, _)| known == name).map(|(_, field)| *field);
    names.iter().filter_map(field).collect()
}

/// The field that a refusal is about.
///
/// It is named by the server, else the first that stands in its words in quotes or with an underscore.
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

#[cfg(test)]
mod tests;
