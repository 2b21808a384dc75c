//! Repeats lines that were added beside similar lines, or removed, in three places.
//!
//! The lines above and below determine where lines are added: their common tokens at all places so far must
//! match. A word that differs between them may differ again: `func TestA(t *testing.T) {` and `func TestB(t
//! *testing.T) {` are followed by the same line.

use super::change::{EditStep, unchanged};
use super::page::Page;
use super::place::onward;
use crate::edit::Edit;
use crate::local::limits::{LINE_ANCHOR_TOKENS, MOVED_PLACES, REMOVED_TOKENS, SAME_LINES};
use crate::local::words::{LinePiece, PieceKind, is_telling, tokens};

/// Lines that were added or removed.
#[derive(Debug)]
struct Moved<'a> {
    is_added: bool,
    lines: Vec<&'a str>,
    /// The lines beside them.
    above: &'a str,
    below: &'a str,
    /// Their current or former position.
    at: Option<usize>,
}

impl<'a> Moved<'a> {
    /// `None` if a step made other changes as well, or moved too many lines.
    fn of(step: &EditStep<'a>, text: &'a str) -> Option<Self> {
        let (old, new): (Vec<&str>, Vec<&str>) = (step.old.lines().collect(), step.new.lines().collect());
        let (head, tail) = unchanged(&old, &new);
        let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
        let offset: usize = step.new.split_inclusive('\n').take(head).map(str::len).sum();
        let is_added = old.is_empty();
        let is_whole = is_added || new.is_empty();
        let lines = if is_added { new } else { old }.to_vec();
        let (above, below) = step.beside(text);
        let at = step.at.map(|at| at + offset);
        let is_whole = is_whole && (1..=SAME_LINES).contains(&lines.len());
        is_whole.then_some(Self { is_added, lines, above, below, at })
    }

    /// Whether lines that moved this many times move in other places as well.
    fn is_known(&self, times: usize, is_other: bool) -> bool {
        if self.is_added {
            return times >= MOVED_PLACES && !is_other;
        }
        let tokens: usize = self.lines.iter().map(|line| solid(line).count()).sum();
        let is_telling = self.lines.iter().any(|line| solid(line).any(|it| is_telling(it.text)));
        times >= MOVED_PLACES && is_telling && tokens >= REMOVED_TOKENS
    }

    fn is_like(&self, other: &Self) -> bool {
        let words = |lines: &[&str]| lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
        self.is_added == other.is_added && words(&self.lines) == words(&other.lines)
    }
}

/// The edits that add or remove the same lines in other places of a text.
///
/// The last step and two earlier ones did so.
///
/// `is_other`: the steps were made in other files.
pub(super) fn find<'t>(text: &'t str, steps: &[EditStep<'t>], is_other: bool) -> Vec<Edit> {
    let Some(last) = steps.last().and_then(|step| Moved::of(step, text)) else { return Vec::new() };
    let all = steps.iter().filter_map(|step| Moved::of(step, text));
    let same: Vec<Moved<'_>> = all.filter(|it| it.is_like(&last)).collect();
    if !last.is_known(same.len(), is_other) {
        return Vec::new();
    }
    let page = Page::new(text);
    let edits = if last.is_added { page.additions(&last, &same) } else { page.removals(&last) };
    let places: Vec<usize> = if is_other { Vec::new() } else { same.iter().filter_map(|it| it.at).collect() };
    onward(edits, &places).unwrap_or_default()
}

impl Page<'_> {
    fn stands_at(&self, number: usize, lines: &[&str]) -> bool {
        lines.iter().enumerate().all(|(after, line)| self.line(number + after).trim() == line.trim())
    }

    fn removals(&self, last: &Moved<'_>) -> Vec<Edit> {
        let count = last.lines.len();
        let starts =
            (0..(self.len() + 1).saturating_sub(count)).filter(|at| self.stands_at(*at, &last.lines));
        starts.map(|at| Edit::new(self.span(at, count), "")).collect()
    }

    fn additions(&self, last: &Moved<'_>, same: &[Moved<'_>]) -> Vec<Edit> {
        let above = Anchor::of(same.iter().map(|it| it.above));
        let below = Anchor::of(same.iter().map(|it| it.below));
        let (Some(above), Some(below)) = (above, below) else { return Vec::new() };
        if !above.is_specific() && !below.is_specific() {
            return Vec::new();
        }
        let count = last.lines.len();
        let line_end = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let places = (0..=self.len()).filter(|at| {
            let line_above = at.checked_sub(1).map_or("", |above| self.line(above));
            let is_done = self.stands_at(*at, &last.lines)
                || at.checked_sub(count).is_some_and(|start| self.stands_at(start, &last.lines));
            above.is_met(line_above) && below.is_met(self.line(*at)) && !is_done
        });
        let edits = places.filter_map(|at| {
            let (there, here) = match above.is_specific() {
                true => (last.above, self.line(at.checked_sub(1)?)),
                false => (last.below, self.line(at)),
            };
            let lines = last.lines.iter().map(|line| Some(indented(line, there, here)? + line_end));
            let start = self.span(at, 0).start;
            // The last line of a file may lack a line end.
            let ends = self.text[..start].ends_with('\n') || start == 0;
            ends.then_some(Edit::new(start..start, lines.collect::<Option<String>>()?))
        });
        edits.collect()
    }
}

/// Reindents a line from `there` to `here`. `None` if the indentation does not allow that.
fn indented(line: &str, there: &str, here: &str) -> Option<String> {
    let words = line.trim();
    let (own, there, here) = (blanks(line), blanks(there), blanks(here));
    if words.is_empty() {
        return Some(String::new());
    }
    let indentation = match (own.strip_prefix(there), there.strip_prefix(own)) {
        (Some(deeper), _) => [here, deeper].concat(),
        (None, Some(less)) => here.strip_suffix(less)?.to_owned(),
        (None, None) => return None,
    };
    Some(indentation + words)
}

fn blanks(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// The common tokens of lines, with `None` for a word that differs.
struct Anchor<'a>(Vec<Option<&'a str>>);

impl<'a> Anchor<'a> {
    /// `None` if the lines differ in more than words.
    fn of(mut lines: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut parts: Vec<Option<LinePiece<'a>>> = solid(lines.next()?).map(Some).collect();
        for line in lines {
            let others: Vec<LinePiece<'_>> = solid(line).collect();
            if others.len() != parts.len() {
                return None;
            }
            for (part, other) in parts.iter_mut().zip(others) {
                match part {
                    Some(token) if token.text == other.text => {}
                    Some(token) if token.kind != PieceKind::Word || other.kind != PieceKind::Word => {
                        return None;
                    }
                    None if other.kind != PieceKind::Word => return None,
                    _ => *part = None,
                }
            }
        }
        Some(Self(parts.into_iter().map(|part| part.map(|token| token.text)).collect()))
    }

    fn is_met(&self, line: &str) -> bool {
        let mut tokens = solid(line);
        let is_same = |part: &Option<&str>| {
            tokens.next().is_some_and(|token| match part {
                Some(text) => token.text == *text,
                None => token.kind == PieceKind::Word,
            })
        };
        self.0.iter().all(is_same) && tokens.next().is_none()
    }

    fn is_specific(&self) -> bool {
        let fixed = || self.0.iter().flatten();
        fixed().count() >= LINE_ANCHOR_TOKENS && fixed().any(|text| is_telling(text))
    }
}

fn solid(line: &str) -> impl Iterator<Item = LinePiece<'_>> {
    tokens(line).into_iter().filter(|token| token.kind != PieceKind::Space)
}
