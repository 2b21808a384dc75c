//! Measures how much of a suggestion was kept.
//!
//! Three texts of one range are compared: before the suggestion (`base`), with it, and later. Of the characters that
//! the suggestion changes, the kept ones are insertions that are still there later, and deletions that are still
//! gone. The comparison is by words and punctuation, so that text that was only reformatted counts as kept; white
//! space does not count. It is the kept rate of Zed's `edit_prediction_metrics`.

use similar::{Algorithm, DiffTag};

use crate::text::ident;

/// Characters of a range, without white space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kept {
    /// Characters that the suggestion inserts or deletes.
    pub suggested: usize,
    /// Characters of these that were kept.
    pub kept: usize,
    /// Characters that were changed in the end, regardless of the cause.
    pub changed: usize,
}

/// Compares a range before a suggestion, with it, and later.
pub fn kept(base: &str, suggestion: &str, later: &str) -> Kept {
    let tokens = |text| -> Vec<&str> { ident::tokens(text).into_iter().map(|it| &text[it]).collect() };
    let [base, suggestion, later] = [base, suggestion, later].map(tokens);
    let (gone, new) = difference(&base, &suggestion);
    let (gone_later, new_later) = difference(&base, &later);
    let both_gone = gone.iter().filter(|at| gone_later.binary_search(at).is_ok());
    let rightly_gone: usize = both_gone.map(|at| length(base[*at])).sum();
    let [new, new_later] = [(&new, &suggestion), (&new_later, &later)]
        .map(|(places, text)| places.iter().map(|at| text[*at]).collect::<Vec<_>>());
    let (left, _) = difference(&new, &new_later);
    let all = |tokens: &[&str]| -> usize { tokens.iter().map(|it| length(it)).sum() };
    let taken = |places: &[usize]| -> usize { places.iter().map(|at| length(base[*at])).sum() };
    let lost: usize = left.iter().map(|at| length(new[*at])).sum();
    Kept {
        suggested: all(&new) + taken(&gone),
        kept: all(&new) - lost + rightly_gone,
        changed: all(&new_later) + taken(&gone_later),
    }
}

fn length(token: &str) -> usize {
    token.chars().count()
}

/// The indexes of the tokens that only `one` has, and of those that only `other` has, by Myers' diff.
fn difference(one: &[&str], other: &[&str]) -> (Vec<usize>, Vec<usize>) {
    let (mut only_one, mut only_other) = (Vec::new(), Vec::new());
    for op in similar::capture_diff_slices(Algorithm::Myers, one, other) {
        if op.tag() != DiffTag::Equal {
            only_one.extend(op.old_range());
            only_other.extend(op.new_range());
        }
    }
    (only_one, only_other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_and_rightly_deleted_characters_are_counted() {
        let check = |base: &str, suggestion: &str, later: &str, expected: (usize, usize, usize)| {
            let Kept { suggested, kept, changed } = kept(base, suggestion, later);
            assert_eq!((suggested, kept, changed), expected, "{base:?} {suggestion:?} {later:?}");
        };
        check("", "", "", (0, 0, 0));
        check("", "height;", "height;", (7, 7, 7));
        check("", "height;", "width;", (7, 1, 6));
        check("", "a b c", "", (3, 0, 0));
        check("", "a", "a b c", (1, 1, 3));
        // Reformatted.
        check("", "f(a, b)", "f(\n    a,\n    b\n)", (6, 6, 6));
        // A replacement: the deleted text counts if it stays deleted.
        check("old", "new", "new", (6, 6, 6));
        check("old", "new", "other", (6, 3, 8));
        check("old", "new", "old", (6, 0, 0));
        check("let a = old;", "let a = new;", "let a = new;", (6, 6, 6));
        check("猫 = 1", "猫 = 22", "猫 = 22", (3, 3, 3));
    }
}
