//! Asks the parser about a suggestion before it is shown.

use std::sync::Arc;

use crate::context::Window;
use crate::document::Document;
use crate::edit::guard::syntax_errors;
use crate::edit::trim::{self, Place};
use crate::edit::{Edit, Refusal};
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

/// Refuses edits of a file that add a syntax error to it. Waits for the parse.
///
/// # Errors
///
/// [`Refusal::Syntax`].
pub(super) fn no_worse(document: &Document, edits: &[Edit]) -> Result<(), Refusal> {
    let errors = |document: &Document| {
        let (tree, grammar) = document.syntax().zip(document.grammar())?;
        // Macros make C's grammar see errors in sound code.
        let is_reliable = !matches!(grammar.id(), "c" | "cpp");
        is_reliable.then(|| syntax_errors(grammar, tree, |span| document.text().byte_slice(span).into()))
    };
    let Some(before) = errors(document) else { return Ok(()) };
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    let mut edited: Option<Document> = None;
    for edit in edits {
        edited = Some(edited.as_ref().unwrap_or(document).with(edit.span.clone(), &edit.text));
    }
    let after = edited.as_ref().and_then(errors).unwrap_or(before);
    if after > before { Err(Refusal::Syntax { before, after }) } else { Ok(()) }
}
