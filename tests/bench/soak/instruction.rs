//! Renames requested in a comment or by command, and their permitted results.

use std::ops::Range;

use serde_json::Value;

use crate::text::{Encoding, Text};

/// A rename requested by a comment.
#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    pub(crate) from: String,
    pub(crate) to: String,
    /// The exact text typed for it: a line with its end, or the end of a line.
    pub(crate) comment: String,
}

impl Instruction {
    pub(crate) fn words(&self) -> String {
        format!("rename {} to {}", self.from, self.to)
    }

    /// The text without the comment, and the comment's line.
    ///
    /// `None` if the text does not contain the comment as typed.
    pub(crate) fn without_comment(&self, text: &Text) -> Option<(String, usize)> {
        let whole = text.whole();
        let at = whole.find(&self.comment)?;
        let line = Text::new(&whole[..at]).lines() - 1;
        Some((format!("{}{}", &whole[..at], &whole[at + self.comment.len()..]), line))
    }
}

/// The edits of one file in a workspace edit: its version, and the ranges and texts in order.
pub(crate) fn edits(edit: &Value, uri: &str) -> Result<(i64, Vec<(Value, String)>), String> {
    let changes = edit["documentChanges"].as_array().map(Vec::as_slice).unwrap_or_default();
    let [change] = changes else { return Err(format!("{} documents are changed", changes.len())) };
    if change["textDocument"]["uri"] != uri {
        return Err(format!("another file is changed: {}", change["textDocument"]));
    }
    let version = change["textDocument"]["version"].as_i64().ok_or("an edit without a version")?;
    let edits = change["edits"].as_array().ok_or("no edits")?;
    let edits = edits.iter().map(|it| {
        Ok((it["range"].clone(), it["newText"].as_str().ok_or("an edit without a text")?.to_owned()))
    });
    Ok((version, edits.collect::<Result<_, String>>()?))
}

/// The same edits as offsets, last first, ready to be applied in sequence.
pub(crate) fn resolved(
    text: &Text,
    edits: Vec<(Value, String)>,
    encoding: Encoding,
) -> Result<Vec<(Range<usize>, String)>, String> {
    let mut resolved = Vec::with_capacity(edits.len());
    for (range, new) in edits {
        let at = |end: &str| text.offset(&range[end], encoding).ok_or(format!("no such place: {range}"));
        resolved.push((at("start")?..at("end")?, new));
    }
    resolved.sort_by_key(|(range, _)| std::cmp::Reverse((range.start, range.end)));
    if resolved.windows(2).any(|pair| pair[1].0.end > pair[0].0.start) {
        return Err("edits that overlap".to_owned());
    }
    Ok(resolved)
}

/// Checks that `after` is `before` with every word `from` renamed in some consecutive whole lines, and in no other.
/// `first` is the line with which they must begin, where that is known. Text typed meanwhile may still contain the
/// word.
pub(crate) fn renamed_somewhere(
    before: &Text,
    after: &Text,
    names: (&str, &str),
    first: Option<usize>,
    typed_meanwhile: bool,
) -> Result<(), String> {
    if before.lines() != after.lines() {
        return Err(format!("{} lines became {}", before.lines(), after.lines()));
    }
    let mut begun = first.is_none();
    let (mut any, mut over) = (false, false);
    for line in 0..before.lines() {
        let old = before.slice(before.line(line));
        let new = after.slice(after.line(line));
        begun |= first == Some(line);
        if old == new {
            // A line without the word may be one of the renamed lines.
            over |= any && !typed_meanwhile && renamed(&old, names) != old;
            continue;
        }
        // The new name occurs nowhere else, so the rename can be reversed.
        let right = if typed_meanwhile {
            is_same_line(&renamed(&new, (names.1, names.0)), &old)
        } else {
            is_same_line(&new, &renamed(&old, names))
        };
        if !begun || over || !right {
            return Err(format!("line {line} became something else: {old:?} -> {new:?}"));
        }
        any = true;
    }
    if any { Ok(()) } else { Err("nothing was renamed".to_owned()) }
}

/// Checks that `after` is `before` with every word `from` renamed in the lines `range`, and no other change.
pub(crate) fn renamed_in(
    before: &Text,
    after: &Text,
    names: (&str, &str),
    range: Range<usize>,
) -> Result<(), String> {
    if before.lines() != after.lines() {
        return Err(format!("{} lines became {}", before.lines(), after.lines()));
    }
    for line in 0..before.lines() {
        let old = before.slice(before.line(line));
        let new = after.slice(after.line(line));
        let asked = range.contains(&line) && is_same_line(&new, &renamed(&old, names));
        if old != new && !asked || old == new && range.contains(&line) && renamed(&old, names) != old {
            return Err(format!("line {line} of {range:?} became {old:?} -> {new:?}"));
        }
    }
    Ok(())
}

/// Whether a changed line equals the expected one.
///
/// In a text with mixed line ends its line end may be normalized.
fn is_same_line(new: &str, expected: &str) -> bool {
    let body = |line: &str| line.trim_end_matches(['\r', '\n']).to_owned();
    body(new) == body(expected) && new.ends_with(['\r', '\n']) == expected.ends_with(['\r', '\n'])
}

/// The text with every whole word `from` renamed.
pub(crate) fn renamed(text: &str, (from, to): (&str, &str)) -> String {
    let mut renamed = String::with_capacity(text.len());
    let mut word = String::new();
    for letter in text.chars() {
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
            continue;
        }
        renamed.push_str(if word == from { to } else { &word });
        word.clear();
        renamed.push(letter);
    }
    renamed + if word == from { to } else { &word }
}

/// Keywords of Rust and Python.
///
/// Renaming one breaks the code, and is refused.
const KEYWORDS: [&str; 34] = [
    "and",
    "async",
    "await",
    "class",
    "const",
    "crate",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "extern",
    "for",
    "from",
    "impl",
    "import",
    "let",
    "loop",
    "macro_rules",
    "match",
    "mod",
    "mut",
    "not",
    "pass",
    "pub",
    "raise",
    "return",
    "self",
    "static",
    "struct",
    "try",
    "use",
    "where",
    "while",
];

/// The names in a line that are worth renaming.
pub(crate) fn names(line: &str) -> Vec<&str> {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_name = |word: &&str| {
        (3..=24).contains(&word.len())
            && word.is_ascii()
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && !KEYWORDS.contains(word)
    };
    words.filter(is_name).collect()
}
