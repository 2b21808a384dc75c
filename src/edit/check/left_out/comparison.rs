//! A text and what a reply makes of it, compared once for all checks of what the reply leaves out.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use super::definitions::{Definition, all_definitions, declared, definitions, with_types};
use super::instruction::{Intent, asks_removal};
use super::mentions::{Asked, Form, Mentions, WordCounts};
use crate::document::Document;
use crate::edit::runs::{Run, has_word_chars, runs, visible};
use crate::edit::{Edit, edited, line};
use crate::grammar::QueryKind;
use crate::text::counts;

/// The text before some edits of a range and the text after them.
///
/// All that takes a walk over a text or a tree is computed at its first use.
pub(super) struct Comparison<'t> {
    pub(super) asked: Asked<'t>,
    pub(super) form: Form,
    pub(super) before: Version<'t>,
    pub(super) after: Version<'t>,
    /// Whether the range is the whole text.
    pub(super) is_whole: bool,
    /// Whether the text is in a language whose grammar knows definitions.
    pub(super) is_code: bool,
    pub(super) intent: Intent,
    runs: OnceCell<Vec<Run<'t>>>,
    mentions: OnceCell<Mentions<'t>>,
}

/// One of the two texts.
pub(super) struct Version<'t> {
    pub(super) text: &'t str,
    /// The bytes that the edits may change, or have changed.
    pub(super) range: Range<usize>,
    /// The old document.
    document: &'t Document,
    /// The edits that make this text of the old one.
    edits: &'t [Edit],
    /// The document with them.
    edited: OnceCell<Document>,
    lines: OnceCell<Vec<&'t str>>,
    starts: OnceCell<Vec<usize>>,
    imports: OnceCell<Vec<Range<usize>>>,
    words: OnceCell<WordCounts<'t>>,
    definitions: OnceCell<Vec<Definition>>,
    declared: OnceCell<HashSet<&'t str>>,
}

impl<'t> Comparison<'t> {
    /// Compares the text of a document with `after`, which is that text with `edits` of a range.
    pub(super) fn new(
        document: &'t Document,
        edits: &'t [Edit],
        range: &Range<usize>,
        [before, after]: [&'t str; 2],
        (asked, form): (Asked<'t>, Form),
    ) -> Self {
        let new_range = range.start..after.len() - (before.len() - range.end);
        let before = Version::new(before, range.clone(), document, &[]);
        let is_code = document.grammar().is_some_and(|grammar| !grammar.is_prose());
        Self {
            asked,
            form,
            is_whole: *range == (0..before.text.len()),
            is_code,
            intent: Intent::of(asked.instruction),
            before,
            after: Version::new(after, new_range, document, edits),
            runs: OnceCell::new(),
            mentions: OnceCell::new(),
        }
    }

    /// Whether the instruction asks for a change that removes definitions.
    pub(super) fn asks_removal(&self) -> bool {
        let instruction = self.asked.instruction;
        // Nearly always not, and then no definition has to be found.
        let may_ask = asks_removal(instruction, |_| false);
        if !may_ask || !self.is_code {
            return may_ask;
        }
        let names: HashSet<&str> = self.before.definitions().iter().map(|it| it.name.as_str()).collect();
        asks_removal(instruction, |word| names.contains(word))
    }

    /// The lines of the range that change.
    pub(super) fn runs(&self) -> &[Run<'t>] {
        self.runs.get_or_init(|| runs(self.before.lines(), self.after.lines()))
    }

    /// The new lines that are not in the place of an equal old line.
    pub(super) fn added(&self) -> impl Iterator<Item = &'t str> {
        self.runs().iter().flat_map(|run| &run.new).copied()
    }

    /// Whether an old line of a run is part of an import; a line of signs alone may be.
    pub(super) fn is_import(&self, run: &Run<'_>, at: usize) -> bool {
        let line = run.old[at];
        let start = self.before.starts().get(run.at + at).copied().unwrap_or_default();
        let imports = self.before.imports();
        let first = imports.partition_point(|it| it.end <= start);
        !has_word_chars(line) || imports.get(first).is_some_and(|it| it.start < start + line.len())
    }

    /// What the instruction and the reply's prose mention.
    pub(super) fn mentions(&self) -> &Mentions<'t> {
        self.mentions.get_or_init(|| Mentions::of(self.asked, self.after.part()))
    }
}

