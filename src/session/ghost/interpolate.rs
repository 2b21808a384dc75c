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
    /// The typed text agrees, but the cursor's line is not in the column where the suggestion goes on. It may still
    /// get there: a block ends when the user dedents.
    Misplaced,
    /// The typed text agrees so far.
    Remainder(Remainder),
}

/// The start of the remainder of a suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remainder {
    /// The length of the suggestion's part that is already typed, in bytes.
    pub(super) used: usize,
    /// The editor's indentation.
    pub(super) style: Style,
}

/// The indentations of the typed lines: the suggestion's, and the one that the editor made of it.
///
/// The editor's style shows in these alone. A line that the suggestion indents as deep as a typed one belongs as deep
/// as that, and a shallower line belongs to a block outside.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Style(Vec<(String, String)>);

impl Style {
    /// The style of a suggestion whose first line is indented by `base`.
    fn of(base: &str) -> Self {
        Self(vec![(base.to_owned(), base.to_owned())])
    }

    /// Whether `made` can be the editor's indentation where the suggestion has `suggested`.
    ///
    /// A shallower line than all typed ones is among the lines of the file, in their columns.
    fn allows(&self, suggested: &str, made: &str) -> bool {
        let order = |one: &str, other: &str| line::width(one).cmp(&line::width(other));
        let is_outside = self.0.iter().all(|(one, _)| order(suggested, one).is_lt());
        self.0.iter().all(|(one, other)| order(suggested, one) == order(made, other))
            && (!is_outside || order(suggested, made).is_eq())
    }

    fn add(&mut self, suggested: &str, made: &str) {
        if !self.0.iter().any(|(it, _)| it == suggested) {
            self.0.push((suggested.to_owned(), made.to_owned()));
        }
    }

    /// The editor's indentation for `suggested`.
    ///
    /// A deeper line than all typed ones keeps the difference to the deepest that it begins with.
    fn made(&self, suggested: &str) -> String {
        let known = self.0.iter().filter(|(it, _)| suggested.starts_with(it.as_str()));
        match known.max_by_key(|(it, _)| it.len()) {
            Some((it, made)) => [made, &suggested[it.len()..]].concat(),
            None => suggested.to_owned(),
        }
    }

    /// Indents the lines below the first as the editor does.
    pub(super) fn apply(&self, rest: &str) -> String {
        let mut lines = line::split_iter(rest);
        let mut text = lines.next().unwrap_or_default().to_owned();
        for line in lines {
            let blanks = line::indent(line);
            match line::is_blank(line) {
                true => text.push_str(line),
                false => text.extend([self.made(blanks).as_str(), &line[blanks.len()..]]),
            }
        }
        text
    }
}

/// The text to insert, and how many bytes right of the cursor it replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Insertion {
    pub(super) text: String,
    pub(super) replace: usize,
}

/// Matches `typed` against the beginning of `text`, in a line that begins with `left`.
pub(super) fn match_prefix(left: &str, typed: &str, text: &str) -> Match {
    let first_style = || match line::is_blank(left) {
        true => Style::of(&[left, line::indent(text)].concat()),
        false => Style::of(line::indent(left)),
    };
    let mut style = None;
    let (mut typed, mut used, mut first) = (typed, 0, true);
    loop {
        let (line, rest) = typed.split_at(line::first_end(typed));
        let there = &text[used..];
        let suggested = &there[..line::first_end(there)];
        let is_last = line::ending(suggested).is_empty();
        if line::ending(line).is_empty() {
            let style = || style.unwrap_or_else(first_style);
            return match_last_line(line, line::body(suggested), is_last, first, used, style);
        }
        // Editors trim a line when Enter is pressed.
        let (line, body) = (line::body(line).trim_end(), line::body(suggested).trim_end());
        if !first && !line.is_empty() {
            let (made, expected) = (line::indent(line), line::indent(body));
            let style = style.get_or_insert_with(first_style);
            if !style.allows(expected, made) {
                return Match::Differs;
            }
            style.add(expected, made);
        }
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
fn match_last_line(
    line: &str,
    suggested: &str,
    is_last: bool,
    first: bool,
    used: usize,
    style: impl FnOnce() -> Style,
) -> Match {
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
    let mut style = style();
    if first || suggested.is_empty() {
        return Match::Remainder(Remainder { used: used + expected.len() + line.len(), style });
    }
    // On a line with only indentation, the remainder includes the missing indentation.
    if line.is_empty() && expected.starts_with(made) && style.made(expected) == expected {
        return Match::Remainder(Remainder { used: used + made.len(), style });
    }
    if !style.allows(expected, made) {
        return Match::Misplaced;
    }
    style.add(expected, made);
    Match::Remainder(Remainder { used: used + expected.len() + line.len(), style })
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
        check_after("", suggestion, typed, extra, expected);
    }

    /// The same in a line that begins with `left`.
    #[track_caller]
    fn check_after(left: &str, suggestion: &str, typed: &str, extra: &str, expected: &str) {
        let shown = match match_prefix(left, typed, suggestion) {
            Match::Differs => "differs".to_owned(),
            Match::Exhausted => "exhausted".to_owned(),
            Match::Misplaced => "misplaced".to_owned(),
            Match::Remainder(rest) => {
                match before_closers(typed, rest.style.apply(&suggestion[rest.used..]), extra) {
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
        check("{\n    a {\n        b\n    }\n}", "{\n\ta {\n\t\t", "", "b\n\t}\n}");
        check("{\n    a {\n        b\n    }\n}", "{\n  a {\n    ", "", "b\n  }\n}");
    }

    #[test]
    fn a_line_belongs_to_the_block_that_the_typed_lines_show() {
        let python = "x = 1\n    for a in y:\n        b()\n    return x";
        let typed = "x = 1\n    for a in y:\n        b()\n";
        let shown = |blanks: &str, expected: &str| {
            check_after("    ", python, &[typed, blanks].concat(), "", expected);
        };
        shown("        ", "misplaced");
        shown("        ret", "misplaced");
        shown("    ", "return x");
        shown("    ret", "urn x");
        shown("", "    return x");
        check_after(
            "    ",
            python,
            "x = 1\n    for a in y:\n            b()\n        return x\n",
            "",
            "differs",
        );
        check_after("  ", "if (a) {\n    b();\n  }\n  c();", "if (a) {\n    b();\n    ", "", "misplaced");
        check_after(
            "  ",
            "if (a) {\n    b();\n  }\n  c();",
            "if (a) {\n    b();\n  }\n    ",
            "",
            "misplaced",
        );
    }

    #[test]
    fn nothing_is_shown_in_another_block_than_suggested() {
        // Each line goes on where the line above is, as editors indent, and then moves out column by column.
        let lines = ["a:", "  b:", "    c:", "      d", "    e", "  f:", "    g", "  h", "i"];
        for from in 0..lines.len() {
            let suggestion = lines[from..].join("\n");
            for until in from + 1..lines.len() {
                let typed = lines[from..until].join("\n") + "\n";
                for column in 0..8 {
                    let typed = [&typed, &*" ".repeat(column)].concat();
                    if let Match::Remainder(rest) = match_prefix("", &typed, &suggestion) {
                        let whole = [&typed, &*rest.style.apply(&suggestion[rest.used..])].concat();
                        let deeper = column > line::width(lines[until - 1]);
                        assert!(whole == suggestion || deeper, "{typed:?} gives {whole:?}");
                    }
                }
            }
        }
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
