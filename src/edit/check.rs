//! Checks that edits must pass before they reach the user's text.
//!
//! Each is a pure function with a reason; [`check`] runs them in order. A few can be called alone, for edits
//! without a reply, such as a rule's fix.

mod brackets;
mod changed;
pub(super) mod cut;
mod diff_marks;
mod doubled_definition;
mod doubled_name;
mod elision;
mod empty_block;
mod extra_closers;
mod frame;
mod garbled;
mod heuristics;
mod invisible;
mod left_out;
mod marker;
mod moved_string;
mod placeholder_comment;
mod quotes;
pub(super) mod repetition;
mod reversal;
mod scope;
mod secrets;
mod stub;
pub(super) mod suspect;
mod syntax;
mod unreachable;

use std::ops::Range;

use brackets::brackets;
use diff_marks::diff_marks;
pub(super) use doubled_definition::doubled_definition;
pub(super) use elision::elision;
use elision::ellipsis_line;
pub(super) use elision::{is_comment, is_elision};
use garbled::garbled;
use heuristics::{blanks_only, large_removal, misplaced_lines};
pub use invisible::invisible;
pub(super) use invisible::signs;
pub(super) use left_out::{Asked, Definition, Form, asks_for_less, definitions, left_out};
pub(super) use marker::marker;
pub(super) use moved_string::moved_string;
use placeholder_comment::placeholder_comment;
use quotes::curly_quotes;
pub(crate) use repetition::is_stuck;
pub use reversal::reversal;
use scope::scope;
use secrets::secrets;
pub(super) use stub::stub;
pub(super) use syntax::MOST_PARSED;
pub use syntax::{syntax, syntax_of};

use super::{Edit, Flag, Refusal, apply, diff};
use crate::budget::Budget;
use crate::document::{Document, DocumentId};
use crate::grammar::{self, Grammar};

/// The base of the budget for all checks together, in [units](crate::budget) of work.
const LEAST_WORK: usize = 20_000_000;
/// The units of work added for each byte of the text and of the edits.
const WORK_A_BYTE: usize = 50;

/// The context in which edits are checked.
#[derive(Clone, Copy, Default)]
pub(super) struct CheckContext<'a> {
    /// The text that the edits were made from.
    pub(super) before: &'a str,
    /// The document with that text, if there is one.
    pub(super) document: Option<&'a Document>,
    /// The bytes that may change; `None` for all of them.
    pub(super) range: Option<&'a Range<usize>>,
    /// The language, if known.
    pub(super) grammar: Option<&'a Grammar>,
    /// Whether a whitespace-only change may be what was requested.
    pub(super) allow_whitespace_only: bool,
    /// Whether invisible characters may be added.
    pub(super) allow_invisible: bool,
    /// Whether the reply is the whole text.
    ///
    /// Then no context can have been mistaken for new lines.
    pub(super) is_whole: bool,
}

/// Runs all checks on edits that were read and placed.
///
/// Returns warnings for the user.
///
/// Not here, because they need the reply or the workspace: the reader checks completeness, [`super::rebase`]
/// the version, and [`super::names`] the names.
///
/// The error is the first check's [`Refusal`]; [`Refusal::TooMuchWork`] if they take more than any sound text
/// needs.
pub(super) fn check(checks: &CheckContext<'_>, edits: &[Edit]) -> Result<Vec<Flag>, Refusal> {
    if edits.is_empty() {
        return Ok(Vec::new());
    }
    let bytes: usize = checks.before.len() + edits.iter().map(|edit| edit.text.len()).sum::<usize>();
    let budget = Budget::new(LEAST_WORK + WORK_A_BYTE * bytes);
    budget.run(|| check_all(checks, edits)).unwrap_or(Err(Refusal::TooMuchWork))
}

