//! The project as a planner sees it.
//!
//! These are the files, and what they define, as far as there is room.

use std::collections::HashSet;
use std::path::Path;

use super::project::Project;
use crate::text::{floor_boundary, ident};
use crate::workspace::FileSymbols;

/// Bytes of outlines, about 16,000 tokens.
const OUTLINE_BYTES: usize = 48 * 1024;
/// Bytes of one file's outline.
const ONE_OUTLINE: usize = 6 * 1024;
/// Bytes of all paths that have no outline.
const PATH_BYTES: usize = 16 * 1024;

/// The project's known files by path.
///
/// With them come outlines of those that the instruction is most likely about.
pub(super) fn overview(project: &Project, instruction: &str) -> String {
    let words: HashSet<String> =
        ident::words(instruction).filter(|word| word.len() > 2).map(str::to_lowercase).collect();
    let paths = project.workspace.paths();
    let mut files: Vec<Seen> = paths.iter().filter_map(|path| Seen::new(project, path, &words)).collect();
    // Those that the instruction names first.
    let mut ranked: Vec<usize> = (0..files.len()).collect();
    ranked.sort_by_key(|at| (std::cmp::Reverse(files[*at].score), *at));
    let (mut outlines, mut names, mut left_out) = (0, 0, 0);
    for at in ranked {
        let file = &mut files[at];
        if outlines + file.outline.len() <= OUTLINE_BYTES {
            outlines += file.outline.len();
        } else {
            file.outline.clear();
            names += file.path.len() + 1;
            file.is_left_out = names > PATH_BYTES;
            left_out += usize::from(file.is_left_out);
        }
    }
    let mut text = String::with_capacity(outlines + names.min(PATH_BYTES) + files.len());
    for file in files.iter().filter(|file| !file.is_left_out) {
        text.push_str(&file.path);
        text.push('\n');
        text.push_str(&file.outline);
    }
    if left_out > 0 {
        text.push_str(&format!("… and {left_out} more files\n"));
    }
    text
}

/// A file with its outline.
struct Seen {
    path: String,
    outline: String,
    /// How much of it the instruction names.
    score: usize,
    is_left_out: bool,
}

impl Seen {
    fn new(project: &Project, path: &Path, words: &HashSet<String>) -> Option<Self> {
        if !path.starts_with(&project.root) {
            return None;
        }
        let symbols = project.workspace.symbols(path)?;
        let path = project.shown(path);
        let is_named = |word: &str| words.contains(&word.to_lowercase());
        let parts = path.split(|it: char| !it.is_alphanumeric()).filter(|part| is_named(part)).count();
        let names = symbols.definitions().filter(|it| is_named(it.name)).count();
        Some(Self { outline: outline(&symbols), score: 3 * parts + 2 * names, path, is_left_out: false })
    }
}

/// A file's outline, indented below its path and cut where it is long.
pub(super) fn outline(symbols: &FileSymbols) -> String {
    let mut text = String::new();
    for line in symbols.outline().lines() {
        if text.len() + line.len() > ONE_OUTLINE {
            text.push_str("    …\n");
            break;
        }
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// At most so many bytes of a text, at whole lines.
pub(super) fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = floor_boundary(text, most);
    text[..end].rfind('\n').map_or(&text[..end], |line| &text[..=line])
}
