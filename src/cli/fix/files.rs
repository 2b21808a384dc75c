//! Selects the files to fix: those that the user names, or those that a tool reports on.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::Context as _;

use crate::assist::{OtherFile, Packages};
use crate::cli::limits::FILE_BYTES;
use crate::config::Scoped;
use crate::disk::{self, Links, Unreadable};
use crate::document::{Document, DocumentId};
use crate::lock::Mutex;
use crate::privacy::Verdict;
use crate::text::ident;
use crate::tool_output::{Diagnostic, Report};
use crate::workspace::{Listed, Scope, list};

/// Maximum size in bytes of another file in which an import is looked up.
const IMPORTING_FILE_BYTES: u64 = 256 * 1024;
/// Maximum number of other files in which the import of a name is looked up.
pub(super) const IMPORTING_FILES: usize = 8;
/// Maximum number of other files in which the definition of a name is looked up.
const DEFINING_FILES: usize = 64;
/// Maximum number of files that are read for one name, nearest first.
const READ_FILES: usize = 2_000;
/// What a path follows in the name of a document.
const SCHEME: &str = "file://";
/// Lines at the beginning of a file that are searched for a mark of generated code.
const MARKED_LINES: usize = 10;

/// A real path, and the path that is shown to the user.
type ShownPath = (PathBuf, String);

/// A file to fix.
pub(super) struct Wanted {
    path: PathBuf,
    pub(super) shown: String,
    /// The tool's reports on it; `None` without a tool.
    pub(super) diagnostics: Option<Vec<Diagnostic>>,
}

/// A file to fix, with its text.
pub(super) struct FileToFix {
    pub(super) path: PathBuf,
    pub(super) shown: String,
    pub(super) text: String,
    pub(super) document: Document,
    /// The tool's reports on it; `None` without a tool.
    pub(super) diagnostics: Option<Vec<Diagnostic>>,
}

/// Another file, in which imports and definitions are looked up.
struct Other {
    text: String,
    imports: OnceLock<Arc<OtherFile>>,
}

/// The slot of another file, filled when it is first needed; `None` inside if the file cannot be read.
type OtherPlace = Arc<OnceLock<Option<Other>>>;

/// A file that is not fixed, though the user names it or a tool reports on it.
#[derive(Debug)]
pub(super) struct PassedOver {
    path: String,
    why: String,
    reports: usize,
}

/// The files below the current folder, shared by several threads.
pub(super) struct Files<'a> {
    root: &'a Path,
    settings: &'a Scoped,
    /// The number of reports for each file that is passed over, by path and reason.
    pub(super) passed_over: BTreeMap<(String, String), usize>,
    /// All source files below the folder, listed when first needed.
    sources: OnceLock<Vec<Listed>>,
    packages: OnceLock<Packages>,
    read: Mutex<HashMap<PathBuf, OtherPlace>>,
}

impl<'a> Files<'a> {
    pub(super) fn new(root: &'a Path, settings: &'a Scoped) -> Self {
        Self {
            root,
            settings,
            passed_over: BTreeMap::new(),
            sources: OnceLock::new(),
            packages: OnceLock::new(),
            read: Mutex::default(),
        }
    }

    /// The files to fix, in order.
    ///
    /// # Errors
    ///
    /// A named file does not exist.
    pub(super) fn wanted(
        &mut self,
        named: &[PathBuf],
        report: Option<&Report>,
    ) -> anyhow::Result<Vec<Wanted>> {
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut shown: HashMap<PathBuf, String> = HashMap::new();
        for path in named {
            let real = std::fs::canonicalize(path).map_err(Unreadable::from);
            let real = real.with_context(|| format!("cannot read {}", path.display()))?;
            if let Entry::Vacant(new) = shown.entry(real.clone()) {
                let shown = new.insert(path.display().to_string()).clone();
                wanted.push(Wanted { path: real, shown, diagnostics: None });
            }
        }
        let Some(report) = report else { return Ok(wanted) };
        let mut by_file: BTreeMap<ShownPath, Vec<Diagnostic>> = BTreeMap::new();
        for diagnostic in &report.diagnostics {
            let place = self.below_root(&diagnostic.path).and_then(|(path, below)| match shown.is_empty() {
                true => Ok((path, below)),
                false => shown.get(&path).map(|it| (path, it.clone())).ok_or("it was not named"),
            });
            match place {
                Ok(shown) => by_file.entry(shown).or_default().push(diagnostic.clone()),
                Err(why) => {
                    let (path, why) = (diagnostic.path.clone(), why.to_owned());
                    self.pass_over(PassedOver { path, why, reports: 1 });
                }
            }
        }
        let wanted = |((path, shown), diagnostics)| Wanted { path, shown, diagnostics: Some(diagnostics) };
        Ok(by_file.into_iter().map(wanted).collect())
    }