impl<'t> Version<'t> {
    fn new(text: &'t str, range: Range<usize>, document: &'t Document, edits: &'t [Edit]) -> Self {
        let (edited, lines, words) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        let (definitions, declared) = (OnceCell::new(), OnceCell::new());
        let (starts, imports) = (OnceCell::new(), OnceCell::new());
        Self { text, range, document, edits, edited, lines, starts, imports, words, definitions, declared }
    }

    pub(super) fn document(&self) -> &Document {
        match self.edits.is_empty() {
            true => self.document,
            false => self.edited.get_or_init(|| edited(self.document, self.edits)),
        }
    }

    /// The text of the range.
    pub(super) fn part(&self) -> &'t str {
        &self.text[self.range.clone()]
    }

    /// The non-blank lines of the range, trimmed.
    pub(super) fn lines(&self) -> &[&'t str] {
        self.lines.get_or_init(|| visible(self.part()))
    }

    /// Where each of those lines begins, behind its indentation.
    pub(super) fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| {
            let mut at = self.range.start;
            let lines = line::split_iter(self.part()).map(|line| {
                let start = at;
                at += line.len();
                (start + line::indent(line).len(), line)
            });
            lines.filter(|(_, line)| !line::is_blank(line)).map(|(start, _)| start).collect()
        })
    }

    /// The bytes of the imports in the range.
    fn imports(&self) -> &[Range<usize>] {
        self.imports.get_or_init(|| {
            let found = self.document().matches(QueryKind::Imports, self.range.clone());
            found.iter().map(|it| it.node.byte_range()).collect()
        })
    }

    /// The words of the whole text.
    pub(super) fn words(&self) -> &WordCounts<'t> {
        self.words.get_or_init(|| WordCounts::of(self.text))
    }

    /// The definitions in the range, with functions of one line.
    pub(super) fn all_definitions(&self) -> Vec<Definition> {
        all_definitions(self.document(), self.text, &self.range)
    }

    /// The definitions of several lines in the range.
    pub(super) fn definitions(&self) -> &[Definition] {
        self.definitions.get_or_init(|| definitions(self.document(), self.text, &self.range))
    }

    /// The functions in the range that are alone in their type with their name: both names, and the text.
    pub(super) fn functions(&self) -> Vec<([&str; 2], &'t str)> {
        let all = with_types(self.definitions()).filter(|(it, _)| it.is_callable());
        let all: Vec<_> =
            all.map(|(it, around)| ([around, it.name.as_str()], &self.text[it.span.clone()])).collect();
        let counts = counts(all.iter().map(|(names, _)| *names));
        all.into_iter().filter(|(names, _)| counts[names] == 1).collect()
    }

    /// The names that the whole text imports or defines.
    pub(super) fn declared(&self) -> &HashSet<&'t str> {
        self.declared.get_or_init(|| declared(self.document(), self.text, |_| true))
    }
}

/// Runs a check on the comparison of two texts of which all may have changed.
#[cfg(test)]
pub(super) fn compared<T>(
    language: &str,
    texts: [&str; 2],
    asked: Asked<'_>,
    check: impl FnOnce(&Comparison<'_>) -> T,
) -> T {
    compared_between(language, ["", ""], texts, asked, check)
}

/// Runs a check on the comparison of two texts of a range, with what is above and below it in the file.
#[cfg(test)]
pub(super) fn compared_between<T>(
    language: &str,
    [above, below]: [&str; 2],
    texts: [&str; 2],
    asked: Asked<'_>,
    check: impl FnOnce(&Comparison<'_>) -> T,
) -> T {
    use crate::document::DocumentId;
    let range = above.len()..above.len() + texts[0].len();
    let [before, after] = texts.map(|text| [above, text, below].concat());
    let document = Document::new(DocumentId::new(""), language, 0, &before);
    let edits = crate::edit::diff::minimal(&before, &after);
    check(&Comparison::new(&document, &edits, &range, [&before, &after], (asked, Form::Retyped)))
}
