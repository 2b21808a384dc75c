//! The configured models, and how to reach each of them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::limits::{HIDDEN_KEY_BYTES, HIDDEN_PART_BYTES};
use super::secret::Secret;
use super::template::RequesterInfo;
use super::token::Token;
use crate::text::{Printable, named};

/// The models for one kind of work, the preferred one first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Role {
    /// Models that can be asked.
    pub candidates: Vec<Endpoint>,
    /// Models that cannot be asked, and why: a key is missing, for example.
    pub left_out: Vec<UnavailableCandidate>,
    /// Time without a first token after which a second request is sent; `None` for never.
    pub hedge: Option<Duration>,
}

impl Role {
    /// Leaves out all candidates, for this reason.
    pub(super) fn withhold(&mut self, why: &str) {
        let withheld = self.candidates.drain(..).map(|Endpoint { provider, model, .. }| {
            UnavailableCandidate { provider, model, why: why.to_owned(), variable: None }
        });
        // Before the candidates that were left out already.
        self.left_out.splice(..0, withheld);
    }
}

/// A candidate that cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnavailableCandidate {
    /// The provider's name in the configuration.
    pub provider: String,
    /// The requested model.
    pub model: String,
    /// One clause for the user, without any key in it.
    pub why: String,
    /// The environment variable to set, if it is all that is missing.
    pub variable: Option<String>,
}

/// One model of one provider, with all settings needed to reach it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Endpoint {
    /// The provider's name in the configuration, for messages.
    pub provider: String,
    /// The API and its transport.
    pub wire: Wire,
    /// The API's base, such as `https://api.openai.com/v1`.
    ///
    /// Contains neither user nor query, so that it can be shown; the wire adds its path ([`Endpoint::url`]).
    ///
    /// With [`Wire::Lsp`], the scheme `lsp:` and the name of the program, which nothing connects to.
    pub base_url: String,
    /// The command that starts the server, with [`Wire::Lsp`].
    pub command: Option<ServerCommand>,
    /// The query of every URL, without the `?`. It may contain a key.
    pub query: Option<Secret>,
    /// The key, if the provider needs one.
    pub key: Option<Secret>,
    /// A token used instead of a key, if the provider issues tokens that expire.
    pub token: Option<Token>,
    /// Further headers of every request. Each may be a key.
    pub headers: Vec<(String, Secret)>,
    /// Information about the requester that is sent with requests.
    pub requester: RequesterInfo,
    /// The proxy to go through, `http://[user:password@]host:port`.
    ///
    /// It comes from the configuration or from the environment (`HTTPS_PROXY`, `NO_PROXY` and so on), and is
    /// determined once, here.
    pub proxy: Option<Secret>,
    /// PEM certificates to trust in addition to the default ones.
    pub ca_file: Option<PathBuf>,
    /// Whether compression is offered for a WebSocket's messages.
    pub deflate: bool,
    /// The requested model.
    pub model: String,
    /// The effort of a reasoning model, if set.
    pub reasoning_effort: Option<String>,
    /// The requested service tier, if set.
    pub service_tier: Option<String>,
    /// The model's context window, input and output together, in tokens, if set.
    pub window: Option<u32>,
    /// How long the provider keeps its cache, if set.
    pub cache_ttl: Option<String>,
    /// How long an explicit request for ghost text waits, if set.
    pub wait: Option<Duration>,
    /// The form in which the model predicts edits, if it was trained for that.
    pub edit_dialect: Option<EditDialect>,
}

impl Endpoint {
    /// Makes foreign text printable.
    ///
    /// All parts of it that may be a key of this endpoint are replaced by `***`.
    pub fn hide(&self, text: &str) -> Printable {
        let headers = self.headers.iter().map(|(_, value)| value);
        let tokens = self.token.as_ref().map(Token::secrets).unwrap_or_default();
        let secrets = self.key.iter().chain(&self.query).chain(&self.proxy).chain(headers).chain(&tokens);
        let hidden = secrets.fold(text.to_owned(), |text, secret| {
            let text = without(text, secret.expose(), HIDDEN_KEY_BYTES);
            // A quoted key may lack its scheme, its parameter's name, or its user.
            let parts = secret.expose().split([' ', '&', '=', ':', '@', '/']);
            parts.fold(text, |text, part| without(text, part, HIDDEN_PART_BYTES))
        });
        hidden.into()
    }

