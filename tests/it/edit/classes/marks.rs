//! Misspelt marks of a format, and lines that belong to no block: no edit may be lost.

use super::Sample;
use super::formats::{block, blocks, definition, diff, header, json_edits, marked, numbers, patch_text};
use crate::edit::corpus::{Case, Rng};

fn indented(text: &str, blanks: &str) -> String {
    text.lines().map(|line| format!("{blanks}{line}\n")).collect()
}

pub(super) fn patch_indented(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let blanks = ["  ", "   ", "    ", "\t"][rng.below(4)];
    case.sample(format!("1. Apply this:\n\n{}", indented(&patch_text(case), blanks)))
}

fn section(case: &Case) -> String {
    format!("*** Update File: {}\n", case.path)
}

pub(super) fn section_padded(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let blanks = [" ", "  ", "\t"][rng.below(3)];
    case.sample(patch_text(case).replace(&section(case), &format!("{blanks}{}", section(case))))
}

/// One section for each hunk.
pub(super) fn in_sections(case: &Case) -> Option<String> {
    let sections = case.hunks.iter().map(|hunk| format!("{}@@\n{}", section(case), marked(case, hunk, 3)));
    let sections: String = sections.collect();
    (case.hunks.len() > 1).then(|| format!("*** Begin Patch\n{sections}*** End Patch\n"))
}

pub(super) fn sections_padded(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let blanks = [" ", "  ", "   "][rng.below(3)];
    case.sample(in_sections(case)?.replace(&section(case), &format!("{blanks}{}", section(case))))
}

pub(super) fn section_bare(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let bare = |text: &str| text.replace("*** Update", "Update");
    case.sample(if rng.below(2) == 0 { bare(&patch_text(case)) } else { bare(&in_sections(case)?) })
}

pub(super) fn end_padded(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let end = [" *** End Patch", "   *** End Patch", "End Patch"][rng.below(3)];
    let behind = ["", "\nThat is all.\n", "```\nDone.\n"][rng.below(3)];
    let patch = patch_text(case).replace("*** End Patch", end);
    case.sample(if behind.starts_with('`') { format!("```\n{patch}{behind}") } else { patch + behind })
}

pub(super) fn closer_twice(case: &Case, rng: &mut Rng) -> Option<Sample> {
    case.sample(match rng.below(2) {
        0 => blocks(case).concat() + ">>>>>>> REPLACE\n",
        _ => patch_text(case) + "*** End Patch\n",
    })
}

pub(super) fn pairs_on_a_line(case: &Case, _: &mut Rng) -> Option<Sample> {
    let pairs = case.hunks.iter().map(|hunk| {
        let (old, new) = case.halves(hunk, 3);
        format!("<old_text>{}</old_text><new_text>{}</new_text>", old.join("\n"), new.join("\n"))
    });
    (case.hunks.len() > 1).then(|| case.sample(pairs.collect::<String>()))?
}

pub(super) fn no_section(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(patch_text(case).replace(&section(case), ""))
}

/// The mark of the second section is invalid, so its hunks would be added to the first section or lost.
pub(super) fn second_section_unread(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let patch = in_sections(case)?;
    let at = patch.rfind(&section(case))?;
    let (head, tail) = patch.split_at(at);
    let tail = &tail[section(case).len()..];
    let odd =
        ["*** Update Flie: src/b.rs\n", "Now src/b.rs:\n", "  *** Update File: src/b.rs\n"][rng.below(3)];
    case.refusal(format!("{head}{odd}{tail}"))
}

pub(super) fn opener_unread(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let blocks = blocks(case);
    let last = blocks.last().filter(|_| blocks.len() > 1)?;
    let odd = ["<<< SEARCH", "SEARCH", "<<<<<<<<<<<< SEARCH"][rng.below(3)];
    let broken = last.replacen("<<<<<<< SEARCH", odd, 1);
    case.refusal(blocks[..blocks.len() - 1].concat() + &broken)
}

/// Prose between two hunks in a fence is neither context nor a header.
pub(super) fn talk_between(case: &Case, _: &mut Rng) -> Option<Sample> {
    let hunks: Vec<String> =
        case.hunks.iter().map(|hunk| header(numbers(case, hunk, 3)) + &marked(case, hunk, 3)).collect();
    (hunks.len() > 1).then(|| case.refusal(format!("```diff\n{}```\n", hunks.join("And then:\n"))))?
}

pub(super) fn item_unread(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut edits = json_edits(case);
    let last = edits.last_mut().filter(|_| case.hunks.len() > 1)?.as_object_mut()?;
    let key = ["old_string", "new_string"][rng.below(2)];
    let text = last.remove(key)?;
    if rng.below(2) == 0 {
        last.insert(format!("{key}s"), text);
    } else {
        last.insert(key.to_owned(), serde_json::Value::Null);
    }
    let list = serde_json::Value::Array(edits);
    case.refusal(if rng.below(2) == 0 {
        list.to_string()
    } else {
        serde_json::json!({ "edits": list }).to_string()
    })
}

/// Edits in JSON and in another format: the intended ones are ambiguous.
pub(super) fn two_formats(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [first, second] = case.hunks.as_slice() else { return None };
    let one = |hunk: &crate::edit::corpus::Hunk| Case { hunks: vec![hunk.clone()], ..case.clone() };
    let json = serde_json::Value::Array(json_edits(&one(first))).to_string();
    let other = if rng.below(2) == 0 { blocks(&one(second)).concat() } else { diff(&one(second)) };
    case.refusal(if rng.below(2) == 0 { format!("{json}\n\n{other}") } else { format!("{other}\n{json}\n") })
}

pub(super) fn empty_section(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let hunk = case.hunks.first()?;
    let body = match rng.below(3) {
        0 => String::new(),
        1 => "\n\n".to_owned(),
        _ => format!("@@ {}\n", definition(case, hunk)?),
    };
    case.refusal(format!("*** Begin Patch\n{}{body}*** End Patch\n", section(case)))
}

/// A block of unchanged lines, one of which is not in the file: it does not count as already applied.
pub(super) fn kept_not_there(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let hunk = case.hunks.first()?;
    let (mut old, _) = case.halves(hunk, 3);
    let at = rng.below(old.len());
    old[at] = "    this_line_was(made_up);".to_owned();
    case.refusal(block(&old, &old)).map(|sample| Sample { target: "a refusal".to_owned(), ..sample })
}
