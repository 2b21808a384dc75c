//! Connections to the database of leases, over TLS unless it is on this machine.

use std::error::Error as _;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::str::FromStr as _;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rustls::CertificateError;
use rustls::pki_types::{InvalidDnsNameError, ServerName};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres::{Client, Config, Socket};

use crate::config::{LeaseDatabase, is_this_machine};
use crate::model::tls;
use crate::text::words::plain_error;

/// The time that each address of the host has to accept a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(3);

/// Why there is no connection, or no answer over it.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    /// The URL, or the certificates on either side. It does not pass by itself.
    #[error("{0}")]
    Setup(String),
    /// The database, or the way to it.
    #[error(transparent)]
    Database(tokio_postgres::Error),
}

impl From<tokio_postgres::Error> for ConnectError {
    fn from(error: tokio_postgres::Error) -> Self {
        // The library has no function that recognises a failed handshake.
        if !error.to_string().starts_with("error performing TLS handshake") {
            return Self::Database(error);
        }
        let Some(cause) = error.source().and_then(|it| it.downcast_ref::<io::Error>()) else {
            let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            return Self::Setup(format!("no password is sent without TLS: {why}"));
        };
        match cause.get_ref().and_then(|it| it.downcast_ref::<rustls::Error>()) {
            Some(rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer)) => Self::Setup(
                "its certificate is of an authority that is not trusted here; `budget.lease.ca_file` can name it"
                    .to_owned(),
            ),
            Some(rustls::Error::InvalidCertificate(why)) => {
                Self::Setup(format!("its certificate is not accepted: {why}"))
            }
            _ => Self::Database(error),
        }
    }
}

impl ConnectError {
    /// The reason, without the URL, which may have a password.
    pub(super) fn words(&self) -> String {
        let Self::Database(error) = self else { return self.to_string() };
        let said = match error.as_db_error() {
            Some(said) => said.message().to_owned(),
            None => error.source().map_or_else(|| error.to_string(), ToString::to_string),
        };
        plain_error(&said)
    }
}

/// Connects to a database. The connection ends with the client.
pub(super) async fn connect(database: &LeaseDatabase) -> Result<Client, ConnectError> {
    let config = configured(database).map_err(|why| ConnectError::Setup(why.to_owned()))?;
    let tls = match config.get_ssl_mode() == SslMode::Disable {
        true => tls::none(),
        false => tls::config(database.ca_file.clone()).await,
    };
    let tls = Connector(Arc::new(tls.map_err(ConnectError::Setup)?).into());
    let (client, connection) = config.connect(tls).await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "the connection to the database of leases broke");
        }
    });
    Ok(client)
}

/// The options of a connection: without TLS only to this machine, and never without it because the other side has none.
fn configured(database: &LeaseDatabase) -> Result<Config, &'static str> {
    let url = database.url.expose();
    let (rest, query) = url.split_once('?').unwrap_or((url, ""));
    // The library does not know all modes, and goes on without TLS by default.
    let (modes, others): (Vec<&str>, Vec<&str>) = query.split('&').partition(|it| it.starts_with("sslmode="));
    // The error of the parser may quote a part of the URL.
    let mut config = Config::from_str(&format!("{rest}?{}", others.join("&")))
        .map_err(|_| "`database` cannot be read as the URL of a PostgreSQL database")?;
    let is_here = |host: &Host| match host {
        Host::Tcp(name) => is_this_machine(name),
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    let is_here =
        config.get_hosts().iter().all(is_here) && config.get_hostaddrs().iter().all(IpAddr::is_loopback);
    let mode = match modes.last().map(|it| &it["sslmode=".len()..]) {
        None if is_here => SslMode::Disable,
        None | Some("require" | "verify-ca" | "verify-full") => SslMode::Require,
        Some("disable") if is_here => SslMode::Disable,
        Some("disable") => {
            return Err(
                "with `sslmode=disable`, `database` would get the password in plain text; that is for \
                        databases on this machine",
            );
        }
        Some("allow" | "prefer") => {
            return Err("the `sslmode` of `database` permits a connection without TLS; use `verify-full`");
        }
        Some(_) => {
            return Err("`database` has an `sslmode` other than `disable`, `require` and `verify-full`");
        }
    };
    config.ssl_mode(mode).application_name("tandem").connect_timeout(CONNECT_WITHIN);
    if let Some(password) = &database.password {
        config.password(password.expose());
    }
    Ok(config)
}

/// Makes TLS connections, which always check the host's certificate.
#[derive(Clone)]
struct Connector(tokio_rustls::TlsConnector);

impl MakeTlsConnect<Socket> for Connector {
    type Stream = Encrypted;
    type TlsConnect = HostConnector;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<HostConnector, InvalidDnsNameError> {
        Ok(HostConnector(self.0.clone(), ServerName::try_from(host.to_owned())?))
    }
}

struct HostConnector(tokio_rustls::TlsConnector, ServerName<'static>);

impl TlsConnect<Socket> for HostConnector {
    type Stream = Encrypted;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Encrypted>>;

    fn connect(self, socket: Socket) -> Self::Future {
        let Self(connector, host) = self;
        async move { connector.connect(host, socket).await.map(|it| Encrypted(Box::new(it))) }.boxed()
    }
}

/// An encrypted connection.
struct Encrypted(Box<tokio_rustls::client::TlsStream<Socket>>);

impl TlsStream for Encrypted {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
