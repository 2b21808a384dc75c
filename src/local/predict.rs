//! Predicts what is typed next from the code at hand: a model over tokens, without weights of its own.
//!
//! Everything is learned from the open file and the files around it, while the user types. A query looks up what
//! followed the same last tokens before, and what followed the same *shape*, in which each name is a number (0 for the
//! latest name): `self.width = width` then leads to `self.height = height`. These contexts are mixed from the longest
//! to the shortest, the file before its neighbours; the likeliest token is appended, and so on to the end of the line.
//! The chain is cut where the expected gain is greatest, and each cut has a calibrated chance of being wholly right.
//!
//! * [`tokens`] cuts lines into tokens and numbers them.
//! * [`log`] keeps the tokens that were learned, with chains of places that have a context in common.
//! * [`contexts`] counts what followed in each context and mixes the counts.
//! * [`chain`] appends tokens and decides how much of the chain is shown.
//!
//! The measured constants (escapes, calibration) are fitted on foreign code by `cargo bench --bench typing -- --fit`.

mod chain;
mod contexts;
mod log;
mod tokens;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

pub use chain::{Cut, FEATURES};
use contexts::{Counts, Sources};
pub use contexts::{ESCAPES, Stem};
use log::{TokenLog, WINDOW_TOKENS};
use tokens::{Kind, Token, Vocabulary, lex};

/// Lines above the cursor that are looked through for ones not learned yet: what was typed or pasted since.
const CATCH_UP_LINES: usize = 200;
/// Lines above the cursor that are read for its context; blank lines count.
const CONTEXT_LINES: usize = 40;
/// Bytes of a line that is learned; what is longer is data or minified.
const LINE_BYTES: usize = 400;
/// Tokens that one file may hold, each of about 24 bytes. Beyond, the model is to be made anew.
const FILE_TOKENS: usize = 250_000;
/// Tokens of the files around it.
const WORKSPACE_TOKENS: usize = 80_000;

/// A continuation of the line at the cursor.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// What is to be inserted: never a line end.
    pub text: String,
    /// The calibrated chance that all of it is typed next, from 0 to 1.
    pub chance: f32,
}

/// How sure a prediction has to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The share of what is shown that is to be wholly right, from 0 to 1.
    pub target: f32,
    /// Characters that the text has at least.
    pub least_chars: usize,
}

/// What was learned of one file and of those around it.
pub struct Predictor {
    vocabulary: Vocabulary,
    file: TokenLog,
    workspace: TokenLog,
    /// Hashes of the file's lines, each with the line above: which are learned already.
    learned: HashSet<u64>,
    /// Predictions of late that were shown and not taken; it fades.
    refused: f32,
    counts: Vec<Counts>,
}

impl Default for Predictor {
    fn default() -> Self {
        Self {
            vocabulary: Vocabulary::default(),
            file: TokenLog::default(),
            workspace: TokenLog::default(),
            learned: HashSet::new(),
            refused: 0.0,
            counts: contexts::no_counts(),
        }
    }
}

impl std::fmt::Debug for Predictor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Predictor")
            .field("file_tokens", &self.file.len())
            .field("workspace_tokens", &self.workspace.len())
            .finish_non_exhaustive()
    }
}

impl Predictor {
    /// Learns a file: first what stands below the cursor, then what stands above it, since the latest counts most.
    pub fn of_file(before: &str, after: &str) -> Self {
        let mut predictor = Self::default();
        predictor.learn_file(before, after);
        predictor
    }

    /// Forgets the file and learns another; what is known of the files around it stays.
    pub fn learn_file(&mut self, before: &str, after: &str) {
        self.file = TokenLog::default();
        self.learned.clear();
        self.refused = 0.0;
        // The cursor's own line is not finished.
        let above = before.rfind('\n').map_or("", |end| &before[..=end]);
        let below = after.find('\n').map_or("", |end| &after[end + 1..]);
        self.learn_lines("", below);
        self.learn_lines("", above);
    }

    /// Learns a file near the one at hand. The nearest ones come last, since the latest counts most.
    pub fn learn_neighbor(&mut self, text: &str) {
        if self.workspace.len() > WORKSPACE_TOKENS {
            return;
        }
        self.workspace.separate();
        let mut tokens = Vec::new();
        for line in learnable(text) {
            tokens.clear();
            self.vocabulary.line(line, &mut tokens);
            tokens.iter().for_each(|token| self.workspace.push(*token));
        }
    }

    /// Whether the file was learned up to a bound, and has to be learned anew to go on.
    pub fn is_full(&self) -> bool {
        self.file.len() > FILE_TOKENS
    }