    /// Counts the reports on a file that is not fixed.
    pub(super) fn pass_over(&mut self, PassedOver { path, why, reports }: PassedOver) {
        *self.passed_over.entry((path, why)).or_default() += reports;
    }

    /// The real path of a file that a tool names, checked after links are resolved, and the path to show.
    fn below_root(&self, path: &str) -> Result<ShownPath, &'static str> {
        let real = std::fs::canonicalize(self.root.join(path)).map_err(|_| "there is no such file")?;
        let root = std::fs::canonicalize(self.root).map_err(|_| "the current folder cannot be read")?;
        let below = real.strip_prefix(&root).map_err(|_| "it is not below the current folder")?;
        if below.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
            return Err("it belongs to git");
        }
        let shown = below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
        Ok((real, shown))
    }

    /// Reads a file, unless it is passed over.
    pub(super) fn open(&self, wanted: Wanted) -> Result<FileToFix, PassedOver> {
        let Wanted { path, shown, diagnostics } = wanted;
        match self.text(&path) {
            Ok(text) => {
                let document = Document::new(id_of(&path), "", 0, &text);
                Ok(FileToFix { path, shown, text, document, diagnostics })
            }
            Err(why) => Err(PassedOver { path: shown, why, reports: diagnostics.map_or(0, |it| it.len()) }),
        }
    }

    /// The text of a file, or why it must not be changed.
    fn text(&self, path: &Path) -> Result<String, String> {
        if let Verdict::Secret(why) = self.settings.verdict(path) {
            return Err(why.to_string());
        }
        let text = disk::text(path, FILE_BYTES, Links::Follow).map_err(|error| error.to_string())?;
        if text.contains('\0') {
            return Err("it is no text".to_owned());
        }
        if is_generated(&text) {
            return Err("it is generated".to_owned());
        }
        Ok(text)
    }

    /// Other files of the same language that contain a name, nearest first.
    pub(super) fn with_name(&self, work: &FileToFix, name: &str, most: usize) -> Vec<Arc<OtherFile>> {
        let mut found = Vec::new();
        for path in self.near(work, |_| true) {
            if let Some(other) = self.other(&path, Some(name)) {
                found.push(other);
            }
            if found.len() == most {
                break;
            }
        }
        found
    }

    /// Whether another file shows what a file can import.
    pub(super) fn is_evidence(&self, work: &FileToFix, uri: &str) -> bool {
        let paths = || self.sources().iter().map(|it| &*it.path);
        let packages = self.packages.get_or_init(|| Packages::among(paths()));
        uri.strip_prefix(SCHEME).is_some_and(|path| packages.is_evidence(Path::new(path), &work.path))
    }

    /// Whether another file of the same language defines or imports a name.
    ///
    /// A word in many files is assumed to be a name of the project.
    pub(super) fn has(&self, work: &FileToFix, name: &str) -> bool {
        let found = self.with_name(work, name, DEFINING_FILES);
        found.len() == DEFINING_FILES || found.iter().any(|it| it.has(name))
    }

    /// The URIs of all other files that define a name as something other than a member.
    ///
    /// `None` if too many files contain the name.
    pub(super) fn definers(&self, work: &FileToFix, name: &str) -> Option<Vec<String>> {
        let found = self.with_name(work, name, DEFINING_FILES);
        let defining = found.iter().filter(|it| it.defines(name)).map(|it| it.uri().to_owned());
        (found.len() < DEFINING_FILES).then(|| defining.collect())
    }

    /// The names that can be imported from the files that a module name can mean; `None` if there is no such file.
    pub(super) fn module(&self, work: &FileToFix, name: &str) -> Option<Vec<String>> {
        let found = self.of_module(work, name);
        let names = found.iter().flat_map(|it| it.exports()).map(str::to_owned).collect();
        (!found.is_empty()).then_some(names)
    }

    /// What the files that a module name can mean import as they are loaded.
    pub(super) fn loaded_by(&self, work: &FileToFix, module: &str) -> Vec<String> {
        let found = self.of_module(work, module);
        found.iter().flat_map(|it| it.loads()).map(str::to_owned).collect()
    }

    /// The files that a module name can mean.
    fn of_module(&self, work: &FileToFix, name: &str) -> Vec<Arc<OtherFile>> {
        let is_named = |path: &Path| {
            let stem = |path: &Path| path.file_stem().is_some_and(|stem| stem == name);
            let folders = work.document.grammar().map_or(&[][..], |it| &it.facts().folder_files);
            let is_of_folder = folders.iter().any(|it| path.file_stem().is_some_and(|stem| *stem == **it));
            stem(path) || is_of_folder && path.parent().is_some_and(stem)
        };
        let paths = self.near(work, is_named);
        paths.iter().filter_map(|path| self.other(path, None)).collect()
    }

    /// Whether a folder with another file of the same language has a name.
    pub(super) fn has_folder(&self, work: &FileToFix, name: &str) -> bool {
        !self.near(work, |path| in_folder(path, name)).is_empty()
    }

    /// All source files below the folder.
    fn sources(&self) -> &[Listed] {
        let (root, settings) = (self.root, self.settings);
        self.sources.get_or_init(|| {
            let denied = |path: &Path| settings.verdict(path) != Verdict::Open;
            let roots = [root.to_owned()];
            list(Scope { roots: &roots, denied: &denied, cancelled: &|| false, is_background: false }).files
        })
    }

    /// The paths of other files of the same language, the nearest first.
    fn near(&self, work: &FileToFix, is_wanted: impl Fn(&Path) -> bool) -> Vec<Arc<Path>> {
        let Some(grammar) = work.document.grammar() else { return Vec::new() };
        let shared = |path: &Path| path.iter().zip(work.path.iter()).take_while(|(a, b)| a == b).count();
        let is_other = |it: &&Listed| {
            it.grammar.family() == grammar.family() && *it.path != *work.path && is_wanted(&it.path)
        };
        let mut near: Vec<&Listed> = self.sources().iter().filter(is_other).collect();
        near.sort_by_key(|it| Reverse(shared(&it.path)));
        near.into_iter().take(READ_FILES).map(|it| it.path.clone()).collect()
    }

    /// The imports and definitions of a file; `None` if it cannot be read or does not contain the given name.
    fn other(&self, path: &Path, name: Option<&str>) -> Option<Arc<OtherFile>> {
        let place = {
            let mut read = self.read.lock();
            match read.get(path) {
                Some(place) => Arc::clone(place),
                None => Arc::clone(read.entry(path.to_path_buf()).or_default()),
            }
        };
        let read = || {
            let text = disk::text(path, IMPORTING_FILE_BYTES, Links::Refuse).ok()?;
            Some(Other { text, imports: OnceLock::new() })
        };
        let other = place.get_or_init(read).as_ref()?;
        if name.is_some_and(|name| !ident::has_word(&other.text, name)) {
            return None;
        }
        let read = || Arc::new(OtherFile::read(&Document::new(id_of(path), "", 0, &other.text)));
        Some(Arc::clone(other.imports.get_or_init(read)))
    }
}

fn in_folder(path: &Path, name: &str) -> bool {
    path.parent().and_then(Path::file_name).is_some_and(|it| it == name)
}

fn id_of(path: &Path) -> DocumentId {
    DocumentId::new(&format!("{SCHEME}{}", path.display()))
}

/// Whether a file is marked as generated by a program.
fn is_generated(text: &str) -> bool {
    const MARKS: [&str; 3] = ["@generated", "DO NOT EDIT", "Code generated by"];
    text.lines().take(MARKED_LINES).any(|line| MARKS.iter().any(|mark| line.contains(mark)))
}
