//! Derives completion positions from a change of a file; the text that was written there is held out.
//!
//! Each run of changed lines yields one position, a third into its first line with words. The text before it is that of
//! the commit, the text after the run is that before the commit, and the model has to predict the commit's text in
//! between. Commits are not keystrokes: a commit has only the text kept in the end, in the order of the file.

use std::ops::Range;

use similar::{Algorithm, DiffTag};

use crate::text::ident;

/// The maximum number of positions per file and commit, to limit the weight of a single commit.
const MOST: usize = 3;
/// The maximum number of lines to predict.
const LINES: usize = 12;

/// A position at which the models are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldOutPosition {
    /// The file's text without the held-out part.
    pub text: String,
    /// The cursor's byte offset in `text`.
    pub cursor: usize,
    /// The held-out text.
    pub written: String,
}

/// Returns the positions for a file that a commit changed from `old` to `new`.
pub fn held_out_positions(old: &str, new: &str) -> Vec<HeldOutPosition> {
    let runs = runs(old, new);
    // The positions are spread over the file.
    let step = runs.len().div_ceil(MOST).max(1);
    runs.iter().step_by(step).filter_map(|(gone, come)| position(old, new, gone, come)).collect()
}

fn position(old: &str, new: &str, gone: &Range<usize>, come: &Range<usize>) -> Option<HeldOutPosition> {
    let run = &new[come.clone()];
    let mut at = come.start;
    let line = run.split_inclusive('\n').find(|line| {
        let has_words = line.contains(char::is_alphanumeric);
        at += if has_words { 0 } else { line.len() };
        has_words
    })?;
    let tokens = ident::tokens(line);
    let cursor = at + tokens.get(tokens.len() / 3).filter(|_| tokens.len() > 2)?.end;
    let lines: String = new[cursor..come.end].split_inclusive('\n').take(LINES).collect();
    let written = lines.trim_end().to_owned();
    if !written.contains(char::is_alphanumeric) {
        return None;
    }
    let break_after = if run.ends_with('\n') { "\n" } else { "" };
    Some(HeldOutPosition { text: [&new[..cursor], break_after, &old[gone.end..]].concat(), cursor, written })
}

/// The runs of lines that differ, as byte ranges of both texts.
fn runs(old: &str, new: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let [old, new] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let ends = |lines: &[&str]| -> Vec<usize> {
        let ends = lines.iter().scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    };
    let (old_ends, new_ends) = (ends(&old), ends(&new));
    let ops = similar::capture_diff_slices(Algorithm::Myers, &old, &new);
    let changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal && !op.new_range().is_empty());
    let bytes = |ends: &[usize], lines: Range<usize>| ends[lines.start]..ends[lines.end];
    changed.map(|op| (bytes(&old_ends, op.old_range()), bytes(&new_ends, op.new_range()))).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Checks all positions, with `«…»` around the held-out text.
    fn check(old: &str, new: &str, expect: Expect) {
        let shown =
            held_out_positions(old, new).into_iter().map(|HeldOutPosition { text, cursor, written }| {
                format!("{}«{written}»{}---\n", &text[..cursor], &text[cursor..])
            });
        expect.assert_eq(&shown.collect::<String>());
    }

    #[test]
    fn what_was_written_is_held_out_and_the_rest_is_as_before() {
        check(
            "fn a() {\n    old(1);\n}\n\nfn b() {}\n",
            "fn a() {\n\n    let x = f(1);\n    g(x);\n}\n\nfn b() { c() }\n",
            expect![[r#"
                fn a() {

                    let x =« f(1);
                    g(x);»
                }

                fn b() {}
                ---
                fn a() {

                    let x = f(1);
                    g(x);
                }

                fn b()« { c() }»
                ---
            "#]],
        );
    }

    #[test]
    fn change_without_words_or_of_one_word_is_no_place() {
        check("a\nb\n", "a\n\n}\nb\n", expect![""]);
        check("a\n", "a\nb\n", expect![""]);
        check("a\nb\n", "a\n", expect![""]);
        check("", "", expect![""]);
    }

    #[test]
    fn last_line_without_an_end_is_one() {
        check("", "a = f(1)", expect!["a = f«(1)»---\n"]);
    }
}
