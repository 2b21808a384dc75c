//! The lines of code that tools show, and the carets below them.

/// A line of an excerpt with a margin: `12 |     code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row<'t> {
    /// The number in the margin, from 1.
    pub(super) number: Option<usize>,
    /// The separator of margin and code: `|`, or `+` and `-` in a fix.
    pub(super) sign: char,
    /// The code, or the marks below it.
    pub(super) text: &'t str,
}

/// Parses a line with a margin.
pub(super) fn row(line: &str) -> Option<Row<'_>> {
    let body = line.trim_start_matches(' ');
    let digits = body.len() - body.trim_start_matches(|it: char| it.is_ascii_digit()).len();
    let number = body[..digits].parse().ok();
    if digits > 0 && number.is_none() {
        return None;
    }
    let rest = body[digits..].trim_start_matches(' ');
    if digits > 0 && rest.len() == body.len() - digits && !rest.starts_with(['|', '│']) {
        return None;
    }
    let sign = rest.chars().next()?;
    let sign = match sign {
        '|' | '│' => '|',
        // Without a number, these begin a list item.
        '+' | '-' | '~' if digits > 0 => sign,
        _ => return None,
    };
    let text = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
    Some(Row { number, sign, text: text.strip_prefix(' ').unwrap_or(text) })
}

/// The first run of carets: the characters before it, its length, and the label behind it.
pub(super) fn carets(marks: &str) -> Option<(usize, usize, &str)> {
    let lead = marks.chars().take_while(|it| matches!(it, ' ' | '~' | '-' | '_' | '|')).count();
    let rest: &str = marks.trim_start_matches([' ', '~', '-', '_', '|']);
    let count = rest.chars().take_while(|it| *it == '^').count();
    (count > 0).then(|| (lead, count, rest[count..].trim_matches(['~', ' '])))
}

/// Whether a line consists only of marks below code, including a caret.
pub(super) fn is_marks(line: &str) -> bool {
    let body = line.trim();
    body.contains('^') && body.chars().all(|it| matches!(it, '^' | '~' | ' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_a_margin() {
        let check = |line: &str, expected: Option<(Option<usize>, char, &str)>| {
            assert_eq!(row(line).map(|it| (it.number, it.sign, it.text)), expected, "{line}");
        };
        check("  |", Some((None, '|', "")));
        check("12 |     let é = 1;", Some((Some(12), '|', "    let é = 1;")));
        check("4 + use a;", Some((Some(4), '+', "use a;")));
        check("4 -     b", Some((Some(4), '-', "    b")));
        check("    4 |         return;", Some((Some(4), '|', "        return;")));
        check("- item", None);
        check("help: a", None);
        check("12 errors", None);
        check("99999999999999999999999 | x", None);
    }

    #[test]
    fn carets_have_a_place_a_length_and_a_label() {
        assert_eq!(carets("    ^^^ not found"), Some((4, 3, "not found")));
        assert_eq!(carets("  ~~^~~"), Some((4, 1, "")));
        assert_eq!(carets("  --- here"), None);
        assert!(is_marks("   ~~^~") && !is_marks("   ---") && !is_marks("a ^ b"));
    }
}
