//! Trusted certificates: the platform's, or Mozilla's if it has none, and the user's.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use tokio::task::spawn_blocking;

/// The TLS configuration of an endpoint's sockets and HTTP connections. The error is a sentence.
pub(super) async fn config(ca_file: Option<PathBuf>) -> Result<ClientConfig, String> {
    // Certificates are read from files.
    let config = spawn_blocking(move || of_certificates(ca_file.as_deref())).await;
    config.unwrap_or_else(|panic| Err(panic.to_string()))
}

fn of_certificates(ca_file: Option<&Path>) -> Result<ClientConfig, String> {
    static USUAL: OnceLock<Result<Arc<dyn ServerCertVerifier>, String>> = OnceLock::new();
    let verifier = match ca_file {
        // The platform's certificates are read once, not once per endpoint.
        None => USUAL.get_or_init(|| verifier(Vec::new())).clone()?,
        Some(path) => verifier(certificates(path)?)?,
    };
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        // The dangerous part is a custom verifier, but this one is the platform's.
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(config)
}

/// The configuration of endpoints without TLS, usually on this machine: trusts no certificate, and
/// reads no file.
pub(super) fn none() -> Result<ClientConfig, String> {
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    Ok(config)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn verifier(own: Vec<CertificateDer<'static>>) -> Result<Arc<dyn ServerCertVerifier>, String> {
    let platform = match Verifier::new(provider()) {
        Ok(platform) if own.is_empty() => return Ok(Arc::new(platform)),
        platform => platform,
    };
    let bad = |error: rustls::Error| format!("`ca_file`: {error}");
    if let Err(error) = platform {
        tracing::info!(%error, "the platform has no certificates; Mozilla's are used");
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for certificate in own {
            roots.add(certificate).map_err(bad)?;
        }
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider()).build();
        return Ok(verifier.map_err(|error| error.to_string())?);
    }
    Ok(Arc::new(Verifier::new_with_extra_roots(own, provider()).map_err(bad)?))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let say = |what: &dyn std::fmt::Display| format!("`ca_file` {}: {what}", path.display());
    let certificates = CertificateDer::pem_file_iter(path).map_err(|error| say(&error))?;
    let certificates: Vec<_> = certificates.collect::<Result<_, _>>().map_err(|error| say(&error))?;
    if certificates.is_empty() { Err(say(&"there is no certificate in it")) } else { Ok(certificates) }
}
