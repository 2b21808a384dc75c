//! Which models there are, and how each is reached.

use std::path::PathBuf;
use std::time::Duration;

use super::limits::{HIDDEN_KEY_BYTES, HIDDEN_PART_BYTES};
use super::secret::Secret;
use super::template::Asker;
use super::token::Token;
use crate::text::Printable;

/// The models that may do one kind of work, the preferred one first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Role {
    /// Those that can be asked.
    pub candidates: Vec<Endpoint>,
    /// Those that cannot, and why: a key is missing, for example.
    pub left_out: Vec<LeftOut>,
    /// Time without a first token after which a second request is sent; `None` for never.
    pub hedge: Option<Duration>,
}

impl Role {
    /// Asks none of them, for this reason.
    pub(super) fn withhold(&mut self, why: &str) {
        let withheld = self.candidates.drain(..).map(|Endpoint { provider, model, .. }| LeftOut {
            provider,
            model,
            why: why.to_owned(),
            variable: None,
        });
        // Before what would not be asked anyway.
        self.left_out.splice(..0, withheld);
    }
}

/// A candidate that cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The provider's name in the configuration.
    pub provider: String,
    /// The model asked for.
    pub model: String,
    /// One clause for the user, without any key in it.
    pub why: String,
    /// The environment variable that has to be set, if that is all that is missing.
    pub variable: Option<String>,
}

/// One model of one provider, with all settings needed to reach it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Endpoint {
    /// The provider's name in the configuration, for messages.
    pub provider: String,
    /// How it is talked to.
    pub wire: Wire,
    /// The API's base, such as `https://api.openai.com/v1`.
    ///
    /// Holds neither user nor query, so that it can be shown; the wire adds its path ([`Endpoint::url`]).
    pub base_url: String,
    /// What is to follow the path in every URL, without the `?`. It may hold a key.
    pub query: Option<Secret>,
    /// The key, if the provider needs one.
    pub key: Option<Secret>,
    /// The token in the place of a key, if the provider gives such that end.
    pub token: Option<Token>,
    /// Further headers of every request. Each may be a key.
    pub headers: Vec<(String, Secret)>,
    /// What requests say of who asks.
    pub asker: Asker,
    /// The proxy to go through, `http://[user:password@]host:port`.
    ///
    /// From the configuration or from the environment (`HTTPS_PROXY`, `NO_PROXY` and so on): it is looked up
    /// once, here.
    pub proxy: Option<Secret>,
    /// PEM certificates to trust beside the usual ones.
    pub ca_file: Option<PathBuf>,
    /// Whether compression is offered for a WebSocket's messages.
    pub deflate: bool,
    /// The model asked for.
    pub model: String,
    /// How hard a reasoning model is to think, if set.
    pub reasoning_effort: Option<String>,
    /// The class of service asked for, if set.
    pub service_tier: Option<String>,
    /// Tokens that the model takes in and gives out together, if set.
    pub window: Option<u32>,
    /// How long the provider is to keep what it caches, if set.
    pub cache_ttl: Option<String>,
    /// How long an explicit request for ghost text waits, if set.
    pub wait: Option<Duration>,
    /// The form in which it predicts edits, if it was trained for that.
    pub edit_dialect: Option<EditDialect>,
}

impl Endpoint {
    /// Makes foreign text printable.
    ///
    /// Everything in it that may be a key of this endpoint becomes `***`.
    pub fn hide(&self, text: &str) -> Printable {
        let headers = self.headers.iter().map(|(_, value)| value);
        let tokens = self.token.as_ref().map(Token::secrets).unwrap_or_default();
        let secrets = self.key.iter().chain(&self.query).chain(&self.proxy).chain(headers).chain(&tokens);
        let hidden = secrets.fold(text.to_owned(), |text, secret| {
            let text = without(text, secret.expose(), HIDDEN_KEY_BYTES);
            // A quoted key may lack the scheme before it, the parameter's name, or the user's.
            let parts = secret.expose().split([' ', '&', '=', ':', '@', '/']);
            parts.fold(text, |text, part| without(text, part, HIDDEN_PART_BYTES))
        });
        hidden.into()
    }

