//! Keys and passwords in the text, which are shown whole or not at all.

use std::ops::Range;

use crate::document::Document;
use crate::privacy::{self, Known, TextKind};

/// Bytes around a position in which keys are searched for.
const NEAR_BYTES: usize = 2 * 1024;

/// The secrets of the part of a document that a request about some place may show.
///
/// They are found in the document itself: a request divides its text at the cursor and at the edges of windows.
#[derive(Debug)]
pub struct NearbySecrets {
    spans: Vec<(Range<usize>, &'static str)>,
    /// To be removed from the request.
    pub known: Known,
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
        let known = Known::of(&text, &found);
        let spans = found.into_iter().map(|it| (start + it.span.start..start + it.span.end, it.kind));
        Self { spans: spans.collect(), known }
    }

    /// The kind of secret that an edge of `focus` cuts, if any.
    ///
    /// A cursor at an end of a secret counts: what is typed there becomes a part of it.
    pub fn cut_by(&self, focus: &Range<usize>) -> Option<&'static str> {
        let cuts = |span: &Range<usize>, edge: usize| span.start < edge && edge < span.end;
        let touches =
            |span: &Range<usize>| focus.is_empty() && (span.start..=span.end).contains(&focus.start);
        let mut spans = self.spans.iter();
        spans
            .find(|(span, _)| cuts(span, focus.start) || cuts(span, focus.end) || touches(span))
            .map(|(_, kind)| *kind)
    }
}

/// The kind of a document's text.
pub fn kind_of(document: &Document) -> TextKind {
    TextKind::of(document.id().as_str(), document.language_name())
}

/// Likely keys around the end of a window for `focus`, each with its kind.
///
/// The lines below the focus stay the same while the user types there, so their keys are cached. Keys that
/// begin before those lines are found [around the focus](NearbySecrets), which is scanned for every request.
pub(super) fn secrets_near_end(
    document: &Document,
    focus: usize,
    end: usize,
) -> Vec<(Range<usize>, &'static str)> {
    let below = document.next_line_start(focus);
    if below > end || end - below > NEAR_BYTES {
        return secrets_near(document, end);
    }
    let mut found = secrets_near(document, focus);
    found.extend(secrets_in(document, below..end + NEAR_BYTES));
    found
}

/// Likely keys around a byte, each with its kind.
pub(super) fn secrets_near(document: &Document, edge: usize) -> Vec<(Range<usize>, &'static str)> {
    secrets_in(document, edge.saturating_sub(NEAR_BYTES)..edge + NEAR_BYTES)
}

/// Likely keys in a part of a document, each with its kind.
fn secrets_in(document: &Document, part: Range<usize>) -> Vec<(Range<usize>, &'static str)> {
    let start = document.floor_boundary(part.start);
    let text = document.slice(start..document.floor_boundary(part.end));
    let found = privacy::find_again(&text, kind_of(document));
    found.iter().map(|it| (start + it.span.start..start + it.span.end, it.kind)).collect()
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
