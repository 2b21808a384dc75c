//! What other servers have found wrong in a file, as the editor's plugin passes it on, carried over every change.

use crate::document::Splice;
use crate::snapshot::Problem;

/// The most that are kept of one file.
const MOST: usize = 200;
/// Lines around the cursor that are searched.
const NEAR_LINES: usize = 20;
/// The most that are near.
const MOST_NEAR: usize = 6;

/// The problems of one file, in the order of their places.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<Problem>);

impl Problems {
    /// The problems that are known from now on: the worst of them, if there are too many.
    pub(super) fn replace(&mut self, mut problems: Vec<Problem>) {
        problems.sort_by_key(|problem| problem.severity);
        problems.truncate(MOST);
        problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
        self.0 = problems;
    }

    /// Carries the places over a change. A problem whose text changed is dropped: it may well be solved, and will be
    /// reported again if it is not.
    pub(super) fn advance(&mut self, splice: &Splice) {
        self.0.retain_mut(|problem| {
            let (typed, span) = (&splice.span, &mut problem.span);
            // A letter typed right before a word may belong to it; a line does not.
            let touches = typed.is_empty() && span.start == typed.end && !splice.text.ends_with('\n');
            let apart = typed.end <= span.start && !touches;
            if apart {
                let start = span.start - typed.len() + splice.text.len();
                *span = start..start + span.len();
            }
            apart || typed.start > span.end
        });
    }

    /// The problems on the lines around a byte: the worst first, then the nearest.
    pub(super) fn near(&self, byte: usize, line_of: impl Fn(usize) -> usize) -> Vec<Problem> {
        let here = line_of(byte);
        let distance = |problem: &Problem| line_of(problem.span.start).abs_diff(here);
        let mut near: Vec<&Problem> =
            self.0.iter().filter(|problem| distance(problem) <= NEAR_LINES).collect();
        near.sort_by_key(|problem| (problem.severity, distance(problem)));
        near.into_iter().take(MOST_NEAR).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::position::{Encoding, position_at};
    use crate::document::{Change, Document, DocumentId};
    use crate::snapshot::Severity;

    /// Problems stand at `«…»`; each edit puts a text in the place of the first `old`. Shows where they are then.
    #[track_caller]
    fn check(marked: &str, edits: &[(&str, &str)], expected: &str) {
        let (mut text, mut found) = (String::new(), Vec::new());
        for part in marked.split_inclusive(['«', '»']) {
            text += part.trim_end_matches(['«', '»']);
            if part.ends_with(['«', '»']) {
                found.push(text.len());
            }
        }
        let mut problems = Problems::default();
        let spans = found.chunks(2).map(|ends| ends[0]..ends[1]);
        problems.replace(spans.map(|span| Problem::new(span, Severity::Error, "wrong")).collect());
        let mut document = Document::new(DocumentId::new("a"), "plaintext", 0, &text);
        for (old, new) in edits {
            let start = document.text().to_string().find(old).expect("it is there");
            let position = |byte| position_at(document.text(), byte, Encoding::Utf8);
            let change =
                Change { range: Some(position(start)..position(start + old.len())), text: (*new).to_owned() };
            let (next, splices) = document.edited(&[change], Encoding::Utf8, 1).expect("it fits");
            splices.iter().for_each(|splice| problems.advance(splice));
            document = next;
        }
        let mut shown = document.text().to_string();
        for problem in problems.0.iter().rev() {
            shown.insert(problem.span.end, '»');
            shown.insert(problem.span.start, '«');
        }
        assert_eq!(shown, expected);
    }

    #[test]
    fn places_follow_changes_and_end_with_their_text() {
        check("a «bc» d «e»", &[("a", "猫猫")], "猫猫 «bc» d «e»");
        check("a «bc» d «e»", &[("d", "")], "a «bc»  «e»");
        check("a «bc» d «e»", &[("c", "x")], "a bx d «e»");
        check("a «bc» d", &[("bc", "bcd")], "a bcd d");
        check("«a» b", &[("a", "new\na")], "new\na b");
    }

    #[test]
    fn the_worst_and_nearest_come_first() {
        let mut problems = Problems::default();
        let problem = |line: usize, severity, words| Problem::new(line * 10..line * 10 + 1, severity, words);
        problems.replace(vec![
            problem(40, Severity::Error, "far"),
            problem(9, Severity::Warning, "warning"),
            problem(2, Severity::Error, "error above"),
            problem(13, Severity::Error, "error below"),
        ]);
        let near = problems.near(100, |byte| byte / 10);
        let words: Vec<_> = near.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(words, ["error below", "error above", "warning"]);
    }
}
