//! Ends a suggestion where it begins to repeat what stands after the cursor.

use super::{View, has_word, width};
use crate::edit::line;

/// A rest of the line that is at least this long (characters) ends the suggestion wherever it comes up in it.
const TELLING: usize = 3;
/// A half-written last line must share this much (bytes) with the line below to count as its repetition.
const HALF_LINE: usize = 8;

/// Where the repetition begins.
pub(super) fn end(view: &View<'_>, text: &str) -> usize {
    let end = rest_of_line(view, text);
    end.min(next_line(view, &text[..end]))
}

/// The rest of the cursor's line, at the end of the suggestion's first line or, when long, anywhere in it.
fn rest_of_line(view: &View<'_>, text: &str) -> usize {
    let first = line::first_partial(text);
    if view.rest.is_empty() {
        return text.len();
    }
    if has_word(view.rest) && view.rest.chars().count() >= TELLING {
        return match first.find(view.rest) {
            Some(at) => at,
            None => text.len(),
        };
    }
    // Brackets and quotes are counted by `closers`; what follows them is compared.
    let sign = view.rest.trim_start_matches([')', ']', '}', '"', '\'', '`', ' ']);
    let whole = text.trim_end();
    if !sign.is_empty() && first.len() >= whole.len() && whole.ends_with(sign) {
        return whole.len() - sign.len();
    }
    text.len()
}

/// A line that is the next one below the cursor.
fn next_line(view: &View<'_>, text: &str) -> usize {
    let Some(next) = view.next.filter(|next| has_word(next)) else {
        return text.len();
    };
    let mut start = 0;
    for (number, whole) in line::split_iter(text).enumerate() {
        let body = line::body(whole);
        let finished = whole.len() > body.len();
        let column = if number == 0 { width(view.prefix) } else { width(body) };
        let same = if number == 0 {
            joined(view.prefix.trim_start(), body.trim_end(), next.trim())
        } else {
            body.trim() == next.trim()
        };
        // A lone keyword such as `end` closes many blocks: its column tells them apart.
        if same && (column == width(next) || next.trim().len() >= 20) {
            return if number == 0 { 0 } else { line_end_before(text, start) };
        }
        let half = body.trim();
        if number > 0 && !finished && half.len() >= HALF_LINE && next.trim().starts_with(half) {
            return line_end_before(text, start);
        }
        start += whole.len();
    }
    text.len()
}

/// Whether two parts make up a whole.
fn joined(first: &str, second: &str, whole: &str) -> bool {
    whole.strip_prefix(first) == Some(second)
}

/// The end of the line above, without its terminator.
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
    fn the_next_line() {
        check("a();\nˇ\nc();\n", "bb();\nc();\nd();", "bb();");
        check("a();\nˇ\nreturn c;\n", "return c;", "refused: empty");
        check("a();\nretˇ\nreturn c;\n", "urn c;", "refused: empty");
        check("a();\nˇ\nreturn the_result;\n", "bb();\nreturn the", "bb();");
    }

    #[test]
    fn a_keyword_closes_its_own_block() {
        check("def f\n  ˇ\nend\n", "if a\n    b\n  end", "if a\n    b\n  end");
        check("def f\n  ˇ\nend\n", "work\nend", "work");
    }
}
