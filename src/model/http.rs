//! Requests over HTTP, each answered by server-sent events. Connections are kept and shared.
//!
//! A connection of HTTP/1.1 takes another request only after the last byte of an answer, which servers send a
//! moment after its last event. So every answer is read to its end in the background, within bounds
//! ([`HttpCall::drain`]). An abandoned answer is read for as long as a new connection would take; beyond that,
//! closing it is cheaper. Over HTTP/2 an answer ends on its own, and its connection stays.

pub(super) mod client;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Response, Version};
use tokio::sync::{OnceCell, mpsc};
use tokio::time::{sleep, timeout};

use super::attempt::{Attempt, Failure};
use super::connect::sources;
use super::dialect::answer::Output;
use super::dialect::choice::DialectChoice;
use super::dialect::{Dialect, Reading};
use super::endpoint::EndpointContext;
use super::error_kind::{ErrorKind, Refusal};
use super::fields::Fewer;
use super::limits::{BODY_BYTES, DRAIN_BYTES, DRAIN_TIME, END_WITHIN, REFUSAL_WITHIN};
use super::request::Form;
use super::{Chunk, ModelError, Request, RequestKind, Usage, WireEvent, capability, requester, sse, token};
use crate::config::{EditDialect, Endpoint, Issued};
use client::{Stopwatch, words};

/// The HTTP side of one endpoint.
pub(super) struct Http {
    context: Arc<EndpointContext>,
    dialects: DialectChoice,
    client: OnceCell<Client>,
    stopwatch: Stopwatch,
    /// Whether the last answer shared its connection with other requests, as over HTTP/2.
    is_multiplexed: AtomicBool,
}

impl Http {
    pub(super) fn new(context: Arc<EndpointContext>) -> Arc<Self> {
        let dialects = DialectChoice::new(Dialect::of(context.endpoint.wire));
        Arc::new(Self {
            context,
            dialects,
            client: OnceCell::new(),
            stopwatch: Stopwatch::default(),
            is_multiplexed: AtomicBool::new(false),
        })
    }

    fn dialect(&self, request: &Request) -> Dialect {
        match request.form(&self.context.endpoint, None) {
            Form::Edit(edit) => Dialect::Edit(edit.dialect),
            Form::Fim(..) | Form::Document(_) | Form::Text => self.dialects.of(request),
        }
    }

    /// Opens a connection in the background, by requesting the list of models.
    pub(super) fn warm(self: &Arc<Self>) {
        let it = Arc::clone(self);
        tokio::spawn(async move {
            let Ok(client) = it.client().await else { return };
            let url = it.context.endpoint.url("/models");
            let Ok(token) = it.token().await else { return };
            let asking = client.get(url.expose()).timeout(it.context.timing.connect);
            match client::with_token(asking, token.as_ref()).send().await {
                Ok(response) => {
                    tracing::debug!(status = response.status().as_u16(), "warm");
                    it.heard(&response);
                    // The connection is kept only if the response is read to its end.
                    if let Err(error) = client::whole(response).await {
                        tracing::debug!(error = %words(error), "a list without an end");
                    }
                }
                Err(error) => tracing::debug!(error = %words(error), "cannot warm"),
            }
        });
    }

    /// How long an abandoned answer is read.
    fn read_on(&self) -> Duration {
        match self.is_multiplexed.load(Ordering::Relaxed) {
            true => Duration::ZERO,
            false => self.stopwatch.last().min(DRAIN_TIME),
        }
    }

    /// Sends a request. Dropping the attempt ends it.
    pub(super) fn ask(self: &Arc<Self>, request: &Arc<Request>) -> Attempt {
        let (answer, chunks) = mpsc::unbounded_channel();
        let dialect = self.dialect(request);
        let (it, silence, request) =
            (Arc::clone(self), self.context.timing.silence(request), Arc::clone(request));
        tokio::spawn(async move {
            let mut call = HttpCall {
                http: &it,
                request: &request,
                answer: answer.clone(),
                silence,
                bytes_up: 0,
                tokens: 0,
                reported: Usage::default(),
                is_begun: false,
                untold: dialect.of_edits(),
                wanted: true,
                rest: None,
            };
            let abandoned = async {
                answer.closed().await;
                sleep(it.read_on()).await;
            };
            let ended = tokio::select! {
                biased;
                ended = call.run(dialect, &request) => ended,
                () = abandoned => return,
            };
            match ended {
                Ok(()) => {}
                // The connection is closed.
                Err(_) if answer.is_closed() => return,
                Err(mut failure) => {
                    // The bytes are counted with the next attempt. What is counted must be counted before the caller
                    // goes on.
                    failure.bytes_up = std::mem::take(&mut call.bytes_up);
                    if call.is_begun {
                        call.given_up();
                    }
                    call.wanted = false;
                    call.hand_on(Err(failure));
                }
            }
            call.drain().await;
        });
        let chunks =
            stream::unfold(chunks, |mut chunks| async { chunks.recv().await.map(|chunk| (chunk, chunks)) });
        Attempt { chunks: chunks.boxed(), send_state: None }
    }

