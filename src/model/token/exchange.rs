//! Exchanges one token for another at a token endpoint (RFC 8693).

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::config::token_answer::{self, TokenAnswer};
use crate::config::{Endpoint, NO_KEY_HAS, Secret, SubjectToken, TokenExchange, is_key};
use crate::disk::{self, Links};
use crate::model::http::client::{once, whole, words};
use crate::model::limits::{TOKEN_BYTES, TOKEN_WITHIN};

/// RFC 8693 §2.1.
const GRANT: &str = "urn:ietf:params:oauth:grant-type:token-exchange";

/// Requests a token. The error is one clause, with a remedy.
pub(super) async fn fetch(exchange: &TokenExchange) -> Result<TokenAnswer, String> {
    let subject = subject(&exchange.subject).await?;
    let endpoint = Endpoint {
        provider: "the token endpoint".to_owned(),
        base_url: exchange.url.clone(),
        query: exchange.query.clone(),
        proxy: exchange.proxy.clone(),
        ca_file: exchange.ca_file.clone(),
        headers: exchange.headers.clone(),
        ..Endpoint::default()
    };
    // It is not sent as a key, but redacted like one.
    let hidden = Endpoint { key: Some(subject.clone()), ..endpoint.clone() };
    let client = once(&endpoint).await.map_err(|error| error.to_string())?;
    let (kind, body) = body(exchange, &subject);
    let sending = client
        .post(endpoint.url("").expose())
        .header(CONTENT_TYPE, kind)
        .header(ACCEPT, "application/json")
        .body(body);
    let asking = async {
        let response = sending.send().await?;
        Ok((response.status(), whole(response).await?))
    };
    let url = &exchange.url;
    let (status, body) = match timeout(TOKEN_WITHIN, asking).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            let why = hidden.hide(&words(error)).into_string();
            return Err(format!("{url} cannot be reached: {why}; check the network"));
        }
        Err(_) => return Err(format!("{url} did not answer within {} s", TOKEN_WITHIN.as_secs())),
    };
    let body = String::from_utf8_lossy(&body);
    if !status.is_success() {
        return Err(hidden.hide(&refusal(url, status, &body)).into_string());
    }
    token_answer::read(&body).map_err(|what| format!("{url} {what}; is it the token endpoint?"))
}

/// The current subject token.
async fn subject(subject: &SubjectToken) -> Result<Secret, String> {
    let path = match subject {
        SubjectToken::Text(token) => return Ok(token.clone()),
        SubjectToken::File(path) => path.clone(),
    };
    let shown = path.display().to_string();
    let read = tokio::task::spawn_blocking(move || disk::text(&path, TOKEN_BYTES, Links::Follow)).await;
    let text = read.map_err(|panic| panic.to_string())?;
    let text = text.map_err(|why| format!("{shown} cannot be read: {why}; sign in, or correct the path"))?;
    match text.trim() {
        "" => Err(format!("{shown} is empty; sign in again")),
        token if is_key(token) => Ok(Secret::new(token.to_owned())),
        _ => Err(format!("{shown} holds no token: it has {NO_KEY_HAS}")),
    }
}

/// The content type and the body of a request.
fn body(exchange: &TokenExchange, subject: &Secret) -> (&'static str, String) {
    let own = [
        ("grant_type", GRANT),
        ("subject_token", subject.expose()),
        ("subject_token_type", &exchange.subject_type),
    ];
    let others = exchange.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let all = own.into_iter().chain(others);
    if exchange.is_json {
        let fields: Map<String, Value> = all.map(|(name, value)| (name.to_owned(), value.into())).collect();
        return ("application/json", Value::Object(fields).to_string());
    }
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let pairs: Vec<String> =
        all.map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    ("application/x-www-form-urlencoded", pairs.join("&"))
}

/// The error of a token endpoint (RFC 6749 §5.2), in one clause.
fn refusal(url: &str, status: StatusCode, body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let error = text(&body["error"]).or_else(|| text(&body["error"]["message"]));
    let said: Vec<String> = error.into_iter().chain(text(&body["error_description"])).collect();
    let said = if said.is_empty() { String::new() } else { format!(": {}", said.join(": ")) };
    let step = match status.as_u16() {
        // An expired token, a token for another audience, or an unknown client.
        400..=403 => "sign in again, and check `token_exchange`",
        404 => "correct the `url` of `token_exchange`",
        _ => "it is asked again soon",
    };
    format!("{url} gave none ({status}){said}; {step}")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[test]
    fn request_is_a_form_or_json() {
        let check = |is_json: bool, expect: Expect| {
            let exchange = TokenExchange {
                url: String::new(),
                query: None,
                proxy: None,
                ca_file: None,
                subject: SubjectToken::File("x".into()),
                subject_type: "urn:ietf:params:oauth:token-type:jwt".to_owned(),
                is_json,
                parameters: [("audience", "https://a/?b&c"), ("scope", "read write")]
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .into(),
                headers: Vec::new(),
            };
            let (kind, body) = body(&exchange, &Secret::new("e.y=+".to_owned()));
            expect.assert_eq(&format!("{kind}\n{}", body.replace('&', "\n&")));
        };
        check(
            false,
            expect![[r#"
                application/x-www-form-urlencoded
                grant%5Ftype=urn%3Aietf%3Aparams%3Aoauth%3Agrant%2Dtype%3Atoken%2Dexchange
                &subject%5Ftoken=e%2Ey%3D%2B
                &subject%5Ftoken%5Ftype=urn%3Aietf%3Aparams%3Aoauth%3Atoken%2Dtype%3Ajwt
                &audience=https%3A%2F%2Fa%2F%3Fb%26c
                &scope=read%20write"#]],
        );
        check(
            true,
            expect![[r#"
                application/json
                {"audience":"https://a/?b
                &c","grant_type":"urn:ietf:params:oauth:grant-type:token-exchange","scope":"read write","subject_token":"e.y=+","subject_token_type":"urn:ietf:params:oauth:token-type:jwt"}"#]],
        );
    }

    #[test]
    fn refusal_is_told_with_what_to_do() {
        let check = |status: u16, body: &str, expect: Expect| {
            expect.assert_eq(&refusal("https://id.test/token", StatusCode::from_u16(status).unwrap(), body));
        };
        check(
            400,
            r#"{"error": "invalid_grant", "error_description": "The token has expired"}"#,
            expect![
                "https://id.test/token gave none (400 Bad Request): invalid_grant: The token has expired; sign in again, and check `token_exchange`"
            ],
        );
        check(
            404,
            "<html>",
            expect!["https://id.test/token gave none (404 Not Found); correct the `url` of `token_exchange`"],
        );
        check(
            503,
            r#"{"error": {"message": "busy"}}"#,
            expect![
                "https://id.test/token gave none (503 Service Unavailable): busy; it is asked again soon"
            ],
        );
    }
}
