//! Predicts the next typed text from the code at hand: a token model without pretrained weights.
//!
//! The model learns from the open files, while the user types. A query looks up what followed the same last
//! tokens before, and what followed the same *shape*, in which each name is a number (0 for the latest name):
//! `self.width = width` thus predicts `self.height = height`. These contexts are mixed from the longest to the
//! shortest, the file before its neighbors; the most likely token is appended, and so on to the end of the
//! line. The chain is cut where the expected gain is greatest, and each cut has a calibrated probability of
//! being entirely right.
//!
//! * [`tokens`] splits lines into tokens and interns them.
//! * [`log`] stores the learned tokens, with chains of positions that share a context.
//! * [`file`] is the model of one file; [`place`] reads the context of a cursor.
//! * [`member`] checks an assignment to an object's member against the parameters.
//! * [`contexts`] counts what followed in each context and mixes the counts.
//! * [`chain`] appends tokens and decides how much of the chain to show.
//!
//! The measured constants (escapes, calibration) are fitted on third-party code by `cargo bench --bench typing
//! -- --fit`.

mod chain;
mod contexts;
mod file;
mod log;
mod member;
mod place;
mod tokens;

use std::cmp::Reverse;
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

/// The probability that a member is assigned the parameter of its name, which completes the line.
const PARAMETER_CHANCE: f32 = 0.8;

/// A continuation of the line at the cursor.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The text to insert, never with a line end.
    pub text: String,
    /// The calibrated probability that exactly this text is typed next, from 0 to 1.
    pub chance: f32,
}

/// The model of the open files and of files near them on the disk. A file's neighbors are those of the same language.
pub struct Predictor {
    vocabulary: Vocabulary,
    files: HashMap<DocumentId, File>,
    clock: u64,
    shown: Option<Shown>,
    /// A decaying count of shown predictions that were rejected; it fades with each line.
    refused: f32,
    counts: Vec<Counts>,
}

/// A shown prediction that is neither accepted nor rejected yet.
struct Shown {
    id: DocumentId,
    /// The line up to the cursor, at the time of the prediction.
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
    /// Learns a file, or relearns it, around the cursor. Files of its language beyond the inspected neighbors
    /// are forgotten, and when memory runs out, the least recently queried files.
    pub fn learn(&mut self, id: &DocumentId, language: &str, before: &str, after: &str) {
        let has_neighbors = self.files.get(id).is_some_and(|it| it.has_neighbors);
        self.remove(id);
        if self.vocabulary.bytes() > VOCABULARY_BYTES {
            *self = Self::default();
        }
        let mut file = File::new(&mut self.vocabulary, language, before, after);
        self.clock += 1;
        (file.asked, file.learned) = (self.clock, self.clock);
        file.has_neighbors = has_neighbors && !self.files.is_empty();
        self.files.insert(id.clone(), file);
        for far in far_from(&self.files, id) {
            self.remove(&far);
        }
        while self.files.len() > 1 && self.bytes() > MEMORY_BYTES {
            let Some(oldest) = self.files.iter().min_by_key(|(_, it)| (it.asked, Reverse(it.learned))) else {
                break;
            };
            let oldest = oldest.0.clone();
            self.remove(&oldest);
        }
    }

    /// Whether files near an open file are still to be learned from the disk. The caller reads them if so.
    pub fn take_wish_for_neighbors(&mut self, id: &DocumentId) -> bool {
        let file = self.files.get_mut(id).filter(|it| it.is_open());
        file.is_some_and(|it| !std::mem::replace(&mut it.has_neighbors, true))
    }

    /// Learns a file of the disk for the open file `id`, unless it is learned. False if there is no room for more.
    pub fn learn_neighbor(&mut self, id: &DocumentId, neighbor: &DocumentId, text: &str) -> bool {
        let Some(language) = self.files.get(id).map(|it| it.language.clone()) else { return false };
        if self.has_file(neighbor) {
            return true;
        }
        let mut file = File::new(&mut self.vocabulary, &language, text, "");
        self.clock += 1;
        file.learned = self.clock;
        self.files.insert(neighbor.clone(), file);
        let is_near = of_same_language(&self.files, id).iter().any(|it| it.id == neighbor && it.is_near);
        let fits = is_near && self.bytes() <= MEMORY_BYTES && self.vocabulary.bytes() <= VOCABULARY_BYTES;
        if !fits {
            self.remove(neighbor);
        }
        fits
    }

