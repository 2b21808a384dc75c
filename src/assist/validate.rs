//! Checks a suggestion before it is shown, by the parser and the workspace's names.
//!
//! A suggestion that leaves no syntax error in the surrounding lines is valid, whatever their earlier state. The
//! tree of the [last parse](trial) shows this, mostly in less time than it takes to hand the work to another
//! thread. Only a suggestion that leaves an error is compared with the lines without it. These are parsed from
//! scratch: the number of errors counts there, and depends on how a text was parsed. Where the last suggestion left
//! an error in lines that had one already, the next is compared at once, as each parse of broken lines is long.

mod enclosing_lines;
mod trial;
mod unknown_names;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::pipeline::blocking;
use crate::config::Eagerness;
use crate::context::Window;
use crate::document::{Document, DocumentId};
use crate::edit::trim::{self, CursorContext, CursorFacts, Errors};
use crate::edit::{Edit, Refusal};
use crate::grammar::Grammar;
use crate::job::{Job, Reason};
use crate::lock::Mutex;
use crate::workspace::Workspace;
use enclosing_lines::{COMPARED_BYTES, NEAR_BYTES, around};
pub(super) use trial::ParseCache;
use trial::ParsedSuggestion;
pub(super) use unknown_names::{UnknownNames, unknown_names};

/// Validates suggestions at one position.
#[derive(Clone)]
pub(super) struct Validator(Option<Arc<ValidationContext>>);

/// The position and the state of a [`Validator`].
struct ValidationContext {
    document: Arc<Document>,
    cursor: usize,
    grammar: &'static Grammar,
    window: Arc<Window>,
    facts: Arc<CursorFacts>,
    max_lines: usize,
    index: Arc<Workspace>,
    least: Confidence,
    lines: OnceLock<Lines>,
    baseline: OnceLock<Baseline>,
    /// Whether suggestions are only compared with the baseline, since they will probably leave an error.
    expects_error: AtomicBool,
    parse_cache: ParseCache,
    /// The results so far: the beginning that was shown early is often the whole suggestion.
    validated: Mutex<Vec<(String, Result<Validated, Refusal>)>>,
}

/// A suggestion that was validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Validated {
    /// The longest part that can be inserted at the cursor without a new syntax error.
    pub(super) text: String,
    /// Why it is less certain than required, if it is.
    pub(super) doubt: Option<Refusal>,
}

/// The lines relevant to a suggestion, on both sides of the cursor.
struct Lines {
    before: String,
    after: String,
}

impl Lines {
    /// The lines with a suggestion at the cursor.
    fn with(&self, text: &str) -> String {
        [&*self.before, text, &self.after].concat()
    }
}

/// Fewer lines, without a suggestion, parsed.
struct Baseline {
    lines: Document,
    /// The byte of the cursor in them.
    cursor: usize,
    /// Syntax errors in them; `None` if they cannot be parsed.
    errors: Option<usize>,
}

/// The requirements on a suggestion, besides its position.
pub(super) struct Requirements<'a> {
    /// The most lines that a suggestion may have.
    pub(super) max_lines: usize,
    /// The required certainty.
    pub(super) least: Confidence,
    /// The names of the workspace.
    pub(super) index: &'a Arc<Workspace>,
    /// The last suggestion that was validated, at any position.
    pub(super) parse_cache: &'a ParseCache,
}

impl Validator {
    /// A validator for the byte `cursor`, the window around it and the facts found there.
    ///
    /// It accepts everything if there is no grammar.
    pub(super) fn new(
        document: &Arc<Document>,
        cursor: usize,
        window: &Arc<Window>,
        facts: &Arc<CursorFacts>,
        requirements: Requirements<'_>,
    ) -> Self {
        let Requirements { max_lines, least, index, parse_cache } = requirements;
        Self(document.grammar().map(|grammar| {
            Arc::new(ValidationContext {
                document: Arc::clone(document),
                cursor,
                grammar,
                window: Arc::clone(window),
                facts: Arc::clone(facts),
                max_lines,
                index: Arc::clone(index),
                least,
                lines: OnceLock::new(),
                baseline: OnceLock::new(),
                expects_error: AtomicBool::new(false),
                parse_cache: parse_cache.clone(),
                validated: Mutex::default(),
            })
        }))
    }

