//! Spells added lines the file's way.
//!
//! The reply and the file may use different forms of the same characters.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::{FileText, confusables};
use crate::edit::line;
use crate::edit::parse::block::{Line, Role};
use crate::text::difference;

/// The part of a line that is respelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The whole line.
    Line,
    /// The text after its indentation, which is mapped separately.
    Content,
}

impl Part {
    fn of(self, line: &str) -> &str {
        match self {
            Self::Line => line,
            Self::Content => line.trim_start(),
        }
    }
}

/// Returns the text of each added line. `at` holds the file's line for each old line.
///
/// An added line that replaces a deleted one keeps the file's bytes at both ends, as far as the reply's two
/// lines agree. If the reply's old lines have a typographic character for a plain one of the file, the plain
/// one is restored.
pub(super) fn added(target: &FileText<'_>, lines: &[Line], at: &[usize], part: Part) -> Vec<String> {
    let typographic = typographic_chars(target, lines, at);
    let mut result = Vec::new();
    let mut old = at.iter();
    // Deleted lines of the run, as (reply's text, file's text).
    let mut gone: Vec<(&str, &str)> = Vec::new();
    // The first lines with equal folded text, in two spellings at most: one of them differs from any third.
    let mut folded: HashMap<Cow<'_, str>, Vec<usize>> = HashMap::new();
    let mut taken = 0;
    for one in lines {
        match one.role {
            Role::Keep => {
                old.next();
                gone.clear();
                folded.clear();
                taken = 0;
            }
            Role::Delete => {
                if let Some(&number) = old.next() {
                    let alike = folded.entry(confusables::fold(&one.text)).or_default();
                    if alike.len() < 2 && alike.iter().all(|at: &usize| gone[*at].0 != one.text) {
                        alike.push(gone.len());
                    }
                    gone.push((&one.text, line::body(target.lines[number])));
                }
            }
            Role::Add => {
                // The same line in other characters, or else the line that it replaces.
                let alike = folded.get(&confusables::fold(&one.text)).map_or(&[][..], Vec::as_slice);
                let alike = alike.iter().map(|at| &gone[*at]).find(|(reply, _)| *reply != one.text);
                let partner = alike.or(gone.get(taken)).copied();
                taken += 1;
                let text = part.of(&one.text);
                let spelled = partner
                    .and_then(|(reply, file)| relative(part.of(reply), part.of(file), text, &typographic));
                result.push(spelled.unwrap_or_else(|| to_plain(text, &typographic)));
            }
        }
    }
    result
}

/// Characters of the reply's old lines for which the file has the plain form.
fn typographic_chars(target: &FileText<'_>, lines: &[Line], at: &[usize]) -> HashSet<char> {
    let mut typographic = HashSet::new();
    for (one, number) in lines.iter().filter(|line| line.is_old()).zip(at) {
        let file = target.lines[*number];
        let mut seen = HashSet::new();
        for letter in one.text.chars().filter(|letter| !letter.is_ascii()) {
            if seen.insert(letter)
                && confusables::plain(letter)
                    .is_some_and(|plain| !file.contains(letter) && file.contains(plain))
            {
                typographic.insert(letter);
            }
        }
    }
    typographic
}

fn to_plain(text: &str, typographic: &HashSet<char>) -> String {
    let mut result = String::with_capacity(text.len());
    for letter in text.chars() {
        match confusables::plain(letter).filter(|_| typographic.contains(&letter)) {
            Some(plain) => result.push_str(plain),
            None => result.push(letter),
        }
    }
    result
}

/// Applies the change from the reply's old line to its new one to the file's line.
fn relative(reply_old: &str, file_old: &str, reply_new: &str, typographic: &HashSet<char>) -> Option<String> {
    if reply_old == file_old {
        return None;
    }
    // Lines that differ in look-alike characters alone are unchanged.
    if confusables::fold(reply_old) == confusables::fold(reply_new) {
        return Some(file_old.to_owned());
    }
    let (gone, come) = difference(reply_old, reply_new);
    let head = file_end_of(file_old, &reply_old[..gone.start])?;
    let tail = file_start_of(&file_old[head..], &reply_old[gone.end..])?;
    let middle = to_plain(&reply_new[come], typographic);
    Some(format!("{}{middle}{}", &file_old[..head], &file_old[head + tail..]))
}

/// The length of the file line's prefix that folds to the same text as the reply's prefix.
///
/// Longer prefixes have longer folded text, which allows for a binary search.
fn file_end_of(file: &str, reply: &str) -> Option<usize> {
    let wanted = confusables::fold(reply);
    let ends: Vec<usize> = boundaries(file).collect();
    let at = ends.partition_point(|end| confusables::fold(&file[..*end]).len() < wanted.len());
    ends.get(at).copied().filter(|end| confusables::fold(&file[..*end]) == wanted)
}

/// The start of the file line's suffix that folds to the same text as the reply's suffix.
fn file_start_of(file: &str, reply: &str) -> Option<usize> {
    let wanted = confusables::fold(reply);
    let wanted = wanted.trim_end();
    let starts: Vec<usize> = boundaries(file).collect();
    let fold = |start: usize| confusables::fold(&file[start..]);
    let behind = starts.partition_point(|start| fold(*start).trim_end().len() >= wanted.len());
    behind.checked_sub(1).map(|at| starts[at]).filter(|start| fold(*start).trim_end() == wanted)
}

fn boundaries(text: &str) -> impl Iterator<Item = usize> {
    text.char_indices().map(|(at, _)| at).chain([text.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reply_old: &str, file_old: &str, reply_new: &str, expected: &str) {
        assert_eq!(
            relative(reply_old, file_old, reply_new, &HashSet::from(['“', '”'])).as_deref(),
            Some(expected)
        );
    }

    #[test]
    fn unchanged_ends_keep_the_files_bytes() {
        check("// don't stop", "// don’t stop", "// don't go", "// don’t go");
        check("say(“a”, “b”);", "say(\"a\", \"b\");", "say(“a”, “c”);", "say(\"a\", \"c\");");
        check("e\u{301}t = 1", "ét = 1", "e\u{301}t = 2", "ét = 2");
        check("say(“a”);", "say(\"a\");", "say(”a“);", "say(\"a\");");
        check("x = “a”", "x = \"a\"", "x = “a” + “b”", "x = \"a\" + \"b\"");
    }
}
