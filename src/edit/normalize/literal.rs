//! Reads the new text of a range from a model that was trained to write such ranges.
//!
//! The text is used as written.
//!
//! Such a model writes the lines in their final columns, so nothing is reindented or unwrapped. Text that
//! does not belong to the range is refused.

use super::surroundings::{Surroundings, with_ends_of};
use super::{extract, overlap, preserve};
use crate::edit::check::{cut, repetition, suspect};
use crate::edit::parse::outcome::Unchecked;
use crate::edit::{Refusal, diff, line};
use crate::grammar::Grammar;

/// A range that a model was asked to rewrite.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Literal<'a> {
    /// The lines before the range that the model was shown.
    pub(crate) before: &'a str,
    /// The range: whole lines.
    pub(crate) range: &'a str,
    /// The lines after the range that the model was shown.
    pub(crate) after: &'a str,
    /// The language, if known.
    pub(crate) grammar: Option<&'a Grammar>,
    /// How the new text ends.
    pub(crate) end: End,
}

/// How new text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// An end mark right after the last line: the text is complete, including blank lines at its end.
    Mark,
    /// A code fence: the text is complete, but blank lines at its ends may belong to the fence.
    Fence,
    /// No marker: the text may have been cut, and blank lines at its ends carry no meaning.
    Open,
}

impl Literal<'_> {
    /// Returns the smallest edits that turn the range into the new text, with byte offsets in the range.
    ///
    /// There are none if the range does not change.
    ///
    /// It is an error if the text is clearly not a new text of the range.
    pub(crate) fn edits(&self, new: &str) -> Result<Unchecked, Refusal> {
        let place = Surroundings { before: self.before, range: self.range, after: self.after };
        if line::is_blank(new) && !line::is_blank(self.range) {
            return Err(Refusal::Empty);
        }
        if repetition::loops(new) && ![self.range, self.before, self.after].into_iter().any(repetition::loops)
        {
            return Err(Refusal::Repetition);
        }
        suspect::reject_non_code(new, self.range)?;
        let ended = |text: &str| match self.end {
            End::Mark => with_ends_of(text, place),
            End::Fence | End::Open => with_ends_of(&with_blank_ends_of(text, self.range), place),
        };
        let whole = ended(new);
        if overlap::size(&whole, self.range) == 0 {
            return Ok(Unchecked::default());
        }
        match self.end {
            End::Mark => {}
            End::Fence if extract::is_only_words(new, self.range) => return Err(Refusal::Prose),
            End::Open if extract::talks(new, self.range) => return Err(Refusal::Prose),
            End::Open if cut::is_cut(new, self.range, self.grammar) => {
                return Err(Refusal::Truncated { inside: "the new lines" });
            }
            End::Fence | End::Open => {}
        }
        let inner = self.inner_of_all(&whole)?;
        let own = overlap::drop(&inner, place).map_or(inner, |(own, _)| own);
        let spelled = preserve::spelled(self.range, &ended(&own))?;
        Ok(diff::minimal(self.range, &spelled).into())
    }

    /// Returns the range's part of a text that begins with all lines shown before the range.
    ///
    /// Such a text must end with all lines shown after the range, because changes to those cannot be
    /// distinguished from new lines of the range.
    ///
    /// The error is [`Refusal::Malformed`] if it does not end with them.
    fn inner_of_all(&self, new: &str) -> Result<String, Refusal> {
        let bodies =
            |text: &'_ str| line::split_iter(text).map(|it| it.trim_end().to_owned()).collect::<Vec<_>>();
        let (before, after, all) = (bodies(self.before), bodies(self.after), bodies(new));
        let is_told = before.iter().any(|line| line.contains(char::is_alphanumeric));
        if !is_told || !all.starts_with(&before) {
            return Ok(new.to_owned());
        }
        if all.len() < before.len() + after.len() || !all.ends_with(&after) {
            return Err(Refusal::malformed("it goes beyond the lines that it was to write"));
        }
        Ok(line::split(new)[before.len()..all.len() - after.len()].concat())
    }
}

