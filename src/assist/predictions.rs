//! The local engine's predictions at a cursor, learned from the open files and from files near them.

use std::sync::Arc;

use crate::background::Background;
use crate::config::Eagerness;
use crate::document::{Document, DocumentId};
use crate::edit::{Edit, check};
use crate::local::predict::{CATCH_UP_LINES, Level, Predictor};
use crate::lock::Mutex;
use crate::privacy::{self, ModelAccess, TextKind, Verdict};
use crate::snapshot::Snapshot;
use crate::text::ident;

/// Limit on the bytes before the cursor that are read for one prediction.
const MAX_BEFORE_BYTES: usize = 32 * 1024;
/// Bytes of a file that are learned on each side of the cursor.
const LEARNED_BYTES: usize = 1 << 19;

/// The local engine's prediction of how the line at a cursor continues.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prediction {
    /// The rest of the line, if it is certain enough.
    pub text: Option<String>,
    /// Whether the cursor is after a complete learned word whose continuation is unclear.
    pub ends_unclear_word: bool,
}

/// The predictor behind its own lock.
///
/// The lock is held while a file is learned (milliseconds, 50 for the largest) in the background; a
/// request does not wait for it. It is never nested with another lock.
#[derive(Clone, Debug, Default)]
pub(super) struct Predictions {
    predictor: Arc<Mutex<Predictor>>,
    pub(super) background: Background,
}

impl Predictions {
    /// Predicts how the line at a cursor continues, to be shown while a model is asked.
    ///
    /// It takes a millisecond or two, and is empty for a file that is not learned, or that no model
    /// may see.
    pub(super) fn look(&self, snapshot: &Snapshot, cursor: usize, eagerness: Eagerness) -> Prediction {
        if !snapshot.access.known().is_some_and(|verdict| *verdict == Verdict::Open) {
            return Prediction::default();
        }
        let level = level(eagerness, false);
        let prediction = self.ask(snapshot, cursor, |predictor, before, rest| {
            let text = predictor.predict(snapshot.document.id(), before, rest, level).map(|it| it.text);
            let word = ident::last_partial(before);
            let ends_unclear_word = text.is_none() && !word.is_empty() && predictor.has_learned(word);
            let line = [&before[before.rfind('\n').map_or(0, |end| end + 1)..], rest].concat();
            let at = line.len() - rest.len();
            let is_visible = |text: &String| {
                snapshot.settings.allow_invisible_characters
                    || check::invisible(&line, &[Edit::new(at..at, text.as_str())]).is_ok()
            };
            Prediction { text: text.filter(is_visible), ends_unclear_word }
        });
        prediction.unwrap_or_default()
    }

    /// Predicts how the line at a cursor continues.
    ///
    /// An unknown file is learned in the background; until then there is no prediction.
    pub(super) fn predict(&self, snapshot: &Snapshot, cursor: usize, level: Level) -> Option<String> {
        self.ask(snapshot, cursor, |predictor, before, rest| {
            let prediction = predictor.predict(snapshot.document.id(), before, rest, level);
            prediction.map(|prediction| prediction.text)
        })?
    }

    /// Queries the predictor at a cursor in a learned file.
    ///
    /// `question` receives the last lines before the cursor and the rest of its line.
    fn ask<T>(
        &self,
        snapshot: &Snapshot,
        cursor: usize,
        question: impl FnOnce(&mut Predictor, &str, &str) -> T,
    ) -> Option<T> {
        let document = &snapshot.document;
        let (before, rest) = (before(document, cursor), rest_of_line(document, cursor));
        let mut predictor = self.predictor.try_lock()?;
        if !predictor.knows(document.id()) {
            drop(predictor);
            self.learn(document, &snapshot.access, cursor);
            return None;
        }
        let is_near = predictor.move_to(document.id(), document.text().byte_to_line(cursor));
        let answer = question(&mut predictor, &before, &rest);
        drop(predictor);
        if !is_near {
            self.learn_again(document, &snapshot.access, cursor);
        }
        Some(answer)
    }

    /// Learns a file in the background, unless it is known or its access has been revoked by then.
    ///
    /// Access is revoked before the file is [forgotten](Self::forget), so nothing is learned after that.
    pub(super) fn learn(&self, document: &Arc<Document>, access: &ModelAccess, cursor: usize) {
        self.learn_unless(document, access, cursor, Predictor::knows);
    }

    /// Learns a file around another cursor, in the background.
    fn learn_again(&self, document: &Arc<Document>, access: &ModelAccess, cursor: usize) {
        self.learn_unless(document, access, cursor, |_, _| false);
    }

