//! Probes whether a model would answer: with the provider's list of models, which is free, or with
//! a tiny request.

use std::time::{Duration, SystemTime};

use futures_util::StreamExt as _;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;
use tokio::time::{Instant, timeout};

use super::error_kind::Refusal;
use super::http::client::{self, with_token, words};
use super::identity::is_same;
use super::limits::{LIST_TIMEOUT, MEASURED_TOKENS, PROBE_TIMEOUT, PROBE_TOKENS};
use super::speed::{ObservedTimes, Speed};
use super::{
    Chunk, ChunkStream, Claim, EditPrompt, Fim, Model, ModelError, Pace, Request, Urgency, Usage, capability,
    token,
};
use crate::config::{EditDialect, Endpoint, Issued, Wire};
use crate::text::Day;
use crate::text::random::random_id;

/// The job of the requests here, for statistics.
pub const JOB: &str = "probe";

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

/// The result of looking for a model on a provider's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The model is listed, with this entry.
    Listed(ListedModel),
    /// There is a list without the model.
    NotListed,
    /// The server answers, but has no list.
    NoList,
    /// The server cannot be reached.
    Unreachable(ModelError),
}

/// Looks for the endpoint's model on its provider's list, `GET …/models`.
pub async fn list(endpoint: &Endpoint) -> Finding {
    match listed(endpoint).await {
        // An empty list is not conclusive.
        Ok(Listing::Models(models)) if models.is_empty() => Finding::NoList,
        Ok(Listing::Models(models)) => {
            let found = models.into_iter().find(|it| is_same(&endpoint.model, &it.name));
            found.map_or(Finding::NotListed, Finding::Listed)
        }
        // Only a request shows whether the model itself refuses.
        Ok(Listing::None | Listing::Refused(_)) => Finding::NoList,
        Err(error) => Finding::Unreachable(error),
    }
}

/// Returns the names of the models that the endpoint's provider lists; `None` if it has no list.
///
/// # Errors
///
/// The server cannot be reached, or refuses the key.
pub async fn models(endpoint: &Endpoint) -> Result<Option<Vec<String>>, ModelError> {
    match listed(endpoint).await? {
        Listing::Models(models) => Ok(Some(models.into_iter().map(|it| it.name).collect())),
        Listing::None => Ok(None),
        Listing::Refused(error) => Err(error),
    }
}

/// The result of requesting a provider's list of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listing {
    /// The list.
    Models(Vec<ListedModel>),
    /// The server answers, but has no list.
    None,
    /// The server refuses the key, or requires one.
    Refused(ModelError),
}

/// An entry of a provider's list of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// The model's name.
    pub name: String,
    /// The owner as named by the server; local model servers put their own name here.
    pub owner: String,
    /// The window: input and output tokens together.
    pub window: Option<u32>,
    /// The day on which the model is shut down.
    pub shutdown: Option<Day>,
}

impl ListedModel {
    /// The fields in which servers report the window: vLLM, OpenRouter, Groq, Anthropic, and llama.cpp.
    const WINDOWS: [&str; 5] =
        ["/max_model_len", "/context_length", "/context_window", "/max_input_tokens", "/meta/n_ctx_train"];

    fn read(listed: &Value) -> Option<Self> {
        let name = listed["id"].as_str()?.to_owned();
        let owner = listed["owned_by"].as_str().unwrap_or_default().to_owned();
        let window = Self::WINDOWS.iter().find_map(|name| listed.pointer(name)?.as_u64());
        let window = window.and_then(|it| u32::try_from(it).ok()).filter(|it| *it > 0);
        let shutdown = match &listed["shutdown_date"] {
            Value::String(date) => Day::parse(date),
            Value::Number(seconds) => seconds.as_u64().map(|seconds| Day(seconds / SECONDS_OF_A_DAY)),
            _ => None,
        };
        Some(Self { name, owner, window, shutdown })
    }
}

