//! The identification of the requester, as configured by the user ([`RequesterInfo`](crate::config::RequesterInfo)).

use std::collections::BTreeMap;

use percent_encoding::{CONTROLS, utf8_percent_encode};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::http::Error as HttpError;

use super::Request;
use crate::config::token_answer::claim;
use crate::config::{Endpoint, Placeholder, Template, Wire};
use crate::text::random::random;

/// Returns a new random trace id.
pub fn trace() -> u128 {
    u128::from(random()) << 64 | u128::from(random())
}

/// The headers that identify the caller; without a request, only those that are the same for all requests.
pub(super) fn headers(endpoint: &Endpoint, request: Option<&Request>) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    for (name, template) in &endpoint.requester.headers {
        if let Some(text) = filled(template, endpoint, request) {
            // A user name may contain characters that headers do not allow.
            let text = utf8_percent_encode(&text, CONTROLS).to_string();
            let mut value = HeaderValue::from_str(&text)?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_bytes(name.as_bytes())?, value);
        }
    }
    Ok(headers)
}

/// The entries of the field `metadata` that identify the caller.
pub(super) fn metadata<'a>(endpoint: &'a Endpoint, request: &Request) -> BTreeMap<&'a str, String> {
    let all = endpoint.requester.metadata.iter();
    all.filter_map(|(name, template)| Some((name.as_str(), filled(template, endpoint, Some(request))?)))
        .collect()
}

/// The field `prompt_cache_key`, if configured.
pub(super) fn cache_key(endpoint: &Endpoint, request: &Request) -> Option<String> {
    filled(endpoint.requester.cache_key.as_ref()?, endpoint, Some(request))
}

/// Fills in a template; `None` if a placeholder needs a request or a team that is not given.
fn filled(template: &Template, endpoint: &Endpoint, request: Option<&Request>) -> Option<String> {
    template.filled(|placeholder| match placeholder {
        // Already filled in when the settings were read.
        Placeholder::User | Placeholder::Session => None,
        Placeholder::Team => team(endpoint),
        Placeholder::Job => Some(request?.job.to_owned()),
        Placeholder::File => Some(request?.cache_key.clone()),
        // W3C Trace Context §3.2: each attempt is a separate span.
        Placeholder::Traceparent => {
            let trace = Some(request?.trace).filter(|it| *it != 0).unwrap_or_else(trace);
            Some(format!("00-{trace:032x}-{:016x}-01", random().max(1)))
        }
    })
}

/// The user's team: as the token names it, else as the settings do.
fn team(endpoint: &Endpoint) -> Option<String> {
    let requester = &endpoint.requester;
    let claimed = requester.team_claim.as_ref().and_then(|name| {
        let issued = endpoint.token.as_ref().and_then(|it| it.known().issued.clone());
        let token = issued.map(|it| it.secret).or_else(|| endpoint.key.clone())?;
        claim(token.expose(), name)
    });
    claimed.or_else(|| requester.team.clone())
}

/// Settings of the requester without effect over the endpoint's wire, one clause each.
pub(super) fn ignored(endpoint: &Endpoint) -> Vec<String> {
    let mut ignored = Vec::new();
    let of_request =
        |it: &Placeholder| matches!(it, Placeholder::Job | Placeholder::File | Placeholder::Traceparent);
    if endpoint.wire == Wire::ResponsesWebsocket {
        let named = endpoint.requester.headers.iter();
        ignored.extend(named.filter(|(_, it)| it.placeholders().iter().any(of_request)).map(|(name, _)| {
            format!("the header `{name}` is left out on sockets, which have headers once: use `metadata`, or `wire = \"responses-sse\"`")
        }));
    }
    let is_code = matches!(endpoint.wire, Wire::Fim(_)) || endpoint.edit_dialect.is_some();
    if is_code && !endpoint.requester.metadata.is_empty() {
        ignored.push(format!("`metadata` is left out: {} is asked without it", endpoint.model));
    }
    if (is_code || endpoint.wire == Wire::Anthropic) && endpoint.requester.cache_key.is_some() {
        ignored.push(format!("`prompt_cache_key` is left out: {} is asked without it", endpoint.model));
    }
    ignored
}
