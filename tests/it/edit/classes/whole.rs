//! Answers that are the whole file, or appear to be.

use super::Must::{Apply, Either, Refuse};
use std::ops::Range;

use super::formats::text;
use super::{Class, Sample};
use crate::edit::corpus::{Case, Rng};

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
    ("whole: a new definition alone", Refuse, |case, _| {
        let lines = &case.lines[case.definition()?];
        let (head, tail) = lines[0].split_once('(')?;
        case.refused(written(&text(&[&[format!("{head}_wholly_new({tail}")], &lines[1..]].concat())))
    }),
    ("whole: the changed definition alone", Apply, |case, _| {
        let range = outermost(case)?;
        // Fewer lines than this look like any others.
        (range.len() > 4).then_some(())?;
        case.sample(written(&text(&case.new_lines(&range))))
    }),
    ("whole: another definition left out", Apply, |case, rng| {
        let other = another(case, &outermost(case)?, rng)?;
        case.sample(written(&text(&without(case, &other))))
    }),
    ("whole: the definition beside the changed one left out", Apply, |case, rng| {
        let own = outermost(case)?;
        let other = another(case, &own, rng)?;
        let range = own.start.min(other.start)..own.end.max(other.end);
        case.sample(written(&text(&case.new_lines(&own))))?.about(range)
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

/// The lines of the definition with the only hunk, if it is in no other one.
fn outermost(case: &Case) -> Option<Range<usize>> {
    case.definition().filter(|range| heads(case).contains(&range.start))
}

/// The first lines of the definitions that are in no other one.
fn heads(case: &Case) -> Vec<usize> {
    const WORDS: [&str; 8] =
        ["fn ", "pub fn ", "pub(super) fn ", "pub(crate) fn ", "def ", "func ", "function ", "class "];
    let is_head = |at: &usize| WORDS.iter().any(|word| case.lines[*at].starts_with(word));
    (0..case.lines.len()).filter(is_head).collect()
}

/// The lines of another definition.
fn another(case: &Case, own: &Range<usize>, rng: &mut Rng) -> Option<Range<usize>> {
    let others: Vec<usize> = heads(case).into_iter().filter(|at| *at != own.start).collect();
    let start = *others.get(rng.below(others.len()))?;
    // What stands right above it goes with it.
    (start == 0 || case.lines[start - 1].trim().is_empty()).then_some(())?;
    let is_out = |line: &String| !line.trim().is_empty() && !line.starts_with([' ', '\t', ')', '{']);
    let mut end = start + 1 + case.lines[start + 1..].iter().position(is_out)?;
    if case.lines[end].starts_with(['}', 'e']) {
        end += 1;
    }
    while case.lines[end - 1].trim().is_empty() {
        end -= 1;
    }
    Some(start..end)
}

/// The new lines of the file without these old ones.
fn without(case: &Case, gone: &Range<usize>) -> Vec<String> {
    let (start, end) = (case.new_lines(&(0..gone.start)), case.lines[gone.end..].to_vec());
    match case.lone().is_some_and(|hunk| hunk.at < gone.start) {
        true => [start, end].concat(),
        false => {
            let behind = case.new_lines(&(gone.end..case.lines.len()));
            [case.lines[..gone.start].to_vec(), behind].concat()
        }
    }
}

fn written(text: &str) -> String {
    format!("~~~\n{text}~~~\n")
}

/// Replaces typographic characters with plain ones.
fn plainly(text: &str) -> String {
    text.replace(['“', '”'], "\"").replace('–', "-").replace('’', "'")
}
