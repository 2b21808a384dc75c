//! The findings of a review, kept until their lines are edited.

use crate::document::{Document, Splice};
use crate::edit::{Edit, rebase};

/// A finding of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewHint {
    /// The line, without its line ending (bytes).
    pub span: std::ops::Range<usize>,
    /// The problem, on one line.
    pub message: String,
    /// The edits that fix it; empty if no fix is certain.
    pub fix: Vec<Edit>,
}

/// The findings in a file.
///
/// An edit of a finding's line drops the finding. An edit of the text that its fix changes drops only the fix.
#[derive(Debug, Default)]
pub(super) struct Hints(pub(super) Vec<ReviewHint>);

impl Hints {
    /// Moves the findings along with a change.
    pub(super) fn advance(&mut self, splice: &Splice) {
        if self.0.is_empty() {
            return;
        }
        let edit = Edit::from(splice);
        self.0.retain_mut(|hint| {
            let is_behind = splice.span.start > hint.span.end;
            // Whole lines may be inserted above.
            let is_before = splice.span.end < hint.span.start
                || splice.span.end == hint.span.start && splice.text.ends_with('\n');
            if is_before {
                let moved = |byte: usize| byte - splice.span.len() + splice.text.len();
                hint.span = moved(hint.span.start)..moved(hint.span.end);
            }
            let is_kept = is_behind || is_before;
            if is_kept && !hint.fix.is_empty() {
                hint.fix = rebase::over(&hint.fix, std::slice::from_ref(&edit)).unwrap_or_default();
            }
            is_kept
        });
    }
}

impl ReviewHint {
    /// The hint for a line, counted from 1; `None` if the document has no such line.
    pub fn of_line(document: &Document, line: usize, message: String, fix: Vec<Edit>) -> Option<Self> {
        let (text, line) = (document.text(), line.checked_sub(1)?);
        if line >= text.len_lines() {
            return None;
        }
        let start = text.line_to_byte(line);
        let end = text.line_to_byte(line + 1);
        let body = document.slice(start..end);
        Some(Self { span: start..start + body.trim_end_matches(['\n', '\r']).len(), message, fix })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;
    use crate::session::changes::changed;

    const TEXT: &str = "one\ntwo\nthree\n";

    /// Checks what an edit leaves of a hint on the second line with a fix in the third.
    fn check(start: usize, end: usize, text: &str, expected: &str) {
        let document = Document::new(DocumentId::new("a"), "", 0, TEXT);
        let fix = vec![Edit::new(8..13, "drei")];
        let mut hints = Hints(vec![ReviewHint::of_line(&document, 2, "wrong".to_owned(), fix).unwrap()]);
        let (after, splices) = changed(&document, start..end, text);
        splices.iter().for_each(|splice| hints.advance(splice));
        let after = after.text().to_string();
        let one = |hint: &ReviewHint| {
            let fixed: Vec<&str> = hint.fix.iter().map(|edit| &after[edit.span.clone()]).collect();
            format!("{} {fixed:?}", &after[hint.span.clone()])
        };
        let shown: Vec<String> = hints.0.iter().map(one).collect();
        assert_eq!(shown.join(";"), expected, "{start}..{end} {text:?}");
    }

    #[test]
    fn hint_goes_with_an_edit_of_its_line_and_moves_with_others() {
        check(0, 0, "zero\n", r#"two ["three"]"#);
        check(0, 3, "", r#"two ["three"]"#);
        check(4, 4, "new\n", r#"two ["three"]"#);
        check(4, 4, "x", "");
        check(7, 7, "x", "");
        check(5, 6, "", "");
        check(3, 4, "", "");
        check(14, 14, "four\n", r#"two ["three"]"#);
        check(9, 10, "", "two []");
    }
}
