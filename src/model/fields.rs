//! The fields that a model accepts in a request, as known of its family and learned from its refusals.
//!
//! Models refuse unknown fields with status 400 ([requests](super#requests)), and some servers
//! silently drop them. So a field that a family is known to lack is never sent, and a refusal that
//! names a field is remembered for the lifetime of the process.

mod graded;
mod output;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::config::{Endpoint, Wire, models, providers};
use crate::lock::Mutex;
use graded::GradedSetting;
pub(super) use output::Fewer;

/// A field of a request that not every model accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Field {
    /// Reasoning effort: `reasoning.effort`, `reasoning_effort`.
    ReasoningEffort,
    /// The token limit in the Responses API: `max_output_tokens`.
    MaxOutputTokens,
    /// The token limit in Chat Completions: `max_tokens`.
    MaxTokens,
    /// The token limit in Chat Completions for reasoning models: `max_completion_tokens`.
    MaxCompletionTokens,
    /// The service tier: `service_tier`.
    ServiceTier,
    /// The verbosity of the answer: `text.verbosity`, `verbosity`.
    Verbosity,
    /// Text that the answer is expected to repeat: `prediction`.
    Prediction,
    /// The sampling temperature: `temperature`.
    Temperature,
    /// Stop sequences: `stop`.
    Stop,
    /// The key of the prompt cache: `prompt_cache_key`.
    PromptCacheKey,
    /// Options of the stream: `stream_options`.
    StreamOptions,
    /// Whether the provider keeps the answer: `store`.
    Store,
    /// The lane on a socket: `stream_id`.
    StreamId,
    /// Metadata, which the response repeats: `metadata`.
    Metadata,
    /// Caching options and breakpoints: `prompt_cache_options`, `prompt_cache_breakpoint`.
    PromptCacheOptions,
    /// No thinking: `thinking` of the Messages API, `disabled`.
    NoThinking,
    /// The same for models that always think between tool calls: `between_tools`.
    ThinkingBetweenTools,
}

/// The names that servers use for each field.
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

/// Fields that are sent only to models known to accept them.
const SPECIAL: &[Field] = &[
    Field::MaxCompletionTokens,
    Field::Verbosity,
    Field::Prediction,
    Field::PromptCacheOptions,
    Field::ThinkingBetweenTools,
];

/// Thinking only between tool calls, which never happens without tools.
const BETWEEN_TOOLS: &str = "between_tools";

/// The fields that one model accepts. Clones share what they learn.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    refused: Arc<Mutex<BTreeSet<Field>>>,
    taken: Vec<Field>,
    effort: Arc<Mutex<GradedSetting>>,
    tier: Arc<Mutex<GradedSetting>>,
    /// The maximum number of output tokens, as far as known or learned from a refusal.
    output_limit: Arc<Mutex<Option<u32>>>,
}

impl Fields {
    /// The fields that the model behind an endpoint accepts, as far as the tables know.
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

    /// The token limit to send for a request: at most what the model can write.
    pub(super) fn output_tokens(&self, wanted: u32) -> u32 {
        let limit = *self.output_limit.lock();
        limit.map_or(wanted, |limit| wanted.min(limit))
    }

    /// Learns from a refusal of a request for `wanted` tokens. Returns how many to ask for instead.
    ///
    /// Each result is lower than the one before, and there are few of them.
    pub(super) fn learn_output(&self, param: Option<&str>, message: &str, wanted: u32) -> Option<Fewer> {
        let fewer = output::fewer(param, message, self.output_tokens(wanted))?;
        if let Fewer::Always(limit) = fewer {
            *self.output_limit.lock() = Some(limit);
        }
        Some(fewer)
    }

    /// Whether a request may have this field.
    pub(super) fn takes(&self, field: Field) -> bool {
        !self.refused.lock().contains(&field)
    }

    /// The reasoning effort: the user's setting, or the closest value that the model accepts.
    pub(super) fn effort(&self) -> Option<String> {
        self.wanted(Field::ReasoningEffort)
    }

    /// The type of thinking that turns thinking off, if the model has one.
    pub(super) fn no_thinking(&self) -> Option<&'static str> {
        let between = || self.takes(Field::ThinkingBetweenTools).then_some(BETWEEN_TOOLS);
        if self.takes(Field::NoThinking) { Some("disabled") } else { between() }
    }

    /// The service tier: the user's setting, or the next slower tier that the model accepts.
    pub(super) fn tier(&self) -> Option<String> {
        self.wanted(Field::ServiceTier)
    }

    fn wanted(&self, field: Field) -> Option<String> {
        let setting = self.graded(field).filter(|_| self.takes(field))?;
        setting.lock().wanted()
    }

    fn graded(&self, field: Field) -> Option<&Mutex<GradedSetting>> {
        match field {
            Field::ReasoningEffort => Some(&self.effort),
            Field::ServiceTier => Some(&self.tier),
            _ => None,
        }
    }

    /// Learns from a refusal: `param` is the field that the server named, `message` its message.
    ///
    /// Returns the field that is no longer sent, or has another value from now on, so that the request can be
    /// repeated. Returns `None` if no known field is named, or the field was not sent anyway.
    pub(super) fn learn(&self, param: Option<&str>, message: &str) -> Option<Field> {
        let field = named(param, message)?;
        if self.takes(field)
            && let Some(setting) = self.graded(field)
            && setting.lock().refuse(message)
        {
            return Some(field);
        }
        let mut refused = self.refused.lock();
        let news = refused.insert(field);
        if field == Field::MaxTokens && news {
            // The two fields replace each other: such a refusal asks for the other one.
            refused.remove(&Field::MaxCompletionTokens);
        } else if field == Field::MaxCompletionTokens && news && !self.taken.contains(&field) {
            refused.remove(&Field::MaxTokens);
        } else if field == Field::NoThinking && message.contains(BETWEEN_TOOLS) {
            refused.remove(&Field::ThinkingBetweenTools);
        }
        news.then_some(field)
    }
}

/// The fields with these names. The table is checked to contain no other names.
fn named_in(names: &[String]) -> Vec<Field> {
    names.iter().filter_map(|name| by_name(name)).collect()
}

fn by_name(name: &str) -> Option<Field> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
}

/// Whether a refusal names a field.
pub(super) fn is_named(param: Option<&str>, message: &str) -> bool {
    named(param, message).is_some()
}

/// The field that a refusal is about.
///
/// It is the one that the server named, else the first in the message that is quoted or contains an underscore.
fn named(param: Option<&str>, message: &str) -> Option<Field> {
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
    // The first field is the refused one; a later one may be the suggested replacement.
    words.filter(|word| word.contains('_') || quoted(word)).find_map(by_name)
}

#[cfg(test)]
mod tests;
