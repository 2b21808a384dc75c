//! Cases that fit no table: parts of lines, edits of all occurrences, edits that build on each other, positions in
//! the file, and texts that resemble the marks of a format.

use std::collections::BTreeMap;

use super::slips::is_comment;
use super::template::{self, json, lines, render};
use super::tree::Tree;
use super::work::{self, Block, Draft, Work, fold, reworded};
use super::{Case, Must, cases, formats};
use crate::edit::corpus::{Hunk, Rng};
use Must::{Apply, May, Refuse};

type Make = fn(&mut Rng) -> Option<Vec<Case>>;

/// Formats with one search and one replacement, in which the old text need not be whole lines.
const EXACT: &[&str] = &[
    "claude code Edit",
    "anthropic str_replace",
    "gemini replace",
    "copilot replace_string_in_file",
    "invoke Edit",
];
/// One format of each kind.
const EACH: &[&str] = &[
    "aider diff",
    "cline replace_in_file",
    "claude code MultiEdit",
    "qwen edit",
    "git diff",
    "aider udiff",
    "apply_patch",
];

/// Classes of one format each: name, formats, and the function that makes a case in a format.
type MakeIn = fn(&str, &mut Rng) -> Option<Vec<Case>>;

pub(super) const SPECIAL_IN: &[(&str, &[&str], MakeIn)] = &[
    ("part of a line", EXACT, part_of_line),
    ("part of a line, a tie", EXACT, part_of_line_tie),
    ("parts of two lines", EXACT, parts_of_lines),
    ("deleted with its line end", EXACT, deleted_with_end),
    ("deleted without its line end", EXACT, deleted_without_end),
    ("long file", EACH, long_file),
    ("eight places", EACH, eight_places),
    ("below the last line", EACH, below_last),
    ("above the first line", EACH, above_first),
    ("below the last line, which is open", EACH, below_open_last),
    ("letters of many scripts", EACH, many_scripts),
    ("mixed line ends", EACH, mixed_ends),
    ("new text elsewhere", EACH, new_text_elsewhere),
    ("there already", EACH, there_already),
    (
        "equal halves",
        &["aider diff", "cline replace_in_file", "claude code MultiEdit", "qwen edit"],
        equal_halves,
    ),
    ("invisible letters in new text", EACH, invisible_letters),
    ("a loop in new text", EACH, loop_in_new_text),
    ("quoted code first", EACH, quoted_first),
    ("an example behind", EACH, example_behind),
    ("second thoughts", EACH, second_thoughts),
    ("rulers in the text", EACH, rulers),
    ("fences in the text", EACH, fences),
    ("tags in the text", &["aider diff", "claude code MultiEdit", "git diff", "apply_patch"], tags),
    (
        "marks of patches in the text",
        &["aider diff", "claude code MultiEdit", "git diff", "apply_patch"],
        patch_marks,
    ),
    (
        "double marks in a diff",
        &["git diff", "git diff in a fence", "aider udiff", "apply_patch"],
        double_marks,
    ),
    (
        "a file of one line",
        &["claude code Edit", "aider diff", "git diff", "apply_patch", "aider whole", "claude code Write"],
        one_line,
    ),
    ("a very long line", EXACT, very_long_line),
    (
        "builds on the block before",
        &["aider diff", "cline replace_in_file", "json lines of edits"],
        builds_on_before,
    ),
    ("path with a dot", EACH, path_with_dot),
    (
        "path with a prefix",
        &["claude code MultiEdit", "cline replace_in_file", "qwen edit"],
        path_with_prefix,
    ),
    ("absolute path", EACH, absolute_path),
    ("path with backslashes", &["claude code MultiEdit", "aider diff"], path_with_backslashes),
    ("path with blanks", EACH, path_with_blanks),
    ("only the file's name", EACH, only_name),
    ("another file", EACH, another_file),
    ("another folder", EACH, another_folder),
    ("two options", &["aider diff", "claude code Edit", "apply_patch", "git diff in a fence"], two_options),
];

pub(super) const SPECIAL: &[(&str, Make)] = &[
    ("replace_all", replace_all),
    ("replace_all left out", replace_all_left_out),
    ("replace_all in longer words", replace_all_in_words),
    ("expected_replacements", expected_replacements),
    ("expected_replacements, another number", expected_otherwise),
    ("expected_replacements of one place", expected_of_one),
    ("edits that build on each other", edits_in_order),
    ("anthropic insert", anthropic_insert),
    ("roo insert_content", roo_insert),
    ("roo search_and_replace, expression", roo_expression),
    ("empty old string", empty_old),
    ("an empty file", empty_file),
    ("diff without context", no_context),
    ("diff that adds without context", added_without_context),
    ("diff that adds the last line end", adds_last_end),
    ("undo_edit", undo_edit),
    ("view, then edit", view_then_edit),
    ("a script that edits", script),
    ("sed", sed),
    ("binary patch", binary_patch),
    ("combined diff", combined_diff),
    ("word diff", word_diff),
    ("merge markers", merge_markers),
    ("language server edit, no old text", server_edit),
    ("region in a fence", region_fence),
    ("region as a suggestion", region_suggestion),
    ("region with prose", region_prose),
    ("region below the file's name", region_named),
    ("region below a language's name", region_below_language),
    ("region by str_replace", region_by_string),
    ("region, and an edit outside", region_outside),
    ("region cut", region_cut),
    ("delete in a request about a file", delete_in_file),
    ("rename in a request about a file", rename_in_file),
    ("apply_patch without its first mark", no_begin),
    ("apply_patch at the end of the file", end_of_file),
];

/// A case about one file.
fn about(path: &str, file: &str, reply: String, right: &[String], may_refuse: bool) -> Case {
    let tree = |text: &str| Tree(BTreeMap::from([(path.to_owned(), text.to_owned())]));
    Case {
        kind: String::new(),
        files: tree(file),
        path: Some(path.to_owned()),
        range: None,
        reply,
        right: right.iter().map(|text| tree(text)).collect(),
        may_refuse,
    }
}

/// A sound draft of one block.
fn single(rng: &mut Rng) -> Option<Draft> {
    work::draft(rng, 1)
}

fn sound(draft: &Draft, cases: Vec<Case>) -> Option<Vec<Case>> {
    work::is_sound(&draft.work).then_some(cases)
}

