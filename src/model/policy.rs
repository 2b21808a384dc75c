//! Fetches a company's policy over HTTP, in the background: no request waits for it.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{ETAG, IF_NONE_MATCH};
use tokio::time::timeout;

use super::http::client::{once, words};
use super::limits::{MESSAGE_CHARACTERS, POLICY_WITHIN};
use crate::config::policy::{POLICY_AGAIN, PolicyAnswer, PolicyFiles, PolicyQuestion};
use crate::text::random::random_share;
use crate::text::words::plain_error;

/// The time between two fetches of a policy.
pub const POLICY_PAUSE: Duration = Duration::from_secs(60 * 60);

/// Fetches the policy of this machine and notes the answer, unless that was done within `pause`. Returns the time until
/// the next fetch.
pub async fn refresh(files: &PolicyFiles, pause: Duration) -> Duration {
    // The fetches of many machines that start together spread.
    let next = POLICY_PAUSE.mul_f64(0.75 + random_share() / 2.0);
    let asked = files.clone();
    let variable = |name: &str| std::env::var(name).ok();
    let question = tokio::task::spawn_blocking(move || asked.question(pause, &variable)).await;
    let Ok(Some(question)) = question else { return next };
    let answer = fetch(&question).await;
    let is_good = matches!(answer, PolicyAnswer::New(..) | PolicyAnswer::Same);
    let files = files.clone();
    match tokio::task::spawn_blocking(move || files.note(&question, answer)).await {
        Ok(Ok(())) if is_good => next,
        Ok(Ok(())) => POLICY_AGAIN,
        Ok(Err(error)) => {
            tracing::error!(%error, "the company's policy cannot be kept in the state folder");
            POLICY_AGAIN
        }
        Err(panic) => {
            tracing::error!(%panic, "the policy was not read");
            POLICY_AGAIN
        }
    }
}

/// Asks the policy's server, within ten seconds and a limit of bytes.
async fn fetch(question: &PolicyQuestion) -> PolicyAnswer {
    let endpoint = &question.endpoint;
    let away = |why: &str| {
        let why = endpoint.hide(&plain_error(why));
        PolicyAnswer::Away(why.shortened(MESSAGE_CHARACTERS).into_string())
    };
    let client = match once(endpoint).await {
        Ok(client) => client,
        Err(error) => return away(&error.to_string()),
    };
    let mut asking = client.get(endpoint.url("").expose());
    if let Some(etag) = &question.etag {
        asking = asking.header(IF_NONE_MATCH, etag);
    }
    match timeout(POLICY_WITHIN, answer(asking, question)).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => away(&format!("its server cannot be reached: {}", words(error))),
        Err(_) => away(&format!("its server did not answer within {} s", POLICY_WITHIN.as_secs())),
    }
}

/// Reads an answer. RFC 9110 §13.1.2: one with the same entity tag has no body.
async fn answer(
    asking: reqwest::RequestBuilder,
    question: &PolicyQuestion,
) -> Result<PolicyAnswer, reqwest::Error> {
    let mut response = asking.send().await?;
    match response.status() {
        StatusCode::OK => {}
        StatusCode::NOT_MODIFIED if question.etag.is_some() => return Ok(PolicyAnswer::Same),
        status => return Ok(PolicyAnswer::Away(format!("its server answers {status}"))),
    }
    let etag = response.headers().get(ETAG).and_then(|it| it.to_str().ok()).map(str::to_owned);
    let too_long = || PolicyAnswer::Unfit(format!("it has more than {} KiB", question.most >> 10));
    if response.content_length().is_some_and(|length| length > question.most as u64) {
        return Ok(too_long());
    }
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await? {
        body.extend_from_slice(&bytes);
        if body.len() > question.most {
            return Ok(too_long());
        }
    }
    Ok(match String::from_utf8(body) {
        Ok(text) => PolicyAnswer::New(text, etag),
        Err(_) => PolicyAnswer::Unfit("it is not UTF-8 text".to_owned()),
    })
}
