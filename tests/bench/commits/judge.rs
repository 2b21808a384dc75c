//! Decides whether an offered edit is part of the commit.

use tandem::edit::Edit;

use crate::hunks::{self, Hunk};

/// The relation of an edit to the text that the commit makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Lies on a shortest path: the edit reduces the distance by as many tokens as it changes.
    Near,
    /// Makes lines that the commit has at that position, and removes none of the commit's lines there.
    InPlace,
    Wrong,
}

impl Verdict {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::InPlace => "in place",
            Self::Wrong => "wrong",
        }
    }
}

/// Compares an edit of `text` with the commit's version `target`.
pub(crate) fn verdict(text: &str, target: &str, edit: &Edit) -> Verdict {
    let hunks = hunks::hunks(text, target);
    if hunks.iter().any(|hunk| is_on_the_way(text, target, edit, hunk)) {
        return Verdict::Near;
    }
    let touched = |hunk: &&Hunk| hunk.old.start <= edit.span.end && edit.span.start <= hunk.old.end;
    let mut touched = hunks.iter().filter(touched);
    let Some(first) = touched.next() else { return Verdict::Wrong };
    let last = touched.next_back().unwrap_or(first);
    // Unchanged lines between two hunks are part of the span, too.
    let place = Hunk { old: first.old.start..last.old.end, new: first.new.start..last.new.end };
    match is_on_the_way(text, target, edit, &place) || makes_lines_of(text, target, edit, &place) {
        true => Verdict::InPlace,
        false => Verdict::Wrong,
    }
}

/// Whether an edit within a hunk reduces the distance to the hunk's new text by as many tokens as it changes.
fn is_on_the_way(text: &str, target: &str, edit: &Edit, hunk: &Hunk) -> bool {
    if edit.span.start < hunk.old.start || hunk.old.end < edit.span.end {
        return false;
    }
    let (old, new) = (&text[hunk.old.clone()], &target[hunk.new.clone()]);
    let (start, end) = (edit.span.start - hunk.old.start, edit.span.end - hunk.old.start);
    let after = [&old[..start], edit.text.as_str(), &old[end..]].concat();
    let step = hunks::distance(old, &after);
    after == new || step > 0 && hunks::distance(&after, new) + step == hunks::distance(old, new)
}

/// Whether the new text of a hunk has all lines that an edit makes, consecutively, and not the lines they replace.
///
/// How a line moved within a hunk depends on the diff; its presence does not.
fn makes_lines_of(text: &str, target: &str, edit: &Edit, hunk: &Hunk) -> bool {
    let start = text[..edit.span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[edit.span.end..].find('\n').map_or(text.len(), |at| edit.span.end + at);
    let after = [&text[start..edit.span.start], edit.text.as_str(), &text[edit.span.end..end]].concat();
    let lines = |text: &str| -> Vec<Vec<String>> {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| hunks::tokens(line).into_iter().map(str::to_owned).collect()).collect()
    };
    let (old, made, new) = (lines(&text[start..end]), lines(&after), lines(&target[hunk.new.clone()]));
    let stands = |part: &[Vec<String>]| new.windows(part.len().max(1)).any(|it| it == part);
    !made.is_empty() && stands(&made) && !stands(&old)
}