/// A draft as written in a format.
fn written(format: &str, draft: &Draft, must: Must) -> Vec<Case> {
    let template = formats::named(format);
    cases(draft, template, must, render(template, draft))
}

/// A case of one exact old text and its replacement, at any column.
fn exact(format: &str, work: &Work, old: &str, new: &str, right: &[String], may_refuse: bool) -> Vec<Case> {
    let block = Block {
        at: 0,
        shift: 0,
        before: Vec::new(),
        old: old.split('\n').map(str::to_owned).collect(),
        new: new.split('\n').map(str::to_owned).collect(),
        after: Vec::new(),
        halves: (None, None),
    };
    let mut draft = Draft { work: work.clone(), blocks: vec![block], also: right.to_vec() };
    draft.work.hunks.clear();
    let template = formats::named(format);
    let reply = render(template, &draft);
    let must = if may_refuse { May } else { Apply };
    let mut cases = cases(&draft, template, must, reply);
    for case in &mut cases {
        // The edit does not replace whole lines, so the work's own result does not apply.
        case.right.remove(0);
    }
    cases
}

/// The offsets of a text in another one.
fn places(text: &str, part: &str) -> Vec<usize> {
    text.match_indices(part).map(|(at, _)| at).collect()
}

fn is_word(letter: Option<char>) -> bool {
    letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Whether no letter adjoins a text.
fn is_bounded(text: &str, at: usize, part: &str) -> bool {
    let is_begun = is_word(text[..at].chars().next_back()) && is_word(part.chars().next());
    let is_continued = is_word(text[at + part.len()..].chars().next()) && is_word(part.chars().next_back());
    !is_begun && !is_continued
}

/// The words of a line that may be names.
fn names(line: &str) -> Vec<&str> {
    line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| word.len() >= 4 && word.is_ascii() && word.as_bytes()[0].is_ascii_lowercase())
        .collect()
}

/// An edit that changes a word of one line: the work, the old text, the new text, and the rest of the line.
fn word_of_line(rng: &mut Rng) -> Option<(Work, String, String, String)> {
    let work = work::work(rng, 1)?;
    let hunk = work.hunks[0].clone();
    let ([old], [new]) = (&hunk.old[..], &hunk.new[..]) else { return None };
    let same =
        old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(letter, _)| letter.len_utf8()).sum();
    let start = old[..same].rfind(' ').map_or(0, |at| at + 1);
    let changed = names(&new[start..]).into_iter().find(|word| !old.contains(word))?.to_owned();
    let end_of_new = start + new[start..].find(&changed)? + changed.len();
    let rest = &new[end_of_new..];
    let from = old.len().checked_sub(rest.len())?;
    let (part, by) = (&old[start..from], &new[start..end_of_new]);
    let is_clear = old.ends_with(rest) && fold(part).len() >= 4 && part != old.trim();
    is_clear.then(|| (work.clone(), part.to_owned(), by.to_owned(), rest.to_owned()))
}

fn part_of_line(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (work, old, new, _) = word_of_line(rng)?;
    let file = work.file();
    let found = places(&file, &old);
    let right = work.target();
    let is_sure =
        found.len() == 1 && is_bounded(&file, found[0], &old) && file.replacen(&old, &new, 1) == right;
    (is_sure && work::is_sound(&work)).then(|| exact(format, &work, &old, &new, &[right], false))
}

fn part_of_line_tie(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (work, old, new, _) = word_of_line(rng)?;
    let file = work.file();
    let found = places(&file, &old);
    let is_tie = found.len() > 1 && found.iter().all(|at| is_bounded(&file, *at, &old));
    is_tie.then(|| exact(format, &work, &old, &new, &[], true))
}

fn parts_of_lines(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (work, old, new, rest) = word_of_line(rng)?;
    let next = work.lines.get(work.hunks[0].at + 1)?;
    let word = next
        .trim_start()
        .split(' ')
        .next()
        .filter(|word| fold(word).len() > 2 && word.len() < next.trim().len())?;
    let tail = format!("{rest}\n{}{word}", &next[..next.len() - next.trim_start().len()]);
    let (old, new) = (format!("{old}{tail}"), format!("{new}{tail}"));
    let file = work.file();
    let found = places(&file, &old);
    let right = work.target();
    let is_sure =
        found.len() == 1 && is_bounded(&file, found[0], &old) && file.replacen(&old, &new, 1) == right;
    (is_sure && work::is_sound(&work)).then(|| exact(format, &work, &old, &new, &[right], false))
}

/// An edit that deletes whole lines, whose text occurs once in the file.
fn deletion(rng: &mut Rng) -> Option<(Work, String)> {
    let work = work::work(rng, 1)?;
    let hunk = &work.hunks[0];
    let text = lines(&hunk.old);
    let is_sure = hunk.new.is_empty()
        && places(&work.file(), text.trim_end()).len() == 1
        && fold(&hunk.old[0]).len() > 5;
    (is_sure && work::is_sound(&work)).then(|| (work.clone(), text))
}

fn deleted_with_end(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (work, text) = deletion(rng)?;
    Some(exact(format, &work, &text, "", &[work.target()], false))
}

fn deleted_without_end(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (work, text) = deletion(rng)?;
    let text = text.trim_end();
    // Taken literally it leaves an empty line; the intention is to delete the line.
    let literal = work.file().replacen(text, "", 1);
    Some(exact(format, &work, text, "", &[work.target(), literal], false))
}

fn long_file(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let work = work::long_work(rng, 3)?;
    let blocks = work.blocks(3)?;
    let draft = Draft { work, blocks, also: Vec::new() };
    sound(&draft, written(format, &draft, Apply))
}

fn eight_places(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let work = work::work(rng, 8)?;
    let blocks = work.blocks(2)?;
    let draft = Draft { work, blocks, also: Vec::new() };
    sound(&draft, written(format, &draft, Apply))
}

/// New comment lines made from a line of the file.
fn comment_lines(work: &Work, rng: &mut Rng) -> Option<Vec<String>> {
    let lines: Vec<&String> =
        work.lines.iter().filter(|line| is_comment(line) && names(line).len() > 1).collect();
    let line = lines.get(rng.below(lines.len()))?;
    let changed = reworded(line.trim(), rng)?;
    (!work.lines.contains(&changed)).then(|| vec![changed])
}

