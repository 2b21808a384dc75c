//! Replies that were truncated where neither a fence nor a mark closes them. A reply that appears complete is refused
//! as well, if the caller asks for certainty.

use super::Must::Refuse;
use super::draft::{Draft, Form, reply, with_marks};
use super::formats::{diff, header, in_range, marked, numbers, text};
use super::harm;
use super::odd::document;
use super::{Class, Sample};
use crate::edit::corpus::{Case, Rng};

fn strict(sample: Sample) -> Sample {
    Sample { target: sample.file.clone(), strict: true, ..sample }
}

fn cut(sample: Sample, rng: &mut Rng) -> Option<Sample> {
    let end = sample.reply.len().checked_sub(1).filter(|end| *end > 1)?;
    Some(strict(Sample { reply: harm::cut(&sample.reply, end, rng), ..sample }))
}

pub(super) fn bare_region(case: &Case, rng: &mut Rng) -> Option<Sample> {
    cut(in_range(case, 4, |_, new| new.to_owned())?, rng)
}

/// Neither a grammar nor a caller that asks for certainty can reveal the truncation: within a line, at the end of a
/// word.
pub(super) fn bare_text(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let sample = in_range(case, 4, |_, new| new.to_owned())?;
    let range = sample.range.clone()?;
    let (old, reply) = (&sample.file[range], &sample.reply);
    // The prefix of an existing line, shorter than that line.
    let ends: Vec<usize> = reply
        .match_indices([' ', '(', ')', ',', ';', '.'])
        .map(|(at, _)| at)
        .filter(|at| {
            let line = reply[..*at].rfind('\n').map_or(0, |at| at + 1);
            let part = &reply[line..*at];
            let known = |own: &str| own.starts_with(part) && own.len() > part.len();
            part.trim().len() > 2 && old.lines().any(known) && !old.lines().any(|own| own == part)
        })
        .collect();
    let at = *ends.get(rng.below(ends.len()))?;
    // There must be a change before the cut.
    (!old.starts_with(&reply[..at])).then_some(())?;
    Some(Sample { grammar: None, strict: false, reply: reply[..at].to_owned(), ..strict(sample) })
}

pub(super) fn bare_whole(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let sample = case.sample(case.target())?;
    let changed = case.hunks.last()?.at;
    let from: usize = sample.reply.split_inclusive('\n').take(changed + 3).map(str::len).sum();
    let end = sample.reply.len().checked_sub(2).filter(|end| *end >= from)?;
    let reply = between(&sample.reply, from, end, rng).to_owned();
    Some(Sample { strict: false, reply, ..strict(sample) })
}

/// A diff without a fence that ends in the header of a missing hunk.
pub(super) fn next_header(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [first, second] = case.hunks.as_slice() else { return None };
    let head = header(numbers(case, second, 3));
    let head = &head[..1 + rng.below(head.len())];
    let path = case.path;
    case.refusal(format!(
        "--- a/{path}\n+++ b/{path}\n{}{}{head}",
        header(numbers(case, first, 3)),
        marked(case, first, 3)
    ))
}

/// A diff without a fence whose last hunk has less context than its counts state.
pub(super) fn counts(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let whole = diff(case);
    let (_, after) = case.around(case.hunks.last()?, 3);
    if after.len() < 3 {
        return None;
    }
    let lines: Vec<&str> = whole.lines().collect();
    let kept = lines.len() - 1 - rng.below(2);
    case.refusal(lines[..kept].iter().map(|line| format!("{line}\n")).collect::<String>())
}

/// A diff of several files that ends in the second one's header.
pub(super) fn file_header(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let more = "--- a/src/b.rs\n+++ b/src/b.rs\n";
    let end = more.len() - [0, 1, 9, 13][rng.below(4)];
    case.refusal(diff(case) + &more[..end])
}

/// A diff without a fence whose last line, an unchanged one, is truncated.
pub(super) fn last_line(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let whole = diff(case);
    let whole = whole.trim_end_matches('\n');
    let line = whole.rsplit('\n').next().filter(|line| line.starts_with(' ') && line.trim().len() > 3)?;
    let left = line.len() - 1 - rng.below(line.len() - 2);
    let at = whole.len() - line.len() + left;
    whole.is_char_boundary(at).then(|| case.refusal(&whole[..at]))?
}

