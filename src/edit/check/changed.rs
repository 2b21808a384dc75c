//! The lines that edits change, before and after.

use crate::edit::{Edit, apply, line};

/// Contiguous old lines and their replacement.
pub(super) struct ChangedLines<'t> {
    pub(super) old: &'t str,
    pub(super) new: String,
}

/// The runs of whole lines that edits touch.
///
/// Edits of the same line form one run; lines inserted between two old ones are a run without old lines.
pub(super) fn runs<'t>(before: &'t str, edits: &[Edit]) -> Vec<ChangedLines<'t>> {
    let mut runs: Vec<(usize, usize, Vec<Edit>)> = Vec::new();
    // The line inspected last, which may contain many edits.
    let mut line = 0..0;
    for edit in edits {
        if !line.contains(&edit.span.start) {
            let start = line::last_partial(&before[..edit.span.start]).len();
            let start = edit.span.start - start;
            line = start..start + line::first_end(&before[start..]);
        }
        let start = line.start;
        // Deleting or inserting whole lines does not touch the next one.
        let at_start = edit.span.end == start || before[..edit.span.end].ends_with(['\n', '\r']);
        let whole = edit.text.is_empty() && edit.span.start == start || edit.text.ends_with(['\n', '\r']);
        let end = match edit.span.end {
            end if at_start && whole => end,
            end if line.contains(&end) => line.end,
            end => end + line::first_end(&before[end..]),
        };
        match runs.last_mut() {
            Some((_, last, joined)) if start < *last => {
                *last = end.max(*last);
                joined.push(edit.clone());
            }
            _ => runs.push((start, end, vec![edit.clone()])),
        }
    }
    let run = |(start, end, mut edits): (usize, usize, Vec<Edit>)| {
        for edit in &mut edits {
            edit.span = edit.span.start - start..edit.span.end - start;
        }
        let old = &before[start..end];
        ChangedLines { old, new: apply(old, &edits) }
    };
    runs.into_iter().map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, edits: &[Edit], expected: &[(&str, &str)]) {
        let found = runs(before, edits);
        let found: Vec<(&str, &str)> = found.iter().map(|run| (run.old, run.new.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_that_edits_touch() {
        check("aa\nbb\ncc\n", &[Edit::new(3..4, "x")], &[("bb\n", "xb\n")]);
        check("aa\nbb\ncc\n", &[Edit::new(3..4, "x"), Edit::new(5..5, "y")], &[("bb\n", "xby\n")]);
        check("aa\nbb\ncc\n", &[Edit::new(3..3, "x\n")], &[("", "x\n")]);
        check("aa\nbb\ncc\n", &[Edit::new(3..6, "x\n")], &[("bb\n", "x\n")]);
        check("aa\nbb\ncc\n", &[Edit::new(3..6, "")], &[("bb\n", "")]);
        check("aa\nbb\ncc\n", &[Edit::new(3..6, "x")], &[("bb\ncc\n", "xcc\n")]);
        check("aa\nbb", &[Edit::new(5..5, "\nx")], &[("bb", "bb\nx")]);
        check(
            "aa\r\nbb\r\n",
            &[Edit::new(1..1, "x"), Edit::new(5..5, "y")],
            &[("aa\r\n", "axa\r\n"), ("bb\r\n", "bya\r\n".replace('a', "b").as_str())],
        );
        check("", &[Edit::new(0..0, "a")], &[("", "a")]);
    }
}