/// A draft that inserts lines at a position, with context where there is some.
fn put_in(work: Work, at: usize, new: Vec<String>) -> Option<Draft> {
    let mut work = work;
    work.hunks = vec![Hunk { at, old: Vec::new(), new }];
    let blocks = work.blocks(3)?;
    Some(Draft { work, blocks, also: Vec::new() })
}

fn below_last(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let work = work::work(rng, 1)?;
    let new = comment_lines(&work, rng)?;
    let draft = put_in(work.clone(), work.lines.len(), new)?;
    sound(&draft, written(format, &draft, Apply))
}

fn above_first(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let work = work::work(rng, 1)?;
    let new = comment_lines(&work, rng)?;
    let is_first =
        work.lines[0].starts_with("#!") || work.lines[0].starts_with("<?") || work.path.ends_with(".md");
    let draft = put_in(work, 0, new)?;
    if is_first { None } else { sound(&draft, written(format, &draft, Apply)) }
}

fn below_open_last(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let work = work::work(rng, 1)?;
    let new = comment_lines(&work, rng)?;
    let mut draft = put_in(work.clone(), work.lines.len(), new)?;
    let closed = draft.work.target();
    draft.work.is_closed = false;
    draft.also = vec![closed];
    sound(&draft, written(format, &draft, Apply))
}

/// Appends text to the comments of a file.
fn decorated(work: &mut Work, text: &str) -> bool {
    let at = work.hunks[0].at;
    let from = at.saturating_sub(3);
    let to = (at + 5).min(work.lines.len());
    let mut is_changed = false;
    for line in work.lines[from..to].iter_mut().filter(|line| is_comment(line) && fold(line).len() > 3) {
        line.push_str(text);
        is_changed = true;
    }
    work.folded = None;
    let hunk = &mut work.hunks[0];
    hunk.old = work.lines[at..at + hunk.old.len()].to_vec();
    is_changed
}

fn many_scripts(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let mut work = work::work(rng, 1)?;
    let text = [" 数据 🦀 ñ", " Größe — “quoted”", " привет мир", " שלום", " 👩‍👩‍👧 family"][rng.below(5)];
    if !decorated(&mut work, text) {
        return None;
    }
    for line in &mut work.hunks[0].new {
        if is_comment(line) {
            line.push_str(text);
        }
    }
    let blocks = work.blocks(2)?;
    let draft = Draft { work, blocks, also: Vec::new() };
    sound(&draft, written(format, &draft, Apply))
}

fn mixed_ends(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let work = &draft.work;
    let hunk = &work.hunks[0];
    // The other line ends are far from the edit, so the edit's own lines have only one kind.
    let border = if hunk.at > work.lines.len() / 2 { hunk.at.checked_sub(12)? } else { hunk.at + 12 };
    let mixed = |text: &[String], border: usize| -> String {
        let end = |at: usize| if (at < border) == (hunk.at < border) { "\r\n" } else { "\n" };
        text.iter().enumerate().map(|(at, line)| format!("{line}{}", end(at))).collect()
    };
    let moved = (border + hunk.new.len()).checked_sub(hunk.old.len())?;
    let new_border = if border > hunk.at { moved } else { border };
    let (file, target) = (mixed(&work.lines, border), mixed(&work.new_lines(), new_border));
    let mut cases = sound(&draft, written(format, &draft, Apply))?;
    let path = work.path.clone();
    for case in &mut cases {
        case.files.0.insert(path.clone(), file.clone());
        for right in &mut case.right {
            right.0.insert(path.clone(), target.clone());
        }
    }
    (border > 3 && border + 3 < work.lines.len()).then_some(cases)
}

fn new_text_elsewhere(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let mut draft = single(rng)?;
    let new = draft.blocks[0].replace();
    let taken = draft.blocks[0].at..draft.blocks[0].at + draft.blocks[0].search().len();
    let at = rng.below(draft.work.lines.len());
    if at + 2 > taken.start && at < taken.end + 2 || draft.blocks[0].old.is_empty() {
        return None;
    }
    let is_sound = work::is_sound(&draft.work);
    draft.work.insert(at, &new);
    if at < taken.start {
        draft.blocks[0].at += new.len();
    }
    is_sound.then(|| written(format, &draft, Apply))
}

fn there_already(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = work::draft(rng, 2)?;
    let mut cases = sound(&draft, written(format, &draft, May))?;
    for case in &mut cases {
        case.files = case.right[0].clone();
    }
    // A search that still matches asks for another edit.
    let target = draft.work.target();
    let is_gone = |block: &Block| !target.contains(&lines(&block.search()));
    draft.blocks.iter().all(is_gone).then_some(cases)
}

fn equal_halves(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let mut draft = single(rng)?;
    let file = draft.work.file();
    draft.blocks[0].new = draft.blocks[0].old.clone();
    let template = formats::named(format);
    let mut cases = cases(&draft, template, May, render(template, &draft));
    for case in &mut cases {
        case.right = vec![case.files.clone()];
    }
    (!draft.blocks[0].old.is_empty() && !file.is_empty()).then_some(cases)
}

fn invisible_letters(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let mut draft = single(rng)?;
    let plain = draft.work.target();
    let letter = ["\u{202e}", "\u{2066}", "\u{200b}", "\u{e0041}"][rng.below(4)];
    let is_sound = work::is_sound(&draft.work);
    for new in [&mut draft.work.hunks[0].new, &mut draft.blocks[0].new] {
        let line = new.first_mut()?;
        let at = line.rfind(' ').filter(|at| *at > 0)?;
        line.insert_str(at, letter);
    }
    let mut cases = written(format, &draft, May);
    for case in &mut cases {
        // The result must not contain them.
        case.right = vec![Tree(case.files.0.clone()).with(&[(&draft.work.path, &plain)])];
    }
    is_sound.then_some(cases)
}

fn loop_in_new_text(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let mut draft = single(rng)?;
    let line = draft.blocks[0].new.first()?.clone();
    let many = vec![line; 60 + rng.below(60)];
    draft.blocks[0].new = many;
    Some(written(format, &draft, Refuse))
}

/// A single draft with other text around the written reply.
fn around(
    format: &str,
    rng: &mut Rng,
    must: Must,
    write: impl Fn(&Draft, &str) -> Option<String>,
) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let template = formats::named(format);
    let reply = write(&draft, &render(template, &draft))?;
    sound(&draft, cases(&draft, template, must, reply))
}

