//! Opens a socket: TCP, a proxy's tunnel, TLS where the URL asks for it, and the upgrade
//! ([upgrade](super#upgrade)).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::rt::TokioIo;
use percent_encoding::percent_decode_str;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::header::InvalidHeaderValue;
use tokio_tungstenite::tungstenite::http::{
    Error as HttpError, HeaderMap, HeaderName, HeaderValue, Uri, header,
};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async_with_config};
use tower_service::Service;

use super::dialect::messages;
use super::endpoint::{EndpointContext, HandshakeInfo};
use super::error_kind::Refusal;
use super::limits::READ_BYTES;
use super::{ModelError, requester};
use crate::config::{Endpoint, Issued, Secret, Wire};
use crate::deflate::{Deflated, MESSAGE_BYTES, OFFER, Side, Terms};

pub(super) type Socket = WebSocketStream<Deflated<MaybeTlsStream<TcpStream>>>;

/// Connects to an endpoint's `…/responses`. Also returns what the server reports in the handshake. The error is
/// [`ModelError::Refused`] if the server answered the upgrade with an error status, otherwise
/// [`ModelError::Offline`].
pub(super) async fn connect(
    context: &EndpointContext,
    token: Option<&Issued>,
) -> Result<(Socket, HandshakeInfo), ModelError> {
    let endpoint = &context.endpoint;
    let offline = |error: &dyn std::fmt::Display| ModelError::offline(endpoint, &error.to_string());
    let url = endpoint.url("/responses");
    let mut request = websocket_url(url.expose()).into_client_request().map_err(|error| offline(&error))?;
    request.headers_mut().extend(headers(endpoint).map_err(|error| offline(&error))?);
    if let Some(token) = token {
        let bearer = bearer(&token.secret).map_err(|error| offline(&error))?;
        request.headers_mut().insert(header::AUTHORIZATION, bearer);
    }
    if context.offers_deflate() {
        request.headers_mut().insert(header::SEC_WEBSOCKET_EXTENSIONS, HeaderValue::from_static(OFFER));
    }
    let uri = request.uri();
    let tls = uri.scheme_str() == Some("wss");
    let host = uri.host().ok_or_else(|| offline(&"the URL has no host"))?;
    let bare_host = host.trim_start_matches('[').trim_end_matches(']');
    let port = uri.port_u16().unwrap_or(if tls { 443 } else { 80 });
    let stream = match &endpoint.proxy {
        Some(proxy) => through(proxy.expose(), host, port).await.map_err(|why| offline(&why))?,
        None => {
            let mut connector = HttpConnector::new();
            // The timeout covers all addresses of a family together.
            connector.set_connect_timeout(Some(context.timing.connect));
            dial(connector, host, port).await.map_err(|why| offline(&why))?
        }
    };
    // A frame is written in one go and nothing follows it: coalescing would only delay it.
    stream.set_nodelay(true).map_err(|error| offline(&error))?;
    let stream = if tls {
        let name = ServerName::try_from(bare_host.to_owned()).map_err(|error| offline(&error))?;
        let connector = TlsConnector::from(context.tls().await?);
        MaybeTlsStream::Rustls(connector.connect(name, stream).await.map_err(|error| offline(&error))?)
    } else {
        MaybeTlsStream::Plain(stream)
    };
    // The same limit as for answers over HTTP, many times the size of an answer.
    let bounds = WebSocketConfig::default()
        .max_message_size(Some(MESSAGE_BYTES))
        .max_frame_size(Some(MESSAGE_BYTES))
        .read_buffer_size(READ_BYTES);
    match client_async_with_config(request, Deflated::before_handshake(stream), Some(bounds)).await {
        Ok((mut socket, response)) => {
            let headers = response.headers();
            let answer = headers.get_all(header::SEC_WEBSOCKET_EXTENSIONS);
            let terms = Terms::answered(answer.iter().map(|value| value.to_str().unwrap_or_default()))
                .map_err(|violation| {
                    context.give_up_deflate(violation);
                    offline(&violation)
                })?;
            tracing::debug!(?terms, "connected");
            socket.get_mut().begin(terms, Side::Client).map_err(|error| offline(&error))?;
            Ok((socket, context.handshake_info(headers)))
        }
        Err(WsError::Http(response)) => {
            let body = response.body().as_deref().unwrap_or_default();
            Err(ModelError::refused(endpoint, Refusal::read(response.status(), response.headers(), body)))
        }
        Err(error) => Err(offline(&error)),
    }
}

