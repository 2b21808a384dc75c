//! Hunks of context diffs: the old lines, followed by the new ones.
//!
//! Unlike in unified diffs, which models often miscount, the counts must be correct: nothing else marks the
//! end of a hunk.

use super::block::{Block, Line, Role, lines_of_halves};
use crate::edit::{Refusal, line};

/// The line above every hunk.
const STARS: &str = "***************";

/// Whether a line announces a hunk, after a file's header or another hunk.
pub(super) fn announces(line: &str) -> bool {
    line.trim_end() == STARS
}

/// A hunk that is still being read.
#[derive(Debug, Default)]
pub(super) struct Context {
    old: Option<Side>,
    new: Option<Side>,
}

/// A hunk's lines in one of the two files; empty if they are all context.
#[derive(Debug)]
struct Side {
    start: usize,
    count: usize,
    lines: Vec<(char, String)>,
}

/// The effect of a line on a hunk.
pub(super) enum HunkStep {
    /// The line belongs to the hunk.
    More,
    /// The line was the last one of the hunk.
    Closed(Block),
    /// The line follows the hunk, which has ended.
    Behind(Block),
}

impl Context {
    /// Reads the next line, starting with the line of stars.
    ///
    /// It is an error if the line is invalid at this point.
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
                // Without a line end, an added or changed line may be cut.
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
    /// The error is [`Refusal::Truncated`] if lines are missing.
    pub(super) fn block(&mut self) -> Result<Block, Refusal> {
        let (Some(old), Some(new)) = (self.old.take(), self.new.take()) else { return Err(truncated()) };
        // A side without changes is omitted; it is as long as the other side's context.
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
    /// Reads a range such as `*** 12,15 ****` between two markers.
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

    /// Whether this side is complete and the omitted side, of `other` lines, is just its context.
    fn is_only_one(&self, other: usize) -> bool {
        self.is_whole() && self.kept().count() == other
    }

    /// Returns the lines that both files have.
    fn kept(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(|(mark, _)| *mark == ' ').map(|(_, text)| text.as_str())
    }

    fn texts(&self) -> Vec<&str> {
        self.lines.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Returns the side's lines; those with a marker get `role`.
    fn as_lines(&self, role: Role) -> Vec<Line> {
        let role = |mark| if mark == ' ' { Role::Keep } else { role };
        self.lines.iter().map(|(mark, text)| Line::new(role(*mark), text)).collect()
    }
}

/// Splits a line into marker and text. An empty line is context that lost its spaces.
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
    Refusal::malformed(format!("`{}` is no line of a context diff", whole.trim()))
}