fn quoted_first(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    around(format, rng, Apply, |draft, reply| {
        let block = &draft.blocks[0];
        let old = lines(&block.search());
        (!old.contains("```"))
            .then(|| format!("The code is now:\n\n```\n{old}```\n\nIt should read a new name.\n\n{reply}"))
    })
}

fn example_behind(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    around(format, rng, Apply, |_, reply| {
        Some(format!("{}\n\nTo try it, run:\n\n```bash\nmake test ARGS=--quick\n```\n", reply.trim_end()))
    })
}

/// A reply that retracts its first edit, in prose, in favor of another one at the same location.
fn second_thoughts(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let mut other = draft.clone();
    let line = other.blocks[0].new.first_mut()?;
    *line = reworded(line, rng).filter(|changed| changed != line)?;
    let template = formats::named(format);
    let (first, last) = (render(template, &other), render(template, &draft));
    let reply = format!("{}\n\nWait, that name is taken. It has to be:\n\n{last}", first.trim_end());
    sound(&draft, cases(&draft, template, May, reply))
}

fn two_options(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let mut other = draft.clone();
    let line = other.blocks[0].new.first_mut()?;
    *line = reworded(line, rng).filter(|changed| changed != line)?;
    let template = formats::named(format);
    let (first, last) = (render(template, &other), render(template, &draft));
    let reply =
        format!("Option A keeps the name short:\n\n{}\n\nOption B is clearer:\n\n{last}", first.trim_end());
    Some(cases(&draft, template, Refuse, reply))
}

/// An edit of a text whose lines resemble marks: a line below the change is one of them, or the new line is.
fn text_with(format: &str, rng: &mut Rng, text: &[&str], path: &str, must: Must) -> Option<Vec<Case>> {
    let words = ["order", "price", "total", "basket", "refund", "invoice", "customer", "delivery", "receipt"];
    let mut all = Vec::new();
    for part in 0..6 {
        for line in text {
            let fill = |line: &str| {
                line.replace('$', &format!("{} {part}", words[rng_index(part, line.len(), words.len())]))
            };
            all.push(fill(line));
        }
    }
    let mut work = Work {
        path: path.to_owned(),
        lines: all,
        hunks: Vec::new(),
        end: "\n",
        is_closed: true,
        has_mark: false,
        folded: None,
    };
    let at = text.len() * (1 + rng.below(4)) + rng.below(text.len());
    work.hunks = vec![work::hunk(&work.lines, at, rng)?];
    let blocks = work.blocks(2)?;
    let shows = blocks[0].search().iter().chain(&blocks[0].replace()).any(|line| {
        ["===", "```", "</", "***", "<<<", "---", "+++", ">>>"].iter().any(|mark| line.starts_with(mark))
    });
    let draft = Draft { work, blocks, also: Vec::new() };
    if shows { sound(&draft, written(format, &draft, must)) } else { None }
}

fn rng_index(part: usize, length: usize, count: usize) -> usize {
    (part * 7 + length) % count
}

fn rulers(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let text = [
        "The $ of a shop",
        "=======",
        "",
        "It has a $ and a name.",
        "A second $ is refused.",
        "",
        "Notes on $",
        "-------",
        "",
        "See the $.",
    ];
    text_with(format, rng, &text, "docs/shop.rst", Apply)
}

fn fences(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let text = ["## The $", "", "```sh", "shop add $ --quick", "```", "", "It adds the $ at once.", ""];
    text_with(format, rng, &text, "docs/shop.md", Apply)
}

fn tags(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let text = [
        "<edits>",
        "<old_text>",
        "the $ before",
        "</old_text>",
        "<new_text>",
        "a $ behind",
        "</new_text>",
        "</edits>",
        "",
        "The $ is told so.",
    ];
    text_with(format, rng, &text, "docs/format.txt", Apply)
}

fn patch_marks(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let text = [
        "*** Begin Patch",
        "*** Update File: $.py",
        "@@",
        "-one $",
        "+two $",
        "*** End Patch",
        "",
        "This changes the $.",
    ];
    text_with(format, rng, &text, "docs/patches.txt", Apply)
}

/// Deleted and added lines that themselves begin with the marks of a diff.
fn double_marks(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let mut work = work::work(rng, 1)?;
    let at = work.hunks[0].at;
    if !work.path.ends_with(".lua") {
        return None;
    }
    work.folded = None;
    let old = work.lines.get(at)?.clone();
    let (first, last) = (reworded(&old, rng)?, reworded(&old, rng)?);
    work.lines[at] = format!("-- {}", first.trim());
    let new = [format!("-- {}", last.trim()), format!("-- {}", old.trim())][rng.below(2)].clone();
    work.hunks = vec![Hunk { at, old: vec![work.lines[at].clone()], new: vec![new] }];
    let blocks = work.blocks(2)?;
    let draft = Draft { work, blocks, also: Vec::new() };
    sound(&draft, written(format, &draft, Apply))
}

fn one_line(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let text = [
        "export const limit = 20;",
        "version = \"1.4.2\"",
        "print(\"hello\", total_price)",
        "{\"name\": \"shop\", \"private\": true, \"port\": 8080}",
    ];
    let path = ["src/limit.ts", "conf/version.toml", "say.py", "package.json"];
    let which = rng.below(4);
    let mut work = Work {
        path: path[which].to_owned(),
        lines: vec![text[which].to_owned()],
        hunks: Vec::new(),
        end: "\n",
        is_closed: rng.below(2) == 0,
        has_mark: false,
        folded: None,
    };
    let new = reworded(&work.lines[0], rng)?;
    work.hunks = vec![Hunk { at: 0, old: work.lines.clone(), new: vec![new] }];
    let blocks = work.blocks(0)?;
    let draft = Draft { work, blocks, also: Vec::new() };
    sound(&draft, written(format, &draft, Apply))
}

fn very_long_line(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let fields: Vec<String> = (0..400)
        .map(|number| {
            format!("\"field_{number}\":{{\"width\":{},\"label\":\"Field {number}\"}}", (number * 37) % 91)
        })
        .collect();
    let work = Work {
        path: "data/fields.json".to_owned(),
        lines: vec![format!("{{{}}}", fields.join(","))],
        hunks: Vec::new(),
        end: "\n",
        is_closed: true,
        has_mark: false,
        folded: None,
    };
    let number = rng.below(400);
    let (old, new) = (format!("\"label\":\"Field {number}\""), format!("\"label\":\"Row {number}\""));
    let right = work.file().replacen(&old, &new, 1);
    Some(exact(format, &work, &old, &new, &[right], false))
}

