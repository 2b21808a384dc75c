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
/// `names` lead further away: the first of them that stands elsewhere, to its nearest place.
pub fn parts(document: &Document, cursor: usize, names: &[String]) -> Vec<Range<usize>> {
    let near = document.whole_lines(cut(document, cursor..cursor, BEFORE_BYTES, AFTER_BYTES));
    let Some(far) = far(document, &near, names) else { return vec![near] };
    let far = document.whole_lines(cut(document, far..far, FAR_BYTES, FAR_BYTES));
    join(vec![near, far])
}

/// The nearest place outside `near` of the first name that has one.
fn far(document: &Document, near: &Range<usize>, names: &[String]) -> Option<usize> {
    if document.text().len_bytes() > SEARCHED_BYTES || near.len() == document.text().len_bytes() {
        return None;
    }
    let text = document.text().to_string();
    names.iter().filter(|name| name.len() >= MIN_NAME_BYTES).find_map(|name| {
        let places = ident::occurrences(&text, name).filter(|at| !near.contains(at));
        places.min_by_key(|at| at.abs_diff(near.start).min(at.abs_diff(near.end)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    /// What the parts contain, for a cursor at `ˇ`.
    #[track_caller]
    fn check(marked: &str, names: &[&str], expected: &[&str]) {
        let cursor = marked.find('ˇ').expect("a cursor");
        let document = Document::new(DocumentId::new("a"), "rust", 0, &marked.replace('ˇ', ""));
        document.syntax();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let parts = parts(&document, cursor, &names);
        let shown: Vec<String> = parts.iter().map(|part| document.slice(part.clone())).collect();
        assert_eq!(shown.len(), expected.len(), "{parts:?}");
        for (part, words) in shown.iter().zip(expected) {
            assert!(part.contains(words) && part.ends_with('\n'), "{part}");
        }
    }

    #[test]
    fn names_lead_to_their_nearest_place_further_away() {
        let filler = "fn filler() {\n    let 猫 = 1;\n}\n\n".repeat(200);
        let file =
            format!("fn load(ˇpath: &str) {{}}\n\n{filler}fn main() {{\n    load(1);\n    read(2);\n}}\n");
        check(&file, &["read", "load"], &["fn load", "read(2)"]);
        check(&file, &["gone", "load"], &["fn load", "load(1)"]);
        check(&file, &["x", "rea"], &["fn load"]);
        check("fn load(ˇ) {}\nload(1);\n", &["load"], &["load(1)"]);
    }
}