/// Returns the text with the range's leading and trailing blank lines.
fn with_blank_ends_of(text: &str, range: &str) -> String {
    let blank = |line: &&&str| line::is_blank(line);
    let (lines, own) = (line::split(text), line::split(range));
    let (head, tail) = (lines.iter().take_while(blank).count(), lines.iter().rev().take_while(blank).count());
    if head == lines.len() {
        return text.to_owned();
    }
    let own_head = own.iter().take_while(blank).count();
    let own_tail = own.iter().rev().take_while(blank).count().min(own.len() - own_head);
    let mut result = own[..own_head].concat();
    result.push_str(&lines[head..lines.len() - tail].concat());
    if own_tail > 0 && !result.ends_with(['\n', '\r']) {
        result.push_str(line::usual_ending(range));
    }
    result + &own[own.len() - own_tail..].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::apply;

    /// Checks the result of a text for `«range»`, or the reason for its refusal.
    #[track_caller]
    fn check(marked: &str, new: &str, end: End, expected: &str) {
        let (before, rest) = marked.split_once('«').unwrap();
        let (range, after) = rest.split_once('»').unwrap();
        let literal = Literal { before, range, after, grammar: None, end };
        let made = literal
            .edits(new)
            .map_or_else(|refusal| format!("refused: {}", refusal.code()), |edits| apply(range, &edits.0));
        assert_eq!(made, expected);
    }

    #[test]
    fn new_lines_take_the_ranges_place() {
        check("a\n«b\nc\n»d\n", "b\nC\n", End::Mark, "b\nC\n");
        check("a\n«b\nc\n»d\n", "b\nC", End::Mark, "b\nC\n");
        check("«    b\n»", "b\n", End::Mark, "b\n");
        check("«a\r\nb\r\n»c\r\n", "a\nx\n", End::Mark, "a\r\nx\r\n");
        check("«a\nb»", "a\nc\n", End::Mark, "a\nc");
        check("«a\nb\n»", "a\nb\n", End::Mark, "a\nb\n");
    }

    #[test]
    fn blank_lines_at_the_ends_stay_where_nothing_marks_the_end() {
        check("«\na();\n\n»b();\n", "x();", End::Fence, "\nx();\n\n");
        check("«a();\n»b();\n", "\nx();\n\n\n", End::Open, "x();\n");
        check("«a();\n»b();\n", "x();\n\n", End::Mark, "x();\n\n");
    }

    #[test]
    fn repeated_surroundings_are_dropped_or_refused() {
        let file = "use a;\nuse b;\n\n«fn f() {}\n»\nfn g() {}\nfn h() {}\n";
        let whole = "use a;\nuse b;\n\nfn e() {}\n\nfn g() {}\nfn h() {}\n";
        check(file, whole, End::Mark, "fn e() {}\n");
        check(file, &whole.replace("fn g", "fn q"), End::Mark, "refused: malformed");
        check("fn f() {\n«    a();\n»}\n", "    b();\n}\n", End::Mark, "    b();\n");
    }

    #[test]
    fn what_is_no_text_of_the_range_is_refused() {
        check("«a();\nb();\nc();\nd();\n»", "", End::Mark, "refused: empty");
        check("«a();\n»", &"b();\n".repeat(12), End::Mark, "refused: repetition");
        check("«a();\nb();\n»", "1| a();\n2| c();\n", End::Mark, "refused: malformed");
        check("«a();\nb();\nc();\nd();\n»", "x();\nb();\n", End::Open, "refused: truncated");
        check("«a();\nb();\nc(total);\n»", "a();\nb();\nc(tot", End::Open, "refused: truncated");
        let talk = "There is nothing that should be changed here.";
        check("«a();\nb();\n»", talk, End::Open, "refused: prose");
        check("«a();\nb();\n»", talk, End::Fence, "refused: prose");
        check("«a();\nb();\nc();\nd();\n»", "x();\nb();", End::Fence, "x();\nb();\n");
    }
}
