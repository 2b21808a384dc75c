//! Predicts what is typed next from the code at hand: a model over tokens, without weights of its own.
//!
//! Everything is learned from the open files, while the user types. A query looks up what followed the same
//! last tokens before, and what followed the same *shape*, in which each name is a number (0 for the latest
//! name): `self.width = width` then leads to `self.height = height`. These contexts are mixed from the
//! longest to the shortest, the file before its neighbors; the likeliest token is appended, and so on to the
//! end of the line. The chain is cut where the expected gain is greatest, and each cut has a calibrated
//! chance of being wholly right.
//!
//! * [`tokens`] cuts lines into tokens and numbers them.
//! * [`log`] keeps the tokens that were learned, with chains of places that have a context in common.
//! * [`file`] is what was learned of one file; [`place`] reads the context of a cursor.
//! * [`member`] judges what a line gives a member of its object, by the parameters.
//! * [`contexts`] counts what followed in each context and mixes the counts.
//! * [`chain`] appends tokens and decides how much of the chain is shown.
//!
//! The measured constants (escapes, calibration) are fitted on foreign code by
//! `cargo bench --bench typing -- --fit`.

mod chain;
mod contexts;
mod file;
mod log;
mod member;
mod place;
mod tokens;

use std::collections::HashMap;

pub use super::limits::CATCH_UP_LINES;
pub use chain::{Cut, FEATURES, Level, best};
use contexts::{Counts, Sources};
pub use contexts::{ESCAPES, Expert};
use file::File;
use member::Verdict;
pub use tokens::Stem;
use tokens::{Token, TokenKind, Vocabulary};

use super::limits::{
    LINE_BYTES, LOOK_BACK_LINES, MEMORY_BYTES, NEIGHBOR_FILES, NEIGHBOR_TOKENS, VOCABULARY_BYTES,
};
use crate::document::DocumentId;
use crate::text::bracket::is_trailing;

/// The chance that a member is given the parameter of its name, and that is the rest of its line.
const PARAMETER_CHANCE: f32 = 0.8;

/// A continuation of the line at the cursor.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// What is to be inserted: never a line end.
    pub text: String,
    /// The calibrated chance that all of it is typed next, from 0 to 1.
    pub chance: f32,
}

/// What was learned of the files that are open. A file's neighbors are those of the same language.
pub struct Predictor {
    vocabulary: Vocabulary,
    files: HashMap<DocumentId, File>,
    clock: u64,
    shown: Option<Shown>,
    /// Predictions of late that were shown and not taken; it fades with each line.
    refused: f32,
    counts: Vec<Counts>,
}

/// A prediction of which it is not known yet whether it was taken.
struct Shown {
    id: DocumentId,
    /// The line that it continued, up to the cursor.
    line: String,
    text: String,
}

impl Default for Predictor {
    fn default() -> Self {
        Self {
            vocabulary: Vocabulary::default(),
            files: HashMap::new(),
            clock: 0,
            shown: None,
            refused: 0.0,
            counts: contexts::no_counts(),
        }
    }
}

impl std::fmt::Debug for Predictor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Predictor").field("files", &self.files.len()).field("bytes", &self.bytes()).finish()
    }
}

impl Predictor {
    /// Learns a file, or learns it anew, around the cursor. Of its language, what is beyond the neighbors that are
    /// looked at is forgotten, and of all files, what was not asked about for long where memory runs out.
    pub fn learn(&mut self, id: &DocumentId, language: &str, before: &str, after: &str) {
        self.forget(id);
        if self.vocabulary.bytes() > VOCABULARY_BYTES {
            *self = Self::default();
        }
        let mut file = File::new(&mut self.vocabulary, language, before, after);
        self.clock += 1;
        file.asked = self.clock;
        self.files.insert(id.clone(), file);
        for far in far_from(&self.files, id) {
            self.forget(&far);
        }
        while self.files.len() > 1 && self.bytes() > MEMORY_BYTES {
            let Some(oldest) = self.files.iter().min_by_key(|(_, file)| file.asked) else { break };
            let oldest = oldest.0.clone();
            self.forget(&oldest);
        }
    }

