//! Fixes by rule for what other servers and tools report.
//!
//! What is offered is certain: the tool made it and vouches for it, it was tried out with the parser, or there is no other
//! reading. The rest is for a model. [`RULES`] says which message leads to which rule; [`compose()`] makes one set of
//! edits of several fixes.

mod assignment;
mod certain;
mod compose;
mod import;
mod missing_brace;
mod missing_token;
mod misspelt;
mod print_statement;
mod problem;
mod suggested;
#[cfg(test)]
mod tests;
mod unused_variable;

use crate::document::Document;
use crate::edit::guard;

pub use certain::{Fix, Kind};
pub use compose::{Composed, Left, compose};
pub use problem::{Problem, Suggestion};

type Make = fn(&Document, &Problem<'_>, &[Document]) -> Option<Fix>;

/// What a message must say for a rule, and the rule. The words are in lower case; `+` joins such as must be there all.
/// A rule without words looks at what the tool brings along.
const RULES: &[(&[&str], Make)] = &[
    (&["unexpected var, use let or const"], assignment::declared_once),
    (&[], suggested::safe),
    (&[], suggested::similar),
    (&[], suggested::known),
    (
        &[
            "did you mean",
            "; maybe ",
            "similar name exists",
            "but does have ",
            "perhaps you meant",
            "similar name: ",
        ],
        misspelt::offered,
    ),
    (&["include ‘<", "include '<", "#include <"], import::of_header),
    (&["possibly missing comma or "], missing_token::end_of_list),
    (&["no new variables on left side of :="], assignment::declared_before),
    (&["because it is a constant", "' is constant."], assignment::to_constant),
    (
        &[
            "unclosed delimiter",
            "'}' expected",
            "expected '}'",
            "end of input",
            "expecting }",
            "reached end of file",
            "expected `}`",
        ],
        missing_brace::missing,
    ),
    (&["expected", "missing", "unclosed", "never closed", "unterminated"], missing_token::missing),
    (
        &[
            "unused+import",
            "imported but unused",
            "imported and not used",
            "declared but its value is never read",
            "declared but never used",
            "is defined but never used",
            "is not accessed+import",
        ],
        import::unused,
    ),
    (
        &[
            "unused variable",
            "declared but not used",
            "declared and not used",
            "is assigned to but never used",
            "is assigned a value but never used",
            "declared but its value is never read",
        ],
        unused_variable::unused,
    ),
    (UNKNOWN, import::of_library),
    (UNKNOWN, import::missing),
    (UNKNOWN, misspelt::unknown),
    (&["missing parentheses in call to 'print'"], print_statement::call),
];

/// What tools say of names that they do not know.
const UNKNOWN: &[&str] = &[
    "cannot find",
    "not defined",
    "undefined",
    "undeclared",
    "unresolved",
    "not found in this scope",
    "cannot resolve",
    "unknown type name",
    "implicit declaration",
    "has no attribute",
    "has no field or method",
    "no member named",
    "does not name a type",
];

/// The fix for a problem, if one is certain.
///
/// Waits for the parse. `others` are other files, in which imports are looked for.
pub fn fix(document: &Document, problem: &Problem<'_>, others: &[Document]) -> Option<Fix> {
    let said = problem.said.to_lowercase();
    let says = |words: &&[&str]| {
        words.is_empty() || words.iter().any(|words| words.split('+').all(|part| said.contains(part)))
    };
    RULES
        .iter()
        .filter(|(words, _)| says(words))
        .find_map(|(_, make)| make(document, problem, others).filter(|fix| is_sound(document, fix)))
}

/// The name that a problem says is not known here. Other files are read for it.
pub fn wanted_name(document: &Document, problem: &Problem<'_>) -> Option<String> {
    let said = problem.said.to_lowercase();
    let is_unknown = UNKNOWN.iter().any(|words| said.contains(words));
    is_unknown.then(|| problem::unknown_name(document, problem)).flatten().map(|(name, _)| name)
}

/// Whether a fix leaves no more syntax errors than there were, and brings nothing in that cannot be seen.
fn is_sound(document: &Document, fix: &Fix) -> bool {
    let text = document.text().to_string();
    crate::edit::in_order(&text, &fix.edits)
        && crate::edit::apply(&text, &fix.edits) != text
        && guard::invisible(&text, &fix.edits).is_ok()
        && guard::syntax(document, &fix.edits).is_ok()
}
