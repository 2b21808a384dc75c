//! The installed packages that files are taken from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names of folders whose subfolders are packages, at any depth.
const COLLECTIONS: [&str; 2] = ["node_modules", "site-packages"];
/// Folders of a package that hold tests or compiler output.
const LEFT_OUT: [&str; 7] = ["test", "dist", "build", "esm", "cjs", "umd", "bundles"];

/// The contents of one folder, and the names by which it is divided into halves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Package {
    pub(crate) folder: PathBuf,
    /// A language's own library: each part of it counts as a separate package.
    is_library: bool,
}

impl Package {
    /// The name of the package that a file belongs to, without a version.
    ///
    /// All versions of a crate are in the same half, wherever they are installed.
    pub(crate) fn name(&self, file: &Path) -> String {
        let own = || self.folder.file_name().map(|it| it.to_string_lossy().into_owned());
        let part = || {
            file.strip_prefix(&self.folder).ok()?.iter().next().map(|it| it.to_string_lossy().into_owned())
        };
        let name = if self.is_library { part() } else { own() }.unwrap_or_default();
        let is_version = |at: usize| name[at + 1..].starts_with(|it: char| it.is_ascii_digit());
        let end = name.match_indices(['-', '.']).map(|(at, _)| at).find(|at| is_version(*at));
        name[..end.unwrap_or(name.len())].to_owned()
    }

    /// Its files, without those of nested packages.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        const MOST: usize = 5000;
        let mut files = Vec::new();
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop().filter(|_| files.len() < MOST) {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                match path.is_dir() {
                    true if is_collection(&path) || LEFT_OUT.iter().any(|it| path.ends_with(it)) => {}
                    true => folders.push(path),
                    false => files.push(path),
                }
            }
        }
        files
    }
}

/// The packages of this machine and of some folders, and a remark on each kind that is missing.
pub(crate) fn installed(folders: &[PathBuf]) -> (Vec<Package>, Vec<String>) {
    let (mut packages, mut remarks) = (Vec::new(), Vec::new());
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let registries = cargo.map(|home| subfolders(&home.join("registry/src"))).unwrap_or_default();
    let crates = registries.iter().flat_map(|it| subfolders(it));
    let before = packages.len();
    packages.extend(crates.map(|folder| Package { folder, is_library: false }));
    if packages.len() == before {
        remarks.push("no crates in cargo's registry: run `cargo fetch`".to_owned());
    }
    let script = "import sysconfig; print(sysconfig.get_path('stdlib'))";
    let libraries: [(&str, &[&str], &str); 3] = [
        ("python3", &["-c", script], ""),
        ("go", &["env", "GOROOT"], "src"),
        ("ruby", &["-e", "print RbConfig::CONFIG['rubylibdir']"], ""),
    ];
    for (program, args, below) in libraries {
        match said(program, args).map(|it| Path::new(&it).join(below)).filter(|it| it.is_dir()) {
            Some(folder) => packages.push(Package { folder, is_library: true }),
            None => remarks.push(format!("no {program} here, so no files of its library")),
        }
    }
    let before = packages.len();
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode/node_modules");
    let global = said("npm", &["root", "-g"]).map(PathBuf::from);
    for folder in global.into_iter().chain([plugin]).filter(|it| it.is_dir()) {
        add(&folder, &mut packages);
    }
    if packages.len() == before {
        remarks.push(
            "no npm packages: `npm install --prefix DIR zod rxjs express`, then add DIR/node_modules here"
                .to_owned(),
        );
    }
    for folder in folders {
        match folder.canonicalize() {
            Ok(folder) if folder.is_dir() => add(&folder, &mut packages),
            _ => remarks.push(format!("no folder {}", folder.display())),
        }
    }
    packages.sort();
    packages.dedup();
    (packages, remarks)
}

/// Adds a folder, or the packages in it.
fn add(folder: &Path, packages: &mut Vec<Package>) {
    if !is_collection(folder) {
        packages.push(Package { folder: folder.to_owned(), is_library: false });
        return;
    }
    for inner in subfolders(folder) {
        let is_scope = inner.file_name().is_some_and(|it| it.to_string_lossy().starts_with('@'));
        for package in if is_scope { subfolders(&inner) } else { vec![inner] } {
            let nested = package.join("node_modules");
            packages.push(Package { folder: package, is_library: false });
            if nested.is_dir() {
                add(&nested, packages);
            }
        }
    }
}

fn is_collection(folder: &Path) -> bool {
    COLLECTIONS.iter().any(|name| folder.ends_with(name))
}

/// The output of a program, on one line.
fn said(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok().filter(|it| it.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()).filter(|it| !it.is_empty())
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|it| it.path()).filter(|it| it.is_dir()).collect();
    folders.sort();
    folders
}