    /// Forgets a file.
    pub fn forget(&mut self, id: &DocumentId) {
        if let Some(file) = self.files.remove(id) {
            file.forget(&mut self.vocabulary);
        }
    }

    /// Whether a file is learned. One that grew much since counts as not learned.
    pub fn knows(&self, id: &DocumentId) -> bool {
        self.files.get(id).is_some_and(|file| !file.is_outgrown())
    }

    /// Whether a word was learned as a whole, in any file.
    pub fn has_learned(&self, word: &str) -> bool {
        self.vocabulary.has_learned(word)
    }

    /// Heap memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.vocabulary.bytes() + self.files.values().map(File::bytes).sum::<usize>()
    }

    /// Predicts how the line goes on between `before`, the last [`CATCH_UP_LINES`] lines before the cursor,
    /// and `rest`, what stands behind it on its line. Lines that are new are learned first. Whether a
    /// prediction was taken is read off the text that comes with the next question. `None` for a file that is
    /// not learned, and before more than closers.
    pub fn predict(&mut self, id: &DocumentId, before: &str, rest: &str, level: Level) -> Option<Prediction> {
        let rest = rest.trim();
        if !rest.chars().all(is_trailing) || !level.is_explicit && place::is_being_indented(before) {
            return None;
        }
        let (text, mut cuts) = self.cuts(id, before)?;
        // What stands behind the cursor already is not predicted again.
        if let Some(end) = text.find(rest).filter(|_| !rest.is_empty()) {
            cuts.retain(|cut| cut.bytes <= end);
        }
        let guess = best(&cuts, level, Cut::chance).map(|(cut, chance)| (&text[..cut.bytes], chance));
        let (text, chance) = match (member::judge(before, guess.map(|(text, _)| text)), guess) {
            (Verdict::AsGuessed, Some((text, chance))) => (text.to_owned(), chance),
            (Verdict::Parameter(text), _) if rest.is_empty() && level.takes(PARAMETER_CHANCE, &text) => {
                (text, PARAMETER_CHANCE)
            }
            _ => return None,
        };
        self.show(id, before, &text);
        Some(Prediction { text, chance })
    }

    /// Notes that a text is shown behind another.
    pub fn show(&mut self, id: &DocumentId, before: &str, text: &str) {
        self.shown =
            Some(Shown { id: id.clone(), line: last_line(before).to_owned(), text: text.to_owned() });
    }

    /// The chain of tokens that may come, and the places where it can be cut. `None` for a file that is not
    /// learned.
    pub fn cuts(&mut self, id: &DocumentId, before: &str) -> Option<(String, Vec<Cut>)> {
        self.look_back(id, before);
        self.catch_up(id, before)?;
        let (context, stem) = place::context(&mut self.vocabulary, before);
        let sources = sources(&self.vocabulary, &self.files, id)?;
        Some(chain::chain(&sources, context, stem, self.refused, &mut self.counts))
    }

    /// What followed in each context of a place: the number of its escape, and the share of the token that is
    /// there in truth, `next`, or the end of the line if that is empty. The fit of the escapes needs it.
    pub fn evidence(&mut self, id: &DocumentId, before: &str, next: &str, blank: bool) -> Vec<(usize, f32)> {
        self.count(id, before, next, blank)
            .map(|(stem, next)| contexts::shares(&self.counts, stem, next))
            .unwrap_or_default()
    }

    /// The kind of context that tells most of a token `next` at a place, and whether it is one of the file's
    /// neighbors.
    pub fn told_by(
        &mut self,
        id: &DocumentId,
        before: &str,
        next: &str,
        blank: bool,
    ) -> Option<(Expert, bool)> {
        let (stem, next) = self.count(id, before, next, blank)?;
        contexts::told_by(&self.counts, stem, next)
    }

    /// Counts what followed in each context of a place, of which a stem is typed, and finds a token.
    fn count<'b>(
        &mut self,
        id: &DocumentId,
        before: &'b str,
        next: &str,
        blank: bool,
    ) -> Option<(Stem<'b>, Token)> {
        self.catch_up(id, before)?;
        let (context, stem) = place::context(&mut self.vocabulary, before);
        let next = match next {
            "" => tokens::LINE_END,
            text => self.vocabulary.token(text, TokenKind::Word, blank),
        };
        let sources = sources(&self.vocabulary, &self.files, id)?;
        sources.gather(&context, stem, true, &mut self.counts);
        Some((stem, next))
    }

    /// Learns what is new above the cursor. `None` if there is nothing to predict from, or too long a line to
    /// go on with.
    fn catch_up(&mut self, id: &DocumentId, before: &str) -> Option<()> {
        let file = self.files.get_mut(id).filter(|_| last_line(before).len() <= LINE_BYTES)?;
        self.clock += 1;
        file.asked = self.clock;
        if file.catch_up(&mut self.vocabulary, before) {
            self.refused *= 0.5;
        }
        Some(())
    }

    /// Finds out what became of the last prediction. One that was not taken lets the next ones be surer for a
    /// while.
    fn look_back(&mut self, id: &DocumentId, before: &str) {
        let Some(shown) = self.shown.take_if(|it| it.id != *id || it.line != last_line(before)) else {
            return;
        };
        let lines = before.rsplit('\n').take(LOOK_BACK_LINES);
        // Indentation is typed, or comes by itself, before anything is.
        let mut typed = lines.filter_map(|line| {
            line.strip_prefix(&*shown.line).filter(|it| !it.is_empty() && !line.trim().is_empty())
        });
        let Some(typed) = typed.next().filter(|_| shown.id == *id) else { return };
        if typed.starts_with(&shown.text) {
            self.refused *= 0.5;
        } else {
            self.refused += 1.0;
        }
    }
}

