//! A temporary copy of a folder, in which a command may change anything.
//!
//! * It has the files that git would keep: neither ignored files nor `.git`. Files are read within limits, and
//!   only regular files are copied.
//! * No link leads out of it. A link that would is left out, so no change in the copy affects the original
//!   folder.
//! * Only the user can access it. It is deleted when its value is dropped.

use std::fs;
use std::io;
#[cfg(unix)]
use std::path::Component;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::disk::{self, IgnoreFiles, Links, NotRead, Rules, Unreadable};
use crate::edit::EditSet;
use crate::privacy::named;

struct CopyLimits {
    files: usize,
    /// For all files together.
    bytes: u64,
}

const LIMITS: CopyLimits = CopyLimits { files: 100_000, bytes: 2 << 30 };

/// Why a copy could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// The folder exceeds the limits.
    #[error("the workspace has more files, or larger ones, than are copied")]
    TooMuch,
    /// The folder for temporary files lies in the copied folder.
    #[error("the place for temporary files is in the workspace")]
    Inside,
    /// Git's ignore rules cannot be read.
    #[error("{0}")]
    Unknown(NotRead),
    /// The copy was cancelled.
    #[error("it was cancelled")]
    Cancelled,
    /// The system returned an error.
    #[error("{} cannot be copied", .0.display())]
    Failed(PathBuf, #[source] io::Error),
}

/// A temporary copy of a folder.
#[derive(Debug)]
pub struct ScratchCopy {
    /// `None` once it is deleted.
    folder: Option<TempDir>,
    path: PathBuf,
}

impl ScratchCopy {
    /// Copies the folder `root`, with links to it resolved, as it would be after a set of edits.
    ///
    /// Blocks on the disk.
    ///
    /// # Errors
    ///
    /// See [`ScratchError`]. A failed copy is deleted.
    pub fn new(root: &Path, set: &EditSet, cancelled: &dyn Fn() -> bool) -> Result<Self, ScratchError> {
        Self::within(root, set, cancelled, LIMITS)
    }

    fn within(
        root: &Path,
        set: &EditSet,
        cancelled: &dyn Fn() -> bool,
        limits: CopyLimits,
    ) -> Result<Self, ScratchError> {
        let place = std::env::temp_dir();
        let place = disk::real(&place).map_err(|error| ScratchError::Failed(place, error))?;
        if place.starts_with(root) {
            return Err(ScratchError::Inside);
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix("tandem-check-");
        // Files that only the user may read in the project must stay private here.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.tempdir_in(&place);
        let folder = folder.map_err(|error| ScratchError::Failed(place, error))?;
        let path = folder.path().to_owned();
        let copy = Self { folder: Some(folder), path };
        let mut copying =
            Copying { root, to: &copy.path, cancelled, left: limits, ignore_files: IgnoreFiles::default() };
        let rules = copying.ignore_files.rules_in(root, &[root.to_owned()]).map_err(ScratchError::Unknown)?;
        copying.folder(Path::new(""), &of_git(rules))?;
        apply_edit_set(&copy.path, set)?;
        Ok(copy)
    }

    /// The path of the copy, with links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchCopy {
    fn drop(&mut self) {
        let folder = self.folder.take();
        // The single-threaded runtime serves an editor meanwhile; a command is about to exit, and would not
        // wait for another thread.
        match Handle::try_current() {
            Ok(runtime) if runtime.runtime_flavor() == RuntimeFlavor::CurrentThread => {
                drop(runtime.spawn_blocking(move || drop(folder)));
            }
            _ => drop(folder),
        }
    }
}

struct Copying<'a> {
    root: &'a Path,
    to: &'a Path,
    cancelled: &'a dyn Fn() -> bool,
    left: CopyLimits,
    ignore_files: IgnoreFiles,
}

