//! Finds the ignore files that apply to a path, and evaluates them.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::look::{Links, is_there, real};
use super::read::{self, Stamp, Unreadable, stamp};
use crate::lock::Mutex;
use crate::privacy::{IGNORE_FILES, IgnoreFile, PathRules, TooMuch, Verdict, ignored};
use crate::text::words::slashed;

/// Maximum size of one ignore file, in bytes.
const MOST_BYTES: u64 = 1024 * 1024;
/// Maximum size of a file that names a folder of git's, in bytes.
const MOST_LINE_BYTES: u64 = 16 * 1024;
/// Maximum number of cached ignore files.
const MOST_KNOWN: usize = 512;
/// Maximum number of patterns in all cached ignore files together.
const MOST_KNOWN_PATTERNS: usize = 50_000;

/// Reads ignore files, and caches each one until it changes.
///
/// Blocks on the disk.
///
/// Fails closed: an ignore file that is too large, has too many patterns, or is not a regular file counts as
/// unreadable, and an unreadable ignore file ignores every file it applies to.
#[derive(Default)]
pub struct IgnoreFiles(Mutex<Known>);

#[derive(Default)]
struct Known {
    files: HashMap<PathBuf, (Stamp, Arc<IgnoreFile>)>,
    patterns: usize,
}

/// An ignore file that cannot be read.
#[derive(Debug)]
pub struct NotRead {
    name: String,
    why: Why,
}

#[derive(Debug)]
enum Why {
    Unreadable(Unreadable),
    TooMuch(TooMuch),
}

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, why } = self;
        match why {
            Why::Unreadable(Unreadable::Failed(error)) => {
                write!(f, "`{name}` cannot be read ({})", error.kind())
            }
            Why::Unreadable(why) => write!(f, "`{name}` cannot be read ({why})"),
            Why::TooMuch(why) => write!(f, "`{name}` cannot be read ({why})"),
        }
    }
}

/// The rules that apply in a folder, from the ignore files in it and above it, outermost first.
pub type Rules = Vec<Arc<IgnoreFile>>;

impl IgnoreFiles {
    /// Judges a file by its path, by the path that its symbolic links resolve to, and by the ignore files above
    /// it, up to its repository's root or the outermost of the workspace `folders`, whichever is above the other.
    pub fn judge(&self, file: &Path, folders: &[PathBuf], rules: &PathRules) -> Verdict {
        let mut paths = vec![file.to_owned()];
        // A link with a harmless name may point to a key. A file that is not on disk does not resolve.
        paths.extend(real(file).ok().filter(|real| real != file));
        let mut verdict = Verdict::Open;
        for path in &paths {
            let shown = slashed(path);
            match rules.verdict(&shown) {
                secret @ Verdict::Secret(_) => return secret,
                ignored @ Verdict::Ignored(_) => verdict = ignored,
                _ if rules.allows(&shown) => {}
                _ => {
                    let why = match path.parent().map(|folder| self.rules_in(folder, folders)) {
                        Some(Ok(rules)) => ignored(path, &rules),
                        // The rules are unknown, so assume the worst.
                        Some(Err(not_read)) => Some(not_read.to_string()),
                        None => None,
                    };
                    if let Some(why) = why {
                        verdict = Verdict::Ignored(why.into());
                    }
                }
            }
        }
        verdict
    }

    /// The rules that apply in a folder.
    ///
    /// # Errors
    ///
    /// Fails if one of the ignore files cannot be read.
    pub fn rules_in(&self, folder: &Path, folders: &[PathBuf]) -> Result<Rules, NotRead> {
        let repository = folder.ancestors().find(|it| is_repository(it));
        let workspace = folders.iter().map(PathBuf::as_path).filter(|it| folder.starts_with(it));
        let root = workspace.chain(repository).min_by_key(|it| it.components().count());
        let Some(root) = root else { return Ok(Vec::new()) };
        let mut inner: Vec<&Path> = folder.ancestors().take_while(|it| it.starts_with(root)).collect();
        inner.reverse();
        let first = if is_repository(root) { Vec::new() } else { self.users(root)? };
        inner.into_iter().try_fold(first, |rules, folder| self.rules_below(&rules, folder))
    }

