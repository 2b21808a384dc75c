//! Recognizes a missing import that is uncertain: another one may be meant, or it lacks the member that is used.

use std::collections::HashSet;

use super::file_view::FileView;
use super::other_file::folder;
use crate::grammar::{Grammar, Modules};
use crate::local::syntax::{is_function, nodes_at};
use crate::text::ident;

/// How many modules are followed to find a circle, with [`LEADING`]; the lookup of each takes as long as the project has
/// files.
const MODULES: usize = 64;

/// The names that several packages of Go's library have: `math/rand` and `crypto/rand`.
const SHARED_PACKAGES: [&str; 4] = ["pprof", "rand", "scanner", "template"];
/// The words of import statements that are not names of files.
const LEADING: [&str; 8] = ["const", "crate", "from", "import", "self", "static", "super", "use"];

/// Whether a name is likelier something other than what a statement imports.
///
/// It is a misspelt import of this file, the module of the name or a name of the module (`datetime`), a class of this
/// file's package, a name of this file's folder, a variable in Rust or Go, or a package of Go whose name others have,
/// too.
pub(super) fn is_other_thing(
    file: &FileView<'_>,
    name: &str,
    statement: &str,
    behind: &str,
    at: usize,
) -> bool {
    let Some(grammar) = file.grammar() else { return false };
    let is_misspelt = || file.near(name).into_iter().any(|near| file.has_import(near, at));
    let member = behind.strip_prefix('.').map(ident::first_partial).unwrap_or_default();
    let is_kind = match grammar.facts().modules {
        Some(Modules::Python) => {
            let is_private = statement.split_whitespace().nth(1).is_some_and(|it| it.starts_with('_'));
            is_private || statement.starts_with("from ") && member == name
        }
        Some(Modules::Rust) => {
            let is_macro = behind.starts_with('!');
            let is_lower = name.starts_with(char::is_lowercase);
            let is_named = behind.starts_with("::") || is_macro;
            // `Sequence!` is a misspelt macro, not the trait that others import.
            statement.starts_with("use std::") && is_lower && !is_named || is_macro && !is_lower
        }
        Some(Modules::Go) => {
            let is_alias = || file.others().with_name(name).iter().any(|it| it.imports(name));
            member.is_empty() || SHARED_PACKAGES.contains(&name) || is_alias()
        }
        // The index of this file's folder has it from a file beside it, perhaps from this one.
        Some(Modules::Javascript) => {
            ["\".\"", "'.'", "\"./index", "'./index"].iter().any(|it| statement.contains(it))
        }
        Some(Modules::Java) => {
            let own = folder(file.id().as_str());
            let package =
                statement.trim_start_matches("import ").rsplit_once('.').map_or("", |(path, _)| path);
            !package.is_empty() && own.ends_with(&package.replace('.', "/"))
        }
        _ => false,
    };
    is_kind || is_misspelt()
}

/// Whether a function uses a name in lower case as a value, and no statement shows that it is a module: a parameter or a
/// variable of the function may have been renamed, whatever other files import under that name.
pub(super) fn is_value(file: &FileView<'_>, name: &str, statement: &str, at: usize) -> bool {
    let modules = file.grammar().and_then(|it| it.facts().modules);
    let is_module = match modules {
        Some(Modules::Python) => statement.starts_with("import ") || file.others().module(name).is_some(),
        Some(Modules::Javascript) => {
            let path = statement.split(['"', '\'']).nth(1).unwrap_or_default();
            !statement.contains('{') && path.rsplit([':', '/']).next() == Some(name) && !path.starts_with('.')
        }
        _ => return false,
    };
    let nodes = nodes_at(file, at);
    let is_called = nodes.get(1).and_then(|it| it.child_by_field_name("function")) == nodes.first().copied();
    let is_decorator = nodes.iter().any(|it| it.kind() == "decorator");
    name.starts_with(char::is_lowercase)
        && !is_module
        && !is_called
        && !is_decorator
        && nodes.iter().any(|it| is_function(*it))
}

/// Whether the project has something of a name that the library has, too. `behind` is the code behind the name.
pub(super) fn is_of_project(file: &FileView<'_>, name: &str, behind: &str) -> bool {
    let others = file.others();
    let is_defined = || !definers(file, name).is_empty();
    match has_packages(file) {
        true => others.has_folder(name),
        false => is_defined() || behind.starts_with('.') && others.module(name).is_some(),
    }
}

