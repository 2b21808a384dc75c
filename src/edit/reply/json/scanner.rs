//! Finds the edits of a reply in JSON while it streams in.

use serde_json::{Map, Value};

use super::edit;
use super::slips::mended;
use crate::edit::reply::block::Block;

/// How deep in others the objects of edits may stand.
const MOST_DEEP: usize = 16;

/// Looks at each byte once, and reads each object as soon as it is closed.
#[derive(Debug, Default)]
pub(in crate::edit::reply) struct Scanner {
    /// Where the JSON begins in the reply (bytes).
    pub(in crate::edit::reply) start: usize,
    at: usize,
    in_string: bool,
    escaped: bool,
    /// Whether something follows the JSON that is none.
    ended: bool,
    /// Where the objects that are open begin.
    open: Vec<usize>,
    blocks: usize,
}

impl Scanner {
    pub(in crate::edit::reply) fn new(start: usize) -> Self {
        Self { start, at: start, ..Self::default() }
    }

    /// Looks at what is new in the text, and returns the edits that are complete with it.
    pub(in crate::edit::reply) fn advance(&mut self, text: &str) -> Vec<Block> {
        let mut found = Vec::new();
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                _ if self.ended => break,
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' if !self.in_string => self.open.push(self.at),
                b'}' if !self.in_string => {
                    let object = self.open.pop().and_then(|start| text.get(start..=self.at));
                    let edit = object
                        .filter(|_| self.open.len() < MOST_DEEP)
                        .and_then(parse)
                        .and_then(|object| edit(&object, self.blocks + 1).ok().flatten());
                    if let Some(block) = edit {
                        self.blocks += 1;
                        found.push(block);
                    }
                }
                b'[' | b']' | b',' | b':' => {}
                // Between two values there is nothing but blanks.
                byte if !self.in_string && self.open.is_empty() && !byte.is_ascii_whitespace() => {
                    self.ended = true
                }
                _ => {}
            }
            self.at += 1;
        }
        found
    }
}

/// One object, mended where it must be.
fn parse(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok().or_else(|| serde_json::from_str(&mended(text)?).ok())
}