/// The second block's old text is the first one's new text.
fn builds_on_before(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let (mut draft, block) = two_steps(rng)?;
    draft.blocks.push(block);
    sound(&draft, written(format, &draft, May))
}

/// A draft of a first step, and the block of a second one; the work's target includes both.
fn two_steps(rng: &mut Rng) -> Option<(Draft, Block)> {
    let mut draft = single(rng)?;
    let first = draft.blocks[0].clone();
    if first.old.is_empty() || first.new.is_empty() {
        return None;
    }
    let at = rng.below(first.new.len());
    let mut last = first.new.clone();
    last[at] = reworded(&last[at], rng)?;
    if last == first.new || last == first.old || fold(&last[at]) == fold(&first.new[at]) {
        return None;
    }
    let second = Block { old: first.new, new: last.clone(), ..first };
    draft.work.hunks[0].new = last;
    // Each step alone is certain.
    let is_certain = !draft.work.file().contains(&lines(&second.search()));
    is_certain.then_some((draft, second))
}

/// A draft whose reply names another path than the file's.
fn named(
    format: &str,
    rng: &mut Rng,
    name: impl Fn(&str) -> String,
    alone: Must,
    below: Must,
) -> Option<Vec<Case>> {
    let draft = work::draft(rng, 2)?;
    let mut other = draft.clone();
    other.work.path = name(&draft.work.path);
    let template = formats::named(format);
    let reply = render(template, &other);
    let made = |must: Must, about_file: bool| {
        cases(&draft, template, must, reply.clone())
            .into_iter()
            .filter(move |case| case.path.is_some() == about_file)
    };
    let cases = made(alone, true).chain(made(below, false)).collect();
    sound(&draft, cases)
}

fn path_with_dot(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    named(format, rng, |path| format!("./{path}"), Apply, Apply)
}

fn path_with_prefix(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    named(format, rng, |path| format!("a/{path}"), Apply, May)
}

fn absolute_path(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    named(format, rng, |path| format!("/home/ada/shop/{path}"), Apply, May)
}

fn path_with_backslashes(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let is_json = format.contains("claude");
    named(format, rng, |path| path.replace('/', if is_json { "\\\\" } else { "\\" }), May, May)
}

fn only_name(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    named(format, rng, |path| path.rsplit('/').next().unwrap_or_default().to_owned(), Apply, May)
}

fn another_file(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    named(
        format,
        rng,
        |path| format!("lib/other_{}", path.rsplit('/').next().unwrap_or_default()),
        Refuse,
        Refuse,
    )
}

fn another_folder(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    named(
        format,
        rng,
        |path| format!("elsewhere/{}", path.rsplit('/').next().unwrap_or_default()),
        Refuse,
        Refuse,
    )
}

fn path_with_blanks(format: &str, rng: &mut Rng) -> Option<Vec<Case>> {
    let mut draft = work::draft(rng, 2)?;
    let is_sound = work::is_sound(&draft.work);
    draft.work.path = format!("My Shop/größe {}", draft.work.path.rsplit('/').next()?);
    is_sound.then(|| written(format, &draft, Apply))
}

/// A name of a file with all its occurrences: at least two, none within a longer word.
fn name_of_many(rng: &mut Rng, is_whole: bool) -> Option<(Work, String, String)> {
    let work = work::work(rng, 1)?;
    let file = work.file();
    let line = &work.lines[rng.below(work.lines.len())];
    let words = names(line);
    let word = (*words.get(rng.below(words.len()))?).to_owned();
    let found = places(&file, &word);
    let is_bounded = found.iter().all(|at| is_bounded(&file, *at, &word));
    let new = format!("new_{word}");
    let fits = (2..30).contains(&found.len()) && is_bounded == is_whole && !file.contains(&new);
    let target = file.replace(&word, &new);
    // A keyword is not a name.
    let mut checked = work.clone();
    checked.hunks = file_hunks(&work.lines, &word, &new);
    (fits && checked.target() == target && work::is_sound(&checked))
        .then(|| (work.clone(), word.clone(), new))
}

fn file_hunks(lines: &[String], word: &str, new: &str) -> Vec<Hunk> {
    let changed = lines.iter().enumerate().filter(|(_, line)| line.contains(word));
    changed
        .map(|(at, line)| Hunk { at, old: vec![line.clone()], new: vec![line.replace(word, new)] })
        .collect()
}

fn replace_all(rng: &mut Rng) -> Option<Vec<Case>> {
    let (work, old, new) = name_of_many(rng, true)?;
    let right = work.file().replace(&old, &new);
    let path = &work.path;
    let reply = match rng.below(4) {
        0 => format!(
            "{{\"file_path\": \"{path}\", \"old_string\": \"{old}\", \"new_string\": \"{new}\", \
             \"replace_all\": true}}"
        ),
        1 => format!(
            "{{\"filePath\": \"{path}\", \"oldString\": \"{old}\", \"newString\": \"{new}\", \
             \"replaceAll\": true}}"
        ),
        2 => format!(
            "{{\"file_path\": \"{path}\", \"edits\": [{{\"old_string\": \"{old}\", \"new_string\": \
             \"{new}\", \"replace_all\": true}}]}}"
        ),
        _ => format!(
            "<function_calls>\n<invoke name=\"Edit\">\n<parameter name=\"file_path\">{path}</parameter>\n\
             <parameter \
             name=\"old_string\">{old}</parameter>\n<parameter name=\"new_string\">{new}</parameter>\n\
             <parameter \
             name=\"replace_all\">true</parameter>\n</invoke>\n</function_calls>"
        ),
    };
    Some(vec![about(path, &work.file(), reply, &[right], false)])
}

fn replace_all_left_out(rng: &mut Rng) -> Option<Vec<Case>> {
    let (work, old, new) = name_of_many(rng, true)?;
    let path = &work.path;
    let flag = ["", ", \"replace_all\": false"][rng.below(2)];
    let reply = format!(
        "{{\"file_path\": \"{path}\", \"old_string\": \"{old}\", \"new_string\": \
        \"{new}\"{flag}}}"
    );
    Some(vec![about(path, &work.file(), reply, &[], true)])
}

