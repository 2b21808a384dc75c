//! What was typed, laid against what was suggested: what is left of a suggestion after the part that stands already.
//!
//! Pure text. The indentation of a new line is the editor's, and so are the closers that it pairs with what is typed:
//! neither makes the typing disagree with the suggestion.

use crate::edit::line;

/// How a suggestion stands to the text in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fit {
    /// Something else was typed.
    Differs,
    /// All of it was typed, and perhaps more: whether it still fits depends on what is still to come.
    Exhausted,
    /// The typing agrees so far.
    Rest(Rest),
}

/// Where the typing stands in a suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rest {
    /// Bytes of the suggestion that stand already.
    pub(super) used: usize,
    /// The indentation that the suggestion expected and the one that the editor made, where they differ.
    pub(super) indent: Option<(String, String)>,
}

/// What to insert, and how many bytes right of the cursor it takes the place of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Insertion {
    pub(super) text: String,
    pub(super) replace: usize,
}

/// Lays `typed` against the beginning of `text`.
pub(super) fn fit(typed: &str, text: &str) -> Fit {
    let (mut typed, mut used, mut first) = (typed, 0, true);
    loop {
        let (line, rest) = typed.split_at(line::first_end(typed));
        let there = &text[used..];
        let suggested = &there[..line::first_end(there)];
        let is_last = line::ending(suggested).is_empty();
        if line::ending(line).is_empty() {
            return fit_last(line, line::body(suggested), is_last, first, used);
        }
        // Editors take blanks off the end of a line that is left with Enter.
        let (line, body) = (line::body(line).trim_end(), line::body(suggested).trim_end());
        let (line, body) = if first { (line, body) } else { (line.trim_start(), body.trim_start()) };
        match () {
            () if is_last && line.starts_with(body) => return Fit::Exhausted,
            () if is_last || line != body => return Fit::Differs,
            () => {}
        }
        used += suggested.len();
        typed = rest;
        first = false;
    }
}

/// The same for the line that the cursor is on.
fn fit_last(line: &str, suggested: &str, is_last: bool, first: bool, used: usize) -> Fit {
    let (made, expected) = match first {
        true => ("", ""),
        false => (line::indent(line), line::indent(suggested)),
    };
    let (line, suggested) = (&line[made.len()..], &suggested[expected.len()..]);
    if !suggested.starts_with(line) {
        return if is_last && line.starts_with(suggested) { Fit::Exhausted } else { Fit::Differs };
    }
    if is_last && suggested.len() == line.len() {
        return Fit::Exhausted;
    }
    // A line on which only indentation stands gets what is missing of it.
    if line.is_empty() && expected.starts_with(made) {
        return Fit::Rest(Rest { used: used + made.len(), indent: None });
    }
    let indent = (made != expected).then(|| (expected.to_owned(), made.to_owned()));
    Fit::Rest(Rest { used: used + expected.len() + line.len(), indent })
}

/// Gives the lines below the first the indentation that the editor makes.
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

/// Fits the rest of a suggestion before `extra`, the text right of the cursor that was not there when it was made:
/// nothing, or the closers that the editor paired with what was `typed`.
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
        // The suggestion leaves open what the editor has closed.
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

/// Whether an editor that pairs brackets and quotes has these closers right of the cursor after `typed`.
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
    // A quote that is a lifetime, and a bracket that is a comparison, wait for nothing.
    let may_wait_for_nothing = |it: char| matches!(it, '\'' | '>');
    let mut triple = None;
    closers.iter().all(|closer| {
        if triple == Some(*closer) {
            return true;
        }
        while open.last().is_some_and(|it| it != closer && may_wait_for_nothing(*it)) {
            open.pop();
        }
        if matches!(closer, '"' | '\'') && typed.ends_with([*closer; 3].iter().collect::<String>().as_str()) {
            triple = Some(*closer);
        }
        open.pop() == Some(*closer)
    })
}

/// Where `rest` closes what was open before it, from the byte `from` on.
fn closing(rest: &str, from: usize, closer: char) -> Option<usize> {
    let opener = match closer {
        ')' => '(',
        ']' => '[',
        '}' => '{',
        '>' => '<',
        // A quote is closed by the next one.
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

    /// What is left of a suggestion when `typed` stands left of the cursor and `extra` right of it.
    #[track_caller]
    fn check(suggestion: &str, typed: &str, extra: &str, expected: &str) {
        let shown = match fit(typed, suggestion) {
            Fit::Differs => "differs".to_owned(),
            Fit::Exhausted => "exhausted".to_owned(),
            Fit::Rest(rest) => {
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