/// Returns the models that the endpoint's provider lists, with the data of each.
///
/// # Errors
///
/// The server cannot be reached.
pub async fn listed(endpoint: &Endpoint) -> Result<Listing, ModelError> {
    if endpoint.wire == Wire::Lsp {
        return Ok(Listing::None);
    }
    let silent = || ModelError::idle_timeout(endpoint, LIST_TIMEOUT);
    // The source of the token has its own timeout.
    let token = token::get(endpoint, SystemTime::now).await?;
    let (status, headers, body) = timeout(LIST_TIMEOUT, get(endpoint, token.as_ref(), "/models"))
        .await
        .unwrap_or_else(|_| Err(silent()))?;
    let refusal = Refusal::read(status, &headers, &body);
    if refuses_key(&refusal) {
        return Ok(Listing::Refused(ModelError::refused(endpoint, refusal)));
    }
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let listed = body["data"].as_array().filter(|_| status == StatusCode::OK);
    Ok(listed
        .map_or(Listing::None, |list| Listing::Models(list.iter().filter_map(ListedModel::read).collect())))
}

/// Whether a list is refused because of the key. A key may be allowed to use models but not to list
/// them, which servers report with the same statuses and different messages.
fn refuses_key(refusal: &Refusal) -> bool {
    let message = refusal.message.to_lowercase();
    let lacks_right = ["scope", "permission"].iter().any(|word| message.contains(word));
    matches!(refusal.status, Some(401 | 403)) && !lacks_right
}

/// Asks for one word.
///
/// # Errors
///
/// The reason why there was no answer.
pub async fn ask(model: &dyn Model) -> Result<Usage, ModelError> {
    usage_of(model, model.stream(request())).await
}

/// Reads the answer of a model to [`request`].
pub(super) async fn usage_of(model: &dyn Model, mut chunks: ChunkStream) -> Result<Usage, ModelError> {
    let read = async {
        while let Some(chunk) = chunks.next().await {
            match chunk {
                Ok(Chunk::Text(_) | Chunk::Restart | Chunk::Dialect(_) | Chunk::Item(_)) => {}
                Ok(Chunk::Done(usage)) => return Ok(usage),
                Err(error) => return Err(error),
            }
        }
        Err(ModelError::Closed { provider: model.name() })
    };
    let silent = || ModelError::IdleTimeout { provider: model.name(), seconds: PROBE_TIMEOUT.as_secs() };
    timeout(PROBE_TIMEOUT, read).await.unwrap_or_else(|_| Err(silent()))
}

/// Asks for a few lines and measures how fast the model reads and writes.
///
/// Meant for servers where requests are free.
///
/// # Errors
///
/// The reason why there was no answer.
pub async fn pace(model: &dyn Model, endpoint: &Endpoint) -> Result<(Pace, Usage), ModelError> {
    let mut speed = Speed::new(&capability::assumption(endpoint), endpoint.wait);
    let request = measuring_request();
    let bytes = model.unread(&request);
    let asked_at = Instant::now();
    let (mut texts, mut pieces) = (None, 0);
    let mut chunks = model.stream(request);
    let read = async {
        while let Some(chunk) = chunks.next().await {
            match chunk? {
                Chunk::Text(_) => {
                    let now = Instant::now();
                    texts = Some((texts.map_or(now, |(first, _)| first), now));
                    pieces += 1;
                }
                Chunk::Restart | Chunk::Dialect(_) | Chunk::Item(_) => {}
                Chunk::Done(usage) => return Ok(usage),
            }
        }
        Err(ModelError::Closed { provider: model.name() })
    };
    let silent = || ModelError::IdleTimeout { provider: model.name(), seconds: PROBE_TIMEOUT.as_secs() };
    let usage: Usage = timeout(PROBE_TIMEOUT, read).await.unwrap_or_else(|_| Err(silent()))?;
    speed.observe_token_length(bytes, usage.input_tokens);
    if let Some(times) = &usage.times {
        speed.reported(times);
    }
    if let Some((first, last)) = texts {
        let (first, writing) = (first - asked_at, last - first);
        speed.observed(&ObservedTimes { unread: bytes, first, has_begun: true, pieces, writing });
    }
    Ok((speed.pace(), usage))
}

/// A request of about 300 tokens.
///
/// It begins with a random number, so that no server has it cached.
fn measuring_request() -> Request {
    let lines: String =
        (1..=12).map(|n| format!("let value_{n} = compute(value_{}, {n});\n", n - 1)).collect();
    let input = format!("{lines}\nWrite the next four lines.");
    let (suffix, path) = ("\n".to_owned(), "a.rs".to_owned());
    let fim = Fim { prefix: lines, suffix, path, extra: Vec::new(), is_variant: false };
    let instructions = format!("Request {}. Continue the code.", random_id());
    Request {
        instructions: instructions.into(),
        input,
        fim: Some(fim),
        max_output_tokens: MEASURED_TOKENS,
        ..self::request()
    }
}

