//! Lines that the file has twice, or had: evidence that distinguishes the locations, or does not.

use super::Class;
use super::Must::{Apply, Either, Refuse};
use super::draft::{EACH, Form, SEARCHED, Shown, UNNUMBERED, header, reply, with_marks, write};
use super::slips::doubled;
use crate::edit::corpus::{Case, Hunk};

pub(super) const CLASSES: &[Class] = &[
    ("near: numbers off by the distance", Either, |case, _| {
        let [first, second] = case.hunks.as_slice() else { return None };
        let one = Case { hunks: vec![first.clone()], ..case.clone() };
        let (more, copy) = doubled(&one, "// The same once more.")?;
        let more = Case { hunks: vec![first.clone(), second.clone()], ..more };
        let parts = more.hunks.iter().map(|hunk| Shown::of(case, hunk, 3)).collect::<Vec<_>>();
        more.sample(with_marks(Form::Diff, more.path, &parts, |part| header(part, copy.at - first.at)))
    }),
    ("near: the definition indented", Apply, |case, _| {
        let (case, _, second) = in_two(case)?;
        let hunk = Hunk { at: second, ..case.hunks[0].clone() };
        let case = Case { hunks: vec![hunk.clone()], ..case };
        let part = Shown::of(&case, &hunk, 3);
        case.sample(with_marks(Form::Patch, case.path, &[part], |_| "@@   fn second() {".to_owned()))
    }),
    ("near: another name in a kept line", Refuse, |case, rng| {
        let hunk = case.lone()?;
        let at = hunk.at.checked_sub(1)?;
        let [own, other] = rng.of(&[
            ["fn get_item(key) {", "fn set_item(key) {"],
            ["def load_users(key):", "def load_user(key):"],
            ["let mapA = take(key);", "let mapB = take(key);"],
            ["users.push(key);", "user.push(key);"],
            [".box.large {", ".bow.large {"],
            ["send(values, key);", "send(value, key);"],
        ]);
        let mut case = case.with_lines(at, &[own.to_owned()]);
        let reply = reply(&case, rng, EACH);
        case.lines[at] = other.to_owned();
        reply.contains(own).then(|| case.refused(reply))?
    }),
    ("near: the definition is none", Refuse, |case, _| {
        let (case, ..) = in_two(case)?;
        let part = Shown::of(&case, &case.hunks[0], 3);
        case.refused(with_marks(Form::Patch, case.path, &[part], |_| "@@ fn third() {".to_owned()))
    }),
    ("near: one place, the definition is none", Either, |case, _| {
        let part = Shown::of(case, case.lone()?, 3);
        case.sample(with_marks(Form::Patch, case.path, &[part], |_| "@@ class Missing".to_owned()))
    }),
    ("near: twice in the definition", Refuse, |case, rng| {
        let (case, ..) = in_one(case)?;
        let part = Shown::of(&case, &case.hunks[0], 3);
        let form = rng.of(&[Form::Diff, Form::Patch]);
        case.refused(with_marks(form, case.path, &[part], |part| match form {
            Form::Diff => format!("{} fn both() {{", header(part, 900)),
            _ => "@@ fn both() {".to_owned(),
        }))
    }),
    ("near: both in the definition", Either, |case, rng| {
        let (case, first, second) = in_one(case)?;
        let hunks = [first, second].map(|at| Hunk { at, ..case.hunks[0].clone() });
        let case = Case { hunks: hunks.to_vec(), ..case };
        let parts = hunks.map(|hunk| Shown::of(&case, &hunk, 3));
        let off = 300 + rng.below(600);
        case.sample(with_marks(Form::Diff, case.path, &parts, |part| {
            format!("{} fn both() {{", header(part, off))
        }))
    }),
    ("near: neither at the end of the file", Refuse, |case, rng| {
        let (mut more, _) = doubled(case, "// The same once more.")?;
        more.lines.extend(["// Near", "// the", "// end."].map(str::to_owned));
        let whole = reply(case, rng, &[Form::Patch]);
        more.refused(whole.replace("*** End Patch", "*** End of File\n*** End Patch"))
    }),
    ("near: added at the end of the file", Either, |case, _| {
        let case =
            case.with(case.lines.len(), &[], &[String::new(), case.comment(0, "The end.").trim().to_owned()]);
        let whole = write(Form::Patch, case.path, &[Shown::of(&case, &case.hunks[0], 0)]);
        case.sample(whole.replace("*** End Patch", "*** End of File\n*** End Patch"))
    }),
    ("near: added to a patch without a place", Refuse, |case, _| {
        case.lone().filter(|hunk| hunk.old.is_empty())?;
        case.refused(write(Form::Patch, case.path, &[Shown::of(case, &case.hunks[0], 0)]))
    }),
    ("near: the same under two numbers", Refuse, |case, rng| {
        let part = Shown::of(case, case.altered()?, 3);
        let second = Shown { at: part.at + part.old().len() + rng.below(90), ..part.clone() };
        case.refused(write(Form::Diff, case.path, &[part, second]))
    }),
    ("near: the definition moved", Apply, |case, rng| {
        let range = case.definition()?;
        let hunk = case.lone()?;
        let (start, end) = (hunk.at.checked_sub(3)?, hunk.at + hunk.old.len() + 3);
        (start >= range.start && end <= range.end).then_some(())?;
        let mut moved = case.plain();
        let lines: Vec<String> = moved.lines.drain(range.clone()).collect();
        moved.hunks[0].at = moved.lines.len() + 1 + hunk.at - range.start;
        moved.lines.extend([vec![String::new()], lines].concat());
        moved.sample(reply(case, rng, SEARCHED))
    }),
    ("near: the definition gone, a copy there", Refuse, |case, rng| {
        let (whole, mut file) = from_header(case, rng.of(SEARCHED))?;
        let start = case.definition()?.start;
        file.lines[start] = renamed(&file.lines[start], "_copy")?;
        file.refused(whole)
    }),
    ("near: the definition renamed, a copy there", Either, |case, rng| {
        let (whole, mut file) = from_header(case, rng.of(SEARCHED))?;
        let range = case.definition()?;
        let mut copy = file.lines[range.clone()].to_vec();
        copy[0] = renamed(&copy[0], "_copy")?;
        file.lines[range.start] = renamed(&file.lines[range.start], "_renamed")?;
        file.lines.extend([vec![String::new()], copy].concat());
        file.sample(whole)
    }),
    ("near: hunks that share a copy", Refuse, |case, rng| {
        let (more, _) = doubled(case, "// The same once more.")?;
        let part = Shown::of(case, case.altered()?, 3);
        more.refused(write(rng.of(UNNUMBERED), case.path, &[part.clone(), part]))
    }),
    ("near: a part of a line that is no context", Either, |case, rng| {
        let hunk = case.altered()?;
        let is_once = |line: &str| case.file().matches(line).count() == 1;
        let (old, new) = (hunk.old[0].trim(), hunk.new[0].trim());
        let case = case.plain();
        is_once(old).then(|| case.sample(write(rng.of(EACH), case.path, &[bare(hunk.at, old, new)])))?
    }),
];

