//! Slips of a reply: each changes the edit before it is written down, or the written reply.

use super::work::{Block, Draft, fold, reworded};
use crate::edit::corpus::Rng;
use crate::edit::tools::Must::{self, Apply, May, Refuse};

/// Makes a slip; `false` and `None` if the edit does not permit it.
pub(super) enum Slip {
    Draft(fn(&mut Draft, &mut Rng) -> bool),
    Reply(fn(&Draft, &str, &mut Rng) -> Option<String>),
}
use Slip::{Draft as Before, Reply as After};

/// Search and replace formats without line numbers.
const UNNUMBERED: &[&str] = &[
    "aider diff",
    "cline replace_in_file",
    "zed edits",
    "claude code MultiEdit",
    "invoke Edit",
    "qwen edit",
];
/// Formats that contain both halves in full.
const HALVES: &[&str] = &["aider diff", "cline replace_in_file", "claude code MultiEdit", "invoke Edit"];
/// One format of each kind, without whole files.
const EACH: &[&str] = &[
    "aider diff",
    "cline replace_in_file",
    "claude code MultiEdit",
    "invoke Edit",
    "git diff",
    "aider udiff",
    "apply_patch",
];
const ALL: &[&str] = &[
    "aider diff",
    "cline replace_in_file",
    "claude code MultiEdit",
    "invoke Edit",
    "git diff",
    "aider udiff",
    "apply_patch",
    "aider whole",
    "claude code Write",
];
const NUMBERED: &[&str] = &["roo apply_diff", "zed edits with lines", "git diff"];
const WHOLE: &[&str] =
    &["aider whole", "claude code Write", "cline write_to_file", "bolt action", "file tag"];