fn replace_all_in_words(rng: &mut Rng) -> Option<Vec<Case>> {
    let (work, old, new) = name_of_many(rng, false)?;
    let right = work.file().replace(&old, &new);
    let path = &work.path;
    let reply = format!(
        "{{\"file_path\": \"{path}\", \"old_string\": \"{old}\", \"new_string\": \"{new}\", \
         \"replace_all\": true}}"
    );
    Some(vec![about(path, &work.file(), reply, &[right], true)])
}

fn expected(rng: &mut Rng, more: usize, may_refuse: bool) -> Option<Vec<Case>> {
    let (work, old, new) = name_of_many(rng, true)?;
    let count = places(&work.file(), &old).len() + more;
    let right = if may_refuse { Vec::new() } else { vec![work.file().replace(&old, &new)] };
    let path = &work.path;
    let reply = format!(
        "{{\"name\": \"replace\", \"args\": {{\"file_path\": \"{path}\", \"old_string\": \"{old}\", \
         \"new_string\": \"{new}\", \
         \"expected_replacements\": {count}}}}}"
    );
    Some(vec![about(path, &work.file(), reply, &right, may_refuse)])
}

fn expected_replacements(rng: &mut Rng) -> Option<Vec<Case>> {
    expected(rng, 0, false)
}

fn expected_otherwise(rng: &mut Rng) -> Option<Vec<Case>> {
    let more = 1 + rng.below(3);
    expected(rng, more, true)
}

fn expected_of_one(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let call = render(formats::named("gemini replace, call"), &draft);
    let reply = call.replace("\"expected_replacements\": 1", "\"expected_replacements\": 2");
    (reply != call).then(|| cases(&draft, "%path%", Refuse, reply))
}

/// According to the manual, each edit of the list applies to the result of the one before.
fn edits_in_order(rng: &mut Rng) -> Option<Vec<Case>> {
    let (mut draft, block) = two_steps(rng)?;
    draft.blocks.push(block);
    sound(&draft, written("claude code MultiEdit", &draft, Apply))
}

fn insertion(rng: &mut Rng) -> Option<Draft> {
    let draft = single(rng)?;
    draft.blocks[0].old.is_empty().then_some(draft)
}

fn anthropic_insert(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = insertion(rng)?;
    let hunk = &draft.work.hunks[0];
    let name = ["insert_text", "new_str"][rng.below(2)];
    let reply = format!(
        "{{\"command\": \"insert\", \"path\": \"{}\", \"insert_line\": {}, \"{name}\": \"{}\"}}",
        draft.work.path,
        hunk.at,
        json(&lines(&hunk.new))
    );
    sound(&draft, cases(&draft, "%path%", May, reply.clone()))
}

fn roo_insert(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = insertion(rng)?;
    let hunk = &draft.work.hunks[0];
    let reply = format!(
        "<insert_content>\n<path>{}</path>\n<line>{}</line>\n<content>\n{}</content>\n</insert_content>\n",
        draft.work.path,
        hunk.at + 1,
        lines(&hunk.new)
    );
    sound(&draft, cases(&draft, "%path%", May, reply))
}

fn roo_expression(rng: &mut Rng) -> Option<Vec<Case>> {
    let (work, old, new) = name_of_many(rng, true)?;
    let pattern = format!("\\b{}\\w+", &old[..3]);
    let reply = format!(
        "<search_and_replace>\n<path>{}</path>\n<search>{pattern}</search>\n<replace>{new}</replace>\n\
         <use_regex>true</use_regex>\n</search_and_replace>\n",
        work.path
    );
    Some(vec![about(&work.path, &work.file(), reply, &[], true)])
}

fn empty_old(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let new = lines(&draft.blocks[0].replace());
    let path = &draft.work.path;
    let reply = match rng.below(3) {
        0 => {
            format!("{{\"file_path\": \"{path}\", \"old_string\": \"\", \"new_string\": \"{}\"}}", json(&new))
        }
        1 => format!("{path}\n```\n<<<<<<< SEARCH\n=======\n{new}>>>>>>> REPLACE\n```\n"),
        _ => format!(
            "<function_calls>\n<invoke name=\"Edit\">\n<parameter name=\"file_path\">{path}</parameter>\n\
             <parameter \
             name=\"old_string\"></parameter>\n<parameter name=\"new_string\">{new}</parameter>\n\
             </invoke>\n</function_calls>"
        ),
    };
    Some(cases(&draft, "%path%", Refuse, reply))
}

fn empty_file(rng: &mut Rng) -> Option<Vec<Case>> {
    let work = work::work(rng, 1)?;
    let text = work.file();
    let path = &work.path;
    let reply = match rng.below(5) {
        0 => format!("{{\"file_path\": \"{path}\", \"content\": \"{}\"}}", json(&text)),
        1 => format!("{path}\n```\n<<<<<<< SEARCH\n=======\n{text}>>>>>>> REPLACE\n```\n"),
        2 => format!(
            "{{\"file_path\": \"{path}\", \"old_string\": \"\", \"new_string\": \"{}\"}}",
            json(&text)
        ),
        3 => format!(
            "--- a/{path}\n+++ b/{path}\n@@ -0,0 +1,{} @@\n{}",
            work.lines.len(),
            with_plus(&work.lines)
        ),
        _ => format!(
            "<write_to_file>\n<path>{path}</path>\n<content>\n{text}</content>\n\
        </write_to_file>\n"
        ),
    };
    let open = text.strip_suffix('\n')?.to_owned();
    // A text that does not parse as a whole is refused for that reason.
    let mut made = work.clone();
    made.hunks = vec![Hunk { at: 0, old: Vec::new(), new: made.lines.clone() }];
    made.lines.clear();
    let is_plain = !text.contains("```") && !text.contains("=======") && work::is_sound(&made);
    is_plain.then(|| vec![about(path, "", reply, &[text, open], false)])
}

pub(super) fn with_plus(lines: &[String]) -> String {
    lines.iter().map(|line| format!("+{line}\n")).collect()
}

fn no_context(rng: &mut Rng) -> Option<Vec<Case>> {
    let work = work::work(rng, 2)?;
    let blocks = work.blocks(0)?;
    let draft = Draft { work, blocks, also: Vec::new() };
    let has_old = draft.blocks.iter().all(|block| !block.old.is_empty() && block.before.is_empty());
    if has_old { sound(&draft, written("git diff", &draft, Apply)) } else { None }
}

