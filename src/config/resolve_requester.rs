//! Resolves the information about the requester from a provider's options.

use super::obstacle::Obstacle;
use super::options::{Header, Options, Provider};
use super::resolve_token::Variable;
use super::secret::Secret;
use super::template::{Placeholder, RequesterInfo, Template};

/// The maximum numbers of pairs in `metadata` (one of which may be a nonce), and of characters in a name and a
/// value: the limits of the [API](https://developers.openai.com/api/reference/resources/responses).
const PAIRS: usize = 15;
const NAME_CHARACTERS: usize = 64;
const VALUE_CHARACTERS: usize = 512;
/// The name of the nonce.
const NONCE: &str = "tandem";

/// Who asks, as far as that is known when the settings are read.
#[derive(Clone, Copy)]
pub(super) struct Asker<'a> {
    pub(super) variable: Variable<'a>,
    pub(super) team: Option<&'a String>,
    /// `None` where a session is not identified.
    pub(super) session: Option<&'a str>,
}

/// A provider's headers without placeholders, and the information about the requester in its requests.
///
/// `table` is the name of its table in the settings.
pub(super) fn requester(
    table: &str,
    provider: &Provider,
    asker: Asker<'_>,
) -> Result<(Vec<(String, Secret)>, RequesterInfo), Obstacle> {
    let variable = asker.variable;
    let mistake = |what: &str| Obstacle::mistake(format!("{table}.{what}"));
    let has_team = asker.team.is_some() || provider.team_claim.is_some();
    let template = |setting: &str, text: &Secret| {
        let mut template = Template::new(text.clone()).map_err(|why| mistake(&format!("{setting} {why}")))?;
        for placeholder in template.placeholders() {
            template = match placeholder {
                Placeholder::User => template.with(placeholder, &user(variable)?),
                Placeholder::Session => match asker.session {
                    Some(session) => template.with(placeholder, session),
                    None => template,
                },
                Placeholder::Team if !has_team => {
                    let why =
                        "has {team}, and no team is known: set `bill.team`, or the provider's `team_claim`";
                    return Err(mistake(&format!("{setting} {why}")));
                }
                Placeholder::Team | Placeholder::Job | Placeholder::File | Placeholder::Traceparent => {
                    template
                }
            };
        }
        Ok(template)
    };
    let mut headers = Vec::new();
    let (team, team_claim) = (asker.team.cloned(), provider.team_claim.clone());
    let mut requester = RequesterInfo { team, team_claim, ..RequesterInfo::default() };
    for (name, value) in &provider.headers {
        let setting = format!("headers.{name}");
        // RFC 9110 §5.6.2 and §5.5.
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(token) {
            return Err(mistake("headers contains an invalid name"));
        }
        let text = match value {
            // The defect was reported when the value was read.
            None => continue,
            Some(Header::Text(text)) => text.clone(),
            Some(Header::Variable(variable_name)) => Secret::new(
                variable(variable_name).ok_or_else(|| Obstacle::unset(&setting, variable_name, "header"))?,
            ),
        };
        if !text.expose().bytes().all(|byte| byte == b'\t' || (byte >= b' ' && byte != 127)) {
            return Err(mistake(&format!("{setting} has a character that no header has")));
        }
        match value {
            Some(Header::Text(_)) if Template::is_one(&text) => {
                requester.headers.push((name.clone(), template(&setting, &text)?));
            }
            _ => headers.push((name.clone(), text)),
        }
    }
    let length = |text: &str| text.chars().count();
    if provider.metadata.len() > PAIRS {
        return Err(mistake(&format!("metadata has more than {PAIRS} entries")));
    }
    for (name, value) in &provider.metadata {
        let setting = format!("metadata.{name}");
        if name == NONCE || length(name) > NAME_CHARACTERS {
            return Err(mistake(&format!("{setting} is a name of Tandem's own, or too long")));
        }
        let template = match value {
            None => continue,
            Some(Header::Text(text)) => template(&setting, text)?,
            Some(Header::Variable(name)) => {
                let value = variable(name).ok_or_else(|| Obstacle::unset(&setting, name, "value"))?;
                Template::verbatim(Secret::new(value))
            }
        };
        if template.filled(|_| Some(String::new())).is_some_and(|text| length(&text) > VALUE_CHARACTERS) {
            return Err(mistake(&format!("{setting} has more than {VALUE_CHARACTERS} characters")));
        }
        requester.metadata.push((name.clone(), template));
    }
    let key = provider.prompt_cache_key.clone().map(Secret::new);
    requester.cache_key = key.map(|it| template("prompt_cache_key", &it)).transpose()?;
    Ok((headers, requester))
}

/// The user's team.
pub(super) fn team(options: &Options) -> Option<&String> {
    options.bill.team.as_ref().or(options.budget.lease.team.as_ref())
}

/// The name of the user's account.
pub(super) fn user(variable: Variable<'_>) -> Result<String, Obstacle> {
    let names = ["USER", "LOGNAME", "USERNAME"].into_iter();
    let name = names.filter_map(variable).find(|it| !it.trim().is_empty());
    name.ok_or_else(|| Obstacle::unset("user", "USER", "name for {user}"))
}
