//! Where a bare path such as `@app/shop` may be, by the settings of the project.
//!
//! These are `paths` and `baseUrl` of the TypeScript configuration, and names and exports of packages in the
//! workspace.

use std::path::{Path, PathBuf};

use super::index::{File, Index};
use super::manifest::Role;
use super::modules::normal;
use crate::text::hash::Fnv32;

/// Folders above a file that are looked through.
const MOST_LEVELS: usize = 24;
/// Files of settings that extend each other.
const MOST_EXTENDED: usize = 4;
/// The files of settings, in the order in which they count.
const CONFIGS: [&str; 3] = ["tsconfig.json", "jsconfig.json", "tsconfig.base.json"];
/// Folders of what is built, and where its source is as a rule.
const BUILT: [&str; 4] = ["dist", "lib", "build", "out"];

impl Index {
    /// The files or folders that a bare path may mean, the likeliest first.
    ///
    /// They may lack an ending.
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

    /// What the package of the workspace that a path names has there.
    fn of_package(&self, path: &str, found: &mut Vec<PathBuf>) {
        // The name of a package has two parts if it begins with `@`.
        let parts = if path.starts_with('@') { 2 } else { 1 };
        let end = path.match_indices('/').nth(parts - 1).map_or(path.len(), |(at, _)| at);
        let (name, below) = (&path[..end], path[end..].trim_start_matches('/'));
        let ids = self.defining.get(&Fnv32::of(name)).map_or(&[][..], Vec::as_slice);
        let packages = ids.iter().filter_map(|id| self.file(*id)).filter(|file| {
            file.path.ends_with("package.json") && file.facts.symbols.definitions().any(|it| it.name == name)
        });
        for file in packages {
            let folder = file.path.parent().unwrap_or(&file.path);
            let wanted = if below.is_empty() { "." } else { below };
            for (key, target) in entries(file, Role::Export) {
                if let Some(star) = matched(key, wanted) {
                    let target = target.replace('*', star);
                    found.push(normal(&folder.join(&target)));
                    // What is built is not in the workspace as a rule.
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

/// What a file of settings says in a role: keys and targets.
fn entries(file: &File, role: Role) -> impl Iterator<Item = (&str, &str)> {
    let all = file.facts.symbols.imports().filter(move |it| it.original == role.name());
    all.map(|it| (it.path, it.name))
}

/// What the `paths` of a file of settings make of a path, the longest pattern first.
///
/// Then comes its `baseUrl`.
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

/// What the star of a pattern stands for in a path; empty for a pattern without one.
fn matched<'p>(pattern: &str, path: &'p str) -> Option<&'p str> {
    match pattern.split_once('*') {
        Some((before, after)) => path.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == path).then_some(""),
    }
}
