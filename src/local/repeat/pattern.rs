//! Lines that were rewritten twice in the same way: the places that are left, here and in other files.
//!
//! `for i := 0; i < n; i++ {` became `for i := range n {`, and `for j := …` as well. The words that came and went are
//! the same in both. What stands between them may differ from place to place, where it did so between these two, and is
//! kept. What is nearest around the changes has to be as it was at both.
//!
//! Blanks do not count, and indentation is that of the place.

use std::ops::Range;

use similar::DiffTag;

use super::change::Done;
use super::place::onward;
use crate::edit::{Edit, diff};
use crate::local::limits::{
    HOLE_TOKENS, MATCH_STEPS, NEIGHBOR_TOKENS_ALIKE, OTHER_FILE_TOKENS, PATTERN_TOKENS, PIN_BYTES,
    SAME_LINES, STEPS_PER_TOKEN, TYPE_PLACES,
};
use crate::local::words::{Kind, is_telling, tokens};

/// What the steps show of how lines are rewritten.
#[derive(Debug)]
pub(super) struct Patterns {
    examples: Vec<Example>,
    /// How many steps there are.
    steps: usize,
}

impl Patterns {
    /// Compares the lines before and after each step, oldest step first.
    pub(super) fn of(steps: &[Done<'_>]) -> Self {
        Self { examples: steps.iter().enumerate().flat_map(examples).collect(), steps: steps.len() }
    }

    /// The edits that rewrite other places of a text as the last step did, and one before it.
    ///
    /// `is_other`: the steps were made in other files.
    pub(super) fn find(&self, text: &str, is_other: bool) -> Vec<Edit> {
        let mut page = None;
        let of_last = |it: &Example| it.step + 1 == self.steps;
        for at in (0..self.examples.len()).rev().take_while(|at| self.examples.get(*at).is_some_and(of_last))
        {
            let Some(rule) = rule(&self.examples, at, is_other).filter(|rule| rule.may_be_in(text)) else {
                continue;
            };
            let edits = rule.edits(page.get_or_insert_with(|| Code::new(text)), text.len());
            if !edits.is_empty() {
                return edits;
            }
        }
        Vec::new()
    }
}

/// How one of the examples goes on.
fn rule(known: &[Example], at: usize, is_other: bool) -> Option<Rule<'_>> {
    let example = known.get(at)?;
    if let Some(pin) = Rule::of_pin(example) {
        return Some(pin);
    }
    let same: Vec<&Example> = known.iter().filter(|it| it.has_changes_of(example)).collect();
    // The lines of one step were changed at once, so that two of them are one thing.
    let is_confirmed = same.len() > 2 || same.iter().any(|it| it.step != example.step);
    // One change in another file is told by less of what is around it.
    let is_enough = !is_other || example.changes.len() > 1 || same.len() >= TYPE_PLACES;
    if is_confirmed && is_enough { Rule::of(&same, example, is_other) } else { None }
}

/// A text as words, signs and line ends, between two line ends of its own.
#[derive(Debug)]
struct Code {
    text: String,
    tokens: Vec<Range<usize>>,
}

impl Code {
    fn new(text: &str) -> Self {
        let text = ["\n", text, if text.ends_with('\n') || text.is_empty() { "" } else { "\n" }].concat();
        let mut at = 0;
        let mut found = Vec::new();
        for token in tokens(&text) {
            match token.kind {
                Kind::Space => {
                    let ends = token.text.match_indices('\n').map(|(end, _)| at + end..at + end + 1);
                    found.extend(ends);
                }
                Kind::Word | Kind::Mark => found.push(at..at + token.text.len()),
            }
            at += token.text.len();
        }
        Self { text, tokens: found }
    }

    fn token(&self, index: usize) -> Option<&str> {
        self.text.get(self.tokens.get(index)?.clone())
    }

    fn words(&self, tokens: Range<usize>) -> Vec<&str> {
        tokens.filter_map(|index| self.token(index)).collect()
    }

    fn start(&self, token: usize) -> usize {
        self.tokens.get(token).map_or(self.text.len(), |it| it.start)
    }

