//! Finds the files of a workspace, without those that version control ignores.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Index;
use crate::disk::{self, IgnoreFiles, Links, NotRead, Rules};
use crate::grammar;
use crate::privacy::named;

/// The most files that are taken in.
pub const MOST_FILES: usize = 20_000;
/// The most bytes that are read of all files together.
pub const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// Larger files are generated as a rule.
pub const MOST_FILE_BYTES: u64 = 1024 * 1024;

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walked {
    /// All files were seen.
    Complete,
    /// There are more files, or larger ones, than are taken in.
    TooMuch,
    /// An ignore file cannot be read, so it is not known which files are the workspace's own.
    Unknown,
    /// It was told to stop.
    Cancelled,
}

/// Takes the files below `roots` into an index. Blocks for the disk.
///
/// Symbolic links are not followed, names that begin with a dot are passed over, and ignore files are minded
/// as [`IgnoreFiles`] reads them. Only regular files are opened. `denied` names files that must not be read,
/// such as those that `privacy` takes for secret. Only a walk that saw everything makes the index complete.
pub fn walk(
    index: &Index,
    roots: &[PathBuf],
    denied: &dyn Fn(&Path) -> bool,
    cancelled: &dyn Fn() -> bool,
) -> Walked {
    let ignore_files = IgnoreFiles::default();
    let mut is_known = true;
    let mut rules_of = |folder: &Path, rules: Result<Rules, NotRead>| {
        let rules = rules.inspect_err(|why| tracing::debug!(folder = %folder.display(), %why, "not indexed"));
        is_known &= rules.is_ok();
        rules.ok()
    };
    let mut folders: Vec<(PathBuf, Arc<Rules>)> = Vec::new();
    for root in roots.iter().rev() {
        if let Some(rules) = rules_of(root, ignore_files.rules_in(root, roots)) {
            folders.push((root.clone(), Arc::new(rules)));
        }
    }
    let (mut files, mut bytes) = (0, 0);
    while let Some((folder, rules)) = folders.pop() {
        // What cannot be read is not the user's concern here: its names are only not known.
        let entries = std::fs::read_dir(&folder).inspect_err(|error| not_indexed(&folder, error));
        for entry in entries.into_iter().flatten().flatten() {
            if cancelled() {
                return Walked::Cancelled;
            }
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(kind) = entry.file_type().inspect_err(|error| not_indexed(&path, error)) else { continue };
            if name.as_encoded_bytes().starts_with(b".") || named(&path, kind.is_dir(), &rules).is_some() {
                continue;
            }
            if kind.is_dir() {
                if let Some(rules) = rules_of(&path, ignore_files.rules_below(&rules, &path)) {
                    folders.push((path, Arc::new(rules)));
                }
                continue;
            }
            if !kind.is_file() || denied(&path) {
                continue;
            }
            let Some(grammar) = grammar::by_path(&path) else { continue };
            if files >= MOST_FILES || bytes >= MOST_BYTES {
                return Walked::TooMuch;
            }
            match disk::text(&path, MOST_FILE_BYTES, Links::Refuse) {
                Ok(text) if !text.contains('\0') => {
                    files += 1;
                    bytes += text.len() as u64;
                    index.put(&path, grammar, &text);
                }
                Ok(_) => {}
                Err(why) => not_indexed(&path, &why),
            }
        }
    }
    if cancelled() {
        return Walked::Cancelled;
    }
    if !is_known {
        return Walked::Unknown;
    }
    index.complete();
    Walked::Complete
}