/// Each slip: its name, the expected result, the formats that it is made in, and the function that makes it.
pub(super) const SLIPS: &[(&str, Must, &[&str], Slip)] = &[
    // The file.
    ("crlf file", Apply, ALL, Before(crlf_file)),
    ("no final line end", Apply, EACH, Before(no_final_end)),
    ("byte-order mark", Apply, ALL, Before(byte_order_mark)),
    ("blanks behind the file's lines", Apply, EACH, Before(blanks_in_file)),
    // The old text is spelled differently, and its meaning is certain.
    ("blanks behind context", Apply, EACH, Before(blanks_behind_context)),
    ("no-break blanks in context", Apply, HALVES, Before(no_break_blanks)),
    ("curly quotes in context", Apply, EACH, Before(curly_quotes)),
    ("zero width in context", Apply, HALVES, Before(zero_width)),
    ("decomposed context", Apply, EACH, Before(decomposed)),
    ("entities in both halves", Apply, EACH, Before(entities)),
    ("numbers of cat in both halves", Apply, HALVES, Before(cat_numbers)),
    ("numbers and bars in both halves", Apply, HALVES, Before(bar_numbers)),
    ("numbers in the search alone", May, HALVES, Before(searched_numbers)),
    ("outdented", Apply, EACH, Before(outdented)),
    ("indented", May, EACH, Before(indented)),
    ("tabs for blanks", Apply, HALVES, Before(tabs_for_blanks)),
    ("first indentation lost", Apply, UNNUMBERED, Before(first_indentation)),
    ("blank lines at the edges", Apply, UNNUMBERED, Before(padded)),
    ("wrong numbers", Apply, NUMBERED, Before(wrong_numbers)),
    ("out of order", Apply, EACH, Before(reversed)),
    ("a block twice", Apply, EACH, Before(repeated)),
    ("dots in both halves", May, HALVES, Before(dots_in_both)),
    // The meaning may be guessed, but need not be.
    ("a word wrong in context", May, EACH, Before(word_in_context)),
    ("context changed in the file", May, EACH, Before(context_changed)),
    ("a comment left out of context", May, EACH, Before(comment_left_out)),
    ("dots in the search alone", May, UNNUMBERED, Before(dots_in_search)),
    ("stand-in for kept lines", May, UNNUMBERED, Before(stand_in)),
    ("stand-in below the new lines", May, UNNUMBERED, Before(stand_in_below)),
    // The old text is not in the file, or more than once.
    ("a deleted line changed in the file", Refuse, EACH, Before(deleted_changed)),
    ("a digit changed in the file", Refuse, EACH, Before(digit_changed)),
    ("a deleted line in other case", Refuse, EACH, Before(case_changed)),
    ("old lines in another order", Refuse, EACH, Before(swapped)),
    ("a deleted line left out", Refuse, EACH, Before(deleted_left_out)),
    ("a tie", Refuse, UNNUMBERED, Before(tie)),
    (
        "a tie in diffs without numbers",
        Refuse,
        &["aider udiff", "apply_patch", "apply_patch_call"],
        Before(tie),
    ),
    ("a tie and a number", Apply, NUMBERED, Before(tie)),
    ("a tie and a wrong number", Refuse, NUMBERED, Before(tie_and_wrong_number)),
    ("gone, and a near copy", Refuse, EACH, Before(near_copy)),
    ("two wills", Refuse, EACH, Before(two_wills)),
    ("a block that is nowhere beside good ones", Refuse, EACH, Before(one_invented)),
    // Text around the reply.
    ("prose around", Apply, ALL, After(prose)),
    ("thinking first", Apply, ALL, After(thinking)),
    ("a draft in thinking", Apply, ALL, After(draft_in_thinking)),
    (
        "an end token",
        Apply,
        &["aider diff", "claude code MultiEdit", "invoke Edit", "apply_patch", "aider whole"],
        After(end_token),
    ),
    (
        "an end token behind the last mark",
        May,
        &["aider diff", "claude code MultiEdit", "apply_patch", "aider whole"],
        After(end_token_behind),
    ),
    ("crlf reply", Apply, EACH, After(crlf_reply)),
    ("crlf in strings", Apply, &["claude code MultiEdit", "anthropic str_replace"], After(crlf_in_strings)),
    ("a mark before the reply", Apply, ALL, After(mark_before)),
    ("blank lines around", Apply, ALL, After(blank_lines)),
    (
        "in a fence",
        Apply,
        &["cline replace_in_file", "claude code MultiEdit", "invoke Edit", "git diff", "apply_patch"],
        After(fenced),
    ),
    (
        "the same reply twice",
        Apply,
        &["aider diff", "claude code MultiEdit", "apply_patch", "aider whole"],
        After(twice),
    ),
    (
        "blanks behind the marks",
        Apply,
        &["aider diff", "cline replace_in_file", "apply_patch", "zed edits"],
        After(blanks_behind_marks),
    ),
    ("marks in lower case", Apply, &["aider diff", "cline replace_in_file"], After(lower_case_marks)),
    ("five letters a mark", Apply, &["aider diff", "cline replace_in_file"], After(short_marks)),
    ("nine letters a mark", Apply, &["aider diff", "cline replace_in_file"], After(long_marks)),
    ("quoted as mail", May, &["git diff", "aider diff"], After(quoted)),
    ("colours of a terminal", May, &["git diff"], After(coloured)),
    ("in a list", May, &["aider diff", "apply_patch", "git diff in a fence"], After(in_a_list)),
    ("wrong counts", Apply, &["git diff in a fence"], After(wrong_counts)),
    ("context without its mark", Apply, &["apply_patch", "apply_patch_call"], After(unmarked)),
    ("context without its mark in a diff", May, &["git diff in a fence", "aider udiff"], After(unmarked)),
    (
        "blank context without its mark",
        Apply,
        &["git diff", "apply_patch", "aider udiff"],
        After(unmarked_blank),
    ),
    ("entities throughout", May, &["aider diff", "cline replace_in_file", "git diff"], After(escaped)),
    ("newlines escaped twice", May, STRINGS_OF_JSON, After(escaped_twice)),
    ("raw line ends in strings", Apply, STRINGS_OF_JSON, After(raw_line_ends)),
    ("a trailing comma", Apply, STRINGS_OF_JSON, After(trailing_comma)),
    ("single quotes for json", May, STRINGS_OF_JSON, After(single_quotes)),
    // Truncated replies.
    (
        "cut",
        Refuse,
        &[
            "aider diff",
            "cline replace_in_file",
            "roo apply_diff",
            "zed edits",
            "zed diff-fenced",
            "vibe search_replace",
            "sweep modify",
            "autocoderover",
        ],
        After(cut_marks),
    ),
    (
        "cut string",
        Refuse,
        &[
            "claude code Edit",
            "anthropic str_replace",
            "gemini replace",
            "claude code Write",
            "apply_patch_call",
        ],
        After(cut_string),
    ),
    (
        "cut parameter",
        Refuse,
        &["invoke Edit", "qwen edit", "openhands str_replace_editor", "invoke Write"],
        After(cut_parameter),
    ),
    (
        "cut diff",
        Refuse,
        &["git diff", "aider udiff", "git diff in a fence", "context diff"],
        After(cut_diff),
    ),
    (
        "cut patch",
        Refuse,
        &["apply_patch", "apply_patch in a shell", "apply_patch in a fence"],
        After(cut_patch),
    ),
    (
        "cut whole file",
        Refuse,
        &[
            "aider whole",
            "whole file in a shell",
            "cline write_to_file",
            "qwen write_file",
            "bolt action",
            "lovable write",
            "file tag",
        ],
        After(cut_whole),
    ),
    ("divider left out", Refuse, &["aider diff", "cline replace_in_file"], After(no_divider)),
    ("a whole file with a stand-in", May, WHOLE, After(whole_stand_in)),
    ("a whole file that ends in a stand-in", May, WHOLE, After(whole_ends_early)),
    ("a whole file without its half", Refuse, &["aider whole", "whole file in a fence"], After(whole_half)),
    ("talk alone", Refuse, &["aider diff"], After(talk)),
];

/// Strings of JSON.
const STRINGS_OF_JSON: &[&str] = &["claude code Edit", "anthropic str_replace", "gemini replace"];

