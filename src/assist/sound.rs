//! Asks the parser, and who knows the workspace's names, about a suggestion before it is shown.

mod spine;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::confidence::Confidence;
use super::names::{self, Unknown};
use crate::context::Window;
use crate::document::Document;
use crate::edit::guard::syntax_errors;
use crate::edit::trim::{self, Place};
use crate::edit::{Edit, Refusal};
use crate::grammar::Grammar;
use crate::index::Index;
use crate::job::Reason;

/// Judges suggestions for one place. What there is without one is parsed once, off the thread that serves.
#[derive(Clone)]
pub(super) struct Judge(Option<Arc<Bench>>);

/// What a [`Judge`] looks at.
struct Bench {
    document: Arc<Document>,
    cursor: usize,
    grammar: &'static Grammar,
    before: String,
    after: String,
    max_lines: usize,
    index: Arc<Index>,
    least: Confidence,
    known: OnceLock<Known>,
    /// Suggestions that were judged, with the judgements: the beginning that was shown is often the whole.
    judged: Mutex<Vec<(String, Result<Judgement, Refusal>)>>,
}

/// What is found of a suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judgement {
    /// The most of it that can stand at the cursor without a new syntax error.
    pub(super) text: String,
    /// Why that is not as sure as it has to be.
    pub(super) doubt: Option<Refusal>,
}

/// What is known before there is a suggestion.
struct Known {
    /// The lines that matter.
    base: Document,
    /// Where the cursor is in them.
    cursor: usize,
    errors: Option<usize>,
}

impl Judge {
    /// A judge for the byte `cursor` and the window around it, who doubts what is less sure than `least`. Files without a
    /// grammar have none who objects.
    pub(super) fn new(
        document: &Arc<Document>,
        cursor: usize,
        window: &Window,
        max_lines: usize,
        index: &Arc<Index>,
        least: Confidence,
    ) -> Self {
        Self(document.grammar().map(|grammar| {
            Arc::new(Bench {
                document: Arc::clone(document),
                cursor,
                grammar,
                before: window.before.clone(),
                after: window.after.clone(),
                max_lines,
                index: Arc::clone(index),
                least,
                known: OnceLock::new(),
                judged: Mutex::default(),
            })
        }))
    }

    /// Begins to parse what a suggestion will be compared with: a good use of the time that a model thinks.
    pub(super) fn prepare(&self) {
        if let Some(bench) = self.0.clone() {
            // Whoever asks for a judgement waits for this one's end, or does the same.
            drop(tokio::task::spawn_blocking(move || _ = bench.known()));
        }
    }

    /// Whether an answer that did not come to its end is doubtful for that alone.
    pub(super) fn wants_the_end(&self) -> bool {
        self.0.as_ref().is_some_and(|bench| bench.least == Confidence::High)
    }

    /// Returns what of a suggestion can stand at the cursor, and what speaks against it.
    ///
    /// # Errors
    ///
    /// The reason why nothing of it can.
    pub(super) async fn judge(&self, text: String) -> Result<Judgement, Reason> {
        let Some(bench) = self.0.clone() else { return Ok(Judgement { text, doubt: None }) };
        let judged = match bench.judged(&text) {
            Some(judged) => Ok(judged),
            None => tokio::task::spawn_blocking(move || bench.judge(text)).await,
        };
        match judged {
            Ok(judged) => judged.map_err(|refusal| super::refused(&refusal)),
            Err(panic) => {
                tracing::error!(%panic, "a suggestion could not be checked");
                Err(Reason::Internal)
            }
        }
    }
}

impl Bench {
    fn judge(&self, text: String) -> Result<Judgement, Refusal> {
        let Known { base, cursor, errors } = self.known();
        let place = Place {
            before: &self.before,
            after: &self.after,
            grammar: Some(self.grammar),
            max_lines: self.max_lines,
        };
        let judged = trim::sound(place, text.clone(), &mut |text| match text {
            "" => *errors,
            _ => syntax_errors(&base.with(*cursor..*cursor, text)),
        });
        let judged = judged.map(|text| Judgement { doubt: self.doubt(&text), text });
        self.judgements().push((text, judged.clone()));
        judged
    }

    /// Why a suggestion is not sure enough, if it is not: it calls names that nobody knows.
    fn doubt(&self, text: &str) -> Option<Refusal> {
        // Without the workspace's names all that can be said is that the file does not have one.
        let says_enough = self.least == Confidence::High || self.index.speaks_for(self.grammar);
        if self.least == Confidence::Low || !says_enough {
            return None;
        }
        let shown = [&*self.before, &self.after].concat();
        let edit = Edit::new(self.before.len()..self.before.len(), text);
        let unknown = names::unknown(&self.index, &self.document, &shown, &[edit], &|_| false)?;
        let confidence = match &unknown {
            Unknown::Anywhere(_) => Confidence::Low,
            Unknown::Here(_) => Confidence::Medium,
        };
        (confidence < self.least).then(|| Refusal::UnknownName { name: unknown.names().swap_remove(0) })
    }

    /// The judgement of a text that was judged before.
    fn judged(&self, text: &str) -> Option<Result<Judgement, Refusal>> {
        self.judgements().iter().find(|(judged, _)| judged == text).map(|(_, judgement)| judgement.clone())
    }

    fn judgements(&self) -> MutexGuard<'_, Vec<(String, Result<Judgement, Refusal>)>> {
        self.judged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let (before, after) = spine::around(&self.document, self.cursor);
            let text = [&*before, &after].concat();
            let base = Document::new(self.document.id().clone(), self.grammar.id(), 0, &text);
            let errors = syntax_errors(&base);
            Known { base, cursor: before.len(), errors }
        })
    }
}
