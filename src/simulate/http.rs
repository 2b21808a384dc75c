//! The HTTP side: upgrades to a socket, responses as events or as one object, models, statistics.

use std::{
    convert::Infallible,
    io,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering::Relaxed},
};

use futures_util::stream;
use http_body_util::{BodyExt, Full, Limited, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Frame, Incoming},
    header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, UPGRADE},
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
    Fault, MODEL, Server,
    event::{Outgoing, error_object, to_json},
    request::{Create, Refusal, Road},
    response, socket,
};

/// The largest request body, in bytes.
const BODY: usize = 16 << 20;

type Body = UnsyncBoxBody<Bytes, io::Error>;
/// Where a request leaves the upgrade that it was granted; one connection has at most one.
type Upgrade = Arc<Mutex<Option<OnUpgrade>>>;

/// Serves one connection: HTTP first, and the socket if it is upgraded to one.
pub(super) async fn serve(server: Arc<Server>, tcp: TcpStream) {
    server.stats.connections.fetch_add(1, Relaxed);
    let upgrade = Upgrade::default();
    let service = service_fn(|request| {
        let (server, upgrade) = (Arc::clone(&server), Arc::clone(&upgrade));
        async move { Ok::<_, Infallible>(answer(server, &upgrade, request).await) }
    });
    let mut http = http1::Builder::new();
    let connection = http.timer(TokioTimer::new()).serve_connection(TokioIo::new(tcp), service);
    if let Err(error) = connection.with_upgrades().await {
        tracing::debug!(%error, "connection ended");
    }
    let granted = upgrade.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(granted) = granted
        && let Ok(upgraded) = granted.await
    {
        let socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await;
        socket::serve(server, socket).await;
    }
}

async fn answer(server: Arc<Server>, upgrade: &Upgrade, request: Request<Incoming>) -> Response<Body> {
    let path = request.uri().path().trim_end_matches('/');
    let is_upgrade = request.headers().contains_key(UPGRADE);
    if request.method() == Method::GET && path.ends_with("/simulator/stats") {
        return json_response(StatusCode::OK, to_json(&server.stats.snapshot()));
    }
    if let Some(refusal) = turned_away(&server, &request, is_upgrade) {
        return refused(&refusal);
    }
    if path.ends_with("/responses") {
        match *request.method() {
            Method::GET if is_upgrade => return grant(upgrade, request),
            Method::POST => return respond(server, request).await,
            _ => {}
        }
    }
    if request.method() == Method::GET && path.ends_with("/models") {
        let names = server.options.models.iter().map(String::as_str);
        let data: Vec<Value> = [MODEL]
            .into_iter()
            .chain(names)
            .map(|id| json!({"id": id, "object": "model", "created": 0, "owned_by": "tandem"}))
            .collect();
        return json_response(StatusCode::OK, json!({"object": "list", "data": data}).to_string());
    }
    let message = format!("There is no {} {path} here.", request.method());
    refused(&Refusal { status: 404, code: "not_found", message, param: None })
}

/// Why a request is refused before it is read, by a fault or for its key.
fn turned_away(server: &Server, request: &Request<Incoming>, is_upgrade: bool) -> Option<Refusal> {
    let has_fault = |fault| server.has_fault(fault);
    let refusal =
        |status, code, message: &str| Some(Refusal { status, code, message: message.into(), param: None });
    let bears = |key: &str| {
        let sent = request.headers().get(AUTHORIZATION).map(|value| value.as_bytes());
        sent == Some(format!("Bearer {key}").as_bytes())
    };
    if has_fault(Fault::Refuse401) || server.options.api_key.as_ref().is_some_and(|key| !bears(key)) {
        return refusal(401, "invalid_api_key", "Incorrect API key provided.");
    }
    if has_fault(Fault::Refuse503) {
        return refusal(503, "server_is_overloaded", "The server is overloaded; try again later.");
    }
    if is_upgrade && has_fault(Fault::Refuse426) {
        return refusal(426, "websocket_unsupported", "This endpoint takes HTTP requests only.");
    }
    None
}

