//! Alternative readings of a block whose lines are not in the file as they are.
//!
//! The lines are escaped, or have copied line numbers.
//!
//! A reading is tried only then, and must match exactly: text with such characters on purpose is found as is.

use crate::edit::parse::block::{Line, Role, lines_of_halves};

/// Readings that differ from the block itself.
pub(super) fn readings(lines: &[Line]) -> Vec<Vec<Line>> {
    [each(lines, entities), written_ends(lines), without_numbers(lines)].into_iter().flatten().collect()
}

fn each(lines: &[Line], plain: fn(&str) -> Option<String>) -> Option<Vec<Line>> {
    let mut changed = false;
    let lines = lines
        .iter()
        .map(|line| match plain(&line.text) {
            Some(text) => {
                changed = true;
                Line::new(line.role, text)
            }
            None => line.clone(),
        })
        .collect();
    changed.then_some(lines)
}

/// Resolves the entities that HTML requires, and no others, since `&name;` is also code.
pub(crate) fn entities(text: &str) -> Option<String> {
    const NAMES: [(&str, &str); 7] = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    if !text.contains('&') {
        return None;
    }
    let mut result = text.to_owned();
    for (name, sign) in NAMES {
        result = result.replace(name, sign);
    }
    (result != text).then_some(result)
}

/// Resolves escaped line ends and tabs.
///
/// Each half of the block is a single line.
fn written_ends(lines: &[Line]) -> Option<Vec<Line>> {
    let half = |gone: Role| {
        let mut half = lines.iter().filter(|line| line.role != gone);
        let first = half.next()?;
        half.next().is_none().then_some(first.text.as_str())
    };
    let old = half(Role::Add)?;
    let new = half(Role::Delete).unwrap_or("");
    if !old.contains("\\n") && !old.contains("\\t") {
        return None;
    }
    let (old, new) = (resolved(old), resolved(new));
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    // A resolved line end inside of a string was none.
    let has_half = |line: &&str| line.matches('"').count() % 2 != line.matches("\\\"").count() % 2;
    let halves = |lines: &[&str]| lines.iter().filter(|line| has_half(line)).count();
    (halves(&new) <= halves(&old)).then(|| lines_of_halves(&old, &new))
}

/// Resolves the escapes of a text in one pass, so that an escaped backslash begins no other escape.
fn resolved(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        plain.push_str(before);
        let escapes = [("r\\n", "\n"), ("n", "\n"), ("t", "\t"), ("\"", "\""), ("\\", "\\")];
        let found = escapes.iter().find_map(|(escape, sign)| Some((behind.strip_prefix(escape)?, *sign)));
        let (behind, sign) = found.unwrap_or((behind, "\\"));
        plain.push_str(sign);
        rest = behind;
    }
    plain + rest
}

/// Drops the line numbers that every line starts with, if those of the old lines are consecutive.
fn without_numbers(lines: &[Line]) -> Option<Vec<Line>> {
    let mut result = Vec::with_capacity(lines.len());
    let mut last: Option<usize> = None;
    let mut has_margin = true;
    for line in lines {
        let (number, text) = numbered(&line.text)?;
        if line.is_old() {
            if last.is_some_and(|last| number != last + 1) {
                return None;
            }
            last = Some(number);
        }
        let before = &line.text[..line.text.len() - text.len()];
        has_margin &= text.is_empty() || text.starts_with(' ') && ends_before_margin(before);
        result.push(Line::new(line.role, text));
    }
    if has_margin {
        for line in result.iter_mut().filter(|line| !line.text.is_empty()) {
            line.text.remove(0);
        }
    }
    // The two halves were compared with their numbers: compare them again without.
    let half = |gone: Role| -> Vec<&str> {
        result.iter().filter(|line| line.role != gone).map(|line| line.text.as_str()).collect()
    };
    Some(lines_of_halves(&half(Role::Add), &half(Role::Delete)))
}

/// Whether the tools that number lines so put a blank between that and the text: not after `12→` and a tab.
fn ends_before_margin(before: &str) -> bool {
    !before.ends_with('\t')
        && !before.strip_suffix('→').is_some_and(|it| it.ends_with(|sign: char| sign.is_ascii_digit()))
}

/// Reads a line such as `12 | text`, `12: text`, `12<tab>text`, or `12→text`, as tools show the lines of files.
///
/// A blank before the text may belong to the format: only all lines of a text together show that.
pub(crate) fn numbered(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let number = rest[..digits].parse().ok()?;
    let after = &rest[digits..];
    let text = after.trim_start_matches(' ');
    if let Some(text) = after.strip_prefix('→') {
        return Some((number, text));
    }
    if let Some(text) = text.strip_prefix(['|', '│', '→']).or_else(|| after.strip_prefix(':')) {
        return Some((number, text));
    }
    after.strip_prefix('\t').map(|text| (number, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_of_html_only() {
        assert_eq!(entities("a &lt; b &amp;&amp; &current;").as_deref(), Some("a < b && &current;"));
        assert_eq!(entities("&amp;lt;").as_deref(), Some("&lt;"));
        assert_eq!(entities("a & b"), None);
    }

    #[test]
    fn numbers_of_lines() {
        assert_eq!(numbered(" 12 |     x"), Some((12, "     x")));
        assert_eq!(numbered("12:x"), Some((12, "x")));
        assert_eq!(numbered("    12→    x"), Some((12, "    x")));
        assert_eq!(numbered("12 → x"), Some((12, " x")));
        assert_eq!(numbered("12\t  x"), Some((12, "  x")));
        assert_eq!(numbered("12 :x"), None);
        assert_eq!(numbered("12 x"), None);
        assert_eq!(numbered("x"), None);
    }
}
