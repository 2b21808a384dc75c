//! Evidence for where new lines belong, and for their indentation.

use super::Sample;
use super::formats::{block, blocks, definition, diff, header, in_range, marked, numbers, patch_text, text};
use super::harm::misspelt;
use super::slips::{any_format, doubled};
use crate::edit::corpus::{Case, Hunk, Rng};

/// A hunk that matches nowhere as a whole: its upper half matches only one of two near copies, its lower half only
/// the other.
pub(super) fn torn_hunk(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (mut more, copy) = doubled(case, "// The same once more.")?;
    let hunk = &case.hunks[0];
    let (before, after) = case.around(hunk, 3);
    let says = |line: &String| line.chars().filter(|letter| letter.is_alphanumeric()).count() > 2;
    if hunk.new.is_empty() || !before.iter().any(says) || !after.iter().any(says) {
        return None;
    }
    let reply = if rng.below(2) == 0 {
        patch_text(case)
    } else {
        format!("```diff\n@@ ... @@\n{}```\n", marked(case, hunk, 3))
    };
    // The lines after the change differ here, and those before it there.
    let below = hunk.at + hunk.old.len() + after.iter().position(says)?;
    let above = copy.at - before.len() + before.iter().position(says)?;
    more.lines[below] = misspelt(&more.lines[below], char::is_ascii_lowercase, 'q', rng)?;
    more.lines[above] = misspelt(&more.lines[above], char::is_ascii_lowercase, 'q', rng)?;
    more.refusal(reply)
}

/// The same with two changes in the hunk: each matches only one of the copies.
pub(super) fn torn_pair(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let hunk = &case.hunks[0];
    let (before, after) = case.around(hunk, 6);
    let says = |line: &String| line.chars().filter(|letter| letter.is_alphanumeric()).count() > 2;
    let [.., second, _] = after else { return None };
    if case.hunks.len() > 1 || hunk.old.is_empty() || after.len() < 6 || !says(second) || !says(&hunk.old[0])
    {
        return None;
    }
    let mark =
        |mark: &str, lines: &[String]| lines.iter().map(|line| format!("{mark}{line}\n")).collect::<String>();
    let lines = [
        mark(" ", before),
        mark("-", &hunk.old),
        mark("+", &hunk.new),
        mark(" ", &after[..4]),
        format!("-{second}\n+{second} // changed\n"),
        mark(" ", &after[5..]),
    ]
    .concat();
    let mut more = Case { grammar: None, ..case.clone() };
    let start = more.lines.len() + 1;
    more.lines.push("// The same once more.".to_owned());
    more.lines.extend([before, &hunk.old, after].concat());
    let (below, above) = (hunk.at + hunk.old.len() + 4, start + before.len());
    more.lines[below] = misspelt(&more.lines[below], char::is_ascii_lowercase, 'q', rng)?;
    more.lines[above] = misspelt(&more.lines[above], char::is_ascii_lowercase, 'q', rng)?;
    more.refusal(format!("*** Begin Patch\n*** Update File: {}\n@@\n{lines}*** End Patch\n", more.path))
}

/// A line to delete is in a copy that has changed since; another copy has the lines without it.
pub(super) fn taken_from_a_copy(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (before, after) = case.around(hunk, 3);
    if hunk.old.is_empty() || !hunk.new.is_empty() || before.is_empty() || after.len() < 2 {
        return None;
    }
    let reply = any_format(case, rng);
    let mut more = Case { grammar: None, ..case.clone() };
    more.lines.push("// The same without it.".to_owned());
    more.lines.extend([before, after].concat());
    let below = hunk.at + hunk.old.len();
    more.lines[below].push_str("  // later");
    more.refusal(reply)
}

/// The last unchanged line was extended since: lines between tags on their own lines are whole lines.
pub(super) fn written_on(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (_, after) = case.around(hunk, 3);
    let last = after.last().filter(|line| line.ends_with([';', '{', ')', ',']))?;
    let reply = super::formats::search_tags(case, &mut Rng::new(1))?.reply;
    let mut more = Case { grammar: None, ..case.clone() };
    more.lines[hunk.at + hunk.old.len() + after.len() - 1] = format!("{last}  // later");
    more.refusal(reply)
}

