//! Keeps the file's bytes for the lines of an answer that did not change, and its line ends for those that did.

use similar::DiffTag;

use crate::edit::place::{Level, key};
use crate::edit::{diff, line};

/// Returns `new` with each line that `old` has too, look-alike signs and trailing blanks aside, spelled as in `old`. A
/// changed line ends as the line that it replaces, a new one as its neighbour does.
pub(super) fn bytes_of(old: &str, new: &str) -> String {
    let (old_lines, new_lines) = (line::split(old), line::split(new));
    let keys =
        |lines: &[&str]| lines.iter().map(|line| key(Level::Folded, line).into_owned()).collect::<Vec<_>>();
    let (old_keys, new_keys) = (keys(&old_lines), keys(&new_lines));
    let mut result = String::with_capacity(new.len());
    for op in diff::ops(&old_keys, &new_keys) {
        let (tag, old_range, new_range) = op.as_tag_tuple();
        if tag != DiffTag::Equal {
            for (number, new) in new_lines[new_range].iter().enumerate() {
                result.push_str(line::body(new));
                let ending = || line::ending_for(&old_lines, &old_range, number).unwrap_or(line::ending(new));
                result.push_str(if line::ending(new).is_empty() { "" } else { ending() });
            }
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
        assert_eq!(bytes_of("a\r\nb\nc", "a\nx\nb\nc"), "a\r\nx\r\nb\nc");
        assert_eq!(bytes_of("a", "a\nb"), "a\nb");
    }

    #[test]
    fn changed_lines_keep_their_ends() {
        assert_eq!(bytes_of("a\r\nb\nc\r\n", "a\nx\nc\n"), "a\r\nx\nc\r\n");
        assert_eq!(bytes_of("a\nb\r\nc\n", "a\nx\nc\n"), "a\nx\r\nc\n");
        assert_eq!(bytes_of("a\r\nb\n", "x\ny\n"), "x\r\ny\n");
        assert_eq!(bytes_of("a\nb\r\nc\n", "a\nb\nx\ny\nc\n"), "a\nb\r\nx\r\ny\r\nc\n");
        assert_eq!(bytes_of("b\r\nc\n", "x\nb\nc\n"), "x\r\nb\r\nc\n");
        assert_eq!(bytes_of("a\r\nb", "a\nx\ny"), "a\r\nx\r\ny");
    }
}
