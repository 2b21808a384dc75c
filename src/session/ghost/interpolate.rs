//! Interpolation: the remainder of a suggestion after the typed part.
//!
//! Pure text functions. The editor indents new lines and adds closers to the typed text; neither counts as a
//! difference between the typed text and the suggestion.

use crate::text::line;

/// The result of matching the typed text against the suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Match {
    /// Something else was typed.
    Differs,
    /// All of the suggestion was typed, and perhaps more: whether it matches depends on text yet to come.
    Exhausted,
    /// The typed text agrees so far.
    Remainder(Remainder),
}

/// The start of the remainder of a suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remainder {
    /// The length of the suggestion's part that is already typed, in bytes.
    pub(super) used: usize,
    /// The suggestion's indentation and the editor's, if they differ.
    pub(super) indent: Option<(String, String)>,
}

/// The text to insert, and how many bytes right of the cursor it replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Insertion {
    pub(super) text: String,
    pub(super) replace: usize,
}

/// Matches `typed` against the beginning of `text`.
pub(super) fn match_prefix(typed: &str, text: &str) -> Match {
    let (mut typed, mut used, mut first) = (typed, 0, true);
    loop {
        let (line, rest) = typed.split_at(line::first_end(typed));
        let there = &text[used..];
        let suggested = &there[..line::first_end(there)];
        let is_last = line::ending(suggested).is_empty();
        if line::ending(line).is_empty() {
            return match_last_line(line, line::body(suggested), is_last, first, used);
        }
        // Editors trim a line when Enter is pressed.
        let (line, body) = (line::body(line).trim_end(), line::body(suggested).trim_end());
        let (line, body) = if first { (line, body) } else { (line.trim_start(), body.trim_start()) };
        match () {
            () if is_last && line.starts_with(body) => return Match::Exhausted,
            () if is_last || line != body => return Match::Differs,
            () => {}
        }
        used += suggested.len();
        typed = rest;
        first = false;
    }
}

/// Matches the line that the cursor is on.
fn match_last_line(line: &str, suggested: &str, is_last: bool, first: bool, used: usize) -> Match {
    let (made, expected) = match first {
        true => ("", ""),
        false => (line::indent(line), line::indent(suggested)),
    };
    let (line, suggested) = (&line[made.len()..], &suggested[expected.len()..]);
    if !suggested.starts_with(line) {
        return if is_last && line.starts_with(suggested) { Match::Exhausted } else { Match::Differs };
    }
    if is_last && suggested.len() == line.len() {
        return Match::Exhausted;
    }
    // On a line with only indentation, the remainder includes the missing indentation.
    if line.is_empty() && expected.starts_with(made) {
        return Match::Remainder(Remainder { used: used + made.len(), indent: None });
    }
    let indent = (made != expected).then(|| (expected.to_owned(), made.to_owned()));
    Match::Remainder(Remainder { used: used + expected.len() + line.len(), indent })
}

/// Replaces the suggestion's indentation by the editor's in the lines below the first.
pub(super) fn reindent(rest: &str, indent: Option<&(String, String)>) -> String {
    let Some((expected, made)) = indent else { return rest.to_owned() };
    let mut lines = line::split_iter(rest);
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        match line.strip_prefix(expected.as_str()) {
            Some(deeper) if !line::is_blank(line) => {
                text.push_str(made);
                text.push_str(deeper);
            }
            _ => text.push_str(line),
        }
    }
    text
}

/// Fits a remainder to the text right of the cursor that appeared since the request.
///
/// `extra` is that text: empty, or the closers that the editor added for the `typed` text.
pub(super) fn before_closers(typed: &str, rest: String, extra: &str) -> Option<Insertion> {
    if extra.is_empty() {
        return Some(Insertion { text: rest, replace: 0 });
    }
    let closers: Vec<char> = extra.chars().filter(|it| !it.is_whitespace()).collect();
    if closers.is_empty() || !pairs_with(typed, &closers) {
        return None;
    }
    let mut ends = Vec::new();
    let mut from = 0;
    for closer in &closers {
        let Some(at) = closing(&rest, from, *closer) else { break };
        from = at + closer.len_utf8();
        ends.push(at);
    }
    let Some(&first) = ends.first() else {
        // The suggestion does not contain the editor's closers.
        return Some(Insertion { text: rest, replace: 0 });
    };
    let is_whole = ends.len() == closers.len();
    let head = &rest[..first];
    if extra.contains(['\n', '\r']) {
        return Some(Insertion { text: head.trim_end().to_owned(), replace: 0 });
    }
    if is_whole && rest.len() == from && rest.ends_with(extra) {
        return Some(Insertion { text: rest[..rest.len() - extra.len()].to_owned(), replace: 0 });
    }
    if is_whole && !rest[..from].contains(['\n', '\r']) {
        return Some(Insertion { text: rest, replace: extra.len() });
    }
    Some(Insertion { text: head.to_owned(), replace: 0 })
}

