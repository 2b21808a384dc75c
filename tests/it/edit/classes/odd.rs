//! Rarer slips, and some that only occur together with others.

use super::Sample;
use super::formats::{block, blocks, diff, in_range, json_edits, marked, patch_text, text};
use super::slips::any_format;
use crate::edit::corpus::{Case, Rng};

/// Sets the line ends of the sample's file and target, by the number of each line of the file.
fn with_ends(case: &Case, reply: String, end: impl Fn(usize) -> &'static str) -> Option<Sample> {
    // The line end of an inserted line is unspecified, so lines are only replaced one by one.
    if case.hunks.iter().any(|hunk| hunk.old.len() != hunk.new.len()) {
        return None;
    }
    let ended = |text: &str| -> String {
        text.lines().enumerate().map(|(number, line)| format!("{line}{}", end(number))).collect()
    };
    let sample = case.sample(reply)?;
    Some(Sample { file: ended(&sample.file), target: ended(&sample.target), grammar: None, ..sample })
}

pub(super) fn carriage_returns(case: &Case, rng: &mut Rng) -> Option<Sample> {
    with_ends(case, any_format(case, rng), |_| "\r")
}

pub(super) fn mixed_ends(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let every = 2 + rng.below(4);
    with_ends(case, any_format(case, rng), |number| if number.is_multiple_of(every) { "\r\n" } else { "\n" })
}

pub(super) fn mixed_ends_in_range(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let every = 2 + rng.below(4);
    let sample = in_range(case, 4, |_, new| format!("```\n{new}```\n"))?;
    let range = sample.range.clone()?;
    let ends = |number: usize| if number.is_multiple_of(every) { "\r\n" } else { "\n" };
    let longer = |at: usize| {
        at + sample.file[..at].lines().enumerate().filter(|(n, _)| n.is_multiple_of(every)).count()
    };
    let range = longer(range.start)..longer(range.end);
    Some(Sample { range: Some(range), ..with_ends(case, sample.reply.clone(), ends)? })
}

pub(super) fn mark_before_reply(case: &Case, rng: &mut Rng) -> Option<Sample> {
    case.sample(format!("\u{feff}{}", any_format(case, rng)))
}

/// A document that shows the code between prose: fences are part of its text.
pub(super) fn document(case: &Case) -> Case {
    let mut case = case.clone();
    let head = ["# Title", "", "Some words, then:", "", "```text"].map(str::to_owned);
    case.lines.splice(0..0, head.clone());
    case.lines.extend(["```", "", "More words."].map(str::to_owned));
    case.hunks.iter_mut().for_each(|hunk| hunk.at += head.len());
    Case { grammar: None, path: "README.md", ..case }
}

pub(super) fn markdown_blocks(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = document(case);
    let reply = any_format(&case, rng);
    case.sample(if rng.below(2) == 0 { reply } else { format!("````\n{reply}````\n") })
}

pub(super) fn markdown_whole(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = document(case);
    let fence = ["```", "````", "~~~"][rng.below(3)];
    case.sample(format!("{fence}markdown\n{}{fence}\n", case.target()))
}

pub(super) fn markdown_region(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = document(case);
    let fence = ["```", "````", "~~~"][rng.below(3)];
    in_range(&case, 400, |_, new| format!("Here:\n\n{fence}markdown\n{new}{fence}\n"))
}

/// The range contains the first fence of the text, or both.
pub(super) fn markdown_in_tags(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let case = document(case);
    let tag = ["selection", "output", "code"][rng.below(3)];
    in_range(&case, [4, 400][rng.below(2)], |_, new| format!("<{tag}>\n{new}</{tag}>\n"))
}

pub(super) fn markdown_bare(case: &Case, _: &mut Rng) -> Option<Sample> {
    in_range(&document(case), 400, |_, new| new.to_owned())
}

pub(super) fn diff_in_pieces(case: &Case, _: &mut Rng) -> Option<Sample> {
    let hunks = case.hunks.iter().map(|hunk| format!("```diff\n@@ ... @@\n{}```\n", marked(case, hunk, 3)));
    case.sample(hunks.collect::<Vec<_>>().join("\nThen, further down:\n\n"))
}