/// A definition in column zero below the range's only line, ending in the same line.
pub(super) fn added_below(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut case = Case { grammar: None, ..case.clone() };
    let at = case.lines.iter().position(|line| line.starts_with("    ") && line.trim().len() > 5)?;
    let line = case.lines[at].clone();
    let more = ["", "", "def added():", &line].map(str::to_owned);
    case.hunks = vec![Hunk { at: at + 1, old: Vec::new(), new: more[..2 + 2 * rng.below(2)].to_vec() }];
    if case.hunks[0].new.len() < 4 {
        case.hunks[0].new = ["", "", "def added():", "    return 1", &line].map(str::to_owned).to_vec();
    }
    let start: usize = case.lines[..at].iter().map(|line| line.len() + 1).sum();
    let range = start..start + line.len() + 1;
    let reply = format!("```\n{}```\n", text(&[&[line.clone()][..], &case.hunks[0].new].concat()));
    Some(Sample { range: Some(range), ..case.sample(reply)? })
}

/// The range's first line unchanged, and new lines indented less than the range.
pub(super) fn first_line_kept(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let first = case.lines.get(hunk.at).filter(|line| line.starts_with("    ") && line.trim().len() > 3)?;
    let mut case = Case { grammar: None, ..case.clone() };
    case.hunks = vec![Hunk { at: hunk.at + 1, old: Vec::new(), new: vec!["less_deep();".to_owned()] }];
    let start: usize = case.lines[..hunk.at].iter().map(|line| line.len() + 1).sum();
    let range = start..start + first.len() + 1;
    let reply = format!("```\n{first}\nless_deep();\n```\n");
    Some(Sample { range: Some(range), ..case.sample(reply)? })
}

fn with_mark(sample: Sample) -> Sample {
    let marked = |text: &str| format!("\u{feff}{text}");
    let mark = '\u{feff}'.len_utf8();
    let range = sample.range.clone().map(|range| range.start + mark..range.end + mark);
    Sample { file: marked(&sample.file), target: marked(&sample.target), range, ..sample }
}

/// A new first line in a file with a byte-order mark.
pub(super) fn mark_and_new_line(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut case = Case { grammar: None, ..case.clone() };
    case.hunks = vec![Hunk { at: 0, old: Vec::new(), new: vec!["// A new first line.".to_owned()] }];
    let reply = match rng.below(4) {
        0 => format!("```\n{}```\n", case.target()),
        1 => format!("```\n\u{feff}{}```\n", case.target()),
        2 => diff(&case),
        _ => blocks(&case).concat(),
    };
    Some(with_mark(case.sample(reply)?))
}

/// The reply repeats the file's byte-order mark.
pub(super) fn mark_repeated(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut case = Case { grammar: None, ..case.clone() };
    let first = case.lines.first()?.clone();
    let changed = format!("{first} // changed");
    case.hunks = vec![Hunk { at: 0, old: vec![first], new: vec![changed] }];
    let (old, new) = case.halves(&case.hunks[0], 3);
    let (old, new) = (text(&old), text(&new));
    let reply = match rng.below(3) {
        0 => format!("<<<<<<< SEARCH\n\u{feff}{old}=======\n\u{feff}{new}>>>>>>> REPLACE\n"),
        1 => serde_json::json!({ "old_string": format!("\u{feff}{old}"), "new_string": new }).to_string(),
        _ => diff(&case).replacen("\n-", "\n-\u{feff}", 2).replacen("\n+", "\n+\u{feff}", 2),
    };
    let reply = reply.replace("+\u{feff}++ ", "+++ ").replace("-\u{feff}-- ", "--- ");
    Some(with_mark(case.sample(reply)?))
}

fn named(case: &Case, path: &str, rng: &mut Rng) -> String {
    match rng.below(4) {
        0 => format!("{path}\n```\n{}```\n", blocks(case).concat()),
        1 => diff(case).replace(case.path, path),
        2 => patch_text(case).replace(case.path, path),
        _ => format!("{path}\n```\n{}```\n", case.target()),
    }
}

/// The same file name in another folder.
pub(super) fn other_folder(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (_, name) = case.path.rsplit_once('/')?;
    let path =
        format!("{}/{name}", ["tests/other", "src/other", "edit2", "/home/me/project/lib"][rng.below(4)]);
    case.refusal(named(case, &path, rng))
}

/// The same file below folders that the request does not contain.
pub(super) fn longer_folder(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let before = ["project/", "/home/me/project/", "./", "C:\\work\\", "../"][rng.below(5)];
    case.sample(named(case, &format!("{before}{}", case.path), rng))
}

