//! Braces that paired up must do so afterwards, where no parser tells.

use crate::edit::lexer::{LexicalSyntax, Scanner, Token};
use crate::edit::{Edit, Refusal};
use crate::grammar::Grammar;

/// Refuses edits after which a text has a brace without its partner.
///
/// The text had none before, and its language has no parser here, or one whose errors are not reliable, as C's are not
/// behind macros. Elsewhere, [`super::syntax`] judges. A reply without its last line is the usual case.
///
/// # Errors
///
/// [`Refusal::Syntax`].
pub(super) fn braces(
    grammar: Option<&Grammar>,
    before: &str,
    after: &str,
    edits: &[Edit],
) -> Result<(), Refusal> {
    let is_judged_elsewhere = |it: &Grammar| it.errors_are_reliable() || it.is_prose();
    let braces = |text: &str| text.matches('{').count() as isize - text.matches('}').count() as isize;
    let changes: isize =
        edits.iter().map(|edit| braces(&edit.text) - braces(&before[edit.span.clone()])).sum();
    if changes == 0 || grammar.is_some_and(is_judged_elsewhere) {
        return Ok(());
    }
    let syntax = LexicalSyntax::of(grammar);
    match (unpaired(&syntax, before), unpaired(&syntax, after)) {
        (0, after) if after > 0 => Err(Refusal::Syntax { before: 0, after }),
        _ => Ok(()),
    }
}

/// The number of braces without a partner.
fn unpaired(syntax: &LexicalSyntax<'_>, text: &str) -> usize {
    let (mut open, mut surplus) = (0_usize, 0);
    Scanner::new(syntax).scan(text, |_, token| {
        match token {
            Token::Open('}') => open += 1,
            Token::Close('}') if open > 0 => open -= 1,
            Token::Close('}') => surplus += 1,
            _ => {}
        }
        true
    });
    open + surplus
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{apply, diff};
    use crate::grammar;

    #[track_caller]
    fn check(language: &str, before: &str, after: &str, is_sound: bool) {
        let edits = diff::minimal(before, after);
        assert_eq!(apply(before, &edits), after);
        let judged = braces(grammar::by_language_id(language), before, after, &edits);
        assert_eq!(judged.is_ok(), is_sound, "{after}");
    }

    #[test]
    fn braces_without_a_partner() {
        for language in ["", "c", "cpp"] {
            let file = "M(a)\nint f() {\n    if (b) {\n        c(\"}\"); // }\n    }\n}\n";
            check(language, file, &file.replace("    }\n}", "}"), false);
            check(language, file, &file.replace("f() {", "f(int d) { {"), false);
            check(language, file, &file.replace("c(\"}\")", "c(\"{{\")"), true);
            check(language, file, &file.replace("    if (b) {\n", "").replace("    }\n}", "}"), true);
            check(language, &file[..file.len() - 2], &file.replace("f() {", "f() { {"), true);
        }
    }
}