    fn end(&self, token: usize) -> usize {
        self.tokens.get(token).map_or(self.text.len(), |it| it.end)
    }

    /// The blanks that the line of a byte begins with.
    fn indentation(&self, byte: usize) -> &str {
        let start = self.text[..byte].rfind('\n').map_or(0, |at| at + 1);
        let line = &self.text[start..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }
}

/// Lines before and after a step, and what differs.
#[derive(Debug)]
struct Example {
    old: Code,
    new: Code,
    /// The tokens of both that took each other's place.
    changes: Vec<(Range<usize>, Range<usize>)>,
    /// Where the lines stand now, if that is known.
    at: Option<usize>,
    /// The number of its step.
    step: usize,
}

/// What a step shows: itself as a whole, and each of its lines if these kept their number.
fn examples((number, step): (usize, &Done<'_>)) -> Vec<Example> {
    let (old, new): (Vec<&str>, Vec<&str>) = (step.old.lines().collect(), step.new.lines().collect());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let tail = tail.min(old.len()).min(new.len());
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[head..], &new[head..]);
    if old.is_empty() || old.len().max(new.len()) > SAME_LINES {
        return Vec::new();
    }
    let place = |line: &str| step.at.map(|at| at + (line.as_ptr() as usize - step.new.as_ptr() as usize));
    let mut examples: Vec<Example> =
        Example::of(&old.join("\n"), &new.join("\n"), new.first().and_then(|it| place(it)))
            .into_iter()
            .collect();
    if old.len() == new.len() && old.len() > 1 {
        let lines = old.iter().zip(new).filter(|(old, new)| old != new);
        examples.extend(lines.filter_map(|(old, new)| Example::of(old, new, place(new))));
    }
    examples.iter_mut().for_each(|example| example.step = number);
    examples
}

impl Example {
    fn of(old: &str, new: &str, at: Option<usize>) -> Option<Self> {
        let (old, new) = (Code::new(old), Code::new(new));
        if old.tokens.len().max(new.tokens.len()) > PATTERN_TOKENS {
            return None;
        }
        let (left, right) = (old.words(0..old.tokens.len()), new.words(0..new.tokens.len()));
        let ops = diff::ops(&left, &right);
        let mut changes: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for op in ops.iter().filter(|op| op.tag() != DiffTag::Equal) {
            let (was, is) = (op.old_range(), op.new_range());
            match changes.last_mut().filter(|last| last.0.end == was.start && last.1.end == is.start) {
                Some(last) => (last.0.end, last.1.end) = (was.end, is.end),
                None => changes.push((was, is)),
            }
        }
        // Of lines that come or go, the line end behind them is a part, not the one before.
        for (was, is) in &mut changes {
            let (side, code) = if Range::is_empty(was) { (&*is, &new) } else { (&*was, &old) };
            let begins = code.token(side.start) == Some("\n");
            if (Range::is_empty(was) || Range::is_empty(is)) && begins && code.token(side.end) == Some("\n") {
                *was = was.start + 1..was.end + 1;
                *is = is.start + 1..is.end + 1;
            }
        }
        (!changes.is_empty()).then_some(Self { old, new, changes, at, step: 0 })
    }

    /// The tokens of the old text before, between and behind the changes.
    fn gaps(&self) -> Vec<Vec<&str>> {
        let starts = std::iter::once(0).chain(self.changes.iter().map(|(was, _)| was.end));
        let ends = self.changes.iter().map(|(was, _)| was.start).chain([self.old.tokens.len()]);
        starts.zip(ends).map(|(start, end)| self.old.words(start..end)).collect()
    }

    fn has_changes_of(&self, other: &Self) -> bool {
        let words = |it: &'_ Self| -> Vec<(Vec<String>, Vec<String>)> {
            let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
            let both = |(was, is): &(Range<usize>, Range<usize>)| {
                (owned(it.old.words(was.clone())), owned(it.new.words(is.clone())))
            };
            it.changes.iter().map(both).collect()
        };
        self.changes.len() == other.changes.len() && words(self) == words(other)
    }
}

