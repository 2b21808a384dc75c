//! Reads and writes messages (LSP 3.18, "Base Protocol").
//!
//! The framework's own transport stops at the first message that is not JSON and queues at most a hundred
//! messages. This transport answers such a message with an error and continues. It polls each message's handler
//! once before it reads the next, so that notifications, whose bodies never wait, are applied in message order
//! by construction. It writes concurrently with reading, so that an editor that does not read cannot block the
//! server's reading. Ready output is written before anything else is done.

mod decode;
mod frame;

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, SinkExt as _, StreamExt as _};
use memchr::memmem;
use serde::Serialize;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::mpsc;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_lsp::{ClientSocket, ExitedError, LspService};
use tower_service::Service as _;

use super::backend::Backend;
use super::protocol::DidChange;
use crate::lsp::limits::LAST_MESSAGES_TIMEOUT;
use crate::text::printable_lines;
use decode::{DID_CHANGE, Incoming, decode, decode_change, protocol_error};
pub(super) use frame::{framed, read_frame, write_frames};

/// The reason why serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The editor sent `exit` after `shutdown`.
    Exit,
    /// The editor sent `exit` alone, or its stream or its process ended.
    Abandoned,
}

/// The last message of a session whose editor's process has ended.
pub(super) const SESSION_ENDED: &str = "tandem/sessionEnded";

/// The future answer of a handler, if it has one.
type Answer = Pin<Box<dyn Future<Output = Result<Option<Response>, Panicked>> + Send>>;

/// The panic of a notification's handler.
///
/// A notification has no answer, and its effect may be partial.
#[derive(Debug)]
struct Panicked;

pub(super) async fn serve<I, O>(
    input: I,
    output: O,
    mut service: LspService<Backend>,
    socket: ClientSocket,
) -> Ended
where
    I: AsyncRead + Unpin,
    O: AsyncWrite + Unpin + Send + 'static,
{
    let (messages, outbox) = mpsc::unbounded_channel();
    let mut writer = std::pin::pin!(write(output, outbox));
    let mut is_writing = true;
    let (mut requests, mut responses) = socket.split();
    let input = BufReader::with_capacity(64 * 1024, input);
    let mut running: FuturesUnordered<Answer> = FuturesUnordered::new();
    let mut shut_down = false;
    let orphaned = Arc::clone(&service.inner().state.orphaned);
    let ended = {
        // A frame is read piece by piece, so reading must not start over when another branch is ready first.
        let mut frame = std::pin::pin!(read_frame(input));
        loop {
            tokio::select! {
                biased;
                () = &mut writer, if is_writing => is_writing = false,
                // Running handlers are requests only.
                Some(Ok(answer)) = running.next(), if !running.is_empty() => send_answer(&messages, answer),
                Some(request) = requests.next() => send(&messages, &request),
                () = orphaned.notified() => {
                    // A window of a shared server must not take this end for a loss of the server.
                    send(&messages, &Request::build(SESSION_ENDED).finish());
                    break Ended::Abandoned;
                }
                (buffer, read) = &mut frame => {
                    let body = match read {
                        Ok(Some(body)) => body,
                        Ok(None) => break Ended::Abandoned,
                        Err(error) => {
                            // Without a length the start of the next message is unknown.
                            tracing::error!(%error, "the editor's stream cannot be read on");
                            let error = protocol_error(ErrorCode::ParseError, error.to_string());
                            send(&messages, &Response::from_error(Id::Null, error));
                            break Ended::Abandoned;
                        }
                    };
                    frame.set(read_frame(buffer));
                    // An open file implies a completed handshake.
                    if !shut_down
                        && let Some(change) = decode_change(&body).filter(|it| service.inner().tracks(it))
                    {
                        apply(&service, change);
                        continue;
                    }
                    match decode(&body) {
                        Ok(Incoming::Response(response)) => {
                            if responses.send(response).await.is_err() {
                                tracing::debug!("an answer after the end");
                            }
                        }
                        Ok(Incoming::Request(request)) => {
                            let is_exit = request.method() == "exit";
                            shut_down |= request.method() == "shutdown";
                            start(&mut service, request, &mut running, &messages).await;
                            if is_exit {
                                break if shut_down { Ended::Exit } else { Ended::Abandoned };
                            }
                        }
                        Err(response) => reject(&service, &messages, &body, &response),
                    }
                }
            }
        }
    };
    // Running work ends with its futures; finished answers are still written.
    drop(running);
    drop(messages);
    let recorder = service.inner().state.serving.get().recorder.clone();
    drop(service);
    if let Some(recorder) = recorder {
        recorder.flush().await;
    }
    if is_writing {
        finish(writer).await;
    }
    ended
}

/// Applies a change of a file. After a panic, no tracked text is known to match the editor's.
fn apply(service: &LspService<Backend>, change: DidChange) {
    if catch_unwind(AssertUnwindSafe(|| service.inner().change(change))).is_err() {
        tracing::error!(method = DID_CHANGE, "a handler failed");
        service.inner().mark_all_out_of_sync("a notification could not be handled");
    }
}

