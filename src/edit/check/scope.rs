//! Nothing outside the requested range may change.

use std::ops::Range;

use crate::edit::{Edit, Refusal, line};

/// Refuses edits that reach outside a byte range. Insertions right at its ends are inside.
///
/// The error is [`Refusal::OutOfScope`] with the first line outside.
pub(super) fn scope(before: &str, edits: &[Edit], range: &Range<usize>) -> Result<(), Refusal> {
    match edits.iter().find(|edit| edit.span.start < range.start || edit.span.end > range.end) {
        Some(edit) => {
            let outside = if edit.span.start < range.start { edit.span.start } else { edit.span.end };
            let line = line::split_iter(&before[..outside.min(before.len())])
                .filter(|line| !line::ending(line).is_empty());
            Err(Refusal::OutOfScope { line: line.count() + 1 })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_stay_in_the_range() {
        let text = "a\nb\nc\n";
        let check = |edit: Edit| scope(text, &[edit], &(2..4));
        assert_eq!(check(Edit::new(2..3, "x")), Ok(()));
        assert_eq!(check(Edit::new(4..4, "x\n")), Ok(()));
        assert_eq!(check(Edit::new(2..2, "x\n")), Ok(()));
        assert_eq!(check(Edit::new(0..1, "x")), Err(Refusal::OutOfScope { line: 1 }));
        assert_eq!(check(Edit::new(3..5, "x")), Err(Refusal::OutOfScope { line: 3 }));
    }
}
