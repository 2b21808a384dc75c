//! Splits a text into tokens and line ends.

use std::ops::Range;

use crate::local::words::{PieceKind, tokens};

/// A text as tokens and line ends, between two added line ends.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) text: String,
    pub(super) tokens: Vec<Range<usize>>,
}

impl Code {
    pub(super) fn new(text: &str) -> Self {
        let text = ["\n", text, if text.ends_with('\n') || text.is_empty() { "" } else { "\n" }].concat();
        let mut at = 0;
        let mut found = Vec::new();
        for token in tokens(&text) {
            match token.kind {
                PieceKind::Space => {
                    let ends = token.text.match_indices('\n').map(|(end, _)| at + end..at + end + 1);
                    found.extend(ends);
                }
                PieceKind::Word | PieceKind::Mark => found.push(at..at + token.text.len()),
            }
            at += token.text.len();
        }
        Self { text, tokens: found }
    }

    pub(super) fn token(&self, index: usize) -> Option<&str> {
        self.text.get(self.tokens.get(index)?.clone())
    }

    pub(super) fn words(&self, tokens: Range<usize>) -> Vec<&str> {
        tokens.filter_map(|index| self.token(index)).collect()
    }

    pub(super) fn start(&self, token: usize) -> usize {
        self.tokens.get(token).map_or(self.text.len(), |it| it.start)
    }

    pub(super) fn end(&self, token: usize) -> usize {
        self.tokens.get(token).map_or(self.text.len(), |it| it.end)
    }

    /// The length in bytes of the line that contains a token.
    pub(super) fn line_bytes(&self, token: usize) -> usize {
        let at = self.start(token);
        let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        self.text[at..].find('\n').map_or(self.text.len(), |end| at + end) - start
    }

    /// The indentation of the line of a byte.
    pub(super) fn indentation(&self, byte: usize) -> &str {
        let start = self.text[..byte].rfind('\n').map_or(0, |at| at + 1);
        let line = &self.text[start..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }
}
