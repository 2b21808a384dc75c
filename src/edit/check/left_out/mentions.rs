//! What an instruction and the prose of a reply mention.

use std::collections::{HashMap, HashSet};

use super::instruction::kept_words;
use crate::text::{counts, ident};

/// What may ask for the removal of a definition.
#[derive(Clone, Copy)]
pub(in crate::edit) struct Asked<'a> {
    /// The instruction that the model was given; empty if unknown.
    pub(in crate::edit) instruction: &'a str,
    /// The whole reply, with its prose and the texts of other files.
    pub(in crate::edit) reply: &'a str,
}

/// How a reply says what changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::edit) enum Form {
    /// By old and new lines.
    Hunks,
    /// By writing the text of the range once more.
    Retyped,
    /// By writing the texts of several files, which have one instruction.
    RetypedFiles,
}

/// What a member belongs to that an assignment defines; that of another object is there already.
const DEFINERS: [&str; 5] = ["cls", "exports", "prototype", "self", "this"];

/// The words of a text.
pub(super) struct WordCounts<'t> {
    counts: HashMap<&'t str, usize>,
    /// The words before a `=`, which can define them in a way that the queries do not match.
    pub(super) assigned: HashSet<&'t str>,
}

impl<'t> WordCounts<'t> {
    pub(super) fn of_words(all: impl IntoIterator<Item = &'t str>) -> Self {
        Self { counts: counts(all), assigned: HashSet::new() }
    }

    pub(super) fn of(text: &'t str) -> Self {
        let mut words = Self { counts: HashMap::new(), assigned: HashSet::new() };
        for (end, word) in ident::words_with_dollars(text) {
            let word = word.trim_matches('$');
            *words.counts.entry(word).or_default() += 1;
            let behind = text[end..].trim_start();
            let owner =
                text[..end - word.len()].trim_end_matches('$').strip_suffix('.').map(ident::last_partial);
            let is_own = owner.is_none_or(|it| DEFINERS.contains(&it));
            if is_own && behind.starts_with('=') && !behind.starts_with("==") {
                words.assigned.insert(word);
            }
        }
        words
    }

    pub(super) fn count(&self, word: &str) -> usize {
        self.counts.get(word).copied().unwrap_or_default()
    }
}

/// What the instruction and the reply's prose mention. Words of the new text in the reply do not count.
pub(super) struct Mentions<'t> {
    asked: Asked<'t>,
    in_reply: WordCounts<'t>,
    in_instruction: WordCounts<'t>,
    pub(super) in_new: WordCounts<'t>,
}

impl<'t> Mentions<'t> {
    pub(super) fn of(asked: Asked<'t>, new: &'t str) -> Self {
        let [in_reply, mut in_instruction, in_new] =
            [asked.reply, asked.instruction, new].map(WordCounts::of);
        for word in kept_words(asked.instruction) {
            in_instruction.counts.remove(word);
        }
        Self { asked, in_reply, in_instruction, in_new }
    }

    pub(super) fn instruction_has(&self, name: &str) -> bool {
        match name.len() {
            1 => self.asked.instruction.contains(&format!("`{name}`")),
            _ => self.in_instruction.count(name) > 0,
        }
    }

    pub(super) fn prose_has(&self, name: &str) -> bool {
        // One letter is also a word of sentences.
        match name.len() {
            1 => self.asked.reply.contains(&format!("`{name}`")),
            _ => self.in_reply.count(name) > self.in_new.count(name),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.instruction_has(name) || self.prose_has(name)
    }

    /// Whether the reply's prose says that something goes.
    pub(super) fn of_removal(&self) -> bool {
        const SAYING: [&str; 10] = [
            "deleted", "deletes", "drop", "dropped", "drops", "remove", "removed", "removes", "removing",
            "unused",
        ];
        let is_said = |word: &str| {
            let upper = word[..1].to_uppercase() + &word[1..];
            self.prose_has(word) || self.prose_has(&upper)
        };
        SAYING.iter().any(|word| is_said(word))
    }
}
