//! Carries a change of one open file to another: finds uses of a definition by name.
//!
//! A name alone proves nothing, since other files have things of the same name. It counts where the other file
//! refers to this one: by an import that names the file's module, or, in Go, by lying in the same folder. A
//! Rust crate's root is `crate` to its files, and the parent module is `super`.

mod methods;
mod path;

use std::ops::Range;

use tree_sitter::Node;

use super::limits::{IMPORTS_BYTES, REFERENCE_EDITS, REFERENCING_FILE_BYTES};
use super::repeat::change::{self, Change};
use super::repeat::role::{Role, Roles};
use super::repeat::{EditStep, sound};
use super::syntax::{is_prose, node_at};
use super::words::is_free_in;
use crate::document::Document;
use crate::edit::Edit;
use crate::edit::names::declares;
use crate::grammar::{Facts, Match, Modules, QueryKind};
use crate::text::ident::{self, is_name, is_part, occurrences};
use crate::text::words::blank_free;
pub use methods::{calls, rename_calls};

/// A definition that other files can use, and that an edit step changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Its current name.
    pub name: String,
    /// Its previous name, if the name changed.
    pub old: Option<String>,
    /// The byte offset of its name.
    pub at: usize,
    /// The type that owns it, if it is a method.
    pub owner: Option<String>,
}

/// The definition whose name or signature a step changed, so that other files may have to follow. Blocks on the
/// parse.
pub fn changed(document: &Document, step: &EditStep<'_>) -> Option<Changed> {
    let at = step.at?;
    if document.text().len_bytes() > REFERENCING_FILE_BYTES
        || step.new.is_empty()
        || step.old.trim().is_empty()
    {
        return None;
    }
    // A definition above may end within the line's indentation.
    let start = at + step.new.len() - step.new.trim_start().len();
    let lines = start..(at + step.new.len()).min(document.text().len_bytes());
    let definitions = document.matches(QueryKind::Definitions, lines.clone());
    let is_followed = |it: &&Match<'_>| match it.kind {
        "field" | "implementation" => false,
        "method" => true,
        _ => is_on_top(it.node),
    };
    let head = |it: &Match<'_>| match it.kind {
        // The bodies of these are visible to others.
        "struct" | "enum" | "interface" | "type" => it.node.byte_range(),
        _ => it.node.start_byte()..it.body.map_or(it.node.end_byte(), |body| body.start_byte()),
    };
    let one = definitions.iter().filter(is_followed).find(|it| {
        let head = head(it);
        head.start < lines.end && lines.start < head.end
    })?;
    let name = one.name?;
    let owner = if one.kind == "method" { owner(document, one.node) } else { None };
    if one.kind == "method" && owner.is_none() && !is_on_top(one.node) {
        return None;
    }
    let changes = change::changes(step);
    let renamed = changes
        .iter()
        .find(|change| change.at == Some(name.start_byte()) && is_name(change.old) && is_name(change.new));
    if let Some(change) = renamed {
        let old = change.old.to_owned();
        return Some(Changed { name: change.new.to_owned(), old: Some(old), at: name.start_byte(), owner });
    }
    // Parameter names are only visible in this file.
    let is_inner = |change: &Change<'_>| {
        let node = change.at.and_then(|at| node_at(document, at));
        is_name(change.old)
            && is_name(change.new)
            && node.is_some_and(|node| !node.kind().contains("type") && declares(node))
    };
    let is_bare = changes.is_empty() && blank_free(step.old) == blank_free(step.new);
    let is_comment = changes.iter().all(|change| change.at.is_some_and(|at| is_prose(document, at)));
    if is_bare || !changes.is_empty() && (is_comment || changes.iter().all(is_inner)) {
        return None;
    }
    Some(Changed { name: document.slice(name.byte_range()), old: None, at: name.start_byte(), owner })
}

/// Whether no node with a body encloses a definition.
fn is_on_top(node: Node<'_>) -> bool {
    let mut parent = node.parent();
    while let Some(it) = parent {
        if it.child_by_field_name("body").is_some() {
            return false;
        }
        parent = it.parent();
    }
    true
}

