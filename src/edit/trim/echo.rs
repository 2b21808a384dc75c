//! Skips the beginning of a suggestion that repeats the text before the cursor.

use super::View;
use super::measure::has_word;
use crate::edit::line;
use crate::text::ident;

/// Repetitions shorter than this may be intended (bytes).
const LEAST: usize = 3;

/// The same for a begun word, which the suggestion completes (bytes).
const LEAST_BEGUN: usize = 2;

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

/// Skips the word that is begun before the cursor, or the path with dots: the suggestion writes it as a whole.
fn without_begun_word<'t>(view: &View<'_>, text: &'t str) -> &'t str {
    let word = ident::last_partial(view.prefix);
    let path = view.prefix.trim_end_matches(|it| ident::is_part(it) || it == '.').len();
    let begun = [&view.prefix[path..], word].into_iter().filter(|it| it.len() >= LEAST_BEGUN);
    let is_begun =
        |begun: &&str| begun.starts_with(char::is_alphabetic) && !ident::first_partial(text).is_empty();
    let mut rests = begun.filter(is_begun).filter_map(|begun| text.strip_prefix(begun));
    rests.next().unwrap_or(text)
}

/// Whether the text has a word or starts a comment. Brackets alone repeat in every program.
fn has_word_or_comment(text: &str) -> bool {
    has_word(text) || text.starts_with("//") || text.starts_with("--")
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
    fn what_only_looks_alike_stays() {
        check("{\n    {\n    ˇ\n    }\n}", "{ x; }", "{ x; }");
        check("xs = xˇ", "y", "y");
    }
}
