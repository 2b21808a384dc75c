//! The files to open: every text file below a few folders.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use tower_lsp::gen_lsp_types::Uri;

use crate::dice::Dice;

/// The crates that are opened by default, as prefixes of their folders' names.
const CRATES: [&str; 5] = ["tokio-1", "hyper-1", "clap_builder-", "serde_json-", "ropey-1"];
/// The packages of Python's standard library that are opened by default.
const PACKAGES: [&str; 4] = ["json", "asyncio", "email", "html"];

/// Size in bytes above which a file is considered generated.
const LARGEST: u64 = 1024 * 1024;

/// A file to open.
pub(crate) struct Source {
    pub(crate) uri: String,
    /// The path by which the server shows it to a model, relative to its workspace folder.
    pub(crate) shown: String,
    pub(crate) language: &'static str,
    pub(crate) text: String,
}

pub(crate) struct Corpus {
    pub(crate) sources: Vec<Source>,
    /// The workspace folders.
    pub(crate) roots: Vec<PathBuf>,
    /// Skipped files and folders, with reasons.
    pub(crate) remarks: Vec<String>,
}

/// The existing folders among those that are opened by default, and remarks on the missing ones.
pub(crate) fn default_folders() -> (Vec<PathBuf>, Vec<String>) {
    let (mut folders, mut remarks) = (Vec::new(), Vec::new());
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let registries = home.map_or_else(Vec::new, |home| subfolders(&home.join("registry/src")));
    let crates: Vec<PathBuf> = registries.iter().flat_map(|it| subfolders(it)).collect();
    for name in CRATES {
        let is_it =
            |path: &&PathBuf| path.file_name().is_some_and(|it| it.to_string_lossy().starts_with(name));
        match crates.iter().rfind(is_it) {
            Some(folder) => folders.push(folder.clone()),
            None => remarks.push(format!("no crate {name}* in cargo's registry")),
        }
    }
    let script = "import sysconfig; print(sysconfig.get_path('stdlib'))";
    let library = Command::new("python3").args(["-c", script]).output().ok().filter(|it| it.status.success());
    match library {
        Some(output) => {
            let library = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
            for name in PACKAGES {
                let folder = library.join(name);
                if folder.is_dir() {
                    folders.push(folder);
                } else {
                    remarks.push(format!("no package {name} in Python's library"));
                }
            }
        }
        None => remarks.push("no python3, so none of its library".to_owned()),
    }
    (folders, remarks)
}

/// Reads every file below the folders. One in eight texts gets line ends `\r\n`.
pub(crate) fn gather(folders: &[PathBuf], dice: &mut Dice) -> Result<Corpus> {
    let mut corpus = Corpus { sources: Vec::new(), roots: Vec::new(), remarks: Vec::new() };
    let mut paths = Vec::new();
    for folder in folders {
        let folder = folder.canonicalize().with_context(|| format!("no folder {}", folder.display()))?;
        ensure!(folder.is_dir(), "{} is no folder", folder.display());
        // The folder's own name is part of the shown path, which distinguishes files of different folders.
        let root = folder.parent().unwrap_or(&folder).to_path_buf();
        if !corpus.roots.contains(&root) {
            corpus.roots.push(root);
        }
        walk(&folder, &mut paths);
    }
    paths.sort();
    paths.dedup();
    let mut passed_over = Vec::new();
    for path in paths {
        let small = fs::metadata(&path).is_ok_and(|it| it.len() <= LARGEST);
        let text = fs::read(&path).ok().filter(|_| small).and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(mut text) = text else {
            passed_over.push(path);
            continue;
        };
        if dice.below(8) == 0 && !text.contains('\r') {
            text = text.replace('\n', "\r\n");
        }
        let uri =
            Uri::from_file_path(&path).ok().with_context(|| format!("no URI for {}", path.display()))?;
        let below = corpus.roots.iter().filter_map(|root| path.strip_prefix(root).ok());
        let shown = below.min_by_key(|it| it.components().count()).unwrap_or(&path);
        let parts: Vec<_> = shown.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let (shown, language) = (parts.join("/"), language(&path));
        corpus.sources.push(Source { uri: uri.to_string(), shown, language, text });
    }
    if let [first, ..] = passed_over.as_slice() {
        let (number, first) = (passed_over.len(), first.display());
        corpus.remarks.push(format!("passed over {number} files, such as {first}: no text, or very large"));
    }
    ensure!(!corpus.sources.is_empty(), "there is no file to open");
    Ok(corpus)
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut folders: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), files),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
}

/// The language id of a file.
fn language(path: &Path) -> &'static str {
    match path.extension().and_then(|it| it.to_str()) {
        Some("rs") => "rust",
        Some("py") => "python",
        Some("toml") => "toml",
        Some("md") => "markdown",
        Some("json") => "json",
        Some("yml" | "yaml") => "yaml",
        Some("sh") => "shellscript",
        _ => "plaintext",
    }
}
