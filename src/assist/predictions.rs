//! The local engine's predictions at a cursor, learned from the files that are open.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use crate::config::Eagerness;
use crate::document::{Document, DocumentId};
use crate::local::predict::{CATCH_UP_LINES, Level, Predictor};

/// Bytes before the cursor that are read for one prediction at most.
const MAX_BEFORE_BYTES: usize = 32 * 1024;
/// Bytes on each side of the cursor from which a file is learned.
const LEARNED_BYTES: usize = 1 << 19;

/// The predictor behind a lock of its own.
///
/// The lock is held while a file is learned, on a thread of the blocking pool: milliseconds, 50 for the
/// largest. A request does not wait for it. It is taken under no other lock, and none is taken under it.
#[derive(Clone, Debug, Default)]
pub(super) struct Predictions(Arc<Mutex<Predictor>>);

impl Predictions {
    /// Predicts the rest of the line at a cursor.
    ///
    /// A file that is not known is learned in the background; until then there is no prediction.
    pub(super) fn predict(&self, document: &Arc<Document>, cursor: usize, level: Level) -> Option<String> {
        let (before, rest) = (before(document, cursor), rest_of_line(document, cursor));
        let mut predictor = match self.0.try_lock() {
            Ok(predictor) => predictor,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        if !predictor.knows(document.id()) {
            drop(predictor);
            self.learn(document, cursor);
            return None;
        }
        predictor.predict(document.id(), &before, &rest, level).map(|prediction| prediction.text)
    }

    /// Learns a file in the background, unless it is known.
    pub(super) fn learn(&self, document: &Arc<Document>, cursor: usize) {
        let (predictor, document) = (Arc::clone(&self.0), Arc::clone(document));
        drop(tokio::task::spawn_blocking(move || {
            let text = document.text();
            let floor = |byte: usize| text.char_to_byte(text.byte_to_char(byte));
            let before = document.slice(floor(cursor.saturating_sub(LEARNED_BYTES))..cursor);
            let after = document.slice(cursor..floor(text.len_bytes().min(cursor + LEARNED_BYTES)));
            let language = document.grammar().map_or("", |grammar| grammar.id());
            let mut predictor = predictor.lock().unwrap_or_else(PoisonError::into_inner);
            if !predictor.knows(document.id()) {
                predictor.learn(document.id(), language, &before, &after);
            }
        }));
    }

    /// Forgets a file in the background.
    pub(super) fn forget(&self, id: &DocumentId) {
        let (predictor, id) = (Arc::clone(&self.0), id.clone());
        drop(tokio::task::spawn_blocking(move || {
            predictor.lock().unwrap_or_else(PoisonError::into_inner).forget(&id);
        }));
    }
}

/// How certain a prediction has to be.
pub(super) fn level(eagerness: Eagerness, is_invoked: bool) -> Level {
    match eagerness {
        _ if is_invoked => Level::INVOKED,
        Eagerness::Low => Level::LOW,
        Eagerness::Medium => Level::MEDIUM,
        Eagerness::High => Level::HIGH,
    }
}

/// The last lines before the cursor.
fn before(document: &Document, cursor: usize) -> String {
    let text = document.text();
    let first = text.byte_to_line(cursor).saturating_sub(CATCH_UP_LINES);
    let start = text.line_to_byte(first).max(cursor.saturating_sub(MAX_BEFORE_BYTES));
    document.slice(text.char_to_byte(text.byte_to_char(start))..cursor)
}

/// The text behind the cursor on its line, as much as tells whether it is only closers.
fn rest_of_line(document: &Document, cursor: usize) -> String {
    let text = document.text();
    let rest = text.chars_at(text.byte_to_char(cursor));
    rest.take_while(|it| !matches!(it, '\n' | '\r')).take(64).collect()
}
