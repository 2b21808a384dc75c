//! Finds the files of a workspace.
//!
//! The walk does not use the `ignore` crate, which opens ignore files itself: without a limit, through links,
//! and even if they are pipes. Here [`IgnoreFiles`] reads them, as for prompts, so that a file is indexed only
//! if a model may be shown it.
//!
//! * Only regular files are listed, and links are not followed, so no walk visits a folder twice.
//! * An unreadable folder is counted and skipped; a deleted folder has no files.
//! * Folders are walked level by level, so that files near the roots are indexed if there are too many.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{self, IgnoreFiles, NotRead, Rules, Stamp};
use crate::grammar::{self, Grammar};
use crate::privacy::named;

/// Maximum number of indexed files.
pub const MOST_FILES: usize = 20_000;
/// Maximum number of bytes read of all files together.
pub const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// Maximum size of a file in bytes; larger files are usually generated.
pub const MOST_FILE_BYTES: u64 = 1024 * 1024;
/// The limits of one walk.
struct Limits {
    files: usize,
    /// For all files together.
    bytes: u64,
    /// Directory entries of any kind: a few seconds' work.
    entries: usize,
    /// Queued folders.
    folders: usize,
}

const LIMITS: Limits = Limits { files: MOST_FILES, bytes: MOST_BYTES, entries: 500_000, folders: 50_000 };
/// The scope and the rules of a walk.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The root folders.
    pub roots: &'a [PathBuf],
    /// Returns true for files that must not be read, such as those that `privacy` considers secret.
    pub denied: &'a (dyn Fn(&Path) -> bool + Sync),
    /// Returns true if the walk must stop.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Whether other work has priority for the processor.
    pub is_background: bool,
}

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walked {
    /// All files were seen.
    Complete,
    /// The files exceed the limits in number or size.
    TooMuch,
    /// An ignore file cannot be read, so it is unknown which files belong to the workspace.
    Unknown,
    /// The walk was cancelled.
    Cancelled,
}

/// A file that the walk found.
#[derive(Debug)]
pub struct Listed {
    /// The path.
    pub path: Arc<Path>,
    /// The grammar.
    pub grammar: &'static Grammar,
    /// The stamp at the time of the walk.
    pub stamp: Stamp,
}

/// The files of a workspace.
#[derive(Debug)]
pub struct Listing {
    /// The files, level by level.
    pub files: Vec<Listed>,
    /// Files of unknown languages, such as a changelog: at most as many as the others.
    pub others: Vec<Arc<Path>>,
    /// How the walk ended.
    pub walked: Walked,
    /// The number of unreadable folders.
    pub unreadable: usize,
}

/// Finds the files below the roots, by the access rules.
pub fn list(scope: Scope<'_>) -> Listing {
    list_within(scope, &LIMITS)
}

fn list_within(scope: Scope<'_>, limits: &Limits) -> Listing {
    let mut search = ListingSearch::new(scope, limits);
    let walked = search.run();
    let ListingSearch { files, others, unreadable, .. } = search;
    Listing { files, others, walked, unreadable }
}

struct ListingSearch<'a> {
    scope: Scope<'a>,
    limits: &'a Limits,
    ignore_files: IgnoreFiles,
    /// Roots already started. A root within another is walked once, by its own rules.
    roots: HashSet<PathBuf>,
    folders: VecDeque<(PathBuf, Arc<Rules>)>,
    files: Vec<Listed>,
    others: Vec<Arc<Path>>,
    bytes: u64,
    entries: usize,
    unreadable: usize,
    is_known: bool,
    is_too_much: bool,
}

impl<'a> ListingSearch<'a> {
    fn new(scope: Scope<'a>, limits: &'a Limits) -> Self {
        let mut search = Self {
            scope,
            limits,
            ignore_files: IgnoreFiles::default(),
            roots: HashSet::new(),
            folders: VecDeque::new(),
            files: Vec::new(),
            others: Vec::new(),
            bytes: 0,
            entries: 0,
            unreadable: 0,
            is_known: true,
            is_too_much: false,
        };
        for root in scope.roots {
            // Two paths of one folder are one root.
            let real = disk::real(root).unwrap_or_else(|_| root.clone());
            if !search.roots.insert(real) {
                continue;
            }
            search.roots.insert(root.clone());
            let rules = search.ignore_files.rules_in(root, scope.roots);
            search.enter(root.clone(), rules);
        }
        search
    }

