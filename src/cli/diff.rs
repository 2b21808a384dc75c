//! A change as people read it: a unified diff, coloured on a terminal.

use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const HEADER: Style = Style::new().bold();
const PLACE: Style = AnsiColor::Cyan.on_default();

/// Prints the change of one file on standard output, with three lines around each hunk, as `patch` takes it.
pub(super) fn print(path: &str, old: &str, new: &str) {
    // As git writes it: `a/` and `b/` before a path below the folder that the patch is for.
    let path = path.trim_start_matches('/');
    anstream::println!("{HEADER}--- a/{path}{HEADER:#}\n{HEADER}+++ b/{path}{HEADER:#}");
    print_hunks(old, new);
}

/// Prints the hunks alone.
pub(super) fn print_hunks(old: &str, new: &str) {
    let diff = TextDiff::from_lines(old, new);
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        anstream::println!("{PLACE}{}{PLACE:#}", hunk.header());
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', REMOVED),
                ChangeTag::Insert => ('+', ADDED),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = change.value();
            let end = if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file" };
            let line = line.strip_suffix('\n').unwrap_or(line);
            anstream::println!("{style}{sign}{line}{style:#}{end}");
        }
    }
}
