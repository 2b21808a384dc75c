//! Replies in each format, with the text that models put around them.

use tandem::edit::span;

use super::Sample;
use crate::edit::corpus::{Case, Hunk, Rng};

pub(super) fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// One block with its old and new lines.
pub(super) fn block(old: &[String], new: &[String]) -> String {
    format!("<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n", text(old), text(new))
}

pub(super) fn blocks(case: &Case) -> Vec<String> {
    case.hunks
        .iter()
        .map(|hunk| {
            let (old, new) = case.halves(hunk, 3);
            block(&old, &new)
        })
        .collect()
}

/// The lines of a hunk with their marks.
pub(super) fn marked(case: &Case, hunk: &Hunk, context: usize) -> String {
    let (before, after) = case.around(hunk, context);
    let part =
        |mark: &str, lines: &[String]| lines.iter().map(|line| format!("{mark}{line}\n")).collect::<String>();
    [part(" ", before), part("-", &hunk.old), part("+", &hunk.new), part(" ", after)].concat()
}

/// The numbers of a hunk's header: first old line, old count, first new line, new count.
pub(super) fn numbers(case: &Case, hunk: &Hunk, context: usize) -> [usize; 4] {
    let (before, after) = case.around(hunk, context);
    let around = before.len() + after.len();
    let first = hunk.at - before.len() + 1;
    [first, hunk.old.len() + around, first, hunk.new.len() + around]
}

fn diff_with(case: &Case, header: impl Fn([usize; 4]) -> String) -> String {
    let hunks = case.hunks.iter().map(|hunk| header(numbers(case, hunk, 3)) + &marked(case, hunk, 3));
    hunks.collect()
}

pub(super) fn header([a, b, c, d]: [usize; 4]) -> String {
    format!("@@ -{a},{b} +{c},{d} @@\n")
}

pub(super) fn diff(case: &Case) -> String {
    format!("--- a/{0}\n+++ b/{0}\n{1}", case.path, diff_with(case, header))
}

pub(super) fn patch_text(case: &Case) -> String {
    let hunks: String = case.hunks.iter().map(|hunk| format!("@@\n{}", marked(case, hunk, 3))).collect();
    format!("*** Begin Patch\n*** Update File: {}\n{hunks}*** End Patch\n", case.path)
}

pub(super) fn search_replace(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(blocks(case).concat())
}

pub(super) fn search_prose(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let before = ["Sure, here is the change:\n\n", "I'll rename it.\n", "## Plan\n\n1. Edit the file\n\n"]
        [rng.below(3)];
    let after = ["", "\nThis keeps the tests green.", "\nLet me know!\n"][rng.below(3)];
    case.sample(format!("{before}{}{after}", blocks(case).join("\nAnd then:\n")))
}

pub(super) fn search_fences(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (open, close) =
        [("```", "```"), ("~~~", "~~~"), ("`````rust", "`````"), ("```diff", "```")][rng.below(4)];
    let blocks: Vec<String> = blocks(case).iter().map(|block| format!("{open}\n{block}{close}\n")).collect();
    case.sample(blocks.join("\n"))
}

pub(super) fn search_fence_open(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(format!("```\n{}", blocks(case).concat()))
}

pub(super) fn search_dialects(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (search, divider, replace) = [
        ("<<<<< SEARCH", "=====", ">>>>> REPLACE"),
        ("<<<<<<<<< SEARCH", "=========", ">>>>>>>>> REPLACE"),
        ("<<<<<<< search", "=======", ">>>>>>> replace"),
        ("<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"),
        ("------- SEARCH", "=======", "+++++++ REPLACE"),
        ("<<<<<<< SEARCH>", "=======", ">>>>>>> REPLACE"),
    ][rng.below(6)];
    let reply = blocks(case).concat();
    let reply = reply.lines().map(|line| match line {
        "<<<<<<< SEARCH" => search,
        "=======" => divider,
        ">>>>>>> REPLACE" => replace,
        line => line,
    });
    case.sample(reply.collect::<Vec<_>>().join("\n"))
}

pub(super) fn search_path(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let name = case.path.rsplit('/').next()?;
    let path = match rng.below(6) {
        0 => case.path.to_owned(),
        1 => format!("**{}**", case.path),
        2 => format!("`./{}`:", case.path),
        3 => name.to_owned(),
        4 => format!("/home/me/project/{}", case.path),
        _ => format!("### File: {}", case.path),
    };
    case.sample(format!("{path}\n```\n{}```\n", blocks(case).concat()))
}

