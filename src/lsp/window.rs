//! One editor's window of a server that several windows share.
//!
//! The process that the editor started passes messages between the editor and the shared server. If the server is
//! lost, or does not answer any more, the window connects to another one and sends it the [`Transcript`]: the
//! handshake, the settings, and each open file with its current text. The editor does not start anything again.

mod message;
mod silence;
mod transcript;

use std::io;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::limits::LAST_MESSAGES_TIMEOUT;
use super::transport::{Ended, framed, read_frame, write_frames};
use silence::{Overdue, Silence};
use transcript::{Passed, Transcript};

/// The messages of a server.
pub(crate) type FromServer = Pin<Box<dyn AsyncRead + Send>>;
/// The messages to a server.
pub(crate) type ToServer = Pin<Box<dyn AsyncWrite + Send>>;

/// Connects a window to a server, at the start and whenever a server was lost.
pub(crate) trait Connect {
    /// Returns the streams of a server that has not received any message yet.
    ///
    /// There always is one: a window that finds no shared server runs its own.
    /// `is_hung` says that the last one left its messages without an answer.
    fn connect(&mut self, is_hung: bool) -> impl Future<Output = (FromServer, ToServer)>;
}

/// How many messages are read ahead of their processing.
const READ_AHEAD: usize = 16;

/// The messages of one stream, read by a task of their own.
type Frames = mpsc::Receiver<io::Result<Vec<u8>>>;
/// The messages to one stream, written by a task of their own.
type Outbox = mpsc::UnboundedSender<Vec<u8>>;

/// Passes messages between an editor and servers until the editor sends `exit` or its stream ends.
pub(crate) async fn serve_window<I, O>(input: I, output: O, mut servers: impl Connect) -> Ended
where
    I: AsyncRead + Unpin + Send + 'static,
    O: AsyncWrite + Unpin + Send + 'static,
{
    let mut from_editor = read(input);
    let (to_editor, editor_writer) = write(output, "the editor");
    let mut transcript = Transcript::default();
    let mut first_messages: Vec<Vec<u8>> = Vec::new();
    let mut is_hung = false;
    loop {
        let (from_server, to_server) = servers.connect(is_hung).await;
        let mut from_server = read(from_server);
        let (to_server, _) = write(to_server, "the server");
        let mut streams = Streams {
            from_editor: &mut from_editor,
            to_editor: &to_editor,
            to_server,
            silence: Silence::default(),
        };
        first_messages.iter().for_each(|body| streams.pass_to_server(body));
        let gone = streams.pass(&mut from_server, &mut transcript).await;
        if gone == Gone::Editor {
            break;
        }
        is_hung = gone == Gone::Hung;
        tracing::warn!("the shared server is lost; the window connects to another one");
        let Passed { to_editor: answers, to_server } = transcript.lost();
        answers.iter().for_each(|body| send(&to_editor, body));
        first_messages = to_server;
    }
    drop(to_editor);
    if tokio::time::timeout(LAST_MESSAGES_TIMEOUT, editor_writer).await.is_err() {
        tracing::warn!("the editor did not read the last messages");
    }
    transcript.ended()
}

/// Which side has gone.
#[derive(Debug, PartialEq, Eq)]
enum Gone {
    /// The editor has sent `exit`, or its stream has ended.
    Editor,
    Server,
    /// The server, which may still run.
    Hung,
}

/// The streams of a window, but for the messages of its server.
struct Streams<'a> {
    from_editor: &'a mut Frames,
    to_editor: &'a Outbox,
    to_server: Outbox,
    /// How long the server has left messages without any of its own.
    silence: Silence,
}

impl Streams<'_> {
    fn pass_to_server(&mut self, body: &[u8]) {
        self.silence.sent();
        send(&self.to_server, body);
    }

    /// Passes messages on until one side has gone.
    async fn pass(&mut self, from_server: &mut Frames, transcript: &mut Transcript) -> Gone {
        let mut deadline = None;
        loop {
            tokio::select! {
                biased;
                read = from_server.recv() => match read {
                    Some(Ok(body)) => {
                        self.silence.heard();
                        let passed = transcript.pass_to_editor(body);
                        passed.to_editor.iter().for_each(|body| send(self.to_editor, body));
                        passed.to_server.iter().for_each(|body| self.pass_to_server(body));
                        if deadline.is_none() && transcript.has_exited {
                            return Gone::Editor;
                        }
                    }
                    // After `exit`, the end of the server's stream follows its last message.
                    _ if deadline.is_some() => return Gone::Editor,
                    Some(Err(error)) => {
                        tracing::error!(%error, "the shared server's stream cannot be read on");
                        return Gone::Server;
                    }
                    None => return Gone::Server,
                },
                // Until a new server knows the files, it could only answer that they are not open.
                read = self.from_editor.recv(), if deadline.is_none() && !transcript.is_replaying => match read {
                    Some(Ok(body)) => {
                        if let Some(body) = transcript.pass_to_server(body) {
                            self.pass_to_server(&body);
                        }
                        if transcript.has_exited {
                            deadline = Some(Instant::now() + LAST_MESSAGES_TIMEOUT);
                        }
                    }
                    Some(Err(error)) => {
                        tracing::error!(%error, "the editor's stream cannot be read on");
                        return Gone::Editor;
                    }
                    None => return Gone::Editor,
                },
                () = at(deadline) => return Gone::Editor,
                () = at(self.silence.deadline()) => match self.silence.overdue() {
                    Overdue::Probe => send(&self.to_server, &transcript::probe()),
                    Overdue::Wait => {}
                    Overdue::Hung => {
                        tracing::error!("the shared server does not answer any more");
                        return Gone::Hung;
                    }
                },
            }
        }
    }
}

/// Ends at the deadline, if there is one.
async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Reads a stream's messages. The channel ends with the stream, after an error if there was one.
fn read<R: AsyncRead + Unpin + Send + 'static>(input: R) -> Frames {
    let (found, frames) = mpsc::channel(READ_AHEAD);
    tokio::spawn(async move {
        let mut input = BufReader::with_capacity(64 * 1024, input);
        loop {
            let (reader, read) = read_frame(input).await;
            input = reader;
            let Some(read) = read.transpose() else { return };
            let is_last = read.is_err();
            // Without a receiver the messages are not wanted any more.
            if found.send(read).await.is_err() || is_last {
                return;
            }
        }
    });
    frames
}

/// Writes messages to a stream, until the sender is dropped.
fn write<W>(output: W, whose: &'static str) -> (Outbox, tokio::task::JoinHandle<()>)
where
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (outbox, messages) = mpsc::unbounded_channel();
    let writer = tokio::spawn(async move {
        if let Err(error) = write_frames(output, messages).await {
            tracing::warn!(%error, "{whose} does not read any more");
        }
    });
    (outbox, writer)
}

fn send(to: &Outbox, body: &[u8]) {
    if to.send(framed(body)).is_err() {
        tracing::debug!("a message for a stream that has ended");
    }
}