fn check_all(checks: &CheckContext<'_>, edits: &[Edit]) -> Result<Vec<Flag>, Refusal> {
    let before = checks.before;
    if let Some(range) = checks.range {
        scope(before, edits, range)?;
    }
    let after = apply(before, edits);
    if !checks.allow_invisible {
        invisible(before, edits)?;
    }
    // These come first: their reasons are more specific than a syntax error.
    elision(before, &after)?;
    placeholder_comment(checks.grammar, before, &after)?;
    marker(checks.grammar, before, &after)?;
    diff_marks(before, edits)?;
    garbled(before, edits)?;
    let mut flags = Vec::new();
    flags.extend(large_removal(before, edits));
    if let Some(grammar) = checks.grammar {
        let judged = match before.len().max(after.len()) <= MOST_PARSED {
            true => match checks.document {
                Some(document) => syntax(document, edits),
                None => syntax(&Document::new(DocumentId::new(""), grammar.id(), 0, before), edits),
            },
            false => Ok(None),
        };
        ellipsis_line(grammar, before, &after, judged != Ok(None))?;
        flags.extend(judged?);
    }
    brackets(checks.grammar, before, &after, edits)?;
    curly_quotes(checks.grammar, before, &after, edits)?;
    if !checks.is_whole {
        misplaced_lines(checks.grammar, before, &after)?;
    }
    if !checks.allow_whitespace_only {
        blanks_only(before, &after)?;
    }
    secrets(before, &after)?;
    Ok(flags)
}

/// Runs the checks on a new file.
///
/// Syntax errors are only flagged, since there is no old text to compare them with.
///
/// The error is the first check's [`Refusal`].
pub(super) fn check_new(path: &str, text: &str, allow_invisible: bool) -> Result<Vec<Flag>, Refusal> {
    let grammar = grammar::by_path(path.as_ref());
    elision("", text)?;
    marker(grammar, "", text)?;
    if !allow_invisible {
        // A file may begin with a byte-order mark.
        invisible("", &[Edit::new(0..0, text.trim_start_matches('\u{feff}'))])?;
    }
    diff_marks("", &[Edit::new(0..0, text)])?;
    secrets("", text)?;
    let document = grammar.map(|grammar| Document::new(DocumentId::new(path), grammar.id(), 0, text));
    let errors = document.and_then(|document| document.syntax_errors()).unwrap_or(0);
    Ok(if errors > 0 { vec![Flag::Syntax] } else { Vec::new() })
}

