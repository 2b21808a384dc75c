//! Paths in the headers of diffs.

use std::borrow::Cow;

use super::path::plain;

/// Returns the path after a diff's `---` or `+++`, without the timestamp.
pub(crate) fn of_header(rest: &str) -> &str {
    plain(rest.split('\t').next().unwrap_or(rest))
}

/// Like [`of_header`], but also accepts git's quoted and escaped paths.
pub(crate) fn of_git_header(rest: &str) -> Cow<'_, str> {
    let rest = rest.trim_end_matches(['\r', '\n']);
    let quoted = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).and_then(unquoted);
    quoted.map_or_else(|| of_header(rest).into(), Cow::Owned)
}

/// Unescapes a path quoted by git; `None` if it is not valid UTF-8.
///
/// The escapes are `\303\244` for the bytes of `ä`, `\t` and so on.
fn unquoted(quoted: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(quoted.len());
    let mut rest = quoted.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'\\' {
            bytes.push(*byte);
            continue;
        }
        let [sign, after @ ..] = rest else { return None };
        rest = after;
        bytes.push(match sign {
            b'a' => 0x07,
            b'b' => 0x08,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 0x0b,
            b'f' => 0x0c,
            b'r' => b'\r',
            b'"' | b'\\' => *sign,
            b'0'..=b'3' => {
                let [second @ b'0'..=b'7', third @ b'0'..=b'7', after @ ..] = rest else { return None };
                rest = after;
                ((sign - b'0') << 6) | ((second - b'0') << 3) | (third - b'0')
            }
            _ => return None,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Returns the paths of a file before and after a change, as stated in a diff.
///
/// Git's prefixes are removed: `a/` and `b/`, or others such as `i/` and `w/` if git is configured so. A
/// missing side is `/dev/null`.
pub(crate) fn of_sides<'p>(old: &'p str, new: &'p str) -> (&'p str, &'p str) {
    const OTHERS: [(&str, &str); 4] = [("i/", "w/"), ("c/", "w/"), ("c/", "i/"), ("o/", "w/")];
    let without =
        |path: &'p str, prefix| if path == NO_FILE { Some(path) } else { path.strip_prefix(prefix) };
    let usual = without(old, "a/").zip(without(new, "b/"));
    let set = || OTHERS.iter().find_map(|(a, b)| old.strip_prefix(a).zip(new.strip_prefix(b)));
    usual.or_else(|| set().filter(|(old, new)| old == new)).unwrap_or((old, new))
}

/// The path that a diff states for a missing file.
pub(crate) const NO_FILE: &str = "/dev/null";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_behind_marks() {
        for (rest, path) in [
            ("a/x.c\t2026-01-01 00:00", "a/x.c"),
            ("a/my file.c", "a/my file.c"),
            (r#""a/\303\244 \"x\"\t.c""#, "a/ä \"x\"\t.c"),
            (r#""a/x.c""#, "a/x.c"),
            ("`x.c`", "x.c"),
        ] {
            assert_eq!(of_git_header(rest), path, "{rest}");
        }
    }

    #[test]
    fn sides_of_a_diff() {
        assert_eq!(of_sides("a/x", "b/x"), ("x", "x"));
        assert_eq!(of_sides("/dev/null", "b/x"), ("/dev/null", "x"));
        assert_eq!(of_sides("a/x", "/dev/null"), ("x", "/dev/null"));
        assert_eq!(of_sides("a/x", "a/x"), ("a/x", "a/x"));
        assert_eq!(of_sides("x", "b/x"), ("x", "b/x"));
        assert_eq!(of_sides("a/x", "b/y"), ("x", "y"));
        assert_eq!(of_sides("i/x", "w/x"), ("x", "x"));
        assert_eq!(of_sides("i/x", "w/y"), ("i/x", "w/y"));
    }
}
