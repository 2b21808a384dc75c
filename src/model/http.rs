//! Requests over HTTP, each answered by server-sent events. Connections are kept and
//! shared.

pub(super) mod client;

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Response};
use tokio::sync::{OnceCell, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::attempt::{Attempt, Failure};
use super::dialect::answer::Output;
use super::dialect::choice::DialectChoice;
use super::dialect::{Dialect, Reading};
use super::endpoint::EndpointContext;
use super::error_kind::{ErrorKind, Refusal};
use super::limits::{BODY_BYTES, REFUSAL_WITHIN};
use super::request::Form;
use super::{Chunk, ModelError, Request, RequestKind, Usage, WireEvent, capability, sse};
use crate::config::EditDialect;
use client::{Stopwatch, sources, words};

/// The HTTP side of one endpoint.
pub(super) struct Http {
    context: Arc<EndpointContext>,
    dialects: DialectChoice,
    client: OnceCell<Client>,
    stopwatch: Stopwatch,
}

impl Http {
    pub(super) fn new(context: Arc<EndpointContext>) -> Arc<Self> {
        let dialects = DialectChoice::new(Dialect::of(context.endpoint.wire));
        Arc::new(Self { context, dialects, client: OnceCell::new(), stopwatch: Stopwatch::default() })
    }

    fn dialect(&self, request: &Request) -> Dialect {
        match request.form(&self.context.endpoint, None) {
            Form::Edit(edit) => Dialect::Edit(edit.dialect),
            Form::Fim(..) | Form::Text => self.dialects.of(request),
        }
    }

    /// Opens a connection in the background, by asking for the list of models.
    pub(super) fn warm(self: &Arc<Self>) {
        let it = Arc::clone(self);
        tokio::spawn(async move {
            let Ok(client) = it.client().await else { return };
            let url = it.context.endpoint.url("/models");
            match client.get(url.expose()).timeout(it.context.timing.connect).send().await {
                Ok(response) => {
                    tracing::debug!(status = response.status().as_u16(), "warm");
                    it.heard(&response);
                }
                Err(error) => tracing::debug!(error = %words(error), "cannot warm"),
            }
        });
    }

    /// Asks. Dropping the attempt closes the request.
    pub(super) fn ask(self: &Arc<Self>, request: &Arc<Request>) -> Attempt {
        let (answer, chunks) = mpsc::unbounded_channel();
        let dialect = self.dialect(request);
        let body = match self.body(dialect, request) {
            Ok(body) => body,
            Err(failure) => return Attempt::failed(failure),
        };
        let mut work = JoinSet::new();
        let (it, silence, request) =
            (Arc::clone(self), self.context.timing.silence(request), Arc::clone(request));
        work.spawn(async move {
            let mut call = Call {
                http: &it,
                answer,
                silence,
                bytes_up: 0,
                tokens: 0,
                read_tokens: (0, 0),
                untold: dialect.of_edits(),
                wanted: true,
            };
            if let Err(mut failure) = call.run(dialect, body, &request).await {
                failure.bytes_up = call.bytes_up;
                call.hand_on(Err(failure));
            }
            call.wanted = false;
        });
        let chunks = stream::unfold((chunks, work), |(mut chunks, work)| async {
            chunks.recv().await.map(|chunk| (chunk, (chunks, work)))
        });
        Attempt { chunks: chunks.boxed(), unsent: None }
    }

    fn body(&self, dialect: Dialect, request: &Request) -> Result<Vec<u8>, Failure> {
        let body = dialect.body(&self.context.endpoint, &self.context.fields, request);
        body.map_err(|refusal| self.failure(refusal))
    }

    /// Tells that an answer came, and over what.
    fn heard(&self, response: &Response) {
        if capability::answers(&self.context.endpoint, RequestKind::Completion)
            && let Some(dialect) = self.dialects.heard(response.headers())
        {
            self.context.tell(WireEvent::CodeDialect { dialect: Some(dialect) });
        }
        let version = format!("{:?}", response.version());
        self.context.tell(WireEvent::Http { version, connected: self.stopwatch.take() });
    }

    async fn client(&self) -> Result<&Client, ModelError> {
        let made = self.client.get_or_try_init(|| async {
            let timing = &self.context.timing;
            let endpoint = &self.context.endpoint;
            let builder = client::builder(endpoint, (*self.context.tls().await?).clone())?
                .connector_layer(self.stopwatch.clone())
                .connect_timeout(timing.connect)
                .pool_idle_timeout(timing.idle_close)
                .tcp_keepalive(timing.ping_every)
                .http2_keep_alive_interval(timing.ping_every)
                .http2_keep_alive_timeout(timing.pong_within)
                .http2_keep_alive_while_idle(true);
            client::build(builder, endpoint)
        });
        made.await
    }

    fn failure(&self, refusal: Refusal) -> Failure {
        Failure::of_request(ModelError::refused(&self.context.endpoint, refusal))
    }
}

/// One request on its way.
struct Call<'a> {
    http: &'a Http,
    answer: mpsc::UnboundedSender<Result<Chunk, Failure>>,
    silence: Duration,
    bytes_up: u64,
    /// Pieces of text so far; servers send about one token in each.
    tokens: u64,
    /// Tokens read and tokens cached, as far as the server has said.
    read_tokens: (u64, u64),
    /// The form of the text, until its reader was told.
    untold: Option<EditDialect>,
    /// Whether the answer has neither ended nor been abandoned.
    wanted: bool,
}

