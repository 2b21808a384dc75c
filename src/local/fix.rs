//! Rule-based fixes for the diagnostics of other servers and tools.
//!
//! Only certain fixes are offered: the tool vouches for its own fix, the parser confirmed it in a trial, or
//! the code has no other reading. Everything else is for a model. [`RULES`] maps messages to rules;
//! [`compose()`] combines several fixes into one set of edits.
//!
//! No rule is trusted alone. Whatever rule makes a fix, these conditions hold:
//!
//! * The diagnostic is about this text: its lines contain one of the names that it reports.
//! * A name is replaced only by a name in scope of which it is a misspelling ([`slip`]), or which alone resembles it
//!   and is reported as unused. The name as written must not exist in the project, in the library or in a possible
//!   import.
//! * If two names are slips of each other, the one that occurs only in its declaration is changed. It must
//!   have more parts that are not words, or the other name must have several uses.
//! * A fix removes no name that another diagnostic misses, even with a slip, and no import whose name occurs
//!   anywhere else, comments and strings included, or that [may act](needed_import) unnamed. Combined fixes of one
//!   file remove nothing that another of them adds.
//! * A name that a misspelt import would provide is not imported from elsewhere, and neither is one that the file has in
//!   [another role](own_name).
//! * No edit splits a name, makes a keyword of one letter, or makes a function call itself ([`unlikely`]).
//! * A tool's own fix removes no name outside the lines of its diagnostic and the imports.

mod assignment;
mod certain;
mod compose;
mod continued_line;
mod evident_type;
mod expected_token;
mod file_view;
mod import;
mod import_place;
mod imports;
mod joined_names;
mod keyword;
mod meant;
mod missing_brace;
mod missing_token;
mod misspelt;
mod mutation;
mod near_names;
mod needed_import;
mod open_quote;
mod other_file;
mod other_token;
mod own_name;
mod problem;
mod removal;
mod rival_provider;
mod scope;
mod slip;
mod standard;
mod suggested;
#[cfg(test)]
mod tests;
mod unknown;
mod unlikely;
mod unused;
mod unused_import;
mod unused_variable;

use crate::document::Document;
use crate::edit::{Edit, check, in_order};
use crate::text::ident;

pub use certain::{Fix, Kind};
pub use compose::{Composed, SkipReason, compose, join};
use file_view::MARK;
pub use file_view::{FileView, Surroundings};
pub use other_file::OtherFile;
pub use problem::{Problem, Suggestion};
use problem::{lines_of, subjects};
pub use scope::relies_on;
pub use slip::is_likely_typo_of_file;
pub use unknown::missed_names;
use unknown::{UNKNOWN, says};
use unused::{UNUSED_IMPORT, UNUSED_VARIABLE};

type Make = fn(&FileView<'_>, &Problem<'_>) -> Option<Fix>;

/// The rules, each with the words that a message must contain for it.
///
/// The words are in lower case; `+` joins words that must all occur. A rule without words looks at the tool's
/// own suggestions.
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
            "illegal start of expression",
            "syntax error",
            "';' expected",
            "'}' expected",
            "expected '}'",
            "end of input",
            "expecting }",
            "reached end of file",
            "expected `}`",
            // The opening brace is missing.
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
    (&["should be declared in a file named", "return type required"], misspelt::type_of_file),
    (&["return type required"], misspelt::constructor),
    (&["package +does not exist"], misspelt::package),
    (
        &[
            "expected",
            "syntax error",
            "invalid syntax",
            "unexpected identifier",
            "unexpected keyword",
            "must be separated",
            "missing",
            "unknown keyword",
        ],
        keyword::misspelt,
    ),
    (&["expected ':'", "expected \":\"", "invalid syntax"], keyword::else_if),
    (
        &[
            "unterminated string",
            "unterminated double quote string",
            "unclosed string literal",
            "string literal is unterminated",
            "missing closing quote in string",
            "missing terminating",
            "newline in string",
            "string literal not terminated",
        ],
        open_quote::missing,
    ),
    (&["expected"], joined_names::missing_opener),
    (
        &["expected", "missing", "unclosed", "never closed", "not closed", "unterminated"],
        missing_token::missing,
    ),
    (&["unexpected token"], joined_names::missing_opener),
    (
        &[
            "statements must be separated by newlines",
            "unexpected token",
            "'}' expected",
            "at end of statement",
        ],
        missing_token::between_entries,
    ),
    (&["dictionary entries must contain key/value pairs"], missing_token::between_key_and_value),
    (&["illegal start of type", "illegal start of expression"], missing_token::empty_list),
    (UNUSED_IMPORT, unused_import::unused),
    (UNUSED_VARIABLE, unused_variable::unused),
    (&["is assigned a value but never used"], unused_import::unused_module),
    (UNKNOWN, joined_names::missing_opener),
    (UNKNOWN, keyword::misspelt),
    (UNKNOWN, misspelt::in_import),
    (UNKNOWN, misspelt::declared),
    (UNKNOWN, import::of_library),
    (UNKNOWN, import::missing),
    (UNKNOWN, import::of_project_header),
    (UNKNOWN, misspelt::unknown),
    (&["missing parentheses in call to 'print'"], missing_token::print_call),
];

