//! The providers that setup offers, as data.
//!
//! Models are retired within months, so a provider's own list comes first where it has one; a model named
//! here is only what is chosen where the list cannot be had, or where it has the model.

use serde::Serialize;

use crate::config::is_on_this_machine;

/// A provider as setup offers it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Provider {
    /// Its name in the configuration, and after `--provider`.
    pub(super) id: &'static str,
    /// Its name for people.
    pub(super) name: &'static str,
    /// What it is good for and what it costs, in one line.
    pub(super) about: &'static str,
    /// Empty if it has to be named.
    pub(super) base_url: &'static str,
    /// As written in the configuration.
    pub(super) wire: &'static str,
    /// As written in the configuration, with the wire `fim`.
    #[serde(skip)]
    pub(super) fim_dialect: Option<&'static str>,
    /// The environment variable that usually holds the key; none for servers that need no key.
    pub(super) key_variable: Option<&'static str>,
    /// Where a key can be had.
    pub(super) key_page: &'static str,
    /// The models to prefer, the best one first.
    #[serde(skip)]
    pub(super) models: &'static [&'static str],
}

/// The name of a server on this machine of which nothing else is known. `local` is a gear.
const LOCAL: &str = "localhost";

/// What most providers have, and all servers on this machine.
const CHAT: Provider = Provider {
    id: "",
    name: "",
    about: "free and private; as fast as this machine",
    base_url: "",
    wire: "chat",
    fim_dialect: None,
    key_variable: None,
    key_page: "",
    models: &[],
};

/// Every provider, in the order in which they are offered.
pub(super) const PROVIDERS: &[Provider] = &[
    Provider {
        id: "ollama",
        name: "Ollama on this machine",
        base_url: "http://127.0.0.1:11434/v1",
        key_page: "https://ollama.com/download, then `ollama pull qwen2.5-coder:7b`",
        models: &["qwen2.5-coder"],
        ..CHAT
    },
    Provider {
        id: "llama-cpp",
        name: "llama.cpp on this machine",
        base_url: "http://127.0.0.1:8080/v1",
        key_page: "https://github.com/ggml-org/llama.cpp, then `llama-server -hf MODEL`",
        ..CHAT
    },
    Provider {
        id: "lm-studio",
        name: "LM Studio on this machine",
        base_url: "http://127.0.0.1:1234/v1",
        key_page: "https://lmstudio.ai",
        models: &["coder"],
        ..CHAT
    },
    Provider {
        id: "vllm",
        name: "vLLM on this machine",
        base_url: "http://127.0.0.1:8000/v1",
        key_page: "https://docs.vllm.ai",
        models: &["coder"],
        ..CHAT
    },
    Provider {
        id: "openai",
        name: "OpenAI",
        about: "all jobs; gpt-6-luna costs $0.10 per million tokens read, $0.50 written",
        base_url: "https://api.openai.com/v1",
        wire: "responses-websocket",
        key_variable: Some("OPENAI_API_KEY"),
        key_page: "https://platform.openai.com/api-keys",
        models: &["gpt-5.3-codex-spark", "gpt-6-luna"],
        ..CHAT
    },
    Provider {
        id: "cerebras",
        name: "Cerebras",
        about: "all jobs, the fastest: about 3,000 tokens per second with gpt-oss-120b",
        base_url: "https://api.cerebras.ai/v1",
        key_variable: Some("CEREBRAS_API_KEY"),
        key_page: "https://cloud.cerebras.ai",
        models: &["gpt-oss-120b", "qwen-3"],
        ..CHAT
    },
    Provider {
        id: "inception",
        name: "Inception",
        about: "all jobs, fast; mercury-3 costs $0.10 per million tokens read, $0.35 written",
        base_url: "https://api.inceptionlabs.ai/v1",
        key_variable: Some("INCEPTION_API_KEY"),
        key_page: "https://inceptionlabs.ai",
        models: &["mercury-3", "mercury-2.5", "mercury-2", "mercury"],
        ..CHAT
    },
    Provider {
        id: "mistral",
        name: "Mistral",
        about: "ghost text only, by a model made for it (Codestral)",
        base_url: "https://codestral.mistral.ai/v1",
        wire: "fim",
        fim_dialect: Some("mistral"),
        key_variable: Some("CODESTRAL_API_KEY"),
        key_page: "https://console.mistral.ai",
        models: &["codestral-latest"],
    },
    Provider {
        id: "deepseek",
        name: "DeepSeek",
        about: "ghost text only, at a low price",
        base_url: "https://api.deepseek.com/beta",
        wire: "fim",
        key_variable: Some("DEEPSEEK_API_KEY"),
        key_page: "https://platform.deepseek.com/api_keys",
        models: &["deepseek-chat"],
        ..CHAT
    },
    Provider {
        id: "other",
        name: "Another server",
        about: "any that speaks OpenAI's Chat Completions, such as a gateway of your company",
        base_url: "",
        key_variable: Some("TANDEM_API_KEY"),
        key_page: "https://platform.openai.com/docs/api-reference/chat",
        ..CHAT
    },
];

