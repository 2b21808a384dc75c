//! Asks the parser, and who knows the workspace's names, about a suggestion before it is shown.

mod spine;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tree_sitter::{Node, Tree};

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
            _ => errors_of(&base.with(*cursor..*cursor, text)),
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
            let errors = errors_of(&base);
            Known { base, cursor: before.len(), errors }
        })
    }
}

/// How many syntax errors a text has; `None` if it cannot be parsed. Waits for the parse.
fn errors_of(document: &Document) -> Option<usize> {
    let (tree, grammar) = document.syntax().zip(document.grammar())?;
    Some(syntax_errors(grammar, tree, |span| document.text().byte_slice(span).into()))
}

/// Whether a grammar's errors are the code's. Macros make those of C and C++ see errors in sound code.
pub(super) fn is_reliable(grammar: &Grammar) -> bool {
    !matches!(grammar.id(), "c" | "cpp")
}

/// Refuses edits of a file that add a syntax error to it. Where the grammar is not reliable, only to a definition that
/// it has read without any so far. Waits for the parse.
///
/// # Errors
///
/// [`Refusal::Syntax`] and [`Refusal::Unparsed`].
pub(super) fn no_worse(document: &Document, edits: &[Edit]) -> Result<(), Refusal> {
    let Some(grammar) = document.grammar() else { return Ok(()) };
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.span.start);
    let first = document.with(0..0, "");
    let edited = edits.iter().rev().fold(first, |text, edit| text.with(edit.span.clone(), &edit.text));
    let Some(before) = document.syntax() else { return Ok(()) };
    let after = edited.syntax().ok_or(Refusal::Unparsed)?;
    let (before, after) = if is_reliable(grammar) {
        let count = |document: &Document, tree: &Tree| {
            syntax_errors(grammar, tree, |span| document.text().byte_slice(span).into())
        };
        (count(document, before), count(&edited, after))
    } else {
        let mut shift = 0_isize;
        let new = edits.iter().map(|edit| {
            let start = edit.span.start.saturating_add_signed(shift);
            shift += edit.growth();
            start..start + edit.text.len()
        });
        let new: Vec<Range<usize>> = new.collect();
        let added = edits.iter().zip(new).filter_map(|(edit, new)| {
            let is_clean = !has_errors(before.root_node(), &edit.span);
            is_clean.then(|| usize::from(has_errors(after.root_node(), &new)))
        });
        (0, added.sum())
    };
    if after > before { Err(Refusal::Syntax { before, after }) } else { Ok(()) }
}

/// Whether one of the definitions that a span touches has a syntax error.
fn has_errors(node: Node<'_>, span: &Range<usize>) -> bool {
    if !node.has_error() {
        return false;
    }
    // These hold definitions, and an error in one of them is not one in the others.
    const CONTAINERS: [&str; 4] =
        ["preproc_if", "preproc_el", "linkage_specification", "namespace_definition"];
    let holds = |kind: &str| CONTAINERS.iter().any(|it| kind.starts_with(it));
    let is_list =
        node.kind() == "declaration_list" && node.parent().is_some_and(|parent| holds(parent.kind()));
    if node.parent().is_some() && !holds(node.kind()) && !is_list {
        return true;
    }
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .filter(|child| child.start_byte() <= span.end && span.start <= child.end_byte())
        .any(|child| has_errors(child, span))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;
    use crate::edit::diff;

    #[track_caller]
    fn check(language: &str, old: &str, new: (&str, &str), is_sound: bool) {
        let document = Document::new(DocumentId::new("file:///a"), language, 0, old);
        let edits = diff::minimal(old, &old.replacen(new.0, new.1, 1));
        assert_eq!(no_worse(&document, &edits).is_ok(), is_sound, "{edits:?}");
    }

    #[test]
    fn what_was_broken_before_is_no_reason() {
        check("rust", "fn f() { g(1); }\n", ("g(1)", "g(2)"), true);
        check("rust", "fn f() { g(1); }\n", ("g(1)", "g((2)"), false);
        check("rust", "fn f() { g(1); }\nfn h( {}\n", ("g(1)", "g((2)"), false);
        check("plaintext", "fn f() { g(1); }\n", ("g(1)", "g((2)"), true);
    }

    #[test]
    fn macros_in_one_definition_say_nothing_of_another() {
        let file = "#ifndef A_H\n#define A_H\nint f(void) {\n  g(1);\n}\n\nint h(void) {\n  EACH(x, xs) { k(x); }\n  foo bar baz;\n}\n#endif\n";
        check("c", file, ("g(1)", "g(2)"), true);
        check("c", file, ("g(1)", "g((2)"), false);
        check("c", file, ("  g(1);\n}\n", "  g(1);\n"), false);
        check("c", file, ("k(x)", "k((x)"), true);
        check("cpp", &format!("namespace a {{\n{file}}}\n"), ("g(1)", "g((2)"), false);
    }
}
