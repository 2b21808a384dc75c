//! Skips the beginning of a suggestion that repeats the text before the cursor.

use super::{CursorContext, View};
use crate::edit::line;
use crate::text::ident;

/// Repetitions shorter than this may be intended (bytes).
const LEAST: usize = 3;

/// Returns the suggestion without the repeated beginning.
pub(super) fn skip<'t>(view: &View<'_>, text: &'t str) -> &'t str {
    let before = view.context.before;
    let body = text.trim_start();
    // Starts at the farthest line, so that the longest repetition wins.
    for start in view.starts_above().iter().copied().rev() {
        let shown = before[start..].trim_start();
        let seen = shown.trim_end();
        let Some(rest) = body.strip_prefix(seen) else { continue };
        if seen.len() < LEAST || !has_word_or_comment(seen) {
            continue;
        }
        if line::is_blank(view.prefix) {
            // Whole lines were repeated, so new code must start on its own line.
            if !rest.starts_with(['\n', '\r']) {
                continue;
            }
            return &rest[line::first_end(rest)..];
        }
        // The repetition may lack the whitespace before the cursor.
        let typed = shown.len() > seen.len();
        return if typed { rest.trim_start_matches([' ', '\t']) } else { rest };
    }
    without_begun_word(view, text)
}

/// Skips the end of the cursor's line that the suggestion writes again: a begun word, or the path or expression that
/// it ends.
///
/// The longest such end wins, from the start of a token on.
fn without_begun_word<'t>(view: &View<'_>, text: &'t str) -> &'t str {
    let prefix = view.prefix;
    let is_start = |at: &usize| {
        let is_within = prefix[..*at].ends_with(ident::is_part) && prefix[*at..].starts_with(ident::is_part);
        !is_within && !prefix[*at..].starts_with(char::is_whitespace)
    };
    let starts = prefix.char_indices().map(|(at, _)| at).filter(is_start);
    let mut rests = starts.filter_map(|at| {
        let begun = &prefix[at..];
        let rest = text.strip_prefix(begun)?;
        let first = begun.chars().find(|it| ident::is_part(*it))?;
        (!first.is_numeric() && is_begun(view, begun, text)).then_some(rest)
    });
    rests.next().unwrap_or(text)
}

/// Whether the line ends with something begun that the suggestion writes again, rather than with a text that it
/// continues with the same letters.
fn is_begun(view: &View<'_>, begun: &str, text: &str) -> bool {
    if begun.chars().nth(1).is_some() {
        return begun.ends_with(ident::is_part)
            || begun.ends_with(['.', ':', '/', '-'])
            || begun.ends_with("->");
    }
    // One letter begins many words: it is continued if that gives a name of the window.
    let word = ident::first_partial(text);
    let continued = [begun, word].concat();
    let CursorContext { before, after, .. } = view.context;
    word.len() > begun.len() && ![before, after].iter().any(|it| ident::words(it).any(|it| it == continued))
}

/// Whether the text has a word or starts a comment. Brackets alone repeat in every program.
fn has_word_or_comment(text: &str) -> bool {
    ident::has_part(text) || text.starts_with("//") || text.starts_with("--")
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn the_cursors_line() {
        check("    let total = ˇ\n", "let total = price * count;", "price * count;");
        check("    let total =ˇ\n", "    let total = price * count;", " price * count;");
        check("/// ˇ\n", "/// Adds two numbers.", "Adds two numbers.");
    }

    #[test]
    fn lines_above_too() {
        check("fn f() {\n    a();\n    bˇ\n}", "fn f() {\n    a();\n    bcd();", "cd();");
        check("def f():\n    a = 1\n    ˇ\n", "    a = 1\n    return a", "return a");
    }

    #[test]
    fn begun_word_or_path() {
        check("forˇ", "format(x)", "mat(x)");
        check("let value = compˇ", "compute()", "ute()");
        check("let value = compˇ", "comp(1)", "(1)");
        check("let value = compˇ", "comp * 2", " * 2");
        check("p = os.paˇ", "os.path.join(a, b)", "th.join(a, b)");
        check("p = os.paˇ", "path.join(a, b)", "th.join(a, b)");
        check("p = os.ˇ", "os.path.join(a, b)", "path.join(a, b)");
        check("the caˇ", "r can go", "r can go");
    }

    #[test]
    fn begun_token_of_any_kind() {
        check("self.nˇ", "name", "ame");
        check("self.nˇ", "self.name", "ame");
        check("console.log(cˇ)", "count", "ount");
        check("class=\"text-ceˇ\"", "text-center", "nter");
        check("class=\"text-ceˇ\"", "center", "nter");
        check("color: var(--maˇ)", "--main", "in");
        check("echo $HOˇ", "$HOME/bin", "ME/bin");
        check("@naˇ", "@name = name", "me = name");
        check("let a = std::fs::reˇ", "std::fs::read(x);", "ad(x);");
        check("self->naˇ", "self->name", "me");
        check("require(\"./maˇ\")", "./main", "in");
        check("x = a + bˇ", "a + b + c", " + c");
        check("names.leˇ", ".len()", "n()");
    }

    #[test]
    fn token_begun_at_any_letter_is_not_doubled() {
        let tokens = [
            "self.name",
            "self->name",
            "std::fs::read",
            "$HOME/bin",
            "text-center",
            "@name",
            "--main",
            "./main",
            "\"name\"",
        ];
        for token in tokens {
            let first = token.find(char::is_alphabetic).unwrap() + 1;
            for end in (first..token.len() - 1).filter(|end| !token[..*end].ends_with('$')) {
                let (begun, rest) = token.split_at(end);
                check(&format!("f({begun}ˇ"), token, rest);
            }
        }
    }

    #[test]
    fn a_letter_that_begins_a_name_of_the_file_is_continued() {
        check("ppath = 1\npˇ", "path", "path");
        check("pˇ", "path", "ath");
        check("a = 1ˇ", "100", "100");
        check("a = (ˇ", "(b)", "(b)");
        check("x = <div>ˇ\n", "<div>a</div>", "<div>a</div>");
    }

    #[test]
    fn what_only_looks_alike_stays() {
        check("{\n    {\n    ˇ\n    }\n}", "{ x; }", "{ x; }");
        check("xs = xˇ", "y", "y");
    }
}
