//! Answers for a range of lines: its new text, or more, or less, or something else.

use std::ops::Range;

use super::Class;
use super::Must::{Apply, Either, Refuse};
use super::draft::{ALL, reply};
use super::formats::{in_range, range_of, text};
use crate::edit::corpus::{Case, indent};

pub(super) const CLASSES: &[Class] = &[
    ("region: in any form", Apply, |case, rng| {
        let whole = reply(case, rng, ALL);
        in_range(case, 4, |_, _| whole)
    }),
    ("region: and an edit beyond it", Either, |case, rng| {
        let [first, _] = case.hunks.as_slice() else { return None };
        let inside = Case { hunks: vec![first.clone()], ..case.plain() };
        let whole = reply(case, rng, ALL);
        in_range(&inside, 2, |_, _| whole)
    }),
    ("region: a definition", Apply, |case, _| {
        let range = case.definition()?;
        answer(case, range.clone(), range)
    }),
    ("region: body, header and end repeated", Apply, |case, _| {
        let range = braced(case)?;
        answer(case, range.clone(), range.start + 1..range.end - 1)
    }),
    ("region: body, header and end repeated, outdented", Either, |case, _| {
        let range = braced(case)?;
        let column = indent(&case.lines[range.start]);
        let lines = case.new_lines(&range);
        let outdented = lines.iter().map(|line| line.strip_prefix(column).unwrap_or(line).to_owned());
        let lines = text(&outdented.collect::<Vec<_>>());
        (!column.is_empty() && !lines.contains("```")).then_some(())?;
        case.sample(format!("```\n{lines}```\n"))?.about(range.start + 1..range.end - 1)
    }),
    ("region: body, end repeated", Apply, |case, _| {
        let range = braced(case)?;
        answer(case, range.start + 1..range.end, range.start + 1..range.end - 1)
    }),
    ("region: line below repeated", Apply, |case, _| {
        let at = case.altered()?.at;
        case.lines.get(at + 1).filter(|line| line.trim().len() > 3)?;
        answer(case, at..at + 2, at..at + 1)
    }),
    ("region: first indentation lost", Apply, |case, _| {
        let (_, _, mut new) = range_of(case, 4)?;
        (indent(&new[0]).len() > 1 && new[0].trim().len() > 3).then_some(())?;
        new[0] = new[0].trim_start().to_owned();
        in_range(case, 4, |_, _| format!("```\n{}```\n", text(&new)))
    }),
    ("region: nothing", Refuse, |case, rng| {
        let nothing = rng.of(&["```\n```\n", "", "\n\n", "```python\n\n```", "   "]);
        in_range(case, 4, |_, _| nothing.to_owned())?.unchanged()
    }),
    ("region: the same", Refuse, |case, _| {
        in_range(case, 4, |old, _| format!("```\n{old}```\n"))?.unchanged()
    }),
    ("region: two choices", Refuse, |case, _| {
        let hunk = case.altered()?;
        let other = Case {
            hunks: case.with(hunk.at, &hunk.old, &[format!("{}_too", hunk.new[0])]).hunks,
            ..case.clone()
        };
        let (_, _, second) = range_of(&other, 4)?;
        let choices =
            |new: &str| format!("Option 1:\n\n```\n{new}```\n\nOption 2:\n\n```\n{}```\n", text(&second));
        in_range(case, 4, |_, new| choices(new))?.refused()
    }),
    ("region: another language", Refuse, |case, _| {
        let range = braced(case)?;
        case.grammar.filter(|grammar| grammar.errors_are_reliable())?;
        let code =
            "def answer(self):\n    if self.ready:\n        return [x for x in self.items]\n    pass\n";
        case.sample(format!("```python\n{code}```\n"))?.about(range)?.refused()
    }),
    ("region: a bracket lost", Refuse, |case, rng| {
        let range = case.definition()?;
        let mut lines = case.new_lines(&range);
        let is_code = |line: &String| line.contains(')') && !line.contains(['"', '\'', '`', '/', '#', '*']);
        let at = (0..lines.len()).filter(|at| is_code(&lines[*at])).nth(rng.below(3))?;
        lines[at] = lines[at].replacen(')', "", 1);
        case.grammar.filter(|grammar| grammar.errors_are_reliable())?;
        case.sample(format!("```\n{}```\n", text(&lines)))?.about(range)?.refused()
    }),
    ("region: plus signs alone", Either, |case, _| {
        let hunk = case.lone()?;
        let (before, after) = case.around(hunk, 4);
        let new: Vec<String> = hunk.new.iter().map(|line| format!("+{line}")).collect();
        in_range(case, 4, |_, _| format!("~~~\n{}~~~\n", text(&[before, &new, after].concat())))
    }),
    ("region: added above", Apply, |case, _| {
        let range = case.definition().filter(|range| range.len() < 10)?;
        case.lines.get(range.start.checked_sub(1)?).filter(|line| line.trim().is_empty())?;
        let lines = &case.lines[range.clone()];
        let (head, tail) = lines[0].split_once('(')?;
        let header = format!("{head}_added({tail}");
        let new = [&[header], &lines[1..], &[String::new()]].concat();
        let case = case.with(range.start, &[], &new);
        case.sample(format!("```\n{}```\n", text(&case.new_lines(&range))))?.about(range)
    }),
    ("region: ends as the line below", Apply, |case, _| {
        let closes = |at: usize| case.lines.get(at).is_some_and(|line| line.trim() == "}");
        let at = (2..case.lines.len()).find(|at| closes(*at) && closes(*at + 1) && is_block(case, *at))?;
        let blanks = indent(&case.lines[at]);
        let step = &indent(&case.lines[at - 1])[blanks.len()..];
        let new =
            [format!("{blanks}if (ready) {{"), format!("{blanks}{step}again();"), format!("{blanks}}}")];
        let case = Case { grammar: case.grammar, ..case.with(at + 1, &[], &new) };
        answer(&case, at..at + 1, at..at + 1)
    }),
    ("region: goes on further out", Apply, |case, _| {
        let range = braced(case)?;
        let at = range.end - 2;
        let [above, last, end] = case.lines.get(at - 1..range.end)? else { return None };
        let is_statement = last.ends_with(';') || last.trim_start().starts_with("return ");
        let is_whole = is_statement && last.trim_start().starts_with(char::is_alphabetic);
        (is_whole && above.ends_with([';', '{', '}', ')']) && indent(last) > indent(end)).then_some(())?;
        let (head, tail) = case.lines[range.start].split_once('(')?;
        (!head.contains(['<', '['])).then_some(())?;
        let inner = |words: &str| format!("{}{words}", indent(last));
        let added = format!("{head}_added({tail}");
        let new = [inner("again();"), end.clone(), String::new(), added, inner("once_more();"), end.clone()];
        let case = Case { grammar: case.grammar, ..case.with(at, &[last.clone(), end.clone()], &new) };
        answer(&case, at..range.end, at..range.end)
    }),
];

/// The new text of some lines, as an answer for others.
fn answer(case: &Case, given: Range<usize>, asked: Range<usize>) -> Option<super::Sample> {
    let lines = text(&case.new_lines(&given));
    (!lines.contains("```")).then(|| case.sample(format!("```\n{lines}```\n")))??.about(asked)
}

/// A definition between braces whose body is larger than the change.
fn braced(case: &Case) -> Option<Range<usize>> {
    let range = case.definition()?;
    let is_braced = case.lines[range.start].ends_with('{') && case.lines[range.end - 1].trim() == "}";
    (is_braced && range.len() > 4).then_some(range)
}

/// Whether a statement with a body ends at the line.
fn is_block(case: &Case, at: usize) -> bool {
    let blanks = indent(&case.lines[at]);
    let mut above = case.lines[..at].iter().rev().filter(|line| !line.trim().is_empty());
    let opener = above.find(|line| indent(line) == blanks).map_or("", |line| line.trim_start());
    let is_deeper = indent(&case.lines[at - 1]).len() > blanks.len();
    is_deeper && ["if ", "for ", "while "].iter().any(|word| opener.starts_with(word))
}
