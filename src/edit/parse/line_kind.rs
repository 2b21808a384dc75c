//! Classifies single lines outside of all blocks.

use super::{call_tags, hunk, patch, search, tags, vocabulary};
use crate::edit::line;

/// Whether a line starts like edits in JSON, whatever follows.
pub(super) fn starts_json(line: &str) -> bool {
    let text = line.trim_start();
    let after = |open: char| text.strip_prefix(open).map(str::trim_start);
    after('{').is_some_and(|rest| rest.starts_with(['"', '}']))
        || after('[').is_some_and(|rest| rest.starts_with('{'))
        || text.starts_with("\"***")
}

/// Whether the last line is the beginning of a line that opens an edit.
///
/// Before the first edit, only a distinctive beginning counts (`is_next` is false).
pub(super) fn begins_to_open(line: &str, is_next: bool) -> bool {
    const OPENERS: [&str; 14] = [
        "<<<<<<< SEARCH",
        "<<<<<<< ORIGINAL",
        "------- SEARCH",
        "<old_text",
        "<old_str",
        "*** Begin Patch",
        "*** Update File: ",
        "*** Add File: ",
        "*** Delete File: ",
        "diff --git a/",
        "+++ b/",
        "<invoke name=",
        "<function=",
        "<tool_call>",
    ];
    let text = line.trim();
    // Three dashes or stars are a rule, and fewer than three other characters may be anything.
    let least = match is_next {
        true if text.starts_with("<<") => 2,
        true => 4,
        false => 6,
    };
    let begun =
        |opener: &&str| text.len() >= least && opener.starts_with(text) && (is_next || !text.ends_with('-'));
    let tag = text
        .strip_prefix("<@")
        .is_some_and(|tag| tag.len() < 5 && tag.bytes().all(|it| it.is_ascii_hexdigit()));
    OPENERS.iter().any(begun) || tag
}

/// Whether a line outside of all blocks can only be a part of a block.
pub(super) fn is_part_of_format(line: &str) -> bool {
    let text = line.trim();
    search::is_closing(line)
        || patch::is_inner(line)
        || tags::is_inner(line, false)
        || call_tags::is_inner(line)
        || line.starts_with("@@ ")
        || text == "@@"
        || vocabulary::has_old_text(line)
}

/// Whether a text's first visible line opens changes in some format or the whole text of a file.
pub(super) fn holds_changes(text: &str) -> bool {
    let first = line::split_iter(text).find(|line| !line::is_blank(line));
    first.is_some_and(|line| opens_change(line) || call_tags::opens_file(line).is_some())
}

/// Whether a line opens a change, even below other lines.
pub(super) fn opens_change(line: &str) -> bool {
    search::opens(line).is_some()
        || tags::opens(line)
        || patch::opens(line)
        || call_tags::opens(line).is_some()
        || ["diff --git ", "@@ -", "--- a/", "--- /dev/null"].iter().any(|it| line.starts_with(it))
}

/// Whether a line is a hunk header with numbers, which is unambiguous.
pub(super) fn is_numbered_hunk(line: &str) -> bool {
    line.starts_with("@@ -") && hunk::header(line).is_some_and(|head| head.old.is_some())
}

/// Returns the word that ends a here-document of changes, if the line begins one.
///
/// The word is empty if the line names none.
///
/// `None` if the line begins no here-document of changes.
pub(super) fn heredoc_end(line: &str) -> Option<&str> {
    const COMMANDS: [&str; 4] = ["apply", "patch", "cat", "tee"];
    let (command, rest) = line.split_once("<<")?;
    if !COMMANDS.iter().any(|name| command.contains(name)) {
        return None;
    }
    let rest = rest.trim().trim_start_matches('-').trim();
    let word = rest.split(|letter: char| letter.is_whitespace() || letter == '>').next()?;
    Some(word.trim_matches(['\'', '"', '\\']))
}
