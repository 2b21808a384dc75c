//! Prints a unified diff: coloured on a terminal, exact where a program reads it.

use std::io;

use anstyle::{AnsiColor, Style};

use super::terminal::{self, Styled};
use crate::edit::diff;
use crate::edit::effect::Effect;
use crate::text::printable;

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const HEADER: Style = Style::new().bold();
const PLACE: Style = AnsiColor::Cyan.on_default();

/// Prints the diff of one file, with three lines of context, as `patch` takes it.
pub(super) fn print(path: &str, old: &str, new: &str) -> io::Result<()> {
    // As git writes it: `a/` and `b/` before a path below the folder that the patch is for.
    let path = printable(path.trim_start_matches('/'));
    write(HEADER, &format!("--- a/{path}"), "\n")?;
    write(HEADER, &format!("+++ b/{path}"), "\n")?;
    print_hunks(old, new)
}

/// Prints the diff of one path, which may be new or gone, as git writes it.
pub(super) fn print_effect(effect: &Effect<'_>) -> io::Result<()> {
    let [before, after] = effect.names();
    write(HEADER, &format!("--- {}", printable(&before)), "\n")?;
    write(HEADER, &format!("+++ {}", printable(&after)), "\n")?;
    print_hunks(effect.old.unwrap_or_default(), effect.new.as_deref().unwrap_or_default())
}

/// Prints the hunks alone.
pub(super) fn print_hunks(old: &str, new: &str) -> io::Result<()> {
    for hunk in diff::hunks(old, new) {
        write(PLACE, &hunk.header, "\n")?;
        for (sign, line) in hunk.lines {
            let style = match sign {
                '-' => REMOVED,
                '+' => ADDED,
                _ => Style::new(),
            };
            let end = if line.ends_with('\n') { "\n" } else { "\n\\ No newline at end of file\n" };
            let line = line.strip_suffix('\n').unwrap_or(line);
            write(style, &format!("{sign}{line}"), end)?;
        }
    }
    Ok(())
}

/// Prints a unified diff that is there as text.
pub(super) fn print_patch(text: &str) -> io::Result<()> {
    for line in text.lines() {
        let style = match line.as_bytes() {
            [b'-', b'-', b'-', ..] | [b'+', b'+', b'+', ..] => HEADER,
            [b'@', ..] => PLACE,
            [b'-', ..] => REMOVED,
            [b'+', ..] => ADDED,
            _ => Style::new(),
        };
        write(style, line, "\n")?;
    }
    Ok(())
}

fn write(style: Style, line: &str, end: &str) -> io::Result<()> {
    if terminal::is_for_people() {
        Styled::new(style, line).plain(end.trim_end_matches('\n')).print();
        return Ok(());
    }
    terminal::exact(&format!("{line}{end}"))
}
