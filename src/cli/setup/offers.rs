//! Orders the providers for selection: running servers and known keys come first.

use serde::Serialize;

use crate::cli::local_servers::LocalServer;
use crate::config::complete_url;
use crate::config::providers::{self, Provider};

/// A provider and its availability.
#[derive(Debug, Serialize)]
pub(super) struct Offer {
    #[serde(flatten)]
    pub(super) provider: &'static Provider,
    state: State,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "models")]
enum State {
    /// A local server is running, with this number of models.
    Runs(usize),
    /// Its key is in the environment or configured.
    HasKey,
    NeedsKey,
    /// It is not running.
    Absent,
    /// Its server may be anywhere.
    Elsewhere,
}

impl Offer {
    /// Whether it is in the short list: available or featured.
    pub(super) fn is_first(&self) -> bool {
        self.provider.is_featured || matches!(self.state, State::Runs(_) | State::HasKey)
    }

    /// Whether its id, name or description contains `part`.
    pub(super) fn is_like(&self, part: &str) -> bool {
        let Provider { id, name, about, .. } = self.provider;
        [id, name, about].iter().any(|it| it.to_lowercase().contains(&part.to_lowercase()))
    }

    /// A line of text for selection.
    pub(super) fn line(&self) -> String {
        let Provider { name, about, key_variable, .. } = self.provider;
        let state = match (&self.state, key_variable) {
            (State::Runs(0), _) => "running, no model loaded; ".to_owned(),
            (State::Runs(1), _) => "running, 1 model; ".to_owned(),
            (State::Runs(count), _) => format!("running, {count} models; "),
            (State::HasKey, Some(_)) => "its key is set; ".to_owned(),
            (State::Absent, _) => "not running; ".to_owned(),
            _ => String::new(),
        };
        format!("{name} — {state}{about}")
    }
}

/// The id of the entry for any other provider.
const OTHER: &str = "other";

/// The provider of a typed URL, and that URL; `None` if the text is not a URL.
///
/// A server that is not known speaks OpenAI's Chat Completions.
pub(super) fn at_url(typed: &str) -> Option<(&'static Provider, String)> {
    let typed = typed.trim();
    if !typed.contains("://") && !typed.contains(':') && !typed.contains('/') {
        return None;
    }
    let url = complete_url(typed).ok()?;
    let provider =
        providers::of_url(&url).filter(|it| !it.base_url.is_empty()).or_else(|| providers::find(OTHER))?;
    Some((provider, url))
}

