//! Placeholders for omitted code, and dots that are a real body.

use super::Class;
use super::Must::{Apply, Either};
use super::draft::{EACH, Form, Shown, write};
use super::formats::{block, text};
use crate::edit::corpus::{Case, Rng, indent};

const WORDS: [&str; 18] = [
    "... existing code ...",
    "... rest unchanged",
    "... (unchanged)",
    "rest of the function remains the same",
    "... other methods ...",
    "(same as before)",
    "previous code",
    "… existing code …",
    "keep the rest as is",
    "TODO: keep rest",
    "body unchanged",
    "existing logic",
    "[rest of function]",
    "omitted for brevity",
    "implementation stays the same",
    "the remaining lines are not changed",
    "no changes below",
    "rest of implementation",
];

pub(super) const CLASSES: &[Class] = &[
    ("lazy: in a range", Either, |case, rng| {
        let (range, lines) = shortened(case, rng)?;
        case.sample(format!("```\n{}```\n", text(&lines)))?.about(range)
    }),
    ("lazy: in a block", Either, |case, rng| {
        let (range, lines) = shortened(case, rng)?;
        case.sample(block(&case.lines[range], &lines))
    }),
    ("lazy: in a whole file", Either, |case, rng| {
        let (range, lines) = shortened(case, rng)?;
        let all = [&case.lines[..range.start], &lines, &case.lines[range.end..]].concat();
        case.sample(format!("```\n{}```\n", text(&all)))
    }),
    ("lazy: all but the definition", Either, |case, rng| {
        let range = case.definition()?;
        let gap = [case.comment(range.start, rng.of(&WORDS)), String::new()];
        let lines = [&gap[..], &case.new_lines(&range), &[gap[1].clone(), gap[0].clone()]].concat();
        case.sample(format!("```\n{}```\n", text(&lines)))
    }),
    ("lazy: in a hunk", Either, |case, rng| {
        let mut part = Shown::of(case, case.lone()?, 3);
        let kept = part.rows.len() - 2;
        let gone = &mut part.rows[kept..];
        let is_code = |line: &str| line.trim().len() > 4 && !line.trim().starts_with(['/', '#', '*']);
        gone.iter().all(|(mark, line)| *mark == ' ' && is_code(line)).then_some(())?;
        gone.iter_mut().for_each(|(mark, _)| *mark = '-');
        part.rows.push(('+', stand_in(case, rng)?));
        case.sample(write(rng.of(&[Form::Diff, Form::Patch, Form::Strings]), case.path, &[part]))
    }),
    ("lazy: for context", Either, |case, rng| {
        let hunk = case.lone()?;
        let mut part = Shown::of(case, hunk, 2);
        let last = case.lines.get(hunk.at + hunk.old.len() + 8).filter(|line| line.trim().len() > 3)?;
        part.rows.extend([(' ', stand_in(case, rng)?), (' ', last.clone())]);
        case.sample(write(rng.of(EACH), case.path, &[part]))
    }),
    ("lazy: dots for the same lines", Either, |case, _| {
        let range = case.definition()?;
        let hunk = case.lone()?;
        let end = hunk.at + hunk.old.len();
        let dots = ["...".to_owned()];
        let tail = [&dots[..], &case.lines[range.end - 1..range.end]].concat();
        let head = &case.lines[range.start..hunk.at];
        case.sample(block(&[head, &hunk.old, &tail].concat(), &[head, &hunk.new, &tail].concat()))
            .filter(|_| end + 1 < range.end)
    }),
    ("lazy: dots that are a body", Either, |case, _| {
        let range = case.definition().filter(|_| case.path.ends_with(".py"))?;
        let (header, body) = case.lines[range.clone()].split_first()?;
        let dots = [format!("{}    ...", indent(header))];
        let short = Case { grammar: case.grammar, ..case.with(range.start + 1, body, &dots) };
        short.sample(format!("```python\n{header}\n{}\n```\n", dots[0]))?.about(range)
    }),
    ("lazy: dots as a new body", Apply, |case, rng| {
        let at = case.lone().filter(|hunk| hunk.old.is_empty())?.at;
        let blanks = indent(case.lines.get(at.checked_sub(1)?)?);
        let case =
            case.with(at, &[], &[format!("{blanks}def stub(): ..."), format!("{blanks}use(first, *rest)")]);
        case.sample(super::draft::reply(&case, rng, EACH))
    }),
];

/// A placeholder, indented like the only hunk.
fn stand_in(case: &Case, rng: &mut Rng) -> Option<String> {
    Some(case.comment(case.lone()?.at, rng.of(&WORDS)))
}

/// The new lines of the definition, with a placeholder for those between the change and its end.
fn shortened(case: &Case, rng: &mut Rng) -> Option<(std::ops::Range<usize>, Vec<String>)> {
    let range = case.definition()?;
    let hunk = case.lone()?;
    let (low, high) = (hunk.at + hunk.old.len(), range.end - 1);
    (high >= low + 2 && !case.lines[low].trim().is_empty()).then_some(())?;
    let head = &case.lines[range.start..hunk.at];
    let tail = &case.lines[high..range.end];
    let lines = [head, &hunk.new, &[case.comment(low, rng.of(&WORDS))], tail].concat();
    Some((range, lines))
}
