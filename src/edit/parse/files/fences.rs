//! What a fence holds in a reply about several files, and where it ends.

use crate::edit::line;
use crate::edit::parse::fence::Mark;
use crate::edit::parse::signs;

/// Where the fence that `open` opened ends in the text behind that line.
///
/// It is the start and the end of the closing line. A fence with an info string inside opens one of its own.
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

/// Whether a fence holds changes in some format.
///
/// In one that is named only the first line tells, or the second below a path or a command: further down such
/// a line may be text of the file.
pub(super) fn holds_changes(mark: Mark<'_>, content: &str, is_named: bool) -> bool {
    let language = mark.info.split([' ', ':', '{']).next().unwrap_or_default();
    let mut lines = line::split_iter(content).filter(|line| !line::is_blank(line));
    let looked_at = if is_named { 2 } else { usize::MAX };
    let is_json = !is_named && content.trim_start().starts_with(['{', '[']);
    is_json
        || ["diff", "patch", "udiff"].contains(&language)
        || signs::holds_changes(content)
        || lines.by_ref().take(looked_at).any(signs::opens_change)
}

/// Whether a fence holds commands to run.
pub(super) fn is_commands(mark: Mark<'_>) -> bool {
    let language = mark.info.split_whitespace().next().unwrap_or_default();
    ["bash", "sh", "shell", "zsh", "console", "powershell", "shell-session"].contains(&language)
}
