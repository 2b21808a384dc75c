//! Code fences: lines of three or more backticks or tildes around code.

use std::ops::Range;

use crate::edit::line;
use crate::grammar::{self, Grammar};

/// A fenced block of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fence<'a> {
    /// The text after the opening marker: a language, a path.
    pub(crate) info: &'a str,
    /// From the opening fence to the end of the closing one (bytes of the reply).
    pub(crate) span: Range<usize>,
    /// The content between the fences (bytes of the reply).
    pub(crate) inside: Range<usize>,
    /// Whitespace before the opening marker.
    pub(crate) indent: &'a str,
    /// Whether there is a closing fence.
    pub(crate) closed: bool,
}

impl Fence<'_> {
    /// Whether the fence names no language, or one for text that is not code.
    pub(crate) fn is_plain(&self) -> bool {
        self.info.is_empty() || NO_CODE.contains(&self.info)
    }

    /// Returns the content without the fence's own indentation.
    pub(crate) fn text(&self, reply: &str) -> String {
        let inside = &reply[self.inside.clone()];
        let indented = |line: &str| line::is_blank(line) || line.starts_with(self.indent);
        if self.indent.is_empty() || !line::split_iter(inside).all(indented) {
            return inside.to_owned();
        }
        line::split_iter(inside).map(|line| line.strip_prefix(self.indent).unwrap_or(line)).collect()
    }
}

/// The languages of text that is not code.
const NO_CODE: [&str; 6] = ["text", "txt", "plaintext", "output", "console", "log"];

/// Whether a fence contains commands to run.
pub(super) fn is_commands(mark: Mark<'_>) -> bool {
    let language = mark.info.split_whitespace().next().unwrap_or_default();
    ["bash", "sh", "shell", "zsh", "console", "powershell", "shell-session"].contains(&language)
}

/// Whether a fence contains text that is not code.
pub(super) fn is_output(mark: Mark<'_>) -> bool {
    NO_CODE.contains(&mark.info)
}

/// A fence marker: its character, their number, and the text after it.
#[derive(Clone, Copy)]
pub(crate) struct Mark<'a> {
    sign: char,
    count: usize,
    indent: &'a str,
    /// The text after the marker, trimmed.
    pub(crate) info: &'a str,
}

impl<'a> Mark<'a> {
    /// Parses a line as a fence line.
    pub(crate) fn of(line: &'a str) -> Option<Self> {
        let indent = line::indent(line);
        let rest = &line[indent.len()..];
        let sign = rest.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let info = rest.trim_start_matches(sign);
        let count = rest.len() - info.len();
        // Backticks after the marker make the line inline code.
        (count >= 3 && !info.contains('`')).then_some(Self { sign, count, indent, info: info.trim() })
    }

    /// Whether this line closes a fence that `open` opened.
    pub(crate) fn closes(&self, open: &Mark<'_>) -> bool {
        self.info.is_empty() && self.is_like(open)
    }

    /// Whether this line opens a nested fence inside the one that `open` opened.
    ///
    /// Such a line cannot close a fence.
    pub(crate) fn opens_within(&self, open: &Mark<'_>) -> bool {
        !self.info.is_empty() && self.is_like(open)
    }

    /// Whether both markers are of the same kind, so that each opens what the other closes.
    pub(crate) fn is_like(&self, other: &Mark<'_>) -> bool {
        self.sign == other.sign && self.count >= other.count && self.indent == other.indent
    }

    /// Returns the content of the fence opened by this marker, without the marker's indentation.
    pub(crate) fn text_of(&self, inside: &str) -> String {
        let all = 0..inside.len();
        Fence { info: self.info, span: all.clone(), inside: all, indent: self.indent, closed: true }
            .text(inside)
    }
}