fn crlf_file(draft: &mut Draft, _: &mut Rng) -> bool {
    draft.work.end = "\r\n";
    true
}

fn no_final_end(draft: &mut Draft, _: &mut Rng) -> bool {
    draft.work.is_closed = false;
    true
}

fn byte_order_mark(draft: &mut Draft, _: &mut Rng) -> bool {
    draft.work.has_mark = true;
    true
}

/// The lines of the file that blocks quote as context.
fn context_places(draft: &Draft) -> Vec<usize> {
    let of = |block: &Block| {
        let old = block.at + block.before.len();
        let after = old + block.old.len();
        (block.at..old).chain(after..after + block.after.len())
    };
    draft.blocks.iter().flat_map(of).collect()
}

fn blanks_in_file(draft: &mut Draft, rng: &mut Rng) -> bool {
    // In Markdown, two trailing spaces have a meaning, so they are only in the file.
    for at in context_places(draft) {
        draft.work.lines[at] += ["  ", " ", "\t"][rng.below(3)];
    }
    true
}

fn blanks_behind_context(draft: &mut Draft, rng: &mut Rng) -> bool {
    let blanks = ["  ", " ", "    "][rng.below(3)];
    change_context(draft, |line| (!line.trim().is_empty()).then(|| format!("{line}{blanks}")))
}

/// Changes the context lines for which `change` returns a line; returns whether there is any.
fn change_context(draft: &mut Draft, change: impl Fn(&str) -> Option<String>) -> bool {
    let mut is_changed = false;
    for line in draft.blocks.iter_mut().flat_map(Block::context_mut) {
        if let Some(changed) = change(line) {
            is_changed |= *line != changed;
            *line = changed;
        }
    }
    is_changed
}

fn no_break_blanks(draft: &mut Draft, _: &mut Rng) -> bool {
    change_context(draft, |line| {
        let at = line.len() - line.trim_start().len();
        line[at..].contains(' ').then(|| format!("{}{}", &line[..at], line[at..].replacen(' ', "\u{a0}", 1)))
    })
}

fn curly_quotes(draft: &mut Draft, _: &mut Rng) -> bool {
    change_context(draft, |line| {
        let mut is_open = false;
        let curl = |letter| match letter {
            '"' => {
                is_open = !is_open;
                if is_open { '“' } else { '”' }
            }
            '\'' => '’',
            other => other,
        };
        Some(line.chars().map(curl).collect())
    })
}

fn zero_width(draft: &mut Draft, _: &mut Rng) -> bool {
    change_context(draft, |line| {
        let at = line.find(' ').filter(|at| *at > 0 || line.trim().len() > 4)?;
        Some(format!("{}\u{200b}{}", &line[..at], &line[at..]))
    })
}

pub(super) fn is_comment(line: &str) -> bool {
    // A CSS custom property begins with two dashes and no space.
    ["//", "#", "-- ", "---", "*"].iter().any(|mark| line.trim_start().starts_with(mark))
        && !line.contains("#[")
}

fn decomposed(draft: &mut Draft, _: &mut Rng) -> bool {
    let mut is_changed = false;
    for at in context_places(draft) {
        if is_comment(&draft.work.lines[at]) && fold(&draft.work.lines[at]).len() > 3 {
            draft.work.lines[at] += " caf\u{e9}";
            is_changed = true;
        }
    }
    is_changed
        && change_context(draft, |line| {
            (is_comment(line) && fold(line).len() > 3).then(|| format!("{line} cafe\u{301}"))
        })
}

fn entities(draft: &mut Draft, _: &mut Rng) -> bool {
    let has_marks = |line: &String| line.contains(['<', '>', '&']);
    if draft.work.file().contains("&amp;")
        || draft.work.file().contains("&lt;")
        || draft.work.file().contains("&gt;")
    {
        return false;
    }
    // Each block must show the escaping.
    if !draft.blocks.iter().all(|block| block.search().iter().any(has_marks)) {
        return false;
    }
    for line in draft.blocks.iter_mut().flat_map(Block::lines_mut) {
        *line = super::template::xml(line);
    }
    true
}

fn numbered(draft: &mut Draft, prefix: impl Fn(usize) -> String) {
    for block in &mut draft.blocks {
        let start = block.at + 1;
        let put = |lines: Vec<String>| -> Vec<String> {
            lines.iter().enumerate().map(|(at, line)| format!("{}{line}", prefix(start + at))).collect()
        };
        block.halves = (Some(put(block.search())), Some(put(block.replace())));
    }
}

fn cat_numbers(draft: &mut Draft, _: &mut Rng) -> bool {
    numbered(draft, |number| format!("{number:>6}\t"));
    true
}

fn bar_numbers(draft: &mut Draft, _: &mut Rng) -> bool {
    numbered(draft, |number| format!("{number} | "));
    true
}