    fn learn_unless(
        &self,
        document: &Arc<Document>,
        access: &ModelAccess,
        cursor: usize,
        is_known: fn(&Predictor, &DocumentId) -> bool,
    ) {
        let (document, access) = (Arc::clone(document), access.clone());
        let predictor = Arc::clone(&self.predictor);
        self.background.spawn(move || {
            let lock = || predictor.lock();
            if access.is_revoked() || is_known(&lock(), document.id()) {
                return;
            }
            let start = document.floor_boundary(cursor.saturating_sub(LEARNED_BYTES));
            let end = document.floor_boundary(cursor + LEARNED_BYTES);
            let (before, after) = (document.slice(start..cursor), document.slice(cursor..end));
            let language = document.grammar().map_or("", |grammar| grammar.id());
            let mut predictor = lock();
            predictor.learn(document.id(), language, &before, &after);
            predictor.move_to(document.id(), document.text().byte_to_line(cursor));
        });
    }

    /// As [`Assist::take_wish_for_neighbors`](super::Assist::take_wish_for_neighbors).
    pub(super) fn take_wish_for_neighbors(&self, id: &DocumentId) -> bool {
        self.predictor.try_lock().is_some_and(|mut it| it.take_wish_for_neighbors(id))
    }

    /// As [`Assist::learn_neighbor`](super::Assist::learn_neighbor).
    pub(super) fn learn_neighbor(
        &self,
        id: &DocumentId,
        neighbor: DocumentId,
        read: impl FnOnce() -> Option<String>,
        is_allowed: impl FnOnce() -> bool + Send + 'static,
    ) -> bool {
        if self.predictor.lock().has_file(&neighbor) {
            return true;
        }
        let Some(text) = read() else { return true };
        let text = without_secrets(&text, TextKind::of(neighbor.as_str(), ""));
        let (predictor, id) = (Arc::clone(&self.predictor), id.clone());
        let learn = move || is_allowed() && predictor.lock().learn_neighbor(&id, &neighbor, &text);
        self.background.run_blocking(learn)
    }

    /// Forgets in the background what is learned of files that are not open.
    pub(super) fn forget_neighbors(&self) {
        let predictor = Arc::clone(&self.predictor);
        self.background.spawn(move || predictor.lock().forget_neighbors());
    }

    /// Forgets a file in the background.
    pub(super) fn forget(&self, id: &DocumentId) {
        let (predictor, id) = (Arc::clone(&self.predictor), id.clone());
        self.background.spawn(move || predictor.lock().forget(&id));
    }
}

/// A text without the lines that hold a probable secret, which might be suggested in another file.
fn without_secrets(text: &str, kind: TextKind) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for secret in privacy::find_in(text, kind) {
        let start = text[..secret.span.start].rfind('\n').map_or(0, |end| end + 1);
        let end = text[secret.span.end..].find('\n').map_or(text.len(), |end| secret.span.end + end);
        kept.push_str(&text[from.min(start)..start]);
        from = from.max(end);
    }
    kept.push_str(&text[from..]);
    kept
}

/// The certainty required of a prediction.
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
    document.slice(document.floor_boundary(start)..cursor)
}

/// The text after the cursor on its line, enough to see whether it consists only of closing brackets.
fn rest_of_line(document: &Document, cursor: usize) -> String {
    let text = document.text();
    let rest = text.chars_at(text.byte_to_char(cursor));
    rest.take_while(|it| !matches!(it, '\n' | '\r')).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_secrets_are_not_learned_of_other_files() {
        // Assembled here, so that this file contains no key.
        let key = format!("sk-{}", "A1b2C3d4E5f6G7h8".repeat(2));
        let text = format!("a = 1\npassword = \"q8Zt4LmX2v9w\"; key = \"{key}\"\nb = 2\nkey = \"{key}\"");
        assert_eq!(without_secrets(&text, TextKind::Code), "a = 1\n\nb = 2\n");
        assert_eq!(without_secrets("a = 1\n", TextKind::Code), "a = 1\n");
    }

    #[tokio::test]
    async fn file_is_learned_as_long_as_its_access_stands() {
        let check = async |is_revoked: bool, is_forgotten: bool, is_known: bool| {
            let document = Arc::new(Document::new(DocumentId::new("a"), "rust", 0, "let a = 1;\n"));
            let access = ModelAccess::settled(Verdict::Open);
            let predictions = Predictions::default();
            if is_revoked {
                access.revoke();
            }
            predictions.learn(&document, &access, 0);
            // Like the server: access is revoked first.
            if is_forgotten {
                access.revoke();
                predictions.forget(document.id());
            }
            // The tasks were started in this order.
            tokio::task::yield_now().await;
            predictions.background.run(|| ()).await.unwrap();
            assert_eq!(predictions.predictor.lock().knows(document.id()), is_known);
        };
        check(false, false, true).await;
        check(true, false, false).await;
        check(false, true, false).await;
    }
}
