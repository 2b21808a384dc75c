//! The kinds of places at which suggestions are shown, to see which are wrong.

use std::collections::BTreeMap;

use crate::figures::{Tally, first_token};

/// What is before the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Comment,
    String,
    LineStart,
    BegunWord,
    Member,
    Value,
    Argument,
    Other,
}

impl Place {
    fn of(before: &str) -> Self {
        let line = before.rsplit('\n').next().unwrap_or_default();
        let text = line.trim_start();
        let is_comment = ["//", "#", "*", "/*"].iter().any(|it| text.starts_with(it)) || text.contains("// ");
        let is_open = |quote: char| text.matches(quote).count() % 2 == 1;
        let last = text.trim_end();
        match text.chars().last() {
            _ if is_comment => Self::Comment,
            _ if is_open('"') || is_open('\'') && !text.contains("&'") => Self::String,
            None => Self::LineStart,
            Some(it) if it.is_alphanumeric() || it == '_' => Self::BegunWord,
            Some('.' | ':') => Self::Member,
            _ if last.ends_with('=') || last.ends_with("return") => Self::Value,
            _ if last.ends_with(['(', ',', '[', '{']) => Self::Argument,
            _ => Self::Other,
        }
    }
}

/// The outcomes by the kind of the place, and of a suggestion.
#[derive(Default)]
pub(crate) struct Kinds {
    tallies: BTreeMap<(Place, &'static str), Tally>,
    wrong: BTreeMap<(Place, &'static str), Vec<String>>,
}

impl Kinds {
    /// Counts a suggestion.
    pub(crate) fn shown(&mut self, language: &str, before: &str, text: &str, rest: &str) {
        let place = Place::of(before);
        let length = match text.chars().count() {
            0..=4 => "to 4",
            5..=12 => "to 12",
            _ => "longer",
        };
        self.tallies.entry((place, length)).or_default().shown(text, rest);
        if !rest.starts_with(text) {
            let line = before.rsplit('\n').next().unwrap_or_default();
            let above = before[..before.len() - line.len()].lines().next_back().unwrap_or_default();
            let how = if rest.starts_with(first_token(text)) { "goes on wrongly" } else { "begins wrongly" };
            self.wrong.entry((place, length)).or_default().push(format!(
                "{place:?} {length}, {language}, {how}\n    {above}\n    {line}|{text}\n    {line}|{rest}"
            ));
        }
    }

    /// Prints the outcomes relative to `keys` in total, and some wrong suggestions.
    pub(crate) fn print(&self, keys: usize, examples: usize) {
        println!("{:<26}   net %   shown  exact %", "by place and characters");
        for ((place, length), tally) in &self.tallies {
            println!("{:<26} {}", format!("{place:?} {length}"), tally.row(keys));
        }
        let all: usize = self.wrong.values().map(Vec::len).sum();
        for wrong in self.wrong.values() {
            // As many of each kind as it has of the wrong ones.
            let count = (wrong.len() * examples).div_ceil(all.max(1));
            let every = (wrong.len() / count.max(1)).max(1);
            wrong.iter().step_by(every).take(count).for_each(|it| println!("{it}"));
        }
    }
}