    fn body(&self, dialect: Dialect, request: &Request) -> Result<Vec<u8>, Failure> {
        let body = dialect.body(&self.context.endpoint, &self.context.fields, request);
        body.map_err(|refusal| self.failure(refusal))
    }

    /// Notifies the listener that a response arrived, and over which connection.
    fn heard(&self, response: &Response) {
        if capability::answers(&self.context.endpoint, RequestKind::Completion)
            && let Some(dialect) = self.dialects.heard(response.headers())
        {
            self.context.tell(WireEvent::CodeDialect(Some(dialect)));
        }
        self.is_multiplexed.store(response.version() == Version::HTTP_2, Ordering::Relaxed);
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

    /// The token to send, if the endpoint takes one.
    async fn token(&self) -> Result<Option<Issued>, ModelError> {
        token::get(&self.context.endpoint, self.context.timing.wall).await
    }

    fn failure(&self, refusal: Refusal) -> Failure {
        Failure::of_request(ModelError::refused(&self.context.endpoint, refusal))
    }
}

/// One request in progress.
struct HttpCall<'a> {
    http: &'a Http,
    request: &'a Request,
    answer: mpsc::UnboundedSender<Result<Chunk, Failure>>,
    silence: Duration,
    bytes_up: u64,
    /// Pieces of text so far; servers send about one token in each.
    tokens: u64,
    /// The tokens, as far as the server has reported them.
    reported: Usage,
    /// Whether the server has begun to answer.
    is_begun: bool,
    /// The dialect of the text, until the reader was notified of it.
    untold: Option<EditDialect>,
    /// Whether the answer has neither ended nor been abandoned.
    wanted: bool,
    /// The rest of the body after the end of the answer.
    rest: Option<Response>,
}

/// The outcome of a posted request.
enum Posted {
    /// The server answers.
    Taken(Response),
    /// The server refuses this many output tokens.
    Fewer(Fewer),
    Refused(Failure),
}