    /// Forgets the files that are not open. They are learned again where that is still allowed.
    pub fn forget_neighbors(&mut self) {
        let closed: Vec<DocumentId> =
            self.files.iter().filter(|(_, file)| !file.is_open()).map(|(id, _)| id.clone()).collect();
        closed.iter().for_each(|id| self.remove(id));
        self.files.values_mut().for_each(|file| file.has_neighbors = false);
    }

    /// Forgets a file, and with the last open file of a language those that were learned for it.
    pub fn forget(&mut self, id: &DocumentId) {
        let Some(language) = self.files.get(id).map(|it| it.language.clone()) else { return };
        self.remove(id);
        let its = self.files.iter().filter(|(_, file)| file.language == language);
        let left: Vec<(DocumentId, bool)> = its.map(|(id, file)| (id.clone(), file.is_open())).collect();
        if !left.iter().any(|(_, is_open)| *is_open) {
            left.iter().for_each(|(id, _)| self.remove(id));
        }
    }

    fn remove(&mut self, id: &DocumentId) {
        if let Some(file) = self.files.remove(id) {
            file.forget(&mut self.vocabulary);
        }
    }

    /// Whether a file is learned, open or not.
    pub fn has_file(&self, id: &DocumentId) -> bool {
        self.files.contains_key(id)
    }

    /// Whether an open file is learned. A file that grew much since then does not count.
    pub fn knows(&self, id: &DocumentId) -> bool {
        self.files.get(id).is_some_and(|file| file.is_open() && !file.is_outgrown())
    }

    /// Moves to a line of a file; whether it is near the one before.
    ///
    /// The latest of what is learned counts most, so a file is better learned again around a cursor that is far away.
    pub fn move_to(&mut self, id: &DocumentId, line: usize) -> bool {
        let Some(file) = self.files.get_mut(id) else { return true };
        std::mem::replace(&mut file.line, line).abs_diff(line) <= CATCH_UP_LINES
    }

    /// Whether a word was learned as a whole token, in any file.
    pub fn has_learned(&self, word: &str) -> bool {
        self.vocabulary.has_learned(word)
    }

