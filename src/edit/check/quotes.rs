//! Curly quotes must not replace straight ones in code.

use std::ops::Range;

use tree_sitter::Tree;

use super::changed::runs;
use super::syntax::{MOST_PARSED, places};
use crate::edit::{Edit, Refusal, line};
use crate::grammar::Grammar;

/// Refuses edits that put curly quotes where straight ones belong.
///
/// Either the straight quotes of a line become curly, or new names contain curly quotes: many grammars treat
/// those as part of a word, and no parser objects.
///
/// Curly quotes inside straight ones are text, and one between two letters is an apostrophe. In prose both
/// kinds are text.
///
/// The error is [`Refusal::CurlyQuotes`] with the line.
pub(super) fn curly_quotes(
    grammar: Option<&Grammar>,
    before: &str,
    after: &str,
    edits: &[Edit],
) -> Result<(), Refusal> {
    if grammar.is_some_and(Grammar::is_prose) || !edits.iter().any(|edit| edit.text.contains(is_curly)) {
        return Ok(());
    }
    let straight = |text: &str| text.matches(['"', '\'']).count();
    for run in runs(before, edits) {
        if !run.old.contains(is_curly)
            && straight(&run.new) < straight(run.old)
            && let Some(line) = line::split_iter(&run.new).find(|line| quotes_code(line))
        {
            return Err(Refusal::CurlyQuotes { line: line.trim().to_owned() });
        }
    }
    let Some(tree) = grammar.filter(|_| after.len() <= MOST_PARSED).and_then(|it| it.parse_str(after)) else {
        return Ok(());
    };
    for (edit, (_, Range { start, .. })) in edits.iter().zip(places(edits)) {
        if let Some((at, _)) = edit.text.match_indices(is_curly).find(|(at, _)| is_name(&tree, start + at)) {
            let line = line::last_partial(&after[..start + at]).to_owned();
            let line = line + line::first_partial(&after[start + at..]);
            return Err(Refusal::CurlyQuotes { line: line.trim().to_owned() });
        }
    }
    Ok(())
}

/// Whether a parser treats the character at a byte as part of a name.
///
/// Characters that it does not accept at all count, too.
fn is_name(tree: &Tree, at: usize) -> bool {
    let node = tree.root_node().descendant_for_byte_range(at, at + 1);
    node.is_some_and(|node| {
        node.kind().ends_with("identifier") || (node.is_error() && node.parent().is_some())
    })
}

fn is_curly(sign: char) -> bool {
    matches!(sign, '\u{2018}'..='\u{201f}')
}

/// Whether a line has a curly quote outside of strings that is not an apostrophe.
fn quotes_code(line: &str) -> bool {
    let mut open = None;
    let mut signs = line.chars().peekable();
    let mut last = ' ';
    while let Some(sign) = signs.next() {
        let is_apostrophe = last.is_alphanumeric() && signs.peek().is_some_and(|next| next.is_alphanumeric());
        match (open, sign) {
            (None, '"' | '`') => open = Some(sign),
            (None, '\'') if !is_apostrophe => open = Some(sign),
            (Some(it), _) if it == sign && last != '\\' => open = None,
            (None, _) if is_curly(sign) && !is_apostrophe => return true,
            _ => {}
        }
        last = sign;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::diff;
    use crate::grammar;

    #[track_caller]
    fn check(language: &str, before: &str, after: &str, is_sound: bool) {
        let edits = diff::minimal(before, after);
        let judged = curly_quotes(grammar::by_language_id(language), before, after, &edits);
        assert_eq!(judged.is_ok(), is_sound, "{before} to {after}: {judged:?}");
    }

    #[test]
    fn quotes_of_code() {
        for (before, after) in [
            ("a: \"b\"\n", "a: “c”\n"),
            ("echo 'a b'\n", "echo ‘a c’\n"),
            ("x = 'a'\ny = 'b'\n", "x = ‘a’\ny = ‘b’\n"),
            ("x = f(\"a\", 'b')\n", "x = f(\"a\", ‘c’)\n"),
        ] {
            for language in ["yaml", "makefile", "shellscript", "javascript"] {
                check(language, before, after, false);
            }
        }
    }

    #[test]
    fn names_have_no_quotes() {
        for language in ["javascript", "typescript", "c", "go", "java", "rust"] {
            check(language, "a(1);\n", "a(1);\nb(“c”, 2);\n", false);
            check(language, "a(1);\n", "a(1);\n// b(“c”)\n", true);
        }
        check("javascript", "a(1);\n", "a(1);\nb('“c”');\n", true);
        check("javascript", "a(1);\n", "a(1);\nb(`“c”`);\n", true);
    }

    #[test]
    fn quotes_of_text() {
        check("javascript", "a('it\\'s')\n", "a('it’s')\n", true);
        check("yaml", "a: \"say 'b'\"\n", "a: \"say ‘b’\"\n", true);
        check("yaml", "# it's\n", "# it’s\n", true);
        check("yaml", "# it’s 'a'\n", "# it’s “a”\n", true);
        check("yaml", "a: b\n", "a: b # “c”\n", true);
        check("markdown", "say \"a\"\n", "say “a”\n", true);
    }
}
