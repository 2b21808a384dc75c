//! Simulates the prompt cache, in estimated tokens.

use std::collections::HashMap;

use crate::text::tokens::{count, split};

/// The granularity of a cached prefix, in tokens, by the public documentation.
const CACHE_STEP: usize = 128;
/// The smallest cached prefix, in tokens, by the public documentation.
const CACHE_LEAST: usize = 1024;
/// The number of latest breakpoints that a prompt is compared with.
const BREAKPOINTS: usize = 80;
/// The maximum number of keys in the cache; it is cleared when a further key is added.
const CACHE_KEYS: usize = 1024;

/// The token counts of a prompt: in total, read from the cache, and written to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PromptTokens {
    pub(super) total: usize,
    pub(super) cached: usize,
    pub(super) written: usize,
}

/// The cached text per `prompt_cache_key`.
///
/// It is the newest prompt, or with breakpoints the prefixes that end at the latest of them.
#[derive(Default)]
pub(super) struct PromptCache(HashMap<String, String>, HashMap<String, Vec<String>>);

impl PromptCache {
    /// Counts the tokens of a prompt and of the prefix that it shares with the previous prompt of the same key, and
    /// caches it.
    ///
    /// With `is_exact` every shared token counts, as with a server that keeps the state of its latest prompt.
    pub(super) fn read(&mut self, key: &str, prompt: &str, is_exact: bool) -> PromptTokens {
        let cacheable = |tokens| if is_exact { tokens } else { cacheable(tokens) };
        let total = count(prompt);
        let shared = |known: &String| split(known).zip(split(prompt)).take_while(|(a, b)| a == b).count();
        let shared = self.0.get(key).map_or(0, shared);
        let cached = cacheable(shared);
        if self.0.len() >= CACHE_KEYS && !self.0.contains_key(key) {
            self.0.clear();
        }
        self.0.insert(key.to_owned(), prompt.to_owned());
        PromptTokens { total, cached, written: cacheable(total) - cached }
    }

    /// Counts the tokens of a prompt and of its longest cached prefix, and caches the prefix up to `breakpoint`.
    ///
    /// Only prefixes that end at a breakpoint are cached.
    pub(super) fn read_to(&mut self, key: &str, prompt: &str, breakpoint: Option<usize>) -> PromptTokens {
        if self.1.len() >= CACHE_KEYS && !self.1.contains_key(key) {
            self.1.clear();
        }
        let known = self.1.entry(key.to_owned()).or_default();
        let tokens = |text: &str| Some(count(text)).filter(|tokens| *tokens >= CACHE_LEAST).unwrap_or(0);
        let held =
            known.iter().filter(|it| prompt.starts_with(it.as_str())).map(String::len).max().unwrap_or(0);
        let cached = tokens(&prompt[..held]);
        let mut written = 0;
        if let Some(beginning) = breakpoint.and_then(|at| prompt.get(..at)).filter(|it| it.len() > held) {
            written = tokens(beginning).saturating_sub(cached);
            known.push(beginning.to_owned());
            known.drain(..known.len().saturating_sub(BREAKPOINTS));
        }
        PromptTokens { total: count(prompt), cached, written }
    }
}

fn cacheable(tokens: usize) -> usize {
    if tokens < CACHE_LEAST { 0 } else { tokens - tokens % CACHE_STEP }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_a_long_shared_beginning_as_cached() {
        let stable = "fn f() { g(); }\n".repeat(200);
        let mut cache = PromptCache::default();
        let first = cache.read("k", &format!("{stable}one"), false);
        assert_eq!(first.cached, 0);
        let second = cache.read("k", &format!("{stable}two"), false);
        assert!(second.cached >= CACHE_LEAST && second.cached % CACHE_STEP == 0, "{second:?}");
        assert!(second.cached <= second.total);
        assert_eq!(
            cache.read("other", &format!("{stable}two"), false).cached,
            0,
            "another key knows nothing"
        );
        assert_eq!(cache.read("k", "short", false).cached, 0);
        let exact = cache.read("k", "short text", true);
        assert_eq!((exact.cached, exact.total), (1, 2));
    }
}
