//! The fixes of a file that are ready before they are requested.
//!
//! Every change moves them along.
//!
//! A change drops only the fixes that rely on the code at its position; those are made again. So a save right
//! after a key press finds all but a few of them.

use std::collections::HashSet;
use std::ops::Range;

use crate::document::Splice;
use crate::edit::Edit;
use crate::snapshot::Diagnostic;

/// A prepared diagnostic: its fix, or the fact that there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedFix {
    /// The diagnostic.
    pub diagnostic: Diagnostic,
    /// The fix; `None` if none is certain.
    pub fix: Option<ReadyFix>,
    /// The spans of the code that the fix was made from (bytes).
    pub relies_on: Vec<Range<usize>>,
    /// Whether it breaks the syntax in combination with the other fixes, but not alone.
    pub breaks_others: bool,
}

/// A fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadyFix {
    /// The kind of mistake, in words.
    pub kind: &'static str,
    /// A title that describes the change.
    pub title: String,
    /// The edits (bytes of the current text), sorted and disjoint.
    pub edits: Vec<Edit>,
    /// The names that it removes because they are unused.
    pub removes: Vec<String>,
    /// The model that made it; `None` if a rule did.
    pub model: Option<String>,
}

impl PreparedFix {
    /// Whether a model made it.
    pub fn is_of_model(&self) -> bool {
        self.fix.as_ref().is_some_and(|fix| fix.model.is_some())
    }

    /// Whether it replaces `other` when it is added.
    pub fn replaces(&self, other: &Self) -> bool {
        self.is_about(&other.diagnostic) && self.is_of_model() == other.is_of_model()
    }

    /// Whether it is for a diagnostic.
    pub fn is_about(&self, diagnostic: &Diagnostic) -> bool {
        self.diagnostic.is_same(diagnostic)
    }

    fn place(&self) -> (usize, usize) {
        place(&self.diagnostic)
    }

    /// Moves it along with a change. Returns false if the change touches the code that it relies on.
    fn advance(&mut self, splice: &Splice) -> bool {
        let changed = &splice.span;
        if self.relies_on.iter().any(|it| it.start <= changed.end && changed.start <= it.end) {
            return false;
        }
        let edits = self.fix.iter_mut().flat_map(|fix| &mut fix.edits).map(|edit| &mut edit.span);
        for span in self.relies_on.iter_mut().chain(edits).chain([&mut self.diagnostic.span]) {
            if span.start > changed.end {
                let start = span.start - changed.len() + splice.text.len();
                *span = start..start + span.len();
            }
        }
        true
    }
}

/// Replacements that fixes on save have made since the user last typed: old and new text.
///
/// A later save does not revert them: otherwise two tools that contradict each other would flip the file with
/// every save.
pub type AppliedReplacements = HashSet<(String, String)>;

fn place(diagnostic: &Diagnostic) -> (usize, usize) {
    (diagnostic.span.start, diagnostic.span.end)
}

/// The fixes of one file, sorted by their diagnostics.
///
/// A change keeps the order: it moves everything behind it by the same distance and drops the fixes that it touches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreparedFixes(Vec<PreparedFix>);

impl PreparedFixes {
    /// All fixes.
    pub fn all(&self) -> &[PreparedFix] {
        &self.0
    }

    /// The result of the rules for a diagnostic, if it is known.
    pub fn by_rule(&self, diagnostic: &Diagnostic) -> Option<&PreparedFix> {
        self.0[self.at(place(diagnostic))].iter().find(|it| it.is_about(diagnostic) && !it.is_of_model())
    }

    /// Adds fixes; each replaces the known fix for its diagnostic.
    pub fn put(&mut self, made: Vec<PreparedFix>) {
        for new in made {
            let at = self.at(new.place());
            match self.0[at.clone()].iter_mut().find(|it| new.replaces(it)) {
                Some(known) => *known = new,
                None => self.0.insert(at.end, new),
            }
        }
    }

    /// The index range of the fixes whose diagnostics have this span.
    fn at(&self, place: (usize, usize)) -> Range<usize> {
        let start = self.0.partition_point(|it| it.place() < place);
        start..start + self.0[start..].partition_point(|it| it.place() == place)
    }

