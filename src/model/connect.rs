//! Opens a socket: TCP, TLS where the URL asks for it, and the upgrade (protocol notes §1).

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::{
    Error as HttpError, HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header,
};
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream, client_async_tls_with_config};

use super::condition::{Condition, Refusal};
use super::{ModelError, event};
use crate::config::Endpoint;

pub(super) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Characters of a refusal's body that are shown.
const BODY_SHOWN: usize = 120;

/// Connects to an endpoint's `…/responses`.
///
/// # Errors
///
/// [`ModelError::Refused`] if a server answered the upgrade with a status, [`ModelError::Offline`] for the rest.
pub(super) async fn connect(endpoint: &Endpoint) -> Result<Socket, ModelError> {
    let offline = |error: &dyn std::fmt::Display| ModelError::offline(endpoint, &error.to_string());
    let url = endpoint.url("/responses");
    let mut request = websocket_url(url.expose()).into_client_request().map_err(|error| offline(&error))?;
    set_headers(&mut request, endpoint).map_err(|error| offline(&error))?;
    let host = request.uri().host().ok_or_else(|| offline(&"the URL has no host"))?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let tls = request.uri().scheme_str() == Some("wss");
    let port = request.uri().port_u16().unwrap_or(if tls { 443 } else { 80 });
    let stream = TcpStream::connect((host, port)).await.map_err(|error| offline(&error))?;
    // A frame is written at once and nothing follows it: waiting for more would only delay it.
    stream.set_nodelay(true).map_err(|error| offline(&error))?;
    let connector = if tls {
        Connector::Rustls(tls_config().map_err(|error| offline(&error))?)
    } else {
        Connector::Plain
    };
    match client_async_tls_with_config(request, stream, None, Some(connector)).await {
        Ok((socket, _)) => Ok(socket),
        Err(WsError::Http(response)) => {
            let body = response.body().as_deref().unwrap_or_default();
            Err(ModelError::refused(endpoint, refusal(response.status(), response.headers(), body)))
        }
        Err(error) => Err(offline(&error)),
    }
}

/// What an answer says that is a refusal: by its body, to people on one line, and by its headers.
pub(super) fn refusal(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Refusal {
    let text = String::from_utf8_lossy(body);
    let mut refusal = match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(value) => event::refusal(Some(status.as_u16()), &value),
        Err(_) => {
            let message = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let condition = Condition::of(Some(status.as_u16()), &[], &message);
            Refusal { condition, status: Some(status.as_u16()), param: None, message, retry_after: None }
        }
    };
    if refusal.message.is_empty() {
        refusal.message = status.to_string();
    }
    if let Some((end, _)) = refusal.message.char_indices().nth(BODY_SHOWN) {
        refusal.message.truncate(end);
    }
    let seconds = headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    refusal.retry_after = seconds.and_then(|it| Duration::try_from_secs_f64(it).ok()).or(refusal.retry_after);
    refusal
}

/// `http→ws`, `https→wss`; anything else as it is.
fn websocket_url(url: &str) -> String {
    match url.strip_prefix("http") {
        Some(rest) => format!("ws{rest}"),
        None => url.to_owned(),
    }
}

fn set_headers(request: &mut Request<()>, endpoint: &Endpoint) -> Result<(), HttpError> {
    let agent = HeaderValue::from_static(concat!("tandem/", env!("CARGO_PKG_VERSION")));
    request.headers_mut().insert(header::USER_AGENT, agent);
    if let Some(key) = &endpoint.key {
        let mut bearer = HeaderValue::from_str(&format!("Bearer {}", key.expose()))?;
        bearer.set_sensitive(true);
        request.headers_mut().insert(header::AUTHORIZATION, bearer);
    }
    for (name, value) in &endpoint.headers {
        let mut value = HeaderValue::from_str(value.expose())?;
        value.set_sensitive(true);
        request.headers_mut().insert(HeaderName::from_bytes(name.as_bytes())?, value);
    }
    Ok(())
}

/// The one TLS configuration of the process, made when it is first needed.
pub(super) fn tls_config() -> Result<Arc<rustls::ClientConfig>, rustls::Error> {
    static CONFIG: OnceLock<Arc<rustls::ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(Arc::clone(config));
    }
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::clone(CONFIG.get_or_init(|| Arc::new(config))))
}
