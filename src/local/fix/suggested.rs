//! Fixes that a tool brings along.

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::misspelt::{everywhere, is_certain, is_near};
use super::problem::{Problem, Suggestion};
use crate::edit::in_order;
use crate::text::ident;

/// What rustc, as a rule, says of suggestions that it is not sure of, or whose certainty its text does not
/// tell, and that can be wrong only where the code means something else than it says.
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
    // gcc's, which names the conversion that a value needs.
    "expects argument of type",
];

/// The one fix that the tool would apply unasked.
pub(super) fn safe(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    only(file, problem, |it| it.is_safe).map(|it| fix(Kind::OfTool, problem, it))
}

/// The one fix that is certain by what it says it does.
pub(super) fn known(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let it = only(file, problem, |it| TITLES.iter().any(|title| it.title.contains(title)))?;
    let kind = if it.title.contains("import") { Kind::MissingImport } else { Kind::OfTool };
    Some(fix(kind, problem, it))
}

/// The one name that the tool offers for another.
pub(super) fn similar(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let it = only(file, problem, |it| it.title.contains("similar name"))?;
    let [edit] = it.edits.as_slice() else { return None };
    // The edit may be the letters that are missing alone.
    let old = problem.span.clone();
    if old.end > file.text().len_bytes() || edit.span.start < old.start {
        let first = file.text().byte_to_line(edit.span.start);
        let is_line = first == file.text().byte_to_line(old.start.min(file.text().len_bytes()));
        return is_line.then(|| fix(Kind::MisspeltName, problem, it));
    }
    if edit.span.end > old.end {
        return None;
    }
    let new = file.slice(old.start..edit.span.start) + &edit.text + &file.slice(edit.span.end..old.end);
    let name = file.slice(old);
    let is_name = ident::is_name(&new) || new.strip_suffix('!').is_some_and(ident::is_name);
    // Of a type that it knows the compiler has seen all members.
    let is_member =
        ["field", "method", "variant", "associated", "local"].iter().any(|kind| it.title.contains(kind));
    let is_alone = is_certain(file, &name, &new, !is_member);
    if !is_name || !is_near(&name, &new) || !is_alone {
        return None;
    }
    let fix = fix(Kind::MisspeltName, problem, it);
    Some(match everywhere(file, &problem.span, &name, &new) {
        Some(edits) => Fix { edits, ..fix },
        None => fix,
    })
}

/// The only suggestion of a kind; the same one twice is one.
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
    let removes_import =
        problem.message.contains("import") && it.edits.iter().all(|edit| edit.text.is_empty());
    if removes_import { Fix { kind: Kind::UnusedImport, ..fix } } else { fix }
}
