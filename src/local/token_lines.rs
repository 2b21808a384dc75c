//! The text around the cursor, as lines of tokens.

use std::collections::HashSet;

use super::limits::{BYTES_AFTER, BYTES_BEFORE, STEM_BYTES};
use super::{
    mapping::Mapping,
    words::{LinePiece, PieceKind, tokens},
};
use crate::text::ident;

/// One line, without its line end.
pub(super) struct TokenLine<'a> {
    pub(super) indent: &'a str,
    /// The line without indentation and trailing white space.
    pub(super) text: &'a str,
    pub(super) tokens: Vec<LinePiece<'a>>,
}

/// The text around the cursor.
pub(super) struct TokenPage<'a> {
    pub(super) lines: Vec<TokenLine<'a>>,
    /// The index of the line with the cursor.
    ///
    /// Of that line, only the part before the cursor is there.
    pub(super) current: usize,
    /// The text after the cursor on its line.
    pub(super) rest: &'a str,
}

impl<'a> TokenPage<'a> {
    pub(super) fn new(before: &'a str, after: &'a str) -> Self {
        let before = tail(before, BYTES_BEFORE);
        let after = head(after, BYTES_AFTER);
        let (rest, later) = after.split_once('\n').unwrap_or((after, ""));
        let mut lines: Vec<_> =
            before.split('\n').map(|line| TokenLine::new(line.strip_suffix('\r').unwrap_or(line))).collect();
        let current = lines.len() - 1;
        // White space at the end of the current line counts: the cursor is after it.
        if let Some(typed) = before.rsplit('\n').next() {
            lines[current] = TokenLine::typed(typed);
        }
        lines.extend(later.lines().map(TokenLine::new));
        Self { lines, current, rest: rest.trim_end() }
    }

    /// The typed part of the cursor's line.
    pub(super) fn typed(&self) -> &TokenLine<'a> {
        &self.lines[self.current]
    }

    /// The next line with text after the cursor's line.
    pub(super) fn next_line(&self) -> Option<&TokenLine<'a>> {
        self.lines[self.current + 1..].iter().find(|line| !line.is_blank())
    }
}

/// The words of a page, for completing one that is being typed.
pub(super) struct PageWords<'a>(Vec<&'a str>);

impl<'a> PageWords<'a> {
    /// All words except the one being typed.
    ///
    /// Empty if no word is being typed, since it is unused then.
    pub(super) fn of(page: &TokenPage<'a>) -> Self {
        let typed = page.typed();
        if typed.unfinished_word().is_none() {
            return Self(Vec::new());
        }
        let others = page.lines.iter().enumerate().filter(|(index, _)| *index != page.current);
        let others = others.flat_map(|(_, line)| &line.tokens);
        let tokens = others.chain(&typed.tokens[..typed.tokens.len() - 1]);
        let words: HashSet<&str> =
            tokens.filter(|token| token.kind == PieceKind::Word).map(|token| token.text).collect();
        let mut words = Vec::from_iter(words);
        words.sort_unstable();
        Self(words)
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.0.binary_search(&word).is_ok()
    }

    /// The longer word that begins with `stem`, if there is exactly one.
    pub(super) fn only_one_after(&self, stem: &str) -> Option<&'a str> {
        if stem.len() < STEM_BYTES {
            return None;
        }
        let start = self.0.partition_point(|word| *word <= stem);
        let mut longer = self.0[start..].iter().take_while(|word| word.starts_with(stem));
        let first = longer.next()?;
        longer.next().is_none().then_some(first)
    }
}

impl<'a> TokenLine<'a> {
    fn new(line: &'a str) -> Self {
        Self::typed(line.trim_end())
    }

    fn typed(line: &'a str) -> Self {
        let text = line.trim_start();
        Self { indent: &line[..line.len() - text.len()], text, tokens: tokens(text) }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Whether the line has words, not only punctuation.
    pub(super) fn has_words(&self) -> bool {
        self.tokens.iter().any(|token| token.kind == PieceKind::Word)
    }

    /// Whether the line is, or is about to be, a comment: prose, where analogies mean nothing.
    pub(super) fn is_comment(&self) -> bool {
        let starts = ["//", "/*", "* ", "--", "# ", "<!--", ";;", "\"\"\""];
        starts.iter().any(|start| self.text.starts_with(start)) || matches!(self.text, "#" | "*")
    }

    /// Whether this line becomes the other one by exchanging words only.
    ///
    /// Exchanged words are added to the mapping.
    pub(super) fn becomes(&self, other: &Self, mapping: &mut Mapping<'a>) -> bool {
        self.tokens.len() == other.tokens.len()
            && self.tokens.iter().zip(&other.tokens).all(|(from, to)| match (from.kind, to.kind) {
                (PieceKind::Word, PieceKind::Word) => mapping.learn(from.text, to.text),
                (PieceKind::Space, PieceKind::Space) => true,
                _ => from == to,
            })
    }

    /// The word that the line ends in, which the user may still be typing.
    pub(super) fn unfinished_word(&self) -> Option<&'a str> {
        self.tokens.last().filter(|token| token.text.ends_with(ident::is_part)).map(|token| token.text)
    }
}

/// The last `most` bytes of a text, from the beginning of a line.
fn tail(text: &str, most: usize) -> &str {
    let from = text.len().saturating_sub(most);
    if from == 0 {
        return text;
    }
    let line_end = text.as_bytes()[from..].iter().position(|byte| *byte == b'\n');
    line_end.map_or("", |at| &text[from + at + 1..])
}

/// The first `most` bytes of a text, to the end of a line.
fn head(text: &str, most: usize) -> &str {
    match text.as_bytes().get(..most).map(|bytes| bytes.iter().rposition(|byte| *byte == b'\n')) {
        Some(line_end) => &text[..line_end.unwrap_or(0)],
        None => text,
    }
}
