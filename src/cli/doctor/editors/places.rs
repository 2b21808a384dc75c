//! Where editors keep their programs, plugins and settings by default. Only reads.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::disk::{self, Links};

/// Bytes of one file of settings; larger ones are not read.
const FILE_BYTES: u64 = 512 * 1024;

/// Where editors are looked for.
#[derive(Debug)]
pub(in crate::cli::doctor) struct Places {
    pub(super) home: PathBuf,
    /// The user's configurations, and data.
    pub(super) config: PathBuf,
    pub(super) data: PathBuf,
    /// The search path for programs.
    pub(super) path: OsString,
    /// The folder of a package's plugins, if this program came with one.
    pub(super) bundled: Option<PathBuf>,
}

impl Places {
    /// Those of this machine; `None` without a home.
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

    /// Where a plugin lies, for people.
    pub(super) fn plugin(&self, name: &str, in_repository: &str) -> String {
        let bundled = self.bundled.as_ref().map(|it| it.join(name)).filter(|it| it.exists());
        bundled.map_or_else(|| format!("/path/to/tandem/{in_repository}"), |it| it.display().to_string())
    }
}

/// The text of a file; `None` if it is absent or too large.
pub(super) fn read(path: &Path) -> Option<String> {
    disk::text(path, FILE_BYTES, Links::Follow).ok()
}

/// The names in a folder, in order; `None` if there is no such folder.
pub(super) fn names_in(folder: &Path) -> Option<Vec<String>> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut names: Vec<String> =
        entries.filter_map(|it| Some(it.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.sort();
    Some(names)
}

/// What lies in a folder.
pub(super) fn below(folder: &Path) -> Vec<PathBuf> {
    names_in(folder).unwrap_or_default().iter().map(|it| folder.join(it)).collect()
}
