//! Notes on uses of changed definitions that an edit leaves unchanged, in its own file and in others.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::assist::{LeftUses, changed_names, uses_beside, uses_within};
use crate::grammar;
use crate::route::Gear;
use crate::text::line::list_words;
use crate::text::words::counted;
use crate::workspace::Workspace;

/// How long to wait for the repository's files. Only edits that change a definition wait.
const READING_TIMEOUT: Duration = Duration::from_secs(20);
/// The maximum number of definitions to report.
const MOST_NAMES: usize = 3;
/// The maximum number of lines to list.
const MOST_LINES: usize = 5;

pub(super) struct EditedFile<'a> {
    pub(super) path: &'a Path,
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) instruction: &'a str,
    /// The gear that made the edit.
    pub(super) gear: Gear,
    pub(super) workspace: &'a Arc<Workspace>,
    /// The task that reads the repository; `None` outside one.
    pub(super) reading: Option<JoinHandle<()>>,
}

/// Notes on the uses that an edit leaves unchanged, with commands to change them.
pub(super) async fn notes(edited: EditedFile<'_>) -> Vec<String> {
    let EditedFile { path, old, new, instruction, gear, workspace, reading } = edited;
    let (Some(grammar), Ok(place)) = (grammar::by_path(path), std::path::absolute(path)) else {
        return Vec::new();
    };
    let mut names = changed_names(&place, grammar, old, new);
    names.truncate(MOST_NAMES);
    let own = names.iter().filter_map(|name| {
        let lines = uses_within(&place, grammar, new, name);
        (!lines.is_empty()).then(|| note_within(path, name, &lines, (instruction, gear)))
    });
    let mut notes: Vec<String> = own.collect();
    let Some(reading) = reading.filter(|_| !names.is_empty()) else { return notes };
    if !matches!(timeout(READING_TIMEOUT, reading).await, Ok(Ok(()))) {
        let names = names.join("`, `");
        notes
            .push(format!("other files were not read in time, so uses of `{names}` may be left as they are"));
        return notes;
    }
    let workspace = Arc::clone(workspace);
    let find = move |path: PathBuf| {
        let found = names.iter().filter_map(|name| uses_beside(&workspace, &path, grammar, name));
        found.collect::<Vec<LeftUses>>()
    };
    let left = match spawn_blocking(move || find(place)).await {
        Ok(left) => left,
        Err(error) => {
            tracing::warn!(%error, "the uses of what was changed were not looked for");
            return notes;
        }
    };
    notes.extend(left.iter().map(|left| note(left, instruction)));
    notes
}

/// The note on these lines of the edited file, which use a name that it no longer defines.
fn note_within(path: &Path, name: &str, lines: &[usize], (instruction, gear): (&str, Gear)) -> String {
    let verb = if lines.len() == 1 { "uses" } else { "use" };
    let more = if lines.len() > MOST_LINES { ", …" } else { "" };
    let some = list_words(&lines[..lines.len().min(MOST_LINES)]);
    let file = quoted_if_needed(&path.display().to_string());
    // The local engine applies the same instruction to the whole file, and understands no other.
    let whole = match gear {
        Gear::Local => instruction.to_owned(),
        _ => format!("{instruction}; adapt all uses of {name}"),
    };
    let command = quoted(&whole);
    format!(
        "this file no longer defines `{name}`, which {some}{more} still {verb}; to change all: tandem edit {file} {command}"
    )
}

fn note(left: &LeftUses, instruction: &str) -> String {
    let LeftUses { name, uses, files } = left;
    let stand = if *uses == 1 { "is unchanged" } else { "are unchanged" };
    let uses = counted(*uses, "use");
    let files = counted(files, "other file");
    let command = quoted(&format!("{instruction}; adapt all uses of {name}"));
    format!("{uses} of `{name}` in {files} {stand}; to change all: tandem plan {command}")
}

/// Quotes a file name as one word of a command line if needed.
fn quoted_if_needed(name: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "/\\._-:".contains(it);
    if name.chars().all(is_plain) { name.to_owned() } else { quoted(name) }
}

/// Quotes a text as one word of a command line, with double quotes, which all shells support, if they suffice.
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
    fn note_about_the_file_itself_names_the_lines() {
        let check = |path: &str, lines: &[usize], expected: &str| {
            assert_eq!(
                note_within(Path::new(path), "area", lines, ("rename area to size", Gear::Fast)),
                expected
            );
        };
        check(
            "src/a.rs",
            &[9],
            "this file no longer defines `area`, which line 9 still uses; to change all: tandem edit src/a.rs \"rename area to size; adapt all uses of area\"",
        );
        check(
            "my a.rs",
            &[9, 12],
            "this file no longer defines `area`, which lines 9, 12 still use; to change all: tandem edit \"my a.rs\" \"rename area to size; adapt all uses of area\"",
        );
    }

    #[test]
    fn rename_by_rule_is_repeated_in_its_own_words() {
        let note = note_within(Path::new("a.rs"), "area", &[9], ("rename area to size", Gear::Local));
        assert!(note.ends_with("tandem edit a.rs \"rename area to size\""), "{note}");
    }

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
            "1 use of `area` in 1 other file is unchanged; to change all: tandem plan \"rename area to size; adapt all uses of area\"",
        );
        check(
            3,
            2,
            "call it `$size`",
            "3 uses of `area` in 2 other files are unchanged; to change all: tandem plan 'call it `$size`; adapt all uses of area'",
        );
    }
}
