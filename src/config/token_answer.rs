//! Parses a token from the output of a command or the answer of a token endpoint, in these common formats.
//!
//! * RFC 6749 §5.1 and RFC 8693 §2.2.1: `access_token`, `expires_in` in seconds.
//! * Kubernetes' [`ExecCredential`](https://kubernetes.io/docs/reference/config-api/client-authentication.v1/):
//!   `status.token`, `status.expirationTimestamp`.
//! * `gcloud config config-helper --format=json`: `credential.access_token`, `credential.token_expiry`.
//! * `az account get-access-token`: `accessToken`, `expires_on` in seconds since 1970. Its `expiresOn` is a local
//!   time without its zone, so it is not read.
//! * `token` with `expiry` or `expires_at`, as many small tools print it.
//! * A line of text.
//!
//! If no expiry is given, that of a JSON Web Token is in the token itself (`exp`, RFC 7519 §4.1.4).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::Value;
use toml::value::{Datetime, Offset};

use super::key::{NO_KEY_HAS, is_key};
use super::limits::NAME_BYTES;
use super::secret::Secret;
use crate::text::Day;

/// A parsed token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenAnswer {
    /// The token itself.
    pub token: Secret,
    /// When the token expires.
    pub end: TokenEnd,
}

/// The expiry of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenEnd {
    /// A period after the token was received, independent of this machine's clock.
    After(Duration),
    /// A time by the clock of its issuer.
    At(SystemTime),
    /// The expiry is not known.
    Unknown,
}

/// JSON pointers to the token, the most specific first.
const TOKENS: [&str; 5] =
    ["/access_token", "/accessToken", "/status/token", "/credential/access_token", "/token"];
/// JSON pointers to the seconds for which the token is valid.
const SECONDS: [&str; 2] = ["/expires_in", "/expiresIn"];
/// JSON pointers to the time at which the token expires.
const TIMES: [&str; 7] = [
    "/expires_on",
    "/expires_at",
    "/expiresAt",
    "/expiry",
    "/expiration",
    "/status/expirationTimestamp",
    "/credential/token_expiry",
];

/// Parses the output or answer.
///
/// # Errors
///
/// The defect, in a clause that follows the name of its source. Nothing is quoted: it may be a token.
pub fn read(text: &str) -> Result<TokenAnswer, String> {
    let text = text.trim();
    let (token, end) = match serde_json::from_str::<Value>(text) {
        Ok(Value::String(token)) => (token, TokenEnd::Unknown),
        Ok(answer @ (Value::Object(_) | Value::Array(_))) => {
            let token = TOKENS.iter().find_map(|name| answer.pointer(name)?.as_str());
            let token = token.ok_or("gave JSON without an `access_token` or a `token`")?;
            (token.to_owned(), end(&answer)?)
        }
        // A token may consist of digits.
        _ => {
            let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let token = lines.next().unwrap_or_default().to_owned();
            if lines.next().is_some() {
                return Err("gave several lines, which are no JSON; a token is one line".to_owned());
            }
            (token, TokenEnd::Unknown)
        }
    };
    let token = token.trim();
    if token.is_empty() {
        return Err("gave no token".to_owned());
    }
    if token.starts_with('<') {
        return Err("gave no token: it is a page".to_owned());
    }
    if !is_key(token) {
        return Err(format!("gave no token: it has {NO_KEY_HAS}"));
    }
    let end = if end == TokenEnd::Unknown { web_token_end(token) } else { end };
    Ok(TokenAnswer { token: Secret::new(token.to_owned()), end })
}

/// The expiry given in JSON.
fn end(answer: &Value) -> Result<TokenEnd, String> {
    let named = |names: &[&'static str]| {
        names.iter().find_map(|name| Some((*name, answer.pointer(name).filter(|it| !it.is_null())?)))
    };
    let (name, end) = match (named(&SECONDS), named(&TIMES)) {
        // A token that has expired already is tried nevertheless.
        (Some((name, seconds)), _) => (name, number(seconds).map(TokenEnd::After)),
        (None, Some((name, time))) => (name, time_of(time).map(TokenEnd::At)),
        (None, None) => return Ok(TokenEnd::Unknown),
    };
    end.ok_or_else(|| format!("gave a token whose `{}` is no time", name.replace('/', ".").trim_matches('.')))
}