    /// Prepares for validation while the model thinks, which costs no extra time.
    pub(super) fn prepare(&self) {
        let Some(place) = &self.0 else { return };
        // If the last suggestion left an error, this one probably will, too.
        let left_error = place.parse_cache.left_error();
        let text = place.lines().with("");
        let is_near = |last: &ParsedSuggestion| last.is_near(place.grammar, &text);
        if !left_error && place.parse_cache.try_lock().is_some_and(|last| last.as_ref().is_some_and(is_near))
        {
            return;
        }
        let place = Arc::clone(place);
        // The first validation waits for the end of this parse, or does the same.
        drop(tokio::task::spawn_blocking(move || {
            let mut last = place.parse_cache.lock();
            let expects_error = left_error && place.baseline().errors > Some(0);
            place.expects_error.store(expects_error, Ordering::Relaxed);
            if !expects_error {
                trial::parse(&mut last, place.grammar, &text, false);
            }
        }));
    }

    /// Parses a suggestion that is still being written, if that is quick. The final parse then has less new text
    /// to read.
    pub(super) fn parse_partial(&self, text: &str) {
        if let Some(place) = &self.0
            && !place.expects_error.load(Ordering::Relaxed)
            && let Some(mut last) = place.parse_cache.try_lock()
        {
            let tried = place.lines().with(text);
            if last.as_ref().is_some_and(|trial| trial.is_near(place.grammar, &tried)) {
                trial::parse(&mut last, place.grammar, &tried, has_lines(text));
            }
        }
    }

    /// Whether an answer is doubtful only because the model did not finish it.
    pub(super) fn needs_the_end(&self) -> bool {
        self.0.as_ref().is_some_and(|place| place.least == Confidence::High)
    }

    /// Whether a suggestion leaves no syntax error at all. False if there is no grammar.
    pub(super) async fn leaves_no_error(&self, text: String) -> Result<bool, Reason> {
        let Some(place) = self.0.clone() else { return Ok(false) };
        blocking(Job::Complete, move || {
            let tried = place.lines().with(&text);
            let mut last = place.parse_cache.lock();
            trial::parse(&mut last, place.grammar, &tried, has_lines(&text)).errors == Some(0)
        })
        .await
    }

    /// Validates a suggestion.
    pub(super) async fn validate(&self, text: String) -> Result<Validated, Reason> {
        let Some(place) = self.0.clone() else { return Ok(Validated { text, doubt: None }) };
        let validated = match place.earlier(&text).or_else(|| place.validate_shortly(&text)) {
            Some(validated) => validated,
            None => blocking(Job::Complete, move || place.validate(text)).await?,
        };
        Ok(validated?)
    }
}

impl ValidationContext {
    /// Validates a suggestion if that is quick; `None` if it may take longer.
    fn validate_shortly(&self, text: &str) -> Option<Result<Validated, Refusal>> {
        if self.expects_error.load(Ordering::Relaxed) {
            return None;
        }
        let tried = self.lines().with(text);
        let mut last = self.parse_cache.try_lock()?;
        if !last.as_ref()?.is_near(self.grammar, &tried) {
            return None;
        }
        let trial = trial::parse(&mut last, self.grammar, &tried, has_lines(text));
        let mut is_settled = true;
        let sound = trim::sound(self.place(), text.to_owned(), &mut |asked| {
            let is_clean = trial.errors == Some(0) && asked == text;
            is_settled &= is_clean;
            is_clean.then_some(NO_ERRORS)
        });
        is_settled.then(|| self.settle(text, sound, Some(trial)))
    }

    fn validate(&self, text: String) -> Result<Validated, Refusal> {
        let mut last = self.parse_cache.lock();
        let trial = match self.expects_error.load(Ordering::Relaxed) {
            true => None,
            false => {
                let tried = self.lines().with(&text);
                Some(trial::parse(&mut last, self.grammar, &tried, has_lines(&text)))
            }
        };
        let sound = trim::sound(self.place(), text.clone(), &mut |asked| match asked {
            _ if asked == text && trial.is_some_and(|trial| trial.errors == Some(0)) => Some(NO_ERRORS),
            "" => {
                let Baseline { lines, errors, .. } = self.baseline();
                let all = if has_lines(&text) { lines.syntax_errors() } else { *errors };
                all.map(|all| Errors { all, inside: 0 })
            }
            _ => {
                let Baseline { lines, cursor, .. } = self.baseline();
                let errors = trial::errors_at(&lines.with(*cursor..*cursor, asked), *cursor, asked);
                if asked == text {
                    self.parse_cache.note(errors.is_some_and(|errors| errors.all > 0));
                }
                errors
            }
        });
        self.settle(&text, sound, trial)
    }