fn added_without_context(rng: &mut Rng) -> Option<Vec<Case>> {
    let mut draft = insertion(rng)?;
    let hunk = draft.work.hunks[0].clone();
    let path = draft.work.path.clone();
    let reply = format!(
        "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{},0 +{},{} @@\n{}",
        hunk.at,
        hunk.at + 1,
        hunk.new.len(),
        with_plus(&hunk.new)
    );
    draft.also.clear();
    sound(&draft, cases(&draft, "%path%", May, reply))
}

fn adds_last_end(rng: &mut Rng) -> Option<Vec<Case>> {
    let mut work = work::work(rng, 1)?;
    let at = work.lines.len() - 1;
    let old = work.lines[at].clone();
    let new = reworded(&old, rng)?;
    work.hunks = vec![Hunk { at, old: vec![old], new: vec![new] }];
    let block = work.blocks(3)?.remove(0);
    let path = work.path.clone();
    let is_closed = rng.below(2) == 0;
    let note = "\\ No newline at end of file\n";
    let marked = template::unified(&block);
    let plus = marked.find("\n+")? + 1;
    let reply = match is_closed {
        // Removes the last line's end, or adds it.
        true => format!("--- a/{path}\n+++ b/{path}\n{marked}{note}"),
        false => format!("--- a/{path}\n+++ b/{path}\n{}{note}{}", &marked[..plus], &marked[plus..]),
    };
    let (mut before, mut after) = (work.clone(), work.clone());
    before.is_closed = is_closed;
    after.is_closed = !is_closed;
    let right = [after.target(), before.target()];
    work::is_sound(&work).then(|| vec![about(&path, &before.file(), reply, &right, false)])
}

fn undo_edit(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let reply = format!("{{\"command\": \"undo_edit\", \"path\": \"{}\"}}", draft.work.path);
    Some(cases(&draft, "%path%", Refuse, reply))
}

fn view_then_edit(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let edit = render(formats::named("anthropic str_replace"), &draft);
    let reply = format!(
        "[{{\"command\": \"view\", \"path\": \"{}\", \"view_range\": [1, 40]}}, {edit}]",
        draft.work.path
    );
    sound(&draft, cases(&draft, "%path%", May, reply))
}

fn script(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let block = &draft.blocks[0];
    let (old, new) = (block.old.first()?.trim(), block.new.first()?.trim());
    let is_plain = !old.contains(['\'', '\\']) && !new.contains(['\'', '\\']);
    let reply = format!(
        "```python\nfrom pathlib import Path\n\npath = Path('{path}')\ntext = path.read_text()\n\
         text = text.replace('{old}', \
         '{new}')\npath.write_text(text)\n```\n",
        path = draft.work.path
    );
    is_plain.then(|| cases(&draft, "", May, reply))
}

fn sed(rng: &mut Rng) -> Option<Vec<Case>> {
    let (work, old, new) = name_of_many(rng, true)?;
    let path = &work.path;
    let reply = format!("```bash\nsed -i 's/\\b{old}\\b/{new}/g' {path}\n```\n");
    let right = work.file().replace(&old, &new);
    Some(vec![about(path, &work.file(), reply, &[right], true)])
}

fn binary_patch(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let path = &draft.work.path;
    let reply = format!(
        "diff --git a/{path} b/{path}\nindex 3b18e51..a9c2f07 100644\nGIT binary patch\nliteral 12\n\
         TcmZQzU|?imU|?hbg#Z8m3jhEB\n\n\
         literal 10\nRcmZQzU|?imU|;|M00031\n\n"
    );
    Some(cases(&draft, "%path%", Refuse, reply))
}

fn combined_diff(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let path = &draft.work.path;
    let block = &draft.blocks[0];
    let with = |mark: &str, lines: &[String]| -> String {
        lines.iter().map(|line| format!("{mark}{line}\n")).collect()
    };
    let (old, new) = (block.search().len(), block.replace().len());
    let at = block.at + 1;
    let reply = format!(
        "diff --cc {path}\nindex 3b18e51,5512c1d..a9c2f07\n--- a/{path}\n+++ b/{path}\n\
         @@@ -{at},{old} -{at},{old} +{at},{new} @@@\n\
         {}{}{}{}",
        with("  ", &block.before),
        with("--", &block.old),
        with("++", &block.new),
        with("  ", &block.after)
    );
    sound(&draft, cases(&draft, "%path%", May, reply))
}

fn word_diff(rng: &mut Rng) -> Option<Vec<Case>> {
    let (work, old, new, rest) = word_of_line(rng)?;
    let path = work.path.clone();
    let at = work.hunks[0].at;
    let line = &work.lines[at];
    let from = line.len() - rest.len() - old.len();
    let reply = format!(
        "diff --git a/{path} b/{path}\nindex 3b18e51..a9c2f07 100644\n--- a/{path}\n+++ b/{path}\n\
         @@ -{n},2 +{n},2 @@\n{}\n\
         {}[-{old}-]{{+{new}+}}{rest}\n",
        work.lines.get(at.checked_sub(1)?)?,
        &line[..from],
        n = at
    );
    Some(vec![about(&path, &work.file(), reply, &[work.target()], true)])
}

fn merge_markers(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let block = &draft.blocks[0];
    let reply = format!(
        "<<<<<<< HEAD\n{}=======\n{}>>>>>>> new-name\n",
        lines(&block.search()),
        lines(&block.replace())
    );
    sound(&draft, cases(&draft, "", May, reply))
}

fn server_edit(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let hunk = &draft.work.hunks[0];
    let reply = format!(
        "[{{\"range\": {{\"start\": {{\"line\": {}, \"character\": 0}}, \"end\": {{\"line\": {}, \
         \"character\": 0}}}}, \
         \"newText\": \"{}\"}}]",
        hunk.at,
        hunk.at + hunk.old.len(),
        json(&lines(&hunk.new))
    );
    sound(&draft, cases(&draft, "", May, reply))
}

