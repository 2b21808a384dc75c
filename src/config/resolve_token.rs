//! Resolves a provider's source of tokens from its options.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::key::{KeyCommand, NO_KEY_HAS, is_key};
use super::network::BaseUrl;
use super::obstacle::Obstacle;
use super::options::{CommandLine, Provider, TokenExchange as Written};
use super::secret::Secret;
use super::token::{SubjectToken, TokenExchange, TokenSource};

/// The default kind of a token: the one that identity providers issue (RFC 8693 §3).
const JWT: &str = "urn:ietf:params:oauth:token-type:jwt";

pub(super) type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The source of a provider's tokens; `None` if it uses none.
pub(super) fn token_source(
    name: &str,
    provider: &Provider,
    environment: Environment<'_>,
    proxy: &dyn Fn(&BaseUrl) -> Result<Option<String>, String>,
    ca_file: Option<&Path>,
) -> Result<Option<TokenSource>, Obstacle> {
    let has_key = provider.api_key_env.is_some() || provider.api_key_command.is_some();
    let set = [
        ("a key", has_key),
        ("`token_command`", provider.token_command.is_some()),
        ("`token_exchange`", provider.token_exchange.is_some()),
    ];
    let set: Vec<&str> = set.into_iter().filter_map(|(name, is_set)| is_set.then_some(name)).collect();
    if let [one, other, ..] = set[..] {
        return Err(Obstacle::mistake(format!("providers.{name} has {one} and {other}; remove one of them")));
    }
    if let Some(CommandLine(command)) = &provider.token_command {
        return Ok(Some(TokenSource::Command(KeyCommand::new(command.clone()))));
    }
    let Some(exchange) = &provider.token_exchange else { return Ok(None) };
    let mistake = |what: &str| Obstacle::mistake(format!("providers.{name}.token_exchange{what}"));
    let url = exchange.url.as_ref().ok_or_else(|| mistake(" has no `url`"))?;
    let url = BaseUrl::parse(url.expose()).map_err(|why| mistake(&format!(".url {why}")))?;
    let is_safe = url.base.starts_with("https:") || url.is_local() && url.base.starts_with("http:");
    if !is_safe {
        return Err(mistake(".url must begin with https://: your token would go there in the clear"));
    }
    let subject = match (&exchange.subject_token_file, &exchange.subject_token_env) {
        (Some(path), None) => SubjectToken::File(environment.absolute(path)),
        (None, Some(name)) => {
            SubjectToken::Text(value("subject_token_env", name, "token", environment.variable)?)
        }
        _ => return Err(mistake(" needs one of `subject_token_file` and `subject_token_env`")),
    };
    let (headers, parameters) = client(exchange, environment.variable)?;
    let proxy = proxy(&url).map_err(Obstacle::mistake)?;
    Ok(Some(TokenSource::Exchange(Box::new(TokenExchange {
        url: url.base,
        query: url.query.map(Secret::new),
        proxy: proxy.map(Secret::new),
        ca_file: ca_file.map(Path::to_owned),
        subject,
        subject_type: exchange.subject_token_type.clone().unwrap_or_else(|| JWT.to_owned()),
        is_json: exchange.json.unwrap_or(false),
        parameters,
        headers,
    }))))
}

type Headers = Vec<(String, Secret)>;

/// The headers and parameters of an exchange, including the client's authentication (RFC 6749 §2.3.1).
fn client(
    exchange: &Written,
    variable: Variable<'_>,
) -> Result<(Headers, BTreeMap<String, String>), Obstacle> {
    let written = exchange.parameters.iter();
    let mut parameters: BTreeMap<String, String> =
        written.filter_map(|(name, value)| Some((name.clone(), value.clone()?))).collect();
    let named = [("audience", &exchange.audience), ("scope", &exchange.scope)];
    parameters.extend(named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))));
    let mut headers = Vec::new();
    match (&exchange.client_id, &exchange.client_secret_env) {
        (Some(id), Some(name)) => {
            let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
            let secret = value("client_secret_env", name, "secret", variable)?;
            let user = format!("{}:{}", encoded(id), encoded(secret.expose()));
            let basic = format!("Basic {}", BASE64_STANDARD.encode(user));
            headers.push(("Authorization".to_owned(), Secret::new(basic)));
        }
        (Some(id), None) => drop(parameters.insert("client_id".to_owned(), id.clone())),
        (None, Some(_)) => return Err(Obstacle::mistake("`client_secret_env` needs a `client_id`")),
        (None, None) => {}
    }
    Ok((headers, parameters))
}

/// The value of the environment variable that a setting names, sent in requests.
fn value(setting: &str, name: &str, what: &str, variable: Variable<'_>) -> Result<Secret, Obstacle> {
    let value = variable(name).map(|it| it.trim().to_owned()).filter(|it| !it.is_empty());
    let value = value.ok_or_else(|| Obstacle::unset(setting, name, what))?;
    if !is_key(&value) {
        return Err(Obstacle::mistake(format!("the {what} in {name} has {NO_KEY_HAS}")));
    }
    Ok(Secret::new(value))
}

/// What values in a configuration file refer to.
#[derive(Clone, Copy)]
pub(super) struct Environment<'a> {
    /// The folder of the file, if there is one.
    pub(super) folder: Option<&'a Path>,
    /// Looks up an environment variable.
    pub(super) variable: Variable<'a>,
}

impl Environment<'_> {
    /// A path in the file: relative to that file, or below `~`.
    pub(super) fn absolute(self, path: &Path) -> PathBuf {
        if let (Ok(rest), Some(home)) = (path.strip_prefix("~"), (self.variable)("HOME")) {
            return Path::new(&home).join(rest);
        }
        self.folder.map_or_else(|| path.to_owned(), |folder| folder.join(path))
    }
}
