//! Finds names in an edit that the project does not know.

use std::path::Path;

use crate::config::Scoped;
use crate::edit::{Edit, Flag, names};
use crate::grammar::Grammar;
use crate::privacy::Verdict;
use crate::workspace::{Scope, Workspace, walk};

/// Indexes the names in a folder's code.
pub(super) fn names_of(root: &Path, settings: &Scoped) -> Workspace {
    let index = Workspace::default();
    let denied = |path: &Path| settings.verdict(path) != Verdict::Open;
    let roots = [root.to_owned()];
    let scope = Scope { roots: &roots, denied: &denied, cancelled: &|| false, is_background: false };
    let report = walk(&index, scope, None);
    tracing::debug!(root = %root.display(), ?report, "names");
    index
}

/// The flag for calls of names that neither the text nor `known` contains.
///
/// It is [`Flag::UncheckedNames`] if the index is too incomplete to tell that a name is wrong.
pub(super) fn unknown_names(
    index: &Workspace,
    grammar: &Grammar,
    text: &str,
    edits: &[Edit],
    known: &dyn Fn(&str) -> bool,
) -> Option<Flag> {
    let names = names::unknown_names(grammar, text, edits, None, known);
    let flag = if index.is_reliable_for(grammar) { Flag::UnknownNames } else { Flag::UncheckedNames };
    (!names.is_empty()).then(|| flag(names))
}