pub(super) fn diff_and_result(case: &Case, _: &mut Rng) -> Option<Sample> {
    let hunk = case.hunks.first()?;
    let (_, new) = case.halves(hunk, 3);
    case.sample(format!("```diff\n{}```\n\nThe result is:\n\n```rust\n{}```\n", diff(case), text(&new)))
}

pub(super) fn blocks_and_usage(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(format!("{}\nRun it with:\n\n```bash\ncargo test --all\n```\n", blocks(case).concat()))
}

pub(super) fn paths_dressed(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let path = match rng.below(5) {
        0 => format!("\"a/{}\"", case.path),
        1 => format!("a/{}\t2026-01-01 10:00:00.000000000 +0000", case.path),
        2 => case.path.replace('/', "\\"),
        3 => format!("`{}`", case.path),
        _ => format!("/home/é/project/{}", case.path),
    };
    let text = if rng.below(2) == 0 { diff(case) } else { patch_text(case) };
    let own = [format!("--- a/{}", case.path), format!("+++ b/{}", case.path)];
    let text = text
        .replace(&own[0], &format!("--- {path}"))
        .replace(&own[1], &format!("+++ {}", path.replace("a/", "b/")));
    case.sample(text.replace(&format!("*** Update File: {}", case.path), &format!("*** Update File: {path}")))
}

pub(super) fn git_headers(case: &Case, _: &mut Rng) -> Option<Sample> {
    let head = format!("diff --git a/{0} b/{0}\nindex 83db48f..bf269f4 100644\n", case.path);
    case.sample(head + &diff(case))
}

pub(super) fn marks_two_wide(case: &Case, _: &mut Rng) -> Option<Sample> {
    let hunks: String = case.hunks.iter().map(|hunk| marked(case, hunk, 3)).collect();
    let wide: String = hunks.lines().map(|line| format!("{} {}\n", &line[..1], &line[1..])).collect();
    (case.hunks.len() == 1).then(|| case.sample(format!("```diff\n@@\n{wide}```\n")))?
}

pub(super) fn diff_indented(case: &Case, _: &mut Rng) -> Option<Sample> {
    let diff: String = diff(case).lines().map(|line| format!("   {line}\n")).collect();
    case.sample(format!("1. Change this:\n\n   ```diff\n{diff}   ```\n"))
}

pub(super) fn decomposed(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut case = case.clone();
    let hunk = case.hunks.first()?.clone();
    let above = hunk.at.checked_sub(1)?;
    case.lines[above].push_str(" // é à ü");
    case.grammar = None;
    let reply =
        any_format(&case, rng).replace('é', "e\u{301}").replace('à', "a\u{300}").replace('ü', "u\u{308}");
    case.sample(reply)
}

/// A pure addition that lost one space before each line: without marks its context would match the file as it is.
pub(super) fn diff_outdented_by_one(case: &Case, _: &mut Rng) -> Option<Sample> {
    let hunk = case.hunks.iter().find(|hunk| hunk.old.is_empty())?;
    let case = Case { hunks: vec![hunk.clone()], ..case.clone() };
    let marked = marked(&case, &case.hunks[0], 3);
    let outdented = |line: &str| Some(format!("{}{}\n", &line[..1], line[1..].strip_prefix(' ')?));
    let lines = marked.lines().map(outdented).collect::<Option<String>>()?;
    case.sample(format!("--- a/{0}\n+++ b/{0}\n@@ -1,6 +1,7 @@\n{lines}", case.path))
}

pub(super) fn zero_width(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let hunk = case.hunks.first()?;
    let (before, after) = case.around(hunk, 3);
    let odd = |lines: &[String]| -> Vec<String> {
        lines
            .iter()
            .map(|line| if line.is_empty() { line.clone() } else { format!("{line}\u{200b}") })
            .collect()
    };
    let _ = rng;
    let (before, after) = (odd(before), odd(after));
    (case.hunks.len() == 1).then(|| {
        case.sample(block(
            &[&before[..], &hunk.old, &after].concat(),
            &[&before[..], &hunk.new, &after].concat(),
        ))
    })?
}

pub(super) fn html_diff(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let reply = any_format(case, rng);
    let lines = reply.lines().map(|line| {
        let marker = ["<<<<", ">>>>", "---", "+++", "***", "@@"].iter().any(|mark| line.starts_with(mark));
        if marker {
            line.to_owned()
        } else {
            line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
        }
    });
    let escaped = lines.map(|line| line + "\n").collect::<String>();
    (escaped != reply && !reply.contains("&")).then(|| case.sample(escaped))?
}