    /// The rules that apply in a folder, given the rules of its parent.
    ///
    /// # Errors
    ///
    /// Fails if one of the ignore files cannot be read.
    pub fn rules_below(&self, above: &Rules, folder: &Path) -> Result<Rules, NotRead> {
        let mut rules = above.clone();
        // A nested repository does not inherit git's rules. Those of this program and of its kin hold in all folders.
        if is_repository(folder) {
            rules.retain(|it| !it.is_of_git());
            rules.extend(self.users(folder)?);
        }
        self.with_own(rules, folder)
    }

    /// The user's global ignore rules, from git's default path, and the rules in the repository's
    /// `.git/info/exclude`.
    fn users(&self, root: &Path) -> Result<Rules, NotRead> {
        let mut rules = Vec::new();
        if let Some(home) = super::configuration_folder() {
            rules.extend(self.one(root, &home.join("git/ignore"), "git/ignore")?);
        }
        rules.extend(self.one(root, &info_folder(root).join("exclude"), ".git/info/exclude")?);
        Ok(rules)
    }

    /// Appends the rules of the ignore files in `folder` to `rules`.
    fn with_own(&self, mut rules: Rules, folder: &Path) -> Result<Rules, NotRead> {
        for name in IGNORE_FILES {
            rules.extend(self.one(folder, &folder.join(name), name)?);
            IgnoreFile::are_few(&rules)
                .map_err(|why| NotRead { name: name.to_owned(), why: Why::TooMuch(why) })?;
        }
        Ok(rules)
    }

    /// Reads one ignore file, whose patterns are relative to `folder`; `None` if it does not exist.
    fn one(&self, folder: &Path, path: &Path, name: &str) -> Result<Option<Arc<IgnoreFile>>, NotRead> {
        let not_read = |why| NotRead { name: name.to_owned(), why };
        // Taken before the read, so that a concurrent write is noticed next time.
        let stamp = stamp(path).map_err(|why| not_read(Why::Unreadable(why)))?;
        let Some(stamp) = stamp else { return Ok(None) };
        let known =
            self.0.lock().files.get(path).filter(|(it, _)| *it == stamp).map(|(_, file)| Arc::clone(file));
        if let Some(known) = known.filter(|it| it.folder() == folder) {
            return Ok(Some(known));
        }
        let bytes = match read::bytes(path, MOST_BYTES, Links::Follow) {
            Ok(bytes) => bytes,
            Err(Unreadable::Missing | Unreadable::Folder) => return Ok(None),
            Err(why) => return Err(not_read(Why::Unreadable(why))),
        };
        let file = IgnoreFile::parse(folder, name, &String::from_utf8_lossy(&bytes))
            .map_err(|why| not_read(Why::TooMuch(why)))?;
        let file = Arc::new(file);
        let mut known = self.0.lock();
        if known.files.len() >= MOST_KNOWN || known.patterns + file.patterns() > MOST_KNOWN_PATTERNS {
            *known = Known::default();
        }
        known.patterns += file.patterns();
        if let Some((_, old)) = known.files.insert(path.to_owned(), (stamp, Arc::clone(&file))) {
            known.patterns -= old.patterns();
        }
        Ok(Some(file))
    }
}

/// Whether a folder is the root of a repository's work tree.
fn is_repository(folder: &Path) -> bool {
    is_there(&folder.join(".git"))
}

/// The `info` folder of a repository, which linked work trees share (`gitrepository-layout`, `commondir`).
fn info_folder(root: &Path) -> PathBuf {
    let line = |path: &Path| {
        let bytes = read::bytes(path, MOST_LINE_BYTES, Links::Follow).ok()?;
        Some(String::from_utf8(bytes).ok()?.trim_end().to_owned())
    };
    let dot_git = root.join(".git");
    let named = line(&dot_git).and_then(|it| Some(root.join(it.strip_prefix("gitdir:")?.trim_start())));
    let own = named.unwrap_or(dot_git);
    let shared = line(&own.join("commondir")).map(|it| own.join(it));
    shared.unwrap_or(own).join("info")
}