/// Connects to a host. If its addresses of one family do not answer soon, those of the other family
/// are tried in parallel (RFC 8305).
async fn dial<C>(mut connector: C, host: &str, port: u16) -> Result<TcpStream, String>
where
    C: Service<Uri, Response = TokioIo<TcpStream>, Error: std::error::Error + 'static>,
{
    let target = format!("http://{host}:{port}").parse().map_err(|_| "the host cannot be asked for")?;
    match connector.call(target).await {
        Ok(stream) => Ok(stream.into_inner()),
        Err(error) => Err(sources(&error).last().map_or_else(String::new, ToString::to_string)),
    }
}

/// Opens a tunnel through a proxy. Errors do not contain the proxy's password.
async fn through(proxy: &str, host: &str, port: u16) -> Result<TcpStream, String> {
    let say = |what: &dyn std::fmt::Display| format!("the proxy: {what}");
    let proxy: Uri = proxy.parse().map_err(|_| say(&"its URL cannot be read"))?;
    let target = format!("http://{host}:{port}").parse().map_err(|_| say(&"the host cannot be asked for"))?;
    let user = proxy.authority().and_then(|it| Some(it.as_str().rsplit_once('@')?.0.to_owned()));
    let mut tunnel = Tunnel::new(proxy, HttpConnector::new());
    if let Some(user) = user {
        let user: Vec<u8> = percent_decode_str(&user).collect();
        let basic = format!("Basic {}", BASE64_STANDARD.encode(user));
        tunnel = tunnel.with_auth(HeaderValue::from_str(&basic).map_err(|_| say(&"its user is no header"))?);
    }
    let stream = tunnel.call(target).await.map_err(|error| say(&error))?;
    Ok(TokioIo::into_inner(stream))
}

/// Replaces `http` with `ws` and `https` with `wss`; other URLs are unchanged.
fn websocket_url(url: &str) -> String {
    match url.strip_prefix("http") {
        Some(rest) => format!("ws{rest}"),
        None => url.to_owned(),
    }
}

/// An error and its chain of causes, innermost last.
pub(super) fn sources<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}

/// The headers of every request to an endpoint, over any wire.
pub(super) fn headers(endpoint: &Endpoint) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    headers
        .insert(header::USER_AGENT, HeaderValue::from_static(concat!("tandem/", env!("CARGO_PKG_VERSION"))));
    let is_anthropic = endpoint.wire == Wire::Anthropic;
    if is_anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(messages::VERSION));
    }
    if let Some(key) = &endpoint.key {
        let (name, value) = match is_anthropic {
            true => (HeaderName::from_static("x-api-key"), sensitive(key.expose())?),
            false => (header::AUTHORIZATION, bearer(key)?),
        };
        headers.insert(name, value);
    }
    for (name, value) in &endpoint.headers {
        headers.insert(HeaderName::from_bytes(name.as_bytes())?, sensitive(value.expose())?);
    }
    headers.extend(requester::headers(endpoint, None)?);
    Ok(headers)
}

fn bearer(key: &Secret) -> Result<HeaderValue, InvalidHeaderValue> {
    sensitive(&format!("Bearer {}", key.expose()))
}

/// A header value that is never printed, not even in debug output.
fn sensitive(value: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    let mut value = HeaderValue::from_str(value)?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::future::{Ready, ready};
    use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
    use std::task::{Context, Poll};

    use hyper_util::client::legacy::connect::dns::Name;
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;

    /// Resolves every name to these addresses.
    #[derive(Clone)]
    struct Known(Vec<SocketAddr>);

    impl Service<Name> for Known {
        type Response = std::vec::IntoIter<SocketAddr>;
        type Error = std::convert::Infallible;
        type Future = Ready<Result<Self::Response, Self::Error>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Name) -> Self::Future {
            ready(Ok(self.0.clone().into_iter()))
        }
    }

    /// Linux drops the packets to a listener whose queue is full, as a broken route does.
    #[tokio::test]
    async fn address_that_swallows_packets_does_not_keep_the_other_from_being_tried() {
        let swallowing = TcpSocket::new_v6().unwrap();
        swallowing.bind((Ipv6Addr::LOCALHOST, 0).into()).unwrap();
        let v6 = swallowing.local_addr().unwrap();
        let full = swallowing.listen(1).unwrap();
        let mut queued = Vec::new();
        let moment = std::time::Duration::from_millis(200);
        while let Ok(stream) = tokio::time::timeout(moment, TcpStream::connect(v6)).await {
            queued.push(stream.unwrap());
        }
        let answering = TcpListener::bind((Ipv4Addr::LOCALHOST, v6.port())).await.unwrap();
        let v4 = answering.local_addr().unwrap();
        let connector = HttpConnector::new_with_resolver(Known(vec![v6, v4]));
        let stream = dial(connector, "both.test", v6.port()).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap(), v4);
        drop((full, queued));
    }
}