impl Copying<'_> {
    /// Copies the contents of a folder, given its path below the root.
    fn folder(&mut self, below: &Path, rules: &Rules) -> Result<(), ScratchError> {
        let from = self.root.join(below);
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| ScratchError::Failed(path, error)
        };
        for entry in disk::entries(&from).map_err(failed(&from))? {
            if (self.cancelled)() {
                return Err(ScratchError::Cancelled);
            }
            let entry = entry.map_err(failed(&from))?;
            let (path, below) = (entry.path(), below.join(entry.file_name()));
            let kind = entry.file_type().map_err(failed(&path))?;
            if entry.file_name() == ".git" || named(&path, kind.is_dir(), rules).is_some() {
                continue;
            }
            let to = self.to.join(&below);
            if kind.is_dir() {
                let rules = self.ignore_files.rules_below(rules, &path).map_err(ScratchError::Unknown)?;
                fs::create_dir(&to).map_err(failed(&to))?;
                self.folder(&below, &of_git(rules))?;
            } else if kind.is_symlink() {
                self.link(&path, &below, &to)?;
            } else if kind.is_file() {
                self.file(&path, &to)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, from: &Path, to: &Path) -> Result<(), ScratchError> {
        self.left.files = self.left.files.checked_sub(1).ok_or(ScratchError::TooMuch)?;
        let bytes = match disk::bytes(from, self.left.bytes, Links::Refuse) {
            Ok(bytes) => bytes,
            Err(Unreadable::TooLarge(_)) => return Err(ScratchError::TooMuch),
            // It was deleted or replaced meanwhile.
            Err(Unreadable::Missing | Unreadable::Folder | Unreadable::NotRegular) => return Ok(()),
            Err(error) => return Err(ScratchError::Failed(from.to_owned(), io::Error::other(error))),
        };
        self.left.bytes -= bytes.len() as u64;
        let permissions = disk::metadata(from, Links::Follow).map(|it| it.permissions());
        fs::write(to, bytes)
            .and_then(|()| permissions.and_then(|it| fs::set_permissions(to, it)))
            .map_err(|error| ScratchError::Failed(to.to_owned(), error))
    }

    /// Copies a link if both its text and its target stay below the root.
    #[cfg(unix)]
    fn link(&mut self, from: &Path, below: &Path, to: &Path) -> Result<(), ScratchError> {
        self.left.files = self.left.files.checked_sub(1).ok_or(ScratchError::TooMuch)?;
        let Ok(target) = fs::read_link(from) else { return Ok(()) };
        let is_inside = disk::real(from).is_ok_and(|real| real.starts_with(self.root));
        if is_inside && stays_below(below, &target) {
            let linked = std::os::unix::fs::symlink(&target, to);
            linked.map_err(|error| ScratchError::Failed(to.to_owned(), error))?;
        }
        Ok(())
    }

    #[cfg(not(unix))]
    fn link(&mut self, _: &Path, _: &Path, _: &Path) -> Result<(), ScratchError> {
        Ok(())
    }
}

/// Whether every step of a link's target stays below the root.
#[cfg(unix)]
fn stays_below(link: &Path, target: &Path) -> bool {
    let mut depth = link.components().count() - 1;
    for part in target.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    true
}

/// Keeps only git's own rules: files that are only hidden from models are needed to build.
fn of_git(mut rules: Rules) -> Rules {
    rules.retain(|file| file.is_of_git());
    rules
}