/// Whether an editor that pairs brackets and quotes would add these closers after `typed`.
fn pairs_with(typed: &str, closers: &[char]) -> bool {
    let mut open: Vec<char> = Vec::new();
    for sign in typed.chars() {
        match sign {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            '<' => open.push('>'),
            ')' | ']' | '}' | '>' => {
                if let Some(at) = open.iter().rposition(|it| *it == sign) {
                    open.truncate(at);
                }
            }
            '"' | '\'' | '`' => match open.iter().rposition(|it| *it == sign) {
                Some(at) => open.truncate(at),
                None => open.push(sign),
            },
            _ => {}
        }
    }
    // A quote may belong to a lifetime, and a bracket to a comparison: those have no closer.
    let may_have_no_closer = |it: char| matches!(it, '\'' | '>');
    let mut triple = None;
    closers.iter().all(|closer| {
        if triple == Some(*closer) {
            return true;
        }
        while open.last().is_some_and(|it| it != closer && may_have_no_closer(*it)) {
            open.pop();
        }
        if matches!(closer, '"' | '\'') && typed.ends_with([*closer; 3].iter().collect::<String>().as_str()) {
            triple = Some(*closer);
        }
        open.pop() == Some(*closer)
    })
}

/// The position where `rest` closes a bracket or quote opened before it, from the byte `from` on.
fn closing(rest: &str, from: usize, closer: char) -> Option<usize> {
    let opener = match closer {
        ')' => '(',
        ']' => '[',
        '}' => '{',
        '>' => '<',
        // The next unescaped quote closes a quote.
        _ => {
            let mut escaped = false;
            return rest[from..].char_indices().find_map(|(at, sign)| {
                let closes = sign == closer && !escaped;
                escaped = sign == '\\' && !escaped;
                closes.then_some(from + at)
            });
        }
    };
    let (mut depth, mut string, mut escaped) = (0_usize, false, false);
    for (at, sign) in rest[from..].char_indices() {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => string = !string,
            _ if string => {}
            _ if sign == opener => depth += 1,
            _ if sign == closer && depth == 0 => return Some(from + at),
            _ if sign == closer => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the remainder of a suggestion with `typed` left of the cursor and `extra` right of it.
    #[track_caller]
    fn check(suggestion: &str, typed: &str, extra: &str, expected: &str) {
        let shown = match match_prefix(typed, suggestion) {
            Match::Differs => "differs".to_owned(),
            Match::Exhausted => "exhausted".to_owned(),
            Match::Remainder(rest) => {
                let left = reindent(&suggestion[rest.used..], rest.indent.as_ref());
                match before_closers(typed, left, extra) {
                    None => "differs".to_owned(),
                    Some(Insertion { text, replace: 0 }) => text,
                    Some(Insertion { text, replace }) => format!("{text} for {}", &extra[..replace]),
                }
            }
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn letter_by_letter() {
        check("猫.len()", "", "", "猫.len()");
        check("猫.len()", "猫.l", "", "en()");
        check("猫.len()", "猫.len()", "", "exhausted");
        check("猫.len()", "猫.len();", "", "exhausted");
        check("猫.len()", "猫x", "", "differs");
    }

    #[test]
    fn the_editors_indentation_is_as_good() {
        let block = "{\n    one();\n    two();\n}";
        check(block, "{\n    ", "", "one();\n    two();\n}");
        check(block, "{\n", "", "    one();\n    two();\n}");
        check(block, "{\n  ", "", "  one();\n    two();\n}");
        check(block, "{\n\to", "", "ne();\n\ttwo();\n}");
        check(block, "{\n        ", "", "one();\n        two();\n}");
        check(block, "{  \r\n    on", "", "e();\n    two();\n}");
        check(block, "{\n    one();\n    tw", "", "o();\n}");
        check(block, "{\n    one();\n    w", "", "differs");
        check("a\n\n    b", "a\n", "", "\n    b");
    }

    #[test]
    fn closers_that_the_editor_adds() {
        check("print(a, b)", "print(", ")", "a, b");
        check("print(a, b);", "print(", ")", "a, b); for )");
        check("f(g(1), [2])", "f(", ")", "g(1), [2]");
        check("f(g(1), [2])", "f(g(", "))", "1), [2]) for ))");
        check("say(\"a)b\")", "say(\"", "\")", "a)b");
        check("say(\"a)b\")", "say(", ")", "\"a)b\"");
        check("\"\"\"Doc.\"\"\"", "\"\"\"", "\"\"\"", "Doc.");
        check("f(|a| {\n    b();\n});", "f(", ")", "|a| {\n    b();\n}");
        check("{\n    one();\n}", "{\n    ", "\n}", "one();");
        check("{\n    if a {\n        b();\n    }\n}", "{\n    ", "\n}", "if a {\n        b();\n    }");
        check("f(a", "f(", ")", "a");
        check("fn f<'a>(x: &'a str) {", "fn f<'a>(", ")", "x: &'a str) { for )");
    }

    #[test]
    fn other_text_right_of_the_cursor_is_not_the_editors() {
        check("f(a)", "f(", "x)", "differs");
        check("f(a)", "f(", "]", "differs");
        check("f(a)", "f", ")", "differs");
        check("f(a)", "f", " ", "differs");
    }
}
