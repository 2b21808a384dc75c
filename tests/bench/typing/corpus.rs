//! The files that are typed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Lines that are typed at each place.
const TYPED_LINES: usize = 40;
/// Lines that a file needs to be chosen, and may have.
const LINES: std::ops::RangeInclusive<usize> = 150..=3000;
/// Files of a language that are chosen, unless told otherwise.
pub(crate) const FILES: usize = 24;
/// Bytes of the nearest files of a package, and of each of them, that an editor may have open beside.
const NEIGHBORS_BYTES: usize = 200_000;
const NEIGHBOR_BYTES: usize = 100_000;

/// A place in a file: what stands above, what is typed, what stands below.
pub(crate) struct Sample {
    pub(crate) language: String,
    pub(crate) above: String,
    pub(crate) typed: String,
    pub(crate) below: String,
    /// The nearest files of its package, the nearest first.
    pub(crate) neighbors: std::rc::Rc<[String]>,
}

/// The files of a list.
pub(crate) fn listed(list: &str) -> Vec<Sample> {
    let text = std::fs::read_to_string(list).unwrap();
    let rows = text.lines().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[0].to_owned(), PathBuf::from(fields[1]), PathBuf::from(fields[2]))
    });
    samples(rows)
}

/// So many files of each language, from installed crates, Python's library, and some folders.
pub(crate) fn installed(folders: &[String], most: usize) -> Vec<Sample> {
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let registries = cargo.map(|home| subfolders(&home.join("registry/src"))).unwrap_or_default();
    let mut packages: Vec<PathBuf> = registries.iter().flat_map(|it| subfolders(it)).collect();
    let script = "import sysconfig; print(sysconfig.get_paths()['stdlib'])";
    if let Ok(output) = Command::new("python3").args(["-c", script]).output() {
        packages.push(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    }
    packages.extend(folders.iter().map(PathBuf::from));
    // Some files of each language, from as many packages as possible.
    let mut chosen: BTreeMap<String, Vec<(usize, u64, PathBuf, PathBuf)>> = BTreeMap::new();
    for package in packages {
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        let mut files: Vec<(u64, PathBuf)> = files_of(&package)
            .into_iter()
            .map(|path| (mixed(path.to_string_lossy().as_bytes()), path))
            .collect();
        files.sort();
        for (order, path) in files {
            let Some(language) = language(&path) else { continue };
            let taken = taken.entry(language.to_owned()).or_default();
            if *taken < most && is_fit(&path) {
                let rows = chosen.entry(language.to_owned()).or_default();
                rows.push((*taken, order, path, package.clone()));
                *taken += 1;
            }
        }
    }
    let rows = chosen.into_iter().flat_map(|(language, mut rows)| {
        rows.sort();
        rows.into_iter().take(most).map(move |(_, _, path, package)| (language.clone(), path, package))
    });
    samples(rows)
}

fn samples(rows: impl Iterator<Item = (String, PathBuf, PathBuf)>) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (language, path, package) in rows {
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let neighbors: std::rc::Rc<[String]> = neighbors(&path, &package).into();
        for part in [1, 3] {
            let at = lines.len().saturating_sub(50) * part / 4;
            let end = (at + TYPED_LINES).min(lines.len());
            samples.push(Sample {
                language: language.clone(),
                above: lines[..at].concat(),
                typed: lines[at..end].concat(),
                below: lines[end..].concat(),
                neighbors: std::rc::Rc::clone(&neighbors),
            });
        }
    }
    samples
}

/// The texts of the package's files that are nearest to one, as many as an editor may have open.
fn neighbors(path: &Path, package: &Path) -> Vec<String> {
    let mut files = files_of(package);
    files.retain(|other| other.extension() == path.extension() && other != path);
    let common = |other: &Path| other.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    files.sort_by_cached_key(|it| (usize::MAX - common(it), it.components().count(), it.clone()));
    let mut bytes = 0;
    let mut texts = Vec::new();
    for file in files {
        let Some(text) = std::fs::read_to_string(file).ok().filter(|it| it.len() <= NEIGHBOR_BYTES) else {
            continue;
        };
        bytes += text.len();
        texts.push(text);
        if bytes > NEIGHBORS_BYTES {
            break;
        }
    }
    texts
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop().filter(|_| files.len() < 5000) {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true if path.ends_with("site-packages") || path.ends_with("test") => {}
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|it| it.path()).filter(|it| it.is_dir()).collect();
    folders.sort();
    folders
}

/// Whether a file is code that people wrote: neither short nor generated nor minified.
fn is_fit(path: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    let is_generated = text.lines().take(10).any(|line| line.to_lowercase().contains("generated"));
    LINES.contains(&text.lines().count()) && !is_generated && text.lines().all(|line| line.len() < 300)
}

fn language(path: &Path) -> Option<&'static str> {
    Some(match path.extension()?.to_str()? {
        "rs" => "rust",
        "py" => "python",
        "go" => "go",
        "c" | "h" => "c",
        "cc" | "cpp" | "hpp" => "cpp",
        "java" => "java",
        "js" | "mjs" | "cjs" | "jsx" => "javascript",
        "ts" | "tsx" | "mts" => "typescript",
        "rb" => "ruby",
        _ => return None,
    })
}

/// A number that depends on all bytes: an order that is neither alphabetical nor different each time
/// (FNV-1a).
fn mixed(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
