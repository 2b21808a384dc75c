//! Messages from the server to the recorder, and their times.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ropey::Rope;
use tokio::sync::oneshot;

use super::entry::Event;
use crate::document::{Document, DocumentId, Splice};
use crate::privacy::ModelAccess;
use crate::text::hash::fnv64;

/// A message to the recorder.
#[derive(Debug)]
pub enum Note {
    /// The text of a file: opened, or changed by these splices since a revision.
    Text {
        /// The current file.
        document: Arc<Document>,
        /// Its path as shown.
        path: Arc<str>,
        /// The editor's id for its language.
        language: Box<str>,
        /// Whether a model may see it. Files that no model may see are not recorded.
        access: ModelAccess,
        /// The previous revision, and the splices from it to this one; `None` for a new text.
        change: Option<(u64, Vec<Splice>)>,
    },
    /// An event.
    Event(Event),
    /// A request to a model about this text, which may differ from the file's: a menu's entry may be added to it.
    Request(Arc<Document>, Event),
    /// Requests that everything before it is written now, and reported on the channel.
    Flush(oneshot::Sender<()>),
}

/// A clock that never goes back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    pub(super) started: Instant,
    /// Milliseconds since 1970 at `started`.
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

/// A duration in whole milliseconds.
pub fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A file's number in a recording: small enough for a reader whose numbers are floats.
pub fn document_number(id: &DocumentId) -> u64 {
    fnv64(id.as_str()) >> 11
}

/// A byte range of a text in UTF-16 units, as in a recording.
pub fn utf16_span(text: &Rope, span: &Range<usize>) -> (usize, usize) {
    let unit = |byte: usize| text.char_to_utf16_cu(text.byte_to_char(byte.min(text.len_bytes())));
    (unit(span.start), unit(span.end))
}