/// All providers, in order. `servers` run on this machine; `has_key` returns whether a provider's key is known.
pub(super) fn sorted(servers: &[LocalServer], has_key: &dyn Fn(&Provider) -> bool) -> Vec<Offer> {
    let state = |provider: &Provider| match provider.key_variable {
        _ if provider.key_optional => State::Elsewhere,
        Some(_) if has_key(provider) => State::HasKey,
        Some(_) => State::NeedsKey,
        None => {
            let server = servers.iter().find(|it| it.base_url == provider.base_url);
            server.map_or(State::Absent, |it| State::Runs(it.models.len()))
        }
    };
    let mut offers: Vec<Offer> =
        providers::all().map(|provider| Offer { provider, state: state(provider) }).collect();
    let rank = |it: &Offer| match it.state {
        State::Runs(0) => 2,
        State::Runs(_) => 0,
        State::HasKey => 1,
        State::NeedsKey if it.provider.is_featured => 3,
        State::Absent if it.provider.is_featured => 4,
        // Where it is seen without scrolling.
        _ if it.provider.id == OTHER => 5,
        State::NeedsKey => 6,
        State::Absent => 7,
        State::Elsewhere => 8,
    };
    offers.sort_by_key(rank);
    offers
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(servers: &[(&str, &[&str])], variables: &[&str], expect: Expect) {
        let servers: Vec<LocalServer> = servers
            .iter()
            .map(|(port, models)| LocalServer {
                name: String::new(),
                base_url: format!("http://127.0.0.1:{port}/v1"),
                models: models.iter().map(ToString::to_string).collect(),
                configured: false,
            })
            .collect();
        let lines: Vec<String> =
            sorted(&servers, &|it| it.key_variable.as_deref().is_some_and(|name| variables.contains(&name)))
                .iter()
                .map(Offer::line)
                .collect();
        expect.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn url_is_taken_for_a_server() {
        let check = |typed: &str, expected: Option<(&str, &str)>| {
            let found = at_url(typed);
            assert_eq!(found.as_ref().map(|(it, url)| (it.name.as_str(), url.as_str())), expected, "{typed}");
        };
        check("https://llm.example.com/v1", Some(("Another server", "https://llm.example.com/v1")));
        check("http://localhost:4141/v1", Some(("Another server", "http://localhost:4141/v1")));
        check("mistral", None);
        check("", None);
    }

    #[test]
    fn what_is_at_hand_comes_first() {
        check(
            &[],
            &[],
            expect![[r#"
                OpenAI — all jobs; gpt-6-luna costs $0.10 per million tokens read, $0.50 written
                Anthropic — all jobs; claude-haiku-5-5: $0.10 per million tokens read, $0.50 written
                Google Gemini — all jobs; gemini-3.5-flash-lite: $0.30 per million tokens read, $2.50 written
                Cerebras — all jobs, the fastest: about 3,000 tokens per second with gpt-oss-120b
                Inception — all jobs, fast; mercury-3 costs $0.10 per million tokens read, $0.35 written
                Ollama on this machine — not running; free and private; as fast as this machine
                Another server — any that speaks OpenAI's Chat Completions, such as a gateway of your company
                Groq — all jobs, about 500 tokens per second with gpt-oss-120b
                xAI — all jobs; grok-4.20-non-reasoning: $1.25 per million tokens read, $2.50 written
                Mistral Codestral — ghost text only, by a model made for it
                Mistral — all jobs; devstral-small-latest: $0.10 per million tokens read, $0.30 written
                DeepSeek — ghost text only, at a low price
                DeepSeek for all jobs — all jobs; deepseek-flash: at most $0.30 per million tokens read, $1.20 written
                Together AI — all jobs, with open models
                Fireworks AI — all jobs, with open models
                SambaNova — all jobs, fast, with open models
                Azure OpenAI — all jobs, in your own resource; a model is named by its deployment
                OpenRouter — all jobs, with the models of many makers by one key
                Vercel AI Gateway — all jobs, with the models of many makers by one key
                llama.cpp on this machine — not running; free and private; as fast as this machine
                LM Studio on this machine — not running; free and private; as fast as this machine
                vLLM on this machine — not running; free and private; as fast as this machine
                LiteLLM — a gateway of your own, to a hundred providers, Amazon Bedrock among them
                Bifrost — a gateway of your own, to many providers, Amazon Bedrock among them"#]],
        );
        check(
            &[("11434", &["a", "b"]), ("8080", &[])],
            &["CEREBRAS_API_KEY"],
            expect![[r#"
                Ollama on this machine — running, 2 models; free and private; as fast as this machine
                Cerebras — its key is set; all jobs, the fastest: about 3,000 tokens per second with gpt-oss-120b
                llama.cpp on this machine — running, no model loaded; free and private; as fast as this machine
                OpenAI — all jobs; gpt-6-luna costs $0.10 per million tokens read, $0.50 written
                Anthropic — all jobs; claude-haiku-5-5: $0.10 per million tokens read, $0.50 written
                Google Gemini — all jobs; gemini-3.5-flash-lite: $0.30 per million tokens read, $2.50 written
                Inception — all jobs, fast; mercury-3 costs $0.10 per million tokens read, $0.35 written
                Another server — any that speaks OpenAI's Chat Completions, such as a gateway of your company
                Groq — all jobs, about 500 tokens per second with gpt-oss-120b
                xAI — all jobs; grok-4.20-non-reasoning: $1.25 per million tokens read, $2.50 written
                Mistral Codestral — ghost text only, by a model made for it
                Mistral — all jobs; devstral-small-latest: $0.10 per million tokens read, $0.30 written
                DeepSeek — ghost text only, at a low price
                DeepSeek for all jobs — all jobs; deepseek-flash: at most $0.30 per million tokens read, $1.20 written
                Together AI — all jobs, with open models
                Fireworks AI — all jobs, with open models
                SambaNova — all jobs, fast, with open models
                Azure OpenAI — all jobs, in your own resource; a model is named by its deployment
                OpenRouter — all jobs, with the models of many makers by one key
                Vercel AI Gateway — all jobs, with the models of many makers by one key
                LM Studio on this machine — not running; free and private; as fast as this machine
                vLLM on this machine — not running; free and private; as fast as this machine
                LiteLLM — a gateway of your own, to a hundred providers, Amazon Bedrock among them
                Bifrost — a gateway of your own, to many providers, Amazon Bedrock among them"#]],
        );
    }
}
