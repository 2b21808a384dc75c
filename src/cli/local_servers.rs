//! Model servers on this machine. They are offered, but never used without consent.

use std::str::FromStr;

use serde::Serialize;
use tokio::time::timeout;

use super::limits::LOCAL_SERVER_TIMEOUT;
use crate::config::{Endpoint, Wire};
use crate::model::probe;

/// The default port of a kind of server.
#[derive(Debug, Clone)]
pub(super) struct DefaultAddress {
    name: String,
    port: u16,
}

impl FromStr for DefaultAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, port) = text.split_once('=').ok_or("write NAME=PORT")?;
        let port = port.parse().map_err(|_| format!("`{port}` is no port"))?;
        Ok(Self { name: name.to_owned(), port })
    }
}

/// A server on this machine that could be used.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LocalServer {
    pub(super) name: String,
    pub(super) base_url: String,
    pub(super) models: Vec<String>,
    pub(super) configured: bool,
}

/// The default servers to look for, in the format of the command line.
pub(super) const USUAL: &str = "Ollama=11434,LM Studio=1234,llama.cpp=8080,vLLM=8000";

/// Finds the running servers. `used` are the base URLs of the configuration.
pub(super) async fn look(places: &[DefaultAddress], used: &[String]) -> Vec<LocalServer> {
    let looks = places.iter().map(|place| async move {
        let base_url = format!("http://127.0.0.1:{}/v1", place.port);
        let endpoint = Endpoint { base_url, wire: Wire::Chat, ..Endpoint::default() };
        let models = timeout(LOCAL_SERVER_TIMEOUT, probe::models(&endpoint)).await.ok()?.ok()??;
        let mine = format!("127.0.0.1:{}", place.port);
        let localhost = format!("localhost:{}", place.port);
        let configured = used.iter().any(|url| url.contains(&mine) || url.contains(&localhost));
        Some(LocalServer { name: place.name.clone(), base_url: endpoint.base_url, models, configured })
    });
    futures_util::future::join_all(looks).await.into_iter().flatten().collect()
}
