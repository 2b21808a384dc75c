//! Two slips at once, each of which alone is tolerated.

use super::Make;
use super::draft::{Draft, EACH, Form, fenced, header, with_marks};
use super::slips::dressed;
use crate::edit::corpus::{Rng, indent};

/// A slip of the edit, before it is written down.
type Slip = fn(Draft, &mut Rng) -> Option<Draft>;

const SLIPS: [(&str, Slip); 7] = [
    ("outdented", |mut draft, _| {
        let rows = |line: &&String| !line.trim().is_empty();
        draft.is_unique_loosely().then_some(())?;
        for part in &mut draft.parts {
            let lines = part.rows.iter().map(|(_, line)| line).filter(rows);
            let least = lines.map(|line| indent(line).len()).min().filter(|least| *least > 0)?;
            part.rows
                .iter_mut()
                .for_each(|(_, line)| *line = line.get(least..).unwrap_or_default().to_owned());
        }
        Some(draft)
    }),
    ("blanks in the file", |mut draft, _| {
        let touched: Vec<usize> =
            draft.case.hunks.iter().flat_map(|it| it.at..it.at + it.old.len()).collect();
        let lines = draft.case.lines.iter_mut().enumerate();
        let kept = lines.filter(|(at, line)| !touched.contains(at) && !line.is_empty());
        kept.for_each(|(_, line)| line.push_str("  "));
        Some(draft)
    }),
    ("lines above", |mut draft, rng| {
        let new: Vec<String> = (0..1 + rng.below(8)).map(|n| format!("// New above {n}.")).collect();
        draft.case = draft.case.with_lines(0, &new);
        Some(draft)
    }),
    ("curly quotes", |draft, _| draft.map(" ", dressed)),
    ("out of order", |mut draft, _| {
        draft.parts.reverse();
        (draft.parts.len() > 1).then_some(draft)
    }),
    ("a hunk twice", |mut draft, _| {
        draft.parts.push(draft.parts[0].clone());
        Some(draft)
    }),
    ("zero width", |draft, _| {
        draft.map(" ", |line| if line.is_empty() { String::new() } else { format!("{line}\u{200b}") })
    }),
];

/// A slip of the written reply.
type Around = fn(&str) -> String;

const AROUND: [(&str, Around); 5] = [
    ("prose", |reply| format!("Here it is:\n\n{}\nThat is all.\n", fenced(reply, ""))),
    ("crlf", |reply| reply.replace('\n', "\r\n")),
    ("a draft", |reply| format!("<think>\nFirst I look at ```x``` and <<<<<<< it.\n</think>\n\n{reply}")),
    ("a mark first", |reply| format!("\u{feff}{reply}")),
    ("an open fence", |reply| format!("~~~~\n{reply}")),
];

/// Writes the draft; the line numbers of diffs are wrong.
fn written(draft: &Draft) -> String {
    match draft.form {
        Form::Diff => with_marks(Form::Diff, draft.case.path, &draft.parts, |part| header(part, 40)),
        _ => draft.reply(),
    }
}

/// Each slip with each later one, and with each slip of the written reply.
pub(super) fn classes() -> impl Iterator<Item = (String, Box<Make>)> {
    let of_edits = SLIPS.iter().enumerate().flat_map(|(number, (first, one))| {
        SLIPS[number + 1..].iter().map(move |(second, other)| {
            let make: Box<Make> = Box::new(move |case, rng| {
                let draft = other(one(Draft::new(case, rng, EACH), rng)?, rng)?;
                draft.case.sample(written(&draft))
            });
            (format!("pair: {first} and {second}"), make)
        })
    });
    let of_replies = SLIPS.iter().flat_map(|(first, one)| {
        AROUND.iter().map(move |(second, around)| {
            // JSON has no line ends outside its strings, and a diff has no end mark.
            let forms = move |rng: &mut Rng| match *second {
                "crlf" => rng.of(&[Form::Diff, Form::Patch, Form::Blocks]),
                "an open fence" => rng.of(&[Form::Patch, Form::Blocks, Form::Strings]),
                _ => rng.of(EACH),
            };
            let make: Box<Make> = Box::new(move |case, rng| {
                let form = forms(rng);
                let draft = one(Draft::new(case, rng, &[form]), rng)?;
                draft.case.sample(around(&written(&draft)))
            });
            (format!("pair: {first} and {second}"), make)
        })
    });
    of_edits.chain(of_replies)
}
