//! The text that blocks are placed in, with its lines indexed for each level of tolerance.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use super::word_index::Words;
use super::{Level, confusables};
use crate::edit::reply::block::{Block, Line, Role};
use crate::edit::{Edit, Refusal, diff, line};
use crate::grammar::Grammar;

/// The most comparisons of short lines that all blocks of a reply may take together. One takes some ten
/// nanoseconds; sound replies take a hundredth of this.
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

    /// Counts work that is about to be done. False once it is more than any sound reply takes: then nothing
    /// is found any more, and [`FileText::exhausted`] says why.
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

    /// All places, as numbers of their first lines, where the old lines stand one after the other.
    pub(crate) fn find(&self, level: Level, lines: &[Line]) -> Vec<usize> {
        let old: Vec<Wanted<'_>> =
            lines.iter().filter(|line| line.is_old()).map(|line| Wanted::new(level, line)).collect();
        let keys = self.keys(level);
        let places = |key: &str| keys.index.get(key).map_or(&[][..], Vec::as_slice);
        // The rarest line leaves the fewest places to look at.
        let rarest = old
            .iter()
            .enumerate()
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
            *line == wanted.key || wanted.raw.as_ref() == Some(line)
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

    /// The one of `places` that lies in a definition which stands in the file once. Where several do, or
    /// where it has no body that shows its end, the definition tells nothing of which is meant: git names the
    /// same one above each of them.
    pub(crate) fn only_inside(&self, anchors: &[String], places: &[usize]) -> Option<usize> {
        let anchor = self.definition(anchors).filter(|at| self.has_body(*at))?;
        let depth = line::indent(self.lines[anchor]).len();
        let ends = |line: &&str| {
            let text = line.trim();
            !text.is_empty()
                && line::indent(line).len() <= depth
                && !text.starts_with(['{', ')', ']', '(', '#', '@'])
        };
        let end =
            self.lines[anchor + 1..].iter().position(ends).map_or(self.lines.len(), |at| anchor + 1 + at);
        let mut inside = places.iter().filter(|place| (anchor..=end).contains(*place));
        inside.next().filter(|_| inside.next().is_none()).copied()
    }

    /// The definition that anchors name, if it stands in the file once, has a body, and begins at line `end`
    /// or below.
    pub(super) fn defined_behind(&self, anchors: &[String], end: usize) -> Option<&'a str> {
        let named = anchors.last()?.trim();
        let at = self.definition(anchors).filter(|at| *at >= end)?;
        let line = self.lines[at].trim();
        (self.has_body(at) && line.starts_with(named)).then_some(line)
    }

    /// Whether what follows a line is indented below it, or in braces.
    fn has_body(&self, at: usize) -> bool {
        let first = self.lines[at + 1..].iter().find(|line| !line::is_blank(line));
        first.is_some_and(|first| {
            line::indent(first).len() > line::indent(self.lines[at]).len()
                || first.trim_start().starts_with('{')
        })
    }

    /// The first line of the body of the definition that anchors name, if lines can come there that name no
    /// line of it: the definition's one line opens the body, they are indented as it is, and nothing there
    /// has to come first.
    pub(super) fn body_of(&self, anchors: &[String], added: &[String]) -> Option<usize> {
        const FIRST: [&str; 5] = ["\"", "'", "#!", "//!", "r\""];
        let named = anchors.last()?.trim();
        let at = self.definition(anchors)?;
        let line = self.lines[at];
        let (first, opens) = (self.lines.get(at + 1)?, line.trim().ends_with(['{', ':']));
        let depth = line::indent(first).len();
        let fits =
            |line: &String| line::is_blank(line) || line::indent(line).starts_with(line::indent(first));
        let begins = added.first().is_some_and(|line| line::indent(line) == line::indent(first));
        let comes_first = FIRST.iter().any(|sign| first.trim().starts_with(sign));
        let sound = opens && line.trim().starts_with(named) && depth > line::indent(line).len();
        (sound && begins && added.iter().all(fits) && !comes_first).then_some(at + 1)
    }

    /// The line of the definition that anchors name, outermost first, if each of them stands in the file
    /// once.
    fn definition(&self, anchors: &[String]) -> Option<usize> {
        let mut after = 0;
        let mut anchor = None;
        for wanted in anchors {
            if !self.charge(self.lines.len()) {
                return None;
            }
            let wanted = wanted.trim();
            let tests: [fn(&str, &str) -> bool; 3] = [
                |line, wanted| line == wanted,
                |line, wanted| line.starts_with(wanted),
                |line, wanted| line.contains(wanted),
            ];
            let found = tests.iter().find_map(|test| {
                let mut hits = (after..self.lines.len()).filter(|&at| test(self.lines[at].trim(), wanted));
                let first = hits.next()?;
                Some(hits.next().is_none().then_some(first))
            })??;
            anchor = Some(found);
            after = found;
        }
        anchor
    }

    /// The refusal for a block whose old lines are not here.
    pub(crate) fn not_found(&self, block: &Block, lines: &[Line]) -> Refusal {
        if !self.charge(self.lines.len()) {
            return Refusal::NotFound { block: block.number, wanted: String::new(), nearest: None };
        }
        let missing = |line: &&Line| !line::is_blank(&line.text) && !self.has_line(&line.text);
        let mut old = lines.iter().filter(|line| line.is_old());
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
        Refusal::NotFound { block: block.number, wanted: wanted.to_owned(), nearest }
    }

    /// Writes down a block's change, given the file's line for each old line and the spelling of each added
    /// one.
    pub(crate) fn edits(
        &self,
        lines: &[Line],
        at: &[usize],
        added: Vec<String>,
        final_newline: Option<bool>,
    ) -> Vec<Edit> {
        let mut edits = Vec::new();
        let (mut at, mut added) = (at.iter().copied().peekable(), added.into_iter());
        let mut next = at.peek().copied().unwrap_or(0);
        // One run of lines that go and come between lines that stay.
        let mut run: Option<Range<usize>> = None;
        let mut coming = Vec::new();
        for line in lines {
            match line.role {
                Role::Add => coming.extend(added.next()),
                Role::Keep | Role::Delete => {
                    let Some(here) = at.next() else { break };
                    let delete = line.role == Role::Delete;
                    let joins = run.as_ref().is_none_or(|run| run.end == here);
                    if !delete || !joins {
                        let place = run.take().unwrap_or(next..next);
                        edits.extend(self.replace_lines(place, std::mem::take(&mut coming), final_newline));
                    }
                    if delete {
                        run = Some(run.map_or(here, |run| run.start)..here + 1);
                    }
                    next = here + 1;
                }
            }
        }
        edits.extend(self.replace_lines(run.unwrap_or(next..next), coming, final_newline));
        edits
    }

    /// Replaces whole lines. The file keeps ending the way it did, unless the reply says otherwise.
    pub(crate) fn replace_lines(
        &self,
        place: Range<usize>,
        added: Vec<String>,
        final_newline: Option<bool>,
    ) -> Option<Edit> {
        if place.is_empty() && added.is_empty() {
            return None;
        }
        let mut span = self.starts[place.start]..self.starts[place.end];
        let mut text = String::new();
        let at_end = place.end == self.lines.len();
        let unterminated = |line: &&str| line::ending(line).is_empty();
        if at_end && place.is_empty() && self.lines.last().is_some_and(unterminated) {
            text.push_str(line::ending_for(&self.lines, &place, 0).unwrap_or(self.ending));
        }
        for (number, line) in added.iter().enumerate() {
            // A byte-order mark stands before the file's first line, and is no part of any.
            text.push_str(line.trim_start_matches('\u{feff}'));
            text.push_str(line::ending_for(&self.lines, &place, number).unwrap_or(self.ending));
        }
        if at_end && !self.lines.is_empty() {
            let ended = self.lines.last().is_some_and(|line| !unterminated(line));
            if !final_newline.unwrap_or(ended) {
                if added.is_empty() && !ended {
                    // The last lines go: the one before them becomes the unfinished last one.
                    let before = &self.text[..span.start];
                    span.start -= before.len()
                        - before
                            .strip_suffix("\r\n")
                            .map_or(before.strip_suffix(['\n', '\r']).unwrap_or(before).len(), str::len);
                } else {
                    text.truncate(line::body(&text).len());
                }
            }
        }
        Some(Edit::new(span, text))
    }

    /// The smallest edits that do what an edit of this text does.
    pub(crate) fn narrow(&self, edit: &Edit) -> Vec<Edit> {
        let mut edits = diff::minimal(&self.text[edit.span.clone()], &edit.text);
        for small in &mut edits {
            small.span = small.span.start + edit.span.start..small.span.end + edit.span.start;
        }
        edits
    }

    /// The line that would stand twice in a row after a run of whole lines is replaced: the last new line as
    /// the next one, or the first as the one above.
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
}

impl<'l> Wanted<'l> {
    fn new(level: Level, line: &'l Line) -> Self {
        Self { key: key(level, &line.text), raw: line.raw.as_deref().map(|raw| key(level, raw)) }
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