/// Complete blocks, in a fence that ends within its closing mark.
pub(super) fn half_a_fence(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let fence = ["```", "~~~", "````"][rng.below(3)];
    let half = &fence[..1 + rng.below(2)];
    case.refusal(format!("{fence}\n{}{half}", super::formats::blocks(case).concat()))
}

/// Text that contains fences, in a fence that is not closed: the last inner fence does not close it.
pub(super) fn region_with_fences(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let sample = in_range(&document(case), [4, 400][rng.below(2)], |_, new| format!("```markdown\n{new}"))?;
    let range = sample.range.clone()?;
    sample.file[range].contains("```").then_some(Sample { target: sample.file.clone(), ..sample })
}

pub(super) const CLASSES: &[Class] = &[
    ("cut: fence of a diff left open", Refuse, |case, _| case.refused(format!("```diff\n{}", diff(case)))),
    ("cut: fence of a region left open", Refuse, |case, _| {
        in_range(case, 4, |_, new| format!("```\n{new}"))?.refused()
    }),
    ("cut: fence of a file left open", Refuse, |case, _| case.refused(format!("```\n{}", case.target()))),
    ("cut: tags", Refuse, |case, rng| {
        let whole = reply(case, rng, &[Form::Tags]);
        let from = whole.rfind("<old_text>")? + 5;
        case.refused(between(&whole, from, whole.trim_end().len(), rng))
    }),
    ("cut: opener of a block", Refuse, |case, rng| {
        let whole = reply(case, rng, &[Form::Blocks]);
        let last = whole.rfind("<<<<<<< SEARCH").filter(|at| *at > 0)?;
        case.refused(&whole[..last + 3 + rng.below(10)])
    }),
    ("cut: header without numbers", Refuse, |case, rng| {
        let parts = Draft::new(case, rng, &[Form::Diff]).parts;
        let whole = with_marks(Form::Diff, case.path, &parts, |_| "@@ ... @@".to_owned());
        case.refused(whole + rng.of(&["@@ ... @@", "@@ ... @@\n"]))
    }),
    ("cut: last mark of a patch", Refuse, |case, rng| {
        let end = rng.of(&["*** End", "*** E", "***", "*** End Pat", "*** End of"]);
        case.refused(reply(case, rng, &[Form::Patch]).replace("*** End Patch\n", end))
    }),
    ("cut: said to be", Refuse, |case, rng| {
        let whole = reply(case, rng, &[Form::Patch]);
        let lines = whole.lines().count();
        let kept = whole.lines().take(4 + rng.below(lines - 5)).map(|line| format!("{line}\n"));
        let note = rng.of(&["[truncated]", "...", "[output cut off]", "(continued in the next message)"]);
        case.refused(kept.collect::<String>() + note)
    }),
    ("cut: middle of a block", Refuse, |case, _| {
        let (old, new) = case.halves(case.lone()?, 3);
        let lines = [&old[..2], &new[1..]].concat();
        case.refused(format!("<<<<<<< SEARCH\n{}>>>>>>> REPLACE\n", text(&lines)))
    }),
    ("cut: section of another file", Refuse, |case, rng| {
        let whole =
            reply(case, rng, &[Form::Patch]).replace("*** End Patch\n", "*** Update File: other.txt\n");
        let from = whole.rfind("*** Update")? + 4;
        let whole = whole + "@@\n a\n-b\n+c\n";
        case.refused(between(&whole, from, whole.len(), rng))
    }),
    ("cut: here-document", Refuse, |case, rng| {
        let whole = reply(case, rng, &[Form::Patch]);
        let end = whole.find("*** End Patch")? + 9;
        case.refused(format!("apply_patch <<'EOF'\n{}\nEOF\n", between(&whole, 60, end, rng)))
    }),
    ("cut: whole file in a closed fence", Refuse, |case, rng| {
        let whole = case.target();
        let piece = between(&whole, whole.len() * 2 / 3, whole.len(), rng);
        let count = |sign: char| piece.matches(sign).count();
        let is_open = count('{') > count('}') && !piece.trim_end().ends_with('}');
        case.grammar.filter(|grammar| is_open && grammar.errors_are_reliable())?;
        case.refused(format!("~~~\n{piece}\n~~~\n"))
    }),
];

/// The text up to a random character between two offsets.
pub(super) fn between<'t>(text: &'t str, from: usize, to: usize, rng: &mut Rng) -> &'t str {
    let mut at = from + rng.below(to - from);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    &text[..at]
}