/// Answers a message that cannot be understood.
fn reject(
    service: &LspService<Backend>,
    messages: &mpsc::UnboundedSender<Vec<u8>>,
    body: &[u8],
    response: &Response,
) {
    tracing::warn!(error = ?response.error(), "a message that cannot be understood");
    send(messages, response);
    // If it was a change, including of a notebook's cells, no tracked text is known to match the editor's.
    if memmem::find(body, b"Document/didChange").is_some() {
        service.inner().mark_all_out_of_sync("a change could not be read");
    }
}

/// Waits until the last messages are written, at most for [`LAST_MESSAGES_TIMEOUT`].
async fn finish(writer: impl Future<Output = ()>) {
    if tokio::time::timeout(LAST_MESSAGES_TIMEOUT, writer).await.is_err() {
        tracing::warn!("the editor did not read the last messages");
    }
}

/// Calls a handler and polls it once. A notification is finished by then.
async fn start(
    service: &mut LspService<Backend>,
    request: Request,
    running: &mut FuturesUnordered<Answer>,
    messages: &mpsc::UnboundedSender<Vec<u8>>,
) {
    if poll_fn(|cx| service.poll_ready(cx)).await.is_err() {
        return;
    }
    let id = request.id().cloned();
    let method = request.method().to_owned();
    // The framework does not answer requests of this kind; only notifications may be ignored.
    if let Some(id) = id.clone().filter(|_| method.starts_with("$/")) {
        return send(messages, &Response::from_error(id, Error::method_not_found()));
    }
    let request = if method.starts_with("tandem/") { with_params(request) } else { request };
    let mut answer: Answer = Box::pin(guarded(service.call(request), id, method));
    match poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await {
        Poll::Ready(Ok(answered)) => send_answer(messages, answered),
        Poll::Ready(Err(Panicked)) => {
            service.inner().mark_all_out_of_sync("a notification could not be handled");
        }
        Poll::Pending => running.push(answer),
    }
}

/// Replaces omitted parameters by `null`; JSON-RPC allows omitting them (section 4).
///
/// The framework does not call a handler that expects parameters without them.
fn with_params(request: Request) -> Request {
    if request.params().is_some() {
        return request;
    }
    let (method, id, _) = request.into_parts();
    let request = Request::build(method).params(Value::Null);
    match id {
        Some(id) => request.id(id).finish(),
        None => request.finish(),
    }
}

/// Runs a handler to its end; a panic in any of its polls ends only this handler.
///
/// A request is then answered with an error.
async fn guarded(
    handler: impl Future<Output = Result<Option<Response>, ExitedError>>,
    id: Option<Id>,
    method: String,
) -> Result<Option<Response>, Panicked> {
    match AssertUnwindSafe(handler).catch_unwind().await {
        // After `exit` no answer is expected.
        Ok(answered) => Ok(answered.unwrap_or_default()),
        Err(_) => {
            tracing::error!(method, "a handler failed");
            let id = id.ok_or(Panicked)?;
            Ok(Some(Response::from_error(id, Error::internal_error())))
        }
    }
}

fn send_answer(messages: &mpsc::UnboundedSender<Vec<u8>>, answer: Option<Response>) {
    if let Some(response) = answer {
        send(messages, &shown(response));
    }
}

/// An answer in the form that editors may show.
///
/// Control characters quoted in an error are made visible.
fn shown(response: Response) -> Response {
    match response.into_parts() {
        (id, Err(error)) => {
            let message = printable_lines(&error.message).into_owned().into();
            Response::from_error(id, Error { message, ..error })
        }
        (id, Ok(result)) => Response::from_ok(id, result),
    }
}

fn send(messages: &mpsc::UnboundedSender<Vec<u8>>, message: &impl Serialize) {
    let body = match serde_json::to_vec(message) {
        Ok(body) => body,
        Err(error) => {
            tracing::error!(%error, "a message cannot be written");
            return;
        }
    };
    if messages.send(framed(&body)).is_err() {
        tracing::debug!("a message for an editor that is gone");
    }
}

async fn write<O: AsyncWrite + Unpin>(output: O, outbox: mpsc::UnboundedReceiver<Vec<u8>>) {
    if let Err(error) = write_frames(output, outbox).await {
        tracing::warn!(%error, "the editor does not read any more");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_handler_that_panics_ends_by_itself_at_whatever_poll() {
        for polls in 0..2 {
            let handler = move || async move {
                for _ in 0..polls {
                    tokio::task::yield_now().await;
                }
                panic!("on purpose");
            };
            let answered = guarded(handler(), Some(Id::Number(7)), "a/request".to_owned()).await;
            let response = answered.unwrap().unwrap();
            assert_eq!(response.id(), &Id::Number(7));
            assert_eq!(response.error().unwrap().code, ErrorCode::InternalError);
            assert!(guarded(handler(), None, "a/notification".to_owned()).await.is_err());
        }
    }
}
