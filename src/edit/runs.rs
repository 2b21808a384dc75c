//! The lines that change between two texts, without blank lines and indentation.

use similar::DiffTag;

use super::diff::ops;
use crate::edit::line;

/// Lines that changed together.
#[derive(Debug, Default)]
pub(crate) struct Run<'t> {
    /// The index of the first old line.
    pub(crate) at: usize,
    pub(crate) old: Vec<&'t str>,
    pub(crate) new: Vec<&'t str>,
}

/// The non-blank lines of a text, trimmed.
pub(crate) fn visible(text: &str) -> Vec<&str> {
    visible_iter(text).collect()
}

/// As [`visible`], one line at a time.
pub(in crate::edit) fn visible_iter(text: &str) -> impl Iterator<Item = &str> {
    line::split_iter(text).map(str::trim).filter(|line| !line.is_empty())
}

/// Whether a line has letters or digits, not only punctuation.
pub(crate) fn has_word_chars(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

/// The runs of lines that change between two lists.
///
/// Lines of brackets alone are equal by chance, and do not separate two changes.
pub(crate) fn runs<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Run<'t>> {
    let mut runs: Vec<Run<'t>> = vec![Run::default()];
    for op in ops(old, new) {
        let (gone, come) = (&old[op.old_range()], &new[op.new_range()]);
        if op.tag() == DiffTag::Equal && gone.iter().any(|line| has_word_chars(line)) {
            runs.push(Run { at: op.old_range().end, ..Run::default() });
        } else if let Some(run) = runs.last_mut() {
            run.old.extend(gone);
            run.new.extend(come);
        }
    }
    runs.retain(|run| run.old != run.new);
    runs
}
