//! Uses of definitions that are gone, or whose signature changed.
//!
//! A use counts if it is known to refer to the definition: by an import, by the file, by the package. After a
//! receiver of unknown type it counts if no other method with that name is known.

mod old_call;

use std::collections::HashMap;
use std::path::Path;

use tree_sitter::Node;

use super::touched::is_visible;
use super::{Check, Finding, Parsed, Problem};
use crate::assist::calls::{Call, Signature};
use crate::edit::edit_set::FileEdit;
use crate::grammar::{Grammar, Modules, QueryKind};
use crate::text::ident::{self, occurrences};
use crate::workspace::{Definition, FileSymbols, Kind, Mention, Why, Workspace, symbols_of};

/// Limit on the reported uses of one definition.
const MOST_USES: usize = 5;
/// The same where they are counted.
const MOST_COUNTED: usize = 200;
/// File extensions of languages that share their classes with Java.
const BESIDE_JAVA: [&str; 4] = ["kt", "kts", "scala", "groovy"];

/// A definition that the change removes or gives another signature.
struct Changed<'a> {
    grammar: &'static Grammar,
    name: &'a str,
    /// Its file before and after the change.
    old_path: &'a Path,
    path: Option<&'a Path>,
    /// Whether it is accessed through a value or a type.
    is_member: bool,
    /// Its parameters before, if they are known.
    signature: Option<Signature>,
}

/// A use of a changed name in a file of a workspace.
struct Use<'t> {
    workspace: &'t Workspace,
    path: &'t Path,
    parsed: &'t Parsed,
    name: Node<'t>,
    call: Option<&'t Call<'t>>,
}

