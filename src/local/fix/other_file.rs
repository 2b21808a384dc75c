//! The imports and definitions of another file, in which a name missing from this one is looked up.

use std::collections::HashSet;
use std::sync::Arc;

use tree_sitter::Node;

use super::imports::{body, imports};
use crate::document::Document;
use crate::grammar::{Grammar, Match, Modules, QueryKind};
use crate::text::ident;

/// What the rules need of another file, without its tree.
#[derive(Debug)]
pub struct OtherFile {
    pub(super) grammar: Option<&'static Grammar>,
    uri: String,
    imports: Vec<OtherImport>,
    defined: HashSet<String>,
    /// Names of fields and methods.
    members: HashSet<String>,
    /// What is written `a.b`, also in strings: the path of what a test replaces. Only where imports are for others, too.
    paths: HashSet<(Box<str>, Box<str>)>,
}

/// One name that another file imports.
#[derive(Debug)]
struct OtherImport {
    /// The whole statement.
    statement: Arc<str>,
    path: String,
    name: Option<String>,
    /// The position in the statement where a list begins (bytes).
    brace: Option<usize>,
    /// Whether the name is in the list.
    is_listed: bool,
    /// Whether it is in a function or under a condition, as an import for types alone, against a circle or for one
    /// system.
    is_nested: bool,
}

impl OtherFile {
    /// Reads the imports and definitions of a file. Waits for the parse.
    pub fn read(document: &Document) -> Self {
        let text = |node: Node<'_>| document.slice(node.byte_range());
        let body = document.syntax().map(|tree| body(tree.root_node()));
        let mut last: Option<(usize, Arc<str>)> = None;
        let read = |it: Match<'_>| {
            let statement = match &last {
                Some((node, statement)) if *node == it.node.id() => Arc::clone(statement),
                _ => text(it.node).into(),
            };
            last = Some((it.node.id(), Arc::clone(&statement)));
            let brace = statement.find('{');
            let is_listed = brace
                .zip(it.name)
                .is_some_and(|(brace, name)| it.node.start_byte() + brace < name.start_byte());
            let path = it.path.map(text).unwrap_or_default();
            let is_inner = |around: Option<Node<'_>>| around.is_some_and(|it| it.parent().is_some());
            let is_nested = match document.grammar().and_then(|it| it.facts().modules) {
                Some(Modules::Python) => is_inner(it.node.parent()),
                Some(Modules::C) => it.node.parent() != body,
                _ => false,
            };
            OtherImport { statement, path, name: it.name.map(text), brace, is_listed, is_nested }
        };
        let imports = imports(document).into_iter().map(read).collect();
        let all = 0..document.text().len_bytes();
        let found = document.matches(QueryKind::Definitions, all);
        let named = |it: &Match<'_>| Some((it.kind, document.slice(it.name?.byte_range())));
        let (members, defined): (Vec<_>, Vec<_>) =
            found.iter().filter_map(named).partition(|(kind, _)| matches!(*kind, "field" | "method"));
        let names = |pairs: Vec<(&str, String)>| pairs.into_iter().map(|(_, name)| name).collect();
        Self {
            grammar: document.grammar(),
            uri: document.id().as_str().to_owned(),
            imports,
            defined: names(defined),
            members: names(members),
            paths: document
                .grammar()
                .filter(|it| it.facts().imports_reexport)
                .map_or_else(HashSet::new, |_| paths(&document.text().to_string())),
        }
    }

    /// The address of the file.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The name of its folder.
    pub fn folder_name(&self) -> Option<&str> {
        folder(&self.uri).rsplit_once('/').map(|(_, name)| name)
    }

    /// Whether it defines a name as something other than a field or method: `const a = require("a")` imports it.
    pub fn defines(&self, name: &str) -> bool {
        self.defined.contains(name) && !self.imports(name)
    }

    pub(super) fn imports(&self, name: &str) -> bool {
        self.imports.iter().any(|it| it.name.as_deref() == Some(name))
    }

    /// Whether it imports a name from a module whose path ends with a name.
    pub(super) fn imports_from(&self, module: &str, name: &str) -> bool {
        let ends =
            |path: &str| path.strip_suffix(module).is_some_and(|it| it.is_empty() || it.ends_with('.'));
        self.imports.iter().any(|it| it.name.as_deref() == Some(name) && ends(&it.path))
    }

    /// Whether it uses a name through a module, in code or in a string: `module.name`.
    pub(super) fn uses_through(&self, module: &str, name: &str) -> bool {
        self.paths
            .iter()
            .any(|(of, it)| **it == *name && (**of == *module || self.imports_from_alias(module, of)))
    }

    /// Whether it imports a module under an alias: `import a.module as alias`.
    fn imports_from_alias(&self, module: &str, alias: &str) -> bool {
        let is_of = |path: &str| ident::names(path).any(|it| it == module);
        self.imports.iter().any(|it| it.name.as_deref() == Some(alias) && is_of(&it.statement))
    }

    /// What it imports as it is loaded: the last part of each path, and each name.
    pub fn loads(&self) -> impl Iterator<Item = &str> {
        let top = self.imports.iter().filter(|it| !it.is_nested);
        top.flat_map(|it| ident::names(&it.path).next_back().into_iter().chain(it.name.as_deref()))
    }

    /// Whether it imports a module of this name, or from one.
    pub(super) fn names_module(&self, module: &str) -> bool {
        let is_end = |path: &str| ident::names(path).next_back() == Some(module);
        self.imports.iter().any(|it| is_end(&it.path) || it.name.as_deref() == Some(module))
    }

    /// The paths of its imports, without quotes.
    pub(super) fn import_paths(&self) -> impl Iterator<Item = &str> {
        self.imports.iter().map(|it| it.path.trim_matches(['"', '\'', '`', '<', '>']))
    }

    /// The paths of its imports under a condition, without quotes.
    pub(super) fn nested_paths(&self) -> impl Iterator<Item = &str> {
        let nested = self.imports.iter().filter(|it| it.is_nested);
        nested.map(|it| it.path.trim_matches(['"', '\'', '`', '<', '>']))
    }

    /// Whether it defines or imports a name.
    pub fn has(&self, name: &str) -> bool {
        self.names().any(|it| it == name)
    }

    /// The names that it defines, members included, or imports.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.exports().chain(self.members.iter().map(String::as_str))
    }

    /// The names that can be imported from it: what it defines, without members, or imports.
    pub fn exports(&self) -> impl Iterator<Item = &str> {
        let imported = self.imports.iter().filter_map(|it| it.name.as_deref());
        self.defined.iter().map(String::as_str).chain(imported)
    }

    /// The statements that import a name the way this file does, for use in a file of the folder `into`.
    pub(super) fn statements(&self, grammar: &Grammar, into: &str, name: &str) -> Vec<String> {
        let is_last_part =
            |path: &str| grammar.facts().folder_packages && path.rsplit('/').next() == Some(name);
        let forms = &grammar.facts().import_forms;
        let found = self.imports.iter().filter_map(|it| {
            let bare = it.path.trim_matches(['"', '\'', '`']);
            // A relative path is valid only in the same folder.
            let is_relative = bare.starts_with('.')
                || ["self", "super"].iter().any(|it| bare == *it || bare.starts_with(&format!("{it}::")));
            if it.is_nested || is_relative && folder(&self.uri) != into {
                return None;
            }
            let form = match &it.name {
                Some(known) if known == name => match it.brace {
                    None => &forms.named,
                    Some(_) if it.is_listed => &forms.listed,
                    Some(_) => &None,
                },
                None if (bare == name || is_last_part(bare)) && it.brace.is_none() => &forms.module,
                _ => &None,
            };
            // A statement with several names would bring in the others, too.
            let is_alone = || {
                let is_same = |other: &&OtherImport| Arc::ptr_eq(&other.statement, &it.statement);
                self.imports.iter().filter(is_same).count() == 1
            };
            let form = form.as_ref()?;
            if form.contains("$statement") && !is_alone() {
                return None;
            }
            statement(form, &it.statement, &it.path, name)
        });
        found.collect()
    }
}