/// The smallest request that every dialect can express.
pub fn request() -> Request {
    let fim = Fim {
        prefix: "let answer = ".to_owned(),
        suffix: ";\n".to_owned(),
        path: "a.rs".to_owned(),
        extra: Vec::new(),
        is_variant: false,
    };
    Request {
        instructions: "Answer with the one word OK.".into(),
        input: "OK?".to_owned(),
        stable: 0,
        fim: Some(fim),
        edits: edits(),
        document: None,
        prediction: None,
        stop: Vec::new(),
        max_output_tokens: PROBE_TOKENS,
        cache_key: "tandem-probe".to_owned(),
        job: JOB,
        asker: 0,
        trace: 0,
        urgency: Urgency::Asked,
        silence: Duration::ZERO,
        claim: Claim::default(),
    }
}

/// The same for models that predict edits: a nearly empty prompt in each dialect.
///
/// The answer is ignored.
fn edits() -> Vec<EditPrompt> {
    let text = |dialect| match dialect {
        EditDialect::Sweep => {
            "<|file_sep|>original/a.rs\na\n<|file_sep|>current/a.rs\nb\n<|file_sep|>updated/a.rs\n"
        }
        EditDialect::Zeta2 => {
            "<[fim-suffix]>\n<[fim-prefix]><filename>a.rs\n<<<<<<< CURRENT\nb<|user_cursor|>\n=======\n<[fim-middle]>"
        }
        EditDialect::Zeta21 => {
            "<[fim-suffix]>\n<[fim-prefix]><filename>a.rs\n<|marker_1|>b<|user_cursor|>\n<|marker_2|>\n<[fim-middle]>"
        }
        EditDialect::Mercury => {
            "<|recently_viewed_code_snippets|>\n<|/recently_viewed_code_snippets|>\n<|current_file_content|>\n\
             current_file_path: a.rs\n<|code_to_edit|>\nb<|cursor|>\n<|/code_to_edit|>\n<|/current_file_content|>\n\
             <|edit_diff_history|>\n<|/edit_diff_history|>\n"
        }
    };
    let prompt = |dialect| EditPrompt {
        dialect,
        head: text(dialect).to_owned(),
        quoted: String::new(),
        tail: String::new(),
        stop: Vec::new(),
    };
    EditDialect::ALL.into_iter().map(prompt).collect()
}

/// Sends a `GET` with the endpoint's headers and token. Returns the status, the headers and the body.
async fn get(
    endpoint: &Endpoint,
    token: Option<&Issued>,
    path: &str,
) -> Result<(StatusCode, HeaderMap, Vec<u8>), ModelError> {
    let failed = |error: reqwest::Error| ModelError::offline(endpoint, &words(error));
    let client = client::once(endpoint).await?;
    let url = endpoint.url(path);
    let asking = client.get(http_url(url.expose()));
    let response = with_token(asking, token).send().await.map_err(failed)?;
    let (status, headers) = (response.status(), response.headers().clone());
    Ok((status, headers, client::whole(response).await.map_err(failed)?))
}

/// Replaces `ws` with `http` and `wss` with `https`; other URLs are unchanged.
fn http_url(url: &str) -> String {
    match url.strip_prefix("ws") {
        Some(rest) => format!("http{rest}"),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_refused_for_the_key_or_for_its_rights() {
        let check = |status: u16, body: &str, expected: bool| {
            let status = StatusCode::from_u16(status).unwrap();
            let refusal = Refusal::read(status, &HeaderMap::new(), body.as_bytes());
            assert_eq!(refuses_key(&refusal), expected, "{status} {body}");
        };
        check(401, r#"{"error": {"message": "Incorrect API key provided."}}"#, true);
        check(401, "", true);
        check(403, r#"{"error": {"message": "Invalid credentials"}}"#, true);
        check(403, r#"{"error": {"message": "Missing scopes: api.model.read"}}"#, false);
        check(401, r#"{"error": "You have insufficient permissions for this operation."}"#, false);
        check(404, "", false);
        check(200, r#"{"data": []}"#, false);
    }
}