/// The type that a method belongs to.
pub(super) fn owner(document: &Document, method: Node<'_>) -> Option<String> {
    let text = |node: Node<'_>| document.slice(node.byte_range());
    let around = match method.child_by_field_name("receiver") {
        // Go has it in the method's head.
        Some(receiver) => text(receiver),
        None => text(std::iter::successors(method.parent(), Node::parent).find_map(|it| {
            it.child_by_field_name("body")?;
            it.child_by_field_name("type").or_else(|| it.child_by_field_name("name"))
        })?),
    };
    let bare = around.split(['<', '[']).next().unwrap_or_default();
    let name = ident::last_partial(bare.trim_end_matches(|it| !is_part(it))).to_owned();
    (!name.is_empty()).then_some(name)
}

/// A use of another file's definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// The byte offset.
    pub at: usize,
    /// Whether it only imports the name.
    pub is_import: bool,
}

/// The uses in `other` of the definition that `document` calls, or called, `name`: empty if they are not
/// certain. Blocks on the parse.
pub fn uses(document: &Document, other: &Document, name: &str) -> Vec<Use> {
    uses_of_either(document, other, name, name)
}

/// Like [`uses`], where some imports of `other` may have the name `new` already.
fn uses_of_either(document: &Document, other: &Document, name: &str, new: &str) -> Vec<Use> {
    let Some(facts) = facts_of_both(document, other) else { return Vec::new() };
    let text = other.text().to_string();
    if occurrences(&text, name).next().is_none() {
        return Vec::new();
    }
    let is_neighbour = facts.folder_packages && folder(document) == folder(other);
    let modules = modules(document, other, facts);
    let imports = imports(document, other, &text, &modules);
    // A full path needs no import.
    if imports.is_empty() && !is_neighbour && !modules.contains(&Module::Relative("crate")) {
        return Vec::new();
    }
    let brings = |it: &Match<'_>| match it.name {
        Some(node) => {
            [name, new].contains(&&text[node.byte_range()]) && is_of_item(document, other, it, &text)
        }
        // The whole file: C's `#include`, a star.
        None => facts.imports_whole_files || text[it.node.byte_range()].contains('*'),
    };
    let is_known = is_neighbour || imports.iter().any(brings);
    let within = |at: usize| imports.iter().find(|it| it.node.byte_range().contains(&at));
    let mut roles = Roles::new(other, &text, name);
    let mut uses = Vec::new();
    for at in occurrences(&text, name) {
        if let Some(import) = within(at) {
            let is_it = |it: &&Match<'_>| {
                it.node == import.node
                    && named_at(it) == Some(at..at + name.len())
                    && is_of_item(document, other, it, &text)
            };
            if imports.iter().any(|it| is_it(&it)) {
                uses.push(Use { at, is_import: true });
            }
            continue;
        }
        if is_prose(other, at) {
            continue;
        }
        let before = text[..at].trim_end();
        let receiver = before.strip_suffix("::").or_else(|| before.strip_suffix('.'));
        let is_ours = match receiver {
            Some(path) => modules.iter().any(|module| match module {
                Module::Named(name) => {
                    occurrences(path, name).any(|start| start + name.len() == path.len())
                        && (facts.modules != Some(Modules::Rust)
                            || path::ends_in(document, other, path, facts))
                }
                Module::Relative(name) => {
                    let rest = path.strip_suffix(name);
                    rest.is_some_and(|rest| !rest.ends_with(is_part) && !rest.ends_with("::"))
                        && (*name == "crate" || node_at(other, at).is_some_and(|node| !is_in_module(node)))
                }
            }),
            None if facts.arrow_members && before.ends_with("->") => false,
            // The file has its own definition of this name.
            None if roles.is_declared(at) => return Vec::new(),
            // A module of the same name.
            None if text[at + name.len()..].starts_with("::") && modules.iter().any(|it| it.is(name)) => {
                false
            }
            None => is_known && matches!(roles.at(at), Some(Role::Plain | Role::Short)),
        };
        if is_ours {
            uses.push(Use { at, is_import: false });
        }
    }
    uses
}

/// Whether `other` can refer to definitions of `document`.
fn knows(document: &Document, other: &Document, text: &str, facts: &Facts) -> bool {
    facts.folder_packages && folder(document) == folder(other)
        || !imports(document, other, text, &modules(document, other, facts)).is_empty()
}

/// The language facts of two files, if they are of one family and the second is not too large.
fn facts_of_both(document: &Document, other: &Document) -> Option<&'static Facts> {
    let (ours, theirs) = document.grammar().zip(other.grammar())?;
    let is_large = other.text().len_bytes() > REFERENCING_FILE_BYTES;
    (!is_large && ours.family() == theirs.family()).then_some(ours.facts())
}

