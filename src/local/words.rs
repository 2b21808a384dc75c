//! The tokens of a line, and comparisons of words.

use std::ops::Range;

use crate::document::Document;
use crate::text::ident::{Part, is_part, parts};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinePiece<'a> {
    pub(super) kind: PieceKind,
    pub(super) text: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// Letters, digits and `_`.
    Word,
    /// White space.
    Space,
    /// One other character.
    Mark,
}

pub(super) fn tokens(line: &str) -> Vec<LinePiece<'_>> {
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let kind = kind(first);
        let len = match kind {
            PieceKind::Mark => first.len_utf8(),
            _ => rest.find(|c| self::kind(c) != kind).unwrap_or(rest.len()),
        };
        let (text, tail) = rest.split_at(len);
        tokens.push(LinePiece { kind, text });
        rest = tail;
    }
    tokens
}

fn kind(c: char) -> PieceKind {
    match c {
        c if is_part(c) => PieceKind::Word,
        c if c.is_whitespace() => PieceKind::Space,
        _ => PieceKind::Mark,
    }
}

/// Keywords of any language, which are never names.
const KEYWORDS: [&str; 52] = [
    "as",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "def",
    "defer",
    "do",
    "elif",
    "else",
    "end",
    "enum",
    "except",
    "export",
    "extends",
    "fn",
    "for",
    "foreach",
    "from",
    "func",
    "function",
    "go",
    "if",
    "impl",
    "import",
    "in",
    "interface",
    "let",
    "loop",
    "match",
    "mod",
    "mut",
    "new",
    "of",
    "package",
    "private",
    "protected",
    "pub",
    "public",
    "return",
    "self",
    "static",
    "struct",
    "this",
    "throw",
    "try",
    "var",
    "while",
];

/// Whether a word may be replaced by another in an analogous line.
pub(super) fn is_free(word: &str) -> bool {
    !KEYWORDS.contains(&word)
}

/// Whether a word can be a name in the language of a document: a keyword of another language can.
pub(super) fn is_free_in(document: &Document, word: &str) -> bool {
    is_free(word) || document.grammar().is_some_and(|grammar| !grammar.is_keyword(word))
}

/// Whether a word is specific on its own: not a keyword, a number, or a common value.
pub(super) fn is_telling(word: &str) -> bool {
    const VALUES: [&str; 8] = ["true", "false", "True", "False", "null", "nil", "None", "undefined"];
    is_free(word) && !VALUES.contains(&word) && word.contains(char::is_alphabetic)
}

/// The differing parts of two words: the middle between their common beginning and end.
pub(super) fn difference<'a>(from: &'a str, to: &'a str) -> (Vec<Part<'a>>, Vec<Part<'a>>) {
    let (mut from, mut to) = (parts(from), parts(to));
    let same = |a: Option<&Part<'_>>, b: Option<&Part<'_>>| matches!((a, b), (Some(a), Some(b)) if same_word(a.text, b.text));
    while same(from.last(), to.last()) {
        from.pop();
        to.pop();
    }
    let common = from.iter().zip(&to).take_while(|(a, b)| same_word(a.text, b.text)).count();
    (from.split_off(common), to.split_off(common))
}

/// Whether two words are equal except for case.
pub(super) fn same_word(a: &str, b: &str) -> bool {
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

/// Whether two words are equal except for case and underscores: `maxWidth`, `MAX_WIDTH`.
pub(super) fn same_but_for_style(a: &str, b: &str) -> bool {
    letters(a).eq(letters(b))
}

fn letters(word: &str) -> impl Iterator<Item = char> {
    word.chars().filter(|c| *c != '_').flat_map(char::to_lowercase)
}

/// The byte range in which the word `to` differs from `from`, if anything is new.
pub(super) fn new_part(from: &str, to: &str) -> Option<Range<usize>> {
    let (_, new) = difference(from, to);
    Some(new.first()?.start..new.last()?.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_words_into_parts() {
        let check = |word: &str, expected: &[&str]| {
            let parts: Vec<_> = parts(word).iter().map(|part| part.text).collect();
            assert_eq!(parts, expected, "{word}");
        };
        check("width", &["width"]);
        check("set_maxWidth2", &["set", "max", "Width", "2"]);
        check("HTTPServer", &["HTTP", "Server"]);
        check("__init__", &["init"]);
        check("MAX_WIDTH", &["MAX", "WIDTH"]);
        check("größeÄndern", &["größe", "Ändern"]);
        check("_", &[]);
    }
}