pub(super) fn search_tags(case: &Case, _: &mut Rng) -> Option<Sample> {
    let blocks = case.hunks.iter().map(|hunk| {
        let (old, new) = case.halves(hunk, 3);
        format!("<old_text>\n{}</old_text>\n<new_text>\n{}</new_text>\n", text(&old), text(&new))
    });
    case.sample(blocks.collect::<String>())
}

pub(super) fn search_indented(case: &Case, _: &mut Rng) -> Option<Sample> {
    let reply: String = blocks(case).concat().lines().map(|line| format!("   {line}\n")).collect();
    case.sample(format!("1. Do this:\n{reply}"))
}

pub(super) fn search_divider(case: &Case, _: &mut Rng) -> Option<Sample> {
    let mut case = case.clone();
    case.grammar = None;
    // A second divider is text if the file contains such a line.
    case.lines.push("=======".to_owned());
    let hunk = case.hunks.first_mut()?;
    hunk.new.insert(0, "=======".to_owned());
    let reply = blocks(&case).concat();
    case.sample(reply)
}

pub(super) fn unified(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let reply = diff(case);
    case.sample(if rng.below(2) == 0 { reply } else { format!("```diff\n{reply}```\n") })
}

pub(super) fn unified_numbers(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let off = 1 + rng.below(40);
    let hunks = diff_with(case, |[a, b, c, d]| header([a + off, b, c + off, d]));
    case.sample(format!("--- {0}\n+++ {0}\n{hunks}", case.path))
}

pub(super) fn unified_counts(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (more, less) = (rng.below(4), rng.below(3));
    let hunks = diff_with(case, |[a, b, c, d]| header([a, b + more - less.min(b + more), c, d + less]));
    let reply = format!("--- a/{0}\n+++ b/{0}\n{hunks}", case.path);
    case.sample(if rng.below(2) == 0 { reply } else { format!("```diff\n{reply}```\n") })
}

pub(super) fn unified_bare(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let header = if rng.below(2) == 0 { "" } else { "@@\n" };
    case.sample(format!("```diff\n{header}{}```\n", marked(case, hunk, 3)))
}

/// Each hunk removes a line that occurs in the file once, so each hunk determines its own location.
pub(super) fn unified_joined(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let once = |line: &String| {
        let says = line.chars().filter(|letter| letter.is_alphanumeric()).count() > 2;
        says && case.lines.iter().filter(|it| *it == line).count() == 1
    };
    let proven = case.hunks.iter().all(|hunk| hunk.old.iter().any(once));
    proven.then(|| unified_joined_any(case, rng))?
}

/// The same where a hunk may only add lines, or remove lines that occur elsewhere, too.
pub(super) fn unified_joined_any(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [first, second] = case.hunks.as_slice() else { return None };
    // Hunks of a real diff are at least this far apart.
    if second.at < first.at + first.old.len() + 12 {
        return None;
    }
    let hunks = marked(case, first, 3) + &marked(case, second, 3);
    case.sample(format!("```diff\n--- a/{0}\n+++ b/{0}\n@@ @@\n{hunks}```\n", case.path))
}

pub(super) fn unified_odd(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let header = ["@@ ... @@\n", "@@\n", "@@ @@\n", "@@ -0,0 +0,0 @@\n"][rng.below(4)];
    let hunks = diff_with(case, |_| header.to_owned());
    case.sample(format!("```diff\n--- a/{0}\n+++ b/{0}\n{hunks}```\n", case.path))
}

pub(super) fn unified_prose(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(format!("Here is the diff.\n\n{}\nIt does what you asked for.\n", diff(case)))
}

pub(super) fn unified_unmarked(case: &Case, _: &mut Rng) -> Option<Sample> {
    let reply = diff(case);
    if reply.lines().any(|line| line.starts_with(" -") || line.starts_with(" +") || line.starts_with(" @@")) {
        return None;
    }
    let reply: String =
        reply.lines().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect();
    case.sample(format!("```diff\n{reply}```\n"))
}

pub(super) fn unified_heredoc(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(format!("```bash\ngit apply <<'EOF'\n{}EOF\n```\n", diff(case)))
}

pub(super) fn patch(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(patch_text(case))
}

pub(super) fn patch_fenced(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(format!("I will patch it.\n\n```\n{}```\n", patch_text(case)))
}

