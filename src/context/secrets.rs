//! Keys and passwords in the text, which are shown whole or not at all.

use std::ops::Range;
use std::sync::Arc;

use crate::document::Document;
use crate::privacy::{self, Known, TextKind};

/// Bytes beyond the shown text in which keys are searched for.
const NEAR_BYTES: usize = 2 * 1024;

/// The secrets of the part of a document that a request about some place may show.
///
/// They are found in the document itself: a request divides its text at the cursor and at the edges of windows.
#[derive(Debug)]
pub struct NearbySecrets {
    spans: Vec<(Range<usize>, &'static str)>,
    /// To be removed from the request.
    pub known: Arc<Known>,
}

impl NearbySecrets {
    /// The secrets around `target`, for a request that shows at most `before` and `after` bytes beside it.
    ///
    /// A little more is searched, for the names of secrets that an edge of the window divides from them.
    pub fn around(document: &Document, target: &Range<usize>, (before, after): (usize, usize)) -> Self {
        let (before, after) = (before + NEAR_BYTES, after + NEAR_BYTES);
        let start = document.floor_boundary(target.start.saturating_sub(before));
        let text = document.slice(start..document.floor_boundary(target.end + after));
        let found = privacy::find_in(&text, kind_of(document));
        let known = Arc::new(Known::of(&text, &found));
        let spans = found.into_iter().map(|it| (start + it.span.start..start + it.span.end, it.kind));
        Self { spans: spans.collect(), known }
    }

    /// The kind of secret that an edge of `focus` cuts, if any.
    ///
    /// A cursor at an end of a secret counts: what is typed there becomes a part of it.
    pub fn cut_by(&self, focus: &Range<usize>) -> Option<&'static str> {
        let touches =
            |span: &Range<usize>| focus.is_empty() && (span.start..=span.end).contains(&focus.start);
        let mut spans = self.spans.iter();
        spans
            .find(|(span, _)| is_inside(focus.start, span) || is_inside(focus.end, span) || touches(span))
            .map(|(_, kind)| *kind)
    }

    /// Whether `edge` cuts a secret.
    pub(super) fn has_cut(&self, edge: usize) -> bool {
        self.spans.iter().any(|(secret, _)| is_inside(edge, secret))
    }

    /// Moves the edges of `span`, which contains `focus`, out of the secrets.
    ///
    /// Half a secret would not be recognized, and thus not be redacted.
    pub(super) fn without_cuts(&self, mut span: Range<usize>, focus: &Range<usize>) -> Range<usize> {
        for (secret, _) in &self.spans {
            if is_inside(span.start, secret) {
                span.start = secret.end.min(focus.start);
            }
            if is_inside(span.end, secret) {
                span.end = secret.start.max(focus.end);
            }
        }
        span
    }
}

fn is_inside(edge: usize, span: &Range<usize>) -> bool {
    span.start < edge && edge < span.end
}

/// The kind of a document's text.
pub fn kind_of(document: &Document) -> TextKind {
    TextKind::of(document.id().as_str(), document.language_name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Window;
    use crate::document::DocumentId;

    #[test]
    fn end_of_a_window_cuts_no_key_wherever_it_stands() {
        let lines = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(20);
        let private = format!("-----BEGIN RSA PRIVATE KEY-----\n{lines}-----END RSA PRIVATE KEY-----\n");
        check("width = height + depth;\n", &private);
        check("width = height + depth; ", &format!("password = \"{}\"; ", "q8Zt4LmX2v".repeat(12)));
    }

    /// Moves a key from right after the cursor until it is outside the window.
    fn check(code: &str, key: &str) {
        let before = code.repeat(90);
        let cursor = before.len() + 1;
        let mut ends = 0;
        for pieces in 0..90 {
            let text = [&*before, "x", &*code.repeat(pieces), key, &*code.repeat(90)].concat();
            let document = Document::new(DocumentId::new("untitled:a"), "", 0, &text);
            let window = Window::around(&document, cursor, "a".to_owned(), "");
            let end = cursor + window.after.len();
            for span in privacy::find(&text).into_iter().map(|it| it.span) {
                assert!(end <= span.start || span.end <= end, "{pieces}: {end} is in {span:?}");
                ends += usize::from(end == span.start || end == span.end);
            }
        }
        assert!(ends > 0, "no window ended at the key");
    }
}
