//! Reads the context of a position, and the typed part of its token.

use super::log::WINDOW_TOKENS;
use super::tokens::{Stem, Token, TokenKind, Vocabulary, learnable, lex};

/// The context at the end of a text, and the typed part of the next token.
pub(super) fn context<'b>(vocabulary: &mut Vocabulary, before: &'b str) -> (Vec<Token>, Stem<'b>) {
    let (above, line) = before.split_at(before.rfind('\n').map_or(0, |end| end + 1));
    let mut tokens = tokens_above(vocabulary, above);
    let mut stem = Stem::default();
    let mut pieces = lex(line).peekable();
    while let Some(piece) = pieces.next() {
        let end = piece.start + piece.text.len();
        let is_last = pieces.peek().is_none();
        if is_last && piece.kind != TokenKind::Sign && end == line.len() {
            return (tokens, Stem { blank: piece.blank, text: piece.text });
        }
        tokens.push(vocabulary.token(piece.text, piece.kind, piece.blank));
        stem.blank = is_last && end < line.len();
    }
    (tokens, stem)
}

/// The last tokens of some lines, up to the size of a context.
pub(super) fn tokens_above(vocabulary: &mut Vocabulary, above: &str) -> Vec<Token> {
    let mut lines = Vec::new();
    let mut count = 0;
    for line in learnable(above).rev() {
        if count >= WINDOW_TOKENS {
            break;
        }
        count += lex(line).count() + 1;
        lines.push(line);
    }
    let mut tokens = Vec::with_capacity(count);
    lines.into_iter().rev().for_each(|line| vocabulary.line(line, &mut tokens));
    tokens.drain(..tokens.len().saturating_sub(WINDOW_TOKENS));
    tokens
}

/// Whether the cursor is on a blank line that is not yet indented as deep as the code right above.
pub(super) fn is_being_indented(before: &str) -> bool {
    let (above, line) = before.split_at(before.rfind('\n').map_or(0, |end| end + 1));
    let above = above.lines().next_back().unwrap_or("");
    let depth = |line: &str| line.len() - line.trim_start().len();
    line.trim().is_empty() && (above.trim().is_empty() || line.len() < depth(above))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_that_is_being_indented_is_left_alone() {
        let check =
            |before: &str, expected: bool| assert_eq!(is_being_indented(before), expected, "{before:?}");
        check("", true);
        check("def f():\n    return 1\n", true);
        check("def f():\n    return 1\n  ", true);
        check("def f():\n    return 1\n    ", false);
        check("def f():\n    return 1\n\n    ", true);
        check("def f():\n    return 1\nd", false);
        check("a = 1\n", false);
    }
}
