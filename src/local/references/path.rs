//! Whether the path of an import leads to a file.
//!
//! Files in different folders may have one name, so a path counts as far as it goes: it must name the folders that
//! lie between the file and the nearest folder that the importing file shares with it.

use crate::document::Document;
use crate::grammar::{Facts, Modules};
use crate::text::ident::is_part;

/// Folders of sources, which paths leave out.
const SOURCES: [&str; 2] = ["src", "lib"];

/// Whether `path`, as an import of `other` writes it, leads to the module of `document`.
pub(super) fn leads_to(document: &Document, other: &Document, path: &str, facts: &Facts) -> bool {
    let (module, from) = (module_of(document, facts), folders(other));
    let path = path.trim_matches(['"', '\'', '<', '>']);
    match facts.modules {
        Some(Modules::Javascript) if path.starts_with('.') => {
            let steps = path.split('/').map(|it| match it.split('.').next() {
                Some(stem) if !stem.is_empty() => stem,
                _ => it,
            });
            let mut target = joined(&from, steps);
            target.pop_if(|last| !path.ends_with('.') && is_of_folder(last, facts));
            target == module
        }
        Some(Modules::Python) if path.starts_with('.') => {
            let rest = path.trim_start_matches('.');
            let ups = std::iter::repeat_n("..", path.len() - rest.len() - 1);
            joined(&from, ups.chain(rest.split('.').filter(|it| !it.is_empty()))) == module
        }
        Some(Modules::Rust) => rust(&module, other, path, facts),
        Some(Modules::C) => {
            let parts = path.split('/').filter(|it| !it.starts_with('.') && !it.is_empty());
            let parts: Vec<&str> = parts.map(|it| it.split('.').next().unwrap_or_default()).collect();
            !parts.is_empty() && module.ends_with(&parts)
        }
        Some(Modules::Java) => module.ends_with(&path.split('.').collect::<Vec<_>>()),
        _ => {
            let parts = path.split(['/', '.']).filter(|it| !it.is_empty() && !it.starts_with(['@', '~']));
            let parts: Vec<&str> = match facts.modules {
                // A host's name has dots.
                Some(Modules::Go) => path.split('/').collect(),
                _ => parts.collect(),
            };
            let shared = module.iter().zip(&from).take_while(|(one, other)| one == other).count();
            let own: Vec<&str> =
                module[shared..].iter().copied().filter(|it| !SOURCES.contains(it)).collect();
            let is_named = parts.ends_with(&own) && !parts.is_empty();
            // The root of a Go module has a name of its own, as has that of a script's paths.
            let is_whole = facts.modules != Some(Modules::Python) || module.ends_with(&parts);
            is_named && is_whole && parts.last() == module.last()
        }
    }
}

/// Whether the path before a name in the code of Rust can end in the module of `document`, which is in scope.
pub(super) fn ends_in(document: &Document, other: &Document, path: &str, facts: &Facts) -> bool {
    let module = module_of(document, facts);
    let path = &path[path.trim_end_matches(|it| is_part(it) || it == ':').len()..];
    let parts: Vec<&str> = path.split("::").collect();
    rust(&module, other, path, facts) || module.ends_with(&parts)
}

/// Rust's paths begin at a crate, or at the module that they are written in.
fn rust(module: &[&str], other: &Document, path: &str, facts: &Facts) -> bool {
    let root = |parts: &[&str]| parts.iter().rposition(|it| *it == "src").map(|at| at + 1);
    let from = module_of(other, facts);
    let Some(ours) = root(module) else { return path.rsplit("::").next() == module.last().copied() };
    let mut parts: Vec<&str> = path.split("::").map(str::trim).filter(|it| !it.is_empty()).collect();
    let is_of_crate = Some(ours) == root(&from) && module.get(..ours) == from.get(..ours);
    let own = module.get(ours..).unwrap_or_default();
    match parts.first().copied() {
        Some("crate") => is_of_crate && parts[1..] == *own,
        Some("self" | "super") if is_of_crate => {
            let ups = parts.iter().take_while(|it| **it == "super").count();
            let rest = parts.split_off(parts.iter().take_while(|it| ["self", "super"].contains(it)).count());
            let base = from.len().checked_sub(ups).and_then(|base| from.get(..base));
            base.is_some_and(|base| [base, &rest].concat() == *module)
        }
        // A module below this one; or another crate, which usually has the name of its folder.
        Some(first) => {
            let package = ours.checked_sub(2).and_then(|at| module.get(at));
            [&from, &parts[..]].concat() == *module
                || parts[1..] == *own && package.is_some_and(|it| it.replace('-', "_") == first)
        }
        None => false,
    }
}

/// The folders of a file.
fn folders(document: &Document) -> Vec<&str> {
    let uri = document.id().as_str();
    let path = uri.split_once("://").map_or(uri, |(_, path)| path);
    let mut parts: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
    parts.pop();
    parts
}

/// The name of a file up to its first dot.
pub(super) fn stem(document: &Document) -> Option<&str> {
    let name = document.id().as_str().rsplit('/').next()?;
    name.split('.').next().filter(|stem| !stem.is_empty())
}

/// The folders of a file, and its module's name unless the module is the last folder, as with `__init__` or `index`.
fn module_of<'d>(document: &'d Document, facts: &Facts) -> Vec<&'d str> {
    let mut parts = folders(document);
    let stem = stem(document).unwrap_or_default();
    if !facts.folder_packages && !is_of_folder(stem, facts) {
        parts.push(stem);
    }
    parts
}

/// Whether the module of a file of this name is its folder.
fn is_of_folder(stem: &str, facts: &Facts) -> bool {
    facts.folder_files.iter().chain(&facts.root_files).any(|it| it == stem)
}

/// A folder's path after steps through `.` and `..`.
fn joined<'p>(from: &[&'p str], steps: impl Iterator<Item = &'p str>) -> Vec<&'p str> {
    let mut folder = from.to_vec();
    for step in steps {
        match step {
            "." | "" => {}
            ".." => {
                folder.pop();
            }
            step => folder.push(step),
        }
    }
    folder
}
