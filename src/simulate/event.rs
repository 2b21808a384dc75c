//! Serializes the events of a response to the protocol's JSON.

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::request::Refusal;

/// A message from a response to its client's connection.
#[derive(Debug)]
pub(super) enum Outgoing {
    Event {
        kind: &'static str,
        json: String,
        /// The number of output tokens in the event.
        tokens: u64,
    },
    /// Close the socket with this code.
    Close(u16),
    /// Drop the connection without a close frame.
    Cut,
}

/// The client has disconnected, so work for it can stop.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Gone;

/// Sends the events of one response with their sequence numbers and lane.
pub(super) struct Emitter<'a> {
    out: &'a mpsc::Sender<Outgoing>,
    lane: Option<&'a str>,
    sequence: u64,
}

#[derive(Serialize)]
struct Event<'a, T> {
    #[serde(rename = "type")]
    kind: &'a str,
    sequence_number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_id: Option<&'a str>,
    #[serde(flatten)]
    body: T,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(out: &'a mpsc::Sender<Outgoing>, lane: Option<&'a str>) -> Self {
        Self { out, lane, sequence: 0 }
    }

    /// Sends one event.
    pub(super) async fn send(&mut self, kind: &'static str, body: impl Serialize) -> Result<(), Gone> {
        self.send_tokens(kind, body, 0).await
    }

    /// Sends one event that carries output tokens.
    pub(super) async fn send_tokens(
        &mut self,
        kind: &'static str,
        body: impl Serialize,
        tokens: u64,
    ) -> Result<(), Gone> {
        let event = Event { kind, sequence_number: self.sequence, stream_id: self.lane, body };
        self.sequence += 1;
        let json = to_json(&event);
        self.out.send(Outgoing::Event { kind, json, tokens }).await.map_err(|_| Gone)
    }

    /// Refuses the request. Over the socket the reason is nested in `error`. An SSE stream would have it at the top
    /// level, but over HTTP a refusal is an HTTP status instead.
    pub(super) async fn refuse(&mut self, refusal: &Refusal) -> Result<(), Gone> {
        self.send("error", json!({"status": refusal.status, "error": error_object(refusal)})).await
    }

    /// Refuses the request as older or other servers do: with only a `message`, or with only a `detail`.
    pub(super) async fn refuse_barely(&mut self, refusal: &Refusal, detail: bool) -> Result<(), Gone> {
        let mut json = match detail {
            true => json!({"detail": refusal.message}),
            false => json!({"type": "error", "error": {"message": refusal.message}}),
        };
        if let Some(lane) = self.lane {
            json["stream_id"] = lane.into();
        }
        self.out
            .send(Outgoing::Event { kind: "error", json: json.to_string(), tokens: 0 })
            .await
            .map_err(|_| Gone)
    }

    /// Ends the connection before the response is complete.
    pub(super) async fn end(&mut self, end: Outgoing) -> Result<(), Gone> {
        self.out.send(end).await.map_err(|_| Gone)
    }
}

/// The `error` object of an error frame and of an HTTP error.
pub(super) fn error_object(refusal: &Refusal) -> Value {
    let mut object = json!({
        "type": if refusal.status < 500 { "invalid_request_error" } else { "server_error" },
        "code": refusal.code,
        "message": refusal.message,
        "param": refusal.param,
    });
    match refusal.code {
        "usage_limit_reached" => {
            object["plan_type"] = "plus".into();
            object["resets_in_seconds"] = 60.into();
        }
        "rate_limit_exceeded" => object["headers"] = json!({"retry-after": "1"}),
        _ => {}
    }
    object
}

/// Serializes plain data. This cannot fail for the types used here: their keys are strings.
pub(super) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value)
        .unwrap_or_else(|error| json!({"type": "error", "message": error.to_string()}).to_string())
}
