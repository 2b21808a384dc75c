//! Calls of a method in other files than that of its type.
//!
//! Many types may have a method of the same name. A call counts where its file shows the receiver's type, by a
//! declaration or a constructor call, or where no other type has such a method.

use super::{Use, facts_of_both, knows};
use crate::document::Document;
use crate::edit::Edit;
use crate::grammar::QueryKind;
use crate::local::limits::REFERENCE_EDITS;
use crate::local::repeat::receiver::{ShownType, Types};
use crate::local::repeat::role::{Role, Roles};
use crate::local::repeat::sound;
use crate::local::words::is_free_in;
use crate::text::ident::{self, occurrences};

/// The calls in `other` of the method `name` that a type of `document` has, or had: calls on receivers of that
/// type as shown by the file, or all calls if no other type has such a method. Blocks on the parse.
pub fn calls(document: &Document, other: &Document, owner: &str, name: &str, is_only: bool) -> Vec<Use> {
    let Some(facts) = facts_of_both(document, other) else { return Vec::new() };
    let text = other.text().to_string();
    if occurrences(&text, name).next().is_none() || !knows(document, other, &text, facts) {
        return Vec::new();
    }
    let mut roles = Roles::new(other, &text, name);
    let types = Types::new(other, &text);
    let mut calls = Vec::new();
    for at in occurrences(&text, name) {
        let is_ours = match roles.at(at) {
            // A type of this file has such a method, too.
            Some(Role::Declared) if is_in_type(other, at) => return Vec::new(),
            Some(Role::InPath) => ident::last_partial(text[..at].trim_end_matches(':')) == owner,
            Some(Role::Member { of_self }) => {
                let is_called = text[at + name.len()..].starts_with('(');
                is_called && (is_only && !of_self || types.of_receiver(at) == ShownType::Type(owner))
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
    if ![old, new].iter().all(|name| is_free_in(other, name)) {
        return Vec::new();
    }
    let calls = calls(document, other, owner, old, is_only);
    if calls.is_empty() || calls.len() > REFERENCE_EDITS {
        return Vec::new();
    }
    sound(other, calls.iter().map(|it| Edit::new(it.at..it.at + old.len(), new)).collect())
}

/// Whether the declaration at a byte is a member of a type.
fn is_in_type(document: &Document, at: usize) -> bool {
    document.matches(QueryKind::Definitions, at..at + 1).iter().any(|it| {
        matches!(it.kind, "method" | "field") && it.name.is_some_and(|name| name.byte_range().contains(&at))
    })
}
