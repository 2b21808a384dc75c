//! The HTTP client of one endpoint: what all requests there have in common, and how long
//! a connection takes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use reqwest::{ClientBuilder, RequestBuilder, Response};
use rustls::ClientConfig;
use tower_layer::Layer;
use tower_service::Service;

use crate::config::{Endpoint, Issued};
use crate::model::ModelError;
use crate::model::connect::{headers, sources};
use crate::model::limits::BODY_BYTES;
use crate::model::tls;

/// A client that sends the endpoint's headers to the endpoint alone.
pub(in crate::model) fn builder(
    endpoint: &Endpoint,
    mut tls: ClientConfig,
) -> Result<ClientBuilder, ModelError> {
    let offline = |why: &dyn std::fmt::Display| ModelError::offline(endpoint, &why.to_string());
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .default_headers(headers(endpoint).map_err(|error| offline(&error))?)
        // A redirection could carry a key to another host: in a header that is no standard one, or in the
        // query of the page that led there.
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        // The configuration has looked at the environment already.
        .no_proxy();
    if let Some(proxy) = &endpoint.proxy {
        let proxy = reqwest::Proxy::all(proxy.expose());
        builder = builder.proxy(proxy.map_err(|_| offline(&"the proxy's URL cannot be read"))?);
    }
    Ok(builder)
}

/// Builds it.
pub(in crate::model) fn build(
    builder: ClientBuilder,
    endpoint: &Endpoint,
) -> Result<reqwest::Client, ModelError> {
    builder.build().map_err(|error| ModelError::offline(endpoint, &words(error)))
}

/// A client for one request.
pub(in crate::model) async fn once(endpoint: &Endpoint) -> Result<reqwest::Client, ModelError> {
    let ca_file = endpoint.ca_file.clone();
    let tls = tokio::task::spawn_blocking(move || tls::config(ca_file.as_deref())).await;
    let tls = tls.unwrap_or_else(|panic| Err(panic.to_string()));
    build(builder(endpoint, tls.map_err(|why| ModelError::offline(endpoint, &why))?)?, endpoint)
}

/// A request with the token that its endpoint takes, if it takes one.
pub(in crate::model) fn with_token(asking: RequestBuilder, token: Option<&Issued>) -> RequestBuilder {
    match token {
        Some(token) => asking.bearer_auth(token.secret.expose()),
        None => asking,
    }
}

/// Reads a whole answer, as far as one is read.
pub(in crate::model) async fn whole(mut response: Response) -> Result<Vec<u8>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await? {
        body.extend_from_slice(&bytes);
        if body.len() > BODY_BYTES {
            break;
        }
    }
    Ok(body)
}

/// Takes the time of connections: the lookup, TCP, a proxy's tunnel and TLS.
#[derive(Debug, Clone, Default)]
pub(super) struct Stopwatch(Arc<Mutex<LatestConnection>>);

/// The connection that was made last.
#[derive(Debug, Default)]
struct LatestConnection {
    took: Duration,
    /// Whether it was not reported yet.
    is_news: bool,
}

impl Stopwatch {
    /// What the last connection took, if one was made since this was last asked.
    pub(super) fn take(&self) -> Option<Duration> {
        let mut last = self.lock();
        std::mem::take(&mut last.is_news).then_some(last.took)
    }

    /// What the last connection took; nothing before the first.
    pub(super) fn last(&self) -> Duration {
        self.lock().took
    }

    fn lock(&self) -> MutexGuard<'_, LatestConnection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> Layer<S> for Stopwatch {
    type Service = Timed<S>;

    fn layer(&self, connector: S) -> Timed<S> {
        Timed { connector, watch: self.clone() }
    }
}

/// Makes connections and takes their time.
#[derive(Debug, Clone)]
pub(super) struct Timed<S> {
    connector: S,
    watch: Stopwatch,
}

impl<R, S> Service<R> for Timed<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, target: R) -> Self::Future {
        let began = Instant::now();
        let connecting = self.connector.call(target);
        let watch = self.watch.clone();
        Box::pin(async move {
            let connection = connecting.await?;
            *watch.lock() = LatestConnection { took: began.elapsed(), is_news: true };
            Ok(connection)
        })
    }
}

/// The words of the innermost cause, without the URL, which may hold a key.
pub(in crate::model) fn words(error: reqwest::Error) -> String {
    let error = error.without_url();
    sources(&error).last().map_or_else(String::new, ToString::to_string)
}
