//! Repeats the user's recent edits in the same file, by the local engine.

use super::params::NextEditParams;
use crate::local::repeat::{EditStep, Repeats, repeat};
use crate::snapshot::RecentEdit;

/// Repeats of the recent edits, in the same file.
pub(super) fn repeats(params: &NextEditParams) -> Repeats {
    let document = &params.snapshot.document;
    let is_own = |edit: &RecentEdit| edit.document == *document.id();
    // Trailing edits of blanks only, such as by a formatter, are ignored.
    let last = params.recent_edits.iter().rposition(|edit| !edit.is_blank());
    let edits = &params.recent_edits[..last.map_or(0, |last| last + 1)];
    // Only if the last edit was made in this file is it continued here.
    if !edits.last().is_some_and(|edit| is_own(edit)) {
        return Repeats::default();
    }
    let edits = edits.iter().filter(|edit| !edit.is_merged);
    let done: Vec<EditStep<'_>> = edits.map(|edit| done(edit, is_own(edit))).collect();
    repeat(document, &done, params.cursor)
}

/// A recent edit as the local engine's input. `has_place`: the edit was made in the current file.
pub(super) fn done(edit: &RecentEdit, has_place: bool) -> EditStep<'_> {
    // A word typed with a pause counts as a whole; lines added before it do not.
    let is_word = edit.merged.0.lines().count() == edit.merged.1.lines().count();
    // Lines added with pauses between them count as one edit, too.
    let is_addition = edit.merged.0.is_empty();
    let (old, new, offset) = match is_word || is_addition {
        true => (&edit.merged.0, &edit.merged.1, edit.offset),
        false => (&edit.old, &edit.new, 0),
    };
    // The text before the edit may have been deleted since.
    let at = edit.at.as_ref().filter(|_| has_place).and_then(|at| at.start.checked_sub(offset));
    // The lines above the last part are not those above the whole edit.
    let above = if offset == 0 { &*edit.above } else { "" };
    EditStep { old, new, at, above, below: &edit.below }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    #[test]
    fn edit_whose_beginning_is_deleted_has_no_place() {
        let text = str::to_owned;
        let edit = |at| RecentEdit {
            document: DocumentId::new("a"),
            path: "a".into(),
            line: 0,
            old: text("b\n"),
            new: text("c\n"),
            merged: (text("a\nb\n"), text("x\nc\n")),
            offset: 2,
            is_merged: false,
            is_mixed: false,
            is_shown_separately: false,
            above: String::new(),
            below: String::new(),
            at: Some(at),
            is_accepted: false,
            ended: std::time::Instant::now(),
        };
        assert_eq!(done(&edit(9..11), true).at, Some(7));
        // The line above it was deleted.
        assert_eq!(done(&edit(0..2), true).at, None);
    }
}