/// The imports of a file that name one of `modules`.
fn imports<'d>(document: &Document, other: &'d Document, text: &str, modules: &[Module]) -> Vec<Match<'d>> {
    let of_module = |it: &Match<'_>| {
        let is_of_path = || {
            let facts = facts_of_both(document, other);
            facts.is_some_and(|facts| {
                paths(it, text, facts).iter().any(|it| path::leads_to(document, other, it, facts))
            })
        };
        modules.iter().any(|module| match module {
            Module::Named(_) => is_of_path(),
            // Every path may begin so: the imported name must come right after it.
            Module::Relative(name) => {
                (*name == "crate" || !is_in_module(it.node))
                    && path_of(it).is_some_and(|path| text[path.byte_range()] == **name)
            }
        })
    };
    other.matches(QueryKind::Imports, 0..IMPORTS_BYTES).into_iter().filter(of_module).collect()
}

/// Whether an import names something in the module of `document`, rather than the module as a whole or its default.
fn is_of_item(document: &Document, other: &Document, import: &Match<'_>, text: &str) -> bool {
    const WHOLE: [&str; 4] =
        ["import_clause", "import_require_clause", "namespace_import", "variable_declarator"];
    let around = import.name.and_then(|name| name.parent());
    let Some(facts) = facts_of_both(document, other) else { return false };
    let [of_item, whole] = paths(import, text, facts);
    // A file of Java is named after its type.
    let path = if facts.modules == Some(Modules::Java) { whole } else { of_item };
    !around.is_some_and(|it| WHOLE.contains(&it.kind())) && leads_to(document, other, &path, facts)
}

/// Whether a path leads to the module of `document`, or is one of those for its crate's root or its parent.
fn leads_to(document: &Document, other: &Document, path: &str, facts: &Facts) -> bool {
    path::leads_to(document, other, path, facts)
        || modules(document, other, facts)
            .iter()
            .any(|it| matches!(it, Module::Relative(name) if path == *name))
}

/// The path of what an import names: to its module, and with its name.
fn paths(import: &Match<'_>, text: &str, facts: &Facts) -> [String; 2] {
    let joint = if facts.modules == Some(Modules::Rust) { "::" } else { "." };
    let join = |path: &str, rest: &str| match path.is_empty() || path.ends_with(joint) {
        true => [path, rest].concat(),
        false => [path, joint, rest].concat(),
    };
    let mut path = String::new();
    if let Some(node) = path_of(import) {
        path = text[node.byte_range()].to_owned();
        for list in std::iter::successors(node.parent(), Node::parent) {
            let around = list.child_by_field_name("path").filter(|_| list.kind() == "scoped_use_list");
            // The path itself is that of its list.
            if let Some(around) = around.filter(|it| *it != node) {
                path = join(&text[around.byte_range()], &path);
            }
        }
    }
    // An inline module is a level of its own.
    if let Some(rest) = path.strip_prefix("super").filter(|_| is_in_module(import.node)) {
        path = format!("self{rest}");
    }
    let Some(name) = named_at(import) else { return [path.clone(), path] };
    if let Some(node) = path_of(import).filter(|it| it.byte_range().contains(&name.start)) {
        // With an alias, the path includes the name.
        let of_item = text[node.start_byte()..name.start].trim_end_matches([':', '.']).to_owned();
        return [of_item, path];
    }
    let whole = join(&path, &text[name]);
    [path, whole]
}

/// The range of the original name in an import, which may differ from the bound name.
fn named_at(import: &Match<'_>) -> Option<Range<usize>> {
    let alias = import.name.and_then(|name| name.parent()?.child_by_field_name("alias"));
    let is_aliased = alias.is_some_and(|alias| Some(alias) == import.name);
    let whole = import.original.or(if is_aliased { import.path } else { import.name })?;
    // For a path, its last segment.
    Some(whole.child_by_field_name("name").unwrap_or(whole).byte_range())
}

/// Whether `other` re-exports the definition that `document` calls `name`.
pub fn re_exports(document: &Document, other: &Document, name: &str) -> bool {
    let Some(facts) = facts_of_both(document, other) else { return false };
    let text = other.text().to_string();
    if occurrences(&text, name).next().is_none() {
        return false;
    }
    let stem = path::stem(other).filter(|_| facts.root_files.is_empty());
    let stands_for_folder = stem.is_some_and(|stem| facts.folder_files.iter().any(|it| it == stem));
    imports(document, other, &text, &modules(document, other, facts)).iter().any(|it| {
        let words = &text[it.node.byte_range()];
        let is_public = stands_for_folder || words.starts_with("pub") || words.starts_with("export");
        is_public && named_at(it).is_some_and(|at| text[at] == *name)
    })
}

