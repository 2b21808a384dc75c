//! Hunks of context diffs: the old lines, and behind them the new ones.
//!
//! Unlike those of unified diffs, which models write by heart, their counts have to be right: nothing else
//! marks their end.

use super::block::{Block, Line, Role, lines_of_halves};
use crate::edit::{Refusal, line};

/// The line above each hunk.
const STARS: &str = "***************";

/// Whether a line announces a hunk, which it does behind a file's header or another hunk.
pub(super) fn announces(line: &str) -> bool {
    line.trim_end() == STARS
}

/// A hunk while its lines come in.
#[derive(Debug, Default)]
pub(super) struct Context {
    old: Option<Side>,
    new: Option<Side>,
}

/// The lines of a hunk in one of the two files; none if they are all context.
#[derive(Debug)]
struct Side {
    start: usize,
    count: usize,
    lines: Vec<(char, String)>,
}

/// What a line did to a hunk.
pub(super) enum HunkStep {
    /// It belongs to it.
    More,
    /// It was the last one.
    Closed(Block),
    /// It follows the hunk, which has ended.
    Behind(Block),
}

impl Context {
    /// Takes the next line, the one of stars first.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when it cannot stand there.
    pub(super) fn line(&mut self, whole: &str) -> Result<HunkStep, Refusal> {
        let row = row(whole);
        match (&mut self.old, &mut self.new) {
            (None, _) if announces(whole) => {}
            (None, _) => self.old = Some(Side::of(whole, "*** ", " ****").ok_or_else(|| stray(whole))?),
            (Some(old), None) => match row.filter(|_| old.lines.len() < old.count) {
                Some(row) => old.lines.push(row),
                None => self.new = Some(Side::of(whole, "--- ", " ----").ok_or_else(|| stray(whole))?),
            },
            (Some(old), Some(new)) => {
                let is_left_out = || new.lines.is_empty() && old.is_only_one(new.count);
                let Some(row) = row.filter(|_| !line::is_blank(whole) || !is_left_out()) else {
                    return self.block().map(HunkStep::Behind);
                };
                // Of a line that comes, a beginning would do.
                if row.0 != ' ' && line::ending(whole).is_empty() {
                    return Err(truncated());
                }
                new.lines.push(row);
                if new.lines.len() == new.count {
                    return self.block().map(HunkStep::Closed);
                }
            }
        }
        Ok(HunkStep::More)
    }

    /// Ends the hunk.
    ///
    /// # Errors
    ///
    /// [`Refusal::Truncated`] when lines are missing.
    pub(super) fn block(&mut self) -> Result<Block, Refusal> {
        let (Some(old), Some(new)) = (self.old.take(), self.new.take()) else { return Err(truncated()) };
        // A side without a change is left out, and is as long as the context of the other.
        let lines = match (old.lines.is_empty(), new.lines.is_empty()) {
            (false, false) if old.is_whole() && new.is_whole() && old.kept().eq(new.kept()) => {
                lines_of_halves(&old.texts(), &new.texts())
            }
            (false, true) if old.is_only_one(new.count) => old.as_lines(Role::Delete),
            (true, false) if new.is_only_one(old.count) => new.as_lines(Role::Add),
            _ => return Err(truncated()),
        };
        Ok(Block { readings: vec![lines], hint: Some(old.start), is_hunk: true, ..Block::default() })
    }
}

impl Side {
    /// Reads `*** 12,15 ****` between two marks.
    fn of(whole: &str, open: &str, close: &str) -> Option<Self> {
        let range = whole.trim_end().strip_prefix(open)?.strip_suffix(close)?;
        let (start, end) = range.split_once(',').unwrap_or((range, range));
        let (start, end): (usize, usize) = (start.parse().ok()?, end.parse().ok()?);
        let count = if end == 0 { 0 } else { (end + 1).checked_sub(start)? };
        Some(Self { start, count, lines: Vec::new() })
    }

    fn is_whole(&self) -> bool {
        self.lines.len() == self.count
    }

    /// Whether it is whole, and so many lines of the other side are all context, which is left out there.
    fn is_only_one(&self, other: usize) -> bool {
        self.is_whole() && self.kept().count() == other
    }

    /// The lines that both files have.
    fn kept(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(|(mark, _)| *mark == ' ').map(|(_, text)| text.as_str())
    }

    fn texts(&self) -> Vec<&str> {
        self.lines.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Its lines, where those with a mark have a role.
    fn as_lines(&self, role: Role) -> Vec<Line> {
        let role = |mark| if mark == ' ' { Role::Keep } else { role };
        self.lines.iter().map(|(mark, text)| Line::new(role(*mark), text)).collect()
    }
}

/// The mark and the text of a line; one without anything is context whose blanks were lost.
fn row(whole: &str) -> Option<(char, String)> {
    let body = line::body(whole);
    let mark = body.chars().next().unwrap_or(' ');
    let text = body.strip_prefix(mark).unwrap_or(body);
    let text = text.strip_prefix(' ').or(line::is_blank(body).then_some(""))?;
    [' ', '!', '-', '+'].contains(&mark).then(|| (mark, text.to_owned()))
}

fn truncated() -> Refusal {
    Refusal::Truncated { inside: "a hunk" }
}

fn stray(whole: &str) -> Refusal {
    Refusal::Malformed { detail: format!("`{}` is no line of a context diff", whole.trim()) }
}