impl fmt::Debug for IgnoreFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IgnoreFiles").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(names: &[&str], expect: Expect) {
        let folder = tempfile::tempdir().unwrap();
        // Resolve links in the temporary path itself, which are not under test.
        let root = std::fs::canonicalize(folder.path()).unwrap();
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("repository/.git/info/exclude", "private.md\n");
        write("repository/.gitignore", "/target\n*.local\n");
        write("repository/app/.tandemignore", "vendor/\n");
        write("plain/.gitignore", "*.local\n");
        write("outside/.gitignore", "*\n");
        write("home/id_rsa", "canary");
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.join("home/id_rsa"), root.join("plain/notes.txt")).unwrap();
        write("many/.gitignore", &"a\n".repeat(100_000));
        write("wild/.gitignore", &"a*b\n".repeat(3_000));
        write("wide/.gitignore", &"a".repeat(5_000));
        write("large/.gitignore", &"# all is said\n".repeat(100_000));
        write("folder/.gitignore/a", "*\n");
        write("nested/.gitignore", &"a\n".repeat(6_000));
        write("nested/in/.gitignore", &"b\n".repeat(6_000));
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;

            for name in ["endless", "pipe", "loop", "link"] {
                std::fs::create_dir(root.join(name)).unwrap();
            }
            symlink("/dev/zero", root.join("endless/.aiignore")).unwrap();
            symlink("../plain/.gitignore", root.join("link/.gitignore")).unwrap();
            symlink(".tandemignore", root.join("loop/.tandemignore")).unwrap();
            crate::disk::pipe(root.join("pipe/.gitignore"));
        }
        let mut folders = vec![root.join("repository/app")];
        for name in
            ["plain", "many", "wild", "wide", "large", "folder", "nested", "endless", "pipe", "loop", "link"]
        {
            folders.push(root.join(name));
        }
        let rules = PathRules::new(&[], &["b.local".to_owned()]).0;
        let shown: String = names
            .iter()
            .map(|name| {
                let verdict = IgnoreFiles::default().judge(&root.join(name), &folders, &rules);
                format!("{name}: {} ({verdict})\n", verdict.code())
            })
            .collect();
        expect.assert_eq(&shown);
    }

    #[test]
    fn reads_the_files_on_the_way() {
        let names = [
            "repository/app/src/a.rs",
            "repository/app/a.local",
            "repository/app/b.local",
            "repository/app/vendor/x/a.rs",
            "repository/target/a.rs",
            "repository/private.md",
            "plain/a.local",
            "plain/.env",
            "plain/notes.txt",
            "outside/a.rs",
        ];
        check(
            &names,
            expect![[r#"
            repository/app/src/a.rs: open (it may be shown to a model)
            repository/app/a.local: ignored (`.gitignore` has `*.local`)
            repository/app/b.local: open (it may be shown to a model)
            repository/app/vendor/x/a.rs: ignored (`.tandemignore` has `vendor/`)
            repository/target/a.rs: ignored (`.gitignore` has `/target`)
            repository/private.md: ignored (`.git/info/exclude` has `private.md`)
            plain/a.local: ignored (`.gitignore` has `*.local`)
            plain/.env: secret (files called `.env` hold secrets)
            plain/notes.txt: secret (files called `id_rsa*` hold secrets)
            outside/a.rs: open (it may be shown to a model)
        "#]],
        );
    }

    #[test]
    fn what_is_too_much_or_no_file_cannot_be_read() {
        let names = [
            "many/a.rs",
            "wild/a.rs",
            "wide/a.rs",
            "large/a.rs",
            "folder/a.rs",
            "nested/a.rs",
            "nested/in/a.rs",
        ];
        check(
            &names,
            expect![[r#"
            many/a.rs: ignored (`.gitignore` cannot be read (there are more than 10000 patterns))
            wild/a.rs: ignored (`.gitignore` cannot be read (there are more than 1000 patterns with wildcards))
            wide/a.rs: ignored (`.gitignore` cannot be read (a pattern has more than 4096 bytes))
            large/a.rs: ignored (`.gitignore` cannot be read (it has more than 1048576 bytes))
            folder/a.rs: open (it may be shown to a model)
            nested/a.rs: open (it may be shown to a model)
            nested/in/a.rs: ignored (`.gitignore` cannot be read (there are more than 10000 patterns))
        "#]],
        );
        #[cfg(unix)]
        check(
            &["endless/a.rs", "pipe/a.rs", "loop/a.rs", "link/a.local", "link/a.rs"],
            expect![[r#"
            endless/a.rs: ignored (`.aiignore` cannot be read (it is no regular file))
            pipe/a.rs: ignored (`.gitignore` cannot be read (it is no regular file))
            loop/a.rs: ignored (`.tandemignore` cannot be read (filesystem loop or indirection limit (e.g. symlink loop)))
            link/a.local: ignored (`.gitignore` has `*.local`)
            link/a.rs: open (it may be shown to a model)
        "#]],
        );
    }

    #[test]
    fn a_file_is_read_once_for_as_long_as_it_stays_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        let path = root.join(".gitignore");
        std::fs::write(&path, "a.rs\n").unwrap();
        let ignore_files = IgnoreFiles::default();
        let rules = || ignore_files.rules_in(&root, std::slice::from_ref(&root)).unwrap().pop().unwrap();
        let first = rules();
        for _ in 0..50 {
            assert!(Arc::ptr_eq(&rules(), &first));
        }
        std::fs::write(root.join("other"), "b.rs\n").unwrap();
        std::fs::rename(root.join("other"), &path).unwrap();
        assert!(!Arc::ptr_eq(&rules(), &first), "another file of the same length");
        let judge = |name: &str| {
            ignore_files.judge(&root.join(name), std::slice::from_ref(&root), &PathRules::default())
        };
        assert_eq!((judge("a.rs").code(), judge("b.rs").code()), ("open", "ignored"));
        assert_eq!(ignore_files.0.lock().patterns, 1);
    }

    /// Git's rules end at a repository's root. Those for models hold in everything below them.
    #[test]
    fn repository_within_another_is_not_open() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let place = folder.path().join(path);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, text).unwrap();
        };
        for (path, text) in [
            (".git/HEAD", ""),
            (".git/info/exclude", "excluded.rs\n"),
            (".gitignore", "ignored.rs\n"),
            (".tandemignore", "*.hsm.rs\n"),
            ("in/.git/HEAD", ""),
            ("tree/.git", "gitdir: ../.git/worktrees/tree\n"),
            (".git/worktrees/tree/commondir", "../..\n"),
        ] {
            write(path, text);
        }
        let files = IgnoreFiles::default();
        let folders = [folder.path().to_owned()];
        let mut shown = String::new();
        for path in
            ["a.hsm.rs", "in/a.hsm.rs", "in/ignored.rs", "tree/a.hsm.rs", "tree/excluded.rs", "tree/a.rs"]
        {
            write(path, "");
            let verdict = files.judge(&folder.path().join(path), &folders, &PathRules::default());
            shown += &format!("{path}: {verdict}\n");
        }
        expect![[r#"
            a.hsm.rs: `.tandemignore` has `*.hsm.rs`
            in/a.hsm.rs: `.tandemignore` has `*.hsm.rs`
            in/ignored.rs: it may be shown to a model
            tree/a.hsm.rs: `.tandemignore` has `*.hsm.rs`
            tree/excluded.rs: `.git/info/exclude` has `excluded.rs`
            tree/a.rs: it may be shown to a model
        "#]]
        .assert_eq(&shown);
    }
}