/// The edits in `other` that follow from renaming a definition of `document` from `old` to `new`.
pub fn rename(document: &Document, other: &Document, old: &str, new: &str) -> Vec<Edit> {
    let Some(facts) =
        facts_of_both(document, other).filter(|_| [old, new].iter().all(|name| is_free_in(other, name)))
    else {
        return Vec::new();
    };
    let declares = |document: &Document, text: &str, name: &str, is_own: &dyn Fn(usize) -> bool| {
        let mut roles = Roles::new(document, text, name);
        occurrences(text, name).any(|at| is_own(at) && roles.is_declared(at))
    };
    let (text, there) = (document.text().to_string(), other.text().to_string());
    // An import that was already renamed, unlike the rest of its file.
    let renamed: Vec<Range<usize>> = imports(document, other, &there, &modules(document, other, facts))
        .iter()
        .filter_map(named_at)
        .collect();
    let is_own = |at: usize| !renamed.iter().any(|it| it.start == at);
    // The name may refer to another definition of the old name, or the new name may be taken.
    if declares(document, &text, old, &|_| true) || declares(other, &there, new, &is_own) {
        return Vec::new();
    }
    let uses = uses_of_either(document, other, old, new);
    if uses.is_empty() || uses.len() > REFERENCE_EDITS {
        return Vec::new();
    }
    let mut roles = Roles::new(other, &there, old);
    let edit = |it: &Use| {
        let is_short = roles.at(it.at) == Some(Role::Short);
        Edit::new(it.at..it.at + old.len(), if is_short { format!("{old}: {new}") } else { new.to_owned() })
    };
    sound(other, uses.iter().map(edit).collect())
}

/// A name by which another file refers to a file's module.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Module {
    /// Its name, anywhere in a path.
    Named(String),
    /// A whole path from the other file: `crate`, `super`.
    Relative(&'static str),
}

impl Module {
    fn is(&self, name: &str) -> bool {
        matches!(self, Self::Named(own) if own == name)
    }
}

/// The names by which `other` can refer to a file: its stem, or the name of its folder.
fn modules(document: &Document, other: &Document, facts: &Facts) -> Vec<Module> {
    let (Some(ours), Some(theirs)) = (path::stem(document), path::stem(other)) else { return Vec::new() };
    let place = folder(document);
    let last = |folder: &str| folder.rsplit('/').next().unwrap_or_default().to_owned();
    let is_root = |stem: &str| facts.root_files.iter().any(|it| it == stem);
    let is_of_folder = |stem: &str| is_root(stem) || facts.folder_files.iter().any(|it| it == stem);
    let stands_for_folder = facts.folder_packages || is_of_folder(ours);
    let mut modules = Vec::new();
    if is_root(ours) {
        // A library has its package's name, usually that of the folder around its sources.
        if let Some(package) = place.strip_suffix("/src").filter(|_| ours == "lib") {
            modules.push(Module::Named(last(package).replace('-', "_")));
        }
        if folder(other).strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            modules.push(Module::Relative("crate"));
        }
    } else if !stands_for_folder {
        modules.push(Module::Named(ours.to_owned()));
    } else if !["src", "lib", ""].contains(&last(place).as_str()) {
        // The sources as a whole have another name where they are used.
        modules.push(Module::Named(last(place)));
    }
    let inside = if is_of_folder(ours) { place.to_owned() } else { format!("{place}/{ours}") };
    if !facts.root_files.is_empty() && folder(other) == inside && !is_of_folder(theirs) {
        modules.push(Module::Relative("super"));
    }
    modules
}

/// The path right before an imported name.
fn path_of<'t>(import: &Match<'t>) -> Option<Node<'t>> {
    let around = import.name.and_then(|name| name.parent()).filter(|it| it.kind() == "scoped_identifier");
    around.and_then(|it| it.child_by_field_name("path")).or(import.path)
}

/// Whether a node is in an inline module.
fn is_in_module(node: Node<'_>) -> bool {
    let mut parent = node.parent();
    while let Some(it) = parent {
        if it.kind() == "mod_item" {
            return true;
        }
        parent = it.parent();
    }
    false
}

fn folder(document: &Document) -> &str {
    let uri = document.id().as_str();
    uri.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests;