impl Check<'_> {
    pub(super) fn uses(&self) -> Vec<Finding> {
        self.set.files().iter().flat_map(|file| self.uses_of(file).unwrap_or_default()).collect()
    }

    /// Uses of the definitions of one file of the set; `None` if it had none.
    fn uses_of(&self, file: &FileEdit) -> Option<Vec<Finding>> {
        let old_path = self.project.place(&file.path);
        let old = Parsed::new(Path::new(&file.path), file.old_text()?)?;
        let symbols = self.before.symbols(&old_path)?;
        let path = file.new_path().map(|path| self.project.place(path));
        let new = file.new_path().zip(file.new_text());
        // The definitions of a text that is not parsed in time, or has syntax errors, are unknown.
        let new = match new {
            Some((path, text)) => Some(Parsed::new(Path::new(path), &text).filter(Parsed::is_sound)?),
            None => None,
        };
        let new_symbols = new.as_ref().map(|new| symbols_of(new.grammar, &new.tree, &new.text));
        let new_symbols = new_symbols.unwrap_or_default();
        let now: HashMap<(Kind, &str), Definition<'_>> =
            new_symbols.definitions().map(|it| ((it.kind, it.name), it)).collect();
        let mut findings = Vec::new();
        for definition in symbols.definitions().filter(|it| is_looked_at(&symbols, it)) {
            if definitions(self.before, old.grammar, definition.name) != 1 {
                continue;
            }
            let now = now.get(&(definition.kind, definition.name));
            let changed = Changed {
                grammar: old.grammar,
                name: definition.name,
                old_path: &old_path,
                path: path.as_deref(),
                is_member: is_member(&symbols, &definition),
                signature: old.signature(&definition),
            };
            match (now, &new) {
                (Some(now), Some(new)) => {
                    if let Some((was, is)) = changed.signature.as_ref().zip(new.signature(now))
                        && *was != is
                        && definitions(self.after, old.grammar, definition.name) == 1
                    {
                        findings.extend(self.old_calls(&changed, was, &is, now.signature));
                    }
                }
                _ if definitions(self.after, old.grammar, definition.name) == 0
                    && new_symbols.definitions().all(|it| it.name != definition.name) =>
                {
                    findings.extend(self.uses_of_gone(&changed));
                }
                _ => {}
            }
        }
        Some(findings)
    }

    fn most_uses(&self) -> usize {
        if self.counts_uses { MOST_COUNTED } else { MOST_USES }
    }

    /// Uses of definitions that are gone.
    ///
    /// In the definition's own file they are names without a declaration.
    fn uses_of_gone(&self, changed: &Changed<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.is_elsewhere(changed) {
            return findings;
        }
        self.each_use(self.after, changed, &mut |it| {
            let is_reported = !self.counts_uses
                && changed.path == Some(it.path)
                && it.is_bare()
                && it.parsed.grammar.has_global("").is_some();
            let was = Use { workspace: self.before, ..*it };
            if !is_reported && self.is_meant(changed, &was) && self.is_kept(it.path, changed) {
                findings.push(self.finding(it.path, it.line(), Problem::Gone(changed.name.to_owned())));
            }
            findings.len() < self.most_uses()
        });
        findings
    }

    /// Whether a changed file in a language that shares classes with Java has the name, such as a port to Kotlin.
    fn is_elsewhere(&self, changed: &Changed<'_>) -> bool {
        let is_beside_java = |path: &str| {
            let ending = Path::new(path).extension();
            ending.is_some_and(|it| BESIDE_JAVA.iter().any(|beside| it == *beside))
        };
        let files = self.set.files().iter().filter_map(|file| file.new_path().zip(file.new_text()));
        changed.grammar.facts().modules == Some(Modules::Java)
            && files
                .filter(|(path, _)| is_beside_java(path))
                .any(|(_, text)| occurrences(&text, changed.name).next().is_some())
    }

    /// Whether a file imports a name from the same path as before, if it imports it.
    fn is_kept(&self, path: &Path, changed: &Changed<'_>) -> bool {
        let from = |symbols: &FileSymbols| -> Vec<String> {
            let imports = symbols.imports().filter(|it| it.name == changed.name);
            imports.map(|it| it.path.to_owned()).collect()
        };
        let before = self.before.symbols(path).map(|it| from(&it));
        let after = self.after.symbols(path).map(|it| from(&it));
        before.is_none() || before == after
    }

    /// Calls that matched the old parameters, and do not match the new ones.
    fn old_calls(&self, changed: &Changed<'_>, was: &Signature, is: &Signature, now: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        self.each_use(self.after, changed, &mut |it| {
            if let Some(call) = it.call
                && let Some(problem) = old_call::problem(was, is, call, it.parsed, changed.name, now)
                && self.is_meant(changed, it)
            {
                findings.push(self.finding(it.path, it.line(), problem));
            }
            findings.len() < self.most_uses()
        });
        findings
    }

    /// Visits the uses of a name until `visit` returns false.
    fn each_use(
        &self,
        workspace: &Workspace,
        changed: &Changed<'_>,
        visit: &mut dyn FnMut(&Use<'_>) -> bool,
    ) {
        for (path, grammar) in workspace.files_with(changed.grammar, changed.name) {
            let Some(parsed) = self.parsed(workspace, &path) else { continue };
            let text = parsed.text.as_str();
            let root = parsed.tree.root_node();
            let uses = grammar.matches(QueryKind::References, root, 0..text.len(), text.as_bytes());
            for name in uses.into_iter().filter_map(|it| it.name) {
                if text.get(name.byte_range()) != Some(changed.name) {
                    continue;
                }
                let call = Call::of(name, text);
                if !visit(&Use { workspace, path: &path, parsed: &parsed, name, call: call.as_ref() }) {
                    return;
                }
            }
        }
    }

    /// Whether a use refers to the definition, as far as the files of a workspace show.
    fn is_meant(&self, changed: &Changed<'_>, it: &Use<'_>) -> bool {
        let Changed { grammar, old_path, is_member, .. } = *changed;
        let Use { path, parsed, .. } = *it;
        let is_own = path == old_path || Some(path) == changed.path;
        let facts = grammar.facts();
        let is_beside = facts.folder_packages && path.parent() == old_path.parent();
        // `ssl.Context` is the library's, even in a file that has its own `Context`.
        if let Some(first) = it.qualifier()
            && parsed.names().imports(first)
            && (is_member || !facts.folder_packages)
            && !it.is_project_import(first)
        {
            return false;
        }
        let Some(receiver) = it.call.and_then(|call| call.receiver) else {
            let is_bare_member = is_member && !facts.implicit_receiver;
            let is_known = it.is_bare() && (is_own || is_beside && !parsed.names().has(changed.name));
            let is_open_language = grammar.has_global("").is_none() && facts.modules.is_none();
            return !is_bare_member && (is_known || is_open_language || it.leads_to(changed));
        };
        let words = &parsed.text[receiver.byte_range()];
        let first = first_word(words);
        match is_member {
            true if matches!(words, "self" | "this" | "cls" | "Self") => is_own,
            // The superclass is unknown, but it is not the class itself.
            true if first == "super" => false,
            true => self.is_only_method(changed),
            false => {
                let is_module = parsed.names().imports(first) || matches!(first, "crate" | "super" | "self");
                is_module && it.leads_to(changed)
            }
        }
    }

    /// Whether no other method with that name is known: the language's library has none, and every earlier call of
    /// it fits the parameters of this one.
    fn is_only_method(&self, changed: &Changed<'_>) -> bool {
        let Some(signature) = &changed.signature else { return false };
        let mut is_only = !changed.grammar.has_in_library(changed.name);
        if is_only {
            self.each_use(self.before, changed, &mut |it| {
                is_only = it.call.is_none_or(|call| signature.fits(call));
                is_only
            });
        }
        is_only
    }
}