/// A draft with a range of whole lines around its edit: the range in bytes, and its lines after the edit.
fn region(rng: &mut Rng) -> Option<(Draft, std::ops::Range<usize>, Vec<String>)> {
    let draft = single(rng)?;
    let work = &draft.work;
    let hunk = &work.hunks[0];
    let from = hunk.at.checked_sub(2 + rng.below(4))?;
    let to = (hunk.at + hunk.old.len() + 2 + rng.below(4)).min(work.lines.len());
    let bytes = |upto: usize| -> usize { work.lines[..upto].iter().map(|line| line.len() + 1).sum() };
    let new = [&work.lines[from..hunk.at], &hunk.new, &work.lines[hunk.at + hunk.old.len()..to]].concat();
    // Ranges with blank lines at their ends, or with a fence, are other cases.
    let ends = [from, to - 1, from.checked_sub(1)?, to.min(work.lines.len() - 1)];
    let is_plain = ends.iter().all(|at| fold(&work.lines[*at]).len() > 1) && !lines(&new).contains("```");
    let range = bytes(from)..bytes(to);
    (is_plain && to < work.lines.len()).then(|| (draft.clone(), range, new))
}

fn region_case(
    rng: &mut Rng,
    must: Must,
    write: impl Fn(&Draft, &str) -> Option<String>,
) -> Option<Vec<Case>> {
    let (draft, range, new) = region(rng)?;
    let reply = write(&draft, &lines(&new))?;
    let mut cases = cases(&draft, "", must, reply);
    cases[0].range = Some(range);
    sound(&draft, cases)
}

fn region_fence(rng: &mut Rng) -> Option<Vec<Case>> {
    region_case(rng, Apply, |draft, new| Some(render("```%lang%\n", draft) + new + "```\n"))
}

fn region_suggestion(rng: &mut Rng) -> Option<Vec<Case>> {
    region_case(rng, Apply, |_, new| Some(format!("```suggestion\n{new}```\n")))
}

fn region_prose(rng: &mut Rng) -> Option<Vec<Case>> {
    region_case(rng, Apply, |draft, new| {
        Some(format!(
            "Here is the part with the new name:\n\n{}{new}```\n\nThe rest stays.\n",
            render("```%lang%\n", draft)
        ))
    })
}

/// The name of the file as a comment, which is a label if the range does not begin the file.
fn region_named(rng: &mut Rng) -> Option<Vec<Case>> {
    let mark = rng.of(&["# ", "// ", "-- "]);
    region_case(rng, Apply, |draft, new| {
        Some(format!("{}{mark}{}\n{new}```\n", render("```%lang%\n", draft), draft.work.path))
    })
}

fn region_below_language(rng: &mut Rng) -> Option<Vec<Case>> {
    region_case(rng, May, |draft, new| Some(format!("```\n{}{new}```\n", render("%lang%\n", draft))))
}

fn region_by_string(rng: &mut Rng) -> Option<Vec<Case>> {
    region_case(rng, Apply, |draft, _| Some(render(formats::named("claude code Edit"), draft)))
}

fn region_outside(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = work::draft(rng, 3).filter(|draft| draft.blocks.len() == 3)?;
    let bytes = |upto: usize| -> usize { draft.work.lines[..upto].iter().map(|line| line.len() + 1).sum() };
    let hunk = &draft.work.hunks[1];
    let range =
        bytes(hunk.at.checked_sub(3)?)..bytes((hunk.at + hunk.old.len() + 3).min(draft.work.lines.len()));
    let reply = render(formats::named("aider diff"), &draft);
    // Edits outside the range may be omitted and reported.
    let mut inner = draft.work.clone();
    inner.hunks = vec![hunk.clone()];
    let mut case = about(&draft.work.path, &draft.work.file(), reply, &[inner.target()], true);
    case.range = Some(range);
    sound(&draft, vec![case])
}

fn region_cut(rng: &mut Rng) -> Option<Vec<Case>> {
    let half = 3 + rng.below(5);
    region_case(rng, Refuse, move |draft, new| {
        let upto: String = new.chars().take(new.chars().count() * half / 9).collect();
        Some(render("```%lang%\n", draft) + &upto)
    })
}

fn delete_in_file(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let path = &draft.work.path;
    let reply = match rng.below(3) {
        0 => format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n"),
        1 => format!(
            "{{\"type\": \"apply_patch_call\", \"operation\": {{\"type\": \"delete_file\", \"path\": \
             \"{path}\"}}}}"
        ),
        _ => format!(
            "diff --git a/{path} b/{path}\ndeleted file mode 100644\nindex 3b18e51..0000000\n--- a/{path}\n\
             +++ /dev/null\n@@ -1,{} \
             +0,0 @@\n{}",
            draft.work.lines.len(),
            draft.work.lines.iter().map(|line| format!("-{line}\n")).collect::<String>()
        ),
    };
    Some(vec![about(path, &draft.work.file(), reply, &[], true)])
}

fn rename_in_file(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = single(rng)?;
    let path = &draft.work.path;
    let hunks = render("%hunks%", &draft);
    let patch = render("%patch%", &draft);
    let reply = match rng.below(2) {
        0 => format!(
            "*** Begin Patch\n*** Update File: {path}\n*** Move to: {path}.new\n{patch}*** End Patch\n"
        ),
        _ => format!(
            "diff --git a/{path} b/{path}.new\nsimilarity index 93%\nrename from {path}\n\
             rename to {path}.new\nindex \
             3b18e51..a9c2f07 100644\n--- a/{path}\n+++ b/{path}.new\n{hunks}"
        ),
    };
    Some(vec![about(path, &draft.work.file(), reply, &[], true)])
}

fn no_begin(rng: &mut Rng) -> Option<Vec<Case>> {
    let draft = work::draft(rng, 2)?;
    let reply = render("*** Update File: %path%\n%patch%*** End Patch\n", &draft);
    sound(&draft, cases(&draft, "%path%", May, reply))
}

/// The last lines occur twice in the file, and the mark identifies the intended ones.
fn end_of_file(rng: &mut Rng) -> Option<Vec<Case>> {
    let mut work = work::work(rng, 1)?;
    let at = work.lines.len() - 1;
    let old = work.lines[at].clone();
    let new = vec![old.clone(), reworded(&work.lines[rng.below(at)], rng)?];
    work.hunks = vec![Hunk { at, old: vec![old], new }];
    let block = work.blocks(2)?.remove(0);
    let is_sound = work::is_sound(&work);
    let copy = block.search();
    let place = rng.below(work.lines.len() - 8);
    work.insert(place, &copy);
    let draft = Draft { work, blocks: vec![block], also: Vec::new() };
    let reply =
        render("*** Begin Patch\n*** Update File: %path%\n%patch%*** End of File\n*** End Patch\n", &draft);
    is_sound.then(|| cases(&draft, "%path%", Apply, reply))
}
