//! Diagnostics that other servers reported for a file, moved along with every change.

use std::ops::Range;
use std::sync::Arc;

use crate::document::Splice;
use crate::session::limits::{DIAGNOSTICS, NEAR_DIAGNOSTICS, NEAR_LINES};
use crate::snapshot::Diagnostic;

/// The diagnostics of one file, sorted by span, without duplicates.
#[derive(Debug, Default)]
pub(super) struct FileDiagnostics(pub(super) Arc<Vec<Diagnostic>>);

impl FileDiagnostics {
    /// Replaces all diagnostics; beyond the limit, the least severe are dropped.
    pub(super) fn replace(&mut self, mut diagnostics: Vec<Diagnostic>) {
        diagnostics.sort_by_key(|it| it.severity);
        diagnostics.truncate(DIAGNOSTICS);
        Diagnostic::sort(&mut diagnostics);
        self.0 = Arc::new(diagnostics);
    }

    /// Moves the spans along with a change.
    ///
    /// A diagnostic whose text changed is dropped: it is reported again unless the change solved it.
    pub(super) fn advance(&mut self, splice: &Splice) {
        if self.0.is_empty() {
            return;
        }
        Arc::make_mut(&mut self.0).retain_mut(|diagnostic| {
            let span = moved(&diagnostic.span, splice);
            let is_left = span.is_some();
            diagnostic.span = span.unwrap_or_default();
            is_left
        });
    }

    /// The diagnostics on the lines around a byte, most severe first, then nearest.
    pub(super) fn near(&self, byte: usize, line_of: impl Fn(usize) -> usize) -> Vec<Diagnostic> {
        let here = line_of(byte);
        let distance = |it: &Diagnostic| line_of(it.span.start).abs_diff(here);
        let mut near: Vec<&Diagnostic> = self.0.iter().filter(|it| distance(it) <= NEAR_LINES).collect();
        near.sort_by_key(|it| (it.severity, distance(it)));
        near.into_iter().take(NEAR_DIAGNOSTICS).cloned().collect()
    }
}

/// The span of a word, such as a diagnostic's, after a change.
///
/// Returns `None` if its text changed.
pub(super) fn moved(span: &Range<usize>, splice: &Splice) -> Option<Range<usize>> {
    let typed = &splice.span;
    // A letter typed right before a word may extend it; a whole line does not.
    let touches = typed.is_empty() && span.start == typed.end && !splice.text.ends_with('\n');
    if typed.end <= span.start && !touches {
        let start = span.start - typed.len() + splice.text.len();
        return Some(start..start + span.len());
    }
    (typed.start > span.end).then(|| span.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, DocumentId};
    use crate::session::changes::replaced;
    use crate::snapshot::Severity;

    /// Puts diagnostics at `«…»`; each edit replaces the first `old`. Checks the resulting spans.
    #[track_caller]
    fn check(marked: &str, edits: &[(&str, &str)], expected: &str) {
        let (mut text, mut found) = (String::new(), Vec::new());
        for part in marked.split_inclusive(['«', '»']) {
            text += part.trim_end_matches(['«', '»']);
            if part.ends_with(['«', '»']) {
                found.push(text.len());
            }
        }
        let mut diagnostics = FileDiagnostics::default();
        let spans = found.chunks(2).map(|ends| ends[0]..ends[1]);
        diagnostics.replace(spans.map(|span| Diagnostic::new(span, Severity::Error, "wrong")).collect());
        let mut document = Document::new(DocumentId::new("a"), "plaintext", 0, &text);
        for (old, new) in edits {
            let (next, splices) = replaced(&document, old, new);
            splices.iter().for_each(|splice| diagnostics.advance(splice));
            document = next;
        }
        let mut shown = document.text().to_string();
        for problem in diagnostics.0.iter().rev() {
            shown.insert(problem.span.end, '»');
            shown.insert(problem.span.start, '«');
        }
        assert_eq!(shown, expected);
    }

    #[test]
    fn span_follows_changes_and_is_dropped_with_its_text() {
        check("a «bc» d «e»", &[("a", "猫猫")], "猫猫 «bc» d «e»");
        check("a «bc» d «e»", &[("d", "")], "a «bc»  «e»");
        check("a «bc» d «e»", &[("c", "x")], "a bx d «e»");
        check("a «bc» d", &[("bc", "bcd")], "a bcd d");
        check("«a» b", &[("a", "new\na")], "new\na b");
    }

    #[test]
    fn near_diagnostics_come_worst_first() {
        let mut diagnostics = FileDiagnostics::default();
        let problem =
            |line: usize, severity, words| Diagnostic::new(line * 10..line * 10 + 1, severity, words);
        diagnostics.replace(vec![
            problem(40, Severity::Error, "far"),
            problem(9, Severity::Warning, "warning"),
            problem(2, Severity::Error, "error above"),
            problem(13, Severity::Error, "error below"),
        ]);
        let near = diagnostics.near(100, |byte| byte / 10);
        let words: Vec<_> = near.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(words, ["error below", "error above", "warning"]);
    }
}
