//! The interface of everything that answers requests.

use std::future::ready;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::chunk::ChunkStream;
use super::news::News;
use super::pace::Pace;
use super::request::{Form, Request, RequestKind};
use crate::config::{EditDialect, FimDialect};

/// A model that answers requests: a provider over some wire, or a script in tests.
pub trait Model: Send + Sync {
    /// The model's name as configured, for messages. With several candidates, the name of the one
    /// in use.
    fn name(&self) -> String;

    /// The name of the model that answers this kind of request.
    fn name_for(&self, kind: RequestKind) -> String {
        _ = kind;
        self.name()
    }

    /// Prepares for the first request, in the background.
    fn warm(&self);

    /// Whether the last request failed, so that another one is likely to fail as well.
    fn is_down(&self) -> bool {
        false
    }

    /// The failure for which it is down, if it is.
    fn why_down(&self) -> Option<String> {
        None
    }

    /// Context window: the input and output tokens of one request together.
    fn window(&self) -> u32 {
        128_000
    }

    /// The speed for this kind of request, and how long to wait for an answer.
    fn pace(&self, kind: RequestKind) -> Pace {
        _ = kind;
        Pace::QUICK
    }

    /// Whether the model answers this kind of request.
    fn answers(&self, kind: RequestKind) -> bool {
        _ = kind;
        true
    }

    /// The forms of [`Request::edits`] that the model can use.
    fn edit_dialects(&self) -> Vec<EditDialect> {
        Vec::new()
    }

    /// Bytes of a request that the model has to read: those after the part it still has from the last request.
    fn unread(&self, request: &Request) -> usize {
        let form = match &request.fim {
            Some(fim) if self.takes_fim() => Form::Fim(fim, FimDialect::default()),
            _ => Form::Text,
        };
        request.read_bytes(form).len()
    }

    /// Whether the model can use [`Request::fim`].
    fn takes_fim(&self) -> bool {
        true
    }

    /// Whether the model can use [`Request::document`].
    fn takes_documents(&self) -> bool {
        false
    }

    /// Whether it can be asked for several answers to one request at the same time.
    fn offers_variants(&self) -> bool {
        true
    }

    /// Ends the program that it runs, if any. Takes a moment at most.
    fn end(&self) -> BoxFuture<'static, ()> {
        ready(()).boxed()
    }

    /// Tells a language server what became of its item, or of a document.
    fn tell(&self, news: &News) {
        _ = news;
    }

    /// How long to wait for an answer that is planned to take at most `planned`.
    ///
    /// A recorded answer has arrived already, or never will.
    fn deadline(&self, planned: Duration) -> Duration {
        planned
    }

    /// Sends a request. Dropping the stream ends the call.
    fn stream(&self, request: Request) -> ChunkStream;
}