impl<'t> Use<'t> {
    /// Whether the import of a name in a file leads into the project.
    fn is_project_import(&self, name: &str) -> bool {
        let Some(symbols) = self.workspace.symbols(self.path) else { return false };
        symbols.imports().any(|it| it.name == name && !self.workspace.imported(self.path, &it).is_empty())
    }

    /// Whether the best match of a name is the definition, and not by its name alone.
    fn leads_to(&self, changed: &Changed<'_>) -> bool {
        let Self { workspace, path, parsed, .. } = *self;
        let at = self.name.start_byte();
        let line = parsed.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = &parsed.text[line..at];
        let mention = Mention { path, grammar: parsed.grammar, before, name: changed.name, at };
        let found = workspace.resolve(mention);
        let is_found = found.first().is_some_and(|it| {
            let place: &Path = it.place.path();
            let is_certain = match it.why {
                Why::Workspace => false,
                Why::SameFolder => parsed.grammar.facts().folder_packages,
                _ => true,
            };
            is_certain && (place == changed.old_path || Some(place) == changed.path)
        });
        is_found || self.is_named_after(changed, before)
    }

    /// Whether a file imports or qualifies the name with a module that is named like the definition's file.
    ///
    /// This applies if the root of a project's modules is unknown.
    fn is_named_after(&self, changed: &Changed<'_>, before: &str) -> bool {
        let stem = changed.old_path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
        let is_last = |module: &str| ident::words(module).next_back() == Some(stem);
        let is_path = before.strip_suffix("::").is_some_and(is_last);
        let imports = self.workspace.symbols(self.path).unwrap_or_default();
        let mut imports = imports.imports().filter(|it| it.name == changed.name);
        is_path || imports.any(|it| is_last(it.path) && self.workspace.imported(self.path, &it).is_empty())
    }

    fn line(&self) -> Option<usize> {
        Some(self.name.start_position().row)
    }

    /// Whether the name is unqualified.
    fn is_bare(&self) -> bool {
        self.path().is_none() && self.call.is_none_or(|call| call.receiver.is_none())
    }

    /// The path that ends with the name, if there is one.
    fn path(&self) -> Option<Node<'t>> {
        self.name.parent().filter(|above| {
            let is_last = ["name", "attribute", "property", "field"];
            let is_last = is_last.iter().any(|field| above.child_by_field_name(field) == Some(self.name));
            is_last
                && ["scoped", "attribute", "member", "selector", "field_expression", "qualified"]
                    .iter()
                    .any(|it| above.kind().contains(it))
        })
    }

    /// The first word of the qualifier: `a` in `a.b.name`.
    fn qualifier(&self) -> Option<&'t str> {
        let receiver = self.call.and_then(|call| call.receiver);
        let before = receiver.map(|it| it.byte_range());
        let before = before.or_else(|| Some(self.path()?.start_byte()..self.name.start_byte()))?;
        self.parsed.text.get(before).map(first_word)
    }
}

/// The number of definitions of a name, besides modules: a module is often named after what it defines.
fn definitions(workspace: &Workspace, grammar: &Grammar, name: &str) -> usize {
    let found = workspace.definitions(grammar, name);
    found.iter().filter(|it| it.definition().kind != Kind::Module).count()
}

fn first_word(path: &str) -> &str {
    path.split(['.', ':', '(', '[', '<']).next().unwrap_or_default()
}

/// Whether the uses of a definition are looked at.
fn is_looked_at(symbols: &FileSymbols, definition: &Definition<'_>) -> bool {
    let is_used = definition.kind.is_callable() || definition.kind.is_type();
    is_used && definition.kind != Kind::Implementation && is_visible(symbols, definition)
}

fn is_member(symbols: &FileSymbols, definition: &Definition<'_>) -> bool {
    let parent = definition.parent.and_then(|at| symbols.definition(at));
    definition.kind.is_member() || parent.is_some_and(|it| it.kind.is_type() && !definition.kind.is_type())
}
