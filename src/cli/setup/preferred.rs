//! Derives from a provider its name in the configuration, and the model to suggest.
//!
//! Models are retired within months, so a provider's own list takes precedence. A model of the built-in table is
//! suggested only if the list contains it or is not available.

use crate::config::is_on_this_machine;
use crate::config::providers::{OTHER, Provider, host};

/// The name for an unknown server on this machine. Not `local`, which is a gear.
const LOCAL: &str = "localhost";

impl Provider {
    /// Its name in the configuration if it is at `base_url`. A generic provider is named after its host.
    ///
    /// `is_free` returns whether a name can be used for this URL.
    pub(super) fn name_of<E>(
        &self,
        base_url: &str,
        is_free: impl Fn(&str) -> Result<bool, E>,
    ) -> Result<String, E> {
        if self.id != OTHER {
            return Ok(self.id.clone());
        }
        if is_on_this_machine(base_url) {
            let port = host(base_url).rsplit_once(':').map(|(_, port)| format!("{LOCAL}-{port}"));
            let taken = || port.unwrap_or_else(|| self.id.clone());
            return Ok(if is_free(LOCAL)? { LOCAL.to_owned() } else { taken() });
        }
        let letter = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
        let name: String = host(base_url).chars().map(letter).collect();
        Ok(if name.is_empty() { self.id.clone() } else { name })
    }

    /// The model to suggest: the first preferred one that is listed, else the first listed one, else, without a list,
    /// the first preferred one.
    pub(super) fn preferred(&self, listed: &[String]) -> Option<String> {
        let names = || self.models.iter().map(|it| it.name.as_str());
        let known = names().find_map(|model| listed.iter().find(|it| it.starts_with(model)));
        let similar = || names().find_map(|model| listed.iter().find(|it| it.contains(model)));
        let named = || names().next().filter(|_| listed.is_empty()).map(str::to_owned);
        known.or_else(similar).or_else(|| listed.first()).cloned().or_else(named)
    }
}

#[cfg(test)]
mod tests {
    use crate::config::providers::find;

    #[test]
    fn preferred_model_is_listed() {
        let check = |id: &str, listed: &[&str], expected: Option<&str>| {
            let listed: Vec<String> = listed.iter().map(ToString::to_string).collect();
            assert_eq!(find(id).unwrap().preferred(&listed).as_deref(), expected, "{id} {listed:?}");
        };
        check("openai", &["gpt-6-sol", "gpt-6-luna-2026-09"], Some("gpt-6-luna-2026-09"));
        check("openai", &[], Some("gpt-6-luna"));
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
        assert_eq!(name("azure", "https://mine.openai.azure.com/openai/v1", ""), "azure");
    }
}
