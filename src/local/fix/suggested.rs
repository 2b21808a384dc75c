//! Applies fixes that a tool suggests.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::meant::{is_certain, is_member, may_be_meant};
use super::misspelt::everywhere;
use super::problem::{Problem, Suggestion, quoted, unknown_name};
use super::slip::is_likely_typo;
use super::unknown::says;
use super::unused::UNUSED_IMPORT;
use crate::edit::{Edit, in_order};
use crate::local::limits::SCOPE_PLACES;
use crate::local::syntax::nodes_at;
use crate::text::ident;

/// Titles of suggestions, mostly rustc's, that are applied although the tool does not mark them as safe.
///
/// They can be wrong only where the code means something other than what it says.
const TITLES: [&str; 20] = [
    "add `;` here",
    "try adding a comma",
    "consider importing this",
    "consider importing one of these",
    "perhaps you want to import it",
    "perhaps add a `use` for",
    "try using a conversion method",
    "consider using a floating-point literal by writing it with `.0`",
    "consider borrowing here",
    "consider dereferencing the borrow",
    "remove this `mut`",
    "consider changing this to be mutable",
    "consider making this binding mutable",
    "remove this semicolon to return this value",
    "you might have meant to compare for equality",
    "remove the whole `use` item",
    "remove the unused import",
    "remove these parentheses",
    "if you dereference the left-hand side",
    FORMAT,
];

/// How gcc reports a conversion that does not fit its value.
const FORMAT: &str = "expects argument of type";
/// The words of the types of integers, and those of floating-point numbers.
const INTEGERS: [&str; 5] = ["int", "long", "short", "signed", "unsigned"];
const FLOATS: [&str; 3] = ["double", "float", "long double"];

/// What rustc puts before a trait in a path whose member it does not know: `<dyn Iterator>::first(self)`.
const TRAIT_OBJECT: &str = "<dyn";

/// What rustc inserts that compiles and may be meant otherwise: calls that can panic, copies of what was to be changed,
/// and types of results.
const GUESSES: [&str; 4] = [".unwrap()", ".expect(", ".clone()", "-> "];

/// Titles of suggestions that rustc marks as safe, and that compile where another thing was meant, or not at all: what
/// is misspelt, lacks a part, or lacks its use.
const GUESSED_TITLES: [&str; 14] = [
    "as a method",
    "consider relaxing the implicit",
    "consider mutably borrowing here",
    "explicitly ignore the parameter name",
    "if this is intentional, prefix it with an underscore",
    "if you meant to write a string literal",
    "importing this unit variant",
    "to be a mutable reference",
    "to refer to the method",
    "try ignoring the field",
    "use `=` if you meant to assign",
    "use associated function syntax",
    "use the `?` operator",
    "use the `.` operator",
];

/// What rustc puts before the name of an associated type, also where a trait of that name is missing.
const ASSOCIATED_TYPE: &str = "Self::";

/// The only fix that the tool would apply without asking.
pub(super) fn safe(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let it = only(file, problem, |it| it.is_safe).filter(|it| is_of_report(file, problem, it))?;
    let lower = problem.message.to_lowercase();
    // A label may be a misspelt keyword, and a variable that is never assigned may be so under a misspelt name. Whether
    // a directive is needed depends on which rules are run.
    if ["directive", "label", "noqa"].iter().any(|it| lower.contains(it)) && lower.contains("unused")
        || lower.contains("never reassigned") && file.has_missed()
    {
        return None;
    }
    let reported = file.whole_lines(within(file.contents(), &problem.span));
    if it.edits.iter().any(|edit| edit.text.contains("mut ") && !reported.contains(&edit.span.start)) {
        return None;
    }
    let is_refused =
        |edit: &Edit| edit.text.starts_with(TRAIT_OBJECT) || GUESSES.iter().any(|it| edit.text.contains(it));
    let is_no_type = problem.message.starts_with("cannot find trait")
        && it.edits.iter().any(|edit| edit.text == ASSOCIATED_TYPE);
    if is_no_type || it.edits.iter().any(is_refused) || is_guess(file, problem, it) {
        return None;
    }
    Some(fix(Kind::OfTool, problem, it))
}

