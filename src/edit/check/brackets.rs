//! Brackets that no longer pair up, in files without a reliable parser.

use crate::edit::lexer::{LexicalSyntax, Scanner, Token};
use crate::edit::{Edit, Refusal};
use crate::grammar::Grammar;

/// Refuses edits after which a text has a bracket without its partner.
///
/// The text had none before, and its language has no parser here, or one whose errors are not reliable, as C's are not
/// behind macros. Elsewhere, [`super::syntax`] judges. A reply without its last line is the usual case.
///
/// The error is [`Refusal::Syntax`].
pub(super) fn brackets(
    grammar: Option<&Grammar>,
    before: &str,
    after: &str,
    edits: &[Edit],
) -> Result<(), Refusal> {
    let is_judged_elsewhere = |it: &Grammar| it.errors_are_reliable() || it.is_prose();
    let surplus = |text: &str, [open, close]: [char; 2]| {
        text.matches(open).count() as isize - text.matches(close).count() as isize
    };
    let is_changed = |pair: [char; 2]| {
        let changes =
            edits.iter().map(|it| surplus(&it.text, pair) - surplus(&before[it.span.clone()], pair));
        changes.sum::<isize>() != 0
    };
    // Nearly always, as many open as close, and nothing has to be scanned.
    if !PAIRS.into_iter().any(is_changed) || grammar.is_some_and(is_judged_elsewhere) {
        return Ok(());
    }
    let is_paired = |[_, close]: [char; 2]| close == '}' || before.matches(close).nth(SEVERAL - 1).is_some();
    let syntax = LexicalSyntax::of(grammar);
    let [old, new] = [before, after].map(|text| unpaired(&syntax, text));
    for ((pair, old), new) in PAIRS.into_iter().zip(old).zip(new) {
        if old == 0 && new > 0 && is_paired(pair) {
            return Err(Refusal::Syntax { before: 0, after: new });
        }
    }
    Ok(())
}

const PAIRS: [[char; 2]; 3] = [['(', ')'], ['[', ']'], ['{', '}']];
/// How many pairs of round or square brackets show that a text has them in pairs: a list may have `1)`.
const SEVERAL: usize = 3;

/// The number of brackets without a partner, for each of [`PAIRS`].
fn unpaired(syntax: &LexicalSyntax<'_>, text: &str) -> [usize; PAIRS.len()] {
    let (mut open, mut surplus) = ([0_usize; PAIRS.len()], [0; PAIRS.len()]);
    Scanner::new(syntax).scan(text, |_, token| {
        let (Token::Open(closer) | Token::Close(closer)) = token else { return true };
        if let Some(kind) = PAIRS.iter().position(|[_, close]| *close == closer) {
            match token {
                Token::Open(_) => open[kind] += 1,
                _ if open[kind] > 0 => open[kind] -= 1,
                _ => surplus[kind] += 1,
            }
        }
        true
    });
    std::array::from_fn(|kind| open[kind] + surplus[kind])
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
        let judged = brackets(grammar::by_language_id(language), before, after, &edits);
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

    #[test]
    fn other_brackets_without_a_partner() {
        let file = "fun f() {\n    a(b())\n    c(1)\n}\n";
        check("kotlin", file, &file.replace("b())", "b()"), false);
        check("kotlin", file, &file.replace("c(1)", "c(1))"), false);
        check("kotlin", file, &file.replace("c(1)", "c(d(1))"), true);
        check("plaintext", "a (b)\n", "a (b)\n1) c\n", true);
    }
}
