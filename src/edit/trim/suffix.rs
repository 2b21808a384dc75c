//! Ends a suggestion where it starts to repeat the code after the cursor.

use super::View;
use crate::edit::lexer::Token;
use crate::edit::line;
use crate::text::ident;

/// Minimum length of the rest of the line to end the suggestion wherever it occurs (characters).
const TELLING: usize = 3;
/// Maximum length of a suggestion's tail that is compared with the rest of the line (characters).
const MOST_OVERLAP: usize = 64;
/// Minimum length of a half-written last line that counts as a repetition of the line below (bytes).
const HALF_LINE: usize = 8;

/// Returns the offset at which the repetition begins.
///
/// The code after the cursor is outside of the suggestion's own brackets and strings, so nothing in these repeats it.
pub(super) fn end(view: &View<'_>, text: &str) -> usize {
    let end = rest_of_line(view, text);
    end.min(next_line(view, &text[..end]))
}

/// Whether a suggestion's brackets and strings are closed where it goes on after `text`.
fn is_outside(view: &View<'_>, text: &str) -> bool {
    let mut scanner = view.scanner();
    let mut depth = 0_usize;
    scanner.scan(text, |_, token| {
        match token {
            Token::Open(_) => depth += 1,
            Token::Close(_) => depth = depth.saturating_sub(1),
            Token::Quote(_) | Token::Line => {}
        }
        true
    });
    depth == 0 && !scanner.in_own_string()
}

/// Returns the offset at which the rest of the cursor's line recurs in the suggestion.
///
/// A long rest may recur anywhere in the first line, a short one only at its end. The suggestion may also end
/// with the beginning of the rest, or, before code, repeat the line of that code below its own lines.
fn rest_of_line(view: &View<'_>, text: &str) -> usize {
    let first = line::first_partial(text);
    if view.rest.is_empty() {
        return text.len();
    }
    if ident::has_part(view.rest) && view.rest.chars().count() >= TELLING {
        let is_word =
            |at: usize| !(first[..at].ends_with(ident::is_part) && view.rest.starts_with(ident::is_part));
        let mut found = first.match_indices(view.rest).map(|(at, _)| at);
        return match found.find(|at| is_word(*at) && is_outside(view, &first[..*at])) {
            Some(at) => at,
            None if view.is_before_line() => own_line(view, text).unwrap_or_else(|| overlap(view, text)),
            None => overlap(view, text),
        };
    }
    // `closers` handles brackets and quotes; only the characters after them are compared.
    let sign = view.rest.trim_start_matches([')', ']', '}', '"', '\'', '`', ' ']);
    let whole = text.trim_end();
    if !sign.is_empty() && first.len() >= whole.len() && whole.ends_with(sign) {
        return whole.len() - sign.len();
    }
    overlap(view, text)
}

/// Returns the offset at which the cursor's line recurs below the suggestion's own lines.
fn own_line(view: &View<'_>, text: &str) -> Option<usize> {
    let mut start = line::first_end(text);
    line::split_iter(&text[start..]).find_map(|line| {
        let at = start;
        start += line.len();
        let same = line.trim_start().starts_with(view.rest) && line::width(line) == line::width(view.prefix);
        (same && is_outside(view, &text[..at])).then_some(at)
    })
}

/// Returns the offset of a tail that repeats the beginning of the rest of the line.
///
/// Counts only if a bracket would be opened twice, a word would run into itself, or several characters with
/// a word in them would be repeated.
fn overlap(view: &View<'_>, text: &str) -> usize {
    if !view.touches_code() {
        return text.len();
    }
    let is_twice = |start: usize, tail: &str| {
        let [opens, closes] = [['(', '[', '{'], [')', ']', '}']].map(|signs| tail.matches(signs).count());
        let opened = opens > closes;
        let is_whole_word = !(text[..start].ends_with(ident::is_part) && tail.starts_with(ident::is_part));
        let runs_in = tail.ends_with(ident::is_part) && view.rest.starts_with(ident::is_part);
        let is_twice = is_whole_word && (runs_in || ident::has_part(tail) && tail.chars().count() >= TELLING);
        opened || is_twice && (closes <= opens || is_outside(view, &text[..start]))
    };
    let starts = text.char_indices().rev().take(MOST_OVERLAP).map(|(start, _)| start);
    let overlaps = starts.filter(|start| {
        let tail = &text[*start..];
        view.rest.starts_with(tail) && is_twice(*start, tail)
    });
    overlaps.last().unwrap_or(text.len())
}