    /// Heap memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.file.bytes() + self.workspace.bytes() + self.vocabulary.bytes() + self.learned.capacity() * 9
    }

    /// A prediction that was on screen was not taken: the next ones have to be surer for a while.
    pub fn refuse(&mut self) {
        self.refused += 1.0;
    }

    /// A prediction was taken.
    pub fn accept(&mut self) {
        self.refused *= 0.5;
    }

    /// Predicts how the line goes on behind `before`, the text above and before the cursor; at least its last
    /// [`CATCH_UP_LINES`] lines. Lines above the cursor that are new are learned first.
    pub fn predict(&mut self, before: &str, level: Level) -> Option<Prediction> {
        let cuts = self.cuts(before);
        chain::best(&cuts.1, level).map(|(cut, chance)| Prediction { text: cuts.0[..cut.bytes].to_owned(), chance })
    }

    /// The chain of tokens that may come, and the places where it can be cut.
    pub fn cuts(&mut self, before: &str) -> (String, Vec<Cut>) {
        self.catch_up(before);
        let mut context = Vec::new();
        let stem = self.context(before, &mut context);
        let sources =
            Sources { vocabulary: &self.vocabulary, file: &self.file, workspace: &self.workspace };
        chain::chain(&sources, context, stem, self.refused, &mut self.counts)
    }

    /// What followed in each context of a place, with the share of the token that is there in truth: what the fit of
    /// the escapes needs.
    pub fn evidence(&mut self, before: &str, next: &str, blank: bool) -> Vec<(usize, f32)> {
        self.catch_up(before);
        let mut context = Vec::new();
        let stem = self.context(before, &mut context);
        let next = match next {
            "" => tokens::LINE_END,
            text => self.vocabulary.token(text, Kind::Word, blank),
        };
        let sources =
            Sources { vocabulary: &self.vocabulary, file: &self.file, workspace: &self.workspace };
        sources.gather(&context, stem, true, &mut self.counts);
        contexts::shares(&self.counts, stem, next)
    }

    /// Learns the lines above the cursor that are not learned yet.
    fn catch_up(&mut self, before: &str) {
        let above = before.rfind('\n').map_or("", |end| &before[..=end]);
        let mut start = above.len();
        let mut lines = above.lines().rev().filter(|line| !line.trim().is_empty()).peekable();
        for _ in 0..CATCH_UP_LINES {
            let Some(line) = lines.next() else { break };
            if self.learned.contains(&hash(lines.peek().copied().unwrap_or(""), line)) {
                break;
            }
            start = line.as_ptr() as usize - above.as_ptr() as usize;
        }
        if start < above.len() {
            self.refused *= 0.5;
            let (context, new) = above.split_at(start);
            self.learn_lines(context, new);
        }
    }

    /// Learns lines below others, which are their context.
    fn learn_lines(&mut self, context: &str, new: &str) {
        if self.is_full() {
            return;
        }
        let mut tokens = Vec::new();
        self.tokens_above(context, &mut tokens);
        self.file.separate();
        tokens.iter().for_each(|token| self.file.push_context(*token));
        let mut above = learnable(context).next_back().unwrap_or("");
        for line in learnable(new) {
            self.learned.insert(hash(above, line));
            above = line;
            tokens.clear();
            self.vocabulary.line(line, &mut tokens);
            tokens.iter().for_each(|token| self.file.push(*token));
        }
    }

    /// The last tokens of the lines above, as many as a context has.
    fn tokens_above(&mut self, above: &str, tokens: &mut Vec<Token>) {
        let mut lines = Vec::new();
        let mut count = 0;
        for line in above.lines().rev().take(CONTEXT_LINES).filter(|line| !line.trim().is_empty()) {
            count += lex(line).count() + 1;
            lines.push(line);
            if count >= WINDOW_TOKENS {
                break;
            }
        }
        for line in lines.iter().rev() {
            self.vocabulary.line(line, tokens);
        }
        tokens.drain(..tokens.len().saturating_sub(WINDOW_TOKENS));
    }

    /// The context of a place, and what is typed of the token at it.
    fn context<'b>(&mut self, before: &'b str, tokens: &mut Vec<Token>) -> Stem<'b> {
        let (above, line) = before.split_at(before.rfind('\n').map_or(0, |end| end + 1));
        self.tokens_above(above, tokens);
        let mut stem = Stem::default();
        let mut pieces = lex(line).peekable();
        while let Some(piece) = pieces.next() {
            let ends = piece.start + piece.text.len();
            let is_last = pieces.peek().is_none();
            if is_last && piece.kind != Kind::Sign && ends == line.len() {
                return Stem { blank: piece.blank, text: piece.text };
            }
            tokens.push(self.vocabulary.token(piece.text, piece.kind, piece.blank));
            stem = Stem { blank: is_last && ends < line.len(), text: "" };
        }
        stem
    }
}

/// The lines of a text that are learned.
fn learnable(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines().filter(|line| line.len() <= LINE_BYTES && !line.trim().is_empty())
}

fn hash(above: &str, line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (above, line).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
