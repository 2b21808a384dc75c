//! Files that are not open and may have to follow a change.
//!
//! They are those of the workspace that have its name.

use std::sync::Arc;

use super::params::{NextEditParams, UnopenedFile};
use crate::config::ContextScope;
use crate::document::Document;
use crate::privacy::{ModelAccess, Verdict};
use crate::snapshot::Snapshot;

/// Files that are read for one change at most.
const MOST_FILES: usize = 64;

/// The files that are not open and have a name, those that import `source` first.
///
/// Each is read when it is its turn.
///
/// The index knows them, so that models may be shown them.
pub(super) fn with_name<'a>(
    params: &'a NextEditParams,
    source: &Snapshot,
    name: &'a str,
) -> impl Iterator<Item = Snapshot> + 'a {
    let workspace = &params.snapshot.workspace;
    let (mut files, describe) = (Vec::new(), params.unopened.as_ref().map(|it| &it.describe));
    if let (Some(unopened), Some(grammar)) = (&params.unopened, source.document.grammar()) {
        files = workspace.files_with(grammar, name);
        files.retain(|(path, _)| unopened.open.iter().all(|(_, open)| **path != **open));
        let source = unopened.open.iter().find(|(id, _)| id == source.document.id());
        let importers = source.map(|(_, path)| workspace.importers(path)).unwrap_or_default();
        files.sort_by_key(|(path, _)| !importers.contains(path));
    }
    files.into_iter().take(MOST_FILES).filter_map(move |(path, grammar)| {
        let text = workspace.text(&path).ok().filter(|text| text.contains(name))?;
        let UnopenedFile { id, shown, settings } = describe?(&path, grammar.id())?;
        Some(Snapshot {
            document: Arc::new(Document::new(id, grammar.id(), 0, &text)),
            path: shown,
            outline: "".into(),
            settings,
            access: ModelAccess::settled(Verdict::Open),
            workspace: Arc::clone(workspace),
            related: Arc::default(),
        })
    })
}

/// Whether a model may be shown a file that the user has not opened.
pub(super) fn may_be_shown(file: &Snapshot) -> bool {
    file.settings.privacy.context == ContextScope::Workspace
}
