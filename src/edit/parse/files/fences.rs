//! The content and the end of a fence in a reply that concerns several files.

use crate::edit::line;
use crate::edit::parse::fence::Mark;
use crate::edit::parse::line_kind;

/// Finds the closing line of the fence that `open` opened, in the text after that line.
///
/// Returns the line's start and end offsets. A fence with an info string inside opens a nested one.
pub(super) fn closing(open: Mark<'_>, inside: &str) -> Option<(usize, usize)> {
    let mut opened = vec![open];
    let mut at = 0;
    for line in inside.split_inclusive('\n') {
        if let (Some(mark), Some(last)) = (Mark::of(line), opened.last()) {
            if mark.closes(last) {
                opened.pop();
                if opened.is_empty() {
                    return Some((at, at + line.len()));
                }
            } else if mark.opens_within(last) {
                opened.push(mark);
            }
        }
        at += line.len();
    }
    None
}

/// Whether a fence contains changes in some format.
///
/// In a fence with a file name, only the first line counts, or the second one after a path or a command:
/// further down, such a line may be text of the file.
pub(super) fn holds_changes(mark: Mark<'_>, content: &str, is_named: bool) -> bool {
    let language = mark.info.split([' ', ':', '{']).next().unwrap_or_default();
    let mut lines = line::split_iter(content).filter(|line| !line::is_blank(line));
    let looked_at = if is_named { 2 } else { usize::MAX };
    let is_json = !is_named && content.trim_start().starts_with(['{', '[']);
    is_json
        || ["diff", "patch", "udiff"].contains(&language)
        || line_kind::holds_changes(content)
        || lines.by_ref().take(looked_at).any(line_kind::opens_change)
}