pub(super) fn html_region(case: &Case, _: &mut Rng) -> Option<Sample> {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let sample = in_range(case, 6, |_, new| format!("```\n{}```\n", escape(new)))?;
    let range = sample.range.clone()?;
    let old = &sample.file[range];
    // An unchanged line must show the escaping: new text alone may well contain entities.
    let shows = |line: &str| escape(line) != line && sample.reply.lines().any(|it| it == escape(line));
    (old.lines().any(shows) && !old.contains('&')).then_some(sample)
}

pub(super) fn trailing_commas(case: &Case, _: &mut Rng) -> Option<Sample> {
    let edits = serde_json::to_string_pretty(&json_edits(case)).ok()?;
    let edits = edits.replace("\"\n  }", "\",\n  }").replace("}\n]", "},\n]");
    case.sample(format!("```json\n{edits}\n```\n"))
}

pub(super) fn raw_newlines(case: &Case, _: &mut Rng) -> Option<Sample> {
    let edits = serde_json::to_string(&json_edits(case)).ok()?;
    case.sample(edits.replace("\\n", "\n"))
}

pub(super) fn json_and_code(case: &Case, _: &mut Rng) -> Option<Sample> {
    let edits = serde_json::to_string_pretty(&json_edits(case)).ok()?;
    let new = text(&case.hunks.first()?.new);
    case.sample(format!("```json\n{edits}\n```\n\nSo the line becomes:\n\n```\n{new}```\n"))
}

pub(super) fn indentation_lost(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let reply = any_format(case, rng);
    let lost = reply.lines().map(|line| match line.chars().next() {
        Some(mark @ ('+' | '-' | ' '))
            if !line.starts_with("---") && !line.starts_with("+++") && reply.contains("@@") =>
        {
            format!("{mark}{}\n", line[1..].trim_start())
        }
        _ => format!("{}\n", line.trim_start()),
    });
    case.sample(lost.collect::<String>())
}

/// The file's unit of indentation, converted: two spaces for four, spaces for tabs.
fn restyled(line: &str, tabs: bool) -> String {
    let text = line.trim_start();
    let blanks = &line[..line.len() - text.len()];
    let depth = if tabs { blanks.len() } else { blanks.len() / 2 };
    " ".repeat(if tabs { depth * 4 } else { depth }) + text
}

fn style(case: &Case) -> Option<bool> {
    let tabs = case.lines.iter().filter(|line| line.starts_with('\t')).count();
    let fours = case.lines.iter().filter(|line| line.starts_with("    ")).count();
    let odd = case.lines.iter().any(|line| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        blanks % 4 != 0
    });
    (tabs > fours || !odd).then_some(tabs > fours)
}

pub(super) fn whole_restyled(case: &Case, _: &mut Rng) -> Option<Sample> {
    let tabs = style(case)?;
    let target: String = case.target().lines().map(|line| restyled(line, tabs) + "\n").collect();
    case.sample(format!("```\n{target}```\n"))
}

pub(super) fn region_restyled(case: &Case, _: &mut Rng) -> Option<Sample> {
    let tabs = style(case)?;
    let new = |new: &str| new.lines().map(|line| restyled(line, tabs) + "\n").collect::<String>();
    in_range(case, 5, |_, code| format!("```\n{}```\n", new(code)))
}

pub(super) fn region_and_remarks(case: &Case, _: &mut Rng) -> Option<Sample> {
    in_range(case, 4, |_, new| {
        format!("{new}\nThis renames the value, as you asked. Nothing else changes.\n")
    })
}

pub(super) fn region_and_other(case: &Case, _: &mut Rng) -> Option<Sample> {
    in_range(case, 4, |_, new| {
        format!("```rust\n{new}```\n\nCheck it with:\n\n```bash\ncargo test --all\n```\n")
    })
}

pub(super) fn region_after_prompt(case: &Case, _: &mut Rng) -> Option<Sample> {
    in_range(case, 4, |old, new| {
        format!(
            "The selected lines:\n\n```rust\n{old}```\n\nInstruction: rename it.\n\nNew text:\n\n```rust\n{new}```\n"
        )
    })
}