fn searched_numbers(draft: &mut Draft, _: &mut Rng) -> bool {
    numbered(draft, |number| format!("{number:>6}\t"));
    for block in &mut draft.blocks {
        block.halves.1 = None;
    }
    true
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn outdented(draft: &mut Draft, _: &mut Rng) -> bool {
    for block in &mut draft.blocks {
        let lines: Vec<String> = block.lines_mut().map(|line| line.clone()).collect();
        let common = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| depth(line)).min();
        let Some(common) = common.filter(|common| *common > 0) else { return false };
        for line in block.lines_mut().filter(|line| !line.trim().is_empty()) {
            line.drain(..common);
        }
    }
    true
}

fn indented(draft: &mut Draft, _: &mut Rng) -> bool {
    for line in draft.blocks.iter_mut().flat_map(Block::lines_mut).filter(|line| !line.trim().is_empty()) {
        line.insert_str(0, "    ");
    }
    true
}

fn tabs_for_blanks(draft: &mut Draft, _: &mut Rng) -> bool {
    if [".md", ".yml", ".rst"].iter().any(|ending| draft.work.path.ends_with(ending)) {
        return false;
    }
    // Every indentation depth of the new lines must occur in the search.
    let depths = |lines: &[String]| -> Vec<usize> {
        lines.iter().filter(|line| !line.trim().is_empty()).map(|line| depth(line)).collect()
    };
    for block in &mut draft.blocks {
        let (search, replace) = (depths(&block.search()), depths(&block.replace()));
        let is_regular = search.iter().chain(&replace).all(|depth| depth % 4 == 0);
        if !is_regular
            || !replace.iter().all(|depth| search.contains(depth))
            || search.iter().all(|it| *it == 0)
        {
            return false;
        }
        for line in block.lines_mut() {
            let depth = depth(line);
            if line[..depth].contains('\t') {
                return false;
            }
            *line = format!("{}{}", "\t".repeat(depth / 4), &line[depth..]);
        }
    }
    true
}

fn first_indentation(draft: &mut Draft, _: &mut Rng) -> bool {
    for block in &mut draft.blocks {
        // The first line is context, so both halves lose the same indentation.
        let Some(first) = block.before.first_mut().filter(|line| depth(line) > 0) else { return false };
        *first = first.trim_start().to_owned();
        if fold(first).len() < 4 {
            return false;
        }
    }
    true
}

fn padded(draft: &mut Draft, _: &mut Rng) -> bool {
    for block in &mut draft.blocks {
        let has_blank = |line: Option<&String>| line.is_none_or(|line| line.trim().is_empty());
        if has_blank(block.search().first()) || has_blank(block.search().last()) {
            return false;
        }
        block.before.insert(0, String::new());
        block.after.push(String::new());
    }
    true
}

fn wrong_numbers(draft: &mut Draft, rng: &mut Rng) -> bool {
    let off = 1 + rng.below(40);
    let is_later = rng.below(2) == 0;
    for block in &mut draft.blocks {
        block.at = if is_later { block.at + off } else { block.at.saturating_sub(off) };
    }
    true
}

fn reversed(draft: &mut Draft, _: &mut Rng) -> bool {
    draft.blocks.reverse();
    draft.blocks.len() > 1
}

fn repeated(draft: &mut Draft, rng: &mut Rng) -> bool {
    let block = draft.blocks[rng.below(draft.blocks.len())].clone();
    draft.blocks.push(block);
    true
}

/// The first lines, dots, and the last line before the change.
fn dots_in_both(draft: &mut Draft, _: &mut Rng) -> bool {
    let lines = draft.work.lines.clone();
    for block in &mut draft.blocks {
        let hunk = block.at + block.before.len();
        let Some(from) = hunk.checked_sub(7) else { return false };
        let unique = |lines: &[String], all: &[String]| {
            all.windows(lines.len()).filter(|it| *it == lines).count() == 1
        };
        if !unique(&lines[from..from + 2], &lines)
            || !unique(&[&lines[hunk - 1..hunk], &block.old[..], &block.after[..]].concat(), &lines)
        {
            return false;
        }
        let indentation = &lines[hunk - 1][..depth(&lines[hunk - 1])];
        block.before = vec![
            lines[from].clone(),
            lines[from + 1].clone(),
            format!("{indentation}..."),
            lines[hunk - 1].clone(),
        ];
        block.at = from;
    }
    draft.blocks.windows(2).all(|pair| pair[0].at + 12 < pair[1].at)
}

fn word_in_context(draft: &mut Draft, rng: &mut Rng) -> bool {
    let count = draft.blocks.len();
    let block = &mut draft.blocks[rng.below(count)];
    let mut lines: Vec<&mut String> = block.context_mut().collect();
    let count = lines.len();
    if count < 2 {
        return false;
    }
    let line = &mut lines[rng.below(count)];
    reworded(line, rng).map(|changed| **line = changed).is_some()
}

fn context_changed(draft: &mut Draft, rng: &mut Rng) -> bool {
    let places = context_places(draft);
    if places.len() < 2 {
        return false;
    }
    let at = places[rng.below(places.len())];
    reworded(&draft.work.lines[at], rng).map(|changed| draft.work.lines[at] = changed).is_some()
}

