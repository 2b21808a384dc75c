//! Recognizes imports that the program needs although a tool calls them unused.
//!
//! Tools see no names in documentation, in the text of a type or in code that the build leaves out, and no effect of
//! loading a module.

use std::sync::Arc;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::meant::is_member;
use super::other_file::OtherFile;
use crate::edit::Edit;
use crate::grammar::{Facts, Grammar, Match, Modules};
use crate::local::limits::SCOPE_PLACES;
use crate::local::syntax::{is_function, is_prose, node_at};
use crate::text::ident;

/// The packages with which drivers and formats register that are imported for nothing else.
const REGISTRIES: [&str; 2] = ["\"database/sql\"", "\"image\""];
/// Names that a compiler puts into the code of elements such as `<a />`.
const ELEMENT_NAMES: [&str; 4] = ["Fragment", "React", "h", "jsx"];

/// Whether a fix removes an import that has a use, or may have a use or an effect that the tool does not see.
pub(super) fn removes_needed(file: &FileView<'_>, fix: &Fix) -> bool {
    if !matches!(fix.kind, Kind::UnusedImport | Kind::OfTool) {
        return false;
    }
    let is_kept = |name: &str| fix.edits.iter().any(|edit| ident::has_word(&edit.text, name));
    let is_edited = |at: usize| fix.edits.iter().any(|edit| edit.span.contains(&at));
    let is_needed =
        |name: &String| !is_kept(name) && (is_used(file, name, is_edited) || is_for_others(file, name));
    let removed = |edit: &Edit| {
        let all = file.imports();
        let at = |bound: usize| all.partition_point(|it| it.identifying_node().start_byte() < bound);
        all.get(at(edit.span.start)..at(edit.span.end)).unwrap_or_default()
    };
    let is_gone = |it: &&Match<'_>| !is_kept(&file.slice(it.identifying_node().byte_range()));
    // A second statement of the same text keeps what the first one imports.
    let is_repeated = |edit: &Edit| {
        let line = file.slice(edit.span.clone());
        let is_same = |at: &usize| {
            let start = file.line_start(*at);
            let other = file.slice(start..file.next_line_start(start));
            !is_edited(*at) && file.is_import(*at) && other.trim_end() == line.trim_end()
        };
        let places = ident::names(&line).next_back().and_then(|name| file.names().get(name));
        let is_top = edit.text.is_empty() && !line.starts_with(char::is_whitespace);
        is_top && places.is_some_and(|it| it.iter().take(SCOPE_PLACES).any(is_same))
    };
    if fix.edits.iter().all(is_repeated) {
        return false;
    }
    let facts = file.grammar().map(Grammar::facts);
    fix.removes.iter().any(is_needed)
        || facts.is_some_and(|facts| {
            let mut gone = fix.edits.iter().flat_map(removed).filter(is_gone);
            gone.any(|it| acts(file, facts, it) || unloads(file, facts, it, is_edited))
        })
}

/// Whether a name occurs outside the imports and the given places: in code as other than a member, or in prose.
///
/// The report is then about another version of the text, the name refers to something else, or a tool reads it that
/// did not make the report: of documentation, or of types in strings.
fn is_used(file: &FileView<'_>, name: &str, is_edited: impl Fn(usize) -> bool) -> bool {
    let is_use = |at: &usize| {
        let kind = node_at(file, *at).map_or("", |it| it.kind());
        let is_key = ["property_identifier", "field_identifier"].contains(&kind);
        let is_name = kind.contains("identifier") && !is_key || is_prose(file, *at);
        is_name && !is_edited(*at) && !is_member(file, *at) && !file.is_import(*at)
    };
    let places = file.names().get(name);
    places.is_some_and(|it| it.len() > SCOPE_PLACES || it.iter().any(is_use))
}

/// Whether other files may use a name of this one, which imports it: a tool or other files read all names of the file,
/// or another file does import it from a module of this name, or uses it through one.
fn is_for_others(file: &FileView<'_>, name: &str) -> bool {
    let Some(facts) = file.grammar().map(Grammar::facts).filter(|it| it.imports_reexport) else {
        return false;
    };
    let (_, own) = file.id().as_str().rsplit_once('/').unwrap_or_default();
    let own = own.split('.').next().unwrap_or_default();
    let is_read = facts.folder_files.iter().chain(&facts.collected_files).any(|it| it == own);
    let is_of_other = |it: &Arc<OtherFile>| it.imports_from(own, name) || it.uses_through(own, name);
    is_read || file.others().with_name(name).iter().any(is_of_other)
}

/// Whether a module is no longer loaded: by a call, `const a = require("a")`; or one of a Python project, which other
/// imports of it may load, such as models that register themselves.
fn unloads(
    file: &FileView<'_>,
    facts: &Facts,
    import: &Match<'_>,
    is_edited: impl Fn(usize) -> bool,
) -> bool {
    let path = import.path.filter(|it| is_edited(it.start_byte())).map(|it| file.slice(it.byte_range()));
    let Some(path) = path else { return false };
    match facts.modules {
        Some(Modules::Javascript) => {
            import.node.kind().ends_with("_declaration") && !is_effect_free(file, facts, &path)
        }
        Some(Modules::Python) => {
            let is_other = |it: &Match<'_>| {
                let loads = it.path.is_some_and(|it| file.slice(it.byte_range()) == path);
                loads && !is_edited(it.node.start_byte())
            };
            let is_of_project = |module: &str| {
                let others = file.others();
                others.module(module).is_some()
                    && !others.with_name(module).iter().any(|it| it.names_module(module))
            };
            !file.imports().iter().any(is_other) && ident::names(&path).next_back().is_some_and(is_of_project)
        }
        _ => false,
    }
}