pub(super) fn region_closed_only(case: &Case, _: &mut Rng) -> Option<Sample> {
    in_range(case, 4, |_, new| format!("{new}```\n"))
}

pub(super) fn region_twice(case: &Case, _: &mut Rng) -> Option<Sample> {
    in_range(case, 4, |_, new| format!("```rust\n{new}```\n\n```rust\n{new}```\n"))
}

// Replies that must not be applied.

pub(super) fn numbers_in_new_lines(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let form = rng.below(3);
    let replies = case.hunks.iter().map(|hunk| {
        let (old, new) = case.halves(hunk, 3);
        let number = |(n, line): (usize, &String)| match form {
            0 => format!("{} | {line}", hunk.at + n + 1),
            1 => format!("{}: {line}", hunk.at + n + 1),
            _ => format!("{:>4}\t{line}", hunk.at + n + 1),
        };
        block(&old, &new.iter().enumerate().map(number).collect::<Vec<_>>())
    });
    case.hunks.iter().all(|hunk| !hunk.new.is_empty()).then(|| case.sample(replies.collect::<String>()))?
}

pub(super) fn blank_in_deleted(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let hunk = case.hunks.first()?;
    let at = hunk.old.iter().position(|line| line.trim().contains(' '))?;
    let mut odd = case.clone();
    let line = &hunk.old[at];
    let text = line.trim_start();
    let changed = line[..line.len() - text.len()].to_owned() + &text.replacen(' ', "", 1);
    odd.hunks[0].old[at] = changed;
    let reply = any_format(&odd, rng);
    case.refusal(reply)
}

pub(super) fn look_alike_in_deleted(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut odd = case.clone();
    let line = odd.hunks[0].old.first_mut().filter(|line| line.contains('e'))?;
    // A Cyrillic letter.
    *line = line.replacen('e', "\u{435}", 1);
    let reply = any_format(&odd, rng);
    case.refusal(reply)
}

pub(super) fn case_in_deleted(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut odd = case.clone();
    let line = odd.hunks[0].old.first_mut()?;
    let upper = line.to_uppercase();
    if upper == *line {
        return None;
    }
    *line = upper;
    let reply = any_format(&odd, rng);
    case.refusal(reply)
}

pub(super) fn marker_half_written(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let reply = blocks(case).concat();
    let cut = reply.len() - 2 - rng.below(14);
    case.refusal(&reply[..cut])
}

pub(super) fn patch_without_end(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let reply = patch_text(case).replace("*** End Patch\n", "");
    case.refusal(if rng.below(2) == 0 { reply } else { format!("```\n{reply}```\n") })
}

pub(super) fn rename_and_edit(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let reply = match rng.below(2) {
        0 => patch_text(case).replace("\n@@\n", "\n*** Move to: src/other_name.rs\n@@\n"),
        _ => format!(
            "diff --git a/{0} b/src/other_name.rs\nrename from {0}\nrename to src/other_name.rs\n{1}",
            case.path,
            diff(case).replace(&format!("+++ b/{}", case.path), "+++ b/src/other_name.rs")
        ),
    };
    case.refusal(reply)
}

pub(super) fn opener_twice(case: &Case, _: &mut Rng) -> Option<Sample> {
    let hunk = case.hunks.first()?;
    let (old, new) = case.halves(hunk, 3);
    case.refusal(format!("<<<<<<< SEARCH\n{}{}", text(&old), block(&old, &new)))
}

pub(super) fn conflict_markers(case: &Case, _: &mut Rng) -> Option<Sample> {
    let sample = in_range(case, 4, |old, new| {
        format!("```\n<<<<<<< HEAD\n{old}=======\n{new}>>>>>>> feature\n```\n")
    })?;
    Some(Sample { target: sample.file.clone(), ..sample })
}

pub(super) fn two_options(case: &Case, _: &mut Rng) -> Option<Sample> {
    let hunk = case.hunks.first()?;
    let (old, new) = case.halves(hunk, 3);
    let other: Vec<String> = new.iter().map(|line| line.replace('e', "ee")).collect();
    (other != new && new != old && other != old).then(|| {
        case.refusal(format!("Option 1:\n\n{}\nOption 2:\n\n{}", block(&old, &new), block(&old, &other)))
    })?
}