    fn enter(&mut self, folder: PathBuf, rules: Result<Rules, NotRead>) {
        match rules {
            Ok(_) if self.folders.len() >= self.limits.folders => self.is_too_much = true,
            Ok(rules) => self.folders.push_back((folder, Arc::new(rules))),
            Err(why) => {
                not_indexed(&folder, &why);
                self.is_known = false;
            }
        }
    }

    fn run(&mut self) -> Walked {
        while let Some((folder, rules)) = self.folders.pop_front() {
            let entries = match disk::entries(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    not_indexed(&folder, &error);
                    // An editor may have a folder open that is not on this disk.
                    self.unreadable += usize::from(error.kind() != std::io::ErrorKind::NotFound);
                    continue;
                }
            };
            for entry in entries.flatten() {
                if (self.scope.cancelled)() {
                    return Walked::Cancelled;
                }
                self.entries += 1;
                if self.entries > self.limits.entries || !self.add(&entry, &rules) {
                    return Walked::TooMuch;
                }
            }
        }
        match (self.is_known, self.is_too_much) {
            (false, _) => Walked::Unknown,
            (true, true) => Walked::TooMuch,
            (true, false) => Walked::Complete,
        }
    }

    /// Adds a file, or queues a folder; false if a limit is exceeded.
    fn add(&mut self, entry: &std::fs::DirEntry, rules: &Rules) -> bool {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(kind) = entry.file_type().inspect_err(|error| not_indexed(&path, error)) else { return true };
        if name.as_encoded_bytes().starts_with(b".") || !kind.is_dir() && !kind.is_file() {
            return true;
        }
        if named(&path, kind.is_dir(), rules).is_some() {
            return true;
        }
        let grammar = if kind.is_file() { grammar::by_path(&path) } else { None };
        let Some(grammar) = grammar else {
            if kind.is_file() {
                if self.others.len() < self.limits.files && !(self.scope.denied)(&path) {
                    self.others.push(path.into());
                }
            } else if !self.roots.contains(&path) {
                let rules = self.ignore_files.rules_below(rules, &path);
                self.enter(path, rules);
            }
            return true;
        };
        if (self.scope.denied)(&path) {
            return true;
        }
        let stamp = match entry.metadata() {
            Ok(metadata) => Stamp::of(&metadata),
            Err(error) => {
                not_indexed(&path, &error);
                // It may have been deleted since its folder was read.
                self.unreadable += usize::from(error.kind() != std::io::ErrorKind::NotFound);
                return true;
            }
        };
        if stamp.length() > MOST_FILE_BYTES {
            return true;
        }
        if self.files.len() >= self.limits.files || self.bytes >= self.limits.bytes {
            return false;
        }
        self.bytes += stamp.length();
        self.files.push(Listed { path: path.into(), grammar, stamp });
        true
    }
}

