//! The text that blocks are placed in, with its lines indexed for each level of tolerance.

mod anchors;
mod write;

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use super::word_index::Words;
use super::{Level, confusables};
use crate::edit::reply::block::{Block, Line};
use crate::edit::{Edit, Refusal, line};
use crate::grammar::Grammar;

/// The most comparisons of short lines that all blocks of a reply may take together.
///
/// One takes some ten nanoseconds; sound replies take a hundredth of this.
const MOST_WORK: usize = 20_000_000;
/// As many bytes are compared, or searched, at the cost of one comparison of lines.
const BYTES_A_UNIT: usize = 64;
/// From this many searches for a part of a line on, an index of the text's words pays.
const FEW_SEARCHES: usize = 3;

/// A text to change.
pub(crate) struct FileText<'a> {
    pub(crate) text: &'a str,
    /// The lines with their ends; a byte-order mark is not part of the first.
    pub(crate) lines: Vec<&'a str>,
    pub(crate) grammar: Option<&'a Grammar>,
    /// The asked range, in lines from 0.
    range: Option<Range<usize>>,
    /// Where each line starts (bytes), and where the last one ends.
    starts: Vec<usize>,
    ending: &'static str,
    keys: [OnceCell<Keys<'a>>; 4],
    words: OnceCell<Words>,
    /// How often a part of a line was looked for.
    searches: Cell<usize>,
    /// What has been compared so far, in comparisons of short lines.
    work: Cell<usize>,
    most_work: usize,
}

/// What the lines are compared by at one level.
struct Keys<'a> {
    of: Vec<Cow<'a, str>>,
    index: HashMap<Cow<'a, str>, Vec<u32>>,
}

impl<'a> FileText<'a> {
    /// Takes a text; `range` are the bytes that were asked about.
    pub(crate) fn new(text: &'a str, range: Option<&Range<usize>>, grammar: Option<&'a Grammar>) -> Self {
        let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let lines = line::split(&text[mark..]);
        let mut at = mark;
        let mut starts = Vec::with_capacity(lines.len() + 1);
        for line in &lines {
            starts.push(at);
            at += line.len();
        }
        starts.push(at);
        let ending = line::usual_of(lines.iter().copied());
        let mut target = Self {
            text,
            lines,
            grammar,
            range: None,
            starts,
            ending,
            keys: [const { OnceCell::new() }; 4],
            words: OnceCell::new(),
            searches: Cell::new(0),
            work: Cell::new(0),
            most_work: MOST_WORK,
        };
        target.range = range.map(|range| target.line_at(range.start)..target.line_after(range.end));
        target
    }

    /// Counts work that is about to be done.
    ///
    /// False once it is more than any sound reply takes: then nothing is found any more, and
    /// [`FileText::exhausted`] says why.
    pub(super) fn charge(&self, units: usize) -> bool {
        self.work.set(self.work.get().saturating_add(units));
        self.work.get() <= self.most_work
    }

    /// The same text, with less patience.
    #[cfg(test)]
    pub(super) fn with_most_work(self, most_work: usize) -> Self {
        Self { most_work, ..self }
    }

    /// What has been compared so far.
    #[cfg(test)]
    pub(super) fn work(&self) -> usize {
        self.work.get()
    }

    /// The refusal of a reply that takes too much work to place.
    pub(super) fn exhausted(&self) -> Option<Refusal> {
        let what = "placing the reply takes more comparisons of lines";
        (self.work.get() > self.most_work).then_some(Refusal::TooLarge { what, limit: self.most_work })
    }

    /// All places, apart from each other, of a text that may be a part of a line.
    pub(super) fn find_text(&self, wanted: &str) -> Vec<usize> {
        let all = || -> Vec<usize> {
            if !self.charge(self.text.len() / BYTES_A_UNIT) {
                return Vec::new();
            }
            memmem::find_iter(self.text.as_bytes(), wanted).collect()
        };
        self.searches.set(self.searches.get() + 1);
        if self.searches.get() <= FEW_SEARCHES || u32::try_from(self.text.len()).is_err() {
            return all();
        }
        let words = self.words.get_or_init(|| Words::of(self.text));
        match words.places(wanted) {
            // Many places to compare take longer than a search of the whole.
            Some(places) if places.count * BYTES_A_UNIT < self.text.len() => {
                if self.charge(places.count) {
                    words.find(self.text, wanted, places)
                } else {
                    Vec::new()
                }
            }
            _ => all(),
        }
    }