    /// Heap memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.vocabulary.bytes() + self.files.values().map(File::bytes).sum::<usize>()
    }

    /// Predicts the rest of the line between `before`, the last [`CATCH_UP_LINES`] lines before the cursor, and
    /// `rest`, the text after it on its line. New lines are learned first. Acceptance of a prediction is
    /// inferred from the text of the next query. `None` for a file that is not learned, and if `rest` has more
    /// than closing brackets.
    pub fn predict(&mut self, id: &DocumentId, before: &str, rest: &str, level: Level) -> Option<Prediction> {
        let rest = rest.trim();
        if !rest.chars().all(is_trailing) || !level.is_explicit && place::is_being_indented(before) {
            return None;
        }
        let (text, mut cuts) = self.cuts(id, before)?;
        if !rest.is_empty() {
            let (ends, last) = ends_before(rest, &text);
            // A token may hold closers of both.
            if let Some(cut) = cuts.iter_mut().find(|cut| cut.bytes > last) {
                (cut.bytes, cut.chars) = (last, text[..last].chars().count());
            }
            cuts.retain(|cut| ends.contains(&cut.bytes));
        }
        let guess = best(&cuts, level, Cut::chance).map(|(cut, chance)| (&text[..cut.bytes], chance));
        let next = member::next_assignment(before).filter(|_| rest.is_empty());
        let next = next.filter(|text| level.takes(PARAMETER_CHANCE, text));
        let goes_on = |text: &str| guess.is_none_or(|(guess, _)| text.starts_with(guess));
        if let Some(text) = next.filter(|text| goes_on(text)) {
            self.show(id, before, &text);
            return Some(Prediction { text, chance: PARAMETER_CHANCE });
        }
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

    /// Records that `text` is shown after `before`.
    pub fn show(&mut self, id: &DocumentId, before: &str, text: &str) {
        self.shown =
            Some(Shown { id: id.clone(), line: last_line(before).to_owned(), text: text.to_owned() });
    }

    /// The chain of predicted tokens, and the positions where it can be cut. `None` for a file that is not
    /// learned.
    pub fn cuts(&mut self, id: &DocumentId, before: &str) -> Option<(String, Vec<Cut>)> {
        self.look_back(id, before);
        self.catch_up(id, before)?;
        let (context, stem) = place::context(&mut self.vocabulary, before);
        let sources = sources(&self.vocabulary, &self.files, id)?;
        Some(chain::chain(&sources, context, stem, self.refused, &mut self.counts))
    }

    /// For each context of a position, the index of its escape, and the share of the actual token `next`, or of
    /// the line end if `next` is empty. Used to fit the escapes.
    pub fn evidence(&mut self, id: &DocumentId, before: &str, next: &str, blank: bool) -> Vec<(usize, f32)> {
        self.count(id, before, next, blank)
            .map(|(stem, next)| contexts::shares(&self.counts, stem, next))
            .unwrap_or_default()
    }

    /// The kind of context that contributes most to a token `next` at a position, and whether it is of the
    /// file's neighbors.
    pub fn dominant_context(
        &mut self,
        id: &DocumentId,
        before: &str,
        next: &str,
        blank: bool,
    ) -> Option<(Expert, bool)> {
        let (stem, next) = self.count(id, before, next, blank)?;
        contexts::dominant_context(&self.counts, stem, next)
    }

    /// Counts the continuations in each context of a position with a typed stem, and looks up a token.
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

    /// Learns new lines above the cursor. `None` if the file is not learned, or the line is too long.
    fn catch_up(&mut self, id: &DocumentId, before: &str) -> Option<()> {
        let file = self.files.get_mut(id).filter(|_| last_line(before).len() <= LINE_BYTES)?;
        self.clock += 1;
        file.asked = self.clock;
        if file.catch_up(&mut self.vocabulary, before) {
            self.refused *= 0.5;
        }
        Some(())
    }

    /// Determines whether the last prediction was accepted. A rejection raises the threshold for the next ones
    /// for a while.
    fn look_back(&mut self, id: &DocumentId, before: &str) {
        let Some(shown) = self.shown.take_if(|it| it.id != *id || it.line != last_line(before)) else {
            return;
        };
        let lines = before.rsplit('\n').take(LOOK_BACK_LINES);
        // Indentation is typed or inserted automatically before anything else.
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

/// Where a text can end before the closers `rest`, and where it must: it closes what it opens, and nothing else.
///
/// The closers are already after the cursor, and so is the sign that ends the statement.
fn ends_before(rest: &str, text: &str) -> (Vec<usize>, usize) {
    let is_quote = |sign: &char| matches!(sign, '"' | '\'' | '`');
    let around = rest.chars().next().filter(is_quote);
    let (mut open, mut string, mut ends) = (Vec::new(), around, Vec::new());
    for (at, sign) in text.char_indices() {
        let is_end = open.is_empty() && string == around;
        if is_end {
            ends.push(at);
        }
        match sign {
            _ if is_end && rest.starts_with(sign) => return (ends, at),
            _ if string == Some(sign) => string = None,
            _ if string.is_some() => {}
            // A single quote may mark a lifetime.
            '"' | '`' => string = Some(sign),
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.pop() != Some(sign) => return (ends, at),
            _ => {}
        }
    }
    if open.is_empty() && string == around {
        ends.push(text.len());
    }
    (ends, text.len())
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
    /// Whether it is inspected for predictions.
    is_near: bool,
}

/// The other files of a file's language: the open ones, most recently queried first, then those near them.
fn of_same_language<'p>(files: &'p HashMap<DocumentId, File>, id: &DocumentId) -> Vec<Neighbor<'p>> {
    let Some(file) = files.get(id) else { return Vec::new() };
    let others = files.iter().filter(|(other, it)| *other != id && it.language == file.language);
    let mut others: Vec<_> = others.map(|(id, file)| Neighbor { id, file, is_near: false }).collect();
    others.sort_unstable_by_key(|it| (Reverse(it.file.asked), it.file.learned));
    let (mut tokens, mut near) = (0, 0);
    for it in &mut others {
        let fits = tokens + it.file.log.tokens.len() <= NEIGHBOR_TOKENS;
        tokens += if fits { it.file.log.tokens.len() } else { 0 };
        it.is_near = fits && near < NEIGHBOR_FILES;
        near += usize::from(fits);
    }
    others
}

/// The files that are not inspected for a file, except the one queried before it, which is still being edited.
fn far_from(files: &HashMap<DocumentId, File>, id: &DocumentId) -> Vec<DocumentId> {
    let far = of_same_language(files, id).into_iter().skip(1).filter(|it| !it.is_near);
    far.map(|it| it.id.clone()).collect()
}

fn last_line(text: &str) -> &str {
    text.rfind('\n').map_or(text, |end| &text[end + 1..])
}

#[cfg(test)]
mod tests;
