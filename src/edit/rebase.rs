//! Rebases edits over text that was typed since they were made.
//!
//! Both sides are spans of the same old text. Where they are apart, the edits shift. Where they touch, the
//! typed text wins and the whole set is refused, with one harmless exception: the user typed the beginning of
//! exactly the pending edit. The rest of that edit then follows the typed part.

use std::ops::Range;

use super::Edit;
use crate::text::coded;

coded! {
    /// The reason why a set of edits no longer applies.
    #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
    pub enum Conflict {
        /// The typed text replaces or deletes text that the edit replaces, or lies inside it.
        #[error("the text was changed in the same place meanwhile; ask again")]
        Overlap {
            /// The edit's span in the old text (bytes).
            edit: Range<usize>,
            /// The span in the old text that was typed over (bytes).
            typed: Range<usize>,
        } = "rebase-overlap",
        /// The typed text ends where the edit begins, or begins where it ends.
        ///
        /// Their order is not known, and a word may have grown.
        #[error("the text was changed right beside the edit meanwhile; ask again")]
        Touch {
            /// The edit's span in the old text (bytes).
            edit: Range<usize>,
            /// The span in the old text that was typed over (bytes).
            typed: Range<usize>,
        } = "rebase-touch",
    }
}

/// Returns `edits` as edits of the text after `change`.
///
/// Laws, for sorted and disjoint sets:
/// * over an empty change the edits stay as they are;
/// * disjoint sets commute: applying the change and then the rebased edits gives the same text as applying the
///   edits and then the rebased change;
/// * rebasing over two changes in turn equals rebasing over both at once, as long as the second does not
///   rewrite what the first typed.
///
/// # Errors
///
/// [`Conflict`] when a change touches or overlaps an edit and is not the beginning of that very edit.
pub fn over(edits: &[Edit], change: &[Edit]) -> Result<Vec<Edit>, Conflict> {
    let mut rebased = Vec::with_capacity(edits.len());
    let mut before = 0;
    let mut shift = 0_isize;
    for edit in edits {
        while let Some(typed) = change.get(before).filter(|typed| typed.span.end < edit.span.start) {
            shift += typed.growth();
            before += 1;
        }
        let mut touching = change[before..].iter().take_while(|typed| typed.span.start <= edit.span.end);
        let start = edit.span.start.saturating_add_signed(shift);
        match (touching.next(), touching.next()) {
            (None, _) => rebased.push(Edit { span: start..start + edit.span.len(), text: edit.text.clone() }),
            (Some(typed), None) => match rest(edit, typed) {
                Some("") => {}
                Some(rest) => {
                    let at = start + typed.text.len();
                    rebased.push(Edit::new(at..at, rest));
                }
                None => return Err(conflict(edit, typed)),
            },
            (Some(first), Some(second)) => {
                return Err(conflict(edit, if overlaps(edit, first) { first } else { second }));
            }
        }
    }
    Ok(rebased)
}

/// Returns `edits` as edits of the text after several changes, each of which is of the text after the one before.
///
/// # Errors
///
/// As [`over`].
pub fn over_all<'c>(
    edits: Vec<Edit>,
    changes: impl IntoIterator<Item = &'c [Edit]>,
) -> Result<Vec<Edit>, Conflict> {
    changes.into_iter().try_fold(edits, |edits, change| over(&edits, change))
}

/// The rest of the edit after the user typed its beginning.
fn rest<'a>(edit: &'a Edit, typed: &Edit) -> Option<&'a str> {
    if edit.span != typed.span {
        return None;
    }
    edit.text.strip_prefix(typed.text.as_str())
}

fn overlaps(edit: &Edit, typed: &Edit) -> bool {
    edit.span.start < typed.span.end && typed.span.start < edit.span.end
}

fn conflict(edit: &Edit, typed: &Edit) -> Conflict {
    let (at, typed_at) = (edit.span.clone(), typed.span.clone());
    if overlaps(edit, typed) {
        Conflict::Overlap { edit: at, typed: typed_at }
    } else {
        Conflict::Touch { edit: at, typed: typed_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::apply;

    /// Checks `edits` rebased over `typed`, each `(span, text)`.
    ///
    /// `expected` is the resulting text, or the conflict's code.
    #[track_caller]
    fn check(old: &str, edits: &[(Range<usize>, &str)], typed: &[(Range<usize>, &str)], expected: &str) {
        let set = |edits: &[(Range<usize>, &str)]| -> Vec<Edit> {
            edits.iter().map(|(span, text)| Edit::new(span.clone(), *text)).collect()
        };
        let (edits, typed) = (set(edits), set(typed));
        let result = match over(&edits, &typed) {
            Ok(rebased) => apply(&apply(old, &typed), &rebased),
            Err(conflict) => conflict.code().to_owned(),
        };
        assert_eq!(result, expected);
    }

    #[test]
    fn edits_elsewhere_shift() {
        check("one two three", &[(4..7, "2")], &[(0..3, "uno"), (13..13, "!")], "uno 2 three!");
        check("one two three", &[(4..7, "2"), (8..13, "3")], &[(0..0, "é ")], "é one 2 3");
        check("one two three", &[(0..0, "> ")], &[(4..7, "")], "> one  three");
        check("one", &[(0..3, "two")], &[], "two");
    }

    #[test]
    fn typing_toward_the_edit_leaves_the_rest() {
        check("let x = ;", &[(8..8, "compute()")], &[(8..8, "com")], "let x = compute();");
        check("let x = ;", &[(8..8, "compute()")], &[(8..8, "compute()")], "let x = compute();");
        check("let x = a;", &[(8..9, "beta")], &[(8..9, "be")], "let x = beta;");
        check("let x = a;", &[(8..9, "")], &[(8..9, "")], "let x = ;");
    }

    #[test]
    fn typing_something_else_is_a_conflict() {
        check("let x = ;", &[(8..8, "compute()")], &[(8..8, "y")], "rebase-touch");
        check("let x = a;", &[(8..9, "b")], &[(9..9, "c")], "rebase-touch");
        check("let x = a;", &[(8..9, "b")], &[(7..8, "")], "rebase-touch");
        check("let x = a;", &[(4..9, "b")], &[(5..6, "")], "rebase-overlap");
        check("abcdef", &[(2..4, "x")], &[(0..6, "")], "rebase-overlap");
        check("abcdef", &[(1..3, "x"), (4..5, "y")], &[(3..4, "")], "rebase-touch");
        check("abcdef", &[(1..4, "x")], &[(1..1, "x"), (2..3, "")], "rebase-overlap");
    }
}
