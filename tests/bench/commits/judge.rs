//! Whether what is offered is in the commit.

use tandem::edit::Edit;

use crate::hunks::{self, Hunk};

/// How an edit stands to the text that the commit makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It lies on a shortest way there: it takes off the distance what it changes.
    Near,
    /// It makes lines that the commit has in that place, and takes none away that it has there.
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

/// Compares an edit of `text` with what the commit makes of it.
pub(crate) fn verdict(text: &str, target: &str, edit: &Edit) -> Verdict {
    let hunks = hunks::hunks(text, target);
    if hunks.iter().any(|hunk| is_on_the_way(text, target, edit, hunk)) {
        return Verdict::Near;
    }
    let touched = |hunk: &&Hunk| hunk.old.start <= edit.span.end && edit.span.start <= hunk.old.end;
    let mut touched = hunks.iter().filter(touched);
    let Some(first) = touched.next() else { return Verdict::Wrong };
    let last = touched.next_back().unwrap_or(first);
    // Lines that stay between two hunks are a part of the place, too.
    let place = Hunk { old: first.old.start..last.old.end, new: first.new.start..last.new.end };
    match is_on_the_way(text, target, edit, &place) || makes_lines_of(text, target, edit, &place) {
        true => Verdict::InPlace,
        false => Verdict::Wrong,
    }
}

/// Whether an edit within a hunk takes off the distance to its new text what it changes.
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

/// Whether all lines that an edit makes stand in the new text of a hunk, one after the other, and those that they replace
/// do not.
///
/// How a line moved within a hunk is a matter of how texts are compared; that it is there is not.
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
