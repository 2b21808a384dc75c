//! One call on one socket: a frame goes out, events come back (protocol notes §2.6, §3).

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::connect::Socket;
use super::event::{self, Event};
use super::{Chunk, Listener, ModelError, Usage, WireEvent};
use crate::config::Endpoint;

/// Nothing for this long, not even a ping, while an answer is due: the socket is dead.
const SILENCE: Duration = Duration::from_secs(10);
/// Tokens that an abandoned answer may still have, for the socket to be kept: at 1,000 tokens/s that is ended about
/// as soon as a new socket would be open. All of ghost text is; a rewrite is not.
const DRAIN_TOKENS: u32 = 160;
/// How long draining may take; a slow model's socket is dropped instead.
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// A request on its way.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) frame: Utf8Bytes,
    pub(super) max_output_tokens: u32,
    /// Closed by the receiver when nobody wants the answer any more.
    pub(super) answer: mpsc::UnboundedSender<Result<Chunk, ModelError>>,
    /// Whether it went out on a socket that turned out to be dead. It is tried on one other.
    pub(super) retried: bool,
    /// When it was made.
    pub(super) asked_at: Instant,
    /// Bytes that were sent for it so far.
    pub(super) bytes_up: u64,
}

/// How a socket stands after an answer.
pub(super) enum After {
    /// Ready for the next call.
    Idle,
    /// Not to be used again.
    Dead,
    /// Dead before anything of the answer came: the call can be made again elsewhere.
    Unanswered(Call),
}

/// Makes one call and hands its answer on until it ends.
pub(super) async fn exchange(
    endpoint: &Endpoint,
    listener: &Listener,
    socket: &mut Socket,
    mut call: Call,
) -> After {
    call.bytes_up += call.frame.len() as u64;
    let sent = timeout(SILENCE, socket.send(Message::Text(call.frame.clone()))).await;
    if !matches!(sent, Ok(Ok(()))) {
        return unanswered(endpoint, call);
    }
    let mut wanted = true;
    let mut begun = false;
    // The response that is ours. What comes before it has begun, or names another, is the tail of an older one.
    let mut ours: Option<String> = None;
    let mut tokens = 0_u32;
    let mut first_token = None;
    let mut deadline = Instant::now() + SILENCE;
    loop {
        let message = tokio::select! {
            biased;
            message = socket.next() => message,
            () = call.answer.closed(), if wanted => {
                wanted = false;
                if call.max_output_tokens.saturating_sub(tokens) > DRAIN_TOKENS {
                    return After::Dead;
                }
                deadline = Instant::now() + DRAIN_TIME;
                continue;
            }
            () = sleep_until(deadline) => {
                hand_on(&call.answer, Err(ModelError::silent(endpoint, SILENCE)));
                return After::Dead;
            }
        };
        if wanted {
            deadline = Instant::now() + SILENCE;
        }
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(_)) | Err(_)) | None if !begun => return unanswered(endpoint, call),
            Some(Ok(Message::Close(_)) | Err(_)) | None => {
                hand_on(&call.answer, Err(ModelError::closed(endpoint)));
                return After::Dead;
            }
            Some(Ok(_)) => continue,
        };
        match event::read(&text) {
            Ok(Event::Created { id, model }) => {
                if let Some(model) = model {
                    listener(WireEvent::Serves { model });
                }
                begun = true;
                ours = id;
            }
            Ok(Event::Text(text)) if begun => {
                // Servers send about one token an event.
                tokens += 1;
                first_token.get_or_insert_with(|| call.asked_at.elapsed());
                if !wanted {
                    listener(WireEvent::ForNobody { tokens: 1 });
                }
                hand_on(&call.answer, Ok(Chunk::Text(text)));
            }
            Ok(Event::Completed { id, usage }) if begun && (id.is_none() || ours.is_none() || id == ours) => {
                let (bytes_up, total) = (call.bytes_up, call.asked_at.elapsed());
                hand_on(&call.answer, Ok(Chunk::Done(Usage { bytes_up, first_token, total, ..usage })));
                return After::Idle;
            }
            // A failure may be the connection's rather than the request's, and may be told twice. Another socket is
            // cheap; an answer that goes to the wrong question is not.
            Ok(Event::Failed(refusal)) => {
                hand_on(&call.answer, Err(ModelError::refused(endpoint, refusal)));
                return After::Dead;
            }
            Ok(Event::Serves { model }) => listener(WireEvent::Serves { model }),
            Ok(Event::Quota { what }) => listener(WireEvent::Quota { what }),
            Ok(Event::Other | Event::Text(_) | Event::Completed { .. }) => {
                tracing::trace!(bytes = text.len(), "an event passed over")
            }
            Err(error) => tracing::debug!(%error, bytes = text.len(), "a frame that is no event"),
        }
    }
}

/// What becomes of a call whose socket went before anything was answered: it may be made once more, since nobody has
/// seen any of it (protocol notes §5, the replay rule).
fn unanswered(endpoint: &Endpoint, mut call: Call) -> After {
    if call.retried || call.answer.is_closed() {
        hand_on(&call.answer, Err(ModelError::closed(endpoint)));
        return After::Dead;
    }
    call.retried = true;
    After::Unanswered(call)
}

/// Hands a chunk to whoever waits for it.
pub(super) fn hand_on(
    answer: &mpsc::UnboundedSender<Result<Chunk, ModelError>>,
    chunk: Result<Chunk, ModelError>,
) {
    if answer.send(chunk).is_err() {
        // The receiver is gone: the call was cancelled, and its rest is for nobody.
        tracing::trace!("a chunk for nobody");
    }
}
