//! Repeats the user's recent edits in the same file, by the local engine.

use std::sync::Arc;

use super::params::NextEditParams;
use crate::local::repeat::{EditStep, Repeats, repeat};
use crate::snapshot::RecentEdit;
use crate::text::ident;

/// Repeats of the recent edits, in the same file. What was accepted since the edit with the number `reshaped`, which
/// changed parameters or fields, follows from that.
pub(super) fn repeats(params: &NextEditParams, reshaped: Option<usize>) -> Repeats {
    let document = &params.snapshot.document;
    let is_own = |edit: &RecentEdit| edit.document == *document.id();
    // Trailing edits of blanks only, such as by a formatter, are ignored.
    let last = params.recent_edits.iter().rposition(|edit| !edit.is_blank());
    let edits = &params.recent_edits[..last.map_or(0, |last| last + 1)];
    // Only if the last edit was made in this file is it continued here.
    if !edits.last().is_some_and(|edit| is_own(edit)) {
        return Repeats::default();
    }
    let mut done: Vec<EditStep<'_>> = Vec::with_capacity(edits.len());
    for (number, edit) in edits.iter().enumerate().filter(|(_, edit)| !edit.is_merged) {
        let is_of_definition = is_of_definition(edit, &params.recent_edits)
            || edit.is_accepted && !edit.is_mixed && reshaped.is_some_and(|it| it <= number);
        done.push(EditStep { is_of_definition, ..self::done(edit, is_own(edit)) });
    }
    repeat(document, &done, params.cursor)
}

/// Whether an accepted edit replaces the same name as an edit of the user.
///
/// It was offered for what the name refers to, and is no sign that the name is to change elsewhere, too.
fn is_of_definition(edit: &RecentEdit, all: &[Arc<RecentEdit>]) -> bool {
    let Some(renamed) = renamed(edit).filter(|_| edit.is_accepted && !edit.is_mixed) else { return false };
    // The name may have been typed anew since.
    all.iter().any(|own| !own.is_accepted && self::renamed(own).is_some_and(|own| own.0 == renamed.0))
}

/// The name that an edit replaces, and the new one, if nothing else changes.
fn renamed(edit: &RecentEdit) -> Option<(&str, &str)> {
    let (mut old, mut new) = (ident::words(&edit.merged.0), ident::words(&edit.merged.1));
    let mut changed = None;
    loop {
        match (old.next(), new.next()) {
            (None, None) => return changed,
            (Some(old), Some(new)) if old == new => {}
            (Some(old), Some(new)) if changed.is_none_or(|it| it == (old, new)) => changed = Some((old, new)),
            _ => return None,
        }
    }
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
    EditStep { old, new, at, above, below: &edit.below, is_of_definition: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    #[test]
    fn accepted_rename_is_no_sign_of_more() {
        let edit = |old: &str, new: &str, is_accepted| {
            let (old, new) = (old.to_owned(), new.to_owned());
            let merged = (old.clone(), new.clone());
            Arc::new(RecentEdit { old, new, merged, offset: 0, is_accepted, ..an_edit(0..1) })
        };
        let own = edit("def get(self):", "def fetch(self):", false);
        let check = |it: Arc<RecentEdit>, expected| {
            assert_eq!(is_of_definition(&it, &[Arc::clone(&own), Arc::clone(&it)]), expected, "{it:?}");
        };
        check(edit("self.get(1, get)", "self.fetch(1, fetch)", true), true);
        check(edit("self.get(1)", "self.fetch(1)", false), false);
        check(edit("self.get(1)", "self.fetch(2)", true), false);
        check(edit("self.get(1)", "self.load(1)", true), true);
        check(edit("self.put(1)", "self.load(1)", true), false);
    }

    #[test]
    fn edit_whose_beginning_is_deleted_has_no_place() {
        assert_eq!(done(&an_edit(9..11), true).at, Some(7));
        // The line above it was deleted.
        assert_eq!(done(&an_edit(0..2), true).at, None);
    }

    fn an_edit(at: std::ops::Range<usize>) -> RecentEdit {
        let text = str::to_owned;
        RecentEdit {
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
        }
    }
}
