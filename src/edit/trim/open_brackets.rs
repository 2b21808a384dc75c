//! Finds the brackets that are open at the cursor, and the string or comment around it.

use crate::edit::lexer::{Inside, LexicalSyntax, Scanner, Token};
use crate::edit::line;

/// What the text before the cursor opens and does not close.
pub(super) struct Opened<'a> {
    /// Closers of the brackets, innermost last, each with the byte of its opener.
    brackets: Vec<(char, usize)>,
    /// The string or comment.
    pub(super) inside: Inside<'a>,
}

impl<'a> Opened<'a> {
    pub(super) fn by(before: &str, syntax: &LexicalSyntax<'a>) -> Self {
        let mut brackets: Vec<(char, usize)> = Vec::new();
        let mut scanner = Scanner::new(syntax);
        scanner.scan(before, |at, token| {
            match token {
                Token::Open(closer) => brackets.push((closer, at)),
                Token::Close(closer) => {
                    if let Some(found) = brackets.iter().rposition(|(open, _)| *open == closer) {
                        brackets.truncate(found);
                    }
                }
                Token::Quote(_) | Token::Line => {}
            }
            true
        });
        Self { brackets, inside: scanner.inside() }
    }

    /// Whether the innermost bracket is a brace.
    pub(super) fn is_in_braces(&self) -> bool {
        self.brackets.last().is_some_and(|(closer, _)| *closer == '}')
    }
}

/// Returns the closers of the brackets that are open at the cursor and not closed below, innermost last.
///
/// The suggestion cannot reach past the innermost bracket that *is* closed below, so the list ends there.
pub(super) fn open_at(
    before: &str,
    after: &str,
    opened: &Opened<'_>,
    syntax: &LexicalSyntax<'_>,
) -> Vec<char> {
    let opened = &opened.brackets;
    if opened.is_empty() {
        return Vec::new();
    }
    let mut waiting = Vec::new();
    let mut closing: Vec<(char, usize)> = Vec::new();
    Scanner::new(syntax).scan(after, |at, token| {
        match token {
            Token::Open(closer) => waiting.push(closer),
            Token::Close(closer) if waiting.last() == Some(&closer) => _ = waiting.pop(),
            Token::Close(closer) if waiting.is_empty() => closing.push((closer, at)),
            _ => {}
        }
        closing.len() < opened.len()
    });
    let line_width = |text: &str, at: usize| line::width(line::last_partial(&text[..at]));
    let same_line = line::first_partial(after).len();
    let mut open = Vec::new();
    for &(closer, at) in opened.iter().rev() {
        let closed = match closing.first() {
            // A closer on the cursor's line belongs to the innermost bracket. A closer below belongs to the
            // bracket whose line has the same indentation.
            Some((found, place)) => {
                *found == closer
                    && (*place < same_line || line_width(after, *place) == opener_width(before, at))
            }
            // The code below is indented deeper, so the closer of the block exists outside the window.
            None if closer != '}' => false,
            None => {
                let below = line::split_iter(&after[same_line..]).find(|line| !line::is_blank(line));
                below.is_some_and(|below| line::width(below) > opener_width(before, at))
            }
        };
        if closed {
            break;
        }
        open.push(closer);
    }
    open.reverse();
    open
}

/// The indentation of the line that contains the bracket at `at`.
fn opener_width(before: &str, at: usize) -> usize {
    let start = before[..at].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    line::width(&before[start..])
}
