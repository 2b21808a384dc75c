//! Leases from PostgreSQL. Each request has a connection of its own for a moment: 100,000 clients cannot each keep one.

use std::io;
use std::pin::Pin;
use std::str::FromStr as _;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rustls::pki_types::{InvalidDnsNameError, ServerName};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, Row, Socket};

use super::store::{BudgetOwner, LeaseAnswer, LeaseAsk, LeaseFailure, LeaseStore, Leaseholder, MicroDollars};
use crate::config::LeaseDatabase;
use crate::model::tls;
use crate::text::words::without_error_number;

/// The version of the functions in `migrations`. A database with another one says so.
const PROTOCOL: i32 = 1;
/// The time that each address of the host has to accept a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(3);

/// The leases of a database.
#[derive(Debug)]
pub(super) struct PostgresStore {
    database: LeaseDatabase,
}

impl PostgresStore {
    pub(super) fn new(database: LeaseDatabase) -> Self {
        Self { database }
    }

    /// Calls a function, whose first parameters are the version and the holder.
    async fn query(
        &self,
        call: &str,
        holder: &Leaseholder,
        others: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Row>, LeaseFailure> {
        let client = connect(&self.database).await.map_err(|error| failure(&error))?;
        let mut parameters: Vec<(&(dyn ToSql + Sync), Type)> = vec![
            (&PROTOCOL, Type::INT4),
            (&holder.team, Type::TEXT),
            (&holder.user, Type::TEXT),
            (&holder.client, Type::INT8),
        ];
        parameters.extend(others.iter().cloned());
        // Without a prepared statement, so that a pool of connections for transactions can be between.
        let rows = client.query_typed(call, &parameters).await;
        rows.map_err(|error| failure(&ConnectError::Database(error)))
    }
}

impl LeaseStore for PostgresStore {
    fn lease<'a>(
        &'a self,
        holder: &'a Leaseholder,
        ask: LeaseAsk,
    ) -> BoxFuture<'a, Result<LeaseAnswer, LeaseFailure>> {
        async move {
            let LeaseAsk { number, spent, keep, want } = ask;
            let of_ask: [(&(dyn ToSql + Sync), Type); 4] =
                [(&number, Type::INT4), (&spent, Type::INT8), (&keep, Type::INT8), (&want, Type::INT8)];
            let lease =
                "select amount, milliseconds, refused from tandem.lease($1, $2, $3, $4, $5, $6, $7, $8)";
            let rows = self.query(lease, holder, &of_ask).await?;
            let strange = || LeaseFailure::Schema("it does not answer as this version expects".to_owned());
            let row = rows.first().ok_or_else(strange)?;
            let amount: MicroDollars = row.try_get(0).map_err(|_| strange())?;
            let milliseconds: i64 = row.try_get(1).map_err(|_| strange())?;
            let refused: Option<String> = row.try_get(2).map_err(|_| strange())?;
            let time = Duration::from_millis(milliseconds.max(0).cast_unsigned());
            Ok(match refused.as_deref() {
                None => LeaseAnswer::Granted { amount, term: time },
                Some("user") => LeaseAnswer::Refused { of: BudgetOwner::User, next_day: time },
                Some(_) => LeaseAnswer::Refused { of: BudgetOwner::Team, next_day: time },
            })
        }
        .boxed()
    }

    fn give_back<'a>(
        &'a self,
        holder: &'a Leaseholder,
        number: i32,
        spent: MicroDollars,
    ) -> BoxFuture<'a, Result<(), LeaseFailure>> {
        async move {
            let of_lease: [(&(dyn ToSql + Sync), Type); 2] = [(&number, Type::INT4), (&spent, Type::INT8)];
            self.query("select tandem.give_back($1, $2, $3, $4, $5, $6)", holder, &of_lease).await.map(drop)
        }
        .boxed()
    }
}

/// Why there is no connection, or no answer over it.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    /// The URL, the certificates, or the start of the connection.
    #[error("{0}")]
    Setup(String),
    /// The database, or the way to it.
    #[error(transparent)]
    Database(#[from] tokio_postgres::Error),
}

impl ConnectError {
    /// The reason, without the URL, which may have a password.
    pub(super) fn words(&self) -> String {
        let Self::Database(error) = self else { return self.to_string() };
        let said = match error.as_db_error() {
            Some(said) => said.message().to_owned(),
            None => std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string),
        };
        without_error_number(&said)
    }
}

fn failure(error: &ConnectError) -> LeaseFailure {
    let why = error.words();
    let ConnectError::Database(error) = error else { return LeaseFailure::Denied(why) };
    match error.code() {
        Some(code) if *code == SqlState::UNDEFINED_FUNCTION || *code == SqlState::INVALID_SCHEMA_NAME => {
            LeaseFailure::Schema(
                "it has no leases of this version; `tandem leases migrate` brings them".to_owned(),
            )
        }
        Some(code) if code.code() == "TD001" => LeaseFailure::Schema(why),
        Some(code)
            if code.code() == "TD002"
                || [
                    SqlState::INSUFFICIENT_PRIVILEGE,
                    SqlState::INVALID_PASSWORD,
                    SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
                    SqlState::INVALID_CATALOG_NAME,
                ]
                .contains(code) =>
        {
            LeaseFailure::Denied(why)
        }
        _ => LeaseFailure::Away(why),
    }
}

/// Connects to a database. The connection ends with the client.
pub(super) async fn connect(database: &LeaseDatabase) -> Result<Client, ConnectError> {
    // The error of the parser may quote a part of the URL.
    let mut config = Config::from_str(database.url.expose()).map_err(|_| {
        ConnectError::Setup("`database` cannot be read as the URL of a PostgreSQL database".to_owned())
    })?;
    if let Some(password) = &database.password {
        config.password(password.expose());
    }
    if !database.url.expose().contains("sslmode=") {
        config.ssl_mode(if database.is_local { SslMode::Disable } else { SslMode::Require });
    }
    config.application_name("tandem").connect_timeout(CONNECT_WITHIN);
    let is_open = config.get_ssl_mode() == SslMode::Disable;
    let ca_file = database.ca_file.clone();
    let read = move || if is_open { tls::none() } else { tls::config(ca_file.as_deref()) };
    let tls = tokio::task::spawn_blocking(read).await.unwrap_or_else(|panic| Err(panic.to_string()));
    let tls = Connector(Arc::new(tls.map_err(ConnectError::Setup)?).into());
    let (client, connection) = config.connect(tls).await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "the connection to the database of leases broke");
        }
    });
    Ok(client)
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