    /// Adds fixes made for an earlier version, carried over the changes since.
    pub(super) fn put_since(&mut self, mut made: Vec<PreparedFix>, changes: &[Splice]) {
        made.retain_mut(|fix| changes.iter().all(|splice| fix.advance(splice)));
        self.put(made);
    }

    /// Moves all fixes along with a change.
    pub(super) fn advance(&mut self, splice: &Splice) {
        self.0.retain_mut(|fix| fix.advance(splice));
    }

    /// Drops the fixes for diagnostics that are no longer reported.
    pub(super) fn keep_reported(&mut self, reported: &[Diagnostic]) {
        let key = |it: &Diagnostic| (it.span.clone(), it.message.clone());
        let reported: HashSet<_> = reported.iter().map(key).collect();
        self.0.retain(|fix| reported.contains(&key(&fix.diagnostic)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, DocumentId};
    use crate::session::changes::replaced;
    use crate::snapshot::Severity;

    /// Fixes `b` to `B` at each `«b»`, relying on its line.
    ///
    /// Replaces the first `old` and checks the text after the remaining fixes are applied.
    #[track_caller]
    fn check(marked: &str, old: &str, new: &str, expected: &str) {
        let text = marked.replace(['«', '»'], "");
        let document = Document::new(DocumentId::new("a"), "plaintext", 0, &text);
        let mut fixes = PreparedFixes::default();
        for (count, (at, _)) in marked.match_indices('«').enumerate() {
            let start = at - count * ('«'.len_utf8() + '»'.len_utf8());
            let edits = vec![Edit::new(start..start + 1, "B")];
            let title = String::new();
            fixes.put(vec![PreparedFix {
                diagnostic: Diagnostic::new(start..start + 1, Severity::Error, "wrong"),
                fix: Some(ReadyFix { kind: "", title, edits, removes: Vec::new(), model: None }),
                relies_on: vec![document.whole_lines(start..start + 1)],
                breaks_others: false,
            }]);
        }
        let (next, splices) = replaced(&document, old, new);
        splices.iter().for_each(|splice| fixes.advance(splice));
        let edits: Vec<Edit> =
            fixes.all().iter().flat_map(|it| it.fix.as_ref().unwrap().edits.clone()).collect();
        assert_eq!(crate::edit::apply(&next.text().to_string(), &edits), expected);
        for it in fixes.all() {
            assert_eq!(it.diagnostic.span, it.fix.as_ref().unwrap().edits[0].span);
        }
    }

    #[test]
    fn change_drops_what_relies_on_its_place_and_moves_the_rest() {
        check("«b»\na\n\n«b»\n", "a", "猫猫", "b\n猫猫\n\nB\n");
        check("«b»\n\na\n\n«b»\n", "a", "猫猫", "B\n\n猫猫\n\nB\n");
        check("«b»\n\na\n\n«b»\n", "a\n", "", "B\n\n\nB\n");
        check("«b» x\n\na\n\n«b»\n", "x", "", "b \n\na\n\nB\n");
        check("«b»\n\na\n\n«b»\n", "a\n\n", "", "B\n\nb\n");
    }

    #[test]
    fn fix_of_the_same_diagnostic_takes_the_place_of_the_one_before() {
        let diagnostic = |start: usize| Diagnostic::new(start..start + 1, Severity::Error, "wrong");
        let nothing = |start: usize| PreparedFix {
            diagnostic: diagnostic(start),
            fix: None,
            relies_on: Vec::new(),
            breaks_others: false,
        };
        let mut fixes = PreparedFixes::default();
        fixes.put(vec![nothing(3), nothing(1), nothing(3), nothing(1)]);
        assert_eq!(fixes.all(), [nothing(1), nothing(3)], "in the order of the file");
        assert_eq!(fixes.by_rule(&diagnostic(3)), Some(&nothing(3)));
        assert_eq!(fixes.by_rule(&diagnostic(2)), None);
        fixes.keep_reported(&[diagnostic(3), diagnostic(5)]);
        assert_eq!(fixes.all(), [nothing(3)]);
    }
}
