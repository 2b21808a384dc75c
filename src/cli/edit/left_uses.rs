//! What is told of other files that use what an edit has changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::assist::{LeftUses, changed_names, uses_beside};
use crate::grammar;
use crate::workspace::Workspace;

/// How long the files of the repository are waited for. Only an edit that changes a definition waits.
const READING_TIMEOUT: Duration = Duration::from_secs(20);
/// Definitions that are told of.
const MOST_NAMES: usize = 3;

/// An edit of one file, and what is read of the others.
pub(super) struct Edited<'a> {
    pub(super) path: &'a Path,
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) instruction: &'a str,
    pub(super) workspace: &'a Arc<Workspace>,
    /// The reading of the repository; none outside of one.
    pub(super) reading: Option<JoinHandle<()>>,
}

/// What is to be said of the uses that an edit leaves as they are, and how to change them.
pub(super) async fn notes(edited: Edited<'_>) -> Vec<String> {
    let Edited { path, old, new, instruction, workspace, reading } = edited;
    let (Some(grammar), Some(reading)) = (grammar::by_path(path), reading) else { return Vec::new() };
    let Ok(path) = std::path::absolute(path) else { return Vec::new() };
    let mut names = changed_names(&path, grammar, old, new);
    if names.is_empty() {
        return Vec::new();
    }
    names.truncate(MOST_NAMES);
    if !matches!(timeout(READING_TIMEOUT, reading).await, Ok(Ok(()))) {
        let names = names.join("`, `");
        return vec![format!(
            "other files were not read in time, so uses of `{names}` may be left as they are"
        )];
    }
    let workspace = Arc::clone(workspace);
    let find = move |path: PathBuf| {
        let found = names.iter().filter_map(|name| uses_beside(&workspace, &path, grammar, name));
        found.collect::<Vec<LeftUses>>()
    };
    let left = match spawn_blocking(move || find(path)).await {
        Ok(left) => left,
        Err(error) => {
            tracing::warn!(%error, "the uses of what was changed were not looked for");
            return Vec::new();
        }
    };
    left.iter().map(|left| note(left, instruction)).collect()
}

fn note(left: &LeftUses, instruction: &str) -> String {
    let LeftUses { name, uses, files } = left;
    let (uses, stand) = match uses {
        1 => ("1 use".to_owned(), "stands as it is"),
        many => (format!("{many} uses"), "stand as they are"),
    };
    let files = if *files == 1 { "1 other file".to_owned() } else { format!("{files} other files") };
    let command = quoted(&format!("{instruction}; adapt all uses of {name}"));
    format!("{uses} of `{name}` in {files} {stand}; to change all: tandem plan {command}")
}

/// A text as one word of a command line, in the quotes that every shell has where they do.
fn quoted(text: &str) -> String {
    if !text.contains(['"', '$', '`', '\\', '!', '%', '\n']) {
        return format!("\"{text}\"");
    }
    shlex::try_quote(text).map_or_else(|_| format!("{text:?}"), |it| it.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn note_has_a_command_to_paste() {
        let check = |uses, files, instruction: &str, expected: &str| {
            let left = LeftUses { name: "area".to_owned(), uses, files };
            assert_eq!(note(&left, instruction), expected);
        };
        check(
            1,
            1,
            "rename area to size",
            "1 use of `area` in 1 other file stands as it is; to change all: tandem plan \"rename area to size; adapt all uses of area\"",
        );
        check(
            3,
            2,
            "call it `$size`",
            "3 uses of `area` in 2 other files stand as they are; to change all: tandem plan 'call it `$size`; adapt all uses of area'",
        );
    }
}