/// Whether a suggestion is a guess, such as the import of a function where none is called, or of another name than the
/// missing one: of `io` for the misspelt `sdt` of `sdt::io`.
fn is_guess(file: &FileView<'_>, problem: &Problem<'_>, it: &Suggestion) -> bool {
    let end = problem.span.end.min(file.text().len_bytes());
    let is_called = || file.slice(end..file.next_line_start(end)).starts_with('(');
    let is_of_other = |edit: &Edit| {
        let path = edit.text.trim().strip_prefix("use ").map(|it| it.trim_end_matches(';'));
        let mut names = quoted(problem.message).flat_map(ident::names).peekable();
        path.and_then(|it| ident::names(it).next_back())
            .is_some_and(|name| names.peek().is_some() && !names.any(|it| it == name))
    };
    // A derive macro often has the name of the trait that is missing.
    let is_of_derive = || it.title.contains("importing this derive macro");
    GUESSED_TITLES.iter().any(|title| it.title.contains(title))
        || is_of_derive() && !problem.message.contains("derive macro")
        || it.title.contains("importing this function") && !is_called()
        || it.title.contains("importing this module") && it.edits.iter().any(is_of_other)
}

/// Whether a tool's edits are about the text that its report is about.
///
/// The names that they remove must be in the lines of the report, or the edits in imports. If the report
/// quotes old names, one of them must be in those lines or in the edited ones.
fn is_of_report(file: &FileView<'_>, problem: &Problem<'_>, it: &Suggestion) -> bool {
    let text = file.contents();
    let reported = file.whole_lines(within(text, &problem.span));
    let mut count: HashMap<&str, isize> = HashMap::new();
    for edit in &it.edits {
        ident::names(&text[edit.span.clone()]).for_each(|name| *count.entry(name).or_default() -= 1);
        ident::names(&edit.text).for_each(|name| *count.entry(name).or_default() += 1);
    }
    let lines = &text[reported];
    let mut gone = count.iter().filter(|(_, count)| **count < 0).map(|(name, _)| *name).peekable();
    let has_gone = gone.peek().is_some();
    let is_near = gone.all(|name| ident::has_word(lines, name));
    let is_in_imports = || it.edits.iter().all(|edit| is_of_imports(file, &edit.span));
    let new = |name: &&str| it.edits.iter().any(|edit| ident::has_word(&edit.text, name));
    let mut old = quoted(problem.message).filter(|it| ident::is_name(it)).filter(|it| !new(it)).peekable();
    let in_edits = |name: &str| {
        it.edits.iter().any(|edit| ident::has_word(&text[file.whole_lines(edit.span.clone())], name))
    };
    let is_there = old.peek().is_none() || old.any(|name| ident::has_word(lines, name) || in_edits(name));
    is_there && (!has_gone || is_near || is_in_imports()) && is_still_unused(file, problem, it)
}

/// Whether an import or variable that a report calls unused is still one, and unused.
///
/// In an older text, the report's line was perhaps other code or a comment with the same name.
fn is_still_unused(file: &FileView<'_>, problem: &Problem<'_>, it: &Suggestion) -> bool {
    let lower = problem.message.to_lowercase();
    let says_import = || ["import", "imports", "imported"].iter().any(|word| ident::has_word(&lower, word));
    let is_deletion = it.edits.iter().all(|edit| edit.text.is_empty());
    if !["unused", "never used", "not used"].iter().any(|words| lower.contains(words)) {
        // A report that quotes no name is not sufficient to delete a call, which may have an effect.
        let is_call = |edit: &Edit| file.slice(edit.span.clone()).contains('(');
        let names_one = quoted(problem.message).any(|it| ident::names(it).next().is_some());
        return !is_deletion || names_one || !it.edits.iter().any(is_call);
    }
    let is_in_imports = it.edits.iter().all(|edit| is_of_imports(file, &edit.span));
    if is_in_imports || says_import() {
        return is_in_imports;
    }
    let Some((name, span)) = unknown_name(file, problem) else { return true };
    let is_edited = |at: &usize| it.edits.iter().any(|edit| edit.span.contains(at) || edit.span.start == *at);
    let places = file.names().get(name.as_str()).into_iter().flatten().take(SCOPE_PLACES);
    let body = body_around(file, span.start);
    // A capitalized name in a catch-all pattern is a misspelt constant or variant.
    let is_hidden = it.edits.iter().any(|edit| edit.text == "_" || edit.text == format!("_{name}"));
    if is_hidden && name.contains(char::is_uppercase) {
        return false;
    }
    // What is wrong in the function may be what the variable is for, or its name may be a slip of another one.
    let is_other = |near: &&str| file.count_in(near, &body) > 0 && is_likely_typo(file, &name, near);
    if file.is_wrong_in(&body) || file.near(&name).iter().any(is_other) {
        return false;
    }
    let is_use =
        |at: &usize| body.contains(at) && *at != span.start && !is_edited(at) && !is_member(file, *at);
    !places.into_iter().any(is_use)
}

/// The innermost function around a byte, else the whole file.
pub(super) fn body_around(file: &FileView<'_>, at: usize) -> Range<usize> {
    let is_body =
        |node: &&Node<'_>| ["function", "method", "lambda"].iter().any(|kind| node.kind().contains(kind));
    let nodes = nodes_at(file, at);
    nodes.iter().find(is_body).map_or(0..file.text().len_bytes(), Node::byte_range)
}