    /// The number of the line that a byte is in, from 0.
    pub(crate) fn line_at(&self, byte: usize) -> usize {
        self.starts[..self.lines.len()].partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// The number of the first line that starts at a byte or after it.
    fn line_after(&self, byte: usize) -> usize {
        self.starts[..self.lines.len()].partition_point(|start| *start < byte)
    }

    /// Whether these lines lie in the range that was asked about.
    pub(crate) fn in_range(&self, first: usize, end: usize) -> bool {
        self.range.as_ref().is_some_and(|range| range.start <= first && end <= range.end)
    }

    /// Gives a text this file's usual line ends.
    pub(crate) fn with_own_ends(&self, text: &str) -> String {
        with_ends(text, self.ending)
    }

    /// Gives a text the end of the line that the byte `at` is in.
    pub(crate) fn with_ends_at(&self, text: &str, at: usize) -> String {
        let here = self.line_at(at);
        with_ends(text, line::ending_for(&self.lines, &(here..here + 1), 0).unwrap_or(self.ending))
    }

    /// All places where the old lines stand one after the other.
    ///
    /// They are the numbers of their first lines.
    pub(crate) fn find(&self, level: Level, lines: &[Line]) -> Vec<usize> {
        self.find_but(level, lines, None)
    }

    /// The same, where the old line with a number may be any line.
    pub(crate) fn find_but(&self, level: Level, lines: &[Line], any: Option<usize>) -> Vec<usize> {
        let mut old: Vec<Wanted<'_>> =
            lines.iter().filter(|line| line.is_old()).map(|line| Wanted::new(level, line)).collect();
        if let Some(wanted) = any.and_then(|any| old.get_mut(any)) {
            wanted.any = true;
        }
        let keys = self.keys(level);
        let places = |key: &str| keys.index.get(key).map_or(&[][..], Vec::as_slice);
        // The rarest line leaves the fewest places to look at.
        let rarest = old
            .iter()
            .enumerate()
            .filter(|(_, wanted)| !wanted.any)
            .map(|(offset, wanted)| {
                let raw = wanted.raw.as_deref().filter(|raw| *raw != wanted.key);
                (offset, places(&wanted.key), raw.map_or(&[][..], places))
            })
            .min_by_key(|(_, places, raw)| places.len() + raw.len());
        let Some((offset, places, raw)) = rarest else {
            return Vec::new();
        };
        let mut found: Vec<usize> = places
            .iter()
            .chain(raw)
            .filter_map(|at| (*at as usize).checked_sub(offset))
            .take_while(|_| self.exhausted().is_none())
            .filter(|start| self.stand(keys, &old, *start))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Indexes the lines for the strictest level ahead of the first search.
    pub(crate) fn prepare(&self) {
        self.keys(Level::Exact);
    }

    /// Whether the old lines stand at one place.
    pub(crate) fn matches(&self, level: Level, lines: &[Line], start: usize) -> bool {
        let old: Vec<Wanted<'_>> =
            lines.iter().filter(|line| line.is_old()).map(|line| Wanted::new(level, line)).collect();
        self.stand(self.keys(level), &old, start)
    }

    /// Whether lines stand at a place, compared at the cost of what has to be looked at.
    fn stand(&self, keys: &Keys<'_>, old: &[Wanted<'_>], start: usize) -> bool {
        let Some(lines) = keys.of.get(start..start + old.len()) else { return false };
        let mut units = 1;
        let same = lines.iter().zip(old).all(|(line, wanted)| {
            units += 1 + line.len() / BYTES_A_UNIT;
            wanted.any || *line == wanted.key || wanted.raw.as_ref() == Some(line)
        });
        self.charge(units) && same
    }

    /// Whether some line of the file says the same, blanks aside.
    pub(crate) fn has_line(&self, text: &str) -> bool {
        self.keys(Level::Indentation).index.contains_key(&key(Level::Indentation, text))
    }

    /// Whether there is nothing but blank lines from a line on.
    pub(crate) fn only_blank_from(&self, line: usize) -> bool {
        self.lines.get(line..).is_none_or(|rest| rest.iter().all(|line| line::is_blank(line)))
    }

    /// The refusal for a block whose old lines are not here.
    pub(crate) fn not_found(&self, block: &Block, lines: &[Line]) -> Refusal {
        if !self.charge(self.lines.len()) {
            return Refusal::NotFound {
                block: block.number,
                wanted: String::new(),
                after: None,
                nearest: None,
            };
        }
        let missing = |line: &&Line| !line::is_blank(&line.text) && !self.has_line(&line.text);
        let mut old = lines.iter().filter(|line| line.is_old());
        if old.clone().find(missing).is_none()
            && let Some((wanted, after)) = self.misfit(old.clone())
        {
            return Refusal::NotFound { block: block.number, wanted, after: Some(after), nearest: None };
        }
        let wanted = old.clone().find(missing).or_else(|| old.find(|line| !line::is_blank(&line.text)));
        let wanted = wanted.map_or("", |line| line.text.trim());
        let likeness = |line: &str| {
            let prefix = wanted.bytes().zip(line.bytes()).take_while(|(a, b)| a == b).count();
            let suffix = wanted.bytes().rev().zip(line.bytes().rev()).take_while(|(a, b)| a == b).count();
            (prefix + suffix).min(wanted.len())
        };
        let nearest = self
            .lines
            .iter()
            .enumerate()
            .map(|(number, line)| (likeness(line.trim()), number))
            .filter(|(likeness, _)| likeness * 2 > wanted.len())
            .max_by_key(|(likeness, number)| (*likeness, usize::MAX - number))
            .map(|(_, number)| (number + 1, self.lines[number].trim().to_owned()));
        Refusal::NotFound { block: block.number, wanted: wanted.to_owned(), after: None, nearest }
    }

    /// Of lines that do not stand together, the first that does not follow those before it where most of them
    /// do, and the number of the line that it would have to follow, from 1. Blank lines do not count.
    fn misfit<'l>(&self, old: impl Iterator<Item = &'l Line>) -> Option<(String, usize)> {
        let old: Vec<&Line> = old.filter(|line| !line::is_blank(&line.text)).collect();
        let keys = self.keys(Level::Indentation);
        let wanted: Vec<Cow<'_, str>> = old.iter().map(|line| key(Level::Indentation, &line.text)).collect();
        let mut best: Option<(usize, usize)> = None;
        for start in keys.index.get(wanted.first()?)? {
            let mut last = *start as usize;
            let mut fits = 1;
            let below = keys.of.iter().enumerate().skip(last + 1).filter(|(_, key)| !line::is_blank(key));
            for ((number, found), wanted) in below.zip(&wanted[1..]) {
                if !self.charge(1) || found != wanted {
                    break;
                }
                (fits, last) = (fits + 1, number);
            }
            if best.is_none_or(|(most, _)| fits > most) {
                best = Some((fits, last));
            }
        }
        let (fits, last) = best?;
        Some((old.get(fits)?.text.trim().to_owned(), last + 1))
    }

