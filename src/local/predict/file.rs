//! The model of one file.

use std::collections::{HashMap, HashSet};

use super::log::TokenLog;
use super::place::tokens_above;
use super::tokens::{Token, Uses, Vocabulary, learnable};
use crate::local::limits::{BYTES_PER_TOKEN, CATCH_UP_LINES, FILE_TOKENS};
use crate::text::hash;

/// The model of one file.
pub(super) struct File {
    pub(super) log: TokenLog,
    pub(super) language: Box<str>,
    /// When it was last queried or learned: later is greater. 0 for a file that is not open.
    pub(super) asked: u64,
    /// When it was learned.
    pub(super) learned: u64,
    /// Whether files near it were learned from the disk, or are being read.
    pub(super) has_neighbors: bool,
    /// The line of the cursor when it was last queried or learned.
    pub(super) line: usize,
    /// Hashes of the learned lines, each with the line above it.
    lines: HashSet<u32>,
    uses: HashMap<u32, Uses>,
}

impl File {
    /// Learns a file: first the text below the cursor, then the text above, since the latest counts most. The
    /// cursor's own line is incomplete and left out.
    pub(super) fn new(vocabulary: &mut Vocabulary, language: &str, before: &str, after: &str) -> Self {
        let room = (before.len() + after.len()) / BYTES_PER_TOKEN;
        let mut file = Self {
            log: TokenLog::with_room(room.min(FILE_TOKENS)),
            language: language.into(),
            asked: 0,
            learned: 0,
            has_neighbors: false,
            line: before.matches('\n').count(),
            lines: HashSet::new(),
            uses: HashMap::new(),
        };
        let above = before.rfind('\n').map_or("", |end| &before[..=end]);
        let below = after.find('\n').map_or("", |end| &after[end + 1..]);
        file.learn(vocabulary, "", below, FILE_TOKENS / 2);
        file.learn(vocabulary, "", above, FILE_TOKENS);
        file.log.shrink();
        file.uses.shrink_to_fit();
        file
    }

    /// Learns new lines above the cursor; returns whether there were any.
    pub(super) fn catch_up(&mut self, vocabulary: &mut Vocabulary, before: &str) -> bool {
        let above = before.rfind('\n').map_or("", |end| &before[..=end]);
        let mut start = above.len();
        let mut lines = learnable(above).rev().peekable();
        for _ in 0..CATCH_UP_LINES {
            let Some(line) = lines.next() else { break };
            if self.lines.contains(&hash(lines.peek().copied().unwrap_or(""), line)) {
                break;
            }
            start = line.as_ptr() as usize - above.as_ptr() as usize;
        }
        let (context, new) = above.split_at(start);
        let are_new = learnable(new).next().is_some();
        if are_new {
            self.learn(vocabulary, context, new, usize::MAX);
        }
        are_new
    }

    /// Learns lines after `context`, until the file holds `most_tokens`.
    fn learn(&mut self, vocabulary: &mut Vocabulary, context: &str, new: &str, most_tokens: usize) {
        let mut tokens = tokens_above(vocabulary, context);
        self.log.separate();
        tokens.iter().for_each(|token| self.log.push_context(*token));
        let mut above = learnable(context).next_back().unwrap_or("");
        for line in learnable(new) {
            if self.log.tokens.len() > most_tokens {
                break;
            }
            self.lines.insert(hash(above, line));
            above = line;
            tokens.clear();
            vocabulary.line(line, &mut tokens);
            for token in &tokens {
                self.log.push(*token);
                vocabulary.learn(*token, &mut self.uses);
            }
        }
    }

    /// Whether it is open in the editor.
    pub(super) fn is_open(&self) -> bool {
        self.asked > 0
    }

    /// Removes its words from the vocabulary's counts.
    pub(super) fn forget(&self, vocabulary: &mut Vocabulary) {
        vocabulary.forget(&self.uses);
    }

    pub(super) fn uses(&self, token: Token) -> Uses {
        self.uses.get(&token.id()).copied().unwrap_or_default()
    }

    /// Whether so much was typed since that the file should be relearned.
    pub(super) fn is_outgrown(&self) -> bool {
        self.log.is_outgrown() || self.log.tokens.len() > 2 * FILE_TOKENS
    }

    /// Heap memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        // A table's slot takes one byte in addition to its entry.
        self.log.bytes()
            + self.lines.capacity() * (size_of::<u32>() + 1)
            + self.uses.capacity() * (size_of::<(u32, Uses)>() + 1)
    }
}

/// A hash of a line and the one above. It has half of the bits of a good hash: one line in some hundred
/// thousand wrongly counts as learned.
fn hash(above: &str, line: &str) -> u32 {
    hash::in_process(&(above, line)) as u32
}
