//! The uses that a rewrite leaves as they were, although it renames or changes what they use.

use std::sync::Arc;

use tokio::time::timeout;

use super::check_plan::checked;
use crate::assist::plan::StaleUses;
use crate::lsp::convert::file_uri;
use crate::lsp::limits::LEFT_USES_TIMEOUT;
use crate::lsp::protocol::{Left, Place, Position, Range, WorkspaceEdit};
use crate::lsp::state::ServerState;

/// Uses as one clause for the user, and as what is left to do.
pub(super) type LeftUses = (String, Left);

/// The uses that an edit of one file leaves; `None` if there are none, or they cannot be looked for.
pub(super) async fn left_uses(state: &Arc<ServerState>, edit: &WorkspaceEdit) -> Option<LeftUses> {
    let found = checked(state, edit.clone(), |project, change, _path| {
        let Some(change) = change.into_iter().next() else { return Ok(None) };
        let place = |(path, line): (&str, usize)| {
            let start = Position { line: u32::try_from(line).ok()?.checked_sub(1)?, character: 0 };
            Some(Place { uri: file_uri(&project.place(path))?, range: Range { start, end: start } })
        };
        let Some(stale) = StaleUses::of(project, change)? else { return Ok(None) };
        let places: Vec<Place> = stale.places().filter_map(place).collect();
        Ok(Some((places, stale)))
    });
    let (places, stale) = match timeout(LEFT_USES_TIMEOUT, found).await {
        Ok(Ok(found)) => found?,
        Ok(Err(reason)) => {
            tracing::debug!(%reason, "the uses of what was rewritten are not known");
            return None;
        }
        Err(_) => {
            tracing::debug!("the uses of what was rewritten were not found in time");
            return None;
        }
    };
    let assist = state.serving.assist();
    let has_model = assist.has_model();
    let instruction = has_model.then(|| stale.instruction());
    Some((stale.to_string(), Left { places, rename: None, instruction }))
}
