//! Keeps the file's bytes for the lines of an answer that did not change.

use similar::DiffTag;

use crate::edit::place::{Level, key};
use crate::edit::{diff, line};

/// Returns `new` with each line that `old` has too, look-alike signs and trailing blanks aside, spelled as in `old`.
pub(super) fn bytes_of(old: &str, new: &str) -> String {
    let (old_lines, new_lines) = (line::split(old), line::split(new));
    let keys =
        |lines: &[&str]| lines.iter().map(|line| key(Level::Folded, line).into_owned()).collect::<Vec<_>>();
    let (old_keys, new_keys) = (keys(&old_lines), keys(&new_lines));
    let mut result = String::with_capacity(new.len());
    for op in diff::ops(&old_keys, &new_keys) {
        let (tag, old_range, new_range) = op.as_tag_tuple();
        if tag != DiffTag::Equal {
            result.extend(new_lines[new_range].iter().copied());
            continue;
        }
        for (old, new) in old_lines[old_range].iter().zip(&new_lines[new_range]) {
            result.push_str(line::body(old));
            // A line may have become the last one, or stopped being it.
            result.push_str(match (line::ending(old), line::ending(new)) {
                ("", new) => new,
                (_, "") => "",
                (old, _) => old,
            });
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_lines_keep_their_bytes() {
        assert_eq!(bytes_of("“a”  \nb\n", "\"a\"\nc\n"), "“a”  \nc\n");
        assert_eq!(bytes_of("a\r\nb\nc", "a\nx\nb\nc"), "a\r\nx\nb\nc");
        assert_eq!(bytes_of("a", "a\nb"), "a\nb");
    }
}
