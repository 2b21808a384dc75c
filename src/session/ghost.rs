//! The suggestion on screen, and what is left of it after each change.

use crate::document::Splice;

/// A suggested insertion that the editor shows as ghost text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ghost {
    id: u64,
    /// The byte at which the suggestion begins.
    at: usize,
    /// The byte at which its line begins.
    line: usize,
    text: String,
    /// How many bytes of it the user has typed.
    typed: usize,
}

impl Ghost {
    /// The suggestion `text` at the byte `at`, whose line begins at the byte `line`.
    pub fn new(id: u64, at: usize, line: usize, text: String) -> Self {
        Self { id, at, line, text, typed: 0 }
    }

    /// The number by which the editor reports an acceptance.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Carries the suggestion over a change; false if it no longer holds.
    ///
    /// It holds while the user types it, takes typed parts of it back, or changes lines above. Any other change may
    /// have changed what it was made for, so it ends it.
    pub fn advance(&mut self, splice: &Splice) -> bool {
        let caret = self.at + self.typed;
        let span = &splice.span;
        let above = span.end < self.line || span.end == self.line && splice.text.ends_with('\n');
        if above {
            self.at = self.at - span.len() + splice.text.len();
            self.line = self.line - span.len() + splice.text.len();
            return true;
        }
        if span.start < self.at || span.end != caret {
            return false;
        }
        // The text from `at` to the caret is the typed part; what replaces its end must go on as suggested.
        let kept = span.start - self.at;
        if !self.text[kept..].starts_with(&splice.text) {
            return false;
        }
        self.typed = kept + splice.text.len();
        true
    }

    /// What is still to be typed, if the byte `cursor` is where the typing stopped and something is left.
    pub fn remaining(&self, cursor: usize) -> Option<&str> {
        let rest = &self.text[self.typed..];
        (cursor == self.at + self.typed && !rest.is_empty()).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::position::{Encoding, position_at};
    use crate::document::{Change, Document, DocumentId};

    /// `steps` are edits `(start, end, text)` in bytes of the text they are made to, and what is left after each.
    fn check(marked: &str, suggestion: &str, steps: &[(usize, usize, &str, Option<&str>)]) {
        let at = marked.find('ˇ').expect("a cursor");
        let id = DocumentId::new("untitled:a");
        let mut document = Document::new(id, "plaintext", 0, &marked.replace('ˇ', ""));
        let mut ghost = Some(Ghost::new(1, at, document.line_start(at), suggestion.to_owned()));
        for (start, end, inserted, expected) in steps {
            let position = |byte| position_at(document.text(), byte, Encoding::Utf8);
            let change =
                Change { range: Some(position(*start)..position(*end)), text: (*inserted).to_owned() };
            let (next, splices) =
                document.edited(&[change], Encoding::Utf8, 1).expect("the change fits the text");
            document = next;
            ghost = ghost.and_then(|mut ghost| splices.iter().all(|it| ghost.advance(it)).then_some(ghost));
            let left = ghost.as_ref().and_then(|ghost| ghost.remaining(ghost.at + ghost.typed));
            assert_eq!(left, *expected, "after {inserted:?} in place of {start}..{end}");
        }
    }

    #[test]
    fn lasts_while_it_is_typed() {
        check(
            "let x = ˇ;",
            "猫.len()",
            &[(8, 8, "猫", Some(".len()")), (11, 11, ".l", Some("en()")), (13, 13, "en()", None)],
        );
    }

    #[test]
    fn comes_back_on_backspace() {
        check("ˇ", "abc", &[(0, 0, "ab", Some("c")), (1, 2, "", Some("bc")), (0, 1, "", Some("abc"))]);
    }

    #[test]
    fn ends_with_the_first_key_that_diverges() {
        check("ˇ", "abc", &[(0, 0, "a", Some("bc")), (1, 1, "x", None), (1, 2, "", None)]);
    }

    #[test]
    fn follows_lines_above_and_ends_with_changes_around_it() {
        check("use a;\nfˇ\n", "n main", &[(0, 0, "use b;\n", Some("n main")), (15, 15, "n", Some(" main"))]);
        check("fˇ()\n", "oo", &[(3, 3, "x", None)]);
        check("fˇ", "oo", &[(0, 1, "g", None)]);
        check("foˇ", "o()", &[(1, 2, "", None)]);
    }
}