pub(super) fn not_indexed(path: &Path, why: &dyn std::fmt::Display) {
    tracing::debug!(path = %path.display(), %why, "not indexed");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::{folder, write};

    fn names_of(root: &Path, roots: &[PathBuf], limits: &Limits) -> (Vec<String>, Walked, usize) {
        let scope = Scope { roots, denied: &|_| false, cancelled: &|| false, is_background: false };
        let Listing { files, walked, unreadable, .. } = list_within(scope, limits);
        let shown =
            |file: &Listed| file.path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        let mut names: Vec<String> = files.iter().map(shown).collect();
        names.sort_unstable();
        (names, walked, unreadable)
    }

    #[test]
    fn a_root_within_another_is_walked_once_and_by_its_own_right() {
        let root = folder(&[(".gitignore", "/hidden\n"), ("a.rs", ""), ("in/b.rs", ""), ("hidden/c.rs", "")]);
        let path = |name: &str| root.path().join(name);
        let roots = [root.path().to_owned(), path("in"), path("hidden"), path("in/../in"), path("gone")];
        let (names, walked, unreadable) = names_of(root.path(), &roots, &LIMITS);
        assert_eq!(names, ["a.rs", "hidden/c.rs", "in/b.rs"]);
        assert_eq!((walked, unreadable), (Walked::Complete, 0), "a root that is not there has no files");
    }

    #[test]
    fn what_is_too_much_ends_near_the_roots() {
        let root =
            folder(&[("a.rs", ""), ("deep/b.rs", ""), ("deep/deeper/c.rs", "12"), ("deep/deeper/d.rs", "")]);
        let roots = [root.path().to_owned()];
        let check = |limits: Limits, expected: &[&str]| {
            let (names, walked, _) = names_of(root.path(), &roots, &limits);
            assert_eq!(names, expected);
            assert_eq!(walked, Walked::TooMuch);
        };
        check(Limits { files: 2, ..LIMITS }, &["a.rs", "deep/b.rs"]);
        check(Limits { entries: 4, ..LIMITS }, &["a.rs", "deep/b.rs"]);
        check(Limits { bytes: 0, ..LIMITS }, &[]);
        check(Limits { folders: 0, ..LIMITS }, &[]);
    }

    /// Special files are not opened: the file would take minutes, the pipe and the links forever.
    #[cfg(unix)]
    #[test]
    fn large_files_pipes_and_loops_are_passed_over() {
        use std::os::unix::fs::symlink;

        let root = folder(&[("in/a.rs", "fn a() {}")]);
        let path = |name: &str| root.path().join(name);
        std::fs::File::create(path("large.rs")).unwrap().set_len(500 << 20).unwrap();
        crate::disk::pipe(path("pipe.rs"));
        symlink(root.path(), path("in/up")).unwrap();
        symlink("loop.rs", path("loop.rs")).unwrap();
        let (names, walked, unreadable) = names_of(root.path(), &[root.path().to_owned()], &LIMITS);
        assert_eq!((names, walked, unreadable), (vec!["in/a.rs".to_owned()], Walked::Complete, 0));
    }

    /// Unreadable rules exclude the folder, and take no more time than others.
    #[test]
    fn absurd_ignore_files_leave_their_folders_out() {
        let many = "a\n".repeat(100_000);
        let wild = "**/*a*/**/?\n".repeat(3_000);
        let wide = "x".repeat(100_000);
        let large = "# nothing\n".repeat(200_000);
        // Tried at every position of a long name, these patterns would take minutes.
        let costly = format!("{}b\n{}b/**\n", "*a".repeat(60), "**/a".repeat(60));
        let root = folder(&[
            ("many/.gitignore", many.as_str()),
            ("wild/.tandemignore", wild.as_str()),
            ("wide/.aiignore", wide.as_str()),
            ("large/.gitignore", large.as_str()),
            ("costly/.gitignore", costly.as_str()),
            ("odd/.gitignore", "[\n[z-a]\n\\\n!\n!!x\n/\n**\u{0}\n\u{feff}#\n"),
            ("many/a.rs", ""),
            ("wild/a.rs", ""),
            ("wide/a.rs", ""),
            ("large/a.rs", ""),
            ("odd/a.rs", ""),
        ]);
        let long = format!("costly/{}.rs", "a".repeat(200));
        std::fs::write(root.path().join(&long), "").unwrap();
        let (names, walked, _) = names_of(root.path(), &[root.path().to_owned()], &LIMITS);
        assert_eq!(names, [long.as_str(), "odd/a.rs"]);
        assert_eq!(walked, Walked::Unknown);
    }

    #[test]
    fn folders_that_cannot_be_read_are_counted() {
        let root = folder(&[("a.rs", ""), ("closed/b.rs", ""), ("no-folder", "")]);
        let closed = root.path().join("closed");
        #[cfg(unix)]
        std::fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o0)).unwrap();
        // Some users may read everything.
        let is_closed = std::fs::read_dir(&closed).is_err();
        let roots = [root.path().to_owned(), root.path().join("no-folder")];
        let (names, walked, unreadable) = names_of(root.path(), &roots, &LIMITS);
        assert!(names.contains(&"a.rs".to_owned()), "{names:?}");
        assert_eq!((walked, unreadable), (Walked::Complete, 1 + usize::from(is_closed)));
        #[cfg(unix)]
        std::fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    }

    /// A home folder, with lower limits.
    ///
    /// Files near its top are indexed, and hidden folders are skipped.
    #[test]
    fn a_home_folder_ends_near_its_top() {
        let root = folder(&[("notes.rs", ""), (".ssh/id_rsa", ""), (".cache/deep/a.rs", "")]);
        for project in 0..20 {
            for file in 0..20 {
                write(root.path(), &format!("projects/p{project}/src/f{file}.rs"), "");
            }
        }
        let limits = Limits { files: 100, folders: 30, ..LIMITS };
        let (names, walked, unreadable) = names_of(root.path(), &[root.path().to_owned()], &limits);
        assert_eq!((names.len(), walked, unreadable), (100, Walked::TooMuch, 0));
        assert!(names.contains(&"notes.rs".to_owned()) && !names.iter().any(|name| name.starts_with('.')));
    }
}
