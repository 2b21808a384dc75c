//! Prints a unified diff: coloured on a terminal, byte-exact otherwise.

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

/// The lines of a diff of one file, ready to print.
pub(super) struct Diff(Vec<DiffLine>);

struct DiffLine {
    style: Style,
    text: String,
    end: &'static str,
}

impl Diff {
    /// The diff of one file, with three lines of context, in the format of `patch`.
    pub(super) fn of(path: &str, old: &str, new: &str) -> Self {
        // As in git: `a/` and `b/` before a path relative to the folder that the patch is for.
        let path = printable(path.trim_start_matches('/'));
        let header = |text| DiffLine { style: HEADER, text, end: "\n" };
        let header = [header(format!("--- a/{path}")), header(format!("+++ b/{path}"))];
        Self(header.into_iter().chain(hunk_lines(old, new)).collect())
    }

    pub(super) fn print(&self) -> io::Result<()> {
        self.0.iter().try_for_each(DiffLine::print)
    }
}

impl DiffLine {
    fn print(&self) -> io::Result<()> {
        write(self.style, &self.text, self.end)
    }
}

/// Prints the diff of one file, with three lines of context, in the format of `patch`.
pub(super) fn print(path: &str, old: &str, new: &str) -> io::Result<()> {
    Diff::of(path, old, new).print()
}

/// Prints the diff of one path, which may be created or deleted, in git's format.
pub(super) fn print_effect(effect: &Effect<'_>) -> io::Result<()> {
    let [before, after] = effect.names();
    write(HEADER, &format!("--- {}", printable(&before)), "\n")?;
    write(HEADER, &format!("+++ {}", printable(&after)), "\n")?;
    print_hunks(effect.old.unwrap_or_default(), effect.new.as_deref().unwrap_or_default())
}

/// Prints the hunks without a header.
pub(super) fn print_hunks(old: &str, new: &str) -> io::Result<()> {
    hunk_lines(old, new).try_for_each(|line| line.print())
}

fn hunk_lines<'t>(old: &'t str, new: &'t str) -> impl Iterator<Item = DiffLine> + use<'t> {
    diff::hunks(old, new).into_iter().flat_map(|hunk| {
        let place = DiffLine { style: PLACE, text: hunk.header, end: "\n" };
        let line = |(sign, line): (char, &str)| {
            let style = match sign {
                '-' => REMOVED,
                '+' => ADDED,
                _ => Style::new(),
            };
            let end = if line.ends_with('\n') { "\n" } else { "\n\\ No newline at end of file\n" };
            DiffLine { style, text: format!("{sign}{}", line.strip_suffix('\n').unwrap_or(line)), end }
        };
        std::iter::once(place).chain(hunk.lines.into_iter().map(line))
    })
}

/// Prints the text of a unified diff.
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
