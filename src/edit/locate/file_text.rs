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
use crate::budget::{self, Budget};
use crate::edit::parse::block::{Block, Line};
use crate::edit::{Edit, Refusal, line};
use crate::grammar::Grammar;
use crate::text::occurrences::occurrences;

/// The base of the budget for placing all blocks of a reply, in units of work.
///
/// Sound replies take a hundredth of the budget.
const LEAST_WORK: usize = 2_000_000;
/// The units of work added to the budget for each line of the file.
const WORK_A_LINE: usize = 100;
/// The number of bytes that are compared or searched at the cost of one comparison of lines.
const BYTES_A_UNIT: usize = 64;
/// The most occurrences of the first line that are compared to find the first line that does not match.
const MOST_NEAR_PLACES: usize = 20;
/// The number of searches for a part of a line above which an index of the text's words pays off.
const FEW_SEARCHES: usize = 3;

/// The text to change.
pub(crate) struct FileText<'a> {
    pub(crate) text: &'a str,
    /// The lines with their ends; a byte-order mark is not part of the first.
    pub(crate) lines: Vec<&'a str>,
    pub(crate) grammar: Option<&'a Grammar>,
    /// The requested range, in line numbers from 0.
    range: Option<Range<usize>>,
    /// The byte offset where each line starts, and where the last one ends.
    starts: Vec<usize>,
    ending: &'static str,
    /// The number of the first blank line at the end of the file.
    blank_from: usize,
    keys: [OnceCell<Keys<'a>>; 4],
    words: OnceCell<Words>,
    /// The number of searches for a part of a line so far.
    searches: Cell<usize>,
    /// The budget for placing blocks in the text.
    pub(super) budget: Budget,
}

/// The keys by which lines are compared at one level.
struct Keys<'a> {
    /// The key number of each line: equal keys have equal numbers.
    of: Vec<u32>,
    numbers: HashMap<Cow<'a, str>, u32>,
    /// The lines with each key.
    places: Vec<Vec<u32>>,
    /// The key number of blank lines, if there are any.
    blank: Option<u32>,
}

