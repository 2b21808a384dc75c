//! Answers that are the whole file, or appear to be.

use std::ops::Range;

use super::Must::{Apply, Either, Refuse};
use super::formats::text;
use super::{Class, Sample};
use crate::edit::corpus::{Case, Rng, indent};

/// Lines outside of all definitions.
const OUTER: [&str; 4] = ["package outermost;", "#!/bin/outermost", "outermost(1)", "[outermost]"];

pub(super) const CLASSES: &[Class] = &[
    ("whole: bare", Apply, |case, rng| {
        let target = case.target();
        case.sample(if rng.below(2) == 0 { target.trim_end() } else { &target })
    }),
    ("whole: bare and words below", Either, |case, _| {
        case.sample(format!("{}\nI changed the line that you named, and kept the others.\n", case.target()))
    }),
    ("whole: an example below", Either, |case, _| {
        case.sample(format!(
            "{}\nRun it like this:\n\n```sh\nmake test\n./run --all\n```\n",
            written(&case.target())
        ))
    }),
    ("whole: in line ends of its own", Apply, |case, rng| {
        let sample = case.sample(written(&case.target()))?;
        let ended = |text: &str| text.replace('\n', "\r\n");
        let reply = if rng.below(2) == 0 { ended(&sample.reply) } else { sample.reply.clone() };
        Some(Sample { file: ended(&sample.file), target: ended(&sample.target), reply, ..sample })
    }),
    ("whole: another file", Refuse, |case, _| {
        let (_, ending) = case.path.rsplit_once('.')?;
        case.refused(format!("src/elsewhere_9.{ending}\n{}", written(&case.target())))
    }),
    ("whole: two files", Either, |case, _| {
        let own = format!("{}\n{}", case.path, written(&case.target()));
        case.sample(format!("{own}\nnotes.txt\n```text\none\ntwo\nthree\n```\n"))
    }),
    ("whole: the same", Refuse, |case, _| case.refusal(written(&case.file()))),
    ("whole: marks of a diff", Either, |case, _| {
        let hunk = case.lone()?;
        let with = |mark: char, lines: &[String]| {
            lines.iter().map(|line| format!("{mark}{line}")).collect::<Vec<_>>()
        };
        let (old, new) = (with('-', &hunk.old), with('+', &hunk.new));
        let rest = &case.lines[hunk.at + hunk.old.len()..];
        case.sample(written(&text(&[&case.lines[..hunk.at], &old, &new, rest].concat())))
    }),
    ("whole: numbered", Either, |case, rng| {
        let mark = rng.of(&[": ", " | ", "\t", "  ", " "]);
        let target = case.target();
        let lines = target.lines().zip(1..).map(|(line, number)| format!("{number}{mark}{line}\n"));
        case.sample(written(&lines.collect::<String>()))
    }),
    ("whole: the first line left out", Refuse, |case, rng| {
        let case = case.with_lines(0, &[rng.of(&OUTER).to_owned()]);
        let shown = &case.lines[1..case.lone()?.at];
        let target = case.target();
        shown.iter().any(|line| !line.trim().is_empty()).then_some(())?;
        case.refused(written(target.split_once('\n')?.1))
    }),
    ("whole: the last line left out", Refuse, |case, rng| {
        let last = case.lines.len();
        let case = case.with_lines(last, &[rng.of(&OUTER).to_owned()]);
        let hunk = case.lone()?;
        let shown = &case.lines[hunk.at + hunk.old.len()..last];
        let target = case.target();
        shown.iter().any(|line| !line.trim().is_empty()).then_some(())?;
        case.refused(written(&target[..target.trim_end().rfind('\n')? + 1]))
    }),
    ("whole: a new definition alone", Refuse, |case, _| {
        let lines = &case.lines[case.definition()?];
        let (head, tail) = lines[0].split_once('(')?;
        case.refused(written(&text(&[&[format!("{head}_wholly_new({tail}")], &lines[1..]].concat())))
    }),
    ("whole: another definition left out", Refuse, |case, rng| {
        let gone = another(case, rng)?;
        case.refused(written(&text(&without(case, &gone))))
    }),
    ("whole: the changed definition alone", Either, |case, rng| {
        another(case, rng)?;
        let own = case.definition().filter(|own| heads(case).contains(&own.start))?;
        case.sample(written(&text(&case.new_lines(&own))))
    }),
    ("whole: an attribute left out", Refuse, |case, rng| {
        let is_attribute = |at: &usize| {
            let line = case.lines[*at].trim_start();
            (line.starts_with("#[") && line.ends_with(']') || line.starts_with('@') && !line.contains('='))
                && !["allow", "expect", "cfg"].iter().any(|word| line.contains(word))
        };
        let is_near = |at: usize| case.hunks.iter().any(|hunk| hunk.at.abs_diff(at) < 4);
        let all: Vec<usize> = (0..case.lines.len()).filter(is_attribute).filter(|at| !is_near(*at)).collect();
        let at = *all.get(rng.below(all.len().max(1)))?;
        case.refused(written(&text(&without(case, &(at..at + 1)))))
    }),
    ("whole: a body made a stub", Refuse, |case, rng| {
        let range = another(case, rng)?;
        let stub = match case.path.rsplit_once('.')?.1 {
            "py" => rng.of(&["pass", "...", "raise NotImplementedError", "raise NotImplementedError()"]),
            "rs" => rng.of(&["todo!()", "unimplemented!()", "todo!(\"later\")"]),
            "go" => "panic(\"not implemented\")",
            _ => rng
                .of(&["throw new Error(\"Not implemented\");", "throw new Error(\"not implemented yet\");"]),
        };
        let is_braced = case.lines[range.end - 1].trim() == "}";
        let is_plain =
            !case.lines[range.start].starts_with("class ") && case.lines[range.start].ends_with(['{', ':']);
        let body = range.start + 1..range.end - usize::from(is_braced);
        let line = format!("{}{stub}", indent(&case.lines[body.start]));
        let all = case.lines[body.clone()].iter().filter(|line| line.contains(char::is_alphanumeric)).count();
        (is_plain && all > 1).then_some(())?;
        let shown = case.target();
        let old = text(&case.lines[body]);
        (shown.matches(&old).count() == 1)
            .then(|| case.refused(written(&shown.replace(&old, &(line + "\n")))))?
    }),
    ("whole: the change once more", Apply, |case, _| {
        let hunk = case.altered()?;
        hunk.new[0].contains(char::is_alphanumeric).then_some(())?;
        let again = hunk.new[0].trim();
        case.sample(format!("{}\n**Key change:**\n\n~~~\n{again}\n~~~\n", written(&case.target())))
    }),
    ("whole: its output below", Apply, |case, rng| {
        case.grammar?;
        let (words, tag) = (rng.of(&["Expected output:", "Output:", "It prints:"]), rng.of(&["", "text"]));
        case.sample(format!("{}\n{words}\n\n~~~{tag}\n3 items\n~~~\n", written(&case.target())))
    }),
    ("whole: blanks behind kept lines", Apply, |case, rng| {
        let touched: Vec<usize> =
            case.hunks.iter().flat_map(|hunk| hunk.at..hunk.at + hunk.old.len()).collect();
        let reply = written(&case.target());
        let mut odd = case.plain();
        let lines = odd.lines.iter_mut().enumerate().filter(|(at, _)| !touched.contains(at));
        lines.for_each(|(_, line)| line.push_str(rng.of(&["", "  "])));
        odd.sample(reply)
    }),
    ("whole: signs respelled beside a change", Either, |case, _| {
        let case = case.with_lines(case.lone()?.at, &[case.comment(0, "the “old” way – it’s kept")]);
        case.sample(written(&plainly(&case.target())))
    }),
    ("whole: signs respelled alone", Refuse, |case, _| {
        let case = case.with_lines(case.lone()?.at, &[case.comment(0, "the “old” way – it’s kept")]);
        case.refusal(written(&plainly(&case.file())))
    }),
    ("whole: one sign of two respelled", Apply, |case, rng| {
        let (one, other) = rng.of(&[("–", "-"), ("-", "–"), ("…", "..."), ("—", "-")]);
        let at = case.lone()?.at;
        let [first, second] =
            ["once", "twice"].map(|word| case.comment(at, &format!("{word} from a {one} to b")));
        let case = case.with_lines(at, &[first, second.clone()]);
        let new = second.replacen(&format!(" {one} "), &format!(" {other} "), 1);
        let case = case.with(at + 1, &[second], &[new]);
        case.sample(written(&case.target()))
    }),
];

