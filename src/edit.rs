//! Edits: how they are found in a model's reply, placed in a file, and refused if they are unsafe.
//!
//! Every edit replaces bytes of one known text. Three principles hold throughout the module:
//!
//! * **Context locates, it is never written.** Lines that a reply repeats only locate its change; the file
//!   keeps its own bytes.
//! * **One location or none.** An ambiguous location is refused with the reason, never guessed.
//! * **Every refusal has a reason.** A change that cannot be applied is returned as a [`Refusal`]: a stable
//!   code and one sentence.
//!
//! A reply passes through these stages in order. [`accept`] runs all of them, and [`plan`] does so for replies
//! about several files:
//!
//! * `parse`: splits a reply in any format into blocks of old and new lines;
//! * `normalize`: turns code as a model wrote it into text of the file;
//! * `locate`: finds the lines that each block refers to;
//! * [`check`]: refuses harmful edits.

pub mod check;
pub mod diff;
pub mod edit_set;
pub mod effect;
pub mod names;
pub mod plan;
pub mod rebase;
pub mod trim;

mod accept;
mod flag;
mod lexer;
mod locate;
mod lone_definition;
mod normalize;
mod parse;
mod refusal;
mod request;
mod runs;
mod strings;

use std::ops::Range;

use crate::document::{Document, Splice};
use crate::text::line;
pub use accept::{Accepted, accept, accept_edits, accept_new_file};
pub(crate) use check::is_stuck;
pub use edit_set::EditSet;
pub use flag::Flag;
pub use locate::Level;
pub(crate) use normalize::{End, Literal, NO_EDITS};
pub(crate) use parse::without_thinking;
pub use parse::{Format, Outcome, Reader, Unchecked, span};
pub use rebase::Conflict;
pub use refusal::Refusal;
pub use request::{Exceptions, Request, UnmarkedEnd};

/// One replacement in a known text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The replaced bytes, on character boundaries of the text that the edit was made from.
    pub span: Range<usize>,
    /// The replacement text.
    pub text: String,
}

impl Edit {
    /// Creates the edit that replaces `span` by `text`.
    pub fn new(span: Range<usize>, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }

    /// The number of bytes that the text grows by (negative if it shrinks).
    pub(crate) fn growth(&self) -> isize {
        self.text.len() as isize - self.span.len() as isize
    }
}

impl From<&Splice> for Edit {
    /// The edit of the text before the splice.
    fn from(splice: &Splice) -> Self {
        Self::new(splice.span.clone(), splice.text.as_str())
    }
}

/// Returns `text` with `edits` applied. All spans are byte ranges of `text` itself.
///
/// # Panics
///
/// If the edits are not [`in_order`] for this text: such a set has no meaning, and was made from another
/// version of the text.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    debug_assert!(in_order(text, edits), "edits overlap, or were made from another text");
    let grown: isize = edits.iter().map(Edit::growth).sum();
    let mut result = String::with_capacity(text.len().saturating_add_signed(grown));
    let mut kept = 0;
    for edit in edits {
        result.push_str(&text[kept..edit.span.start]);
        result.push_str(&edit.text);
        kept = edit.span.end;
    }
    result.push_str(&text[kept..]);
    result
}

/// Returns a document with edits applied, which are sorted by position.
pub(crate) fn edited(document: &Document, edits: &[Edit]) -> Document {
    document.with_all(edits.iter().map(|edit| (edit.span.clone(), edit.text.as_str())))
}

/// Whether the edits are sorted, disjoint, within the text and on its character boundaries.
pub fn in_order(text: &str, edits: &[Edit]) -> bool {
    let mut end = 0;
    edits.iter().all(|edit| {
        let sound = end <= edit.span.start && text.get(edit.span.clone()).is_some();
        end = edit.span.end;
        sound
    })
}

/// Shifts edits of an excerpt to the text that has `by` bytes before the excerpt.
pub(crate) fn shifted(mut edits: Vec<Edit>, by: usize) -> Vec<Edit> {
    for edit in &mut edits {
        edit.span = edit.span.start + by..edit.span.end + by;
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applies_edits_from_one_text() {
        let edits = [Edit::new(0..1, "É"), Edit::new(3..3, "!"), Edit::new(5..6, "")];
        assert_eq!(apply("aé cd\n", &edits[..2]), "Éé! cd\n");
        assert_eq!(apply("aé cd\n", &[edits[0].clone(), edits[2].clone()]), "Éé c\n");
        assert_eq!(apply("same", &[]), "same");
    }

    #[test]
    fn knows_a_set_without_meaning() {
        assert!(in_order("abc", &[Edit::new(0..1, "x"), Edit::new(1..1, "y")]));
        assert!(!in_order("abc", &[Edit::new(1..2, "x"), Edit::new(0..1, "y")]), "unsorted");
        assert!(!in_order("abc", &[Edit::new(0..2, "x"), Edit::new(1..3, "y")]), "overlapping");
        assert!(!in_order("é", &[Edit::new(1..2, "x")]), "inside a character");
        assert!(!in_order("abc", &[Edit::new(2..4, "x")]), "past the end");
    }
}
