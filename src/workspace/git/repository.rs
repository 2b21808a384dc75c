//! A repository as passed to git: a private folder with copies of everything except the objects.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tempfile::TempDir;

use super::error::GitError;
use super::program::{LIMIT, MOST_BYTES, Program};
use super::settings::Settings;
use crate::disk::{self, Links, Unreadable};

/// Maximum size of index and refs together, in bytes.
const MOST_COPIED_BYTES: u64 = 512 * 1024 * 1024;
/// Maximum size in bytes of a pointer file, such as `commondir`, or of a configuration.
const MOST_SMALL_BYTES: u64 = 1024 * 1024;
/// Maximum size in bytes of the names passed to one run.
const MOST_NAMES: usize = if cfg!(windows) { 24 * 1024 } else { 96 * 1024 };

/// Two states of the files of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared<'a> {
    /// The last commit, and the staged changes.
    Staged,
    /// A revision, and the files on disk.
    Since(&'a str),
}

/// Whether reflogs are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Logs {
    Copied,
    LeftOut,
}

/// A snapshot of a repository. Changes to its index affect only the copy.
#[derive(Debug)]
pub(super) struct Repository {
    git: Program,
    /// Deleted when this value is dropped.
    _copy: TempDir,
}

impl Repository {
    /// Opens the repository whose work tree is a folder.
    pub(super) fn open(folder: &Path, logs: Logs) -> Result<Self, GitError> {
        let deadline = Instant::now() + LIMIT;
        let work_tree = disk::real(folder).map_err(|error| not_read(folder, error.into()))?;
        let place = GitDirs::of(&work_tree)?;
        let copy = tempfile::Builder::new().prefix("tandem-git-").tempdir().map_err(GitError::NotCopied)?;
        // As on disk, a linked work tree's own files lie within the shared folder.
        let shared = copy.path().join("git");
        let own = if place.is_linked() { shared.join("worktrees").join("own") } else { shared.clone() };
        let mut copying = GitCopy { left: MOST_COPIED_BYTES };
        copying.whole(&place, &own, &shared, logs)?;
        write(&shared.join("config"), Settings::default().text().as_bytes())?;
        let mut git = Program {
            git_folder: own,
            objects: plain(place.shared.join("objects")),
            work_tree: plain(work_tree.clone()),
            home: None,
            deadline,
        };
        let mut settings = Settings::of_user(&git)?;
        git.home = Some(copy.path().to_owned());
        // A work tree in the user's settings would apply to every repository.
        settings.work_tree = None;
        settings.extend(place.settings(&git)?);
        place.check(&work_tree, settings.work_tree.as_deref())?;
        write(&shared.join("config"), settings.text().as_bytes())?;
        Ok(Self { git, _copy: copy })
    }

