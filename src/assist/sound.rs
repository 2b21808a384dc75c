//! Asks the parser about a suggestion before it is shown.

use std::ops::Range;
use std::sync::Arc;

use tree_sitter::{Node, Tree};

use crate::context::Window;
use crate::document::Document;
use crate::edit::guard::syntax_errors;
use crate::edit::trim::{self, Place};
use crate::edit::{Edit, Refusal};
use crate::grammar::Grammar;
use crate::job::Reason;

/// A file without a tree is parsed as a whole up to this size (bytes); of a larger one the window is.
const MOST_PARSED: usize = 128 * 1024;

/// Returns the most of a suggestion that can stand at the byte `cursor` without a new syntax error.
///
/// # Errors
///
/// The reason why nothing of it can.
pub(super) async fn keep(
    document: &Arc<Document>,
    cursor: usize,
    window: &Window,
    max_lines: usize,
    text: String,
) -> Result<String, Reason> {
    let Some(grammar) = document.grammar() else { return Ok(text) };
    let (document, before, after) = (Arc::clone(document), window.before.clone(), window.after.clone());
    let judged = tokio::task::spawn_blocking(move || {
        let place = Place { before: &before, after: &after, grammar: Some(grammar), max_lines };
        let has_tree = document.keeps_tree() && document.tree().is_some();
        if has_tree || document.text().len_bytes() <= MOST_PARSED {
            // The file's own version keeps no tree of this: how many of those may be kept is the session's business.
            let base = document.with(cursor..cursor, "");
            let count = |version: &Document| {
                version.syntax().map(|tree| syntax_errors(grammar, tree, |span| version.slice(span).into()))
            };
            let mut errors = |text: &str| match text {
                "" => count(&base),
                _ => count(&base.with(cursor..cursor, text)),
            };
            trim::sound(place, text, &mut errors)
        } else {
            let mut errors = |text: &str| {
                let all = [&before, text, &after].concat();
                let tree = grammar.parse_str(&all)?;
                Some(syntax_errors(grammar, &tree, |span| all[span].into()))
            };
            trim::sound(place, text, &mut errors)
        }
    });
    match judged.await {
        Ok(judged) => judged.map_err(|refusal| super::refused(&refusal)),
        Err(panic) => {
            tracing::error!(%panic, "a suggestion could not be checked");
            Err(Reason::Internal)
        }
    }
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
/// [`Refusal::Syntax`].
pub(super) fn no_worse(document: &Document, edits: &[Edit]) -> Result<(), Refusal> {
    let Some(grammar) = document.grammar() else { return Ok(()) };
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.span.start);
    let first = document.with(0..0, "");
    let edited = edits.iter().rev().fold(first, |text, edit| text.with(edit.span.clone(), &edit.text));
    let (Some(before), Some(after)) = (document.syntax(), edited.syntax()) else { return Ok(()) };
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
