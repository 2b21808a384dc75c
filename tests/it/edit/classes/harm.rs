//! Replies that change nothing, and replies whose meaning is not certain.

use tandem::edit::{Request, accept, apply, span};

use super::Sample;
use super::formats::{block, blocks, diff, marked, numbers, patch_text, range_of, span_text, text};
use super::slips::doubled;
use crate::edit::corpus::{Case, Rng};

pub(super) fn already_applied(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let reply = super::slips::any_format(case, rng);
    let target = case.target();
    Some(Sample { file: target.clone(), target, ..case.sample(reply)? })
}

pub(super) fn identical(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (old, _) = case.halves(&case.hunks[0], 3);
    case.refusal(block(&old, &old))
}

pub(super) fn no_edits(case: &Case, rng: &mut Rng) -> Option<Sample> {
    case.refusal(
        ["NO_EDITS", "NO_EDITS\n", "The code is right.\n\nNO_EDITS\n", "```\nNO_EDITS\n```"][rng.below(4)],
    )
}

pub(super) fn talk(case: &Case, rng: &mut Rng) -> Option<Sample> {
    case.refusal(
        [
            "I think that the code is fine as it stands.",
            "Which of the two functions do you mean?",
            "Sorry, I cannot do that.",
        ][rng.below(3)],
    )
}