fn comment_left_out(draft: &mut Draft, _: &mut Rng) -> bool {
    let is_light = |line: &String| line.trim().is_empty() || is_comment(line);
    for block in &mut draft.blocks {
        // An outermost line would merely be missing from the context.
        if let Some(at) = (1..block.before.len()).find(|at| is_light(&block.before[*at])) {
            block.before.remove(at);
            return true;
        }
    }
    false
}

fn dots_in_search(draft: &mut Draft, _: &mut Rng) -> bool {
    let mut is_changed = false;
    for block in &mut draft.blocks {
        let search = block.search();
        if block.old.len() >= 3 && search.len() >= 5 {
            let mut short = search.clone();
            let from = block.before.len() + 1;
            short.splice(from..from + block.old.len() - 2, ["...".to_owned()]);
            block.halves.0 = Some(short);
            is_changed = true;
        }
    }
    is_changed
}

fn comment_in(path: &str, text: &str) -> String {
    match path.rsplit('.').next().unwrap_or_default() {
        "py" | "sh" | "rb" | "toml" | "yml" => format!("# {text}"),
        "lua" => format!("-- {text}"),
        "css" => format!("/* {text} */"),
        "md" => format!("<!-- {text} -->"),
        _ => format!("// {text}"),
    }
}

const STAND_INS: [&str; 6] = [
    "... existing code ...",
    "... rest of the code unchanged ...",
    "(existing code)",
    "... (keep the rest as it is)",
    "rest of function remains the same",
    "... unchanged ...",
];

fn stand_in(draft: &mut Draft, rng: &mut Rng) -> bool {
    let comment = comment_in(&draft.work.path, STAND_INS[rng.below(STAND_INS.len())]);
    let count = draft.blocks.len();
    let block = &mut draft.blocks[rng.below(count)];
    if block.before.len() < 2 {
        return false;
    }
    let indentation = block.before[1][..depth(&block.before[1])].to_owned();
    let mut lines = block.replace();
    lines.splice(1..block.before.len(), [format!("{indentation}{comment}")]);
    block.halves.1 = Some(lines);
    true
}

fn stand_in_below(draft: &mut Draft, rng: &mut Rng) -> bool {
    let comment = comment_in(&draft.work.path, STAND_INS[rng.below(STAND_INS.len())]);
    let count = draft.blocks.len();
    let block = &mut draft.blocks[rng.below(count)];
    if block.after.is_empty() {
        return false;
    }
    let indentation = block.after[0][..depth(&block.after[0])].to_owned();
    let lines = [&block.before[..], &block.new, &[format!("{indentation}{comment}")]].concat();
    block.halves.1 = Some(lines);
    true
}

/// Changes a deleted line in the file, so that the reply is about an outdated text.
fn change_deleted(
    draft: &mut Draft,
    rng: &mut Rng,
    change: impl Fn(&str, &mut Rng) -> Option<String>,
) -> bool {
    let places: Vec<usize> =
        draft.work.hunks.iter().flat_map(|hunk| hunk.at..hunk.at + hunk.old.len()).collect();
    let Some(at) = places.get(rng.below(places.len())).copied() else { return false };
    let Some(changed) = change(&draft.work.lines[at], rng) else { return false };
    let is_changed = fold(&changed) != fold(&draft.work.lines[at]);
    draft.work.lines[at] = changed;
    is_changed
}

fn deleted_changed(draft: &mut Draft, rng: &mut Rng) -> bool {
    change_deleted(draft, rng, reworded)
}

fn digit_changed(draft: &mut Draft, rng: &mut Rng) -> bool {
    change_deleted(draft, rng, |line, _| {
        let at = line.find(|letter: char| letter.is_ascii_digit())?;
        let digit = if &line[at..=at] == "7" { "3" } else { "7" };
        Some(format!("{}{digit}{}", &line[..at], &line[at + 1..]))
    })
}

fn case_changed(draft: &mut Draft, rng: &mut Rng) -> bool {
    let count = draft.blocks.len();
    let block = &mut draft.blocks[rng.below(count)];
    let count = block.old.len();
    let Some(line) = block.old.get_mut(rng.below(count)) else { return false };
    let changed = line.to_uppercase();
    let is_changed = changed != *line;
    *line = changed;
    is_changed
}

fn swapped(draft: &mut Draft, rng: &mut Rng) -> bool {
    let count = draft.blocks.len();
    let block = &mut draft.blocks[rng.below(count)];
    let (Some(last), Some(first)) = (block.before.last_mut(), block.old.first_mut()) else { return false };
    let is_seen = fold(last) != fold(first) && !last.trim().is_empty();
    std::mem::swap(last, first);
    is_seen
}

fn deleted_left_out(draft: &mut Draft, rng: &mut Rng) -> bool {
    let count = draft.blocks.len();
    let block = &mut draft.blocks[rng.below(count)];
    if block.old.len() < 2 || block.before.is_empty() || block.after.is_empty() {
        return false;
    }
    let line = block.old.remove(rng.below(block.old.len()));
    !is_comment(&line) && fold(&line).len() > 3
}