impl Provider {
    /// Whether it runs on this machine.
    pub(super) fn is_local(&self) -> bool {
        is_on_this_machine(self.base_url)
    }

    /// Where a key can be had, if it is known who gives keys.
    pub(super) fn key_page(&self) -> Option<&'static str> {
        self.needs_key().then_some(self.key_page)
    }

    /// Whether it refuses requests without a key.
    pub(super) fn needs_key(&self) -> bool {
        self.key_variable.is_some() && !self.base_url.is_empty()
    }

    /// Its name in the configuration, where it is at `base_url`: that of the host if it may be anywhere.
    ///
    /// `is_free` tells whether a name may be given to what is there.
    pub(super) fn name_of<E>(
        &self,
        base_url: &str,
        is_free: impl Fn(&str) -> Result<bool, E>,
    ) -> Result<String, E> {
        if !self.base_url.is_empty() {
            return Ok(self.id.to_owned());
        }
        if is_on_this_machine(base_url) {
            let port = host(base_url).rsplit_once(':').map(|(_, port)| format!("{LOCAL}-{port}"));
            let taken = || port.unwrap_or_else(|| self.id.to_owned());
            return Ok(if is_free(LOCAL)? { LOCAL.to_owned() } else { taken() });
        }
        let letter = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
        let name: String = host(base_url).chars().map(letter).collect();
        Ok(if name.is_empty() { self.id.to_owned() } else { name })
    }

    /// The model to suggest: the preferred one that is listed, else the first that is listed, else the
    /// preferred one.
    pub(super) fn preferred(&self, listed: &[String]) -> Option<String> {
        let known = self.models.iter().find_map(|model| listed.iter().find(|it| it.starts_with(model)));
        let similar = || self.models.iter().find_map(|model| listed.iter().find(|it| it.contains(model)));
        let named = || self.models.first().filter(|_| listed.is_empty()).map(ToString::to_string);
        known.or_else(similar).or_else(|| listed.first()).cloned().or_else(named)
    }
}

/// The host of a URL, with its port.
fn host(base_url: &str) -> &str {
    let (_, rest) = base_url.split_once("://").unwrap_or_default();
    rest.split(['/', '?']).next().unwrap_or_default().rsplit('@').next().unwrap_or_default()
}

/// The provider of an id.
pub(super) fn find(id: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|it| it.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferred_model_is_listed() {
        let check = |id: &str, listed: &[&str], expected: Option<&str>| {
            let listed: Vec<String> = listed.iter().map(ToString::to_string).collect();
            assert_eq!(find(id).unwrap().preferred(&listed).as_deref(), expected, "{id} {listed:?}");
        };
        check("openai", &["gpt-6-sol", "gpt-6-luna-2026-09"], Some("gpt-6-luna-2026-09"));
        check("openai", &[], Some("gpt-5.3-codex-spark"));
        check("inception", &["mercury-edit-2", "mercury-2", "mercury-3"], Some("mercury-3"));
        check("ollama", &["llama3:8b", "qwen2.5-coder:1.5b"], Some("qwen2.5-coder:1.5b"));
        check("lm-studio", &["gemma", "deepseek-coder-v2"], Some("deepseek-coder-v2"));
        check("llama-cpp", &["any.gguf"], Some("any.gguf"));
        check("llama-cpp", &[], None);
    }

    #[test]
    fn server_elsewhere_is_named_after_its_host() {
        let name = |id: &str, url: &str, taken: &str| {
            find(id).unwrap().name_of(url, |name| Ok::<_, std::convert::Infallible>(name != taken)).unwrap()
        };
        let check = |url: &str, expected: &str| assert_eq!(name("other", url, ""), expected);
        check("https://llm.example.com/v1", "llm-example-com");
        check("http://127.0.0.1:4000/v1", "localhost");
        check("http://localhost/v1", "localhost");
        check("https://user:key@host/v1", "host");
        check("nonsense", "other");
        assert_eq!(name("other", "http://127.0.0.1:4000/v1", "localhost"), "localhost-4000");
        assert_eq!(name("openai", "https://gateway.example/v1", ""), "openai");
    }

    #[test]
    fn every_provider_is_named_once_and_its_key_can_be_had() {
        for (at, provider) in PROVIDERS.iter().enumerate() {
            assert!(!PROVIDERS[..at].iter().any(|it| it.id == provider.id));
            assert_eq!(provider.is_local(), provider.key_variable.is_none(), "{}", provider.id);
            assert_eq!(provider.id == "other", provider.base_url.is_empty());
            assert_eq!(
                provider.wire == "fim",
                provider.about.starts_with("ghost text only"),
                "{}",
                provider.id
            );
            assert!(provider.key_page.starts_with("https://"));
            // VS Code cuts what is longer off in its list.
            assert!(provider.about.chars().count() <= 80, "{}", provider.id);
        }
    }
}