/// Whether all names in a range are in imports.
fn is_of_imports(file: &FileView<'_>, span: &Range<usize>) -> bool {
    let mut at = span.start;
    let imports = file.imports().iter().map(|it| it.node.byte_range());
    let is_bare = |span: Range<usize>| ident::names(&file.slice(span)).next().is_none();
    for import in imports.filter(|it| it.start < span.end && span.start < it.end) {
        if import.start > at && !is_bare(at..import.start) {
            return false;
        }
        at = at.max(import.end);
    }
    at >= span.end || is_bare(at..span.end)
}

/// A range, limited to the length of the text.
fn within(text: &str, span: &Range<usize>) -> Range<usize> {
    span.start.min(text.len())..span.end.min(text.len())
}

/// The only fix that is certain because of its title.
pub(super) fn known(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    // A suggestion to replace one import by another is one of several guesses.
    let is_known = |title: &str| {
        TITLES.iter().any(|it| title.contains(it))
            && !title.ends_with("instead")
            && (!title.contains(FORMAT) || is_alike(title))
    };
    let it = only(file, problem, |it| is_known(&it.title) && !is_guess(file, problem, it))?;
    let kind = if it.title.contains("import") { Kind::MissingImport } else { Kind::OfTool };
    Some(fix(kind, problem, it))
}

/// Whether the type that a conversion expects and the one of its value are both integers, or both floating-point numbers.
///
/// A pointer lacks a `*`, a mixed pair lacks a cast, and the conversion of a name such as `size_t` depends on the machine.
fn is_alike(title: &str) -> bool {
    let mut types = quoted(title).skip(1);
    let (Some(expected), Some(found), None) = (types.next(), types.next(), types.next()) else {
        return false;
    };
    let are = |is_one: &dyn Fn(&str) -> bool| is_one(expected) && is_one(found);
    are(&|it| it.split(' ').all(|word| INTEGERS.contains(&word))) || are(&|it| FLOATS.contains(&it))
}

/// The only similar name that the tool suggests.
pub(super) fn similar(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let it = only(file, problem, |it| it.title.contains("similar name"))?;
    let [edit] = it.edits.as_slice() else { return None };
    // The edit may contain only the missing letters.
    let text = file.contents();
    let (before, behind) = (&text[..edit.span.start], &text[edit.span.end..]);
    let start = edit.span.start - ident::last_partial(before).len();
    let end = edit.span.end + ident::first_partial(behind).len();
    let new = [&text[start..edit.span.start], edit.text.as_str(), &text[edit.span.end..end]].concat();
    let (old, new) = (text[start..end].trim_end_matches('!'), new.trim_end_matches('!'));
    let lines = file.whole_lines(within(text, &problem.span));
    // The compiler knows all members of a known type.
    let is_member =
        ["field", "method", "variant", "associated", "local"].iter().any(|kind| it.title.contains(kind));
    let is_meant = ident::is_name(old)
        && ident::is_name(new)
        && lines.contains(&start)
        && may_be_meant(file, &(start..end), old, new)
        && is_certain(file, old, new, !is_member);
    let fix = is_meant.then(|| fix(Kind::MisspeltName, problem, it))?;
    let span = start..start + old.len();
    let edits = everywhere(file, &span, old, new).unwrap_or_else(|| vec![Edit::new(span, new)]);
    Some(Fix { edits, ..fix })
}

/// The only suggestion of a kind; identical ones count as one.
fn only<'s>(
    file: &FileView<'_>,
    problem: &Problem<'s>,
    wanted: impl Fn(&Suggestion) -> bool,
) -> Option<&'s Suggestion> {
    let mut found = problem.suggestions.iter().filter(|it| wanted(it));
    let first = found.next()?;
    if !found.all(|it| it.edits == first.edits) || first.edits.is_empty() {
        return None;
    }
    let mut edits = first.edits.clone();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    in_order(file.contents(), &edits).then_some(first)
}

fn fix(kind: Kind, problem: &Problem<'_>, it: &Suggestion) -> Fix {
    let title = if it.title.is_empty() { problem.message } else { &it.title };
    let title: String = title.lines().next().unwrap_or_default().chars().take(80).collect();
    let fix = Fix::new(kind, title, it.edits.clone());
    let lower = problem.message.to_lowercase();
    let is_deletion = || it.edits.iter().all(|edit| edit.text.is_empty());
    if lower.contains("import") && (says(&lower, UNUSED_IMPORT) || is_deletion()) {
        Fix { kind: Kind::UnusedImport, ..fix }
    } else {
        fix
    }
}
