//! Minimal replies: a line or two of old text, without context.

use super::Sample;
use super::formats::{block, marked};
use super::slips::doubled;
use crate::edit::corpus::{Case, Hunk, Rng};

/// The only hunk of an edit, if its old lines are distinctive and occur in the file once, even as a part of other
/// text.
fn lone(case: &Case) -> Option<&Hunk> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let old = hunk.old.join("\n");
    let says = old.chars().filter(|letter| letter.is_alphanumeric()).count() > 2;
    (says && case.file().matches(old.trim()).count() == 1).then_some(hunk)
}

/// Old and new text in one of the formats that use strings.
fn strings(old: &str, new: &str, rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => serde_json::json!({ "old_string": old, "new_string": new }).to_string(),
        1 => serde_json::json!([{ "search": old, "replace": new }]).to_string(),
        _ => format!("<old_text>\n{old}\n</old_text>\n<new_text>\n{new}\n</new_text>\n"),
    }
}

pub(super) fn one_line(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let hunk = lone(case)?;
    case.sample(strings(&hunk.old.join("\n"), &hunk.new.join("\n"), rng))
}

/// A line whose indentation is missing in both halves, and the lines that replace it.
fn grown(case: &Case) -> Option<(&Hunk, &str)> {
    let hunk = lone(case)?;
    let [old] = hunk.old.as_slice() else { return None };
    let blanks = &old[..old.len() - old.trim_start().len()];
    let deep = hunk.new.iter().all(|line| line.starts_with(blanks) && !line.trim().is_empty());
    (!blanks.is_empty() && deep && hunk.new.len() > 1).then_some((hunk, blanks))
}

/// Old and new lines as text, in strings or between markers.
fn strings_or_lines(old: &str, new: &[&str], rng: &mut Rng) -> String {
    let lines = || new.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    if rng.below(2) == 0 { strings(old, &new.join("\n"), rng) } else { block(&[old.to_owned()], &lines()) }
}

pub(super) fn line_outdented(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (hunk, blanks) = grown(case)?;
    let new: Vec<&str> = hunk.new.iter().map(|line| &line[blanks.len()..]).collect();
    case.sample(strings_or_lines(hunk.old[0].trim_start(), &new, rng))
}

/// Only the first line lost its indentation; if the others could be nested in the block it opens, the result is
/// ambiguous.
pub(super) fn first_blanks_lost(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (hunk, blanks) = grown(case)?;
    let mut new: Vec<&str> = hunk.new.iter().map(String::as_str).collect();
    new[0] = &new[0][blanks.len()..];
    case.sample(strings_or_lines(hunk.old[0].trim_start(), &new, rng))
}

/// The line's last letter is missing on both sides: the rest is a part of the file's last word.
pub(super) fn part_of_word(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let hunk = lone(case)?;
    let ([old], [new]) = (hunk.old.as_slice(), hunk.new.as_slice()) else { return None };
    let end = old.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric()).len();
    let (cut, tail) = old.split_at(end.checked_sub(1)?);
    let old_part = cut.ends_with(|letter: char| letter.is_ascii_alphanumeric()).then_some(cut)?;
    let new_part = new.strip_suffix(tail).filter(|part| *part != old_part)?;
    case.refusal(strings(old_part, new_part, rng))
}

/// Two of three equal lines in a row: the first two, or the last?
pub(super) fn overlapping_copies(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let hunk = lone(case)?;
    let ([old], [new]) = (hunk.old.as_slice(), hunk.new.as_slice()) else { return None };
    let mut more = Case { grammar: None, ..case.clone() };
    more.lines.splice(hunk.at..hunk.at, [old.clone(), old.clone()]);
    more.refusal(strings(&format!("{old}\n{old}"), new, rng))
}

/// Lines to be added after another one are already there.
pub(super) fn added_already(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let mut done = Case { grammar: None, ..case.clone() };
    done.hunks[0].new.push("    and_one_more();".to_owned());
    let above = case.lines.get(hunk.at.checked_sub(1)?).filter(|line| !line.trim().is_empty())?;
    let file = done.target();
    if !hunk.old.is_empty() || file.matches(above.as_str()).count() != 1 {
        return None;
    }
    let reply = strings(above, &format!("{above}\n{}", done.hunks[0].new.join("\n")), rng);
    Some(Sample { file: file.clone(), target: file, ..done.sample(reply)? })
}

/// The lines of the named definition have changed meanwhile; lines equal to the old ones precede it.
pub(super) fn definition_behind(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (mut more, copy) = doubled(case, "fn the_same_once_more() {")?;
    let start = copy.at - case.around(&case.hunks[0], 3).0.len();
    more.lines[start..].iter_mut().for_each(|line| line.insert_str(0, "    "));
    more.lines[copy.at] = "    changed_meanwhile();".to_owned();
    more.refusal(format!(
        "*** Begin Patch\n*** Update File: {}\n@@ fn the_same_once_more() {{\n{}*** End Patch\n",
        more.path,
        marked(case, &case.hunks[0], 3)
    ))
}