impl Call<'_> {
    /// Asks in one dialect after another until the server takes one, and reads the answer.
    async fn run(&mut self, mut dialect: Dialect, body: Vec<u8>, request: &Request) -> Result<(), Failure> {
        let mut body = body;
        loop {
            let dialects = &self.http.dialects;
            dialect = match self.post(dialect, body).await {
                Ok(response) if dialects.is_outdated(dialect) => {
                    // Leaving its answer ends it.
                    drop(response);
                    dialects.of(request)
                }
                Ok(response) => return self.read(dialect, response).await,
                Err(failure) => {
                    let Some(next) = dialects.refused(dialect, failure.error.kind()) else {
                        return Err(failure);
                    };
                    tracing::debug!(error = %failure.error, ?next, "another dialect");
                    self.http.context.tell(WireEvent::CodeDialect { dialect: next.of_code() });
                    next
                }
            };
            body = self.http.body(dialect, request)?;
        }
    }

    /// Sends a request; gives the answer once it has begun well.
    async fn post(&mut self, dialect: Dialect, body: Vec<u8>) -> Result<Response, Failure> {
        let context = &self.http.context;
        self.bytes_up += body.len() as u64;
        let failed = Failure::of_request;
        let silent = || failed(ModelError::idle_timeout(&context.endpoint, self.silence));
        let client = self.http.client().await.map_err(failed)?;
        let url = dialect.url(&context.endpoint);
        let sending = client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(body)
            .send();
        let response = match timeout(self.silence, sending).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(failed(self.broken(error))),
            Err(_) => return Err(silent()),
        };
        self.http.heard(&response);
        // A refusal for a limit says in its headers which one.
        context.tell_quotas(context.said_in(response.headers()).quotas);
        if !response.status().is_success() {
            return Err(self.http.failure(refusal(response).await));
        }
        Ok(response)
    }

    /// Reads the answer.
    async fn read(&mut self, dialect: Dialect, mut response: Response) -> Result<(), Failure> {
        let served = self.http.context.said_in(response.headers()).served;
        if let Some(model) = &served {
            self.http.context.tell(WireEvent::Serves { model: model.clone() });
        }
        // What the server called the model that answers.
        let mut names: Vec<String> = served.into_iter().collect();
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let mut whole = kind.is_some_and(|kind| kind.starts_with("application/json")).then(Vec::new);
        let mut reading: Reading = dialect.reader();
        let mut reader = sse::Reader::default();
        let mut events = Vec::new();
        loop {
            let bytes = match timeout(self.silence, response.chunk()).await {
                Ok(Ok(bytes)) => bytes,
                Ok(Err(error)) => {
                    return Err(Failure::of_request(self.broken(error)));
                }
                Err(_) => {
                    let error = ModelError::idle_timeout(&self.http.context.endpoint, self.silence);
                    return Err(Failure::of_request(error));
                }
            };
            let ended = bytes.is_none();
            let bytes = bytes.unwrap_or_default();
            let too_long =
                |_| self.http.failure(Refusal::invalid("the answer has a line that is too long".to_owned()));
            match &mut whole {
                Some(whole) if whole.len() + bytes.len() > BODY_BYTES => return Err(too_long(sse::TooLong)),
                Some(whole) => whole.extend_from_slice(&bytes),
                None => {
                    let mut take = |data: &[u8]| reading.take(data, |event| events.push(event));
                    reader.push(&bytes, &mut take).map_err(too_long)?;
                    if ended {
                        std::mem::take(&mut reader).end(&mut take).map_err(too_long)?;
                    }
                }
            }
            if ended {
                if let Some(whole) = &whole {
                    reading.take(whole, |event| events.push(event));
                }
                events.extend(std::mem::replace(&mut reading, dialect.reader()).end());
            }
            self.read_tokens = reading.read_tokens();
            for event in events.drain(..) {
                if self.take(event, &mut names)? {
                    return Ok(());
                }
            }
            if ended {
                return Err(Failure::closed(&self.http.context.endpoint));
            }
        }
    }

    /// Takes one event; true at the end.
    fn take(&mut self, output: Output, names: &mut Vec<String>) -> Result<bool, Failure> {
        let context = &self.http.context;
        if matches!(output, Output::Text(_) | Output::Done(_))
            && let Some(dialect) = self.untold.take()
        {
            self.hand_on(Ok(Chunk::Dialect(dialect)));
        }
        match context.cleaned(output) {
            Output::Text(text) => {
                self.tokens += 1;
                self.hand_on(Ok(Chunk::Text(text)));
            }
            Output::Restart => self.hand_on(Ok(Chunk::Restart)),
            Output::Done(usage) => {
                names.extend(usage.model.clone());
                let model = context.telling(names);
                self.wanted = false;
                self.hand_on(Ok(Chunk::Done(Usage { model, bytes_up: self.bytes_up, ..usage })));
                return Ok(true);
            }
            Output::Failed(refusal) => return Err(self.http.failure(refusal)),
            Output::Begun { model: Some(model), .. } | Output::Serves { model } => {
                if !names.contains(&model) {
                    names.push(model.clone());
                    context.tell(WireEvent::Serves { model });
                }
            }
            // The body is one response's: what else begins in it is passed over, to its end.
            Output::Begun { model: None, .. } | Output::Stray { .. } => {}
            Output::Quotas(pools) => context.tell_quotas(pools),
        }
        Ok(false)
    }

    fn broken(&self, error: reqwest::Error) -> ModelError {
        let endpoint = &self.http.context.endpoint;
        let is_no_http =
            sources(&error).any(|it| it.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse));
        if error.is_connect() || error.is_builder() || is_no_http {
            return ModelError::offline(endpoint, &words(error));
        }
        tracing::debug!(error = %words(error), "a request broke off");
        ModelError::closed(endpoint)
    }

    fn hand_on(&mut self, chunk: Result<Chunk, Failure>) {
        if self.answer.send(chunk).is_err() {
            tracing::trace!("a chunk of an abandoned answer");
        }
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if self.wanted {
            // The answer is abandoned; the end of the connection tells the server.
            let (input_tokens, cached_tokens) = self.read_tokens;
            let usage = Usage {
                input_tokens,
                cached_tokens,
                output_tokens: self.tokens,
                bytes_up: self.bytes_up,
                ..Usage::default()
            };
            self.http.context.tell(WireEvent::Abandoned(usage));
        }
    }
}

/// What an answer says that is no success.
async fn refusal(response: Response) -> Refusal {
    let (status, headers) = (response.status(), response.headers().clone());
    let body = match timeout(REFUSAL_WITHIN, client::whole(response)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) | Err(_) => {
            tracing::debug!(status = status.as_u16(), "a refusal without an end");
            Vec::new()
        }
    };
    let mut refusal = Refusal::read(status, &headers, &body);
    if status.is_redirection() {
        refusal.kind = ErrorKind::NotFound;
        refusal.message = format!("{status}: the server sends us elsewhere; set `base_url` to where it is");
    }
    refusal
}
