//! The uses that a rewrite leaves as they were, although it renames or changes what they use.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::time::timeout;

use super::check_plan::checked;
use crate::assist::plan::{Finding, uses_left};
use crate::lsp::convert::file_uri;
use crate::lsp::limits::LEFT_USES_TIMEOUT;
use crate::lsp::protocol::{self, Left, Place, WorkspaceEdit};
use crate::lsp::state::ServerState;
use crate::route::Gear;
use crate::text::words::counted;

/// Limit on the named files, and on the named lines of each.
const MOST_NAMED: usize = 5;

/// The uses, as one clause for the user and as what is left to do.
pub(super) struct StaleUses {
    pub(super) said: String,
    pub(super) left: Left,
}

/// The uses that an edit of one file leaves; `None` if there are none, or they cannot be looked for.
pub(super) async fn left_uses(state: &Arc<ServerState>, edit: &WorkspaceEdit) -> Option<StaleUses> {
    let found = checked(state, edit.clone(), |project, change, _path| {
        let changed = change.first().map(|file| file.path.clone()).unwrap_or_default();
        let found = uses_left(project, change)?;
        let places = found.iter().filter_map(|it| place(&file_uri(&project.place(&it.path))?, it));
        let places = places.collect::<Vec<_>>();
        Ok((changed, found, places))
    });
    let (changed, found, places) = match timeout(LEFT_USES_TIMEOUT, found).await {
        Ok(Ok(found)) => found,
        Ok(Err(reason)) => {
            tracing::debug!(%reason, "the uses of what was rewritten are not known");
            return None;
        }
        Err(_) => {
            tracing::debug!("the uses of what was rewritten were not found in time");
            return None;
        }
    };
    let said = said(&found)?;
    let assist = state.serving.assist();
    let has_model = [Gear::Fast, Gear::Deep].iter().any(|gear| assist.model_name(*gear).is_some());
    let names: BTreeSet<&str> = found.iter().filter_map(|it| it.problem.changed_name()).collect();
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let instruction =
        has_model.then(|| format!("Adapt the uses of {} to what {changed} defines now", names.join(", ")));
    Some(StaleUses { said, left: Left { places, rename: None, instruction } })
}

/// How many lines with uses are left in which files, and which these are.
fn said(found: &[Finding]) -> Option<String> {
    let files: BTreeSet<&str> = found.iter().map(|it| it.path.as_str()).collect();
    let fit = match found.len() {
        0 => return None,
        1 => "no longer fits",
        _ => "no longer fit",
    };
    let shortened = |mut all: Vec<String>, between: &str| {
        if all.len() > MOST_NAMED {
            all.truncate(MOST_NAMED);
            all.push("…".to_owned());
        }
        all.join(between)
    };
    let (lines, in_files) = (counted(found.len(), "line"), counted(files.len(), "file"));
    let places: Vec<String> = files
        .into_iter()
        .map(|path| {
            let lines = found.iter().filter(|it| it.path == path).filter_map(|it| it.line);
            let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
            format!("{path}:{}", shortened(lines, ","))
        })
        .collect();
    Some(format!("{lines} in {in_files} {fit}: {}", shortened(places, ", ")))
}

/// The line of a finding.
fn place(uri: &str, finding: &Finding) -> Option<Place> {
    let at = protocol::Position { line: u32::try_from(finding.line?.checked_sub(1)?).ok()?, character: 0 };
    Some(Place { uri: uri.to_owned(), range: protocol::Range { start: at, end: at } })
}
