//! Fixes by rule for what other servers and tools report.
//!
//! What is offered is certain: the tool made it and vouches for it, it was tried out with the parser, or
//! there is no other reading. The rest is for a model. [`RULES`] says which message leads to which rule;
//! [`compose()`] makes one set of edits of several fixes.

mod assignment;
mod certain;
mod compose;
mod file_view;
mod import;
mod imports;
mod missing_brace;
mod missing_token;
mod misspelt;
mod other_file;
mod print_statement;
mod problem;
mod removal;
mod scope;
mod suggested;
#[cfg(test)]
mod tests;
mod unused_import;
mod unused_variable;

use crate::edit::{Edit, guard, in_order};

pub use certain::{Fix, Kind};
pub use compose::{Composed, Left, compose, join};
pub use file_view::FileView;
pub use other_file::OtherFile;
pub use problem::{Problem, Suggestion};
pub use scope::relies_on;

type Make = fn(&FileView<'_>, &Problem<'_>) -> Option<Fix>;

/// What a message must say for a rule, and the rule. The words are in lower case; `+` joins such as must be
/// there all. A rule without words looks at what the tool brings along.
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
        unused_import::unused,
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
/// Waits for the parse.
pub fn fix(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    find(file, problem, |fix| is_readable(file, fix) && guard::syntax(file, &fix.edits).is_ok())
}

/// The fix for a problem as [`fix`] finds it, but for the parser's trial: for fixes that are tried together.
///
/// Waits for the parse.
pub fn untried_fix(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    find(file, problem, |fix| is_readable(file, fix))
}

fn find(file: &FileView<'_>, problem: &Problem<'_>, is_sound: impl Fn(&Fix) -> bool) -> Option<Fix> {
    let said = problem.said.to_lowercase();
    let says = |words: &&[&str]| {
        words.is_empty() || words.iter().any(|words| words.split('+').all(|part| said.contains(part)))
    };
    RULES
        .iter()
        .filter(|(words, _)| says(words))
        .find_map(|(_, make)| make(file, problem).filter(|fix| is_sound(fix)))
}

/// Whether a fix changes something, and brings nothing in that cannot be seen.
fn is_readable(file: &FileView<'_>, fix: &Fix) -> bool {
    let text = file.contents();
    let changes = |edit: &Edit| text[edit.span.clone()] != edit.text;
    in_order(text, &fix.edits) && fix.edits.iter().any(changes) && guard::invisible(text, &fix.edits).is_ok()
}
