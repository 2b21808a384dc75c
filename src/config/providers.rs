//! The known providers: data, read from `providers.toml`.
//!
//! A provider's own list and the user's configuration override every figure. Facts about a model that do not depend
//! on the provider are in [`models`].

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::budget::Price;
use super::models::{self, BasePrice};
use super::{Wire, is_on_this_machine};

/// The source of the table.
const TEXT: &str = include_str!("providers.toml");

static TABLE: LazyLock<ProvidersTable> = LazyLock::new(|| {
    toml::from_str(TEXT).unwrap_or_else(|error| {
        tracing::error!(%error, "the table of providers cannot be read");
        ProvidersTable::default()
    })
});

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProvidersTable {
    provider: Vec<Provider>,
}

/// The id of a provider of which only the API is known.
pub const OTHER: &str = "other";

/// A provider; its JSON is what editors offer to the user.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all(serialize = "camelCase"))]
pub struct Provider {
    /// Its name in the configuration, and after `--provider`.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Its strengths and costs, in one line.
    pub about: String,
    /// Its base URL; empty if the user must give it.
    #[serde(default)]
    pub base_url: String,
    /// An example of the base URL that the user must give.
    #[serde(default, skip_serializing)]
    pub example: String,
    /// Its wire, as written in the configuration.
    #[serde(default = "chat")]
    pub wire: String,
    /// Its dialect with the wire `fim`, as written in the configuration.
    #[serde(skip_serializing)]
    pub fim_dialect: Option<String>,
    /// The environment variable that usually holds the key; none for servers that need no key.
    pub key_variable: Option<String>,
    /// Whether it may accept requests without a key.
    #[serde(default, skip_serializing)]
    pub key_optional: bool,
    /// The prefix of all of its keys, if no other provider's keys have it.
    #[serde(skip_serializing)]
    key_prefix: Option<String>,
    /// The page with keys; for a server on this machine, the page to download it from.
    pub key_page: String,
    /// Whether setup lists it among the first.
    #[serde(default, skip_serializing)]
    pub is_featured: bool,
    #[serde(default, skip_serializing)]
    is_hidden: bool,
    #[serde(skip_serializing)]
    host: Option<String>,
    /// Request fields that it rejects.
    #[serde(default, skip_serializing)]
    pub lacks: Vec<String>,
    /// Its advertised tokens per second.
    #[serde(skip_serializing)]
    pub rate: Option<u32>,
    /// The models to prefer, the best one first.
    #[serde(default, skip_serializing)]
    pub models: Vec<OfferedModel>,
    /// Why no price is known, if none of its models has a price.
    #[serde(skip_serializing)]
    pub unpriced: Option<String>,
    /// The page with these facts.
    #[serde(skip_serializing)]
    pub source: String,
    /// The day on which they were looked up.
    #[serde(skip_serializing)]
    pub noted: String,
}

/// A model at one provider.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfferedModel {
    /// The prefix of its name, as the provider's list spells it.
    pub name: String,
    /// Its purposes: `fast`, `deep` or both.
    pub gears: Vec<String>,
    /// Its context window at this provider, input and output together, in tokens.
    pub window: Option<u32>,
    /// The maximum number of tokens in an answer at this provider.
    pub output: Option<u32>,
    price: Option<BasePrice>,
}

fn chat() -> String {
    Wire::Chat.name().to_owned()
}

/// All providers that setup offers, in order.
pub fn all() -> impl Iterator<Item = &'static Provider> {
    TABLE.provider.iter().filter(|it| !it.is_hidden)
}

/// The provider with this id.
pub fn find(id: &str) -> Option<&'static Provider> {
    all().find(|it| it.id == id)
}

/// The providers at a base URL, one for each API that it serves.
fn at(base_url: &str) -> impl Iterator<Item = &'static Provider> {
    let host = host(base_url).split(':').next().unwrap_or_default();
    TABLE.provider.iter().filter(move |it| it.is_at(host))
}

/// The provider at a base URL, if it is known and not on this machine.
pub fn of_url(base_url: &str) -> Option<&'static Provider> {
    at(base_url).next()
}

/// The facts about a model at a base URL.
pub fn offered_model(base_url: &str, model: &str) -> Option<&'static OfferedModel> {
    let name = models::slug(model);
    // The row with this exact URL comes first.
    let mut rows: Vec<&Provider> = at(base_url).collect();
    rows.sort_by_key(|it| it.base_url != base_url);
    rows.into_iter().flat_map(|it| &it.models).find(|it| name.starts_with(&models::slug(&it.name)))
}

/// The price of a model at a base URL, if it differs from its maker's.
pub fn price(base_url: &str, model: &str) -> Option<Price> {
    Some(offered_model(base_url, model)?.price?.of(model))
}

/// The provider that the key seems to belong to, if the base URL belongs to another one.
pub fn other_owner(key: &str, base_url: &str) -> Option<&'static Provider> {
    let prefix =
        |it: &Provider| it.key_prefix.as_deref().filter(|prefix| key.starts_with(prefix)).map(str::len);
    let owner = all().filter(|it| prefix(it).is_some()).max_by_key(|it| prefix(it))?;
    // A gateway or an unknown server may accept any key.
    let is_known = at(base_url).next().is_some();
    (is_known && at(base_url).all(|it| it.id != owner.id)).then_some(owner)
}

impl Provider {
    /// Whether the provider runs on this machine.
    pub fn is_local(&self) -> bool {
        is_on_this_machine(&self.base_url)
    }

