//! Who is trusted: the platform's certificates, or where it has none those of Mozilla, and the user's own.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// What sockets and HTTP connections of one endpoint are secured with. Reads files: not for a thread that serves.
///
/// # Errors
///
/// One sentence: the user's file cannot be read or holds no certificate.
pub(super) fn config(ca_file: Option<&Path>) -> Result<ClientConfig, String> {
    let own = ca_file.map(certificates).transpose()?.unwrap_or_default();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(verifier(own, provider)?)
        .with_no_client_auth();
    Ok(config)
}

fn verifier(
    own: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, String> {
    // With own certificates it would be content with these; without a platform's it refuses. So that is asked alone.
    if let Err(error) = Verifier::new(Arc::clone(&provider)) {
        tracing::info!(%error, "the platform has no certificates; Mozilla's are used");
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for certificate in own {
            roots.add(certificate).map_err(|error| format!("`ca_file`: {error}"))?;
        }
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
        return Ok(verifier.map_err(|error| error.to_string())?);
    }
    let verifier = Verifier::new_with_extra_roots(own, provider);
    Ok(Arc::new(verifier.map_err(|error| format!("`ca_file`: {error}"))?))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let say = |what: &dyn std::fmt::Display| format!("`ca_file` {}: {what}", path.display());
    let certificates = CertificateDer::pem_file_iter(path).map_err(|error| say(&error))?;
    let certificates: Vec<_> = certificates.collect::<Result<_, _>>().map_err(|error| say(&error))?;
    if certificates.is_empty() { Err(say(&"there is no certificate in it")) } else { Ok(certificates) }
}