/// Edits by line numbers: an empty range is a position between two lines.
pub(super) fn json_inserts(case: &Case, _: &mut Rng) -> Option<Sample> {
    let says = |line: &String| line.chars().any(char::is_alphanumeric);
    let edits = case.hunks.iter().map(|hunk| {
        let whole = hunk.old.join("\n");
        let alone = hunk.old.is_empty() || says(&whole) && case.file().matches(&whole).count() == 1;
        (alone && hunk.new.iter().all(says) && !hunk.new.is_empty()).then(|| {
            serde_json::json!({
                "start_line": hunk.at + 1,
                "end_line": hunk.at + hunk.old.len(),
                "old_text": whole,
                "new_text": hunk.new.join("\n"),
            })
        })
    });
    let edits: Option<Vec<serde_json::Value>> = edits.collect();
    case.hunks
        .iter()
        .any(|hunk| hunk.old.is_empty())
        .then(|| case.sample(serde_json::Value::Array(edits?).to_string()))?
}

/// Additions only, below a header that identifies one definition.
pub(super) fn below_definition(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut case = Case { grammar: None, ..case.clone() };
    let near = Hunk { at: case.hunks[0].at, old: Vec::new(), new: Vec::new() };
    let line = definition(&case, &near)?.clone();
    let at = case.lines.iter().position(|it| *it == line)?;
    let next = case.lines.get(at + 1)?;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let contained = case.lines.iter().filter(|it| it.contains(line.trim())).count();
    let quoted = ['"', '\'', '#', '/'].iter().any(|sign| next.trim().starts_with(*sign));
    if !line.ends_with(['{', ':']) || indent(next) <= indent(&line) || contained != 1 || quoted {
        return None;
    }
    let new: Vec<String> =
        (0..1 + rng.below(2)).map(|n| format!("{}first_of_all({n});", &next[..indent(next)])).collect();
    let lines: String = new.iter().map(|line| format!("+{line}\n")).collect();
    case.hunks = vec![Hunk { at: at + 1, old: Vec::new(), new }];
    let path = case.path;
    case.sample(format!(
        "*** Begin Patch\n*** Update File: {path}\n@@ {}\n{lines}*** End Patch\n",
        line.trim()
    ))
}

/// One new line with four spaces below a line that lost its tab: the result must not mix spaces and tabs.
pub(super) fn blanks_for_a_tab(case: &Case, _: &mut Rng) -> Option<Sample> {
    let mut case = Case { grammar: None, ..case.clone() };
    for line in &mut case.lines {
        let width = line.len() - line.trim_start_matches(' ').len();
        *line = format!("{}{}", "\t".repeat(width / 4), line.trim_start_matches(' '));
    }
    let at = case.hunks[0].at;
    let line = case.lines.get(at).filter(|line| line.starts_with('\t') && line.len() > 4)?.clone();
    let text = line.trim_start().to_owned();
    if line.starts_with("\t\t") || case.file().matches(&text).count() != 1 {
        return None;
    }
    let opens = text.ends_with(['{', '(', '[', ':']);
    let new = format!("{}added();", if opens { "\t\t" } else { "\t" });
    case.hunks = vec![Hunk { at: at + 1, old: Vec::new(), new: vec![new] }];
    case.sample(block(std::slice::from_ref(&text), &[text.clone(), "    added();".to_owned()]))
}

/// The new lines are there, but a line to delete is not: the reply is about another text.
pub(super) fn deleted_not_there(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let hunk = case.hunks.first()?;
    let (before, after) = case.around(hunk, 3);
    let ghost = "    this_line_was(made_up);".to_owned();
    let old = [before, &hunk.old, &[ghost], after].concat();
    let new = [before, &hunk.old, after].concat();
    let reply = match rng.below(2) {
        0 => block(&old, &new),
        _ => {
            let [a, b, c, d] = numbers(case, hunk, 3);
            let marked: String = old
                .iter()
                .map(|line| format!("{}{line}\n", if line.contains("this_line_was") { '-' } else { ' ' }))
                .collect();
            format!("```diff\n{}{marked}```\n", header([a, b + 1, c, d.min(b)]))
        }
    };
    case.refusal(reply).map(|sample| Sample { target: "a refusal".to_owned(), ..sample })
}

/// The helpers of this file make ranges of whole lines.
#[test]
fn ranges_are_whole_lines() {
    let mut rng = Rng::new(3);
    let case = Case {
        path: "a.py",
        grammar: None,
        lines: ["def f():", "    return result", "x"].map(str::to_owned).to_vec(),
        hunks: vec![Hunk { at: 1, old: Vec::new(), new: vec!["y".to_owned()] }],
    };
    let sample = added_below(&case, &mut rng).unwrap();
    assert_eq!(&sample.file[sample.range.unwrap()], "    return result\n");
    assert!(in_range(&case, 1, |_, new| new.to_owned()).is_some());
}
