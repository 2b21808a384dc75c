//! Fixes by rule for what other servers and tools report.
//!
//! What is offered is certain: the tool made it and vouches for it, it was tried out with the parser, or
//! there is no other reading. The rest is for a model. [`RULES`] says which message leads to which rule;
//! [`compose()`] makes one set of edits of several fixes.
//!
//! A rule is not believed alone. Whatever made a fix,
//!
//! * the report is about this text: a name that it is about stands in its lines;
//! * a name is changed to another only if it is a slip of that one ([`slip`]), which the place can see, and
//!   neither the project, the library nor an import that could be made has the name as it is written;
//! * of two names that are slips of each other, the one that has its only place where it is declared is changed,
//!   and only if it has more parts that are no words, or the other one several uses;
//! * nothing is removed that is, but for a slip, what another report misses, no import that the code uses; and
//!   fixes of one file that are made together remove nothing that one of them brings in;
//! * what an import would bring in that is misspelt itself is looked for nowhere else;
//! * what a tool brings along takes no name away outside the lines of its report and the imports.

mod assignment;
mod certain;
mod compose;
mod file_view;
mod import;
mod imports;
mod joined_names;
mod meant;
mod missing_brace;
mod missing_token;
mod misspelt;
mod near_names;
mod other_file;
mod problem;
mod removal;
mod scope;
mod slip;
mod suggested;
#[cfg(test)]
mod tests;
mod unknown;
mod unused_import;
mod unused_variable;

use crate::document::Document;
use crate::edit::{Edit, check, in_order};
use crate::text::ident;

pub use certain::{Fix, Kind};
pub use compose::{Composed, SkipReason, compose, join};
pub use file_view::{FileView, Surroundings};
pub use other_file::OtherFile;
pub use problem::{Problem, Suggestion};
use problem::{lines_of, subjects};
pub use scope::relies_on;
use unknown::{UNKNOWN, says};

type Make = fn(&FileView<'_>, &Problem<'_>) -> Option<Fix>;

/// What a message must say for a rule, and the rule. The words are in lower case; `+` joins such as must be
/// there all. A rule without words looks at what the tool brings along.
const RULES: &[(&[&str], Make)] = &[
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
    (&["unknown import symbol", "has no attribute", "cannot import name"], misspelt::of_module),
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
            // Without the opening one.
            "expecting {",
            "'{' expected",
            "unexpected closing delimiter",
            "outside function body",
            "extraneous closing brace",
            "expected identifier or '('",
            "after top level declarator",
        ],
        missing_brace::missing,
    ),
    (&["expected"], joined_names::missing_opener),
    (
        &["expected", "missing", "unclosed", "never closed", "not closed", "unterminated"],
        missing_token::missing,
    ),
    (&["unexpected token )"], joined_names::missing_opener),
    (&["statements must be separated by newlines", "unexpected token"], missing_token::between_entries),
    (&["illegal start of type"], missing_token::empty_list),
    (UNUSED_IMPORT, unused_import::unused),
    (UNUSED_VARIABLE, unused_variable::unused),
    (UNKNOWN, joined_names::missing_opener),
    (UNKNOWN, misspelt::in_import),
    (UNKNOWN, misspelt::declared),
    (UNKNOWN, import::of_library),
    (UNKNOWN, import::missing),
    (UNKNOWN, import::of_project_header),
    (UNKNOWN, misspelt::unknown),
    (&["missing parentheses in call to 'print'"], missing_token::print_call),
];

/// What tools say of imports that nothing uses.
const UNUSED_IMPORT: &[&str] = &[
    "unused+import",
    "imported but unused",
    "imported and not used",
    "imported but not used",
    "declared but its value is never read",
    "declared but never used",
    "is defined but never used",
    "is not accessed+import",
];

/// What tools say of variables that nothing uses.
const UNUSED_VARIABLE: &[&str] = &[
    "unused variable",
    "declared but not used",
    "declared and not used",
    "is assigned to but never used",
    "is assigned a value but never used",
    "declared but its value is never read",
];

/// The fix for a problem, if one is certain.
///
/// Waits for the parse.
pub fn fix(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    find(file, problem, |fix| is_readable(file, fix) && check::syntax(file, &fix.edits).is_ok())
}

/// The fix for a problem as [`fix`] finds it, but for the parser's trial: for fixes that are tried together.
///
/// Waits for the parse.
pub fn untried_fix(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    find(file, problem, |fix| is_readable(file, fix))
}

fn find(file: &FileView<'_>, problem: &Problem<'_>, is_sound: impl Fn(&Fix) -> bool) -> Option<Fix> {
    if is_of_other_text(file, problem) || is_of_one_cell(file, problem) {
        return None;
    }
    let said = problem.said.to_lowercase();
    let made = |make: &Make| {
        let fix = with_removed(file, make(file, problem)?);
        let is_needed = |name: &String| {
            file.is_near_missed(name) || fix.kind == Kind::UnusedImport && unused_import::is_used(file, name)
        };
        let is_elsewhere = matches!(fix.kind, Kind::OfTool | Kind::MissingImport);
        let is_unfounded = fix.removes.iter().any(is_needed)
            || is_elsewhere && misspelt::is_of_misspelt_import(file, problem)
            || is_elsewhere && misspelt::adds_misspelt_import(file, &fix);
        Some(fix).filter(|fix| !is_unfounded && is_sound(fix))
    };
    RULES.iter().filter(|(words, _)| says(&said, words)).find_map(|(_, make)| made(make))
}

/// Whether a report about a name is of another version of the text: no such name stands in its lines.
pub fn is_of_other_text(document: &Document, problem: &Problem<'_>) -> bool {
    let lines = lines_of(document, &problem.span);
    let names = reported_names(problem);
    !names.is_empty() && !names.iter().any(|name| ident::has_word(&lines, name))
}

/// Whether a report about a name is by a tool that sees one cell of a notebook alone: others have the name.
fn is_of_one_cell(file: &FileView<'_>, problem: &Problem<'_>) -> bool {
    reported_names(problem).iter().any(|name| file.is_in_other_cells(name))
}

/// The names that a problem says are not known, or not used.
fn reported_names<'p>(problem: &'p Problem<'_>) -> Vec<&'p str> {
    let said = problem.message.to_lowercase();
    match [UNKNOWN, UNUSED_IMPORT, UNUSED_VARIABLE].iter().any(|words| says(&said, words)) {
        true => subjects(&problem.said),
        false => Vec::new(),
    }
}

/// A fix with the names of the imports that it takes away, and puts nowhere else. One that is misspelt is not
/// taken away.
fn with_removed(file: &FileView<'_>, mut fix: Fix) -> Fix {
    if fix.kind == Kind::MisspeltName {
        return fix;
    }
    for edit in fix.edits.iter().filter(|edit| !edit.span.is_empty()) {
        let removed = file.imported_in(&edit.span).filter(|name| !ident::has_word(&edit.text, name));
        fix.removes.extend(removed.map(str::to_owned));
    }
    fix.removes.sort();
    fix.removes.dedup();
    fix
}

/// Whether a fix changes something, and brings nothing in that cannot be seen.
fn is_readable(file: &FileView<'_>, fix: &Fix) -> bool {
    let text = file.contents();
    let changes = |edit: &Edit| text[edit.span.clone()] != edit.text;
    in_order(text, &fix.edits) && fix.edits.iter().any(changes) && check::invisible(text, &fix.edits).is_ok()
}