impl HttpCall<'_> {
    /// Tries one dialect after another until the server accepts the request, with as many tokens as
    /// it allows, and reads the answer.
    async fn run(&mut self, mut dialect: Dialect, request: &Request) -> Result<(), Failure> {
        let mut request = Cow::Borrowed(request);
        // The body may name the team that the token is for.
        self.http.token().await.map_err(Failure::of_request)?;
        let mut body = self.http.body(dialect, &request)?;
        loop {
            let dialects = &self.http.dialects;
            match self.post(dialect, body, &request).await? {
                Posted::Taken(response) if dialects.is_outdated(dialect) => {
                    // Dropping the response cancels it.
                    drop(response);
                    dialect = dialects.of(&request);
                }
                Posted::Taken(response) => return self.read(dialect, response).await,
                Posted::Fewer(fewer) => {
                    tracing::debug!(?fewer, "fewer tokens");
                    if let Fewer::Here(tokens) = fewer {
                        request = Cow::Owned(request.with_output(tokens));
                    }
                }
                Posted::Refused(failure) => {
                    let Some(next) = dialects.refused(dialect, failure.error.kind()) else {
                        return Err(failure);
                    };
                    tracing::debug!(error = %failure.error, ?next, "another dialect");
                    self.http.context.tell(WireEvent::CodeDialect(next.of_code()));
                    dialect = next;
                }
            }
            body = self.http.body(dialect, &request)?;
        }
    }

    /// Sends a request. Returns the response once its head has arrived.
    async fn post(&mut self, dialect: Dialect, body: Vec<u8>, request: &Request) -> Result<Posted, Failure> {
        let context = &self.http.context;
        self.bytes_up += body.len() as u64;
        let failed = Failure::of_request;
        let silent = || failed(ModelError::idle_timeout(&context.endpoint, self.silence));
        let client = self.http.client().await.map_err(failed)?;
        let url = dialect.url(&context.endpoint);
        let token = self.http.token().await.map_err(failed)?;
        let headers = requester::headers(&context.endpoint, Some(request));
        let headers =
            headers.map_err(|error| failed(ModelError::offline(&context.endpoint, &error.to_string())))?;
        let asking = client
            .post(url)
            .headers(headers)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(body);
        let sending = client::with_token(asking, token.as_ref()).send();
        let response = match timeout(self.silence, sending).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(failed(self.broken(error))),
            Err(_) => return Err(silent()),
        };
        self.http.heard(&response);
        // The headers of a refusal because of a limit name the limit.
        context.tell_quotas(context.handshake_info(response.headers()).quotas);
        if response.status().is_success() {
            return Ok(Posted::Taken(response));
        }
        let refusal = refusal(response).await;
        if refusal.kind == ErrorKind::Unauthorized {
            token::refused(&context.endpoint, token.map(|it| it.number));
        }
        let fewer = refusal.may_be_of_output().then(|| {
            context.fields.learn_output(refusal.param.as_deref(), &refusal.message, request.max_output_tokens)
        });
        Ok(match fewer.flatten() {
            Some(fewer) => Posted::Fewer(fewer),
            None => Posted::Refused(self.http.failure(refusal)),
        })
    }

    /// Reads the answer, and keeps the rest of the body.
    async fn read(&mut self, dialect: Dialect, mut response: Response) -> Result<(), Failure> {
        self.is_begun = true;
        let read = self.read_events(dialect, &mut response).await;
        self.rest = Some(response);
        read
    }

    async fn read_events(&mut self, dialect: Dialect, response: &mut Response) -> Result<(), Failure> {
        let served = self.http.context.handshake_info(response.headers()).served;
        if let Some(model) = &served {
            self.http.context.tell(WireEvent::Serves(model.clone()));
        }
        // The names that the server gave to the model that answers.
        let mut names: Vec<String> = served.into_iter().collect();
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        if kind.is_some_and(|kind| kind.starts_with("text/html")) {
            let why = "it answers with a web page; sign in to this network, or correct `base_url`";
            return Err(Failure::of_request(ModelError::offline(self.endpoint(), why)));
        }
        let mut whole = kind.is_some_and(|kind| kind.starts_with("application/json")).then(Vec::new);
        let mut reading: Reading = dialect.reader();
        let mut reader = sse::Reader::default();
        let mut events = Vec::new();
        let mut unread = DRAIN_BYTES;
        loop {
            let is_announced = reading.is_announced();
            let silence = if is_announced { END_WITHIN.min(self.silence) } else { self.silence };
            let bytes = match timeout(silence, response.chunk()).await {
                Ok(Ok(bytes)) => bytes,
                // The answer is complete, whatever becomes of the connection.
                Ok(Err(_)) | Err(_) if is_announced => None,
                Ok(Err(error)) => return Err(Failure::of_request(self.broken(error))),
                Err(_) => {
                    let error = ModelError::idle_timeout(self.endpoint(), self.silence);
                    return Err(Failure::of_request(error));
                }
            };
            let ended = bytes.is_none();
            let bytes = bytes.unwrap_or_default();
            if self.answer.is_closed() {
                unread = unread.checked_sub(bytes.len()).ok_or_else(|| Failure::closed(self.endpoint()))?;
            }
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
            self.reported = reading.so_far();
            for event in events.drain(..) {
                if self.take(event, &mut names)? {
                    return Ok(());
                }
            }
            if ended {
                return Err(Failure::closed(self.endpoint()));
            }
        }
    }

    /// Handles one output; true at the end of the answer.
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
                let usage = Usage { model, bytes_up: self.bytes_up, ..usage };
                match self.answer.is_closed() {
                    true => self.tell_abandoned(usage),
                    false => self.hand_on(Ok(Chunk::Done(usage))),
                }
                return Ok(true);
            }
            Output::Failed(refusal) => return Err(self.http.failure(refusal)),
            Output::Begun { model: Some(model), .. } | Output::Serves { model } => {
                if !names.contains(&model) {
                    names.push(model.clone());
                    context.tell(WireEvent::Serves(model));
                }
            }
            // The body holds one response: others that begin in it are skipped.
            Output::Begun { model: None, .. } | Output::Stray { .. } => {}
            Output::Quotas(pools) => context.tell_quotas(pools),
        }
        Ok(false)
    }

    /// Reads the body after the end of the answer, so that its connection can be reused.
    async fn drain(&mut self) {
        let Some(mut rest) = self.rest.take() else { return };
        let mut unread = DRAIN_BYTES;
        let reading = async {
            while let Ok(Some(bytes)) = rest.chunk().await {
                match unread.checked_sub(bytes.len()) {
                    Some(left) => unread = left,
                    None => return,
                }
            }
        };
        if timeout(DRAIN_TIME, reading).await.is_err() {
            tracing::debug!("an answer that goes on after its end");
        }
    }

    /// Counts an answer whose end will not be read.
    fn given_up(&self) {
        let estimated = if self.bytes_up > 0 || self.is_begun { self.request.claim.input_tokens } else { 0 };
        let Usage { input_tokens, output_tokens, .. } = self.reported;
        self.tell_abandoned(Usage {
            input_tokens: if input_tokens > 0 { input_tokens } else { estimated },
            output_tokens: output_tokens.max(self.tokens),
            bytes_up: self.bytes_up,
            ..self.reported.clone()
        });
    }

    fn tell_abandoned(&self, usage: Usage) {
        let Request { asker, job, .. } = *self.request;
        self.http.context.tell(WireEvent::Abandoned { asker, job, usage });
    }

    fn endpoint(&self) -> &Endpoint {
        &self.http.context.endpoint
    }

    fn broken(&self, error: reqwest::Error) -> ModelError {
        let endpoint = self.endpoint();
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

impl Drop for HttpCall<'_> {
    fn drop(&mut self) {
        // The answer was abandoned; closing the connection notifies the server.
        if self.wanted {
            self.given_up();
        }
    }
}

/// Reads a response with an error status.
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
