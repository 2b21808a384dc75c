//! The last text that was tried with a suggestion in it, and its tree, from which the next text is parsed.
//!
//! Suggestions validated in succession, within one answer or from one keystroke to the next, are inserted in
//! nearly the same lines. A small edit is parsed in tens of microseconds, while parsing the lines from scratch
//! takes a millisecond.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};

use crate::budget::Budget;
use crate::document::{Document, DocumentId};
use crate::edit::trim::Errors;
use crate::grammar::Grammar;
use crate::lock::Mutex;
use crate::text::difference;

/// Units of work up to which a parse may run on the async thread: a switch of threads takes as long.
///
/// Units are counted, not timed: the thread that checks a suggestion does not depend on the machine's load.
const SHORT_PARSE: usize = 30_000;
/// Largest difference from the previous text (bytes) for which the parse is short.
const SMALL_CHANGE_BYTES: usize = 1024;

/// The last parsed suggestion, of any file. Its lock is held during a parse.
#[derive(Debug, Clone, Default)]
pub(in crate::assist) struct ParseCache(Arc<State>);

#[derive(Debug, Default)]
struct State {
    last: Mutex<Option<ParsedSuggestion>>,
    left_error: AtomicBool,
}

impl ParseCache {
    /// Whether the last suggestion that was validated left a syntax error.
    pub(super) fn left_error(&self) -> bool {
        self.0.left_error.load(Ordering::Relaxed)
    }

    /// Notes whether a suggestion that was validated left a syntax error.
    pub(super) fn note(&self, left_error: bool) {
        self.0.left_error.store(left_error, Ordering::Relaxed);
    }

    /// Locks the cache, waiting for other threads.
    pub(super) fn lock(&self) -> MutexGuard<'_, Option<ParsedSuggestion>> {
        self.0.last.lock()
    }

    /// Locks the cache, unless another thread holds it.
    pub(super) fn try_lock(&self) -> Option<MutexGuard<'_, Option<ParsedSuggestion>>> {
        self.0.last.try_lock()
    }
}

/// A text that was parsed.
#[derive(Debug)]
pub(super) struct ParsedSuggestion {
    pub(super) document: Document,
    text: String,
    pub(super) errors: Option<usize>,
    /// Units that its parse took, starting from the previous tree.
    took: usize,
}

impl ParsedSuggestion {
    /// Whether a text can be parsed quickly from this one.
    pub(super) fn is_near(&self, grammar: &Grammar, text: &str) -> bool {
        let (old, new) = difference(&self.text, text);
        self.is_of(grammar) && self.took <= SHORT_PARSE && old.len() + new.len() <= SMALL_CHANGE_BYTES
    }

    fn is_of(&self, grammar: &Grammar) -> bool {
        self.document.grammar().is_some_and(|own| std::ptr::eq(own, grammar))
    }
}

/// Parses a text, reusing the last tree if it is of the same language.
///
/// Whether there are errors depends on the text alone. Their number may depend on the text that was parsed
/// before. `has_lines` is whether the suggestion in it has several lines.
pub(super) fn parse<'a>(
    last: &'a mut Option<ParsedSuggestion>,
    grammar: &Grammar,
    text: &str,
    has_lines: bool,
) -> &'a ParsedSuggestion {
    let next = match last.take().filter(|trial| trial.is_of(grammar)) {
        Some(trial) if trial.text == text => trial,
        Some(trial) => {
            let (old, new) = difference(&trial.text, text);
            let document = trial.document.with(old, &text[new]);
            let budget = Budget::counting();
            let errors = budget.run(|| errors(&document, has_lines)).unwrap_or_default();
            ParsedSuggestion { document, text: text.to_owned(), errors, took: budget.counted() }
        }
        None => {
            let document = Document::new(DocumentId::new(""), grammar.id(), 0, text);
            let errors = errors(&document, has_lines);
            // The cost of an edit is not known yet.
            ParsedSuggestion { document, text: text.to_owned(), errors, took: 0 }
        }
    };
    last.insert(next)
}

/// The syntax errors of a text; `None` if it cannot be parsed. The columns of statements count only if `has_lines`.
pub(super) fn errors(document: &Document, has_lines: bool) -> Option<usize> {
    match has_lines {
        true => document.syntax_errors(),
        false => document.syntax_errors_within_lines(),
    }
}

/// Like [`errors`], of a text with a suggestion at a byte.
pub(super) fn errors_at(document: &Document, at: usize, suggestion: &str) -> Option<Errors> {
    let span = at..at + suggestion.len();
    let (all, inside) = document.syntax_errors_in(&span, suggestion.contains('\n'))?;
    Some(Errors { all, inside })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar;

    #[test]
    fn work_of_a_parse_is_the_same_each_time() {
        let rust = grammar::by_language_id("rust").unwrap();
        let text = "fn f() {\n    g(1, 2);\n}\n\n".repeat(300);
        let took = |next: &str| {
            let mut last = None;
            parse(&mut last, rust, &text, true);
            parse(&mut last, rust, next, true).took
        };
        let typed = text.replacen("1", "12", 1);
        let broken = text.replace("}\n", "(\n");
        assert_eq!(took(&broken), took(&broken));
        assert!(
            took(&typed) <= SHORT_PARSE && took(&typed) < took(&broken),
            "{} {}",
            took(&typed),
            took(&broken)
        );
    }

    #[test]
    fn text_parsed_from_any_other_has_errors_if_it_has_them_by_itself() {
        let rust = grammar::by_language_id("rust").unwrap();
        let texts = [
            "fn f() {\n    let a = ;\n}\n",
            "fn f() {\n    let a = g(1);\n}\n",
            "fn f() {\n    let a = g(1, \n}\n",
            "fn f() {\n    let a = g(1);\n    let b = a\n}\n\nfn g() {}\n",
            "",
            "fn f() {\n    let ab = g(1);\n    let b = a;\n}\n\nfn g() {}\n",
        ];
        for first in texts {
            for second in texts {
                let mut last = None;
                parse(&mut last, rust, first, true);
                let has_errors = parse(&mut last, rust, second, true).errors > Some(0);
                let alone = parse(&mut None, rust, second, true).errors > Some(0);
                assert_eq!(has_errors, alone, "{first:?} then {second:?}");
            }
        }
    }
}
