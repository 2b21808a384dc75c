//! Models: one trait, and the wires behind it.
//!
//! Dropping a stream cancels its call. A stream yields text as it arrives and ends with [`Chunk::Done`] or an
//! error; an error after text means that the text is not whole. [`Chunk::Restart`] takes back the text so
//! far.
//!
//! A request goes this way: a gear's [`fallback`] picks the candidate whose turn it is, its client makes an
//! attempt over a socket or over HTTP in the endpoint's dialect, and what comes back is put together to one
//! answer. When an attempt fails, `recovery` says what is done with the request, and `health` when and over
//! what the endpoint is tried again.
#![doc = include_str!("model/PROTOCOL.md")]

mod api;
mod asker;
mod attempt;
mod base_response;
mod candidates;
pub mod capability;
mod chunk;
mod client;
mod connect;
mod connection;
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
mod limits;
mod nonce;
mod pace;
mod pool;
pub mod probe;
mod quota;
mod recovery;
mod rendered_request;
pub mod replay;
mod request;
pub mod retirement;
pub mod scripted;
mod sockets;
mod speed;
mod sse;
mod timing;
mod tls;
mod token;
pub mod usage;
mod websocket;
mod wire_event;

use std::sync::Arc;

use crate::config::Endpoint;

pub use api::Model;
pub use asker::trace;
pub use chunk::{Chunk, ChunkStream, Usage};
pub use error::ModelError;
pub use error_kind::ErrorKind;
pub use pace::Pace;
pub use rendered_request::{RenderedRequest, SentForm};
pub use request::{EditPrompt, Fim, Request, RequestKind, Urgency};
pub use speed::ServerTimes;
pub use timing::Timing;
pub use wire_event::{Listener, WireEvent};

/// The model behind an endpoint, over the wire that the endpoint names. Opens nothing
/// yet; see [`Model::warm`].
pub fn connect_to(endpoint: Endpoint, listener: Listener) -> Arc<dyn Model> {
    connect_with(endpoint, listener, Timing::default())
}

/// As [`connect_to`], with other durations than usual.
pub fn connect_with(endpoint: Endpoint, listener: Listener, timing: Timing) -> Arc<dyn Model> {
    Arc::new(client::Client::new(endpoint, listener, timing))
}
