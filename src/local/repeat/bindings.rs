//! Which declaration a name refers to at each of several places.
//!
//! After manual replacements of a name, another place is offered only if the old and the new name refer to the same
//! declarations there as in the replaced places. So a rename never leaves its scope, and never enters one that
//! declares the old name.

use std::cell::RefCell;
use std::ops::Range;

use super::role::{Role, Roles};
use super::scope::Scope;
use crate::document::Document;
use crate::local::walk::Walk;
use crate::local::words::is_telling;
use crate::text::ident::{is_name, occurrences};

/// For each name, the scope of the declaration that it refers to at a place, if there is one.
type Bound = Vec<Option<Range<usize>>>;

/// The declarations that the old and the new name refer to at the changed places.
pub(super) struct Bindings<'d, 't> {
    document: &'d Document,
    walk: Option<RefCell<Walk<'d>>>,
    roles: Option<RefCell<Roles<'d, 't>>>,
    /// The names, each with the scopes of its declarations.
    names: Vec<(&'t str, Vec<Scope>)>,
    /// For each changed place, the scopes in which its names are declared, and its role.
    changed: Vec<(Bound, Option<Role>)>,
}

impl<'d, 't> Bindings<'d, 't> {
    /// Blocks on the parse.
    pub(super) fn new(document: &'d Document, text: &'t str, names: [&'t str; 2], places: &[usize]) -> Self {
        // A value such as `null` takes the place of any name.
        let is_rename = names.iter().all(|name| is_name(name) && is_telling(name));
        let scopes = |name: &'t str| {
            let mut roles = Roles::new(document, text, name);
            let declared = occurrences(text, name).filter(|at| roles.at(*at) == Some(Role::Declared));
            (name, declared.map(|at| Scope::of_name(document, text, at)).collect())
        };
        let names_with_scopes = names.iter().filter(|name| is_name(name)).map(|name| scopes(name)).collect();
        let walk = Walk::new(document).map(RefCell::new);
        let roles = is_rename.then(|| RefCell::new(Roles::new(document, text, names[0])));
        let mut bindings = Self { document, walk, roles, names: names_with_scopes, changed: Vec::new() };
        let mut after = Roles::new(document, text, names[1]);
        bindings.changed = places.iter().map(|at| (bindings.at(*at), after.at(*at))).collect();
        bindings
    }

    /// Whether the names refer to the same declarations at a place with the old name as at one of those changed,
    /// and stand there in the same role.
    pub(super) fn allow(&self, at: usize) -> bool {
        let Some(roles) = &self.roles else { return true };
        let role = roles.borrow_mut().at(at);
        let kind = |role: Option<Role>| role.map(|it| std::mem::discriminant(&it));
        let is_bound = |role: Option<Role>| matches!(role, Some(Role::Plain | Role::Short | Role::Shown));
        let is_keyword = self.walk.as_ref().is_some_and(|walk| {
            let mut walk = walk.borrow_mut();
            walk.go_to(at);
            walk.around().take(2).any(|it| it.kind().ends_with("_type"))
        });
        // A type of the language is no name.
        if role.is_none() && is_keyword {
            return true;
        }
        let here = self.at(at);
        self.changed.is_empty()
            || self.changed.iter().any(|(there, other)| {
                kind(role) == kind(*other) && (!is_bound(role) || *there == here)
                    || is_bound(role) && is_bound(*other) && *there == here
            })
    }

    /// The innermost scopes around a place in which each name is declared.
    fn at(&self, at: usize) -> Bound {
        let Some(walk) = &self.walk else { return Vec::new() };
        let mut walk = walk.borrow_mut();
        walk.go_to(at);
        let innermost = |(name, scopes): &(&str, Vec<Scope>)| {
            let around = scopes.iter().filter(|it| it.holds(self.document, &walk, at, name));
            around.map(|it| it.range.clone()).min_by_key(Range::len)
        };
        self.names.iter().map(innermost).collect()
    }
}
