//! Models: one trait, and the wires behind it.
//!
//! A stream yields text as it arrives and ends with [`Chunk::Done`] or an error. An error after
//! text means that the text is incomplete, and [`Chunk::Restart`] retracts the text so far.
//! Dropping a stream cancels its call.
//!
//! The path of a request: the [`fallback`] of a gear picks the candidate to ask, the candidate's
//! client makes an attempt over a socket or over HTTP in the endpoint's dialect, and the reply is
//! assembled into one answer. When an attempt fails, `recovery` decides about the request, and
//! `health` decides when and over which wire the endpoint is tried again.
#![doc = include_str!("model/PROTOCOL.md")]

mod api;
mod attempt;
mod background_tasks;
mod base_response;
pub mod bill;
mod candidates;
pub mod capability;
mod chunk;
mod client;
mod connect;
mod connection;
pub mod decode_recorded;
mod dialect;
mod drain_policy;
mod endpoint;
mod error;
mod error_kind;
mod exchange;
pub mod fallback;
mod fields;
pub mod gears;
mod health;
mod hedge;
mod http;
pub mod identity;
mod language_server;
pub mod leases;
mod limits;
mod news;
mod nonce;
mod pace;
pub mod policy;
mod pool;
pub mod probe;
mod quota;
mod recovery;
mod rendered_request;
mod request;
mod requester;
pub mod retirement;
#[cfg(test)]
pub(crate) mod scripted;
mod shared;
mod sockets;
mod speed;
mod sse;
pub mod telemetry;
mod timing;
mod tls;
mod token;
pub mod usage;
mod websocket;
mod wire_event;

use std::sync::Arc;

use crate::config::Endpoint;

pub use api::Model;
pub use chunk::{Chunk, ChunkStream, Usage};
pub use error::ModelError;
pub use error_kind::ErrorKind;
pub use news::News;
pub use pace::Pace;
pub use rendered_request::{RenderedRequest, SentForm};
pub use request::{Claim, EditPrompt, Fim, OpenDocument, Request, RequestKind, Urgency};
pub use requester::trace;
pub use shared::SharedModels;
pub use speed::ServerTimes;
pub use timing::Timing;
pub use wire_event::{Listener, WireEvent};

/// Creates the model behind an endpoint, over the wire that the endpoint names. Opens no connection
/// yet; see [`Model::warm`].
pub fn connect_to(endpoint: Endpoint, listener: Listener) -> Arc<dyn Model> {
    connect_with(endpoint, listener, Timing::default())
}

/// Like [`connect_to`], with custom durations.
pub fn connect_with(endpoint: Endpoint, listener: Listener, timing: Timing) -> Arc<dyn Model> {
    match &endpoint.command {
        Some(command) => Arc::new(language_server::LanguageServer::new(command.clone(), endpoint, listener)),
        None => Arc::new(client::Client::new(endpoint, listener, timing)),
    }
}
