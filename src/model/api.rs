//! What everything that answers requests has in common.

use super::chunk::ChunkStream;
use super::pace::Pace;
use super::request::{Form, Request, RequestKind};
use crate::config::{EditDialect, FimDialect};

/// Whatever answers requests: a provider over some wire, or a script in tests.
pub trait Model: Send + Sync {
    /// The model's name as configured, for messages. Of several that stand in for each
    /// other, the one whose turn it is.
    fn name(&self) -> String;

    /// Gets ready for the first request, in the background.
    fn warm(&self);

    /// Whether it did not answer the last time, so that another request is likely in
    /// vain.
    fn is_down(&self) -> bool {
        false
    }

    /// Tokens that it can take in and give out together.
    fn window(&self) -> u32 {
        128_000
    }

    /// How fast it is with this kind of question, and how long it is waited for.
    fn pace(&self, kind: RequestKind) -> Pace {
        _ = kind;
        Pace::QUICK
    }

    /// Whether it answers this kind of question.
    fn answers(&self, kind: RequestKind) -> bool {
        _ = kind;
        true
    }

    /// The forms of [`Request::edits`] that it has a use for.
    fn edit_dialects(&self) -> Vec<EditDialect> {
        Vec::new()
    }

    /// Bytes of a request that it has to read: those behind what it still has of the last request.
    fn unread(&self, request: &Request) -> usize {
        let form = match &request.fim {
            Some(fim) if self.takes_fim() => Form::Fim(fim, FimDialect::default()),
            _ => Form::Text,
        };
        request.read_bytes(form).len()
    }

    /// Whether it has a use for [`Request::fim`].
    fn takes_fim(&self) -> bool {
        true
    }

    /// Asks. The call ends when the stream is dropped.
    fn stream(&self, request: Request) -> ChunkStream;
}