    /// What figures of its answers are kept under: another model, place or effort has others.
    pub fn identity(&self) -> String {
        let Self { provider, base_url, model, reasoning_effort, service_tier, .. } = self;
        format!("{provider} {base_url} {model} {reasoning_effort:?} {service_tier:?}")
    }

    /// The URL of the API's `path`, which begins with `/`. For the wire: it may hold a key.
    pub fn url(&self, path: &str) -> Secret {
        let query = self.query.as_ref().map_or_else(String::new, |query| format!("?{}", query.expose()));
        Secret::new(format!("{}{path}{query}", self.base_url))
    }
}

fn without(text: String, secret: &str, shortest: usize) -> String {
    if secret.len() < shortest { text } else { text.replace(secret, "***") }
}

/// How a provider is talked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wire {
    /// The Responses API over WebSockets that are kept open.
    #[default]
    ResponsesWebsocket,
    /// The Responses API over HTTP with server-sent events.
    ResponsesSse,
    /// The Chat Completions API over HTTP with server-sent events.
    Chat,
    /// Anthropic's Messages API over HTTP with server-sent events.
    Anthropic,
    /// Fill in the middle, for completions alone.
    Fim(FimDialect),
}

impl Wire {
    /// One of each.
    pub const ALL: [Self; 5] = [
        Self::ResponsesWebsocket,
        Self::ResponsesSse,
        Self::Chat,
        Self::Anthropic,
        Self::Fim(FimDialect::Completions),
    ];

    /// The word for it in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ResponsesWebsocket => "responses-websocket",
            Self::ResponsesSse => "responses-sse",
            Self::Chat => "chat",
            Self::Anthropic => "anthropic",
            Self::Fim(_) => "fim",
        }
    }
}

/// The shape of a fill-in-the-middle request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename_all = "lowercase"))]
pub enum FimDialect {
    /// `/completions` with `prompt` and `suffix` (DeepSeek, Ollama, vLLM).
    #[default]
    Completions,
    /// `/infill` of llama.cpp's server.
    Infill,
    /// `/fim/completions` of Mistral.
    Mistral,
    /// `/completions` with what stands before the cursor alone, for models that know no fill-in-the-middle.
    Continuation,
}

/// The form of prompt and reply that a model was trained on to predict edits.
///
/// A form belongs to a model's weights, so the table of models knows it by the model's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
pub enum EditDialect {
    /// Zed's Zeta 2: the region between the marks of a conflict.
    #[serde(rename = "zeta2")]
    Zeta2,
    /// Zed's Zeta 2.1: the region in blocks with numbered marks.
    #[serde(rename = "zeta2.1")]
    Zeta21,
    /// Sweep's next-edit models: the region as it was, as it is, and as it will be.
    #[serde(rename = "sweep")]
    Sweep,
    /// Inception's Mercury Edit, over an endpoint of its own.
    #[serde(rename = "mercury")]
    Mercury,
}

impl EditDialect {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Zeta2, Self::Zeta21, Self::Sweep, Self::Mercury];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_what_may_be_a_key_in_a_providers_words() {
        let secret = |it: &str| Secret::new(it.to_owned());
        let endpoint = Endpoint {
            key: Some(secret("sk-canary/canary==")),
            query: Some(secret("v=1&api-key=canary-of-query")),
            headers: vec![("x".into(), secret("Basic canary-of-header")), ("y".into(), secret("on"))],
            proxy: Some(secret("http://me:canary-of-proxy@host:1")),
            ..Endpoint::default()
        };
        let check = |text: &str, expected: &str| assert_eq!(&*endpoint.hide(text), expected);
        check("no key like sk-canary/canary== on me", "no key like *** on me");
        check("api-key=canary-of-query; canary-of-query", "api-key=***; ***");
        check("v=1&api-key=canary-of-query", "***");
        check("Basic canary-of-header, canary-of-header", "***, ***");
        check("http://me:canary-of-proxy@host:1 canary-of-proxy", "*** ***");
        check("nothing of ours", "nothing of ours");
        check("\x1b[2J canary-of-header", r"\u{1b}[2J ***");
    }
}
