//! Commits of a git folder, read with git itself.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Maximum size of one file in bytes.
const MOST_BYTES: usize = 512 * 1024;

/// A git folder, and a `git` process that serves its objects.
pub(crate) struct Repository {
    folder: PathBuf,
    objects: RefCell<(Child, ChildStdin, BufReader<ChildStdout>)>,
}

/// A file that a commit changes.
#[derive(Debug, Clone)]
pub(crate) struct Changed {
    /// Path and text before the commit; `None` for a new file.
    pub(crate) old: Option<(String, String)>,
    /// Path and text after the commit; `None` for a deleted file.
    pub(crate) new: Option<(String, String)>,
}

/// A commit with one parent.
pub(crate) struct Commit {
    pub(crate) hash: String,
    pub(crate) files: Vec<Changed>,
}

impl Repository {
    pub(crate) fn new(folder: &Path) -> Self {
        let mut child = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { folder: folder.to_owned(), objects: RefCell::new((child, input, output)) }
    }

    /// The newest commits whose number of changed files is in `files`, all of them text.
    pub(crate) fn commits(&self, most: usize, files: RangeInclusive<usize>) -> impl Iterator<Item = Commit> {
        let hashes = self.git(&["log", "--no-merges", "--min-parents=1", "--format=%H"]);
        let hashes: Vec<String> = hashes.lines().map(str::to_owned).collect();
        hashes.into_iter().filter_map(move |hash| self.commit(hash, &files)).take(most)
    }

    fn commit(&self, hash: String, count: &RangeInclusive<usize>) -> Option<Commit> {
        let raw = self.git(&["diff-tree", "-r", "-M", "--raw", "-z", "--no-commit-id", &hash]);
        let mut fields = raw.split('\0').filter(|field| !field.is_empty());
        let mut files = Vec::new();
        while let Some(head) = fields.next() {
            let head: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
            let [old_mode, new_mode, old_hash, new_hash, status] = head[..] else { return None };
            let path = fields.next()?.to_owned();
            let new_path = if status.starts_with('R') { fields.next()?.to_owned() } else { path.clone() };
            if files.len() == *count.end() {
                return None;
            }
            let side = |mode: &str, hash: &str, path: String| match mode {
                "000000" => Some(None),
                "100644" | "100755" => Some(Some((path, self.text(hash)?))),
                _ => None,
            };
            let (old, new) = (side(old_mode, old_hash, path)?, side(new_mode, new_hash, new_path)?);
            // A change of the mode alone does not change the text.
            if old.is_none() || old != new {
                files.push(Changed { old, new });
            }
        }
        count.contains(&files.len()).then_some(Commit { hash, files })
    }

    /// A text by its object name; `None` if it is binary or too long.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let mut objects = self.objects.borrow_mut();
        let (_, input, output) = &mut *objects;
        writeln!(input, "{name}").unwrap();
        input.flush().unwrap();
        let mut head = String::new();
        output.read_line(&mut head).unwrap();
        let size: usize = head.split(' ').nth(2)?.trim().parse().unwrap();
        let mut bytes = vec![0; size + 1];
        output.read_exact(&mut bytes).unwrap();
        bytes.pop();
        let text = String::from_utf8(bytes).ok()?;
        (text.len() <= MOST_BYTES && !text.contains('\0')).then_some(text)
    }

    /// The output of a git command.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git").arg("-C").arg(&self.folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let (child, ..) = self.objects.get_mut();
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
