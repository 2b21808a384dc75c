//! Finds where a reply starts to look like edits in JSON.

use crate::edit::parse::line_kind::starts_json;

/// The first position that looks like JSON among the lines outside of other formats.
#[derive(Debug, Default)]
pub(super) struct JsonStart {
    /// The position, in bytes of the reply.
    pub(super) at: Option<usize>,
    /// The offset of the last visible line and its bracket, if JSON may begin with it and it has nothing else.
    pub(super) bracket: Option<(usize, u8)>,
}

impl JsonStart {
    /// Inspects a line that begins at `at` (bytes of the reply).
    ///
    /// An unterminated line may be passed again.
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
