//! What the server says to the recorder, and when.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ropey::Rope;
use tokio::sync::oneshot;

use super::entry::Event;
use crate::document::{Document, DocumentId, Splice};
use crate::privacy::ModelAccess;
use crate::text::hash::fnv64;

/// Something to be written down.
#[derive(Debug)]
pub enum Note {
    /// The text of a file: opened, or changed by these splices since a revision.
    Text {
        /// The file as it is now.
        document: Arc<Document>,
        /// Its path as it is shown.
        path: Arc<str>,
        /// The editor's word for its language.
        language: Box<str>,
        /// Whether a model may see it. What no model may see is not written down.
        access: ModelAccess,
        /// The revision before, and what led from it to this one; `None` for a text that is new.
        change: Option<(u64, Vec<Splice>)>,
    },
    /// What happened.
    Event(Event),
    /// All before it is to be written now, and word of that given.
    Flush(oneshot::Sender<()>),
}

/// The time, which never goes back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    pub(super) started: Instant,
    /// Milliseconds since 1970 then.
    pub(super) at: u64,
}

impl Clock {
    pub(super) fn now(&self) -> u64 {
        self.at_instant(Instant::now())
    }

    pub(super) fn at_instant(&self, instant: Instant) -> u64 {
        self.at + milliseconds(instant.saturating_duration_since(self.started))
    }
}

pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The number by which a recording speaks of a file: small enough for a reader whose numbers are floats.
pub fn document_number(id: &DocumentId) -> u64 {
    fnv64(id.as_str()) >> 11
}

/// Bytes of a text as a recording counts.
pub fn utf16_span(text: &Rope, span: &Range<usize>) -> (usize, usize) {
    let unit = |byte: usize| text.char_to_utf16_cu(text.byte_to_char(byte.min(text.len_bytes())));
    (unit(span.start), unit(span.end))
}