/// How tools report that they do not know, or that there are several ways to fix it: a name that may come from
/// `from a import *`, an import that may be for other files.
const DOUBTFUL: &[&str] = &["may be undefined", "or using a redundant alias"];

/// The fix for a problem, if a certain one exists.
///
/// Waits for the parse.
pub fn fix(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    find(file, problem, |fix| is_readable(file, fix) && check::syntax(file, &fix.edits).is_ok())
}

/// Like [`fix`], but without the trial parse: for fixes that are tried together.
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
    // A package that is not installed where the tool ran has the name that it has.
    let is_package = |(_, it): (&str, &str)| !it.starts_with('.');
    if says(&said, DOUBTFUL) || said.split_once("cannot find module '").is_some_and(is_package) {
        return None;
    }
    let made = |make: &Make| {
        let fix = with_removed(file, behind_mark(file, make(file, problem)?));
        let is_elsewhere = matches!(fix.kind, Kind::OfTool | Kind::MissingImport);
        let is_unfounded = fix.removes.iter().any(|name| file.is_near_missed(name))
            || needed_import::removes_needed(file, &fix)
            || mutation::removes_needed_mut(file, &fix)
            || is_elsewhere && misspelt::is_of_misspelt_import(file, problem)
            || is_elsewhere && misspelt::adds_misspelt_import(file, &fix)
            || fix.kind == Kind::MissingImport && import::is_in_broken_import(file, problem)
            || fix.kind == Kind::MissingImport && own_name::imports_own(file, problem, &fix)
            || unlikely::is_unlikely(file, &fix);
        Some(fix).filter(|fix| !is_unfounded && is_sound(fix)).map(|fix| with_replaced(file, fix))
    };
    RULES.iter().filter(|(words, _)| says(&said, words)).find_map(|(_, make)| made(make))
}

/// Whether a report is about another version of the text: its lines have none of the names that it reports.
pub fn is_of_other_text(document: &Document, problem: &Problem<'_>) -> bool {
    let lines = lines_of(document, &problem.span);
    let names = reported_names(problem);
    !names.is_empty() && !names.iter().any(|name| ident::has_word(&lines, name))
}

/// Whether a report comes from a tool that sees only one cell of a notebook: another cell has the name.
fn is_of_one_cell(file: &FileView<'_>, problem: &Problem<'_>) -> bool {
    reported_names(problem).iter().any(|name| file.is_in_other_cells(name))
}

/// The names that a problem reports as unknown or unused.
fn reported_names<'p>(problem: &'p Problem<'_>) -> Vec<&'p str> {
    let said = problem.message.to_lowercase();
    match [UNKNOWN, UNUSED_IMPORT, UNUSED_VARIABLE].iter().any(|words| says(&said, words)) {
        true => subjects(&problem.said),
        false => Vec::new(),
    }
}

/// Moves the edits of a fix behind the byte order mark: that stays the first character of a file, so that no fix alone or
/// with others replaces it or inserts anything before it.
fn behind_mark(file: &FileView<'_>, mut fix: Fix) -> Fix {
    let least = if file.contents().starts_with(MARK) { MARK.len_utf8() } else { 0 };
    for Edit { span, .. } in &mut fix.edits {
        *span = span.start.max(least)..span.end.max(least);
    }
    fix
}

/// Adds to a fix the imported names that it removes and inserts nowhere else.
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

/// Adds to the fix of a misspelt name the names that it replaces, which another fix may hold for the right ones.
fn with_replaced(file: &FileView<'_>, mut fix: Fix) -> Fix {
    if fix.kind == Kind::MisspeltName {
        let replaced = |edit: &Edit| {
            let old = file.slice(edit.span.clone());
            let names = ident::names(&old).filter(|name| !ident::has_word(&edit.text, name));
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        fix.removes = fix.edits.iter().flat_map(replaced).collect();
        fix.removes.sort();
        fix.removes.dedup();
    }
    fix
}

/// Whether a fix changes the text and inserts no invisible characters.
fn is_readable(file: &FileView<'_>, fix: &Fix) -> bool {
    let text = file.contents();
    let changes = |edit: &Edit| text[edit.span.clone()] != edit.text;
    in_order(text, &fix.edits) && fix.edits.iter().any(changes) && check::invisible(text, &fix.edits).is_ok()
}