/// A hunk of one line, without its indentation.
fn bare(at: usize, old: &str, new: &str) -> Shown {
    Shown { at, rows: vec![('-', old.to_owned()), ('+', new.to_owned())] }
}

/// The file with two copies of the only hunk and its context, each below its head; and their old lines' positions.
fn copied(case: &Case, heads: [Option<&str>; 2]) -> Option<(Case, usize, usize)> {
    let hunk = case.lone().filter(|hunk| !hunk.old.is_empty())?;
    let deeper = |lines: &[String]| -> Vec<String> {
        lines.iter().map(|line| if line.is_empty() { String::new() } else { format!("    {line}") }).collect()
    };
    let (old, _) = case.halves(hunk, 3);
    let mut more = case.plain();
    let starts = heads.map(|head| {
        more.lines.extend(head.map(str::to_owned));
        let start = more.lines.len() + case.around(hunk, 3).0.len();
        more.lines.extend(deeper(&old));
        start
    });
    more.hunks = vec![Hunk { at: starts[0], old: deeper(&hunk.old), new: deeper(&hunk.new) }];
    Some((more, starts[0], starts[1]))
}

/// Copies in two definitions.
fn in_two(case: &Case) -> Option<(Case, usize, usize)> {
    copied(case, [Some("  fn first() {"), Some("  fn second() {")])
}

/// Copies in one definition.
fn in_one(case: &Case) -> Option<(Case, usize, usize)> {
    copied(case, [Some("fn both() {"), None])
}

/// The header of a definition with another name.
fn renamed(header: &str, ending: &str) -> Option<String> {
    let (head, tail) = header.split_once('(')?;
    head.ends_with(|letter: char| letter.is_alphanumeric()).then(|| format!("{head}{ending}({tail}"))
}

/// A reply whose only hunk shows the header of its definition, and the file without a grammar.
fn from_header(case: &Case, form: Form) -> Option<(String, Case)> {
    let start = case.definition()?.start;
    let hunk = case.altered()?;
    (hunk.at - start <= 4).then_some(())?;
    let mut part = Shown::of(case, hunk, hunk.at - start);
    part.rows.truncate(hunk.at - start + 5);
    Some((write(form, case.path, &[part]), case.plain()))
}