/// Runs all checks as [`check`] does.
///
/// If the new text of [`CheckContext::range`] breaks the code only by surplus closing lines at its end, those are
/// left out. Returns the edits that passed, and warnings for the user.
///
/// The error is the first check's [`Refusal`] of the original edits.
pub(super) fn check_trimming_closers(
    checks: &CheckContext<'_>,
    edits: Vec<Edit>,
) -> Result<(Vec<Edit>, Vec<Flag>), Refusal> {
    let judged = check(checks, &edits);
    let broken = match &judged {
        Ok(flags) => flags.contains(&Flag::Syntax),
        Err(refusal) => matches!(refusal, Refusal::Syntax { .. }),
    };
    if let Some(range) = checks.range.filter(|_| broken) {
        let after = apply(checks.before, &edits);
        let new = &after[range.start..after.len() - (checks.before.len() - range.end)];
        for shorter in extra_closers::without(new) {
            let cut = diff::minimal_within(checks.before, range, shorter);
            if let Ok(flags) = check(checks, &cut)
                && !flags.contains(&Flag::Syntax)
            {
                return Ok((cut, flags));
            }
        }
    }
    judged.map(|flags| (edits, flags))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_guards(before: &str, after: &str, expected: &str) {
        let checks =
            CheckContext { before, grammar: grammar::by_language_id("rust"), ..CheckContext::default() };
        let outcome = match check(&checks, &diff::minimal(before, after)) {
            Ok(flags) => flags.iter().map(Flag::code).collect::<Vec<_>>().join(" "),
            Err(refusal) => format!("refused: {}", refusal.code()),
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn the_first_reason_counts() {
        let file = "fn f() {\n    one();\n}\n";
        check_guards(file, "fn f() {\n    two();\n}\n", "");
        check_guards(file, file, "");
        check_guards(file, "fn f() {\n    two();\n", "refused: syntax");
        check_guards(file, "fn f() {\n    // ... existing code ...\n}\n", "refused: elision");
        check_guards(file, "fn f() {\n    one();\n    one();\n}\n", "refused: doubled-line");
        check_guards(file, "fn f() {\n  one();\n}\n", "refused: blanks-only");
    }

    /// `marked` has the range between `«` and `»`; `new` takes its place.
    #[track_caller]
    fn check_region(language: &str, marked: &str, new: &str, expected: &str) {
        let range = marked.find('«').unwrap()..marked.find('»').unwrap() - '«'.len_utf8();
        let before = &marked.replace(['«', '»'], "");
        let grammar = grammar::by_language_id(language);
        let checks = CheckContext { before, range: Some(&range), grammar, ..CheckContext::default() };
        let outcome = match check_trimming_closers(&checks, vec![Edit::new(range.clone(), new)]) {
            Ok((edits, _)) => apply(before, &edits),
            Err(refusal) => format!("refused: {}", refusal.code()),
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn closers_behind_a_region_are_left_out() {
        let file = "fn f() {\n«    a();\n»    b();\n}\n";
        check_region("rust", file, "    é();\n}\n", "fn f() {\n    é();\n    b();\n}\n");
        check_region("rust", file, "    c();\n", "fn f() {\n    c();\n    b();\n}\n");
        check_region("rust", file, "    c({;\n}\n", "refused: syntax");
        check_region("rust", file, "    c(\n}\n", "refused: syntax");
        let whole = "«fn f() {\n    a();\n}\n»\nfn g() {}\n";
        check_region("rust", whole, "fn f() {\n}\n}\n", "fn f() {\n}\n\nfn g() {}\n");
        check_region("rust", whole, "fn f() {}\n}\n", "refused: syntax");
        check_region(
            "c",
            "int f(void) {\n«  a();\n»  b();\n}\n",
            "  c();\n}\n",
            "int f(void) {\n  c();\n  b();\n}\n",
        );
        check_region("ruby", "def f\n«  a\n»  b\nend\n", "  c\nend\n", "def f\n  c\n  b\nend\n");
    }

    #[test]
    fn c_is_warned_about_where_it_was_broken_before() {
        let check = |before: &str, after: &str| {
            let checks =
                CheckContext { before, grammar: grammar::by_language_id("c"), ..CheckContext::default() };
            check(&checks, &diff::minimal(before, after)).map_err(|refusal| refusal.code())
        };
        let macros = "int f(void) { EACH(x, xs) { return 1; } foo bar baz; }\n";
        assert_eq!(check(macros, &macros.replace('1', "(1")), Ok(vec![Flag::Syntax]));
        let sound = "int f(void) { return 1; }\n";
        assert_eq!(check(sound, "int f(void) { return (1; }\n"), Err("syntax"));
        assert_eq!(check(sound, "int f(void) {\n    ...\n}\n"), Err("elision"));
        assert_eq!(check(sound, "int f(void) {\n    g(1,\n    ...\n"), Err("elision"));
        assert_eq!(check(sound, "int f(int n,\n      ...\n      );\n"), Ok(Vec::new()));
    }

    #[test]
    fn what_cannot_be_seen_is_let_in_only_if_allowed() {
        let before = "a = 1\n";
        let edits = [Edit::new(4..5, "\"\u{202e}\"")];
        for grammar in grammar::all().map(Some).chain([None]) {
            let checks = CheckContext { before, grammar, ..CheckContext::default() };
            assert_eq!(check(&checks, &edits), Err(Refusal::Invisible { sign: '\u{202e}' }));
            let judged = check(&CheckContext { allow_invisible: true, ..checks }, &edits);
            assert!(!matches!(judged, Err(Refusal::Invisible { .. })), "{judged:?}");
        }
        assert!(check_new("a", "\u{feff}a\n", false).is_ok());
        assert!(check_new("a", "a\u{feff}\n", false).is_err());
        assert!(check_new("a", "a\u{feff}\n", true).is_ok());
    }
}
