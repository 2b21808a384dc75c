//! Calls of a method in other files than that of its type.
//!
//! Many types may have a method of the same name. A call counts where its file shows the receiver's type, by a
//! declaration or a constructor call, or where no other type has such a method.

use super::{Use, facts_of_both, knows};
use crate::document::Document;
use crate::edit::Edit;
use crate::grammar::QueryKind;
use crate::local::limits::REFERENCE_EDITS;
use crate::local::repeat::role::{Role, Roles};
use crate::local::repeat::sound;
use crate::local::words::is_free;
use crate::text::ident::{self, is_part, occurrences};

/// The calls in `other` of the method `name` that a type of `document` has, or had: calls on receivers of that
/// type as shown by the file, or all calls if no other type has such a method. Blocks on the parse.
pub fn calls(document: &Document, other: &Document, owner: &str, name: &str, is_only: bool) -> Vec<Use> {
    let Some(facts) = facts_of_both(document, other) else { return Vec::new() };
    let text = other.text().to_string();
    if occurrences(&text, name).next().is_none() || !knows(document, other, &text, facts) {
        return Vec::new();
    }
    let mut roles = Roles::new(other, &text, name);
    let mut calls = Vec::new();
    for at in occurrences(&text, name) {
        let is_ours = match roles.at(at) {
            // A type of this file has such a method, too.
            Some(Role::Declared) if is_in_type(other, at) => return Vec::new(),
            Some(Role::InPath) => ident::last_partial(text[..at].trim_end_matches(':')) == owner,
            Some(Role::Member { of_self }) => {
                let receiver = text[..at].trim_end().trim_end_matches(['.', '?', '-', '>', '!']);
                let is_called = text[at + name.len()..].starts_with('(');
                is_called && (is_only && !of_self || is_of_type(&text, ident::last_partial(receiver), owner))
            }
            _ => false,
        };
        if is_ours {
            calls.push(Use { at, is_import: false });
        }
    }
    calls
}

/// The edits in `other` that follow from renaming a method of a type of `document` from `old` to `new`.
/// `is_only` means that no other type has such a method.
pub fn rename_calls(
    document: &Document,
    other: &Document,
    owner: &str,
    [old, new]: [&str; 2],
    is_only: bool,
) -> Vec<Edit> {
    if !is_free(old) || !is_free(new) {
        return Vec::new();
    }
    let calls = calls(document, other, owner, old, is_only);
    if calls.is_empty() || calls.len() > REFERENCE_EDITS {
        return Vec::new();
    }
    sound(other, calls.iter().map(|it| Edit::new(it.at..it.at + old.len(), new)).collect())
}

/// Whether a file shows that a name is of a type: by a declaration, or a constructor call.
pub(in crate::local) fn is_of_type(text: &str, name: &str, owner: &str) -> bool {
    const MARKS: [&str; 3] = [":=", ":", "="];
    const WORDS: [&str; 4] = ["mut ", "new ", "const ", "await "];
    !name.is_empty()
        && occurrences(text, name).any(|at| {
            let before = text[..at].trim_end_matches(['&', '*', ' ']);
            let after = text[at + name.len()..].trim_start();
            let marked = MARKS.iter().find_map(|mark| after.strip_prefix(mark));
            let mut value = marked.unwrap_or(after).trim_start_matches(['&', '*', ' ']);
            while let Some(rest) = WORDS.iter().find_map(|word| value.strip_prefix(word)) {
                value = rest.trim_start();
            }
            let path =
                &value[..value.find(|it| !is_part(it) && it != '.' && it != ':').unwrap_or(value.len())];
            let is_typed = path.split(['.', ':']).any(|part| part == owner);
            // Types precede names in some languages.
            is_typed || before.len() < at && ident::last_partial(before) == owner
        })
}

/// Whether the declaration at a byte is a member of a type.
fn is_in_type(document: &Document, at: usize) -> bool {
    document.matches(QueryKind::Definitions, at..at + 1).iter().any(|it| {
        matches!(it.kind, "method" | "field") && it.name.is_some_and(|name| name.byte_range().contains(&at))
    })
}
