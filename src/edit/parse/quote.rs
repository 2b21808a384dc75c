//! Fenced code beside the edits of a reply: a quotation, or a change that was not read.

use crate::edit::check::is_comment;
use crate::edit::{Refusal, line};

use super::prose;

/// Fenced code that holds no edit, in a reply with edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::edit) struct Quote {
    /// The last line of prose above the fence.
    pub(super) above: String,
    pub(super) code: String,
}

impl Quote {
    /// Whether it is a further change: neither the old nor the new text has its lines in this order, and the sentence
    /// above asks for it, or it begins with a line of the old text.
    pub(in crate::edit) fn is_unread_change(&self, old: &str, new: &str) -> bool {
        let lines: Vec<&str> = visible(&self.code).filter(|line| !is_stand_in(line)).collect();
        let Some(first) = lines.iter().find(|line| !is_comment(line)) else { return false };
        if prose::shows_output(&self.above) || prose::rejects(&self.above) {
            return false;
        }
        if is_in_order(&lines, old) || is_in_order(&lines, new) {
            return false;
        }
        let begins_alike =
            lines.len() > 1 && first.contains(char::is_alphabetic) && visible(old).any(|line| line == *first);
        begins_alike || prose::asks_for_change(&self.above)
    }

    /// The refusal of a reply with a change that was not read.
    pub(in crate::edit) fn refusal(&self) -> Refusal {
        let first = visible(&self.code).next().unwrap_or_default();
        Refusal::Malformed {
            detail: format!("beside its edits, the code that begins with `{first}` was not read"),
        }
    }
}

fn visible(text: &str) -> impl Iterator<Item = &str> {
    line::split_iter(text).map(str::trim).filter(|line| !line.is_empty())
}

/// Whether a line stands for code that is not shown.
fn is_stand_in(line: &str) -> bool {
    line.contains("...") || line.contains('…')
}

/// Whether a text has these lines in this order, with any others in between.
fn is_in_order(lines: &[&str], text: &str) -> bool {
    let mut own = visible(text);
    lines.iter().all(|line| own.any(|it| it == *line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "import a\n\ndef f(x):\n    b(x)\n    c(x)\n";
    const NEW: &str = "import a\n\ndef f(x):\n    b(x)\n    d(x)\n";

    #[track_caller]
    fn check(above: &str, code: &str, expected: bool) {
        let quote = Quote { above: above.to_owned(), code: code.to_owned() };
        assert_eq!(quote.is_unread_change(OLD, NEW), expected, "{above} {code}");
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