/// A number of seconds, which some issuers write as a string.
fn number(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::String(text) => text.trim().parse().ok()?,
        value => value.as_f64()?,
    };
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

/// A time: seconds since 1970, or in RFC 3339 format.
fn time_of(value: &Value) -> Option<SystemTime> {
    match number(value) {
        Some(seconds) => UNIX_EPOCH.checked_add(seconds),
        None => rfc_3339(value.as_str()?),
    }
}

/// Parses `2026-11-26T22:13:10.5+01:00`, to the second. `None` without a zone: local times are ambiguous.
pub(super) fn rfc_3339(text: &str) -> Option<SystemTime> {
    let Datetime { date: Some(date), time: Some(time), offset: Some(offset) } = text.trim().parse().ok()?
    else {
        return None;
    };
    let Day(days) = Day::parse(&date.to_string())?;
    let minutes = (days * 24 + u64::from(time.hour)) * 60 + u64::from(time.minute);
    let ahead = match offset {
        Offset::Z => 0,
        Offset::Custom { minutes } => i64::from(minutes),
    };
    let seconds = minutes.checked_add_signed(-ahead)? * 60 + u64::from(time.second.unwrap_or_default());
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// The expiry in a JSON Web Token. The token is not verified: that is up to its recipients.
fn web_token_end(token: &str) -> TokenEnd {
    let end = claims(token).and_then(|it| number(&it["exp"])).and_then(|it| UNIX_EPOCH.checked_add(it));
    end.map_or(TokenEnd::Unknown, TokenEnd::At)
}

/// The claims of a JSON Web Token.
fn claims(token: &str) -> Option<Value> {
    let claims = token.split('.').nth(1).and_then(|it| BASE64_URL_SAFE_NO_PAD.decode(it).ok());
    serde_json::from_slice(&claims?).ok()
}

/// The text of a claim, or the first of its texts; `name` is its name, or a JSON pointer to it.
///
/// A text that is too long for a name does not count.
pub fn claim(token: &str, name: &str) -> Option<String> {
    let claims = claims(token)?;
    let claim = if name.starts_with('/') { claims.pointer(name) } else { claims.get(name) }?;
    let text = claim.as_array().and_then(|it| it.first()).unwrap_or(claim).as_str()?.trim();
    Some(text.to_owned()).filter(|it| (1..=NAME_BYTES).contains(&it.len()))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(texts: &[&str], expect: Expect) {
        let shown = |text: &&str| match read(text) {
            Err(why) => format!("{why}\n"),
            Ok(TokenAnswer { token, end }) => {
                let end = match end {
                    TokenEnd::After(after) => format!("after {} s", after.as_secs()),
                    TokenEnd::At(at) => format!("at {}", at.duration_since(UNIX_EPOCH).unwrap().as_secs()),
                    TokenEnd::Unknown => "unknown".to_owned(),
                };
                format!("{} ends {end}\n", token.expose())
            }
        };
        expect.assert_eq(&texts.iter().map(shown).collect::<String>());
    }

    #[test]
    fn the_shapes_of_the_field_are_read() {
        check(
            &[
                "opaque-1\n",
                "\n  \"quoted\"  ",
                "12345678",
                r#"{"access_token": "a", "token_type": "Bearer", "expires_in": 3600}"#,
                r#"{"access_token": "a", "expires_in": "3599", "expires_at": 1}"#,
                r#"{"token": "t", "expiry": "2026-11-26T22:13:10Z"}"#,
                r#"{"token": "t", "expires_at": "2026-11-26T22:13:10.123456789+01:00"}"#,
                r#"{"token": "t", "expiration": "2026-11-26 22:13:10-08:30"}"#,
                r#"{"token": "t", "expires_at": null}"#,
                r#"{"accessToken": "z", "expiresOn": "2026-11-26 23:13:10.000000", "expires_on": 1795731190}"#,
                r#"{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "spec": {},
                    "status": {"token": "k", "expirationTimestamp": "2026-11-26T22:13:10Z"}}"#,
                r#"{"configuration": {}, "credential": {"access_token": "g", "token_expiry": "2026-11-26T22:13:10Z"}}"#,
            ],
            expect![[r#"
                opaque-1 ends unknown
                quoted ends unknown
                12345678 ends unknown
                a ends after 3600 s
                a ends after 3599 s
                t ends at 1795731190
                t ends at 1795727590
                t ends at 1795761790
                t ends unknown
                z ends at 1795731190
                k ends at 1795731190
                g ends at 1795731190
            "#]],
        );
    }

    #[test]
    fn a_web_token_says_itself_when_it_ends() {
        let claims = BASE64_URL_SAFE_NO_PAD.encode(r#"{"sub": "me", "exp": 1795731190}"#);
        let (token, other) = (format!("eyJh.{claims}.sig"), format!("a.{}.c", &claims[2..]));
        check(
            &[
                &token,
                &format!(r#"{{"accessToken": "{token}", "expiresOn": "2026-11-26 23:13:10"}}"#),
                &other,
            ],
            expect![[r#"
                eyJh.eyJzdWIiOiAibWUiLCAiZXhwIjogMTc5NTczMTE5MH0.sig ends at 1795731190
                eyJh.eyJzdWIiOiAibWUiLCAiZXhwIjogMTc5NTczMTE5MH0.sig ends at 1795731190
                a.JzdWIiOiAibWUiLCAiZXhwIjogMTc5NTczMTE5MH0.c ends unknown
            "#]],
        );
    }

    #[test]
    fn claim_is_a_text_of_a_web_token() {
        let claims =
            r#"{"team": " core ", "groups": ["a", "b"], "realm": {"team": "x"}, "n": 1, "none": []}"#;
        let token = format!("eyJh.{}.sig", BASE64_URL_SAFE_NO_PAD.encode(claims));
        let named = ["team", "groups", "/realm/team", "realm", "n", "none", "other"];
        let found: Vec<String> = named.map(|it| claim(&token, it).unwrap_or_default()).into();
        assert_eq!(found.join(" "), "core a x    ");
        assert_eq!(claim("opaque", "team"), None);
        let long = BASE64_URL_SAFE_NO_PAD.encode(format!("{{\"team\": \"{}\"}}", "x".repeat(NAME_BYTES + 1)));
        assert_eq!(claim(&format!("a.{long}.c"), "team"), None);
    }

    #[test]
    fn rubbish_is_named_and_not_quoted() {
        check(
            &[
                "",
                "{}",
                "[\"canary\"]",
                "canary with blanks",
                "Enter the canary:\nPassword:\n",
                r#"{"error": "canary"}"#,
                r#"{"access_token": ""}"#,
                r#"{"access_token": "canary\nX-Other: 1"}"#,
                r#"{"token": "canary", "expiry": "soon"}"#,
                r#"{"token": "canary", "expiry": "2026-11-26T22:13:10"}"#,
                r#"{"token": "canary", "expires_in": -1}"#,
                r#"{"token": "canary", "expires_in": 1e300}"#,
            ],
            expect![[r#"
                gave no token
                gave JSON without an `access_token` or a `token`
                gave JSON without an `access_token` or a `token`
                gave no token: it has a blank or another character that no key has
                gave several lines, which are no JSON; a token is one line
                gave JSON without an `access_token` or a `token`
                gave no token
                gave no token: it has a blank or another character that no key has
                gave a token whose `expiry` is no time
                gave a token whose `expiry` is no time
                canary ends after 0 s
                gave a token whose `expires_in` is no time
            "#]],
        );
    }
}