fn apply_edit_set(copy: &Path, set: &EditSet) -> Result<(), ScratchError> {
    for file in set.files().iter().filter(|file| !file.is_unchanged()) {
        let old = copy.join(&file.path);
        if file.new_path() != Some(&file.path) {
            match fs::remove_file(&old) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(ScratchError::Failed(old, error));
                }
                _ => {}
            }
        }
    }
    for file in set.files().iter().filter(|file| !file.is_unchanged()) {
        let (Some(path), Some(text)) = (file.new_path(), file.new_text()) else { continue };
        let place = copy.join(path);
        let folder = place.parent().unwrap_or(copy);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&place, text.as_bytes()))
            .map_err(|error| ScratchError::Failed(place, error))?;
    }
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use expect_test::{Expect, expect};

    use super::*;
    use crate::edit::Edit;
    use crate::edit::edit_set::{Base, Revision};
    use crate::folder::write;

    fn folder() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap().join("project");
        for (path, text) in [
            (".git/HEAD", "ref"),
            (".gitignore", "/target\n*.log\n"),
            (".aiignore", "private.txt\n"),
            ("../outside.txt", "outside\n"),
            ("private.txt", "kept from models\n"),
            ("src/a.txt", "one\n"),
            ("src/b.txt", "two\n"),
            ("run.sh", "exit\n"),
            ("run.log", "log\n"),
            ("target/big", "built\n"),
        ] {
            write(&root, path, text);
        }
        fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        (folder, root)
    }

    fn shown(root: &Path) -> String {
        let mut lines = Vec::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let (path, kind) = (entry.path(), entry.file_type().unwrap());
                let name = path.strip_prefix(root).unwrap().display().to_string();
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_symlink() {
                    lines.push(format!("{name} -> {}\n", fs::read_link(path).unwrap().display()));
                } else {
                    let mode = entry.metadata().unwrap().permissions().mode() & 0o111;
                    let mode = if mode == 0 { "" } else { " (runs)" };
                    lines.push(format!("{name}{mode}: {:?}\n", fs::read_to_string(path).unwrap()));
                }
            }
        }
        lines.sort();
        lines.concat()
    }

    fn check(root: &Path, set: &EditSet, expect: Expect) {
        let copy = ScratchCopy::new(root, set, &|| false).unwrap();
        expect.assert_eq(&shown(copy.path()));
        assert_eq!(fs::metadata(copy.path()).unwrap().permissions().mode() & 0o777, 0o700);
        let path = copy.path().to_owned();
        drop(copy);
        assert!(!path.exists());
    }

    #[test]
    fn copy_has_what_git_keeps_with_the_edits() {
        let (_folder, root) = folder();
        let base = Base { text: "one\n".to_owned(), revision: Revision::of_bytes(b"one\n") };
        let edits = vec![Edit::new(0..3, "uno")];
        check(
            &root,
            &EditSet::of_file("src/a.txt", base, edits),
            expect![[r#"
                .aiignore: "private.txt\n"
                .gitignore: "/target\n*.log\n"
                private.txt: "kept from models\n"
                run.sh (runs): "exit\n"
                src/a.txt: "uno\n"
                src/b.txt: "two\n"
            "#]],
        );
        assert_eq!(fs::read_to_string(root.join("src/a.txt")).unwrap(), "one\n");
    }

    #[test]
    fn link_that_leads_out_and_what_is_no_file_are_left_out() {
        let (_folder, root) = folder();
        fs::remove_file(root.join("private.txt")).unwrap();
        symlink("../run.sh", root.join("src/inside")).unwrap();
        symlink("../outside.txt", root.join("out")).unwrap();
        symlink("../project/run.sh", root.join("out_and_in")).unwrap();
        symlink(root.join("run.sh"), root.join("absolute")).unwrap();
        symlink("nowhere", root.join("nowhere_link")).unwrap();
        disk::pipe(root.join("pipe"));
        check(
            &root,
            &EditSet::default(),
            expect![[r#"
                .aiignore: "private.txt\n"
                .gitignore: "/target\n*.log\n"
                run.sh (runs): "exit\n"
                src/a.txt: "one\n"
                src/b.txt: "two\n"
                src/inside -> ../run.sh
            "#]],
        );
    }

    #[test]
    fn too_much_or_cancelled_leaves_nothing() {
        let (_folder, root) = folder();
        let copy = |limits, cancelled: bool| {
            ScratchCopy::within(&root, &EditSet::default(), &|| cancelled, limits).map(drop)
        };
        assert!(matches!(copy(CopyLimits { files: 2, bytes: 100 }, false), Err(ScratchError::TooMuch)));
        assert!(matches!(copy(CopyLimits { files: 100, bytes: 5 }, false), Err(ScratchError::TooMuch)));
        assert!(matches!(copy(LIMITS, true), Err(ScratchError::Cancelled)));
    }
}