/// Whether an import may do something although nothing names it.
fn acts(file: &FileView<'_>, facts: &Facts, import: &Match<'_>) -> bool {
    let path = import.path.map(|it| file.slice(it.byte_range())).unwrap_or_default();
    let is_effect_free = is_effect_free(file, facts, &path);
    is_exported(file, import)
        // `__future__` and its misspellings.
        || path.starts_with("__")
        || facts.effect_modules.contains(&path)
        || is_driver(file, facts, &path)
        || is_module_of_project(file, facts, import)
        || is_of_elements(file, facts, import)
        || is_nested(facts, import, is_effect_free)
        || has_hidden_uses(file, facts, import, is_effect_free)
}

/// Whether loading a module of the library has no effect, and, in Rust, no name of it is a trait.
pub(super) fn is_effect_free(file: &FileView<'_>, facts: &Facts, path: &str) -> bool {
    let path = path.strip_prefix("node:").unwrap_or(path);
    let package = format!("{}.", ident::first_partial(path));
    let is_of_library = || file.grammar().is_some_and(|it| it.provider(&package).is_some());
    facts.effect_free_modules.iter().any(|it| it == path) || is_of_library()
}

/// Whether an import says that it is for other files: `pub use a::b`, `from a import b as b`; or that it links a
/// library: `extern crate a`.
fn is_exported(file: &FileView<'_>, import: &Match<'_>) -> bool {
    let statement = file.slice(import.node.byte_range());
    let entry = import.name.and_then(|it| it.parent()).map(|it| file.slice(it.byte_range()));
    let renamed = entry.as_deref().and_then(|it| it.split_once(" as "));
    ["pub ", "pub(", "extern "].iter().any(|it| statement.starts_with(it))
        || renamed.is_some_and(|(original, name)| original.trim() == name.trim())
}

/// Whether a package from elsewhere may register itself as a driver or a format.
fn is_driver(file: &FileView<'_>, facts: &Facts, path: &str) -> bool {
    let is_of_other_host = path.split('/').next().is_some_and(|it| it.contains('.'));
    facts.folder_packages && is_of_other_host && REGISTRIES.iter().any(|it| file.contents().contains(it))
}

/// Whether a module of the project is imported as a whole, perhaps since it registers something:
/// `from app import views`.
fn is_module_of_project(file: &FileView<'_>, facts: &Facts, import: &Match<'_>) -> bool {
    let name = import.name.or(import.path).map(|it| file.slice(it.byte_range())).unwrap_or_default();
    let name = name.rsplit('.').next().unwrap_or(&name);
    facts.modules == Some(Modules::Python) && file.others().module(name).is_some()
}

/// Whether the code of the file's elements uses the import once it is compiled.
fn is_of_elements(file: &FileView<'_>, facts: &Facts, import: &Match<'_>) -> bool {
    let is_one = |name: String| ELEMENT_NAMES.contains(&name.as_str());
    facts.modules == Some(Modules::Javascript)
        && import.name.is_some_and(|it| is_one(file.slice(it.byte_range())))
        && ["</", "/>"].iter().any(|sign| file.contents().contains(sign))
}

/// Whether a module is loaded under a condition, which may test that it exists, or in a function, for its effect.
fn is_nested(facts: &Facts, import: &Match<'_>, is_effect_free: bool) -> bool {
    let has_effects = matches!(facts.modules, Some(Modules::Python | Modules::Javascript));
    let around = import.node.parent().and_then(|block| block.parent());
    has_effects && around.is_some_and(|it| !(is_function(it) && is_effect_free))
}

/// Whether the file has code that may use the import without its name: that this build leaves out, or that Rust's
/// compiler could not resolve.
///
/// There a method, an associated function or a macro needs the import of a trait, which stays while one is unresolved;
/// anything else of Rust is named.
fn has_hidden_uses(file: &FileView<'_>, facts: &Facts, import: &Match<'_>, is_effect_free: bool) -> bool {
    let is_lower = |name: String| name.starts_with(char::is_lowercase);
    let is_of_no_trait =
        || is_effect_free || import.name.is_some_and(|it| is_lower(file.slice(it.byte_range())));
    let is_named = || facts.modules == Some(Modules::Rust) && is_of_no_trait() && !has_left_out_file(file);
    let is_unresolved = || facts.modules == Some(Modules::Rust) && file.has_unresolved();
    (facts.hidden_use_marks.iter().any(|mark| has_mark(file, mark)) || is_unresolved()) && !is_named()
}

/// Whether the code has a mark that is not part of a longer name or path.
fn has_mark(file: &FileView<'_>, mark: &str) -> bool {
    let text = file.contents();
    let bare = mark.trim_start_matches('.');
    let is_whole = |at: &usize| {
        let is_path = text[..*at].ends_with('.');
        text[*at..].starts_with(bare) && is_path == (bare.len() < mark.len()) && !is_prose(file, *at)
    };
    file.names().get(ident::first_partial(bare)).is_some_and(|places| places.iter().any(is_whole))
}

/// Whether a condition of the build is that of a module in a file of its own: `#[cfg(test)] mod tests;`.
fn has_left_out_file(file: &FileView<'_>) -> bool {
    let text = file.contents();
    let is_one = |at: &usize| {
        let start = file.line_start(*at);
        let mut above = text[..start].lines().rev().map(str::trim).take_while(|it| it.starts_with("#["));
        let is_conditional = |line: &str| line.starts_with("#[cfg");
        text[*at..].lines().next().is_some_and(|it| it.trim_end().ends_with(';'))
            && (is_conditional(text[start..*at].trim_start()) || above.any(is_conditional))
    };
    file.names().get("mod").is_some_and(|places| places.iter().any(is_one))
}
