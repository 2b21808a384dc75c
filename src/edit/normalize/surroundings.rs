//! A range of lines, the text around it, and its line ends.

use std::ops::Range;

use crate::edit::line;

/// A range of whole lines and the rest of its file.
#[derive(Debug, Clone, Copy)]
pub(in crate::edit) struct Surroundings<'a> {
    pub(in crate::edit) before: &'a str,
    pub(in crate::edit) range: &'a str,
    pub(in crate::edit) after: &'a str,
}

impl<'a> Surroundings<'a> {
    /// A range of a text. A byte-order mark is not part of a line, so an answer need not repeat it.
    pub(in crate::edit) fn of(text: &'a str, range: &Range<usize>) -> Self {
        Self {
            before: text[..range.start].trim_start_matches('\u{feff}'),
            range: &text[range.clone()],
            after: &text[range.end..],
        }
    }

    /// A text without surroundings.
    pub(in crate::edit) fn none(range: &'a str) -> Self {
        Self { before: "", range, after: "" }
    }

    /// Returns the usual line end of the range.
    ///
    /// If no line of the range has a line end, the surrounding lines count.
    fn ending(&self) -> &'static str {
        let ended = |text: &&str| text.contains(['\n', '\r']);
        let texts = [self.range, self.before, self.after];
        line::usual_ending(texts.iter().find(|text| ended(text)).unwrap_or(&self.range))
    }
}

/// Converts a text to the range's line ends, including the final one.
pub(in crate::edit) fn with_ends_of(text: &str, place: Surroundings<'_>) -> String {
    let (range, ending) = (place.range, place.ending());
    let mut result = line::with_endings(text, ending);
    let kept = result.trim_end_matches(['\n', '\r']).len();
    let blank_tail = !line::body(range).is_empty() && result.len() > kept;
    if range.ends_with(['\n', '\r']) || range.is_empty() {
        if !result.is_empty() && !result.ends_with(['\n', '\r']) {
            result.push_str(ending);
        }
    } else if blank_tail {
        result.truncate(kept);
    }
    result
}