    /// The page with keys, if the provider is known to issue them.
    pub fn key_page(&self) -> Option<&str> {
        self.needs_key().then_some(self.key_page.as_str())
    }

    /// Whether the provider rejects requests without a key.
    pub fn needs_key(&self) -> bool {
        self.key_variable.is_some() && !self.key_optional
    }

    fn is_at(&self, host: &str) -> bool {
        let own = self.host.as_deref().unwrap_or_else(|| self::host(&self.base_url));
        let is_below = || host.strip_suffix(own).is_some_and(|rest| rest.ends_with('.'));
        !own.is_empty() && !self.is_local() && (host == own || is_below())
    }
}

/// The host of a URL, with its port.
pub fn host(base_url: &str) -> &str {
    let (_, rest) = base_url.split_once("://").unwrap_or_default();
    rest.split(['/', '?']).next().unwrap_or_default().rsplit('@').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::complete_url;
    use crate::text::Day;

    #[test]
    fn table_can_be_read() {
        let table: ProvidersTable = toml::from_str(TEXT).unwrap();
        assert!(table.provider.len() > 20);
    }

    #[test]
    fn every_provider_can_be_set_up_and_is_sourced() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/editors/configuration.md");
        let page = std::fs::read_to_string(page).unwrap();
        for (at, it) in TABLE.provider.iter().enumerate() {
            let id = &it.id;
            assert!(!TABLE.provider[..at].iter().any(|before| before.id == *id), "{id} is there twice");
            assert!(Wire::ALL.iter().any(|wire| wire.name() == it.wire), "{id}: {}", it.wire);
            assert_eq!(it.wire == "fim", it.about.starts_with("ghost text only"), "{id}");
            // VS Code truncates longer texts in its list.
            assert!(it.about.chars().count() <= 80, "{id}");
            let url = if it.base_url.is_empty() { &it.example } else { &it.base_url };
            assert_eq!(complete_url(url).as_ref(), Ok(url), "{id}");
            assert_eq!(it.is_local(), it.key_variable.is_none(), "{id}");
            assert!(it.key_page.starts_with("https://") && it.source.starts_with("https://"), "{id}");
            assert!(Day::parse(&it.noted).is_some(), "{id}");
            let name = it.name.split(' ').next().unwrap();
            assert!(it.is_hidden || it.id == OTHER || page.contains(name), "{id} is not on the page");
        }
    }

    #[test]
    fn every_model_has_a_price_or_it_is_said_why_not() {
        for it in &TABLE.provider {
            let is_priced = |model: &OfferedModel| {
                let has_own = model.price.is_some();
                has_own
                    || models::family(&model.name).is_some_and(|it| models::prices().contains_key(&it.prefix))
            };
            let priced: Vec<bool> = it.models.iter().map(is_priced).collect();
            assert_eq!(it.unpriced.is_some(), !priced.contains(&true), "{}: {priced:?}", it.id);
            let gears: Vec<&str> = it.models.iter().flat_map(|it| &it.gears).map(String::as_str).collect();
            assert!(gears.iter().all(|gear| ["fast", "deep"].contains(gear)), "{}: {gears:?}", it.id);
            assert!(it.models.is_empty() || gears.contains(&"fast"), "{}", it.id);
        }
    }

    #[test]
    fn place_is_known_by_its_host() {
        let check = |url: &str, expected: Option<&str>| {
            assert_eq!(of_url(url).map(|it| it.id.as_str()), expected, "{url}");
        };
        check("https://api.cerebras.ai/v1", Some("cerebras"));
        check("https://mine.openai.azure.com/openai/v1", Some("azure"));
        check("https://eu.cerebras.ai:443/v1", Some("cerebras"));
        check("https://notcerebras.ai/v1", None);
        check("http://127.0.0.1:11434/v1", None);
        check("nonsense", None);
    }

    #[test]
    fn price_is_the_one_of_the_place() {
        let input = |url: &str, model: &str| price(url, model).map(|it| it.input);
        assert_eq!(input("https://api.groq.com/openai/v1", "openai/gpt-oss-120b"), Some(0.15));
        assert_eq!(input("https://api.cerebras.ai/v1", "gpt-oss-120b"), Some(0.35));
        assert_eq!(input("https://llm.example.com/v1", "gpt-oss-120b"), None);
        let output = |url: &str| offered_model(url, "deepseek-flash").and_then(|it| it.output);
        assert_eq!(output("https://api.deepseek.com/beta"), Some(4_096));
        assert_eq!(output("https://api.deepseek.com/v1"), Some(393_216));
    }

    #[test]
    fn key_of_another_provider_is_known_by_its_prefix() {
        let check = |key: &str, url: &str, expected: Option<&str>| {
            assert_eq!(other_owner(key, url).map(|it| it.id.as_str()), expected, "{key} at {url}");
        };
        let openai = "https://api.openai.com/v1";
        check("sk-ant-canary", openai, Some("anthropic"));
        check("gsk_canary", openai, Some("groq"));
        check("xai-canary", openai, Some("xai"));
        check("AIzacanary", openai, Some("google"));
        check("sk-or-canary", openai, Some("openrouter"));
        check("sk-canary", openai, None);
        check("sk-proj-canary", openai, None);
        check("sk-ant-canary", "https://api.anthropic.com/v1", None);
        check("sk-ant-canary", "http://127.0.0.1:4000/v1", None);
        check("sk-ant-canary", "https://llm.example.com/v1", None);
    }
}