    fn place(&self) -> CursorContext<'_> {
        CursorContext {
            before: &self.window.before,
            after: &self.window.after,
            grammar: Some(self.grammar),
            max_lines: self.max_lines,
            facts: &self.facts,
        }
    }

    /// Adds any doubt about the valid part of a text, and stores the result.
    fn settle(
        &self,
        text: &str,
        sound: Result<String, Refusal>,
        trial: Option<&ParsedSuggestion>,
    ) -> Result<Validated, Refusal> {
        if let Some(trial) = trial {
            self.parse_cache.note(trial.errors > Some(0));
        }
        let validated = sound.map(|sound| {
            let doubt = self.doubt(&sound, trial.filter(|_| sound == text));
            Validated { doubt, text: sound }
        });
        self.validated.lock().push((text.to_owned(), validated.clone()));
        validated
    }

    /// The doubt about a suggestion that calls unknown names. `trial` is the trial of exactly this suggestion, if
    /// there was one.
    fn doubt(&self, text: &str, trial: Option<&ParsedSuggestion>) -> Option<Refusal> {
        // Until the workspace has been read, a name is only known to be missing in this file.
        let says_enough = self.least == Confidence::High || self.index.is_reliable_for(self.grammar);
        if self.least == Confidence::Low || !says_enough {
            return None;
        }
        let tree = trial.and_then(|trial| trial.document.tree());
        let (before, after) = match tree {
            Some(_) => (&self.lines().before, &self.lines().after),
            None => (&self.window.before, &self.window.after),
        };
        let shown = [&**before, after].concat();
        let edit = Edit::new(before.len()..before.len(), text);
        let unknown = unknown_names(&self.index, &self.document, &shown, &[edit], tree, &|_| false)?;
        let confidence = match &unknown {
            UnknownNames::InWorkspace(_) => Confidence::Low,
            UnknownNames::InFile(_) => Confidence::Medium,
        };
        (confidence < self.least).then(|| unknown.refusal())
    }

    /// The result for a text that was validated before.
    fn earlier(&self, text: &str) -> Option<Result<Validated, Refusal>> {
        self.validated.lock().iter().find(|(earlier, _)| earlier == text).map(|(_, result)| result.clone())
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| {
            let (before, after) = around(&self.document, self.cursor, NEAR_BYTES);
            Lines { before, after }
        })
    }

    fn baseline(&self) -> &Baseline {
        self.baseline.get_or_init(|| {
            let (before, after) = around(&self.document, self.cursor, COMPARED_BYTES);
            let text = [&*before, &after].concat();
            let lines = Document::new(DocumentId::new(""), self.grammar.id(), 0, &text);
            let errors = trial::errors(&lines, false);
            Baseline { lines, cursor: before.len(), errors }
        })
    }
}

const NO_ERRORS: Errors = Errors { all: 0, inside: 0 };

/// Whether a suggestion can put a statement into another column.
fn has_lines(text: &str) -> bool {
    text.contains('\n')
}

/// The certainty of a suggestion, by facts that can be checked.
///
/// A model's own confidence is unreliable, so it is not requested. The criteria are whether the suggestion uses
/// names that exist, whether it is related to recent edits, and whether it is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Confidence {
    /// There is evidence against it.
    Low,
    /// There is no evidence against it.
    Medium,
    /// There is evidence for it.
    High,
}

impl Confidence {
    /// The certainty required to show a suggestion. Explicit requests show any.
    pub(super) fn least(eagerness: Eagerness, is_invoked: bool) -> Self {
        match eagerness {
            _ if is_invoked => Self::Low,
            Eagerness::Low => Self::High,
            Eagerness::Medium => Self::Medium,
            Eagerness::High => Self::Low,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn verdict_is_the_same_whether_an_error_is_expected_or_not() {
        let before = "fn f() {\n    g(";
        let document = Document::new(DocumentId::new("a"), "rust", 0, &format!("{before}\n}}\n"));
        let document = Arc::new(document);
        let window = Arc::new(Window::around(&document, before.len(), "a".to_owned(), ""));
        let (parse_cache, index) = (ParseCache::default(), Arc::default());
        let verdict = async |text: &str, expects_error: bool| {
            let (least, parse_cache, index) = (Confidence::Low, &parse_cache, &index);
            let requirements = Requirements { max_lines: 8, least, index, parse_cache };
            let facts = Arc::default();
            let validator = Validator::new(&document, before.len(), &window, &facts, requirements);
            let place = validator.0.as_ref().unwrap();
            place.expects_error.store(expects_error, Ordering::Relaxed);
            (validator.validate(text.to_owned()).await, parse_cache.left_error())
        };
        for text in ["h();", "h());", "h(", ") }", "1, 2", "a)\n}", "a);\n    h(\n    i();"] {
            assert_eq!(verdict(text, true).await, verdict(text, false).await, "{text}");
        }
        assert!(verdict("h();", false).await.1);
        assert!(!verdict("h());", true).await.1);
    }
}
