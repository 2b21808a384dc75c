//! Finds the files of a workspace, as far as they are its own: what version control ignores is left out.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::Index;
use crate::disk::{self, Links};
use crate::grammar;

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
    /// It was told to stop.
    Cancelled,
}

/// Takes the files below `roots` into an index. Blocks for the disk.
///
/// Symbolic links are not followed, and only regular files are opened. `denied` names files that must not be read, such
/// as those that `privacy` takes for secret. Only a walk that saw everything makes the index complete.
pub fn walk(
    index: &Index,
    roots: &[PathBuf],
    denied: &dyn Fn(&Path) -> bool,
    cancelled: &dyn Fn() -> bool,
) -> Walked {
    let Some((first, more)) = roots.split_first() else { return Walked::Complete };
    let mut builder = WalkBuilder::new(first);
    more.iter().for_each(|root| _ = builder.add(root));
    // A workspace need not be a repository for its `.gitignore` to mean something.
    let entries = builder.follow_links(false).require_git(false).build();
    let (mut files, mut bytes) = (0, 0);
    for entry in entries {
        if cancelled() {
            return Walked::Cancelled;
        }
        // What cannot be read is not the user's concern here: its names are only not known.
        let Ok(entry) = entry.inspect_err(|error| tracing::debug!(%error, "not indexed")) else { continue };
        let path = entry.path();
        if !entry.file_type().is_some_and(|kind| kind.is_file()) || denied(path) {
            continue;
        }
        let Some(grammar) = grammar::by_path(path) else { continue };
        if files >= MOST_FILES || bytes >= MOST_BYTES {
            return Walked::TooMuch;
        }
        if let Some(text) = read(path) {
            files += 1;
            bytes += text.len() as u64;
            index.put(path, grammar, &text);
        }
    }
    if cancelled() {
        return Walked::Cancelled;
    }
    index.complete();
    Walked::Complete
}

/// The text of a file that is one: not too large, and UTF-8.
fn read(path: &Path) -> Option<String> {
    match disk::text(path, MOST_FILE_BYTES, Links::Refuse) {
        Ok(text) => Some(text).filter(|text| !text.contains('\0')),
        Err(error) => {
            tracing::debug!(path = %path.display(), %error, "not indexed");
            None
        }
    }
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
    fn stops_when_told_to() {
        let root = folder(&[("a.rs", "fn wanted() {}")]);
        let index = Index::default();
        assert_eq!(walk(&index, &[root.path().to_owned()], &|_| false, &|| true), Walked::Cancelled);
        assert!(!index.speaks_for(by_language_id("rust").unwrap()));
    }
}