    /// The line that would stand twice in a row after a run of whole lines is replaced.
    ///
    /// The last new line is as the next one, or the first as the one above.
    pub(crate) fn doubled_line<'e>(&self, run: &'e Edit) -> Option<&'e str> {
        let after = line::split_iter(&self.text[run.span.end..]).next().map(line::body);
        let before = line::last(&self.text[..run.span.start], 1).last().copied().map(line::body);
        let first = line::split_iter(&run.text).next().map(line::body);
        let last = line::split_iter(&run.text).last().map(line::body);
        let twice = |new: Option<&'e str>, old: Option<&str>| {
            new.filter(|new| !line::is_blank(new) && Some(*new) == old)
        };
        twice(last, after).or_else(|| twice(first, before))
    }

    fn keys(&self, level: Level) -> &Keys<'a> {
        self.keys[(level as usize).min(3)].get_or_init(|| {
            let of: Vec<Cow<'a, str>> = self.lines.iter().map(|line| key(level, line)).collect();
            let mut index: HashMap<Cow<'a, str>, Vec<u32>> = HashMap::with_capacity(of.len());
            for (number, key) in of.iter().enumerate() {
                index.entry(key.clone()).or_default().push(number as u32);
            }
            Keys { of, index }
        })
    }
}

fn with_ends(text: &str, ending: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in line::split_iter(text) {
        result.push_str(line::body(line));
        result.push_str(if line::ending(line).is_empty() { "" } else { ending });
    }
    result
}

/// A line to look for.
struct Wanted<'l> {
    key: Cow<'l, str>,
    raw: Option<Cow<'l, str>>,
    /// Whether any line will do.
    any: bool,
}

impl<'l> Wanted<'l> {
    fn new(level: Level, line: &'l Line) -> Self {
        let raw = line.raw.as_deref().map(|raw| key(level, raw));
        Self { key: key(level, &line.text), raw, any: false }
    }
}

/// What of a line is compared at a level.
pub(crate) fn key(level: Level, text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match level {
        Level::Exact => Cow::Borrowed(line::body(text)),
        Level::TrailingBlanks => Cow::Borrowed(text.trim_end()),
        Level::Folded => trimmed_end(confusables::fold(text)),
        _ => match confusables::fold(text) {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
        },
    }
}

fn trimmed_end(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_end()),
        Cow::Owned(mut text) => {
            text.truncate(text.trim_end().len());
            Cow::Owned(text)
        }
    }
}