/// Inserts a copy of a block's old lines elsewhere in the file.
fn copy_of(draft: &mut Draft, rng: &mut Rng, number: usize, lines: &[String]) -> Option<()> {
    let ends = |block: &Block| (block.at, block.at + block.search().len());
    let taken: Vec<(usize, usize)> = draft.blocks.iter().map(ends).collect();
    let at = rng.below(draft.work.lines.len());
    if taken.iter().any(|(from, to)| at + 3 > *from && at < *to + 3) {
        return None;
    }
    draft.work.insert(at, lines);
    for block in draft.blocks.iter_mut().filter(|block| block.at >= at) {
        block.at += lines.len();
    }
    // A slightly wrong line number could still identify the block's own location.
    (draft.blocks[number].at.abs_diff(at) > lines.len()).then_some(())
}

fn tie(draft: &mut Draft, rng: &mut Rng) -> bool {
    // The order of several blocks could resolve the ambiguity.
    let lines = draft.blocks[0].search();
    draft.blocks.len() == 1 && copy_of(draft, rng, 0, &lines).is_some()
}

fn tie_and_wrong_number(draft: &mut Draft, rng: &mut Rng) -> bool {
    if !tie(draft, rng) {
        return false;
    }
    let block = &mut draft.blocks[0];
    let search = block.search();
    let places: Vec<usize> = draft
        .work
        .lines
        .windows(search.len())
        .enumerate()
        .filter(|(_, lines)| *lines == search)
        .map(|(at, _)| at)
        .collect();
    block.at = places.iter().sum::<usize>() / places.len();
    places.len() == 2 && !places.contains(&block.at) && places[0].abs_diff(places[1]) > 20
}

fn near_copy(draft: &mut Draft, rng: &mut Rng) -> bool {
    let number = rng.below(draft.blocks.len());
    let block = &draft.blocks[number];
    if block.old.is_empty() {
        return false;
    }
    let at = block.at + block.before.len() + rng.below(block.old.len());
    let mut lines = block.search();
    let place = at - block.at;
    let (Some(copy), Some(changed)) = (reworded(&lines[place], rng), reworded(&lines[place], rng)) else {
        return false;
    };
    if fold(&copy) == fold(&lines[place]) || copy == changed {
        return false;
    }
    lines[place] = copy;
    draft.work.lines[at] = changed;
    copy_of(draft, rng, number, &lines).is_some()
}

fn two_wills(draft: &mut Draft, rng: &mut Rng) -> bool {
    let mut block = draft.blocks[rng.below(draft.blocks.len())].clone();
    let Some(line) = block.new.first_mut() else { return false };
    let Some(changed) = reworded(line, rng).filter(|changed| changed != line) else { return false };
    *line = changed;
    draft.blocks.push(block);
    true
}

fn one_invented(draft: &mut Draft, rng: &mut Rng) -> bool {
    let mut block = draft.blocks[rng.below(draft.blocks.len())].clone();
    if block.old.is_empty() {
        return false;
    }
    for line in block.before.iter_mut().chain(&mut block.old).chain(&mut block.after) {
        *line = format!("{}invented_{}({});", &line[..depth(line)], rng.below(1000), rng.below(1000));
    }
    block.at += 9;
    draft.blocks.push(block);
    true
}

fn prose(_: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    let first = [
        "Sure! Here is the change you asked for:\n\n",
        "I looked at where the name is used. Two things matter:\n\n1. The callers stay as they are.\n\
         2. Nothing else is \
         changed.\n\n",
        "I'll update the code as follows.\n\n",
        "The fix is small: use `new_name` instead of `name`, since `a < b` no longer holds.\n\n",
    ][rng.below(4)];
    let last = [
        "\n\nThis keeps the old behaviour. Let me know if you want tests as well!\n",
        "\n\nLet me explain:\n\n- the name is new,\n- the rest stays.\n",
        "\n",
        "\n\nI did not run the tests.\n",
    ][rng.below(4)];
    Some(format!("{first}{reply}{last}"))
}

fn thinking(_: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    let tag = ["think", "thinking", "reasoning"][rng.below(3)];
    Some(format!(
        "<{tag}>\nThe user wants a new name. I have to look at the callers first.\n</{tag}>\n\n{reply}"
    ))
}

fn draft_in_thinking(draft: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    let word = draft.blocks.iter().flat_map(|block| &block.new).find(|line| fold(line).len() > 6)?;
    let other = reply.replace(word.trim(), &reworded(word.trim(), rng)?);
    Some(format!("<think>\nMaybe so:\n\n{other}\n\nNo, the name is wrong.\n</think>\n\n{reply}"))
}

fn end_token(_: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    let token = ["<|im_end|>", "<|endoftext|>", "</s>", "<|eot_id|>"][rng.below(4)];
    Some(format!("{}\n{token}", reply.trim_end()))
}

