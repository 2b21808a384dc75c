//! The HTTP side: upgrades to a socket, responses as events or as one object, models,
//! statistics.

use std::{
    convert::Infallible,
    future::pending,
    io,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use futures_util::stream;
use http_body_util::{BodyExt, Full, Limited, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Frame, Incoming},
    header::{
        AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER, SEC_WEBSOCKET_EXTENSIONS,
        SERVER, UPGRADE,
    },
    server::conn::http1,
    service::service_fn,
    upgrade::OnUpgrade,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Map, Value, json};
use tokio::{net::TcpStream, sync::mpsc, task::JoinSet};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{handshake::server::create_response_with_body, protocol::Role},
};

use super::{
    ANOTHER_MODEL, Fault, MODEL, Server,
    dialect::{Dialect, messages},
    event::{Outgoing, to_json},
    fault::Shape,
    request::Refusal,
    response, socket,
};
use crate::deflate::{Deflated, Side, Terms};
use crate::lock::Mutex;

/// The distance of a `Retry-After` date; HTTP dates have a resolution of one second.
const TWO_SECONDS: Duration = Duration::from_secs(2);
/// The delay between the last event and the end of the body, as with servers whose events are produced by another
/// task than their bodies.
const LATE_END: Duration = Duration::from_millis(1);
/// The largest request body, in bytes.
const BODY: usize = 16 << 20;

type Body = UnsyncBoxBody<Bytes, io::Error>;
/// The slot for the upgrade that a request was granted; a connection has at most one.
type Upgrade = Arc<Mutex<Option<(OnUpgrade, Option<Terms>)>>>;

/// Serves one connection: HTTP first, then the WebSocket if it is upgraded.
pub(super) async fn serve(server: Arc<Server>, tcp: TcpStream) {
    let counting = Arc::clone(&server);
    let _open = counting.stats.connected();
    let upgrade = Upgrade::default();
    let service = service_fn(|request| {
        let (server, upgrade) = (Arc::clone(&server), Arc::clone(&upgrade));
        async move {
            let is_small = server.emulates_llama_cpp();
            let mut response = answer(server, &upgrade, request).await;
            if is_small {
                response.headers_mut().insert(SERVER, HeaderValue::from_static("llama.cpp"));
            }
            Ok::<_, Infallible>(response)
        }
    });
    let mut http = http1::Builder::new();
    let connection = http.timer(TokioTimer::new()).serve_connection(TokioIo::new(tcp), service);
    if let Err(error) = connection.with_upgrades().await {
        tracing::debug!(%error, "connection ended");
    }
    let granted = upgrade.lock().take();
    if let Some((granted, terms)) = granted
        && let Ok(upgraded) = granted.await
    {
        let mut stream = Deflated::after_handshake(TokioIo::new(upgraded));
        if let Err(error) = stream.begin(terms, Side::Server) {
            tracing::debug!(%error, "connection ended");
            return;
        }
        let socket = WebSocketStream::from_raw_socket(stream, Role::Server, None).await;
        socket::serve(server, socket).await;
    }
}

async fn answer(server: Arc<Server>, upgrade: &Upgrade, request: Request<Incoming>) -> Response<Body> {
    let path = request.uri().path().trim_end_matches('/');
    let is_upgrade = request.headers().contains_key(UPGRADE);
    if request.method() == Method::GET && path.ends_with("/simulator/stats") {
        return json_response(StatusCode::OK, to_json(&*server.stats.counters()));
    }
    // Asked without a key by whatever chooses among servers; vLLM, SGLang and llama.cpp have it, too.
    if request.method() == Method::GET && path == "/health" {
        return json_response(StatusCode::OK, "{}".to_owned());
    }
    let is_of_messages = request.headers().contains_key(messages::VERSION);
    let dialect = Dialect::of_path(path);
    let spoken = dialect.unwrap_or(if is_of_messages { Dialect::Messages } else { Dialect::Responses });
    if let Some((refusal, after)) = turned_away(&server, &request, spoken) {
        let mut response = refused(&server, spoken, &refusal);
        if let Some(after) = after.and_then(|after| HeaderValue::try_from(after).ok()) {
            response.headers_mut().insert(RETRY_AFTER, after);
        }
        return response;
    }
    if is_upgrade && server.has_fault(Fault::HangUpgrade) {
        pending::<()>().await;
    }
    if path.ends_with("/responses") {
        match *request.method() {
            Method::GET if is_upgrade => return grant(&server, upgrade, request),
            Method::POST => return respond(server, request, Dialect::Responses).await,
            _ => {}
        }
    }
    if request.method() == Method::POST
        && let Some(dialect) = dialect
    {
        return respond(server, request, dialect).await;
    }
    if request.method() == Method::GET && path.ends_with("/models") {
        return json_response(StatusCode::OK, models(&server, spoken).to_string());
    }
    let message = format!("There is no {} {path} here.", request.method());
    refused(&server, spoken, &Refusal { status: 404, ..Refusal::new("not_found", message, "") })
}