/// A part of what a place must have.
#[derive(Debug, Clone, Copy)]
enum Part<'a> {
    /// This token.
    Token(&'a str),
    /// Some tokens with as many closing brackets as opening ones, which may go over line ends or not.
    Hole { has_lines: bool },
}

/// How two places were rewritten.
#[derive(Debug)]
struct Rule<'a> {
    parts: Vec<Part<'a>>,
    /// Where each change is among the parts.
    changes: Vec<Range<usize>>,
    /// One of the two places.
    example: &'a Example,
    /// Where they stand now, as far as that is known.
    places: Vec<usize>,
}

impl<'a> Rule<'a> {
    /// What places with the same changes have in common, `example` among them.
    ///
    /// `None` if that is too little to tell others.
    fn of(same: &[&'a Example], example: &'a Example, is_other: bool) -> Option<Self> {
        let (ours, all) = (example.gaps(), same.iter().map(|it| it.gaps()).collect::<Vec<_>>());
        let mut parts = Vec::new();
        let mut changes = Vec::new();
        for (index, gap) in ours.iter().enumerate() {
            let theirs: Vec<&Vec<&str>> = all.iter().filter_map(|gaps| gaps.get(index)).collect();
            let (head, tail) = shared(gap, &theirs);
            if index == 0 {
                let mut near = nearest(gap[gap.len() - tail..].iter().rev());
                // A path or a name of several parts is one thing.
                while near < tail
                    && example.old.end(gap.len() - near - 1) == example.old.start(gap.len() - near)
                {
                    near += 1;
                }
                parts.extend(gap[gap.len() - near..].iter().map(|it| Part::Token(it)));
            } else if index + 1 == ours.len() {
                parts.extend(gap[..nearest(gap[..head].iter())].iter().map(|it| Part::Token(it)));
            } else if theirs.iter().all(|it| *it == gap) {
                parts.extend(gap.iter().map(|it| Part::Token(it)));
            } else {
                let shortest = theirs.iter().map(|it| it.len()).min().unwrap_or(0);
                let tail = tail.min(shortest - head);
                if head + tail == shortest {
                    return None;
                }
                let has_lines = theirs.iter().any(|it| it[head..it.len() - tail].contains(&"\n"));
                parts.extend(gap[..head].iter().map(|it| Part::Token(it)));
                parts.push(Part::Hole { has_lines });
                parts.extend(gap[gap.len() - tail..].iter().map(|it| Part::Token(it)));
            }
            if let Some((was, _)) = example.changes.get(index) {
                let start = parts.len();
                parts.extend(example.old.words(was.clone()).into_iter().map(Part::Token));
                changes.push(start..parts.len());
            }
        }
        let places = same.iter().filter_map(|it| it.at).collect();
        let rule = Self { parts, changes, example, places };
        rule.says_enough(is_other).then_some(rule)
    }

    /// What a pin becomes wherever it stands: the hash of a version, which means one thing only.
    ///
    /// `None` if none changed.
    fn of_pin(example: &'a Example) -> Option<Self> {
        let is_hash = |word: &&str| {
            word.len() >= PIN_BYTES
                && word.bytes().all(|it| it.is_ascii_hexdigit())
                && word.contains(|it: char| it.is_ascii_digit())
                && word.contains(|it: char| it.is_ascii_alphabetic())
        };
        let (first, last) = (example.changes.first()?, example.changes.last()?);
        let has_hash = |code: &Code, tokens: Range<usize>| code.words(tokens).iter().any(is_hash);
        if !has_hash(&example.old, first.0.clone()) || !has_hash(&example.new, first.1.clone()) {
            return None;
        }
        let start = first.0.start;
        let parts = example.old.words(start..last.0.end).into_iter().map(Part::Token).collect();
        let changes = example.changes.iter().map(|(was, _)| was.start - start..was.end - start).collect();
        Some(Self { parts, changes, example, places: Vec::new() })
    }

    /// Whether it cannot be met by accident, and is not met by what it makes.
    fn says_enough(&self, is_other: bool) -> bool {
        let tokens = || {
            self.parts.iter().filter_map(|part| match part {
                Part::Token(token) if *token != "\n" => Some(*token),
                Part::Token(_) | Part::Hole { .. } => None,
            })
        };
        // Where something is put in has to be told by a word beside it.
        let is_placed = self.changes.iter().all(|change| {
            let beside = |at: Option<usize>| {
                at.and_then(|at| self.parts.get(at)).is_some_and(|it| matches!(it, Part::Token(_)))
            };
            !change.is_empty() || beside(change.start.checked_sub(1)) || beside(Some(change.end))
        });
        let begins = matches!(self.parts.first(), Some(Part::Token(_)));
        // One change of words by itself is the part of others, which look at the syntax around it.
        let is_insertion = matches!(self.changes[..], [Range { start, end }] if start == end);
        let is_several = self.changes.len() > 1 || self.example.old.text.trim().contains('\n');
        let is_whole = is_several || is_other && !is_insertion;
        begins
            && is_placed
            && is_whole
            && tokens().count() >= if is_other { OTHER_FILE_TOKENS } else { 3 }
            && tokens().any(is_telling)
            && self.matches(&self.example.new).is_empty()
    }

    /// Whether all of its words are in a text.
    fn may_be_in(&self, text: &str) -> bool {
        self.parts.iter().all(|part| match part {
            Part::Token(token) => text.contains(token),
            Part::Hole { .. } => true,
        })
    }

    /// The rewritten places that are left.
    fn edits(&self, page: &Code, bytes: usize) -> Vec<Edit> {
        // What is put before the text of the page; something may be put behind it as well.
        let (lead, end) = (1, 1 + bytes);
        let places = self.matches(page);
        let edits = places.iter().filter_map(|place| self.edit(page, place));
        let edits = edits.filter(|edit| edit.span.start >= lead && edit.span.end <= end);
        let edits = edits.map(|edit| Edit::new(edit.span.start - lead..edit.span.end - lead, edit.text));
        onward(edits.collect(), &self.places).unwrap_or_default()
    }

    /// Where each part begins, and the last one ends, of all places that have them.
    ///
    /// None if that takes too long to find out: several holes in a table of numbers fit in ever so many ways.
    fn matches(&self, code: &Code) -> Vec<Vec<usize>> {
        let mut places = Vec::new();
        let mut steps = MATCH_STEPS.max(code.tokens.len() * STEPS_PER_TOKEN);
        let mut at = 0;
        while at < code.tokens.len() {
            let mut starts = Vec::new();
            match self.meets(code, at, 0, &mut starts, &mut steps) {
                true => {
                    let end = starts.last().copied().unwrap_or(at);
                    // Line ends may be shared by two places.
                    at = if end > at + 1 && code.token(end - 1) == Some("\n") {
                        end - 1
                    } else {
                        end.max(at + 1)
                    };
                    places.push(starts);
                }
                false => at += 1,
            }
        }
        if steps > 0 { places } else { Vec::new() }
    }

    fn meets(&self, code: &Code, at: usize, part: usize, starts: &mut Vec<usize>, steps: &mut usize) -> bool {
        *steps = steps.saturating_sub(1);
        if *steps == 0 {
            return false;
        }
        starts.push(at);
        let is_met = match self.parts.get(part) {
            None => return true,
            Some(Part::Token(token)) => {
                code.token(at) == Some(*token) && self.meets(code, at + 1, part + 1, starts, steps)
            }
            Some(Part::Hole { has_lines }) => {
                let mut depth = 0_i32;
                let mut is_met = false;
                for end in at..(at + HOLE_TOKENS).min(code.tokens.len()) {
                    match code.token(end) {
                        Some("(" | "[" | "{") => depth += 1,
                        Some(")" | "]" | "}") => depth -= 1,
                        Some("\n") if !has_lines => break,
                        _ => {}
                    }
                    if depth < 0 {
                        break;
                    }
                    if depth == 0 && self.meets(code, end + 1, part + 1, starts, steps) {
                        is_met = true;
                        break;
                    }
                }
                is_met
            }
        };
        if !is_met {
            starts.pop();
        }
        is_met
    }

    /// All changes at one place, as one edit.
    fn edit(&self, page: &Code, place: &[usize]) -> Option<Edit> {
        let mut whole: Option<Edit> = None;
        for (part, (was, is)) in self.changes.iter().zip(&self.example.changes) {
            let here = *place.get(part.start)?..*place.get(part.end)?;
            let piece = self.piece(page, here, was, is)?;
            whole = Some(match whole {
                Some(mut edit) => {
                    edit.text.push_str(page.text.get(edit.span.end..piece.span.start)?);
                    edit.text.push_str(&piece.text);
                    Edit::new(edit.span.start..piece.span.end, edit.text)
                }
                None => piece,
            });
        }
        whole
    }

    /// One change: the tokens `here` of the page, `was` of the example's old text, become the tokens `is` of its new one.
    fn piece(&self, page: &Code, here: Range<usize>, was: &Range<usize>, is: &Range<usize>) -> Option<Edit> {
        let Example { old, new, .. } = self.example;
        let before = here.start.checked_sub(1)?;
        let (old_before, new_before) = (was.start.checked_sub(1)?, is.start.checked_sub(1)?);
        let is_lines = |code: &Code, tokens: &Range<usize>, before: usize| {
            code.token(before) == Some("\n")
                && tokens.end > tokens.start
                && code.token(tokens.end - 1) == Some("\n")
        };
        let (span, text) = match (here.start == here.end, is.start == is.end) {
            (true, _) if is_lines(new, is, new_before) => {
                (page.end(before)..page.end(before), new.end(new_before)..new.end(is.end - 1))
            }
            (_, true) if is_lines(page, &here, before) => (page.end(before)..page.end(here.end - 1), 0..0),
            (true, _) | (_, true) => {
                (page.end(before)..page.start(here.end), new.end(new_before)..new.start(is.end))
            }
            (false, false) => {
                // Blanks beside the words change where they changed in the example.
                let blanks = |code: &'_ Code, one: usize, next: usize| {
                    code.text.get(code.end(one)..code.start(next)).map(str::to_owned)
                };
                let (mut span, mut text) = (
                    page.start(here.start)..page.end(here.end - 1),
                    new.start(is.start)..new.end(is.end - 1),
                );
                if blanks(old, old_before, was.start) != blanks(new, new_before, is.start)
                    && page.token(before) != Some("\n")
                {
                    (span.start, text.start) = (page.end(before), new.end(new_before));
                }
                if blanks(old, was.end - 1, was.end) != blanks(new, is.end - 1, is.end) {
                    (span.end, text.end) = (page.start(here.end), new.start(is.end));
                }
                (span, text)
            }
        };
        let line_end = if page.text.contains("\r\n") { "\r\n" } else { "\n" };
        let (there, place) = (new.indentation(1), page.indentation(span.start));
        let text = new.text.get(text)?.replace(&["\n", there].concat(), &[line_end, place].concat());
        Some(Edit::new(span, text))
    }
}

/// How many tokens a gap and all others begin and end with alike.
fn shared(gap: &[&str], others: &[&Vec<&str>]) -> (usize, usize) {
    let head = |other: &&Vec<&str>| gap.iter().zip(other.iter()).take_while(|(a, b)| a == b).count();
    let tail =
        |other: &&Vec<&str>| gap.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    (others.iter().map(head).min().unwrap_or(0), others.iter().map(tail).min().unwrap_or(0))
}

/// How many of the tokens, the nearest first, say what is around a change.
fn nearest<'a>(tokens: impl Iterator<Item = &'a &'a str>) -> usize {
    let mut words = 0;
    let near = tokens.take_while(|token| {
        let is_near = words < NEIGHBOR_TOKENS_ALIKE;
        words += if **token == "\n" { NEIGHBOR_TOKENS_ALIKE } else { 1 };
        is_near
    });
    near.count()
}