fn end_token_behind(_: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    let token = ["<|im_end|>", "<|endoftext|>", "</s>", "<|eot_id|>"][rng.below(4)];
    Some(format!("{}{token}", reply.trim_end()))
}

fn crlf_reply(_: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    Some(reply.replace('\n', "\r\n"))
}

fn crlf_in_strings(_: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    reply.contains("\\n").then(|| reply.replace("\\n", "\\r\\n"))
}

fn mark_before(_: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    Some(format!("\u{feff}{reply}"))
}

fn blank_lines(_: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    Some(format!("\n \n\n{reply}\n\n  \n"))
}

fn fenced(_: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    let info = ["", "xml", "text", "json", "diff"][rng.below(5)];
    let has_fence = reply.lines().any(|line| line.contains("```"));
    (!has_fence).then(|| format!("```{info}\n{}\n```\n", reply.trim_end_matches('\n')))
}

fn twice(_: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    Some(format!("{reply}\n{reply}"))
}

const MARK_LINES: [&str; 12] = [
    "<<<<<<< SEARCH",
    "=======",
    ">>>>>>> REPLACE",
    "------- SEARCH",
    "+++++++ REPLACE",
    "<edits>",
    "</edits>",
    "<old_text>",
    "</old_text>",
    "<new_text>",
    "</new_text>",
    "*** End Patch",
];

/// Changes the lines that are marks of a format.
fn change_marks(draft: &Draft, reply: &str, change: impl Fn(&str) -> String) -> Option<String> {
    // A line of the file may resemble a mark.
    if draft.work.lines.iter().any(|line| MARK_LINES.contains(&line.trim())) {
        return None;
    }
    Some(
        reply
            .lines()
            .map(|line| if MARK_LINES.contains(&line) { change(line) } else { line.to_owned() } + "\n")
            .collect(),
    )
}

fn blanks_behind_marks(draft: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    change_marks(draft, reply, |line| format!("{line}  "))
}

fn lower_case_marks(draft: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    change_marks(draft, reply, str::to_lowercase)
}

fn short_marks(draft: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    change_marks(draft, reply, |line| line[2..].to_owned())
}

fn long_marks(draft: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    change_marks(draft, reply, |line| format!("{}{line}", &line[..2]))
}

fn quoted(_: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    Some(reply.lines().map(|line| format!("> {line}\n")).collect())
}

fn coloured(_: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    let colour = |line: &str| match line.as_bytes().first() {
        Some(b'-') => format!("\u{1b}[31m{line}\u{1b}[m\n"),
        Some(b'+') => format!("\u{1b}[32m{line}\u{1b}[m\n"),
        Some(b'@') => format!("\u{1b}[36m{line}\u{1b}[m\n"),
        _ => format!("{line}\n"),
    };
    Some(reply.lines().map(colour).collect())
}

fn in_a_list(_: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    let indent = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("   {line}\n") };
    Some(format!("1. Change the name:\n\n{}", reply.lines().map(indent).collect::<String>()))
}

fn wrong_counts(_: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    let change = |line: &str| match line.strip_prefix("@@ -").and_then(|rest| rest.split_once(" @@")) {
        Some((numbers, _)) => {
            let starts: Vec<&str> = numbers.split(" +").filter_map(|side| side.split(',').next()).collect();
            format!("@@ -{},{} +{},{} @@", starts[0], 1 + rng.below(30), starts[1], 1 + rng.below(30))
        }
        None => line.to_owned(),
    };
    Some(reply.lines().map(change).map(|line| line + "\n").collect())
}

/// Removes the space that marks context.
fn unmarked(draft: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    let contexts = || draft.blocks.iter().flat_map(|block| block.before.iter().chain(&block.after));
    // A line that begins like a mark would be parsed as one.
    if contexts()
        .any(|line| line.trim().is_empty() || line.starts_with(['-', '+', '@', ' ', '*', '\\', '`', 'd']))
    {
        return None;
    }
    let mut text = reply.to_owned();
    for line in contexts() {
        let (plain, escaped) = (format!("\n {line}\n"), format!("\\n {}\\n", super::template::json(line)));
        text = text.replace(&plain, &plain.replacen("\n ", "\n", 1));
        text = text.replace(&escaped, &escaped.replacen("\\n ", "\\n", 1));
    }
    (text != *reply).then_some(text)
}

fn unmarked_blank(_: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    let text = reply.replace("\n \n", "\n\n");
    (text != reply).then_some(text)
}

fn escaped(draft: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    let has_marks = |block: &Block| block.search().iter().any(|line| line.contains(['<', '>', '&']));
    let is_plain = !draft.work.file().contains("&lt;") && !draft.work.file().contains("&amp;");
    (is_plain && draft.blocks.iter().all(has_marks)).then(|| super::template::xml(reply))
}

fn escaped_twice(_: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    reply.contains("\\n").then(|| reply.replace("\\n", "\\\\n"))
}

