//! The files to type.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::ValueEnum;
use tandem::text::hash::fnv64;

use crate::packages::{self, Package};

/// Lines typed at each position.
const TYPED_LINES: usize = 40;
/// Minimum and maximum number of lines of an eligible file.
const LINES: std::ops::RangeInclusive<usize> = 150..=3000;
/// Bytes of the nearest files of a package, in total and each, that an editor may have open as well.
const NEIGHBORS_BYTES: usize = 200_000;
const NEIGHBOR_BYTES: usize = 100_000;
/// A file that shares more than one in this many lines with another is a copy of it, such as a second build.
const COPIED_PART: usize = 3;
/// Minimum length in bytes of a line that is compared for this.
const TOLD_BYTES: usize = 12;

/// Which packages are taken.
///
/// A package is on one side by its name, so that nothing is measured on what was fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Half {
    /// Those that constants are fitted on.
    Fit,
    /// The others.
    Check,
}

impl Half {
    fn has(self, name: &str) -> bool {
        (fnv64(name) >> 32) & 1 == u64::from(self == Self::Check)
    }
}

/// A position in a file: the text above, the text to type, the text below.
pub(crate) struct Sample {
    pub(crate) language: String,
    pub(crate) above: String,
    pub(crate) typed: String,
    pub(crate) below: String,
    /// The nearest files of the package, nearest first.
    pub(crate) neighbors: Rc<[String]>,
}

/// `files` files of each language from one half of the installed packages and those in some folders, as samples, and
/// remarks on what is missing.
pub(crate) fn samples(folders: &[PathBuf], files: usize, half: Half) -> (Vec<Sample>, Vec<String>) {
    let (packages, remarks) = packages::installed(folders);
    // Some files of each language, from as many packages as possible.
    let mut chosen: BTreeMap<&str, Vec<(usize, u64, PathBuf, &Package)>> = BTreeMap::new();
    for package in &packages {
        let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
        let paths = package.files().into_iter().filter(|path| half.has(&package.name(path)));
        let mut paths: Vec<(u64, PathBuf)> =
            paths.map(|path| (fnv64(&place(package, &path)), path)).collect();
        paths.sort();
        for (order, path) in paths {
            let Some(language) = language(&path) else { continue };
            let taken = taken.entry(language).or_default();
            if *taken < files && is_fit(&path) {
                chosen.entry(language).or_default().push((*taken, order, path, package));
                *taken += 1;
            }
        }
    }
    let mut samples = Vec::new();
    for (language, mut rows) in chosen {
        rows.sort();
        for (_, _, path, package) in rows.into_iter().take(files) {
            samples.extend(places(language, &path, package));
        }
    }
    (samples, remarks)
}

/// A file's path relative to the folder in which its package is installed.
fn place(package: &Package, path: &Path) -> String {
    let parent = package.folder.parent().unwrap_or(&package.folder);
    path.strip_prefix(parent).unwrap_or(path).to_string_lossy().into_owned()
}

/// The positions of a file.
fn places(language: &str, path: &Path, package: &Package) -> Vec<Sample> {
    let Ok(text) = std::fs::read_to_string(path) else { return Vec::new() };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let neighbors: Rc<[String]> = neighbors(path, &text, package).into();
    let sample = |part: usize| {
        let at = lines.len().saturating_sub(50) * part / 4;
        let end = (at + TYPED_LINES).min(lines.len());
        Sample {
            language: language.to_owned(),
            above: lines[..at].concat(),
            typed: lines[at..end].concat(),
            below: lines[end..].concat(),
            neighbors: Rc::clone(&neighbors),
        }
    };
    vec![sample(1), sample(3)]
}

/// The texts of the package's files that are nearest to a file, as many as an editor may have open.
///
/// Copies of the file are left out: typing would only repeat them.
fn neighbors(path: &Path, text: &str, package: &Package) -> Vec<String> {
    let own: HashSet<&str> = told_lines(text).collect();
    let mut files = package.files();
    files.retain(|other| other.extension() == path.extension() && other != path);
    let common = |other: &Path| other.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    files.sort_by_cached_key(|it| (usize::MAX - common(it), it.components().count(), it.clone()));
    let mut bytes = 0;
    let mut texts = Vec::new();
    for file in files {
        let Some(text) = std::fs::read_to_string(file).ok().filter(|it| it.len() <= NEIGHBOR_BYTES) else {
            continue;
        };
        let lines: HashSet<&str> = told_lines(&text).collect();
        if lines.iter().filter(|line| own.contains(*line)).count() * COPIED_PART > own.len() {
            continue;
        }
        bytes += text.len();
        texts.push(text);
        if bytes > NEIGHBORS_BYTES {
            break;
        }
    }
    texts
}

/// The lines that are long enough to be distinctive.
fn told_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| line.len() >= TOLD_BYTES)
}

/// Whether a file is handwritten code: neither short nor generated nor minified.
fn is_fit(path: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    let is_generated = text.lines().take(10).any(|line| line.to_lowercase().contains("generated"));
    LINES.contains(&text.lines().count()) && !is_generated && text.lines().all(|line| line.len() < 300)
}

fn language(path: &Path) -> Option<&'static str> {
    // Declaration files are written by a compiler.
    if path.file_name()?.to_str()?.contains(".d.") {
        return None;
    }
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