pub(super) fn patch_unmarked(case: &Case, _: &mut Rng) -> Option<Sample> {
    let reply = patch_text(case);
    if reply.lines().any(|line| line.starts_with(" -") || line.starts_with(" +") || line.starts_with(" @@")) {
        return None;
    }
    let reply: String =
        reply.lines().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect();
    case.sample(reply)
}

pub(super) fn patch_heredoc(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(format!("apply_patch <<'PATCH'\n{}PATCH\n", patch_text(case)))
}

pub(super) fn patch_json(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let key = ["input", "patch"][rng.below(2)];
    case.sample(serde_json::json!({ key: patch_text(case) }).to_string())
}

/// The nearest line above a hunk that defines something and occurs in the file once.
pub(super) fn definition<'c>(case: &'c Case, hunk: &Hunk) -> Option<&'c String> {
    let words = ["fn ", "def ", "func ", "function ", "class ", "impl ", "struct ", "interface "];
    let above =
        case.lines[..hunk.at].iter().rev().find(|line| words.iter().any(|word| line.contains(word)))?;
    (case.lines.iter().filter(|line| line == &above).count() == 1).then_some(above)
}

pub(super) fn patch_definition(case: &Case, _: &mut Rng) -> Option<Sample> {
    let hunks: Option<String> = case
        .hunks
        .iter()
        .map(|hunk| Some(format!("@@ {}\n{}", definition(case, hunk)?.trim(), marked(case, hunk, 3))))
        .collect();
    case.sample(format!("*** Begin Patch\n*** Update File: {}\n{}*** End Patch\n", case.path, hunks?))
}

pub(super) fn json_edits(case: &Case) -> Vec<serde_json::Value> {
    case.hunks
        .iter()
        .map(|hunk| {
            let (old, new) = case.halves(hunk, 3);
            serde_json::json!({ "old_string": text(&old), "new_string": text(&new) })
        })
        .collect()
}

pub(super) fn json(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(serde_json::json!({ "file_path": case.path, "edits": json_edits(case) }).to_string())
}

pub(super) fn json_fenced(case: &Case, _: &mut Rng) -> Option<Sample> {
    let edits = serde_json::to_string_pretty(&json_edits(case)).ok()?;
    case.sample(format!("The edits:\n\n```json\n{edits}\n```\n"))
}

/// With a trailing comma after several items, as JavaScript allows and JSON does not.
pub(super) fn json_commas(case: &Case, _: &mut Rng) -> Option<Sample> {
    let edits =
        json_edits(case).iter().map(|edit| format!("{edit:#}").replace("\n}", ",\n}")).collect::<Vec<_>>();
    case.sample(format!("[\n{},\n]\n", edits.join(",\n")))
}

/// With unescaped line ends and tabs in strings.
pub(super) fn json_raw(case: &Case, _: &mut Rng) -> Option<Sample> {
    let strict = serde_json::Value::Array(json_edits(case)).to_string();
    let mut letters = strict.chars();
    let mut raw = String::new();
    while let Some(letter) = letters.next() {
        match (letter == '\\').then(|| letters.next()).flatten() {
            Some('n') => raw.push('\n'),
            Some('t') => raw.push('\t'),
            Some(escaped) => raw.extend([letter, escaped]),
            None => raw.push(letter),
        }
    }
    (raw != strict).then(|| case.sample(raw))?
}

pub(super) fn json_lines(case: &Case, _: &mut Rng) -> Option<Sample> {
    let edits: Vec<serde_json::Value> = case
        .hunks
        .iter()
        .filter(|hunk| !hunk.old.is_empty())
        .map(|hunk| {
            serde_json::json!({
                "start_line": hunk.at + 1,
                "end_line": hunk.at + hunk.old.len(),
                "old_text": hunk.old.join("\n"),
                "new_text": hunk.new.join("\n"),
            })
        })
        .collect();
    let whole = |hunk: &Hunk| {
        !hunk.old.is_empty() && !hunk.new.is_empty() && hunk.old.iter().any(|line| !line.trim().is_empty())
    };
    // A text without line ends may occur more often than the whole line does.
    let alone = |hunk: &Hunk| case.file().matches(&hunk.old.join("\n")).count() == 1;
    (edits.len() == case.hunks.len() && case.hunks.iter().all(|hunk| whole(hunk) && alone(hunk)))
        .then(|| case.sample(serde_json::Value::Array(edits).to_string()))?
}

