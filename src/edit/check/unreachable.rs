//! Code that is never run, since new lines leave the block before it.

use std::ops::Range;

use crate::edit::line;
use crate::text::ident;

/// The statements that leave a block.
const JUMPS: [&str; 5] = ["break", "continue", "raise", "return", "throw"];

/// The first words of lines that are reached in other ways, or define something.
const REACHED: [&str; 27] = [
    "async",
    "case",
    "catch",
    "class",
    "const",
    "def",
    "default",
    "do",
    "elif",
    "else",
    "elsif",
    "end",
    "ensure",
    "enum",
    "esac",
    "except",
    "export",
    "fi",
    "finally",
    "fn",
    "func",
    "function",
    "interface",
    "rescue",
    "static",
    "type",
    "when",
];

/// Returns the line that is never run because of new lines: one of them, or the one below.
///
/// It directly follows a statement that leaves the block, in the same column, or is a block behind a function. Where
/// the `replaced` lines ended in such a statement, too, the code below was not reached before.
pub(super) fn beside<'t>(replaced: &[&str], new: &[&'t str], range: &Range<usize>) -> Option<&'t str> {
    let is_visible = |line: &&&str| !line::is_blank(line);
    let was_left = replaced.iter().rfind(is_visible).is_some_and(|line| leaves(line));
    let above = new[..range.start].iter().rfind(is_visible);
    let below = new[range.end..].iter().find(is_visible).filter(|_| !was_left);
    let mut lines = above.into_iter().chain(new[range.clone()].iter().filter(is_visible)).chain(below);
    let mut last = *lines.next()?;
    lines.copied().find(|line| {
        let jump = std::mem::replace(&mut last, line);
        let follows = line::indent(jump) == line::indent(line);
        follows
            && (leaves(jump) && is_only_reached_from_above(line) || (jump.trim_end(), *line) == ("}", "{"))
    })
}

/// Whether a line is a whole statement that leaves its block in any case.
fn leaves(line: &str) -> bool {
    let text = line.trim();
    let first = ident::words(text).next().unwrap_or_default();
    let is_whole =
        !text.ends_with([',', '(', '[', '{', '\\', '+', '-', '*', '/', '|', '&', '=', '.', ':', '?', '<']);
    let has_condition = [" if ", " unless ", " or ", " and "].iter().any(|it| text.contains(it));
    JUMPS.contains(&first) && text.starts_with(first) && is_whole && !has_condition && !is_sentence(text)
}

/// Whether a line begins as the prose of documentation does: "return but shut down".
fn is_sentence(text: &str) -> bool {
    const LEAST_WORDS: usize = 4;
    const OPERATORS: [&str; 8] = ["as", "await", "from", "in", "is", "new", "not", "yield"];
    let first = text.split(' ').take(LEAST_WORDS);
    let is_word = |word: &str| !word.is_empty() && word.chars().all(char::is_alphabetic);
    first.clone().count() == LEAST_WORDS
        && first.into_iter().all(|word| is_word(word) && !OPERATORS.contains(&word))
}

/// Whether a line begins a statement that runs after the one above it alone.
fn is_only_reached_from_above(line: &str) -> bool {
    let text = line.trim();
    let first = ident::words(text).next().unwrap_or_default();
    let is_label = text.strip_suffix(':').is_some_and(ident::is_name) || text.contains("=>");
    text.starts_with(first) && text.starts_with(char::is_alphabetic) && !is_label && !REACHED.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the line that new lines at `range` leave unreached.
    #[track_caller]
    fn check(replaced: &[&str], new: &str, range: Range<usize>, expected: Option<&str>) {
        let lines: Vec<&str> = new.lines().collect();
        assert_eq!(beside(replaced, &lines, &range).map(str::trim), expected, "{new}");
    }

    #[test]
    fn statements_behind_a_jump() {
        let new = "def f(a):\n    if a:\n        return 1\n    return 2\n    b = 1\n    return b\n";
        check(&[], new, 1..4, Some("b = 1"));
        check(&[], new, 4..6, Some("b = 1"));
        check(&["    return 3"], new, 3..4, None);
        check(&[], new, 2..3, None);
        check(&[], "    return;\n    g();\n", 0..1, Some("g();"));
        check(&[], "    return 1\n    if a:\n", 0..1, Some("if a:"));
        check(&[], "void f()\n{\n\tg();\n}\n{\n\th();\n}\n", 1..4, Some("{"));
    }

    #[test]
    fn what_is_reached_otherwise() {
        check(&[], "  return a;\n}\n", 0..1, None);
        check(&[], "  return a;\n  function b() {}\n", 0..1, None);
        check(&[], "  break;\n  case 2:\n", 0..1, None);
        check(&[], "  return a +\n  b;\n", 0..1, None);
        check(&[], "  return a if b\n  c\n", 0..1, None);
        check(&[], "  return a\n  end_of_it:\n", 0..1, None);
        check(&[], "  return a;\n  case 1:\n", 0..1, None);
        check(&[], "  returned = a\n  b\n", 0..1, None);
        check(&[], "  return but shut it down\n  this is said\n", 0..1, None);
        check(&[], "  return a is not b\n  c()\n", 0..1, Some("c()"));
    }
}