/// Returns the offset at which the suggestion repeats the next line below the cursor.
///
/// A line in another column is in another block: a guard may end like the code below it.
fn next_line(view: &View<'_>, text: &str) -> usize {
    let Some(next) = view.next.filter(|next| ident::has_part(next)) else {
        return text.len();
    };
    let mut start = 0;
    for (number, whole) in line::split_iter(text).enumerate() {
        let body = line::body(whole);
        let finished = whole.len() > body.len();
        let column = if number == 0 { line::width(view.prefix) } else { line::width(body) };
        let same = if number == 0 {
            joined(view.prefix.trim_start(), body.trim_end(), next.trim())
        } else {
            let half = !finished && body.trim().len() >= HALF_LINE && next.trim().starts_with(body.trim());
            half || body.trim() == next.trim()
        };
        if same && column == line::width(next) && is_outside(view, &text[..start]) {
            return line_end_before(text, start);
        }
        start += whole.len();
    }
    text.len()
}

/// Whether `first` and `second` add up to `whole`.
fn joined(first: &str, second: &str, whole: &str) -> bool {
    whole.strip_prefix(first) == Some(second)
}

/// The end of the line above `start`, without its terminator.
fn line_end_before(text: &str, start: usize) -> usize {
    text[..start].trim_end_matches(['\n', '\r']).len()
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn the_rest_of_the_line() {
        check("let a = ˇ + offset;\n", "base + offset;", "base");
        check("let a = ˇ;\n", "base;", "base");
        check("foo(ˇ);\n", "bar(1)", "bar(1)");
        check("foo(ˇb);\n", "a, ", "a, ");
        check("let a = ˇ.len();\n", "names.iter()", "names.iter()");
    }

    #[test]
    fn what_recurs_in_the_suggestions_own_brackets_or_words_stays() {
        check("f(ˇ, b)\n", "g(a, b)", "g(a, b)");
        check("f(ˇ, b)\n", "g(a, b), b)", "g(a, b)");
        check("x = ˇ + 1\n", "foo(y + 1)", "foo(y + 1)");
        check("x = ˇ + 1\n", "foo(y + 1) + 1", "foo(y + 1)");
        check("x = ˇ + one\n", "'a + one'", "'a + one'");
        check("return ˇkey\n", "monkey or ", "monkey or ");
        check("return ˇkey\n", "monkey or key", "monkey or ");
        check("    ˇfoo();\n", "if (a) {\n        foo();\n    }\n", "if (a) {\n        foo();\n    }\n    ");
    }

    #[test]
    fn the_beginning_of_the_rest() {
        check("catˇ(items)\n", "egory(", "egory");
        check("let a = catˇ(items);\n", "egory(", "egory");
        check("f(bˇ[i])\n", "c(d[", "c(d");
        check("let x = ˇname_of(a);\n", "first + name", "first + ");
        check("self.ˇname.len();\n", "inner.name", "inner.");
        check("callˇ.name.len();\n", "er().name", "er()");
        // Lookalikes that must stay.
        check("let x = ˇ(a);\n", "(b) + f", "(b) + f");
        check("let x = ˇa + b;\n", "data + ", "data + ");
        check("let x = ˇ name;\n", "my name", "my name");
        check("x(ˇ)(y)\n", "z()", "z()");
    }

    #[test]
    fn the_next_line() {
        check("a();\nˇ\nc();\n", "bb();\nc();\nd();", "bb();");
        check("a();\nˇ\nreturn c;\n", "return c;", "refused: nothing-new");
        check("a();\nretˇ\nreturn c;\n", "urn c;", "refused: nothing-new");
        check("a();\nˇ\nreturn the_result;\n", "bb();\nreturn the", "bb();");
        check("a();\nˇ\nreturn c.another(d).name;\n", "if b:\n    return c.anot", "if b:\n    return c.anot");
    }

    #[test]
    fn a_guard_that_ends_like_the_line_below_stays() {
        let guard = "if a.x:\n        return None";
        check("def f(a):\n    ˇ\n    return None\n", guard, guard);
        check("def f(a):\n    ˇ\n    return None\n", &format!("{guard}\n    return None"), guard);
        let guard = "if a {\n        return Err(Error::NotFound);\n    }";
        check("fn f() {\n    ˇ\n    return Err(Error::NotFound);\n}\n", guard, guard);
        let call = "f(\n    a,\n    b,\n    )";
        check("    ˇ\n    b,\n", call, call);
    }

    #[test]
    fn a_keyword_closes_its_own_block() {
        check("def f\n  ˇ\nend\n", "if a\n    b\n  end", "if a\n    b\n  end");
        check("def f\n  ˇ\nend\n", "work\nend", "work");
    }
}