/// Finds the fenced blocks of a reply in order.
///
/// A fence with an info string inside another fence opens a nested block, because it cannot close one. A
/// fence whose indentation differs from the opening one belongs to the code, as in a docstring.
pub(crate) fn blocks(reply: &str) -> Vec<Fence<'_>> {
    let mut found = Vec::new();
    let mut open: Vec<(Mark<'_>, usize, usize)> = Vec::new();
    let mut at = 0;
    for line in line::split_iter(reply) {
        let end = at + line.len();
        if let Some(mark) = Mark::of(line) {
            match open.last() {
                Some((opener, start, inside)) if mark.closes(opener) => {
                    if open.len() == 1 {
                        let (info, indent) = (opener.info, opener.indent);
                        found.push(Fence {
                            info,
                            span: *start..end,
                            inside: *inside..at,
                            indent,
                            closed: true,
                        });
                    }
                    open.pop();
                }
                Some((opener, ..))
                    if mark.info.is_empty() || mark.indent != opener.indent || mark.sign != opener.sign => {}
                _ => open.push((mark, at, end)),
            }
        }
        at = end;
    }
    if let Some((mark, start, inside)) = open.first() {
        let (info, indent) = (mark.info, mark.indent);
        found.push(Fence { info, span: *start..at, inside: *inside..at, indent, closed: false });
    }
    found
}

/// Returns the content of the fence around a whole answer in a language of prose, which has fences itself.
pub(super) fn page(reply: &str) -> Option<String> {
    let [only] = <[Fence<'_>; 1]>::try_from(blocks(reply)).ok()?;
    let inside = only.text(reply);
    let grammar =
        grammar::by_language_id(only.info).or_else(|| grammar::by_path(format!("a.{}", only.info).as_ref()));
    let is_page = only.closed && grammar.is_some_and(Grammar::is_prose) && !blocks(&inside).is_empty();
    is_page.then_some(inside)
}

/// Returns the block from the first fence to the last line that can close it, and its opening marker.
///
/// This is for code that contains fences itself.
pub(crate) fn outermost(reply: &str) -> Option<(Mark<'_>, Fence<'_>)> {
    let mut opener: Option<(Mark<'_>, usize, usize)> = None;
    let mut last = None;
    let mut at = 0;
    for line in line::split_iter(reply) {
        let end = at + line.len();
        if let Some(mark) = Mark::of(line) {
            match &opener {
                None => opener = Some((mark, at, end)),
                Some((open, ..)) if mark.closes(open) => last = Some((at, end)),
                Some(_) => {}
            }
        }
        at = end;
    }
    let (mark, start, inside) = opener?;
    let (info, indent) = (mark.info, mark.indent);
    let fence = match last {
        Some((close, end)) => Fence { info, span: start..end, inside: inside..close, indent, closed: true },
        None => Fence { info, span: start..at, inside: inside..at, indent, closed: false },
    };
    Some((mark, fence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reply: &str, expected: &[(&str, &str, bool)]) {
        let blocks = blocks(reply);
        let found: Vec<(&str, String, bool)> =
            blocks.iter().map(|block| (block.info, block.text(reply), block.closed)).collect();
        let expected: Vec<(&str, String, bool)> =
            expected.iter().map(|(info, text, closed)| (*info, (*text).to_owned(), *closed)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn fences_of_all_kinds() {
        check("hi\n```rust\na\n```\nbye\n", &[("rust", "a\n", true)]);
        check("~~~ py\r\na\r\n~~~~\r\n", &[("py", "a\r\n", true)]);
        check("````\n```\na\n```\n````\n", &[("", "```\na\n```\n", true)]);
        check("```\na\n", &[("", "a\n", false)]);
        check("use ```inline``` marks\n", &[]);
        check("1. so:\n   ```\n   a\n     b\n   ```\n", &[("", "a\n  b\n", true)]);
        check("```\na\n```\nthen\n```\nb\n```\n", &[("", "a\n", true), ("", "b\n", true)]);
    }

    #[test]
    fn fences_in_code() {
        check(
            "```python\n\"\"\"\n    ```\n    x\n    ```\n\"\"\"\n```\n",
            &[("python", "\"\"\"\n    ```\n    x\n    ```\n\"\"\"\n", true)],
        );
        check(
            "```markdown\n# T\n```sh\nls\n```\nend\n```\n",
            &[("markdown", "# T\n```sh\nls\n```\nend\n", true)],
        );
        let reply = "```markdown\n# T\n```\nls\n```\nend\n```\n";
        assert_eq!(outermost(reply).unwrap().1.text(reply), "# T\n```\nls\n```\nend\n");
    }
}
