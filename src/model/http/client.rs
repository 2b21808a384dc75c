//! The HTTP client of one endpoint: common settings of all requests, and the duration of connection
//! setups.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use reqwest::{ClientBuilder, RequestBuilder, Response};
use rustls::ClientConfig;
use tower_layer::Layer;
use tower_service::Service;

use crate::config::{Endpoint, Issued};
use crate::lock::Mutex;
use crate::model::ModelError;
use crate::model::connect::{headers, sources};
use crate::model::limits::BODY_BYTES;
use crate::model::tls;

/// A client that sends the endpoint's headers only to the endpoint.
pub(in crate::model) fn builder(
    endpoint: &Endpoint,
    mut tls: ClientConfig,
) -> Result<ClientBuilder, ModelError> {
    let offline = |why: &dyn std::fmt::Display| ModelError::offline(endpoint, &why.to_string());
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .default_headers(headers(endpoint).map_err(|error| offline(&error))?)
        // A redirect could leak a key to another host, in a non-standard header or in the query of
        // the referrer.
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        // The configuration has already considered the environment.
        .no_proxy();
    if let Some(proxy) = &endpoint.proxy {
        let proxy = reqwest::Proxy::all(proxy.expose());
        builder = builder.proxy(proxy.map_err(|_| offline(&"the proxy's URL cannot be read"))?);
    }
    Ok(builder)
}

pub(in crate::model) fn build(
    builder: ClientBuilder,
    endpoint: &Endpoint,
) -> Result<reqwest::Client, ModelError> {
    builder.build().map_err(|error| ModelError::offline(endpoint, &words(error)))
}

/// A client for one request.
pub(in crate::model) async fn once(endpoint: &Endpoint) -> Result<reqwest::Client, ModelError> {
    let tls = tls::config(endpoint.ca_file.clone()).await;
    build(builder(endpoint, tls.map_err(|why| ModelError::offline(endpoint, &why))?)?, endpoint)
}

/// Adds the token to a request, if the endpoint takes one.
pub(in crate::model) fn with_token(asking: RequestBuilder, token: Option<&Issued>) -> RequestBuilder {
    match token {
        Some(token) => asking.bearer_auth(token.secret.expose()),
        None => asking,
    }
}

/// Reads a whole body, up to the size limit.
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

/// Measures connection setups: DNS lookup, TCP, a proxy's tunnel and TLS.
#[derive(Debug, Clone, Default)]
pub(super) struct Stopwatch(Arc<Mutex<LatestConnection>>);

#[derive(Debug, Default)]
struct LatestConnection {
    took: Duration,
    /// Whether it has not been reported yet.
    is_news: bool,
}

impl Stopwatch {
    /// Duration of the last connection setup, if it was not taken before.
    pub(super) fn take(&self) -> Option<Duration> {
        let mut last = self.0.lock();
        std::mem::take(&mut last.is_news).then_some(last.took)
    }

    /// Duration of the last connection setup; zero before the first.
    pub(super) fn last(&self) -> Duration {
        self.0.lock().took
    }
}

impl<S> Layer<S> for Stopwatch {
    type Service = Timed<S>;

    fn layer(&self, connector: S) -> Timed<S> {
        Timed { connector, watch: self.clone() }
    }
}

/// A connector that measures its connections.
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
            *watch.0.lock() = LatestConnection { took: began.elapsed(), is_news: true };
            Ok(connection)
        })
    }
}

/// The message of the innermost cause, without the URL, which may contain a key.
pub(in crate::model) fn words(error: reqwest::Error) -> String {
    let error = error.without_url();
    sources(&error).last().map_or_else(String::new, ToString::to_string)
}