impl<'a> FileText<'a> {
    /// Creates the target for a text; `range` is the requested byte range.
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
        let blank_from = lines.iter().rposition(|line| !line::is_blank(line)).map_or(0, |last| last + 1);
        let ending = line::usual_of(lines.iter().copied());
        let mut target = Self {
            text,
            lines,
            grammar,
            range: None,
            starts,
            ending,
            blank_from,
            keys: [const { OnceCell::new() }; 4],
            words: OnceCell::new(),
            searches: Cell::new(0),
            budget: Budget::default(),
        };
        target.budget = Budget::new(LEAST_WORK + WORK_A_LINE * target.lines.len());
        target.range = range.map(|range| target.line_at(range.start)..target.line_after(range.end));
        target
    }

    /// The same text, with a smaller work budget.
    #[cfg(test)]
    pub(super) fn with_most_work(self, units: usize) -> Self {
        Self { budget: Budget::new(units), ..self }
    }

    /// All non-overlapping occurrences of a text, which may be part of a line.
    pub(super) fn find_text(&self, wanted: &str) -> Vec<usize> {
        let all = || -> Vec<usize> {
            budget::charge(self.text.len() / BYTES_A_UNIT);
            memmem::find_iter(self.text.as_bytes(), wanted).collect()
        };
        self.searches.set(self.searches.get() + 1);
        if self.searches.get() <= FEW_SEARCHES || u32::try_from(self.text.len()).is_err() {
            return all();
        }
        let words = self.words.get_or_init(|| Words::of(self.text));
        match words.places(wanted) {
            // Comparing many candidates takes longer than a search of the whole text.
            Some(places) if places.count * BYTES_A_UNIT < self.text.len() => {
                budget::charge(places.count);
                words.find(self.text, wanted, places)
            }
            _ => all(),
        }
    }

    /// The parts of a byte's line before the byte, and from it on.
    pub(super) fn line_around(&self, byte: usize) -> (&'a str, &'a str) {
        let at = self.line_at(byte);
        let Some((start, line)) = self.starts.get(at).zip(self.lines.get(at)) else { return ("", "") };
        let (before, behind) = line.split_at_checked(byte.saturating_sub(*start)).unwrap_or_default();
        // The end of the text may be the beginning of a line.
        if before.ends_with(['\n', '\r']) { ("", behind) } else { (before, behind) }
    }

    /// The number of the line that a byte is in, from 0.
    pub(crate) fn line_at(&self, byte: usize) -> usize {
        self.starts[..self.lines.len()].partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// The number of the first line that starts at a byte or after it.
    fn line_after(&self, byte: usize) -> usize {
        self.starts[..self.lines.len()].partition_point(|start| *start < byte)
    }

    /// Whether these lines lie in the requested range.
    pub(crate) fn in_range(&self, first: usize, end: usize) -> bool {
        self.range.as_ref().is_some_and(|range| range.start <= first && end <= range.end)
    }

    /// Converts a text to this file's usual line endings.
    pub(crate) fn with_own_ends(&self, text: &str) -> String {
        line::with_endings(text, self.ending)
    }

    /// Converts a text to the ending of the line that contains the byte `at`.
    pub(crate) fn with_ends_at(&self, text: &str, at: usize) -> String {
        let here = self.line_at(at);
        line::with_endings(text, line::ending_for(&self.lines, &(here..here + 1), 0).unwrap_or(self.ending))
    }

    /// All positions where the old lines match consecutively.
    ///
    /// Each is the number of the first matching line.
    pub(crate) fn find(&self, level: Level, lines: &[Line]) -> Vec<usize> {
        self.find_but(level, lines, None)
    }

    /// The same, where the old line with the number `any` matches every line.
    pub(crate) fn find_but(&self, level: Level, lines: &[Line], any: Option<usize>) -> Vec<usize> {
        let keys = self.keys(level);
        let Some(old) = keys.wanted(level, lines, any) else { return Vec::new() };
        // The rarest line leaves the fewest candidates to compare.
        let count = |wanted: &Wanted| wanted.keys().map(|key| keys.places[key as usize].len()).sum::<usize>();
        let certain = old.iter().enumerate().filter(|(_, wanted)| !wanted.is_any());
        let Some((offset, rarest)) = certain.min_by_key(|(_, wanted)| count(wanted)) else {
            return Vec::new();
        };
        budget::charge(old.len());
        if count(rarest) * old.len() > self.lines.len()
            && let Some(only) = old.iter().map(Wanted::only).collect::<Option<Vec<u32>>>()
        {
            budget::charge(self.lines.len() + old.len());
            return occurrences(&keys.of, &only);
        }
        let places = rarest.keys().flat_map(|key| &keys.places[key as usize]);
        let mut found: Vec<usize> = places
            .filter_map(|at| (*at as usize).checked_sub(offset))
            .filter(|start| keys.stand(&old, *start))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Indexes the lines for the strictest level ahead of the first search.
    pub(crate) fn prepare(&self) {
        self.keys(Level::Exact);
    }

    /// Whether the old lines match at one position.
    pub(crate) fn matches(&self, level: Level, lines: &[Line], start: usize) -> bool {
        let keys = self.keys(level);
        keys.wanted(level, lines, None).is_some_and(|old| keys.stand(&old, start))
    }

    /// Whether the file has a line, regardless of whitespace around it and of look-alike characters.
    pub(crate) fn has_line(&self, text: &str) -> bool {
        self.keys(Level::Indentation).numbers.contains_key(&key(Level::Indentation, text))
    }

    /// Whether all lines from a line on are blank.
    pub(crate) fn only_blank_from(&self, line: usize) -> bool {
        line >= self.blank_from
    }

    /// The refusal for a block whose old lines are not in the file.
    pub(crate) fn not_found(&self, block: &Block, lines: &[Line]) -> Refusal {
        budget::charge(self.lines.len());
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

    /// Returns the first line that does not follow those before it, where most of them match, and the number of
    /// the line that it would have to follow, from 1. Blank lines do not count.
    fn misfit<'l>(&self, old: impl Iterator<Item = &'l Line>) -> Option<(String, usize)> {
        let old: Vec<&Line> = old.filter(|line| !line::is_blank(&line.text)).collect();
        let keys = self.keys(Level::Indentation);
        let number = |line: &&Line| keys.numbers.get(&key(Level::Indentation, &line.text)).copied();
        let wanted: Vec<Option<u32>> = old.iter().map(number).collect();
        let mut best: Option<(usize, usize)> = None;
        for start in keys.places[(*wanted.first()?)? as usize].iter().take(MOST_NEAR_PLACES) {
            let mut last = *start as usize;
            let mut fits = 1;
            let below =
                keys.of.iter().enumerate().skip(last + 1).filter(|(_, key)| keys.blank != Some(**key));
            for ((number, found), wanted) in below.zip(&wanted[1..]) {
                budget::charge(1);
                if *wanted != Some(*found) {
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

    /// The line that would appear twice in a row after a run of whole lines is replaced.
    ///
    /// The last new line equals the next one, or the first equals the one above.
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
            let mut numbers = HashMap::with_capacity(self.lines.len());
            let mut places: Vec<Vec<u32>> = Vec::new();
            let mut number = |(at, line): (usize, &&'a str)| {
                let number = *numbers.entry(key(level, line)).or_insert(places.len() as u32);
                if number as usize == places.len() {
                    places.push(Vec::new());
                }
                places[number as usize].push(at as u32);
                number
            };
            let of = self.lines.iter().enumerate().map(&mut number).collect();
            let blank = numbers.get("").copied();
            Keys { of, numbers, places, blank }
        })
    }
}

impl Keys<'_> {
    /// The keys of the old lines; `None` if one of them is nowhere in the file. The line with the number `any`
    /// matches every line.
    fn wanted(&self, level: Level, lines: &[Line], any: Option<usize>) -> Option<Vec<Wanted>> {
        let number = |text: &str| self.numbers.get(&key(level, text)).copied();
        let wanted = |(at, line): (usize, &Line)| {
            if any == Some(at) {
                return Some(Wanted::default());
            }
            let (text, raw) = (number(&line.text), line.raw.as_deref().and_then(number));
            let other = raw.filter(|raw| text.is_some_and(|text| text != *raw));
            Some(Wanted { key: Some(text.or(raw)?), other })
        };
        lines.iter().filter(|line| line.is_old()).enumerate().map(wanted).collect()
    }

    /// Whether lines match at a position.
    fn stand(&self, old: &[Wanted], start: usize) -> bool {
        let Some(lines) = self.of.get(start..start + old.len()) else { return false };
        let fitting = lines.iter().zip(old).take_while(|(line, wanted)| wanted.is(**line)).count();
        budget::charge(1 + fitting);
        fitting == old.len()
    }
}

/// A line to search for: the numbers of its key, and of its key with the mark before it. One without a number
/// matches every line.
#[derive(Default)]
struct Wanted {
    key: Option<u32>,
    other: Option<u32>,
}

impl Wanted {
    fn keys(&self) -> impl Iterator<Item = u32> {
        self.key.into_iter().chain(self.other)
    }

    fn is_any(&self) -> bool {
        self.key.is_none()
    }

    fn is(&self, key: u32) -> bool {
        self.is_any() || self.keys().any(|it| it == key)
    }

    fn only(&self) -> Option<u32> {
        self.key.filter(|_| self.other.is_none())
    }
}

/// The key by which a line is compared at a level.
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
