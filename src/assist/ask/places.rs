//! Looks up the locations that an answer cites: in the index, else on disk.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::answer::CitedLocation;
use super::request::AskRequest;
use crate::disk::{self, Links};
use crate::privacy::{self, TextKind, Verdict};
use crate::workspace::{MOST_FILE_BYTES, read_text};

/// The result of looking up a path and a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LookedUp {
    Exists(CitedLocation),
    /// The file does not exist, or may not be shown to a model.
    NoFile,
    /// The file ends before that line; holds its number of lines.
    NoLine(usize),
    /// Several files match the path; holds their number.
    Several(usize),
}

/// A file and its path as shown.
struct Known {
    shown: Arc<str>,
    file: PathBuf,
}

/// The files of a project, by the paths that a model sees.
pub(super) struct Places {
    request: AskRequest,
    known: Vec<Known>,
    /// The lines of the files read so far; `None` for an unreadable file.
    read: HashMap<PathBuf, Option<Arc<[String]>>>,
}

impl Places {
    /// The files of a project. Paths are collected at the first lookup.
    pub(super) fn new(request: AskRequest) -> Self {
        Self { request, known: Vec::new(), read: HashMap::new() }
    }

    /// The known files that a path can mean.
    ///
    /// It is the file that is shown under this path, else all files whose paths end with it.
    fn meant(&mut self, path: &str) -> Vec<Known> {
        if self.known.is_empty() {
            let shown =
                |file: &Arc<Path>| Known { shown: (self.request.shown)(file), file: file.to_path_buf() };
            self.known = self.request.workspace.paths().iter().map(shown).collect();
        }
        let path = path.trim_start_matches("./");
        let copy = |it: &Known| Known { shown: Arc::clone(&it.shown), file: it.file.clone() };
        let whole: Vec<Known> = self
            .known
            .iter()
            .filter(|it| *it.shown == *path || it.file == Path::new(path))
            .map(copy)
            .collect();
        if !whole.is_empty() || path.is_empty() {
            return whole;
        }
        let ends = |it: &&Known| it.shown.strip_suffix(path).is_some_and(|before| before.ends_with('/'));
        self.known.iter().filter(ends).map(copy).collect()
    }

    /// Whether a path means a known file. Does not access the disk.
    pub(super) fn is_known(&mut self, path: &str) -> bool {
        !self.meant(path).is_empty()
    }

    /// Whether a path means a file. Blocks on disk reads.
    pub(super) fn is_file(&mut self, path: &str) -> bool {
        self.is_known(path) || self.on_disk(path).is_some()
    }

    /// Looks up a location. Blocks on disk reads.
    pub(super) fn look_up(&mut self, path: &str, line: usize) -> LookedUp {
        let mut meant = self.meant(path);
        if meant.len() > 1 {
            return LookedUp::Several(meant.len());
        }
        let Some(Known { shown, file }) = meant.pop().or_else(|| self.on_disk(path)) else {
            return LookedUp::NoFile;
        };
        let Some(lines) = self.lines(&file) else { return LookedUp::NoFile };
        match line.checked_sub(1).and_then(|at| lines.get(at)) {
            Some(text) => {
                let is_shown = privacy::find_in(text, TextKind::of(&shown, "")).is_empty();
                let text = if is_shown { text.trim().to_owned() } else { String::new() };
                LookedUp::Exists(CitedLocation { path: shown, file, line, text })
            }
            None => LookedUp::NoLine(lines.len()),
        }
    }

    /// A file below a root that is not in the index, such as a file in an unknown language.
    fn on_disk(&self, path: &str) -> Option<Known> {
        let path = Path::new(path.trim_start_matches("./"));
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if path.as_os_str().is_empty() || !path.components().all(is_plain) {
            return None;
        }
        self.request.roots.iter().find_map(|root| {
            let file = root.join(path);
            let real = disk::real(&file).ok()?;
            let is_within = disk::real(root).is_ok_and(|root| real.starts_with(root));
            let is_file = disk::metadata(&real, Links::Follow).is_ok_and(|it| it.is_file());
            let is_open = is_within && is_file && (self.request.access)(&file) == Verdict::Open;
            is_open.then(|| Known { shown: (self.request.shown)(&file), file })
        })
    }

    fn lines(&mut self, file: &Path) -> Option<Arc<[String]>> {
        if let Some(known) = self.read.get(file) {
            return known.clone();
        }
        let text = self.request.workspace.text(file).ok();
        // A symlink leads to a file that may be shown, else it would not have been found.
        let text = text.or_else(|| read_text(file, MOST_FILE_BYTES).ok());
        let lines = text.map(|text| text.lines().map(str::to_owned).collect::<Arc<[String]>>());
        self.read.insert(file.to_owned(), lines.clone());
        lines
    }
}