    /// Checks that no object of another repository can be read as one of this repository.
    pub(super) fn has_its_objects(&self) -> Result<(), GitError> {
        let objects = &self.git.objects;
        let is_link = |path: &Path| disk::metadata(path, Links::Refuse).is_ok_and(|it| it.is_symlink());
        for folder in [objects.clone(), objects.join("info"), objects.join("pack")] {
            let listed = disk::entries(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
            if let Some(link) = std::iter::once(folder).chain(listed).find(|path| is_link(path)) {
                return Err(GitError::OtherObjects(link));
            }
        }
        let alternates = objects.join("info").join("alternates");
        match disk::metadata(&alternates, Links::Refuse) {
            Ok(_) => Err(GitError::OtherObjects(alternates)),
            Err(_) => Ok(()),
        }
    }

    /// The files in the index, and whether their changes are hidden from git.
    pub(super) fn tracked(&self, names: &[&str]) -> Result<BTreeMap<String, bool>, GitError> {
        let listed = self.of_each(&["ls-files", "-v", "-z", "--"], names)?;
        let entry = |entry: &str| {
            let (letter, name) = entry.split_once(' ')?;
            let is_hidden = letter == "S" || letter.starts_with(|it: char| it.is_ascii_lowercase());
            Some((name.to_owned(), is_hidden))
        };
        Ok(String::from_utf8_lossy(&listed).split('\0').filter_map(entry).collect())
    }

    /// Makes changes count that `assume-unchanged` or `skip-worktree` hides.
    pub(super) fn unhide(&self, names: &[&str]) -> Result<(), GitError> {
        if names.is_empty() {
            return Ok(());
        }
        for shown in ["--no-assume-unchanged", "--no-skip-worktree"] {
            self.git.run(&["update-index", shown, "-z", "--stdin"], names.join("\0").as_bytes())?;
        }
        Ok(())
    }

    /// The tracked files that differ from the last commit: on disk, or in the index.
    pub(super) fn changed_since_commit(&self, names: &[&str]) -> Result<Vec<String>, GitError> {
        let status = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no"];
        let listed = self.of_each(&[&status[..], &["--ignore-submodules=all", "--"]].concat(), names)?;
        // Each entry is two letters, a space and a path.
        let listed = String::from_utf8_lossy(&listed);
        Ok(listed.split('\0').filter_map(|entry| entry.get(3..)).map(str::to_owned).collect())
    }

    /// The filters named by the files' attributes, by file.
    pub(super) fn filters<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<BTreeMap<String, String>, GitError> {
        let names: Vec<&str> = names.collect();
        if names.is_empty() {
            return Ok(BTreeMap::new());
        }
        let listed = self.git.run(&["check-attr", "-z", "--stdin", "filter"], names.join("\0").as_bytes())?;
        let listed = String::from_utf8_lossy(&listed);
        let parts: Vec<&str> = listed.split('\0').collect();
        // Each entry is a path, the attribute's name, and its value.
        let entry = |entry: &[&str]| match entry {
            [_, _, "unspecified" | "unset" | "set"] => None,
            [name, _, filter] => Some(((*name).to_owned(), (*filter).to_owned())),
            _ => None,
        };
        Ok(parts.chunks(3).filter_map(entry).collect())
    }

    /// The names of files that differ between two states.
    pub(super) fn changed(&self, compared: Compared<'_>) -> Result<Vec<Vec<u8>>, GitError> {
        let plain = ["--name-only", "-z"];
        let listed = self.git.run(&[&diff(compared)[..], &plain, &sides(compared), &["--"]].concat(), &[])?;
        Ok(listed.split(|byte| *byte == 0).filter(|it| !it.is_empty()).map(<[u8]>::to_vec).collect())
    }

    /// The subjects of the last commits, one per line.
    pub(super) fn subjects(&self, most: usize) -> Result<String, GitError> {
        let most = format!("--max-count={most}");
        let listed = self.git.run(&["log", "--no-merges", "--no-color", "--format=%s", &most], &[])?;
        Ok(String::from_utf8_lossy(&listed).into_owned())
    }

    /// The last commits and the files each changes in place, in git's raw format: after `-z`, a field that
    /// begins with `\x01` is a commit, and one that begins with `:` is followed by its path.
    pub(super) fn raw_log(&self, most: usize) -> Result<Vec<u8>, GitError> {
        let most = format!("--max-count={most}");
        let shown = [
            "--no-color",
            "--raw",
            "-z",
            "--no-abbrev",
            "--no-renames",
            "--diff-filter=M",
            "--format=%x01%H",
        ];
        self.git.run(&[&["log", "--no-merges", "--min-parents=1", &most][..], &shown].concat(), &[])
    }

    /// The sizes of objects, or each size followed by the contents, as `cat-file` prints them.
    pub(super) fn objects(&self, names: &[&str], with_contents: bool) -> Result<Vec<u8>, GitError> {
        let batch = if with_contents { "--batch" } else { "--batch-check" };
        self.git.run(&["cat-file", batch], (names.join("\n") + "\n").as_bytes())
    }

    /// The differences of files, as a unified diff.
    pub(super) fn diff(&self, compared: Compared<'_>, names: &[String]) -> Result<String, GitError> {
        let plain = ["--no-color", "--src-prefix=a/", "--dst-prefix=b/"];
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let arguments = [&diff(compared)[..], &plain, &sides(compared), &["--"]].concat();
        Ok(String::from_utf8_lossy(&self.of_each(&arguments, &names)?).into_owned())
    }

    /// Runs git for `names`, in as many runs as the length of its arguments requires.
    fn of_each(&self, arguments: &[&str], names: &[&str]) -> Result<Vec<u8>, GitError> {
        let mut printed = Vec::new();
        let mut rest = names;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |name: &&&str| {
                bytes += name.len() + 1;
                bytes <= MOST_NAMES
            };
            let count = rest.iter().take_while(fits).count().max(1);
            let (now, later) = rest.split_at(count);
            printed.extend(self.git.run(&[arguments, now].concat(), &[])?);
            if printed.len() as u64 > MOST_BYTES {
                return Err(GitError::TooLong(MOST_BYTES));
            }
            rest = later;
        }
        Ok(printed)
    }
}