fn not_indexed(path: &Path, why: &dyn std::fmt::Display) {
    tracing::debug!(path = %path.display(), %why, "not indexed");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::by_language_id;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn a_walk_that_another_has_overtaken_says_nothing() {
        let root = folder(&[("a.rs", "fn a() {}")]);
        let index = Index::default();
        let first = index.begin();
        // Other folders, or other rules, while it looks at its only file.
        let denied = |_: &Path| index.begin() > 1_000;
        let walked = walk(&index, &[root.path().to_owned()], &denied, &|| !index.is_current(first));
        assert_eq!(walked, Walked::Cancelled);
    }

    #[test]
    fn takes_in_the_workspaces_own_files() {
        let root = folder(&[
            ("src/a.rs", "fn wanted() {}"),
            ("src/é.rs", "fn accented() {}"),
            (".gitignore", "target/\n"),
            ("target/b.rs", "fn ignored() {}"),
            ("denied.rs", "fn denied() {}"),
            ("notes.bin", "fn binary() {}"),
            ("null.rs", "fn null() {}\0"),
        ]);
        let outside = folder(&[("c.rs", "fn outside() {}")]);
        #[cfg(unix)]
        std::os::unix::fs::symlink(outside.path(), root.path().join("link")).unwrap();
        let index = Index::default();
        let denied = |path: &Path| path.ends_with("denied.rs");
        let walked = walk(&index, &[root.path().to_owned()], &denied, &|| false);
        assert_eq!(walked, Walked::Complete);
        let rust = by_language_id("rust").unwrap();
        for (name, known) in [
            ("wanted", true),
            ("accented", true),
            ("ignored", false),
            ("denied", false),
            ("binary", false),
            ("null", false),
            ("outside", false),
        ] {
            assert_eq!(index.knows(rust, name), known, "{name}");
        }
        assert_eq!(index.size().0, 2);
        drop(outside);
    }

    #[test]
    fn minds_the_ignore_files_of_every_folder_and_of_the_repository_alone() {
        let root = folder(&[
            (".gitignore", "*.gen.rs\n/build\n"),
            ("a.gen.rs", "fn generated() {}"),
            ("build/b.rs", "fn built() {}"),
            ("in/build/c.rs", "fn wanted() {}"),
            ("in/.tandemignore", "private.rs\n"),
            ("in/private.rs", "fn private() {}"),
            ("other/.git/HEAD", ""),
            ("other/d.gen.rs", "fn other() {}"),
            (".hidden/e.rs", "fn hidden() {}"),
        ]);
        let index = Index::default();
        assert_eq!(walk(&index, &[root.path().to_owned()], &|_| false, &|| false), Walked::Complete);
        let rust = by_language_id("rust").unwrap();
        let names = ["generated", "built", "wanted", "private", "other", "hidden"];
        assert_eq!(names.map(|name| index.knows(rust, name)), [false, false, true, false, true, false]);
    }

    /// A folder whose own files are not known is left out, and the index does not claim to know
    /// all.
    #[cfg(unix)]
    #[test]
    fn what_is_no_file_keeps_no_walk() {
        use std::os::unix::fs::symlink;

        let root =
            folder(&[("a.rs", "fn wanted() {}"), ("endless/b.rs", "fn b() {}"), ("pipe/c.rs", "fn c() {}")]);
        let path = |name: &str| root.path().join(name);
        symlink("/dev/zero", path("endless/.gitignore")).unwrap();
        symlink("/dev/zero", path("zero.rs")).unwrap();
        for name in ["pipe/.gitignore", "pipe.rs", "pipe/.ignore"] {
            disk::pipe(path(name));
        }
        let index = Index::default();
        assert_eq!(walk(&index, &[root.path().to_owned()], &|_| false, &|| false), Walked::Unknown);
        let rust = by_language_id("rust").unwrap();
        assert_eq!(["wanted", "b", "c"].map(|name| index.knows(rust, name)), [true, false, false]);
        assert!(!index.speaks_for(rust));
    }

    #[test]
    fn stops_when_told_to() {
        let root = folder(&[("a.rs", "fn wanted() {}")]);
        let index = Index::default();
        assert_eq!(walk(&index, &[root.path().to_owned()], &|_| false, &|| true), Walked::Cancelled);
        assert!(!index.speaks_for(by_language_id("rust").unwrap()));
    }
}
