//! Finds the brackets that are open at the cursor, and the string or comment around it.

use super::measure::width;
use crate::edit::lexer::{LexicalSyntax, Scanner, State, Token};
use crate::edit::line;

/// What is open at the cursor.
pub(super) struct Surroundings<'a> {
    /// Closers of the brackets that are open at the cursor and not closed below, innermost last.
    ///
    /// The suggestion cannot reach past the innermost bracket that *is* closed below, so the list ends there.
    pub(super) open: Vec<char>,
    /// Whether the innermost bracket, closed below or not, is a brace.
    pub(super) is_in_braces: bool,
    /// The string or comment at the cursor.
    pub(super) state: State<'a>,
}

impl<'a> Surroundings<'a> {
    pub(super) fn of(before: &str, after: &str, syntax: &LexicalSyntax<'a>) -> Self {
        let mut opened: Vec<(char, usize)> = Vec::new();
        let mut scanner = Scanner::new(syntax);
        scanner.scan(before, |at, token| {
            match token {
                Token::Open(closer) => opened.push((closer, at)),
                Token::Close(closer) => {
                    if let Some(found) = opened.iter().rposition(|(open, _)| *open == closer) {
                        opened.truncate(found);
                    }
                }
                Token::Quote(_) | Token::Line => {}
            }
            true
        });
        let is_in_braces = opened.last().is_some_and(|(closer, _)| *closer == '}');
        Self { open: not_closed(before, after, syntax, opened), is_in_braces, state: scanner.state() }
    }
}

/// Returns those of the `opened` brackets that the text below does not close.
fn not_closed(
    before: &str,
    after: &str,
    syntax: &LexicalSyntax<'_>,
    opened: Vec<(char, usize)>,
) -> Vec<char> {
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
    let line_width = |text: &str, at: usize| width(line::last_partial(&text[..at]));
    let same_line = line::first_partial(after).len();
    let mut open = Vec::new();
    for (closer, at) in opened.into_iter().rev() {
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
                below.is_some_and(|below| width(below) > opener_width(before, at))
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
    width(&before[start..])
}
