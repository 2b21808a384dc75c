//! TLS with a custom certificate authority, and proxies, for sockets and for HTTP.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tandem::config::{Endpoint, Secret, Wire};
use tandem::model::{self, Chunk, ErrorKind, Model, Request, Urgency};
use tandem::simulate::{self, Options, Script, Simulator};
use tempfile::TempDir;
use tokio::io::{AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;

use crate::socket::{read, request, until};
use crate::support::http::read_head;

const WIRES: [Wire; 2] = [Wire::ResponsesWebsocket, Wire::ResponsesSse];

async fn simulator() -> (Simulator, SocketAddr) {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let simulator = simulate::start(Options { script, ..Options::default() }).await.unwrap();
    let base_url = simulator.base_url();
    let address = base_url.trim_start_matches("http://").trim_end_matches("/v1").parse().unwrap();
    (simulator, address)
}

/// A server's TLS acceptor, and the certificate file of its authority.
fn identity(folder: &TempDir, protocols: &[&[u8]]) -> (TlsAcceptor, PathBuf) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    let ca_file = folder.path().join("ca.pem");
    std::fs::write(&ca_file, authority.pem()).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(certificate.der().to_vec())], key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|it| it.to_vec()).collect();
    (TlsAcceptor::from(Arc::new(config)), ca_file)
}

/// Puts TLS in front of a server, with a handshake of this duration; also returns the certificate file of its
/// authority, and the number of connections.
async fn secured(
    server: SocketAddr,
    folder: &TempDir,
    handshake: Duration,
) -> (SocketAddr, PathBuf, Arc<AtomicUsize>) {
    let (acceptor, ca_file) = identity(folder, &[]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::Relaxed);
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                sleep(handshake).await;
                // A client that does not trust the certificate disconnects here.
                let Ok(mut inside) = acceptor.accept(tcp).await else { return };
                let mut outside = TcpStream::connect(server).await.unwrap();
                let _ended = copy_bidirectional(&mut inside, &mut outside).await;
            });
        }
    });
    (address, ca_file, connections)
}

/// A server of chat completions that only supports HTTP/2. Answers of 4,000 tokens never end.
async fn over_http2(folder: &TempDir) -> (SocketAddr, PathBuf, Arc<AtomicUsize>) {
    let (acceptor, ca_file) = identity(folder, &[b"h2"]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::Relaxed);
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let inside = TokioIo::new(acceptor.accept(tcp).await.unwrap());
                let http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                let _ended = http.serve_connection(inside, service_fn(say_ok)).await;
            });
        }
    });
    (address, ca_file, connections)
}

