//! Where a reply starts to look like edits in JSON.

use crate::edit::parse::signs::starts_json;

/// The first place that looks like JSON among the lines outside of other formats.
#[derive(Debug, Default)]
pub(super) struct JsonStart {
    at: Option<usize>,
    /// A line that was nothing but the bracket that JSON may begin with.
    ///
    /// It is where the line began, and the bracket.
    bracket: Option<(usize, u8)>,
}

impl JsonStart {
    /// The place, in bytes of the reply.
    pub(super) fn at(&self) -> Option<usize> {
        self.at
    }

    /// Whether the last visible line was a bracket that JSON may begin with.
    pub(super) fn has_bracket(&self) -> bool {
        self.bracket.is_some()
    }

    /// Looks at a line that begins at `at` (bytes of the reply).
    ///
    /// A line that is not ended yet may come again.
    pub(super) fn look(&mut self, line: &str, at: usize) {
        let text = line.trim();
        if self.at.is_some() || text.is_empty() {
            return;
        }
        if let Some((start, bracket)) = self.bracket.take()
            && matches!((bracket, text.as_bytes()[0]), (b'{', b'"' | b'}') | (b'[', b'{'))
        {
            self.at = Some(start);
        } else if starts_json(line) {
            self.at = Some(at);
        } else if matches!(text, "{" | "[") {
            self.bracket = Some((at, text.as_bytes()[0]));
        }
    }
}