/// Fills in the form of an import statement.
///
/// `None` if the other file's statement is of a special kind: one that renames, or that imports everything.
fn statement(form: &str, whole: &str, path: &str, name: &str) -> Option<String> {
    if whole.contains(" as ") || whole.contains('*') || form.contains("$path") && path.is_empty() {
        return None;
    }
    let whole = whole.trim();
    let end = if whole.ends_with(';') { ";" } else { "" };
    let fields =
        [("$statement", whole.trim_end_matches(';')), ("$end", end), ("$path", path), ("$name", name)];
    Some(fields.iter().fold(form.to_owned(), |form, (field, text)| form.replace(field, text)))
}

/// The folder part of a file's URI.
pub(super) fn folder(uri: &str) -> &str {
    uri.rsplit_once('/').map_or(uri, |(folder, _)| folder)
}

/// All pairs of names with a dot between them.
fn paths(text: &str) -> HashSet<(Box<str>, Box<str>)> {
    let words: Vec<(usize, &str)> = ident::words_with_dollars(text).collect();
    let is_path = |pair: &&[(usize, &str)]| {
        let [(end, _), (next, name)] = pair else { return false };
        text[*end..next - name.len()] == *"."
    };
    words.windows(2).filter(is_path).map(|pair| (pair[0].1.into(), pair[1].1.into())).collect()
}