fn diff(compared: Compared<'_>) -> [&'static str; 5] {
    // Checking a submodule's files for changes would use its own configuration.
    let submodules = match compared {
        Compared::Staged => "--ignore-submodules=dirty",
        Compared::Since(_) => "--ignore-submodules=all",
    };
    ["diff", "--no-ext-diff", "--no-textconv", "--no-renames", submodules]
}

fn sides(compared: Compared<'_>) -> Vec<&str> {
    match compared {
        Compared::Staged => vec!["--cached"],
        Compared::Since(revision) => vec!["--end-of-options", revision],
    }
}

/// The folders of a repository.
struct GitDirs {
    /// The work tree's own folder, with its index and `HEAD`.
    own: PathBuf,
    /// The folder shared by all work trees of the repository.
    shared: PathBuf,
}

impl GitDirs {
    fn of(work_tree: &Path) -> Result<Self, GitError> {
        let dot_git = work_tree.join(".git");
        let own = match line(&dot_git) {
            Ok(Some(line)) => work_tree.join(line.strip_prefix("gitdir:").unwrap_or(&line).trim_start()),
            Ok(None) | Err(GitError::NotRead { why: Unreadable::Folder, .. }) => dot_git,
            // A link to a folder is not a regular file, either.
            Err(_) if disk::metadata(&dot_git, Links::Follow).is_ok_and(|it| it.is_dir()) => dot_git,
            Err(error) => return Err(error),
        };
        let own = disk::real(&own).map_err(|error| not_read(&own, error.into()))?;
        let shared = match line(&own.join("commondir"))? {
            Some(line) => own.join(line),
            None => own.clone(),
        };
        let shared = disk::real(&shared).map_err(|error| not_read(&shared, error.into()))?;
        Ok(Self { own, shared })
    }

    /// The index; below a `git commit FILE` or `git commit -a`, its temporary index.
    ///
    /// An index elsewhere does not belong to this repository.
    fn index(&self) -> PathBuf {
        let named = std::env::var_os("GIT_INDEX_FILE").and_then(|named| disk::real(Path::new(&named)).ok());
        let named = named.filter(|named| named.parent() == Some(&self.own));
        named.unwrap_or_else(|| self.own.join("index"))
    }

    /// Whether it belongs to a linked work tree rather than the main one.
    fn is_linked(&self) -> bool {
        self.own != self.shared
    }

    fn settings(&self, git: &Program) -> Result<Settings, GitError> {
        let read = |path: PathBuf| match disk::bytes(&path, MOST_SMALL_BYTES, Links::Refuse) {
            Ok(text) => Settings::of_text(git, &text),
            Err(Unreadable::Missing) => Ok(Settings::default()),
            Err(why) => Err(not_read(&path, why)),
        };
        let mut settings = read(self.shared.join("config"))?;
        if self.is_linked() {
            // The setting is for the main work tree.
            settings.work_tree = None;
        }
        if settings.has_another_file {
            settings.extend(read(self.own.join("config.worktree"))?);
        }
        Ok(settings)
    }

    /// Checks that repository and work tree agree, by files outside of the work tree: its own contents are
    /// untrusted.
    fn check(&self, work_tree: &Path, named: Option<&Path>) -> Result<(), GitError> {
        let leads = |path: PathBuf| disk::real(&path).is_ok_and(|it| it == work_tree);
        if let Some(named) = named
            && !leads(self.own.join(named))
        {
            return Err(GitError::OtherWorkTree(self.own.join(named)));
        }
        if self.own.starts_with(work_tree) && self.shared.starts_with(work_tree) {
            return Ok(());
        }
        let leads_back = if self.is_linked() {
            let back = line(&self.own.join("gitdir"))?.map(|line| self.own.join(line));
            self.own.parent() == Some(&self.shared.join("worktrees"))
                && back.and_then(|it| it.parent().map(Path::to_owned)).is_some_and(leads)
        } else {
            named.is_some()
        };
        if leads_back { Ok(()) } else { Err(GitError::NoWayBack(self.shared.clone())) }
    }
}

