//! Resolves bare import paths such as `@app/shop` by the project's settings.
//!
//! These are `paths` and `baseUrl` of the TypeScript configuration, and names and exports of packages in the
//! workspace.

use std::path::{Path, PathBuf};

use super::index::{File, Index};
use super::manifest::Role;
use super::modules::normal;

/// Maximum number of parent folders searched.
const MOST_LEVELS: usize = 24;
/// Maximum length of a chain of configurations that extend each other.
const MOST_EXTENDED: usize = 4;
/// The configuration files, in order of precedence.
const CONFIGS: [&str; 3] = ["tsconfig.json", "jsconfig.json", "tsconfig.base.json"];
/// Folders for build output, whose source is usually in `src`.
const BUILT: [&str; 4] = ["dist", "lib", "build", "out"];

impl Index {
    /// The files or folders that a bare path may refer to, likeliest first.
    ///
    /// They may lack an extension.
    pub(super) fn script_paths(&self, from: &Path, path: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let parent = from.parent().unwrap_or(from);
        let configs = parent.ancestors().take(MOST_LEVELS).find_map(|folder| {
            CONFIGS.iter().find_map(|name| self.by_path(&folder.join(name)).filter(|it| is_config(it)))
        });
        let mut config = configs;
        for _ in 0..MOST_EXTENDED {
            let Some(file) = config else { break };
            mapped(file, path, &mut found);
            let folder = file.path.parent().unwrap_or(&file.path);
            config = entries(file, Role::Extends).find_map(|(_, target)| {
                let base = normal(&folder.join(target));
                self.by_path(&base).or_else(|| self.by_path(Path::new(&format!("{}.json", base.display()))))
            });
        }
        self.of_package(path, &mut found);
        found
    }

    /// Adds the exports of the workspace package that a path names.
    fn of_package(&self, path: &str, found: &mut Vec<PathBuf>) {
        // The name of a package has two parts if it begins with `@`.
        let parts = if path.starts_with('@') { 2 } else { 1 };
        let end = path.match_indices('/').nth(parts - 1).map_or(path.len(), |(at, _)| at);
        let (name, below) = (&path[..end], path[end..].trim_start_matches('/'));
        let files = self.defining(name).into_iter().filter_map(|id| self.file(id));
        let packages = files.filter(|file| {
            file.path.ends_with("package.json") && file.facts.symbols.definitions().any(|it| it.name == name)
        });
        for file in packages {
            let folder = file.path.parent().unwrap_or(&file.path);
            let wanted = if below.is_empty() { "." } else { below };
            for (key, target) in entries(file, Role::Export) {
                if let Some(star) = matched(key, wanted) {
                    let target = target.replace('*', star);
                    found.push(normal(&folder.join(&target)));
                    // Build output is usually not in the workspace.
                    let target = target.trim_start_matches("./");
                    if let Some((first, rest)) = target.split_once('/')
                        && BUILT.contains(&first)
                    {
                        found.push(normal(&folder.join("src").join(rest)));
                    }
                }
            }
            let below = if below.is_empty() { "index" } else { below };
            found.extend([folder.join("src").join(below), folder.join(below)]);
        }
    }
}

fn is_config(file: &File) -> bool {
    file.facts.symbols.imports().next().is_some()
}

/// The entries of a configuration with a role: keys and targets.
fn entries(file: &File, role: Role) -> impl Iterator<Item = (&str, &str)> {
    let all = file.facts.symbols.imports().filter(move |it| it.original == role.name());
    all.map(|it| (it.path, it.name))
}

/// Maps a path by the `paths` of a configuration, longest pattern first.
///
/// Its `baseUrl` follows.
fn mapped(file: &File, path: &str, found: &mut Vec<PathBuf>) {
    let folder = file.path.parent().unwrap_or(&file.path);
    let base = entries(file, Role::Base).map(|(_, target)| normal(&folder.join(target))).next();
    let root = base.as_deref().unwrap_or(folder);
    let mut hits: Vec<(usize, PathBuf)> = entries(file, Role::Path)
        .filter_map(|(key, target)| {
            let star = matched(key, path)?;
            Some((key.len(), normal(&root.join(target.replace('*', star)))))
        })
        .collect();
    hits.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
    found.extend(hits.into_iter().map(|(_, path)| path));
    found.extend(base.map(|base| base.join(path)));
}

/// The part of a path that a pattern's star matches; empty for a pattern without a star.
fn matched<'p>(pattern: &str, path: &'p str) -> Option<&'p str> {
    match pattern.split_once('*') {
        Some((before, after)) => path.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == path).then_some(""),
    }
}