async fn say_ok(
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<UnsyncBoxBody<Bytes, Infallible>>, Infallible> {
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let asked: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let event = |text: &str| Ok(Frame::data(Bytes::from(format!("data: {text}\n\n"))));
    let text = event(r#"{"choices": [{"delta": {"content": "ok"}, "finish_reason": null}]}"#);
    let body = match asked["max_tokens"].as_u64() {
        Some(4_000) => StreamBody::new(stream::iter([text]).chain(stream::pending())).boxed_unsync(),
        _ => {
            let end = event(r#"{"choices": [{"delta": {}, "finish_reason": "stop"}]}"#);
            StreamBody::new(stream::iter([text, end, event("[DONE]")])).boxed_unsync()
        }
    };
    Ok(hyper::Response::builder().header("content-type", "text/event-stream").body(body).unwrap())
}

/// A proxy for `user:p@ss` that connects every tunnel to this server, and counts them.
async fn proxy(server: SocketAddr) -> (SocketAddr, Arc<AtomicUsize>) {
    let tunnels = Arc::new(AtomicUsize::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let count = Arc::clone(&tunnels);
    tokio::spawn(async move {
        while let Ok((mut tcp, _)) = listener.accept().await {
            let count = Arc::clone(&count);
            tokio::spawn(async move {
                let Some(head) = read_head(&mut tcp).await else { return };
                assert!(head.starts_with("CONNECT localhost:"), "{head}");
                // `user:p@ss` in Base64.
                if !head.to_lowercase().contains("proxy-authorization: basic dxnlcjpwqhnz\r\n") {
                    let refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
                    tcp.write_all(refusal).await.unwrap();
                    return;
                }
                count.fetch_add(1, Ordering::Relaxed);
                tcp.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                let mut outside = TcpStream::connect(server).await.unwrap();
                let _ended = copy_bidirectional(&mut tcp, &mut outside).await;
            });
        }
    });
    (address, tunnels)
}

fn connect(
    wire: Wire,
    address: SocketAddr,
    ca_file: Option<PathBuf>,
    proxy: Option<String>,
) -> Arc<dyn Model> {
    let endpoint = Endpoint {
        provider: "test".to_owned(),
        base_url: format!("https://localhost:{}/v1", address.port()),
        key: Some(Secret::new("sk-canary".to_owned())),
        model: "m".to_owned(),
        wire,
        ca_file,
        proxy: proxy.map(Secret::new),
        ..Endpoint::default()
    };
    model::connect_to(endpoint, Arc::new(|_| ()))
}

fn asked() -> Request {
    Request { urgency: Urgency::Asked, ..request(64) }
}

#[tokio::test]
async fn an_authority_of_ones_own_is_trusted_and_no_other() {
    let folder = TempDir::new().unwrap();
    let (_simulator, server) = simulator().await;
    let (address, ca_file, _) = secured(server, &folder, Duration::ZERO).await;
    for wire in WIRES {
        let model = connect(wire, address, Some(ca_file.clone()), None);
        assert_eq!(read(model.stream(asked())).await.0, "ok", "{wire:?}");
        let (_, end) = read(connect(wire, address, None, None).stream(asked())).await;
        let error = end.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Offline, "{wire:?}: {error}");
        assert!(error.to_string().contains("ertificate"), "{wire:?}: {error}");
        let missing = folder.path().join("none.pem");
        let (_, end) = read(connect(wire, address, Some(missing), None).stream(asked())).await;
        assert!(end.unwrap_err().to_string().contains("`ca_file`"), "{wire:?}");
    }
}

#[tokio::test]
async fn sockets_and_requests_go_through_a_proxy() {
    let folder = TempDir::new().unwrap();
    let (_simulator, server) = simulator().await;
    let (address, ca_file, _) = secured(server, &folder, Duration::ZERO).await;
    for wire in WIRES {
        let (proxy, tunnels) = proxy(address).await;
        let url = |user: &str| Some(format!("http://{user}127.0.0.1:{}", proxy.port()));
        let model = connect(wire, address, Some(ca_file.clone()), url("user:p%40ss@"));
        assert_eq!(read(model.stream(asked())).await.0, "ok", "{wire:?}");
        assert!(tunnels.load(Ordering::Relaxed) > 0, "{wire:?}");
        let model = connect(wire, address, Some(ca_file.clone()), url("user:wrong-canary@"));
        let (_, end) = read(model.stream(asked())).await;
        let error = end.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Offline, "{wire:?}: {error}");
        assert!(!error.to_string().contains("canary"), "{wire:?}: {error}");
    }
}

#[tokio::test]
async fn abandoned_answer_that_ends_before_another_connection_would_be_there_is_read_on() {
    let folder = TempDir::new().unwrap();
    let script = Script::parse(
        r#"{"when": "short", "reply": "one two three"}
        {"reply": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"}"#,
    );
    let options = Options { script: script.unwrap(), tokens_per_second: 20, ..Options::default() };
    let simulator = simulate::start(options).await.unwrap();
    let server = simulator.base_url().trim_start_matches("http://").trim_end_matches("/v1").parse().unwrap();
    let (address, ca_file, connections) = secured(server, &folder, Duration::from_millis(400)).await;
    let model = connect(Wire::Chat, address, Some(ca_file), None);
    let abandon = async |input: &str| {
        let mut chunks = model.stream(Request { input: input.to_owned(), ..asked() });
        assert!(matches!(chunks.next().await, Some(Ok(Chunk::Text(_)))), "{input}");
    };
    for completed in 1..=3 {
        abandon("short").await;
        until("the end", || simulator.stats().responses_completed == completed).await;
        // The end of the body is read a moment after it was sent.
        sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(connections.load(Ordering::Relaxed), 1);
    abandon("long").await;
    until("the end of the long one", || simulator.stats().responses_abandoned == 1).await;
    abandon("short").await;
    assert_eq!(connections.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn one_connection_of_http2_serves_all_requests_and_outlives_abandoned_ones() {
    let folder = TempDir::new().unwrap();
    let (address, ca_file, connections) = over_http2(&folder).await;
    let model = connect(Wire::Chat, address, Some(ca_file), None);
    assert_eq!(read(model.stream(asked())).await.0, "ok");
    for _ in 0..5 {
        let (mut chunks, beside) = (model.stream(request(4_000)), model.stream(asked()));
        assert!(matches!(chunks.next().await, Some(Ok(Chunk::Text(_)))));
        drop(chunks);
        assert_eq!(read(beside).await.0, "ok");
    }
    assert_eq!(connections.load(Ordering::Relaxed), 1);
}
