//! Checks a suggestion before it is shown, by the parser and the workspace's names.

mod confidence;
mod enclosing_lines;
mod unknown_names;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::pipeline::blocking;
use crate::context::Window;
use crate::document::Document;
use crate::edit::guard::syntax_errors;
use crate::edit::trim::{self, Place};
use crate::edit::{Edit, Refusal};
use crate::grammar::Grammar;
use crate::job::{Job, Reason};
use crate::workspace::Workspace;
pub(super) use confidence::Confidence;
pub(super) use unknown_names::{UnknownNames, unknown_names};

/// Validates suggestions for one place.
///
/// The text without a suggestion is parsed once, off the thread that serves.
#[derive(Clone)]
pub(super) struct Validator(Option<Arc<ValidationContext>>);

/// The place of a [`Validator`].
struct ValidationContext {
    document: Arc<Document>,
    cursor: usize,
    grammar: &'static Grammar,
    before: String,
    after: String,
    max_lines: usize,
    index: Arc<Workspace>,
    least: Confidence,
    baseline: OnceLock<Baseline>,
    /// What was validated: the beginning that was shown early is often the whole.
    validated: Mutex<Vec<(String, Result<Validated, Refusal>)>>,
}

/// A suggestion that was validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Validated {
    /// The most of it that can stand at the cursor without a new syntax error.
    pub(super) text: String,
    /// Why that is less certain than required, if it is.
    pub(super) doubt: Option<Refusal>,
}

/// The text without a suggestion.
struct Baseline {
    /// The lines that matter.
    lines: Document,
    /// Where the cursor is in them.
    cursor: usize,
    /// Syntax errors in them; `None` if they cannot be parsed.
    errors: Option<usize>,
}

impl Validator {
    /// A validator for the byte `cursor` and the window around it, which rejects below `least`.
    ///
    /// It accepts everything where no grammar is linked.
    pub(super) fn new(
        document: &Arc<Document>,
        cursor: usize,
        window: &Window,
        max_lines: usize,
        index: &Arc<Workspace>,
        least: Confidence,
    ) -> Self {
        Self(document.grammar().map(|grammar| {
            Arc::new(ValidationContext {
                document: Arc::clone(document),
                cursor,
                grammar,
                before: window.before.clone(),
                after: window.after.clone(),
                max_lines,
                index: Arc::clone(index),
                least,
                baseline: OnceLock::new(),
                validated: Mutex::default(),
            })
        }))
    }

    /// Begins to parse the baseline, which takes no time while the model thinks.
    pub(super) fn prepare(&self) {
        if let Some(place) = self.0.clone() {
            // The first validation waits for this one's end, or does the same.
            drop(tokio::task::spawn_blocking(move || _ = place.baseline()));
        }
    }

    /// Whether an answer that the model did not finish is doubtful for that alone.
    pub(super) fn needs_the_end(&self) -> bool {
        self.0.as_ref().is_some_and(|place| place.least == Confidence::High)
    }

    /// Validates a suggestion.
    ///
    /// # Errors
    ///
    /// Why nothing of it can stand at the cursor.
    pub(super) async fn validate(&self, text: String) -> Result<Validated, Reason> {
        let Some(place) = self.0.clone() else { return Ok(Validated { text, doubt: None }) };
        let validated = match place.earlier(&text) {
            Some(validated) => validated,
            None => blocking(Job::Complete, move || place.validate(text)).await?,
        };
        Ok(validated?)
    }
}

impl ValidationContext {
    fn validate(&self, text: String) -> Result<Validated, Refusal> {
        let Baseline { lines, cursor, errors } = self.baseline();
        let place = Place {
            before: &self.before,
            after: &self.after,
            grammar: Some(self.grammar),
            max_lines: self.max_lines,
        };
        let sound = trim::sound(place, text.clone(), &mut |text| match text {
            "" => *errors,
            _ => syntax_errors(&lines.with(*cursor..*cursor, text)),
        });
        let validated = sound.map(|text| Validated { doubt: self.doubt(&text), text });
        self.validated().push((text, validated.clone()));
        validated
    }

    /// Why a suggestion is not certain enough: it calls names that are known nowhere.
    fn doubt(&self, text: &str) -> Option<Refusal> {
        // Until the workspace was read, a missing name is known to be missing in this file only.
        let says_enough = self.least == Confidence::High || self.index.speaks_for(self.grammar);
        if self.least == Confidence::Low || !says_enough {
            return None;
        }
        let shown = [&*self.before, &self.after].concat();
        let edit = Edit::new(self.before.len()..self.before.len(), text);
        let unknown = unknown_names(&self.index, &self.document, &shown, &[edit], &|_| false)?;
        let confidence = match &unknown {
            UnknownNames::InWorkspace(_) => Confidence::Low,
            UnknownNames::InFile(_) => Confidence::Medium,
        };
        (confidence < self.least).then(|| unknown.refusal())
    }

    /// The result for a text that was validated before.
    fn earlier(&self, text: &str) -> Option<Result<Validated, Refusal>> {
        self.validated().iter().find(|(earlier, _)| earlier == text).map(|(_, result)| result.clone())
    }

    fn validated(&self) -> MutexGuard<'_, Vec<(String, Result<Validated, Refusal>)>> {
        self.validated.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn baseline(&self) -> &Baseline {
        self.baseline.get_or_init(|| {
            let (before, after) = enclosing_lines::around(&self.document, self.cursor);
            let text = [&*before, &after].concat();
            let lines = Document::new(self.document.id().clone(), self.grammar.id(), 0, &text);
            let errors = syntax_errors(&lines);
            Baseline { lines, cursor: before.len(), errors }
        })
    }
}