/// Copies the files that git reads besides objects and configuration, within limits and without following links.
struct GitCopy {
    /// The remaining bytes for all files together.
    left: u64,
}

impl GitCopy {
    fn whole(&mut self, place: &GitDirs, own: &Path, shared: &Path, logs: Logs) -> Result<(), GitError> {
        // git recognizes a repository by these folders.
        for folder in [own.to_owned(), shared.join("refs"), shared.join("info")] {
            fs::create_dir_all(folder).map_err(GitError::NotCopied)?;
        }
        let head = place.own.join("HEAD");
        if !self.file(&head, &own.join("HEAD"))? {
            return Err(not_read(&head, Unreadable::Missing));
        }
        if place.is_linked() {
            write(&own.join("commondir"), b"../..\n")?;
        }
        let listed = disk::entries(&place.own).map_err(|error| not_read(&place.own, error.into()))?;
        for name in listed.flatten().filter_map(|entry| entry.file_name().into_string().ok()) {
            if name.starts_with("sharedindex.") || name.ends_with("_HEAD") {
                self.file(&place.own.join(&name), &own.join(&name))?;
            }
        }
        self.file(&place.index(), &own.join("index"))?;
        for name in ["packed-refs", "shallow", "info/attributes"] {
            self.file(&place.shared.join(name), &shared.join(name))?;
        }
        let folders = ["refs", "reftable", "logs"];
        let folders = if logs == Logs::Copied { &folders[..] } else { &folders[..2] };
        for name in folders {
            self.folder(&place.shared.join(name), &shared.join(name))?;
            if place.is_linked() {
                self.folder(&place.own.join(name), &own.join(name))?;
            }
        }
        Ok(())
    }

    /// Copies a file with its modification time, by which git detects changes; false if there is no file.
    fn file(&mut self, from: &Path, to: &Path) -> Result<bool, GitError> {
        // The time may be that of an earlier text, so git may check too many files, but never too few.
        let time = disk::metadata(from, Links::Refuse).and_then(|it| it.modified()).ok();
        let bytes = match disk::bytes(from, self.left, Links::Refuse) {
            Ok(bytes) => bytes,
            Err(Unreadable::Missing) => return Ok(false),
            Err(why) => return Err(not_read(from, why)),
        };
        self.left -= bytes.len() as u64;
        let file = write(to, &bytes)?;
        time.map_or(Ok(()), |time| file.set_modified(time)).map_err(GitError::NotCopied)?;
        Ok(true)
    }

    fn folder(&mut self, from: &Path, to: &Path) -> Result<(), GitError> {
        match disk::metadata(from, Links::Refuse) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(not_read(from, Unreadable::NotRegular)),
            Err(_) => return Ok(()),
        }
        fs::create_dir_all(to).map_err(GitError::NotCopied)?;
        for entry in disk::entries(from).map_err(|error| not_read(from, error.into()))? {
            let entry = entry.map_err(|error| not_read(from, error.into()))?;
            let (from, to) = (entry.path(), to.join(entry.file_name()));
            if entry.file_type().is_ok_and(|it| it.is_dir()) {
                self.folder(&from, &to)?;
            } else {
                self.file(&from, &to)?;
            }
        }
        Ok(())
    }
}

/// The single line of a pointer file; `None` if there is no such file.
fn line(path: &Path) -> Result<Option<String>, GitError> {
    match disk::text(path, MOST_SMALL_BYTES, Links::Refuse) {
        Ok(text) => Ok(Some(text.trim_end().to_owned())),
        Err(Unreadable::Missing) => Ok(None),
        Err(why) => Err(not_read(path, why)),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<fs::File, GitError> {
    let write = || {
        let mut file = fs::File::create(path)?;
        std::io::Write::write_all(&mut file, bytes)?;
        Ok(file)
    };
    write().map_err(GitError::NotCopied)
}

fn not_read(path: &Path, why: Unreadable) -> GitError {
    GitError::NotRead { path: path.to_owned(), why }
}

/// A path as git accepts it: on Windows, a canonical path has a prefix that git does not know.
fn plain(path: PathBuf) -> PathBuf {
    match path.to_str().and_then(|path| path.strip_prefix(r"\\?\")) {
        Some(path) if !path.starts_with("UNC") => PathBuf::from(path),
        _ => path,
    }
}
