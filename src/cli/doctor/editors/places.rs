//! The default locations of editors' programs, plugins and settings. Only reads.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::disk::{self, Links};

/// The maximum size of a settings file in bytes; larger files are not read.
const FILE_BYTES: u64 = 512 * 1024;

/// The locations to search for editors.
#[derive(Debug)]
pub(in crate::cli::doctor) struct Places {
    pub(super) home: PathBuf,
    /// The user's configuration folder; `data` is the data folder.
    pub(super) config: PathBuf,
    pub(super) data: PathBuf,
    /// The search path for programs.
    pub(super) path: OsString,
    /// The folder of editor plugins that were packaged with this program, if any.
    pub(super) bundled: Option<PathBuf>,
}

impl Places {
    /// The locations of the current user; `None` without a home folder.
    pub(in crate::cli::doctor) fn of_user() -> Option<Self> {
        let folder = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        let home = folder("HOME").or_else(|| folder("USERPROFILE"))?;
        let program = std::env::current_exe().and_then(std::fs::canonicalize).ok();
        let bundled = program.and_then(|it| Some(it.parent()?.parent()?.join("share").join("tandem")));
        Some(Self {
            config: folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
            data: folder("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local").join("share")),
            path: std::env::var_os("PATH").unwrap_or_default(),
            bundled: bundled.filter(|it| it.is_dir()),
            home,
        })
    }

    /// Whether a program is on the search path.
    pub(super) fn has(&self, program: &str) -> bool {
        let names = [program.to_owned(), format!("{program}.exe"), format!("{program}.cmd")];
        std::env::split_paths(&self.path).any(|folder| names.iter().any(|name| folder.join(name).is_file()))
    }

    /// A path that may begin with `~`.
    pub(super) fn below_home(&self, path: &str) -> PathBuf {
        path.strip_prefix("~/").map_or_else(|| PathBuf::from(path), |rest| self.home.join(rest))
    }

    /// The path of a plugin, for display.
    pub(super) fn plugin(&self, name: &str, in_repository: &str) -> String {
        let bundled = self.bundled.as_ref().map(|it| it.join(name)).filter(|it| it.exists());
        bundled.map_or_else(|| format!("/path/to/tandem/{in_repository}"), |it| it.display().to_string())
    }
}

/// The text of a file; `None` if it is absent or too large.
pub(super) fn read(path: &Path) -> Option<String> {
    disk::text(path, FILE_BYTES, Links::Follow).ok()
}

/// The sorted names of a folder's entries; `None` if there is no such folder.
pub(super) fn names_in(folder: &Path) -> Option<Vec<String>> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut names: Vec<String> =
        entries.filter_map(|it| Some(it.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.sort();
    Some(names)
}

/// The paths of a folder's entries.
pub(super) fn below(folder: &Path) -> Vec<PathBuf> {
    names_in(folder).unwrap_or_default().iter().map(|it| folder.join(it)).collect()
}
