//! Formats as templates: the example of a manual, with names in place of the edit's own text.
//!
//! `%name%` is a text of the edit; `«…»` is repeated for each block, with the text after `¦` between two; `⟦…⟧` is
//! written as the inside of a JSON string. Characters after a name change its text: `.` omits the last line's end,
//! `"` writes it as the inside of a JSON string, `&` as XML, `'` for single quotes of a shell.

use super::work::{Block, Draft};

/// Writes an edit in a format.
pub(super) fn render(template: &str, draft: &Draft) -> String {
    expand(template, draft, None)
}

/// Whether the format names the file.
pub(super) fn names_path(template: &str) -> bool {
    ["%path", "%git%", "%mail%"].iter().any(|name| template.contains(name))
}

/// Whether the format can hold several blocks.
pub(super) fn holds_many(template: &str) -> bool {
    template.contains('«') || !["%old", "%line%"].iter().any(|name| template.contains(name))
}

fn expand(template: &str, draft: &Draft, block: Option<&Block>) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['«', '⟦', '%']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let (inside, behind) = match rest.chars().next() {
            Some('«') => {
                let (inside, behind) = pair(rest, '«', '»');
                let (each, between) = inside.split_once('¦').unwrap_or((inside, ""));
                let parts: Vec<String> =
                    draft.blocks.iter().map(|block| expand(each, draft, Some(block))).collect();
                (parts.join(&expand(between, draft, block)), behind)
            }
            Some('⟦') => {
                let (inside, behind) = pair(rest, '⟦', '⟧');
                (json(&expand(inside, draft, block)), behind)
            }
            _ => match rest[1..].split_once('%') {
                Some((name, behind)) if is_name(name) => (value(name, draft, block), behind),
                _ => ("%".to_owned(), &rest[1..]),
            },
        };
        text.push_str(&inside);
        rest = behind;
    }
    text + rest
}

/// The text between a mark and its end, and the text after them.
fn pair(text: &str, open: char, close: char) -> (&str, &str) {
    text[open.len_utf8()..].split_once(close).unwrap_or_else(|| panic!("{close} is missing in {text}"))
}

fn is_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_.\"&'".contains(letter))
}

/// The text of a name.
fn value(name: &str, draft: &Draft, block: Option<&Block>) -> String {
    let (name, changes) = name.split_at(name.find(['.', '"', '&', '\'']).unwrap_or(name.len()));
    let block = block.or(draft.blocks.first());
    let of = |read: &dyn Fn(&Block) -> String| block.map(read).unwrap_or_default();
    let all = |read: &dyn Fn(&Block) -> String| -> String { draft.blocks.iter().map(read).collect() };
    let work = &draft.work;
    let mut text = match name {
        "path" => work.path.clone(),
        "base" => work.path.rsplit('/').next().unwrap_or_default().to_owned(),
        "ext" => work.path.rsplit('.').next().unwrap_or_default().to_owned(),
        "lang" => language(&work.path).to_owned(),
        "old" => of(&|block| lines(&block.search())),
        "new" => of(&|block| lines(&block.replace())),
        "line" => of(&|block| (block.at + 1).to_string()),
        "last" => of(&|block| (block.at + block.search().len()).to_string()),
        "hunk" => of(&unified),
        "hunks" => all(&unified),
        "bare_hunks" => all(&|block| format!("@@ ... @@\n{}", marked(block))),
        "named_hunks" => all(&|block| {
            let hunk = unified(block);
            let (head, body) = hunk.split_once('\n').unwrap_or_default();
            format!("{head} {}\n{body}", definition(draft, block))
        }),
        "patch" => all(&|block| format!("@@\n{}", marked(block))),
        "plain_patch" => draft.blocks.iter().map(marked).collect::<Vec<_>>().join("@@\n"),
        "named_patch" => all(&|block| format!("@@ {}\n{}", definition(draft, block), marked(block))),
        "context_hunks" => all(&context),
        "normal_hunks" => all(&normal),
        "ed" => draft.blocks.iter().rev().map(ed).collect(),
        "whole" => lines(&work.new_lines()),
        "text" => lines(&work.lines),
        "added" => all(&|block| lines(&block.new)),
        "new_count" => work.new_lines().len().to_string(),
        name => panic!("a template has no name {name}"),
    };
    for change in changes.chars() {
        text = match change {
            '.' => text.strip_suffix('\n').unwrap_or(&text).to_owned(),
            '"' => json(&text),
            '&' => xml(&text),
            _ => text.replace('\'', "'\\''"),
        };
    }
    text
}

