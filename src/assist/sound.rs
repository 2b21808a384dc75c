//! Asks the parser about a suggestion before it is shown.

use std::sync::Arc;

use crate::context::Window;
use crate::document::Document;
use crate::edit::guard::syntax_errors;
use crate::edit::trim::{self, Place};
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
