//! What a model writes beside the change that it was asked for: marks for the reader, and text that it has twice.

use tandem::edit::{Request, accept};

use super::formats::range_of;
use super::{Class, Must, Sample};
use crate::edit::corpus::{Case, Rng};

pub(super) const CLASSES: &[Class] = &[
    ("arrow behind a line", Must::Apply, arrow),
    ("instruction as a comment", Must::Apply, instruction),
    ("region twice", Must::Refuse, region_twice),
    ("whole file twice", Must::Refuse, whole_twice),
    ("talk above a text in its fence", Must::Refuse, talk_above),
    ("talk below a text in its fence", Must::Refuse, talk_below),
    ("talk in the middle of a text", Must::Refuse, talk_between),
    ("another name and a lost line", Must::Refuse, renamed),
    ("slip in a copied line", Must::Refuse, slip),
];

fn fenced(text: &str) -> String {
    format!("```\n{text}```\n")
}

/// Whether the new text is applied without anything beside it.
fn is_applied(case: &Case, instruction: &str) -> bool {
    let (file, target) = (case.file(), case.target());
    let request = Request { text: &file, grammar: case.grammar, instruction, ..Request::default() };
    accept(&request, &fenced(&target)).is_ok()
}

/// A new line of code with a comment that points at it.
fn arrow(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let line = case.altered()?.new.first().filter(|line| line.ends_with([';', ')']))?;
    let mark = rng.of(&["<-- changed", "<-- ADD THIS", "<<< NEW", "<-- updated here"]);
    let comment = case.comment(0, mark);
    let target = case.target();
    let marked = target.replacen(&format!("{line}\n"), &format!("{line}  {}\n", comment.trim()), 1);
    let is_one_line = comment.trim().ends_with(mark) && target.matches(&format!("{line}\n")).count() == 1;
    (is_one_line && is_applied(case, "")).then(|| case.sample(fenced(&marked)))?
}

/// The instruction as a comment above the text.
fn instruction(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let asked = rng.of(&["Take the changes that we talked about", "Do what the ticket says"]);
    let said = rng.of(&["", "Instruction: ", "Task: "]);
    let comment = case.comment(0, &format!("{said}{asked}"));
    let target = case.target();
    let is_comment = !target.starts_with(['#', '<', '/']) && case.grammar.is_some_and(|it| !it.is_prose());
    let sample = case.sample(fenced(&format!("{}\n{target}", comment.trim())))?;
    (is_comment && is_applied(case, asked)).then(|| Sample { instruction: asked.to_owned(), ..sample })
}

fn region_twice(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (range, _, new) = range_of(case, 4)?;
    let new: String = new.iter().map(|line| format!("{line}\n")).collect();
    let sample = case.refusal(fenced(&format!("{new}{new}")))?;
    Some(Sample { range: Some(range), ..sample })
}

fn whole_twice(case: &Case, _: &mut Rng) -> Option<Sample> {
    let target = case.target();
    case.refusal(fenced(&format!("{target}{target}")))
}

fn talk_above(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let said = rng.of(&["Here is the updated file:", "Sure, here you go!", "Here is the revised version."]);
    case.refusal(fenced(&format!("{said}\n\n{}", case.target())))
}

fn talk_below(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let said = rng.of(&[
        "Let me know if you have any questions.",
        "**Explanation:** the change is small.",
        "The rest of the file stays the same.",
    ]);
    case.refusal(fenced(&format!("{}\n{said}\n", case.target())))
}

fn talk_between(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let said = rng.of(&["[continued]", "Continuing from above...", "Now the rest of the file:"]);
    let target = case.target();
    let lines: Vec<&str> = target.lines().collect();
    let at = 1 + rng.below(lines.len().checked_sub(1).filter(|most| *most > 0)?);
    let (above, below) = lines.split_at(at);
    case.refusal(fenced(&format!("{}\n\n{said}\n\n{}\n", above.join("\n"), below.join("\n"))))
}

/// A renamed file without one of its other lines.
fn renamed(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let file = case.file();
    let is_code =
        |line: &&str| !line.trim_start().starts_with(['/', '#', '*', '<']) && line.contains(['(', '=']);
    let lines: Vec<&str> = file.lines().filter(is_code).collect();
    let words = rng.of(&lines).split(|sign: char| !sign.is_alphanumeric() && sign != '_');
    let name = words
        .filter(|word| word.len() > 4 && word.starts_with(char::is_alphabetic))
        .max_by_key(|it| it.len())?;
    let gone = rng.of(&lines);
    let is_lone = !gone.contains(name) && file.matches(&format!("{gone}\n")).count() == 1;
    let after = file.replacen(&format!("{gone}\n"), "", 1).replace(name, &format!("{name}_next"));
    let sample = case.refusal(fenced(&after))?;
    let is_known = case.grammar.is_some_and(|it| !it.is_prose());
    (is_lone && is_known).then(|| Sample { instruction: format!("rename {name} to {name}_next"), ..sample })
}

/// A file with one more comment, and another operator in a line that is copied.
fn slip(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let asked = "Zebra";
    let at = rng.below(case.lines.len());
    let comment = case.comment(at, "Here is the zebra.");
    let commented = Case { grammar: case.grammar, ..case.with(at, &[], &[comment]) };
    let (file, target) = (case.file(), commented.target());
    let [old, new] = rng.of(&[[" == ", " != "], [" < ", " <= "], [" && ", " || "], [" > ", " >= "]]);
    let is_copied = |line: &&str| {
        let (start, whole) = (line.trim_start(), format!("{line}\n"));
        line.matches(old).count() == 1
            && !start.starts_with(['/', '#', '*', '<'])
            && !line.contains(['"', '\'', '`'])
            && file.matches(&whole).count() == 1
    };
    let copied: Vec<&str> = target.lines().filter(is_copied).collect();
    let line = copied.get(rng.below(copied.len()))?;
    let sample = commented.refusal(fenced(&target.replacen(line, &line.replacen(old, new, 1), 1)))?;
    is_applied(&commented, asked).then(|| Sample { instruction: asked.to_owned(), ..sample })
}