/// Lines with ends.
pub(super) fn lines(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A text as the inside of a JSON string.
pub(super) fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// A text as the inside of an XML element.
pub(super) fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The language of a file, as used in fences.
fn language(path: &str) -> &str {
    match path.rsplit('.').next().unwrap_or_default() {
        "rs" => "rust",
        "py" => "python",
        "ts" => "typescript",
        "js" => "javascript",
        "rb" => "ruby",
        "sh" => "bash",
        "md" => "markdown",
        "yml" => "yaml",
        "cs" => "csharp",
        other => other,
    }
}

/// The lines of a block with the marks of a diff.
pub(super) fn marked(block: &Block) -> String {
    let with = |mark: char, lines: &[String]| -> String {
        lines.iter().map(|line| format!("{mark}{line}\n")).collect()
    };
    [with(' ', &block.before), with('-', &block.old), with('+', &block.new), with(' ', &block.after)].concat()
}

/// A hunk of a unified diff.
pub(super) fn unified(block: &Block) -> String {
    let (old, new) = (block.search().len(), block.replace().len());
    let start = block.at + 1;
    let new_start = start as isize + block.shift;
    let count = |count: usize| if count == 1 { String::new() } else { format!(",{count}") };
    format!("@@ -{start}{} +{new_start}{} @@\n{}", count(old), count(new), marked(block))
}

/// The line above a block that encloses it, by its indentation.
pub(super) fn definition(draft: &Draft, block: &Block) -> String {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let own = block.search().iter().filter(|line| !line.trim().is_empty()).map(|line| depth(line)).min();
    let above = draft.work.lines[..block.at.min(draft.work.lines.len())].iter().rev();
    let mut fitting = above.filter(|line| {
        line.contains(|letter: char| letter.is_alphabetic()) && Some(depth(line)) < own.map(|own| own.max(1))
    });
    fitting.next().map_or_else(String::new, |line| line.trim().to_owned())
}

/// A hunk of a context diff.
fn context(block: &Block) -> String {
    let (old, new) = (block.search().len(), block.replace().len());
    let start = block.at + 1;
    let new_start = (start as isize + block.shift) as usize;
    let is_change = !block.old.is_empty() && !block.new.is_empty();
    let side = |changed: &[String], mark: char| -> String {
        let mark = if is_change { '!' } else { mark };
        let with = |mark: char, lines: &[String]| -> String {
            lines.iter().map(|line| format!("{mark} {line}\n")).collect()
        };
        match changed {
            [] => String::new(),
            _ => [with(' ', &block.before), with(mark, changed), with(' ', &block.after)].concat(),
        }
    };
    format!(
        "***************\n*** {start},{} ****\n{}--- {new_start},{} ----\n{}",
        start + old - 1,
        side(&block.old, '-'),
        new_start + new - 1,
        side(&block.new, '+')
    )
}

/// A change of a normal diff: no context, `<` before old lines and `>` before new ones.
fn normal(block: &Block) -> String {
    let from = block.at + block.before.len();
    let new_from = (from as isize + block.shift) as usize;
    let range = |from: usize, lines: &[String]| match lines.len() {
        0 => from.to_string(),
        1 => (from + 1).to_string(),
        count => format!("{},{}", from + 1, from + count),
    };
    let with = |mark: char, lines: &[String]| -> String {
        lines.iter().map(|line| format!("{mark} {line}\n")).collect()
    };
    let (verb, between) = match (block.old.is_empty(), block.new.is_empty()) {
        (true, _) => ('a', ""),
        (_, true) => ('d', ""),
        _ => ('c', "---\n"),
    };
    format!(
        "{}{verb}{}\n{}{between}{}",
        range(from, &block.old),
        range(new_from, &block.new),
        with('<', &block.old),
        with('>', &block.new)
    )
}

/// A command of an ed script.
fn ed(block: &Block) -> String {
    let from = block.at + block.before.len();
    let place = match block.old.len() {
        0 => from.to_string(),
        1 => (from + 1).to_string(),
        count => format!("{},{}", from + 1, from + count),
    };
    match (block.old.is_empty(), block.new.is_empty()) {
        (true, _) => format!("{place}a\n{}.\n", lines(&block.new)),
        (_, true) => format!("{place}d\n"),
        _ => format!("{place}c\n{}.\n", lines(&block.new)),
    }
}
