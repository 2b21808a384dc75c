//! The parts of a file that a next edit may change: at the cursor and at related positions.

use std::ops::Range;

use super::NearbySecrets;
use super::cut::{cut, join};
use crate::document::Document;
use crate::text::ident;

/// Maximum number of bytes before the cursor: about 500 tokens.
const BEFORE_BYTES: usize = 1536;
/// Maximum number of bytes after the cursor.
const AFTER_BYTES: usize = 2048;
/// Bytes before and after a distant related position.
const FAR_BYTES: usize = 512;
/// Lines above and below the cursor's line that a model rewrites.
///
/// Matches the training data of Sweep's models, and about the token count of Zeta's.
const REGION_LINES: usize = 10;
/// Maximum size of those lines in bytes: about 600 tokens, which leaves room for more in the reply.
const REGION_BYTES: usize = 1792;
/// Files larger than this (bytes) are not searched for related positions.
const SEARCHED_BYTES: usize = 1024 * 1024;
/// Names shorter than this (bytes) are too common to search for.
const MIN_NAME_BYTES: usize = 3;

/// The parts to show: whole lines, sorted and disjoint. Does not block.
///
/// `names` lead to a distant part: the nearest occurrence of the first name that occurs elsewhere.
pub fn parts(document: &Document, cursor: usize, names: &[String]) -> Vec<Range<usize>> {
    let near = document.whole_lines(cut(document, cursor..cursor, BEFORE_BYTES, AFTER_BYTES));
    let Some(far) = far(document, &near, names) else { return vec![near] };
    let far = document.whole_lines(cut(document, far..far, FAR_BYTES, FAR_BYTES));
    join(vec![near, far])
}

/// The lines around the cursor to be rewritten by a model trained for that.
///
/// Returned together with the surrounding lines to show.
///
/// `None` if an edge would cut a key, or the lines are too long. Does not block.
pub fn region(document: &Document, cursor: usize) -> Option<(Range<usize>, Range<usize>)> {
    let text = document.text();
    let (mut start, mut end) = (document.line_start(cursor), document.next_line_start(cursor));
    for _ in 0..REGION_LINES {
        let above = document.line_start(start.saturating_sub(1));
        if end - above <= REGION_BYTES {
            start = above;
        }
        let below = document.next_line_start(end);
        if below - start <= REGION_BYTES {
            end = below;
        }
    }
    // The byte order mark belongs to the file, not to a line.
    let mark = text.get_char(0).filter(|first| *first == '\u{feff}').map_or(0, char::len_utf8);
    let region = start.max(mark)..end.max(mark);
    let near = document.whole_lines(cut(document, cursor..cursor, BEFORE_BYTES, AFTER_BYTES));
    let shown = near.start.max(mark).min(region.start)..near.end.max(region.end);
    let secrets = NearbySecrets::around(document, &shown, (0, 0));
    let mut edges = [shown.start, region.start, region.end, shown.end].into_iter();
    let cuts_a_key = edges.any(|edge| secrets.has_cut(edge));
    let is_there = region.len() <= REGION_BYTES && (region.start..=region.end).contains(&cursor);
    (is_there && !cuts_a_key).then_some((shown, region))
}

/// The nearest occurrence outside `near` of the first name that has one.
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

    /// Checks the contents of the parts, for a cursor at `ˇ`.
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
    fn region_is_the_lines_around_the_cursor() {
        let check = |text: &str, cursor: usize, expected: Option<Range<usize>>| {
            let document = Document::new(DocumentId::new("a"), "rust", 0, text);
            assert_eq!(region(&document, cursor).map(|(_, region)| region), expected);
        };
        let file = "fn f() {}\n".repeat(50);
        check(&file, 253, Some(150..360));
        check(&file, 0, Some(0..110));
        check(&file, 500, Some(400..500));
        check("a\r\nb", 3, Some(0..4));
        check("", 0, Some(0..0));
        check("\u{feff}a\n", 3, Some(3..5));
        let long = format!("{}\nb\n", "a".repeat(2_000));
        check(&long, 0, None);
        check(&long, 2_001, Some(2_001..2_003));
        let key = format!(
            "-----BEGIN PRIVATE {0}-----\n{1}-----END PRIVATE {0}-----\n",
            "KEY",
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(30)
        );
        check(&format!("{key}{file}"), key.len() + 1, None);
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