/// A file and its neighbors.
fn sources<'p>(
    vocabulary: &'p Vocabulary,
    files: &'p HashMap<DocumentId, File>,
    id: &DocumentId,
) -> Option<Sources<'p>> {
    let file = files.get(id)?;
    let neighbors = of_same_language(files, id).into_iter().filter(|it| it.is_near);
    Some(Sources { vocabulary, file, neighbors: neighbors.map(|it| it.file).collect() })
}

/// A file of the same language as another.
struct Neighbor<'p> {
    id: &'p DocumentId,
    file: &'p File,
    /// Whether it is looked at.
    is_near: bool,
}

/// The other files of a file's language, the one last asked about first.
fn of_same_language<'p>(files: &'p HashMap<DocumentId, File>, id: &DocumentId) -> Vec<Neighbor<'p>> {
    let Some(file) = files.get(id) else { return Vec::new() };
    let others = files.iter().filter(|(other, it)| *other != id && it.language == file.language);
    let mut others: Vec<_> = others.map(|(id, file)| Neighbor { id, file, is_near: false }).collect();
    others.sort_unstable_by_key(|it| std::cmp::Reverse(it.file.asked));
    let (mut tokens, mut near) = (0, 0);
    for it in &mut others {
        let fits = tokens + it.file.log.tokens.len() <= NEIGHBOR_TOKENS;
        tokens += if fits { it.file.log.tokens.len() } else { 0 };
        it.is_near = fits && near < NEIGHBOR_FILES;
        near += usize::from(fits);
    }
    others
}

/// The files that a file does not look at. The one that was asked about before it is worked on, too.
fn far_from(files: &HashMap<DocumentId, File>, id: &DocumentId) -> Vec<DocumentId> {
    let far = of_same_language(files, id).into_iter().skip(1).filter(|it| !it.is_near);
    far.map(|it| it.id.clone()).collect()
}

fn last_line(text: &str) -> &str {
    text.rfind('\n').map_or(text, |end| &text[end + 1..])
}

#[cfg(test)]
mod tests;
