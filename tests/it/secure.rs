//! TLS with a certificate authority of one's own, and proxies, for sockets and for HTTP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tandem::config::{Endpoint, Secret, Wire};
use tandem::model::{self, ErrorKind, Model, Request, Urgency};
use tandem::simulate::{self, Options, Script, Simulator};
use tempfile::TempDir;
use tokio::io::{AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::socket::{read, request};
use crate::support::http::read_head;

const WIRES: [Wire; 2] = [Wire::ResponsesWebsocket, Wire::ResponsesSse];

async fn simulator() -> (Simulator, SocketAddr) {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let simulator = simulate::start(Options { script, ..Options::default() }).await.unwrap();
    let base_url = simulator.base_url();
    let address = base_url.trim_start_matches("http://").trim_end_matches("/v1").parse().unwrap();
    (simulator, address)
}

/// Puts TLS in front of a server; also the file of the authority that vouches for it.
async fn secured(server: SocketAddr, folder: &TempDir) -> (SocketAddr, PathBuf) {
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
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(certificate.der().to_vec())], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                // A client that does not trust us leaves here.
                let Ok(mut inside) = acceptor.accept(tcp).await else { return };
                let mut outside = TcpStream::connect(server).await.unwrap();
                let _ended = copy_bidirectional(&mut inside, &mut outside).await;
            });
        }
    });
    (address, ca_file)
}

/// A proxy for `user:p@ss` that leads every tunnel to this server, and counts them.
async fn proxy(server: SocketAddr) -> (SocketAddr, Arc<std::sync::atomic::AtomicUsize>) {
    let tunnels = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let count = Arc::clone(&tunnels);
    tokio::spawn(async move {
        while let Ok((mut tcp, _)) = listener.accept().await {
            let count = Arc::clone(&count);
            tokio::spawn(async move {
                let Some(head) = read_head(&mut tcp).await else { return };
                assert!(head.starts_with("CONNECT localhost:"), "{head}");
                // `user:p@ss` in base 64.
                if !head.to_lowercase().contains("proxy-authorization: basic dxnlcjpwqhnz\r\n") {
                    let refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
                    tcp.write_all(refusal).await.unwrap();
                    return;
                }
                count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
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
    let (address, ca_file) = secured(server, &folder).await;
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
    let (address, ca_file) = secured(server, &folder).await;
    for wire in WIRES {
        let (proxy, tunnels) = proxy(address).await;
        let url = |user: &str| Some(format!("http://{user}127.0.0.1:{}", proxy.port()));
        let model = connect(wire, address, Some(ca_file.clone()), url("user:p%40ss@"));
        assert_eq!(read(model.stream(asked())).await.0, "ok", "{wire:?}");
        assert!(tunnels.load(std::sync::atomic::Ordering::Relaxed) > 0, "{wire:?}");
        let model = connect(wire, address, Some(ca_file.clone()), url("user:wrong-canary@"));
        let (_, end) = read(model.stream(asked())).await;
        let error = end.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Offline, "{wire:?}: {error}");
        assert!(!error.to_string().contains("canary"), "{wire:?}: {error}");
    }
}