/// The list of models.
fn models(server: &Server, dialect: Dialect) -> Value {
    let names: Vec<&str> =
        [MODEL].into_iter().chain(server.options.models.iter().map(String::as_str)).collect();
    if dialect == Dialect::Messages {
        return messages::models(&names);
    }
    let owner = if server.emulates_llama_cpp() { "llamacpp" } else { "tandem" };
    let ends_at = server.options.ends_at.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
    let model = |id: &&str| {
        let mut model = json!({"id": id, "object": "model", "created": 0, "owned_by": owner});
        if let Some(ends_at) = ends_at {
            model["shutdown_date"] = ends_at.as_secs().into();
        }
        model
    };
    json!({"object": "list", "data": names.iter().map(model).collect::<Vec<_>>()})
}

/// The refusal of a request before its body is read, by a fault or for a wrong key, and its `Retry-After`.
fn turned_away(
    server: &Server,
    request: &Request<Incoming>,
    dialect: Dialect,
) -> Option<(Refusal, Option<String>)> {
    let headers = request.headers();
    let is_upgrade = headers.contains_key(UPGRADE);
    let bears = |key: &str| {
        let is_sent =
            |name, value: &str| headers.get(name).is_some_and(|sent| sent.as_bytes() == value.as_bytes());
        // Anthropic's newer clients send the usual header, and its older ones their own.
        is_sent(AUTHORIZATION, &format!("Bearer {key}"))
            || dialect == Dialect::Messages && is_sent(messages::KEY, key)
    };
    let mut faults = server.faults();
    if server.options.api_key.as_ref().is_some_and(|key| !bears(key)) {
        faults.push(Fault::Refuse401);
    }
    let refused = faults.into_iter().find_map(|fault| {
        let (refusal, http) = fault.connection_refusal()?;
        let after = match fault {
            Fault::Refuse429 | Fault::Refuse503 => Some("1".to_owned()),
            Fault::RetryAfterDate => Some(httpdate::fmt_http_date(SystemTime::now() + TWO_SECONDS)),
            _ => None,
        };
        (http || is_upgrade).then_some((refusal, after))
    });
    let lacks_version = dialect == Dialect::Messages && !headers.contains_key(messages::VERSION);
    refused.or_else(|| lacks_version.then(|| (messages::without_version(), None)))
}

/// Grants an upgrade to a WebSocket.
fn grant(server: &Server, upgrade: &Upgrade, mut request: Request<Incoming>) -> Response<Body> {
    match create_response_with_body(&request, empty) {
        Ok(mut response) => {
            name_another(server, &mut response);
            let terms = agree(server, &request, &mut response);
            let granted = (hyper::upgrade::on(&mut request), terms);
            *upgrade.lock() = Some(granted);
            response
        }
        Err(error) => {
            let refusal = Refusal::new("invalid_upgrade", error.to_string(), "");
            refused(server, Dialect::Responses, &refusal)
        }
    }
}

/// Accepts `permessage-deflate` if it is offered.
fn agree(server: &Server, request: &Request<Incoming>, response: &mut Response<Body>) -> Option<Terms> {
    let offers = request.headers().get_all(SEC_WEBSOCKET_EXTENSIONS);
    let (terms, answer) = Terms::granted(offers.iter().filter_map(|value| value.to_str().ok()))?;
    let answer = match server.has_fault(Fault::BadDeflate) {
        true => HeaderValue::from_static("permessage-deflate; level=9"),
        false => HeaderValue::try_from(answer).ok()?,
    };
    response.headers_mut().insert(SEC_WEBSOCKET_EXTENSIONS, answer);
    Some(terms)
}

/// Names another model in a header if [`Fault::RerouteHeader`] is set.
fn name_another(server: &Server, response: &mut Response<Body>) {
    if server.has_fault(Fault::RerouteHeader) {
        response.headers_mut().insert("openai-model", HeaderValue::from_static(ANOTHER_MODEL));
    }
}

