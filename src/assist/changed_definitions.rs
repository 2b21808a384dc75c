//! Definitions that a change removes, or whose head it changes.
//!
//! Their uses may have to be changed, too.

use std::collections::BTreeSet;
use std::path::Path;

use crate::grammar::Grammar;
use crate::text::ident;
use crate::workspace::{Definition, FileSymbols, Kind, Workspace, references_in};

/// Uses of a definition in files that a change leaves untouched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftUses {
    /// The name.
    pub name: String,
    /// The number of calls, or of uses as a type.
    pub uses: usize,
    /// The number of files with uses.
    pub files: usize,
}

/// The definitions of a file that are gone, or whose head changed for their users.
///
/// Each is paired with its new definition, if any.
pub(super) fn changed_definitions<'a>(
    old: &'a FileSymbols,
    new: Option<&'a FileSymbols>,
) -> impl Iterator<Item = (Definition<'a>, Option<Definition<'a>>)> {
    let is_used = |it: &Definition<'_>| it.kind.is_callable() || it.kind.is_type();
    let named = old.definitions().filter(move |it| is_used(it) && it.kind != Kind::Implementation);
    named.filter_map(move |definition| {
        let now = new.and_then(|new| same(new, &definition));
        let is_changed = now.is_none_or(|now| head(&now) != head(&definition));
        is_changed.then_some((definition, now))
    })
}

/// The names of a file's definitions that its new text lacks or gives another head.
///
/// Each name is returned once. Parses both texts.
///
/// Names of typed parameters are ignored: without a search for callers that pass them by name, most of their
/// changes affect no caller.
pub fn changed_names(path: &Path, grammar: &'static Grammar, old: &str, new: &str) -> Vec<String> {
    let symbols = |text: &str| {
        let workspace = Workspace::default();
        workspace.put(path, grammar, text);
        workspace.symbols(path).unwrap_or_default()
    };
    let (old, new) = (symbols(old), symbols(new));
    let is_seen = |it: &Definition<'_>, now: Option<Definition<'_>>| {
        now.is_none_or(|now| without_typed_names(&head(&now)) != without_typed_names(&head(it)))
    };
    let changed = changed_definitions(&old, Some(&new)).filter(|(it, now)| is_seen(it, *now));
    changed.map(|(it, _)| it.name).collect::<BTreeSet<_>>().into_iter().map(str::to_owned).collect()
}

/// The uses of a name in files other than `path`.
///
/// `None` if there are none, or if the name has several definitions.
///
/// The workspace must hold the files as they were. Blocks on disk reads.
pub fn uses_beside(
    workspace: &Workspace,
    path: &Path,
    grammar: &'static Grammar,
    name: &str,
) -> Option<LeftUses> {
    if workspace.definitions(grammar, name).len() > 1 {
        return None;
    }
    let uses = workspace.references(grammar, name, &|| false);
    let uses: Vec<_> = uses.iter().filter(|it| *it.path != *path).collect();
    let files = uses.iter().map(|it| &it.path).collect::<BTreeSet<_>>().len();
    (files > 0).then(|| LeftUses { name: name.to_owned(), uses: uses.len(), files })
}

/// The lines, from 1, on which a file's new text still uses a name whose definition it lost.
///
/// Empty if the text still defines that name, such as with another head: then the uses may be correct.
pub fn uses_within(path: &Path, grammar: &'static Grammar, new: &str, name: &str) -> Vec<usize> {
    let workspace = Workspace::default();
    workspace.put(path, grammar, new);
    let symbols = workspace.symbols(path).unwrap_or_default();
    if symbols.definitions().any(|it| it.name == name) {
        return Vec::new();
    }
    references_in(grammar, &path.into(), new, name).iter().map(|it| it.line + 1).collect()
}

/// The definition of the same kind and name, if any.
fn same<'a>(symbols: &'a FileSymbols, definition: &Definition<'_>) -> Option<Definition<'a>> {
    symbols.definitions().find(|it| it.name == definition.name && it.kind == definition.kind)
}

/// The part of a definition that callers see: its head from its name on, without whitespace.
///
/// For a type, this is its name.
fn head(definition: &Definition<'_>) -> String {
    if definition.kind.is_type() {
        return definition.name.to_owned();
    }
    let start = definition.signature.find(definition.name).unwrap_or(0);
    definition.signature[start..].split_whitespace().collect()
}

/// A head without the names before type annotations: `area(:u32)`.
fn without_typed_names(head: &str) -> String {
    let mut shown = String::with_capacity(head.len());
    for part in head.split_inclusive(':') {
        let Some(before) = part.strip_suffix(':').filter(|before| !before.is_empty()) else {
            shown.push_str(part);
            continue;
        };
        shown.push_str(before.trim_end_matches(ident::is_part));
        shown.push(':');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_of_a_name_that_is_defined_no_more_are_found() {
        let path = Path::new("a.rs");
        let grammar = crate::grammar::by_path(path).unwrap();
        let check = |new: &str, expected: &[usize]| {
            assert_eq!(uses_within(path, grammar, new, "area"), expected, "{new}");
        };
        check("fn size() {}\n\nfn f() {\n    area();\n    area();\n}\n", &[4, 5]);
        check("fn size() {}\n\nfn f() {\n    size();\n}\n// area()\n", &[]);
        check("fn area(w: u32) {}\n\nfn f() {\n    area(1);\n}\n", &[]);
    }

    #[test]
    fn definition_that_looks_different_to_its_users_is_named() {
        let old = "pub fn area(w: u32) -> u32 {\n    w\n}\n\nstruct Page {\n    width: u32,\n}\n";
        let check = |new: &str, expected: &[&str]| {
            let path = Path::new("a.rs");
            let grammar = crate::grammar::by_path(path).unwrap();
            assert_eq!(changed_names(path, grammar, old, new), expected, "{new}");
        };
        check(&old.replace("area", "surface"), &["area"]);
        check(&old.replace("w: u32)", "w: u32, h: u32)"), &["area"]);
        check(&old.replace("w: u32)", "w: u64)"), &["area"]);
        check(&old.replace("w: u32)", "width: u32)"), &[]);
        check(&old.replace("    w\n", "    w * w\n"), &[]);
        check(&old.replace("width", "breadth"), &[]);
        check(&old.replace("Page", "Leaf"), &["Page"]);
        check("", &["Page", "area"]);
    }
}
