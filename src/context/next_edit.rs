//! The parts of a file that a next edit may change: at the cursor and at related places.

use std::ops::Range;

use super::cut::{cut, join};
use crate::document::Document;
use crate::text::ident;

/// Bytes before the cursor at most: about 500 tokens.
const BEFORE_BYTES: usize = 1536;
/// Bytes after the cursor at most.
const AFTER_BYTES: usize = 2048;
/// Bytes before and after a related place further away.
const FAR_BYTES: usize = 512;
/// Larger files (bytes) are not searched for related places.
const SEARCHED_BYTES: usize = 1024 * 1024;
/// Shorter names (bytes) are too common to lead anywhere.
const MIN_NAME_BYTES: usize = 3;

/// The parts to show: whole lines, sorted and disjoint. Waits for nothing.
///
/// `changes` are the lines before and after each recent edit, newest last. A name that they removed, or
/// that is called on a line that they changed, leads to the nearest other place where it stands.
pub fn parts(document: &Document, cursor: usize, changes: &[(&str, &str)]) -> Vec<Range<usize>> {
    let near = document.whole_lines(cut(document, cursor..cursor, BEFORE_BYTES, AFTER_BYTES));
    let Some(far) = far(document, &near, changes) else { return vec![near] };
    let far = document.whole_lines(cut(document, far..far, FAR_BYTES, FAR_BYTES));
    join(vec![near, far])
}

/// The nearest place outside `near` of a name that the changes concern.
fn far(document: &Document, near: &Range<usize>, changes: &[(&str, &str)]) -> Option<usize> {
    if document.text().len_bytes() > SEARCHED_BYTES || near.len() == document.text().len_bytes() {
        return None;
    }
    let text = document.text().to_string();
    changes.iter().rev().flat_map(|(old, new)| names(old, new)).find_map(|name| {
        let places = ident::occurrences(&text, name).filter(|at| !near.contains(at));
        places.min_by_key(|at| at.abs_diff(near.start).min(at.abs_diff(near.end)))
    })
}

/// The names whose other uses may have to follow a change.
///
/// First those that it removed, then those before a bracket on its lines, such as a function whose signature
/// changed.
fn names<'a>(old: &'a str, new: &'a str) -> Vec<&'a str> {
    let words = |text: &'a str| ident::words(text).filter(|word| word.len() >= MIN_NAME_BYTES);
    let is_name = |word: &&str| word.starts_with(|it: char| it.is_alphabetic() || it == '_');
    let kept: Vec<&str> = words(new).collect();
    let gone = words(old).filter(is_name).filter(|word| !kept.contains(word));
    let called = new.match_indices('(').filter_map(|(at, _)| {
        let word = ident::last_partial(&new[..at]);
        (word.len() >= MIN_NAME_BYTES).then_some(word)
    });
    gone.chain(called.filter(is_name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    /// What each part holds, for a cursor at `ˇ` and one recent edit.
    #[track_caller]
    fn check(marked: &str, edit: (&str, &str), expected: &[&str]) {
        let cursor = marked.find('ˇ').expect("a cursor");
        let document = Document::new(DocumentId::new("a"), "rust", 0, &marked.replace('ˇ', ""));
        document.syntax();
        let parts = parts(&document, cursor, &[edit]);
        let shown: Vec<String> = parts.iter().map(|part| document.slice(part.clone())).collect();
        assert_eq!(shown.len(), expected.len(), "{parts:?}");
        for (part, words) in shown.iter().zip(expected) {
            assert!(part.contains(words) && part.ends_with('\n'), "{part}");
        }
    }

    #[test]
    fn leads_to_what_is_left_of_a_name() {
        let filler = "fn filler() {\n    let 猫 = 1;\n}\n\n".repeat(200);
        let file =
            format!("fn load(ˇpath: &str) {{}}\n\n{filler}fn main() {{\n    load(1);\n    read(2);\n}}\n");
        check(&file, ("fn read(path: &str) {}\n", "fn load(path: &str) {}\n"), &["fn load", "read(2)"]);
        check(&file, ("fn load() {}\n", "fn load(path: &str) {}\n"), &["fn load", "load(1)"]);
        check(&file, ("let x = 1;\n", "let x = 2;\n"), &["fn load"]);
        check("fn load(ˇ) {}\nload(1);\n", ("fn read() {}\n", "fn load() {}\n"), &["load(1)"]);
    }
}
