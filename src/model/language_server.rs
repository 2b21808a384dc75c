//! A language server with `textDocument/inlineCompletion` as a model: GitHub Copilot's, for example.
//!
//! The server is a program of the user's own configuration. A [`driver`] starts it when it is first needed,
//! sends it the documents that requests are about, and ends it with the last reference to the model. Its items
//! become texts to insert at the cursor ([`item`]), so that the checks of ghost text apply to them. Each has a number,
//! by which later reports to the server name it: shown, accepted, dismissed.
//!
//! # Failures
//!
//! | the server | what follows |
//! |---|---|
//! | cannot be started, ends, or breaks the protocol | it is started again after 1 s, doubling up to a minute |
//! | does so five times in a row, without an answer in between | it is started again after five minutes |
//! | leaves three requests in a row without an answer, each for over a second | it is killed, and the same |
//! | reports that it cannot work, such as without its sign-in | its own message is the reason |
//! | answers with items that do not fit at the cursor | they are refused; the server goes on |

mod command;
mod connection;
mod documents;
mod driver;
mod frames;
mod item;
mod process;
mod requests;
mod server;

use std::future::ready;
use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::error_kind::Refusal;
use super::{Chunk, ChunkStream, Listener, Model, ModelError, News, Request, RequestKind, Urgency, Usage};
use crate::config::{Endpoint, ServerCommand};
use command::{Command, number};
use driver::Driver;

pub(super) struct LanguageServer {
    command: ServerCommand,
    endpoint: Endpoint,
    listener: Listener,
    /// Where its driver gets commands; empty until the model is first used.
    driver: OnceLock<UnboundedSender<Command>>,
}

impl LanguageServer {
    pub(super) fn new(command: ServerCommand, endpoint: Endpoint, listener: Listener) -> Self {
        Self { command, endpoint, listener, driver: OnceLock::new() }
    }

    fn driver(&self) -> &UnboundedSender<Command> {
        self.driver.get_or_init(|| {
            let (sender, commands) = unbounded_channel();
            let driver = Driver::new(self.command.clone(), self.endpoint.clone(), Arc::clone(&self.listener));
            tokio::spawn(driver.run(commands));
            sender
        })
    }

    fn send(&self, command: Command) {
        // The driver ends with its model, unless it panicked: then no answer comes, which is reported.
        drop(self.driver().send(command));
    }
}

impl Model for LanguageServer {
    fn name(&self) -> String {
        self.endpoint.model.clone()
    }

    fn warm(&self) {
        self.send(Command::Start);
    }

    fn answers(&self, kind: RequestKind) -> bool {
        kind == RequestKind::Completion
    }

    fn takes_fim(&self) -> bool {
        false
    }

    fn takes_documents(&self) -> bool {
        true
    }

    fn offers_variants(&self) -> bool {
        false
    }

    fn end(&self) -> BoxFuture<'static, ()> {
        let Some(driver) = self.driver.get() else { return ready(()).boxed() };
        let (done, ended) = oneshot::channel();
        drop(driver.send(Command::End(done)));
        ended.map(drop).boxed()
    }

    fn tell(&self, news: &News) {
        // A server that does not run knows neither items nor documents.
        if let Some(driver) = self.driver.get() {
            drop(driver.send(Command::Tell(news.clone())));
        }
    }

    /// A request without a document asks only whether the server works.
    fn stream(&self, request: Request) -> ChunkStream {
        let asked_at = Instant::now();
        let is_probe = request.document.is_none() && request.fim.is_some();
        let refused = "it only completes code at a cursor";
        let (answer, answered) = oneshot::channel();
        let id = number();
        match request.document {
            // The server chooses among its items.
            Some(document) if document.is_variant => return done(Usage::default()),
            Some(document) => {
                let is_invoked = request.urgency == Urgency::Invoked;
                self.send(Command::Ask { id, document, is_invoked, answer });
            }
            None if is_probe => self.send(Command::Check(answer)),
            None => {
                let error = ModelError::refused(&self.endpoint, Refusal::invalid(refused.to_owned()));
                return stream::iter([Err(error)]).boxed();
            }
        }
        let cancel = CancelOnDrop { id, driver: self.driver().clone() };
        let closed = ModelError::closed(&self.endpoint);
        let chunks = async move {
            let answer = answered.await.unwrap_or(Err(closed));
            drop(cancel);
            let item = match answer {
                Ok(item) => item,
                Err(error) => return stream::iter(vec![Err(error)]),
            };
            let total = asked_at.elapsed();
            let first_token = item.as_ref().map(|_| total);
            let item = item.into_iter().flat_map(|(number, text)| [Chunk::Item(number), Chunk::Text(text)]);
            let usage = Usage { first_token, total, ..Usage::default() };
            stream::iter(item.chain([Chunk::Done(usage)]).map(Ok).collect::<Vec<_>>())
        };
        stream::once(chunks).flatten().boxed()
    }
}

fn done(usage: Usage) -> ChunkStream {
    stream::iter([Ok(Chunk::Done(usage))]).boxed()
}

/// Cancels a request when its stream is dropped; after the answer, that has no effect.
struct CancelOnDrop {
    id: u64,
    driver: UnboundedSender<Command>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        drop(self.driver.send(Command::Cancel(self.id)));
    }
}
