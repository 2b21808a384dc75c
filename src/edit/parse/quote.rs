//! Fenced code beside the edits of a reply: a quotation, or a change that was not read.

use std::collections::HashMap;

use crate::edit::Refusal;
use crate::edit::check::is_comment;
use crate::edit::runs::visible;

use super::prose;

/// Fenced code that holds no edit, in a reply with edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::edit) struct Quote {
    /// The last line of prose above the fence.
    pub(super) above: String,
    pub(super) code: String,
}

impl Quote {
    /// The refusal of a reply with a change that was not read.
    pub(in crate::edit) fn refusal(&self) -> Refusal {
        let first = visible(&self.code).first().copied().unwrap_or_default();
        Refusal::malformed(format!("beside its edits, the code that begins with `{first}` was not read"))
    }
}

/// The visible lines of a file before and after the edits of a reply, which tell quotations from changes.
pub(in crate::edit) struct QuotedFile<'t> {
    old: LineIndex<'t>,
    new: LineIndex<'t>,
}

impl<'t> QuotedFile<'t> {
    pub(in crate::edit) fn new(old: &'t str, new: &'t str) -> Self {
        Self { old: LineIndex::of(old), new: LineIndex::of(new) }
    }

    /// Whether a quote is a further change: neither the old nor the new text has its lines in this order, and the
    /// sentence above asks for it, or it begins with a line of the old text.
    pub(in crate::edit) fn is_changed_by(&self, quote: &Quote) -> bool {
        let lines: Vec<&str> = visible(&quote.code).into_iter().filter(|line| !is_stand_in(line)).collect();
        let Some(first) = lines.iter().find(|line| !is_comment(line)) else { return false };
        if prose::shows_output(&quote.above) || prose::rejects(&quote.above) {
            return false;
        }
        if self.old.has_in_order(&lines) || self.new.has_in_order(&lines) {
            return false;
        }
        let begins_alike = lines.len() > 1 && first.contains(char::is_alphabetic) && self.old.has(first);
        begins_alike || prose::asks_for_change(&quote.above)
    }
}

/// The places of each visible line of a text, ascending.
struct LineIndex<'t>(HashMap<&'t str, Vec<usize>>);

impl<'t> LineIndex<'t> {
    fn of(text: &'t str) -> Self {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, line) in visible(text).into_iter().enumerate() {
            places.entry(line).or_default().push(at);
        }
        Self(places)
    }

    fn has(&self, line: &str) -> bool {
        self.0.contains_key(line)
    }

    /// Whether the text has these lines in this order, with any others in between.
    fn has_in_order(&self, lines: &[&str]) -> bool {
        let mut next = 0;
        lines.iter().all(|line| {
            let Some(places) = self.0.get(line) else { return false };
            let found = places.get(places.partition_point(|at| *at < next));
            next = found.map_or(next, |at| at + 1);
            found.is_some()
        })
    }
}

/// Whether a line is a placeholder for code that is not shown.
fn is_stand_in(line: &str) -> bool {
    line.contains("...") || line.contains('…')
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "import a\n\ndef f(x):\n    b(x)\n    c(x)\n";
    const NEW: &str = "import a\n\ndef f(x):\n    b(x)\n    d(x)\n";

    #[track_caller]
    fn check(above: &str, code: &str, expected: bool) {
        let quote = Quote { above: above.to_owned(), code: code.to_owned() };
        assert_eq!(QuotedFile::new(OLD, NEW).is_changed_by(&quote), expected, "{above} {code}");
    }

    #[test]
    fn code_that_is_in_neither_text_is_a_change_if_it_is_asked_for() {
        check("And change `f`:", "def f(x):\n    b(x, 1)\n    c(x)\n", true);
        check("", "def f(x):\n    b(x, 1)\n    c(x)\n", true);
        check("Also add this import at the top:", "import e\n", true);
        check("Don't forget the import:", "import e\n", true);
    }

    #[test]
    fn other_code_is_a_quotation() {
        check("The function was:", "def f(x):\n    b(x)\n    c(x)\n", false);
        check("Now it is:", "def f(x):\n    b(x)\n    d(x)\n", false);
        check("After the change:", "def f(x):\n    ...\n    d(x)\n", false);
        check("You can call it like this:", "f(3)\n", false);
        check("It prints:", "import e\n", false);
        check("Do not add this:", "import e\n", false);
    }
}
