//! The words, definitions and imports of a text, old or new.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::document::Document;
use crate::grammar::QueryKind;
use crate::text::ident;

/// What may ask for the removal of a definition.
#[derive(Clone, Copy)]
pub(in crate::edit) struct Asked<'a> {
    /// The instruction that the model was given; empty if unknown.
    pub(in crate::edit) instruction: &'a str,
    /// The whole reply, with its prose and the texts of other files.
    pub(in crate::edit) reply: &'a str,
}

/// The words of a text.
pub(super) struct WordCounts<'t> {
    counts: HashMap<&'t str, usize>,
    /// The words before a `=`, which can define them in a way that the queries do not match.
    pub(super) assigned: HashSet<&'t str>,
}

impl<'t> WordCounts<'t> {
    pub(super) fn of_words(all: impl IntoIterator<Item = &'t str>) -> Self {
        let mut counts = HashMap::new();
        all.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
        Self { counts, assigned: HashSet::new() }
    }

    pub(super) fn of(text: &'t str) -> Self {
        let mut words = Self { counts: HashMap::new(), assigned: HashSet::new() };
        for (end, word) in ident::words_with_dollars(text) {
            let word = word.trim_matches('$');
            *words.counts.entry(word).or_default() += 1;
            let behind = text[end..].trim_start();
            if behind.starts_with('=') && !behind.starts_with("==") {
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

/// The words of an instruction that it says must stay: behind "do not remove", "nothing may be deleted" or "keep", up to
/// the end of that part.
pub(super) fn kept_words(instruction: &str) -> impl Iterator<Item = &str> {
    const STEMS: [&str; 8] = ["chang", "delet", "drop", "los", "modif", "remov", "touch", "tidy"];
    const NEGATIONS: [&str; 8] = ["avoid", "cannot", "never", "no", "not", "nothing", "t", "without"];
    const MOST_BETWEEN: usize = 3;
    let parts = instruction.split([',', ';', ':', '\n']).flat_map(|part| part.split(". "));
    parts.flat_map(|part| {
        let words: Vec<&str> = ident::words(part).collect();
        let is_not = |at: usize| {
            let before = words[..at].iter().rev().take(MOST_BETWEEN).map(|it| it.to_lowercase());
            before.into_iter().any(|it| NEGATIONS.contains(&it.as_str()))
        };
        let is_said = |word: &str| STEMS.iter().any(|stem| word.to_lowercase().starts_with(stem));
        let first = (0..words.len()).find(|at| is_said(words[*at]) && is_not(*at));
        let keeping =
            words.iter().position(|it| matches!(it.to_lowercase().as_str(), "keep" | "preserve" | "retain"));
        let first = first.into_iter().chain(keeping).min().unwrap_or(words.len());
        words.into_iter().skip(first)
    })
}

/// A definition of more than one line that is not local to a function.
pub(in crate::edit) struct Definition {
    pub(in crate::edit) name: String,
    /// The kind by the language's query; all callables are functions.
    pub(in crate::edit) kind: &'static str,
    /// Its bytes.
    pub(in crate::edit) span: Range<usize>,
}

impl Definition {
    pub(in crate::edit) fn is_callable(&self) -> bool {
        self.kind == CALLABLE
    }
}

/// The kind of all callables.
const CALLABLE: &str = "function";

/// The definitions that lie within a range of a text.
pub(in crate::edit) fn definitions(document: &Document, text: &str, range: &Range<usize>) -> Vec<Definition> {
    let mut found = Vec::new();
    // The end of the last function; definitions before it are local to it.
    let mut end_of_function = 0;
    for it in document.matches(QueryKind::Definitions, range.clone()) {
        let (Some(name), span) = (it.name, it.node.byte_range()) else { continue };
        let is_inside = range.start <= span.start && span.end <= range.end;
        if !is_inside || span.start < end_of_function || !text[span.clone()].contains('\n') {
            continue;
        }
        let is_callable = matches!(it.kind, "function" | "method" | "macro");
        if is_callable {
            end_of_function = span.end;
        }
        // A Rust implementation is named by a type, which may have arguments.
        let name = ident::words(&text[name.byte_range()]).next().unwrap_or_default().to_owned();
        found.push(Definition { name, kind: if is_callable { CALLABLE } else { it.kind }, span });
    }
    found
}

/// The names that a text imports, and those that it defines by definitions of some kinds, as often as it does.
pub(super) fn declarations<'t>(
    document: &Document,
    text: &'t str,
    is_of_kind: impl Fn(&str) -> bool,
) -> Vec<&'t str> {
    let mut all = document.matches(QueryKind::Definitions, 0..text.len());
    all.retain(|it| is_of_kind(it.kind));
    let all = all.into_iter().chain(document.matches(QueryKind::Imports, 0..text.len()));
    all.flat_map(|it| ident::words(&text[it.identifying_node().byte_range()])).collect()
}

/// Those names, each once.
pub(super) fn declared<'t>(
    document: &Document,
    text: &'t str,
    is_of_kind: impl Fn(&str) -> bool,
) -> HashSet<&'t str> {
    declarations(document, text, is_of_kind).into_iter().collect()
}