fn raw_line_ends(_: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    let has_odd = reply.contains("\\\\n");
    (reply.contains("\\n") && !has_odd).then(|| reply.replace("\\n", "\n"))
}

fn trailing_comma(_: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    Some(format!("{},}}", reply.trim_end().strip_suffix('}')?))
}

fn single_quotes(draft: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    let is_plain = draft.blocks.iter().all(|block| {
        block.search().iter().chain(&block.replace()).all(|line| !line.contains(['\'', '"', '\\']))
    });
    is_plain.then(|| reply.replace('"', "'"))
}

/// A reply truncated before a mark is complete, and after the first line of the old text.
fn cut_before(draft: &Draft, reply: &str, rng: &mut Rng, mark: &str) -> Option<String> {
    let first = draft.blocks[0].search().into_iter().find(|line| fold(line).len() > 4)?;
    let from =
        reply.find(first.trim()).or_else(|| reply.find(super::template::json(first.trim()).as_str()))?;
    let to = reply.rfind(mark)? + mark.len() - 1;
    let at = from + rng.below(to.checked_sub(from)?);
    (draft.blocks.len() == 1 && reply.is_char_boundary(at)).then(|| reply[..at].to_owned())
}

fn cut_marks(draft: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    let mark = ["+++++++ REPLACE", ">>>>>>> REPLACE", "</new_text>", "</new_code>", "</patched>"]
        .into_iter()
        .find(|mark| reply.contains(mark))?;
    cut_before(draft, reply, rng, mark)
}

fn cut_string(draft: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    cut_before(draft, reply, rng, "\"")
}

fn cut_parameter(draft: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    cut_before(draft, reply, rng, "</parameter>")
}

fn cut_diff(draft: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    let end = if reply.contains("```") { "```" } else { "\n" };
    let text = cut_before(draft, reply.trim_end(), rng, end)?;
    // If only the line end is missing, nothing is lost.
    (reply.trim_end().len() > text.len() + 1).then_some(text)
}

fn cut_patch(draft: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    cut_before(draft, reply, rng, "*** End Patch")
}

fn cut_whole(draft: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    let marks = ["</content>", "</parameter>", "</boltAction>", "</lov-write>", "</file>", "EOF\n", "```"];
    let mark = marks.into_iter().find(|mark| reply.contains(mark))?;
    let first = draft.work.new_lines().into_iter().find(|line| fold(line).len() > 4)?;
    let from = reply.find(first.trim())? + first.trim().len();
    let to = reply.rfind(mark)?;
    let at = from + rng.below(to.checked_sub(from)?);
    let is_open =
        reply[..at].lines().filter(|line| line.starts_with("```")).count() % 2 == 1 || mark != "```";
    (is_open && reply.is_char_boundary(at)).then(|| reply[..at].to_owned())
}

fn no_divider(draft: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    let is_plain = draft.blocks.len() == 1 && !draft.work.file().contains("=======");
    is_plain.then(|| reply.replace("=======\n", ""))
}

/// Replaces some lines of a whole file, in any notation.
fn replace_lines(reply: &str, lines: &[String], by: &str) -> Option<String> {
    let (plain, escaped) =
        (super::template::lines(lines), super::template::json(&super::template::lines(lines)));
    let text = reply.replacen(&plain, by, 1);
    let text = if text == reply { reply.replacen(&escaped, &super::template::json(by), 1) } else { text };
    (text != reply).then_some(text)
}

fn whole_stand_in(draft: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    let work = &draft.work;
    // Between the start of the file and the change, so that both sides bound the gap.
    let to = work.hunks[0].at.checked_sub(4)?;
    let from = 3 + rng.below(to.checked_sub(12)?);
    let comment = comment_in(&work.path, STAND_INS[rng.below(STAND_INS.len())]);
    replace_lines(reply, &work.lines[from..to], &format!("{comment}\n"))
}

fn whole_ends_early(draft: &Draft, reply: &str, rng: &mut Rng) -> Option<String> {
    let lines = draft.work.new_lines();
    let last = draft.work.hunks.last()?;
    let from = last.at + last.new.len() + 4;
    let rest = lines.get(from..).filter(|rest| rest.len() > 8)?;
    let comment = comment_in(&draft.work.path, STAND_INS[rng.below(STAND_INS.len())]);
    replace_lines(reply, rest, &format!("{comment}\n"))
}

fn whole_half(draft: &Draft, reply: &str, _: &mut Rng) -> Option<String> {
    let lines = draft.work.new_lines();
    let rest = lines.get(lines.len() * 2 / 5..).filter(|rest| rest.len() > 20)?;
    replace_lines(reply, rest, "")
}

fn talk(_: &Draft, _: &str, rng: &mut Rng) -> Option<String> {
    let text = [
        "I'm sorry, but I can't make this change without seeing the rest of the project.",
        "The code already does what you describe, so I would leave it.",
        "Which of the two functions do you mean?",
        "You should replace the call to `open` by one to `open_all`, and add an import.",
    ];
    Some(text[rng.below(4)].to_owned())
}
