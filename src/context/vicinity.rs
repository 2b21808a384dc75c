//! The parts of a file that a next edit may change: at the cursor and at related places.

use std::ops::Range;

use super::window::cut;
use crate::document::Document;

/// Bytes before the cursor at most: about 500 tokens.
const BEFORE: usize = 1536;
/// Bytes after the cursor at most.
const AFTER: usize = 2048;
/// Bytes before and after a place further away.
const FAR: usize = 512;
/// In larger files (bytes) nothing further away is looked for.
const SEARCHED: usize = 1024 * 1024;
/// Shorter names (bytes) are too common to lead anywhere.
const SHORTEST_NAME: usize = 3;

/// The parts to show: whole lines, sorted and disjoint. Waits for nothing.
///
/// `names` lead further away: the first of them that stands elsewhere, to its nearest place.
pub fn parts(document: &Document, cursor: usize, names: &[String]) -> Vec<Range<usize>> {
    let near = document.whole_lines(cut(document, cursor..cursor, BEFORE, AFTER));
    let Some(far) = far(document, &near, names) else { return vec![near] };
    let far = document.whole_lines(cut(document, far..far, FAR, FAR));
    let mut parts = vec![near, far];
    parts.sort_by_key(|part| part.start);
    // Where they meet they are one, since nothing is hidden between them.
    parts.dedup_by(|next, part| {
        let meets = next.start <= part.end;
        if meets {
            part.end = part.end.max(next.end);
        }
        meets
    });
    parts
}

fn far(document: &Document, near: &Range<usize>, names: &[String]) -> Option<usize> {
    if document.text().len_bytes() > SEARCHED || near.len() == document.text().len_bytes() {
        return None;
    }
    let text = document.text().to_string();
    names.iter().filter(|name| name.len() >= SHORTEST_NAME).find_map(|name| {
        let places = text.match_indices(name.as_str()).map(|(at, _)| at).filter(|at| {
            let whole = !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word);
            whole && !near.contains(at)
        });
        places.min_by_key(|at| at.abs_diff(near.start).min(at.abs_diff(near.end)))
    })
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
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