/// Grants an upgrade to a socket.
fn grant(upgrade: &Upgrade, mut request: Request<Incoming>) -> Response<Body> {
    match create_response_with_body(&request, empty) {
        Ok(response) => {
            *upgrade.lock().unwrap_or_else(PoisonError::into_inner) = Some(hyper::upgrade::on(&mut request));
            response
        }
        Err(error) => refused(&Refusal::new("invalid_upgrade", error.to_string(), "")),
    }
}

/// Answers `POST …/responses`.
async fn respond(server: Arc<Server>, request: Request<Incoming>) -> Response<Body> {
    server.stats.requests.fetch_add(1, Relaxed);
    let body = match Limited::new(request.into_body(), BODY).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => {
            let message = format!("The body cannot be read: {error}.");
            return refused(&Refusal { status: 413, code: "body_too_large", message, param: None });
        }
    };
    let fields: Map<String, Value> = match serde_json::from_slice(&body) {
        Ok(fields) => fields,
        Err(error) => {
            let message = format!("The body is one JSON object: {error}.");
            return refused(&Refusal::new("invalid_json", message, ""));
        }
    };
    let create = match Create::read(fields, Road::Http).and_then(|create| server.admit(create)) {
        Ok(create) => create,
        Err(refusal) => return refused(&refusal),
    };
    if let Some(id) = &create.previous_response_id {
        return refused(&socket::not_found(id));
    }
    if create.stream { events(server, create) } else { whole(&server, &create).await }
}

/// The response as server-sent events.
fn events(server: Arc<Server>, create: Create) -> Response<Body> {
    let (out, outgoing) = mpsc::channel(1);
    // The work belongs to the body: when the client leaves, hyper drops the body and the work stops.
    let mut work = JoinSet::new();
    let of_work = Arc::clone(&server);
    work.spawn(async move { response::run(&of_work, &create, &[], None, &out).await.map(drop) });
    let frames = stream::unfold((outgoing, work), move |(mut outgoing, work)| {
        let server = Arc::clone(&server);
        async move {
            let frame = match outgoing.recv().await? {
                Outgoing::Event { kind, json, tokens } => {
                    server.stats.output_tokens_delivered.fetch_add(tokens, Relaxed);
                    Ok(Frame::data(Bytes::from(format!("event: {kind}\ndata: {json}\n\n"))))
                }
                Outgoing::Close | Outgoing::Cut => Err(broken_off()),
            };
            Some((frame, (outgoing, work)))
        }
    });
    let mut response = Response::new(StreamBody::new(frames).boxed_unsync());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, hyper::header::HeaderValue::from_static("no-cache"));
    response
}

/// The response as one object, once it is complete.
async fn whole(server: &Server, create: &Create) -> Response<Body> {
    let (out, mut outgoing) = mpsc::channel(64);
    let work = async move {
        // Nobody leaves this channel early, and how the response ended is in its last event.
        let _ended = response::run(server, create, &[], None, &out).await;
    };
    let last = async {
        let mut last = None;
        let mut delivered = 0;
        while let Some(item) = outgoing.recv().await {
            if let Outgoing::Event { tokens, .. } = item {
                delivered += tokens;
            }
            last = Some(item);
        }
        (last, delivered)
    };
    let ((), (last, delivered)) = tokio::join!(work, last);
    let terminal: Option<Map<String, Value>> = match last {
        Some(Outgoing::Event { json, .. }) => serde_json::from_str(&json).ok(),
        _ => None,
    };
    match terminal.and_then(|mut terminal| terminal.remove("response")) {
        Some(object) => {
            server.stats.output_tokens_delivered.fetch_add(delivered, Relaxed);
            json_response(StatusCode::OK, object.to_string())
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

fn refused(refusal: &Refusal) -> Response<Body> {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
    let mut response = json_response(status, json!({"error": error_object(refusal)}).to_string());
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(RETRY_AFTER, 1.into());
    }
    response
}

fn json_response(status: StatusCode, json: String) -> Response<Body> {
    let body = Full::new(Bytes::from(json)).map_err(|never: Infallible| match never {}).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    response
}

fn empty() -> Body {
    http_body_util::Empty::new().map_err(|never: Infallible| match never {}).boxed_unsync()
}
