//! An edit must not merely undo the user's last change.

use crate::edit::{Edit, Refusal, apply, diff};

/// Refuses edits that only undo the step from `previous` to `current`.
///
/// They may undo it as a whole or in part.
///
/// # Errors
///
/// [`Refusal::Reversal`].
pub fn reversal(previous: &str, current: &str, edits: &[Edit]) -> Result<(), Refusal> {
    if previous == current || edits.is_empty() {
        return Ok(());
    }
    if apply(current, edits) == previous {
        return Err(Refusal::Reversal);
    }
    // The inverse of each part of the user's change, in positions of the current text.
    let mut shift = 0_isize;
    let undone: Vec<Edit> = diff::minimal(previous, current)
        .iter()
        .map(|step| {
            let start = step.span.start.saturating_add_signed(shift);
            shift += step.growth();
            Edit::new(start..start + step.text.len(), &previous[step.span.clone()])
        })
        .collect();
    let at = |edit: &Edit| (edit.span.start, edit.span.end);
    let is_undone = |edit: &Edit| {
        undone.binary_search_by_key(&at(edit), at).is_ok_and(|found| undone[found].text == edit.text)
    };
    if edits.iter().all(is_undone) { Err(Refusal::Reversal) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(previous: &str, current: &str, next: &str, expected: Result<(), &str>) {
        let edits = diff::minimal(current, next);
        assert_eq!(reversal(previous, current, &edits).map_err(|refusal| refusal.code()), expected);
    }

    #[test]
    fn what_was_just_done_is_not_taken_back() {
        check("a\nb\n", "a\nc\n", "a\nb\n", Err("reversal"));
        check("a(x)\nb\nc(x)\n", "a(y)\nb\nc(y)\n", "a(y)\nb\nc(x)\n", Err("reversal"));
        check("a\nb\n", "a\nc\n", "a\nd\n", Ok(()));
        check("a\nb\n", "a\nb\n", "a\nd\n", Ok(()));
    }
}