fn written(text: &str) -> String {
    format!("~~~\n{text}~~~\n")
}

/// Replaces typographic characters with plain ones.
fn plainly(text: &str) -> String {
    text.replace(['“', '”'], "\"").replace('–', "-").replace('’', "'")
}

/// The first lines of the definitions that are in no other one.
fn heads(case: &Case) -> Vec<usize> {
    const WORDS: [&str; 8] =
        ["fn ", "pub fn ", "pub(super) fn ", "pub(crate) fn ", "def ", "func ", "function ", "class "];
    let is_head = |at: &usize| WORDS.iter().any(|word| case.lines[*at].starts_with(word));
    (0..case.lines.len()).filter(is_head).collect()
}

/// The lines of a definition that is not changed, if its name and most of its lines occur only there.
fn another(case: &Case, rng: &mut Rng) -> Option<Range<usize>> {
    let is_changed = |range: &Range<usize>| {
        let touches = |at: usize, count: usize| at <= range.end && range.start <= at + count;
        case.hunks.iter().any(|hunk| touches(hunk.at, hunk.old.len()))
    };
    let others: Vec<Range<usize>> = heads(case).into_iter().filter_map(|start| whole(case, start)).collect();
    let others: Vec<_> =
        others.into_iter().filter(|range| !is_changed(range) && is_unique(case, range)).collect();
    others.get(rng.below(others.len().max(1))).cloned()
}

