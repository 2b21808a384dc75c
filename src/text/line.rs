//! Lines as the protocol defines them.
//!
//! They are terminated by `\n`, `\r\n` or a lone `\r`, and by nothing else.

use std::ops::Range;

/// Splits a text into lines including their terminators; the last may have none.
///
/// An empty text has no lines.
pub(crate) fn split(text: &str) -> Vec<&str> {
    split_iter(text).collect()
}

/// As [`split`], one line at a time.
pub(crate) fn split_iter(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (line, after) = rest.split_at(first_end(rest));
        rest = after;
        Some(line)
    })
}

/// The byte offset of the first line's end, including its terminator.
pub(crate) fn first_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    match memchr::memchr2(b'\n', b'\r', bytes) {
        Some(at) if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') => at + 2,
        Some(at) => at + 1,
        None => bytes.len(),
    }
}

/// The line without its terminator.
pub(crate) fn body(line: &str) -> &str {
    let end = match line.as_bytes() {
        [.., b'\r', b'\n'] => 2,
        [.., b'\n' | b'\r'] => 1,
        _ => 0,
    };
    &line[..line.len() - end]
}

/// The line's terminator; empty for a last line without one.
pub(crate) fn ending(line: &str) -> &str {
    &line[body(line).len()..]
}

/// The text with this terminator in the place of each.
pub(crate) fn with_endings(text: &str, to: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in split_iter(text) {
        result.push_str(body(line));
        result.push_str(if ending(line).is_empty() { "" } else { to });
    }
    result
}

/// The most frequent terminator of the text's lines; `\n` if no line has one.
pub(crate) fn usual_ending(text: &str) -> &'static str {
    usual_of(split_iter(text))
}

/// The most frequent terminator of these lines.
pub(crate) fn usual_of<'t>(lines: impl Iterator<Item = &'t str>) -> &'static str {
    let (mut unix, mut dos, mut mac) = (0_usize, 0_usize, 0_usize);
    for line in lines {
        match ending(line) {
            "\r\n" => dos += 1,
            "\r" => mac += 1,
            "" => {}
            _ => unix += 1,
        }
    }
    if dos > unix && dos >= mac {
        "\r\n"
    } else if mac > unix {
        "\r"
    } else {
        "\n"
    }
}

/// The terminator for a line of new text that replaces the lines `replaced`.
///
/// It is that of the replaced line, or of the nearest line above that has one, or else below. `replaced` is empty
/// between lines. `number` counts the new lines from 0. `None` if no line has a terminator.
pub(crate) fn ending_for<'t>(lines: &[&'t str], replaced: &Range<usize>, number: usize) -> Option<&'t str> {
    let above = replaced.end.min(replaced.start + number + 1);
    let ended = |line: &&'t str| Some(ending(line)).filter(|ending| !ending.is_empty());
    let mut near = lines[..above].iter().rev().chain(&lines[above..]);
    near.find_map(ended)
}

/// A range of a text's lines without the byte-order mark.
///
/// The mark belongs to the file and not to its first line: no range begins or ends before it, not even an empty
/// range.
pub(crate) fn without_mark(text: &str, range: Range<usize>) -> Range<usize> {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    range.start.max(mark)..range.end.max(mark)
}

/// The blanks at the beginning of a line.
pub(crate) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The width of the line's indentation in columns, with tab stops of four.
pub(crate) fn width(line: &str) -> usize {
    indent(line).bytes().fold(0, |width, byte| if byte == b'\t' { width / 4 * 4 + 4 } else { width + 1 })
}

/// Whether the line is empty or only white space.
pub(crate) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// The last lines of a text, at most so many, in the text's order.
pub(crate) fn last(text: &str, most: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() && lines.len() < most {
        let start = body(rest).rfind(['\n', '\r']).map_or(0, |at| at + 1);
        lines.push(&rest[start..]);
        rest = &rest[..start];
    }
    lines.reverse();
    lines
}

/// The partial line at the end of the text, such as the text left of a cursor.
pub(crate) fn last_partial(text: &str) -> &str {
    &text[text.rfind(['\n', '\r']).map_or(0, |at| at + 1)..]
}

/// The text up to its first line end, such as the text right of a cursor.
pub(crate) fn first_partial(text: &str) -> &str {
    &text[..text.find(['\n', '\r']).unwrap_or(text.len())]
}

/// A range of lines as shown to users, both ends included: `line 3`, or `lines 3-9`.
pub(crate) fn range_words(first: usize, last: usize) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
}

/// Single lines as shown to users: `line 3`, or `lines 3, 7`.
pub(crate) fn list_words(lines: &[usize]) -> String {
    let shown: Vec<String> = lines.iter().map(usize::to_string).collect();
    format!("{} {}", if shown.len() == 1 { "line" } else { "lines" }, shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_not_several() {
        assert_eq!([range_words(1, 1), range_words(1, 2)], ["line 1", "lines 1-2"]);
        assert_eq!([list_words(&[4]), list_words(&[4, 9])], ["line 4", "lines 4, 9"]);
    }

    #[test]
    fn splits_at_the_protocols_ends_only() {
        assert_eq!(split("a\r\nb\rc\n\u{2028}d\x0b"), ["a\r\n", "b\r", "c\n", "\u{2028}d\x0b"]);
        assert_eq!(split("\r\r\n\n"), ["\r", "\r\n", "\n"]);
        assert!(split("").is_empty());
    }

    #[test]
    fn last_lines() {
        assert_eq!(last("a\r\nb\rc\n\nd", 3), ["c\n", "\n", "d"]);
        assert_eq!(last("a\n", 3), ["a\n"]);
        assert!(last("", 3).is_empty());
    }

    #[test]
    fn parts_a_line() {
        assert_eq!((body("é\r\n"), ending("é\r\n")), ("é", "\r\n"));
        assert_eq!((body("é"), ending("é")), ("é", ""));
        assert_eq!(indent(" \tx "), " \t");
        assert_eq!((last_partial("a\n b"), first_partial("c \r\nd")), (" b", "c "));
    }

    #[test]
    fn no_range_has_the_mark() {
        for (range, expected) in [(0..0, 3..3), (0..3, 3..3), (0..5, 3..5), (3..3, 3..3), (4..5, 4..5)] {
            assert_eq!(without_mark("\u{feff}a\n", range), expected);
        }
        assert_eq!(without_mark("a\n", 0..0), 0..0);
    }

    #[test]
    fn follows_the_majority_of_ends() {
        assert_eq!(usual_ending("a\r\nb\r\nc\n"), "\r\n");
        assert_eq!(usual_ending("a\rb\r"), "\r");
        assert_eq!(usual_ending("a\r\nb\n"), "\n");
        assert_eq!(usual_ending("a"), "\n");
    }
}