/// Answers a `POST` in its dialect.
async fn respond(server: Arc<Server>, request: Request<Incoming>, dialect: Dialect) -> Response<Body> {
    server.stats.counters().requests += 1;
    let body = match Limited::new(request.into_body(), BODY).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => {
            let message = format!("The body cannot be read: {error}.");
            let refusal = Refusal { status: 413, ..Refusal::new("body_too_large", message, "") };
            return refused(&server, dialect, &refusal);
        }
    };
    let fields: Map<String, Value> = match serde_json::from_slice(&body) {
        Ok(fields) => fields,
        Err(error) => {
            let message = format!("The body is one JSON object: {error}.");
            return refused(&server, dialect, &Refusal::new("invalid_json", message, ""));
        }
    };
    server.stats.counters().bytes_received += body.len() as u64;
    let create = match dialect.read(fields).and_then(|create| server.admit(create)) {
        Ok(create) => create,
        Err(refusal) => return refused(&server, dialect, &refusal),
    };
    if let Some(id) = &create.previous_response_id {
        return refused(&server, dialect, &socket::not_found(id));
    }
    let mut accepted = response::AcceptedRequest::new(&server, create, &[]);
    // The status of a response of this API that fails says that it is answered, and an event that it failed.
    let is_midway =
        |shape: &Shape| accepted.create.stream && dialect == Dialect::Messages && *shape == Shape::Failed;
    if let Some((refusal, _)) = accepted.refusal().filter(|(_, shape)| !is_midway(shape)) {
        let mut response = refused(&server, dialect, &refusal);
        if accepted.has_fault(Fault::RateLimitFrame) {
            response.headers_mut().insert(RETRY_AFTER, 1.into());
        }
        return response;
    }
    accepted.is_http = true;
    accepted.has_items = dialect == Dialect::Responses;
    if dialect == Dialect::Infill && server.emulates_llama_cpp() {
        let message = "Infill is not supported by this model: prefix token is missing.";
        let error = json!({"code": 501, "message": message, "type": "not_supported_error"});
        return json_response(StatusCode::NOT_IMPLEMENTED, json!({"error": error}).to_string());
    }
    let mut response = if accepted.create.stream {
        events(Arc::clone(&server), accepted, dialect)
    } else {
        whole(&server, &accepted, dialect).await
    };
    name_another(&server, &mut response);
    response
}

/// Streams the response as server-sent events.
fn events(server: Arc<Server>, accepted: response::AcceptedRequest, dialect: Dialect) -> Response<Body> {
    let (out, outgoing) = mpsc::channel(1);
    // The body owns the task: when the client disconnects, hyper drops the body, which aborts the task.
    let mut work = JoinSet::new();
    let of_work = Arc::clone(&server);
    let model: Arc<str> = accepted.model().into();
    work.spawn(async move { response::run(&of_work, &accepted, None, &out).await.map(drop) });
    let frames = stream::unfold((outgoing, work), move |(mut outgoing, work)| {
        let (server, model) = (Arc::clone(&server), Arc::clone(&model));
        async move {
            loop {
                let Some(next) = outgoing.recv().await else {
                    tokio::time::sleep(LATE_END).await;
                    return None;
                };
                let frame = match next {
                    Outgoing::Event { kind, json, tokens } => {
                        server.stats.counters().output_tokens_delivered += tokens;
                        match dialect.event(kind, json, &model) {
                            Some(text) => Ok(Frame::data(Bytes::from(text))),
                            None => continue,
                        }
                    }
                    Outgoing::Close(_) | Outgoing::Cut => Err(broken_off()),
                };
                return Some((frame, (outgoing, work)));
            }
        }
    });
    let mut response = Response::new(StreamBody::new(frames).boxed_unsync());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// Returns the complete response as one object.
async fn whole(server: &Server, accepted: &response::AcceptedRequest, dialect: Dialect) -> Response<Body> {
    let (out, mut outgoing) = mpsc::channel(64);
    let work = async move {
        // The channel is drained, and its last event holds the outcome.
        let _ended = response::run(server, accepted, None, &out).await;
    };
    let last = async {
        let (mut last, mut delivered, mut text) = (None, 0, String::new());
        while let Some(item) = outgoing.recv().await {
            if let Outgoing::Event { kind, json, tokens } = &item {
                delivered += tokens;
                if *kind == "response.output_text.delta" {
                    let event: Value = serde_json::from_str(json).unwrap_or_default();
                    text.push_str(event["delta"].as_str().unwrap_or_default());
                }
            }
            last = Some(item);
        }
        (last, delivered, text)
    };
    let ((), (last, delivered, text)) = tokio::join!(work, last);
    let terminal: Option<Map<String, Value>> = match last {
        Some(Outgoing::Event { json, .. }) => serde_json::from_str(&json).ok(),
        _ => None,
    };
    match terminal.and_then(|mut terminal| terminal.remove("response")) {
        Some(object) => {
            server.stats.counters().output_tokens_delivered += delivered;
            let reason = if object["status"] == "incomplete" { "length" } else { "stop" };
            json_response(StatusCode::OK, dialect.whole(&object, &text, reason).to_string())
        }
        None => {
            let cut = stream::once(async { Err(broken_off()) });
            Response::new(StreamBody::new(cut).boxed_unsync())
        }
    }
}

fn broken_off() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "broken off as asked")
}

fn refused(server: &Server, dialect: Dialect, refusal: &Refusal) -> Response<Body> {
    let (status, body) = dialect.refused(refusal, &server.next_id("req"));
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    if refusal.code.is_empty() && refusal.message.is_empty() {
        // With an empty body, as from proxies and challenge pages.
        let mut response = Response::new(empty());
        *response.status_mut() = status;
        return response;
    }
    json_response(status, body.to_string())
}

fn json_response(status: StatusCode, json: String) -> Response<Body> {
    let body = Full::new(Bytes::from(json)).map_err(|never: Infallible| match never {}).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn empty() -> Body {
    http_body_util::Empty::new().map_err(|never: Infallible| match never {}).boxed_unsync()
}