/// The text up to a random character before `end`.
pub(super) fn cut(text: &str, end: usize, rng: &mut Rng) -> String {
    let mut at = 1 + rng.below(end - 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    text[..at].to_owned()
}

pub(super) fn cut_search(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let whole = blocks(case).concat();
    let first = whole.find("<<<<<<< SEARCH\n")? + "<<<<<<< SEARCH\n".len();
    let reply = cut(&whole, whole.len() - 1, rng);
    // Between two blocks nothing is open.
    let open = reply.rfind("<<<<<<< SEARCH\n") > reply.rfind(">>>>>>> REPLACE");
    (reply.len() > first && open).then(|| case.refusal(reply))?
}

pub(super) fn cut_diff(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let whole = format!("```diff\n{}```\n", diff(case));
    case.refusal(cut(&whole, whole.len() - 4, rng))
}

pub(super) fn cut_patch(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let whole = patch_text(case);
    case.refusal(cut(&whole, whole.len() - 2, rng))
}

pub(super) fn cut_json(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (old, new) = case.halves(&case.hunks[0], 3);
    let whole = serde_json::json!([{ "old_string": text(&old), "new_string": text(&new) }]).to_string();
    case.refusal(cut(&whole, whole.len(), rng))
}

pub(super) fn cut_region(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (range, _, new) = range_of(case, 4)?;
    let whole = format!("```\n{}```\n", text(&new));
    Some(Sample { range: Some(range), ..case.refusal(cut(&whole, whole.len() - 4, rng))? })
}

pub(super) fn cut_region_prose(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (range, _, new) = range_of(case, 4)?;
    let opening =
        ["Sure", "Here is the new text of `main`", "I'll rename the variable. It is used in two places"]
            [rng.below(3)];
    let whole = format!("{opening}:\n\n```\n{}```\n", text(&new));
    let end = [opening.len(), whole.len() - 4][rng.below(2)];
    Some(Sample { range: Some(range), ..case.refusal(cut(&whole, end, rng))? })
}

pub(super) fn cut_whole(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let whole = format!("```\n{}```\n", case.target());
    case.refusal(cut(&whole, whole.len() - 4, rng))
}

pub(super) fn cut_span(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (from, new, to) = span_text(case)?;
    let whole = format!("<@{from}>\n{new}<@{to}>\n");
    case.refusal(cut(&whole, whole.len() - 2, rng))
}

/// A diff without a fence has no end mark; truncated after the last change, it means the same.
pub(super) fn cut_bare_diff(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [_] = case.hunks.as_slice() else { return None };
    let whole = diff(case);
    case.sample(cut(&whole, whole.len() - 1, rng))
}

pub(super) fn other_file(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let named = case.path.rsplit('/').next()?;
    let reply = match rng.below(3) {
        0 => format!("src/other/unlike.rs\n```\n{}```\n", blocks(case).concat()),
        1 => diff(case).replace(named, "unlike.rs"),
        _ => patch_text(case).replace(named, "unlike.rs"),
    };
    case.refusal(reply)
}

pub(super) fn operations(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let path = case.path;
    let body = match rng.below(3) {
        0 => format!("*** Delete File: {path}\n"),
        1 => format!("*** Add File: {path}\n+new\n"),
        _ => format!("*** Update File: {path}\n*** Move to: new/{path}\n{}", marked(case, &case.hunks[0], 3)),
    };
    case.refusal(format!("*** Begin Patch\n{body}*** End Patch\n"))
}

pub(super) fn tie(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (more, _) = doubled(case, "// The same once more.")?;
    more.refusal(super::slips::any_format_without_numbers(case, rng))
}

pub(super) fn tie_between(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (more, copy) = doubled(case, "// The same once more.")?;
    let hunk = &case.hunks[0];
    let ([a, b, _, d], [end, ..]) = (numbers(case, hunk, 3), numbers(&more, &copy, 3));
    let between = (a + end) / 2;
    more.refusal(format!("```diff\n@@ -{between},{b} +{between},{d} @@\n{}```\n", marked(case, hunk, 3)))
}

pub(super) fn two_wills(case: &Case, _: &mut Rng) -> Option<Sample> {
    let hunk = case.hunks.iter().find(|hunk| !hunk.old.is_empty())?;
    let (old, new) = case.halves(hunk, 3);
    let mut other = new.clone();
    other.insert(case.around(hunk, 3).0.len(), "    something_else();".to_owned());
    case.refusal(block(&old, &new) + &block(&old, &other))
}

/// A copy of the line with one character that satisfies `which` replaced.
pub(super) fn misspelt(line: &str, which: fn(&char) -> bool, by: char, rng: &mut Rng) -> Option<String> {
    let places: Vec<usize> =
        line.char_indices().filter(|(_, letter)| which(letter) && *letter != by).map(|(at, _)| at).collect();
    let at = *places.get(rng.below(places.len()))?;
    let mut odd = line.to_owned();
    odd.replace_range(at..at + 1, &by.to_string());
    Some(odd)
}

fn with_deleted(case: &Case, which: fn(&char) -> bool, by: char, rng: &mut Rng) -> Option<Sample> {
    let hunk = case.hunks.iter().find(|hunk| !hunk.old.is_empty())?;
    let (before, after) = case.around(hunk, 3);
    let mut old = hunk.old.clone();
    old[0] = misspelt(&old[0], which, by, rng)?;
    (!hunk.new.contains(&old[0]))
        .then(|| case.refusal(block(&[before, &old, after].concat(), &[before, &hunk.new, after].concat())))?
}

pub(super) fn letter_in_deleted(case: &Case, rng: &mut Rng) -> Option<Sample> {
    with_deleted(case, char::is_ascii_lowercase, 'q', rng)
}

pub(super) fn digit_in_deleted(case: &Case, rng: &mut Rng) -> Option<Sample> {
    with_deleted(case, char::is_ascii_digit, '7', rng)
}

/// The user changed the location, and a near copy of it is elsewhere.
pub(super) fn near_copy(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (mut more, copy) = doubled(case, "// The same once more.")?;
    let hunk = &case.hunks[0];
    let reply = super::slips::any_format_without_numbers(case, rng);
    more.lines[hunk.at] = misspelt(&more.lines[hunk.at], char::is_ascii_lowercase, 'q', rng)?;
    more.lines[copy.at] = misspelt(&more.lines[copy.at], char::is_ascii_lowercase, 'z', rng)?;
    more.refusal(reply)
}

pub(super) fn invented(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let hunk = &case.hunks[0];
    let (before, after) = case.around(hunk, 3);
    let mut before = before.to_vec();
    let at = rng.below(before.len());
    before[at] = "    let imagined = make_up(things);".to_owned();
    case.refusal(block(&[&before, &hunk.old[..], after].concat(), &[&before, &hunk.new[..], after].concat()))
}

pub(super) fn lazy(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (before, after) = case.around(hunk, 3);
    let mark =
        ["    // ... existing code ...", "    # ... rest of the code unchanged ...", "// ..."][rng.below(3)];
    let new = [before, &hunk.new, &[mark.to_owned()]].concat();
    let old = [before, &hunk.old, after].concat();
    case.refusal(block(&old, &new))
}

pub(super) fn lazy_region(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (range, _, new) = range_of(case, 6)?;
    let [hunk] = case.hunks.as_slice() else { return None };
    let kept = &new[..new.len().saturating_sub(4).max(1)];
    let odd = [kept, &["// ... rest unchanged ...".to_owned()]].concat();
    (hunk.at > 6).then_some(())?;
    Some(Sample { range: Some(range), ..case.sample(format!("```\n{}```\n", text(&odd)))? })
}

pub(super) fn looping(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (range, _, new) = range_of(case, 2)?;
    let line = new.iter().find(|line| line.contains(char::is_alphanumeric))?;
    let reply = format!("```\n{}```\n", format!("{line}\n").repeat(40));
    Some(Sample { range: Some(range), ..case.refusal(reply)? })
}

pub(super) fn divider_missing(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.refusal(blocks(case).concat().replacen("=======\n", "", 1))
}

pub(super) fn range_without_old(case: &Case, _: &mut Rng) -> Option<Sample> {
    let hunk = &case.hunks[0];
    case.refusal(
        serde_json::json!([{ "start_line": hunk.at + 1, "end_line": hunk.at + 1, "new_text": hunk.new.join("\n") }]).to_string(),
    )
}

pub(super) fn empty_search(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.refusal(block(&[], &case.hunks[0].new))
}

pub(super) fn empty_whole(case: &Case, rng: &mut Rng) -> Option<Sample> {
    case.refusal(["```\n```\n", "```\n\n```\n", "", "\n\n"][rng.below(4)])
}

pub(super) fn fragment(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (_, new) = case.halves(&case.hunks[0], 5);
    case.refusal(format!("```\n{}```\n", text(&new)))
}

pub(super) fn outside(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [first, second] = case.hunks.as_slice() else { return None };
    let one = Case { hunks: vec![first.clone()], ..case.clone() };
    let (range, ..) = range_of(&one, 2)?;
    let _ = second;
    Some(Sample { range: Some(range), ..case.refusal(super::slips::any_format(case, rng))? })
}

pub(super) fn whole_outside(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [first, _] = case.hunks.as_slice() else { return None };
    let one = Case { hunks: vec![first.clone()], ..case.clone() };
    let (range, ..) = range_of(&one, 2)?;
    Some(Sample { range: Some(range), ..case.refusal(format!("```\n{}```\n", case.target()))? })
}

pub(super) fn unknown_tag(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (from, new, to) = span_text(case)?;
    let wrong: String = from.chars().rev().collect();
    let known = span::cut(&case.file(), 0..case.file().len());
    let unknown = known.tags.iter().all(|(tag, _)| *tag != wrong);
    unknown.then(|| case.refusal(format!("<@{wrong}>\n{new}<@{to}>\n")))?
}

pub(super) fn end_elsewhere(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (_, after) = case.around(hunk, 3);
    if after.len() < 3 || hunk.at + 8 > case.lines.len() {
        return None;
    }
    let reply = format!(
        "*** Begin Patch\n*** Update File: {}\n@@\n{}*** End of File\n*** End Patch\n",
        case.path,
        marked(case, hunk, 3)
    );
    case.refusal(reply)
}

/// The helpers of this file produce what their names state.
#[test]
fn samples_are_what_they_seem() {
    let request = Request { text: "a\nb\n", ..Request::default() };
    let accepted = accept(&request, &block(&["b".to_owned()], &["c".to_owned()])).unwrap();
    assert_eq!(apply(request.text, &accepted.edits), "a\nc\n");
}