/// The only hunk within one block of tags, and the answer for it.
pub(super) fn span_text(case: &Case) -> Option<(String, String, String)> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let file = case.file();
    let window = span::cut(&file, 0..file.len());
    let start: usize = case.lines[..hunk.at].iter().map(|line| line.len() + 1).sum();
    let end = start + hunk.old.iter().map(|line| line.len() + 1).sum::<usize>();
    let (from, to) = window.tags.windows(2).find_map(|pair| {
        let [from, to] = pair else { return None };
        (from.1 <= start && end <= to.1 && start < to.1).then_some((from, to))
    })?;
    let new = format!("{}{}{}", &file[from.1..start], text(&hunk.new), &file[end..to.1]);
    (!new.trim().is_empty()).then(|| (from.0.clone(), new, to.0.clone()))
}

pub(super) fn span(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (from, new, to) = span_text(case)?;
    case.sample(format!("<@{from}>\n{new}<@{to}>\n"))
}

pub(super) fn span_prose(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (from, new, to) = span_text(case)?;
    let fence = if rng.below(2) == 0 && !new.contains("```") { "```\n" } else { "" };
    case.sample(format!("The next edit:\n\n<@{from}>\n{fence}{new}{fence}<@{to}>\nDone."))
}

/// A range around the only hunk: its bytes, and the new text of its lines.
pub(super) fn range_of(
    case: &Case,
    more: usize,
) -> Option<(std::ops::Range<usize>, Vec<String>, Vec<String>)> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (old, new) = case.halves(hunk, more);
    let first = hunk.at.saturating_sub(more);
    let start: usize = case.lines[..first].iter().map(|line| line.len() + 1).sum();
    let end = start + text(&old).len();
    (!text(&new).trim().is_empty() && !text(&old).trim().is_empty()).then_some((start..end, old, new))
}

pub(super) fn in_range(case: &Case, more: usize, reply: impl FnOnce(&str, &str) -> String) -> Option<Sample> {
    let (range, old, new) = range_of(case, more)?;
    let sample = case.sample(reply(&text(&old), &text(&new)))?;
    Some(Sample { range: Some(range), ..sample })
}

pub(super) fn region(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let fence = ["```", "~~~", "````"][rng.below(3)];
    in_range(case, 4, |_, new| format!("{fence}rust\n{new}{fence}\n"))
}

pub(super) fn region_bare(case: &Case, _: &mut Rng) -> Option<Sample> {
    in_range(case, 4, |_, new| new.to_owned())
}

pub(super) fn region_prose(case: &Case, _: &mut Rng) -> Option<Sample> {
    in_range(case, 4, |_, new| {
        format!("Here is the new text:\n\n```\n{new}```\n\nI only changed what you asked for.")
    })
}

pub(super) fn region_quoted(case: &Case, _: &mut Rng) -> Option<Sample> {
    in_range(case, 4, |old, new| format!("You have:\n```\n{old}```\nIt should be:\n```\n{new}```\n"))
}

pub(super) fn region_wrapped(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let choice = rng.below(3);
    in_range(case, 4, |_, new| match choice {
        0 => format!("<code>\n{new}</code>\n"),
        1 => format!("```\n<selection>\n{new}</selection>\n```\n"),
        _ => format!("```\n\n{new}\n```\n"),
    })
    .filter(|sample| {
        let range = sample.range.clone().unwrap_or_default();
        let text = &sample.file[range];
        // Blank lines at the ends of the range belong to the range.
        choice < 2 || !(text.starts_with('\n') || text.ends_with("\n\n"))
    })
}

pub(super) fn whole_blank_ends(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(format!("```\n\n{}\n\n```\n", case.target()))
}

pub(super) fn region_diff(case: &Case, _: &mut Rng) -> Option<Sample> {
    let reply = format!("```diff\n{}```\n", diff(case));
    in_range(case, 4, |_, _| reply)
}

pub(super) fn region_whole(case: &Case, _: &mut Rng) -> Option<Sample> {
    let reply = format!("```\n{}```\n", case.target());
    in_range(case, 4, |_, _| reply)
}

pub(super) fn whole(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(format!("```\n{}```\n", case.target()))
}

pub(super) fn whole_prose(case: &Case, _: &mut Rng) -> Option<Sample> {
    case.sample(format!("The whole file:\n\n{}\n```rust\n{}```\nThat is all.\n", case.path, case.target()))
}