    /// The key under which statistics of its answers are stored; it depends on model, URL and effort.
    pub fn identity(&self) -> String {
        let Self { provider, base_url, model, reasoning_effort, service_tier, .. } = self;
        format!("{provider} {base_url} {model} {reasoning_effort:?} {service_tier:?}")
    }

    /// The URL of the API's `path`, which begins with `/`. For requests only: it may contain a key.
    pub fn url(&self, path: &str) -> Secret {
        let query = self.query.as_ref().map_or_else(String::new, |query| format!("?{}", query.expose()));
        Secret::new(format!("{}{path}{query}", self.base_url))
    }
}

fn without(text: String, secret: &str, shortest: usize) -> String {
    if secret.len() < shortest { text } else { text.replace(secret, "***") }
}

/// A program that is a language server, its arguments, and the folder that it runs in.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerCommand {
    /// The program, and its arguments.
    pub words: Vec<String>,
    /// The folder of the configuration file: a program such as `npx` runs what the current folder names, which may
    /// be a project.
    pub folder: Option<PathBuf>,
    /// The environment variables that it does not get: those with keys of other providers.
    pub hidden_variables: Vec<String>,
}

impl ServerCommand {
    /// The name of the program, without its folder and its arguments, which may be secret.
    pub fn program(&self) -> String {
        let program = self.words.first().map(Path::new);
        let name = program.and_then(Path::file_name).unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

impl fmt::Debug for ServerCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.program())
    }
}

/// The API and the transport with which a provider is used.
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
    /// Fill in the middle, for completions only.
    Fim(FimDialect),
    /// A language server with `textDocument/inlineCompletion`, for completions only.
    Lsp,
}

impl Wire {
    /// All wires, with a default dialect.
    pub const ALL: [Self; 6] = [
        Self::ResponsesWebsocket,
        Self::ResponsesSse,
        Self::Chat,
        Self::Anthropic,
        Self::Fim(FimDialect::Completions),
        Self::Lsp,
    ];

    /// The wire's name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ResponsesWebsocket => "responses-websocket",
            Self::ResponsesSse => "responses-sse",
            Self::Chat => "chat",
            Self::Anthropic => "anthropic",
            Self::Fim(_) => "fim",
            Self::Lsp => "lsp",
        }
    }
}

named! {
    /// The shape of a fill-in-the-middle request.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    #[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename_all = "lowercase"))]
    pub enum FimDialect {
        /// `/completions` with `prompt` and `suffix` (DeepSeek, Ollama, vLLM).
        #[default]
        Completions = "completions",
        /// `/infill` of llama.cpp's server.
        Infill = "infill",
        /// `/fim/completions` of Mistral.
        Mistral = "mistral",
        /// `/completions` with only the text before the cursor, for models without fill-in-the-middle.
        Continuation = "continuation",
    }
}

named! {
    /// The form of prompt and reply that a model was trained on to predict edits.
    ///
    /// The form depends on a model's weights, so the table of models has it by the model's name.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum EditDialect {
        /// Zed's Zeta 2: the region between the marks of a conflict.
        Zeta2 = "zeta2",
        /// Zed's Zeta 2.1: the region in blocks with numbered marks.
        #[serde(rename = "zeta2.1")]
        Zeta21 = "zeta2.1",
        /// Sweep's next-edit models: the region as it was, as it is, and as it will be.
        Sweep = "sweep",
        /// Inception's Mercury Edit, over an endpoint of its own.
        Mercury = "mercury",
    }
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