/// The lines of the definition that begins at a line.
fn whole(case: &Case, start: usize) -> Option<Range<usize>> {
    let is_out = |line: &String| !line.trim().is_empty() && !line.starts_with([' ', '\t', ')', '{']);
    let mut end = start + 1 + case.lines[start + 1..].iter().position(is_out)?;
    if case.lines[end].starts_with('}') || case.lines[end] == "end" {
        end += 1;
    }
    while case.lines[end - 1].trim().is_empty() {
        end -= 1;
    }
    (end - start > 3).then_some(start..end)
}

fn is_unique(case: &Case, range: &Range<usize>) -> bool {
    const KEYWORDS: [&str; 9] = ["pub", "super", "crate", "fn", "def", "func", "function", "class", "async"];
    let is_part = |letter: char| letter == '_' || letter.is_alphanumeric();
    let mut words = case.lines[range.start].split(|letter| !is_part(letter));
    let Some(name) = words.find(|word| !word.is_empty() && !KEYWORDS.contains(word)) else { return false };
    let all = case.lines.iter().chain(case.hunks.iter().flat_map(|hunk| &hunk.new));
    let is_twice = |line: &String| case.lines.iter().filter(|other| *other == line).count() > 1;
    let twice = case.lines[range.clone()].iter().filter(|line| is_twice(line)).count();
    all.filter(|line| line.split(|letter| !is_part(letter)).any(|word| word == name)).count() == 1
        && twice * 3 < range.len()
}

/// The new lines of the file without these old ones, which no hunk touches.
fn without(case: &Case, gone: &Range<usize>) -> Vec<String> {
    let above = case.hunks.iter().filter(|hunk| hunk.at < gone.start);
    let change = above.fold(0, |sum, hunk| sum + hunk.new.len() as isize - hunk.old.len() as isize);
    let start = gone.start.saturating_add_signed(change);
    let all = case.new_lines(&(0..case.lines.len()));
    [&all[..start], &all[start + gone.len()..]].concat()
}