/// Whether a module that a statement imports lacks the member that is used of it.
pub(super) fn lacks_member(file: &FileView<'_>, statement: &str, behind: &str) -> bool {
    let member = behind.strip_prefix('.').map(ident::first_partial).filter(|it| !it.is_empty());
    let path = statement.strip_prefix("import ").map(|it| it.trim_matches('"'));
    let (Some(member), Some(path), Some(grammar)) = (member, path, file.grammar()) else { return false };
    let is_of_project = grammar.facts().modules == Some(Modules::Python);
    let known = || ident::names(path).next_back().and_then(|module| file.others().module(module));
    grammar.lacks_member(path, member)
        || is_of_project && known().is_some_and(|names| names.iter().all(|it| it != member))
}

/// Whether a name that a statement imports is defined in a file to which the statement does not lead.
pub(super) fn is_defined_elsewhere(file: &FileView<'_>, name: &str, statement: &str) -> bool {
    // The name is that of a package, and a definition of that name is not one.
    if has_packages(file) {
        return false;
    }
    let is_path = |it: char| ident::is_part(it) || "-@~".contains(it);
    let is_end = |it: &&str| !it.is_empty() && *it != name && !it.starts_with(['@', '~']);
    // `import { a } from "./b/c.js"`, `use crate::b::c::a`: the names of folders and of a file.
    let quoted = statement.split(['"', '\'']).nth(1).map(|it| it.trim_end_matches(".js"));
    let words = quoted.unwrap_or(statement).split(|it| !is_path(it)).filter(is_end);
    // The crate `a_b` is in `a-b/src`.
    let bare = |it: &str| it.replace('-', "_");
    let path: Vec<String> = words.filter(|it| !LEADING.contains(it)).map(bare).collect();
    let ends = &path[path.len().saturating_sub(2)..];
    let leads_to = |uri: &String| {
        let parts = uri.split('/').filter(|it| *it != "src");
        let parts: Vec<String> = parts.map(|it| bare(it.split('.').next().unwrap_or(it))).collect();
        parts.windows(ends.len().max(1)).any(|it| it == ends)
    };
    !ends.is_empty() && definers(file, name).iter().any(|uri| !leads_to(uri))
}

/// Whether a package of the project may import the one of this file, so that the statement closes a circle: no other
/// file of this one's package has it.
pub(super) fn may_close_circle(file: &FileView<'_>, name: &str, statement: &str) -> bool {
    let Some(path) = statement.strip_prefix("import ").map(|it| it.trim_matches('"')) else { return false };
    let last = path.rsplit('/').next().unwrap_or(path);
    let own = folder(file.id().as_str());
    let others = file.others();
    let is_imported = || {
        let beside = others.with_name(name);
        let mut paths = beside.iter().filter(|it| folder(it.uri()) == own).flat_map(|it| it.import_paths());
        paths.any(|it| it == path)
    };
    has_packages(file) && others.has_folder(last) && !is_imported()
}

/// Whether the module of a statement loads this file's one, directly or by others: the statement would close a circle.
///
/// Packages are judged by their folders.
pub(super) fn closes_circle(file: &FileView<'_>, statement: &str) -> bool {
    if file.grammar().is_none_or(|it| it.facts().modules != Some(Modules::Python)) {
        return false;
    }
    let (folder, own) = file.id().as_str().rsplit_once('/').unwrap_or_default();
    let own = match own.split('.').next().unwrap_or_default() {
        "__init__" => folder.rsplit('/').next().unwrap_or_default(),
        own => own,
    };
    // `from a.b import c`: `c` may be a module, too.
    let mut waiting: Vec<String> = ident::names(statement).map(str::to_owned).collect();
    let mut seen: HashSet<String> = LEADING.iter().map(|it| (*it).to_owned()).collect();
    while let Some(module) = waiting.pop() {
        if module == own {
            return true;
        }
        // A module's name is in lower case.
        let is_module = module.starts_with(|first: char| first.is_lowercase() || first == '_');
        if is_module && seen.len() < MODULES && seen.insert(module.clone()) {
            waiting.extend(file.loaded_by(&module).iter().cloned());
        }
    }
    false
}

/// The other files that define a name; of those that have it if they are too many, the nearest.
fn definers(file: &FileView<'_>, name: &str) -> Vec<String> {
    let others = file.others();
    let nearest = || {
        let near = others.with_name(name);
        near.iter().filter(|it| it.defines(name)).map(|it| it.uri().to_owned()).collect()
    };
    others.definers(name).unwrap_or_else(nearest)
}

/// Whether the files of a folder are a package.
fn has_packages(file: &FileView<'_>) -> bool {
    file.grammar().map(Grammar::facts).is_some_and(|it| it.folder_packages)
}
