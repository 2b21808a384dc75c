//! The project as a planner sees it, in about 8,000 tokens.
//!
//! First come the paths of all files by folder, which change least from one plan to the next. Then come the
//! definitions of files, more of those relevant to the instruction, and last code of the likeliest definitions.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::project::Project;
use crate::budget;
use crate::context::question::{Question, gather};
use crate::privacy::Verdict;
use crate::snapshot::RelatedPart;
use crate::text::floor_boundary;
use crate::workspace::{FileSymbols, Kind, RankedFile, Scope, list};

/// Limit on the bytes of the overview, about 8,000 tokens.
const ALL_BYTES: usize = 27 * 1024;
/// Limit on the bytes of code.
const CODE_BYTES: usize = 6 * 1024;
/// Limit on the bytes of all paths by folder.
const PATH_BYTES: usize = 5 * 1024;
/// Limit on the bytes of one folder's paths, if not all fit.
const FOLDER_BYTES: usize = 400;
/// Files whose definitions are shown with their signatures …
const MOST_OUTLINES: usize = 60;
/// … if their score is at least this fraction of the best score.
const LEAST_LIKELY: f32 = 0.05;
/// Limit on the bytes of one file's outline, for the likeliest files and for others.
const ONE_OUTLINE: usize = 1024;
const SHORT_OUTLINE: usize = 512;
/// Files with an outline of full length.
const FULL_OUTLINES: usize = 12;
/// The indentation of nested definitions in an outline …
const STEP: &str = "    ";
/// … and the deepest level that is shown.
const DEEPEST: usize = 6;
/// Limit on the bytes of the names that a less likely file defines.
const NAME_BYTES: usize = 240;

/// The project's files by folder, their definitions, and code of it, by relevance to an instruction.
///
/// Blocks on disk reads.
pub fn overview(project: &Project, instruction: &str) -> String {
    let ranked = project.workspace.rank(instruction);
    let ranked: Vec<RankedFile> =
        ranked.into_iter().filter(|it| it.path.starts_with(&project.root)).collect();
    let mut text = paths(project, &ranked);
    let code = code(project, instruction);
    let room = ALL_BYTES.saturating_sub(text.len() + code.len());
    for part in [definitions(project, &ranked, room), code].iter().filter(|part| !part.is_empty()) {
        text.push('\n');
        text.push_str(part);
    }
    text
}

/// The names of all files by folder, a line each. A folder with more than fit states how many are missing.
fn paths(project: &Project, ranked: &[RankedFile]) -> String {
    let denied = |path: &Path| project.settings.verdict(path) != Verdict::Open;
    let is_over = budget::watch();
    let roots = [project.root.clone()];
    let scope = Scope { roots: &roots, denied: &denied, cancelled: &is_over, is_background: false };
    let mut folders: Vec<(String, Vec<String>)> = Vec::new();
    let (mut numbers, mut seen): (HashMap<String, usize>, HashSet<Arc<Path>>) = Default::default();
    // The likeliest files and their folders come first, so that they are kept if not all fit.
    for path in ranked.iter().map(|it| Arc::clone(&it.path)).chain(list(scope).others) {
        if seen.insert(Arc::clone(&path)) {
            let shown = project.shown(&path).replace(['\n', '\r'], " ");
            let (folder, name) = shown.rsplit_once('/').unwrap_or((".", &shown));
            let number = *numbers.entry(folder.to_owned()).or_insert(folders.len());
            if number == folders.len() {
                folders.push((folder.to_owned(), Vec::new()));
            }
            folders[number].1.push(name.to_owned());
        }
    }
    let whole: usize = folders.iter().map(|(folder, names)| line_bytes(folder, names)).sum();
    let each = if whole <= PATH_BYTES { usize::MAX } else { FOLDER_BYTES };
    let (mut lines, mut bytes, mut left_out) = (Vec::new(), 0, 0);
    for (folder, names) in &mut folders {
        if each == usize::MAX {
            names.sort_unstable();
        }
        let line = folder_line(folder, names, each);
        if bytes + line.len() > PATH_BYTES {
            left_out += names.len();
        } else {
            bytes += line.len();
            lines.push(line);
        }
    }
    lines.sort_unstable();
    let mut text = lines.concat();
    if left_out > 0 {
        text.push_str(&format!("… and {left_out} more files in other folders\n"));
    }
    text
}

fn line_bytes(folder: &str, names: &[String]) -> usize {
    folder.len() + 3 + names.iter().map(|name| name.len() + 1).sum::<usize>()
}

/// A folder's names, as many as fit.
fn folder_line(folder: &str, names: &[String], most: usize) -> String {
    let mut line = format!("{folder}/:");
    for (at, name) in names.iter().enumerate() {
        if line.len() + name.len() > most {
            line.push_str(&format!(" (+{})", names.len() - at));
            break;
        }
        line.push(' ');
        line.push_str(name);
    }
    line.push('\n');
    line
}

/// The definitions of files, as far as they fit: names, and last the signatures of the likeliest files.
///
/// Signatures take the place of names where room is left.
fn definitions(project: &Project, ranked: &[RankedFile], room: usize) -> String {
    let least = ranked.first().map_or(0.0, |best| LEAST_LIKELY * best.score);
    let (mut parts, mut bytes) = (Vec::new(), 0);
    let mut named = Vec::new();
    for (at, RankedFile { path, score }) in ranked.iter().enumerate() {
        let symbols = project.workspace.symbols(path).filter(|it| it.definitions().len() > 0);
        let Some(symbols) = symbols else { continue };
        let shown = project.shown(path);
        let is_likely = at < MOST_OUTLINES && *score > 0.0 && *score >= least;
        let most = if at < FULL_OUTLINES { ONE_OUTLINE } else { SHORT_OUTLINE };
        let part = match is_likely {
            true => format!("{shown}\n{}", outline(&symbols, most)),
            false => format!("{shown}: {}\n", names(&symbols)),
        };
        // A smaller part of a later file may still fit.
        if bytes + part.len() <= room {
            bytes += part.len();
            if !is_likely {
                named.push((parts.len(), shown, symbols));
            }
            parts.push(part);
        }
    }
    for (at, shown, symbols) in named {
        let outlined = format!("{shown}\n{}", outline(&symbols, SHORT_OUTLINE));
        if let Some(part) = parts.get_mut(at)
            && bytes - part.len() + outlined.len() <= room
        {
            bytes = bytes - part.len() + outlined.len();
            *part = outlined;
        }
    }
    parts.reverse();
    parts.concat()
}

/// The names that a file defines, without nested ones.
fn names(symbols: &FileSymbols) -> String {
    let outer = symbols.definitions().filter(|it| it.parent.is_none() && it.kind != Kind::Implementation);
    let mut seen: HashSet<&str> = HashSet::new();
    let mut text = String::new();
    for name in outer.map(|it| it.name).filter(|name| seen.insert(name)) {
        if text.len() + name.len() > NAME_BYTES {
            text.push_str(", …");
            break;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(name);
    }
    text
}

/// Lines of the likeliest definitions and of their uses, by `path:line`.
fn code(project: &Project, instruction: &str) -> String {
    let is_over = budget::watch();
    let shown = |path: &Path| project.shown(path).into();
    let question = Question {
        text: instruction,
        workspace: &project.workspace,
        may_show: &|path| path.starts_with(&project.root),
        shown: &shown,
        room: CODE_BYTES,
        cancelled: &is_over,
    };
    let mut text = String::new();
    let mut last: Option<RelatedPart> = None;
    for part in gather(&question).parts {
        if last.as_ref().is_none_or(|last| last.path != part.path || last.line + 1 != part.line) {
            text.push_str(&format!("{}:{}\n", part.path, part.line));
        }
        text.push_str(&part.text);
        last = Some(part);
    }
    text
}

/// A file's outline in at most `most` bytes, indented. The deepest levels are dropped first.
pub(super) fn outline(symbols: &FileSymbols, most: usize) -> String {
    let outline = symbols.outline();
    let upto = |depth: usize| outline.lines().filter(move |line| !line.starts_with(&STEP.repeat(depth + 1)));
    let bytes = |depth: usize| upto(depth).map(|line| STEP.len() + line.len() + 1).sum::<usize>();
    let depth = (0..DEEPEST).rev().find(|depth| bytes(*depth) <= most).unwrap_or(0);
    let mut text = String::new();
    for line in upto(depth) {
        if text.len() + line.len() > most {
            text.push_str("    …\n");
            break;
        }
        text.push_str(STEP);
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// At most `most` bytes of a text, cut at a line if possible.
pub(super) fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = floor_boundary(text, most);
    text[..end].rfind('\n').map_or(&text[..end], |line| &text[..=line])
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::workspace::{Folder, Workspace};

    /// Checks the planner's overview of a project on disk.
    fn check(files: &[(&str, &str)], instruction: &str, expect: Expect) {
        let folder = tempfile::tempdir().unwrap();
        let disk = Folder::new(folder.path(), 1 << 20).unwrap();
        let workspace = Workspace::default();
        for (path, text) in files {
            workspace.read_again(0, &crate::folder::write(disk.root(), path, text));
        }
        let project = Project::open(disk, workspace);
        let text = overview(&project, instruction);
        assert!(text.len() <= ALL_BYTES + 2);
        expect.assert_eq(&text);
    }

    #[test]
    fn likely_files_come_last_and_with_most() {
        let files = [
            ("CHANGES.rst", "Version 2\n"),
            (".env", "KEY=1\n"),
            ("shop/price.py", "def price_of(item):\n    return item.cents\n"),
            ("shop/parcel.py", "class Parcel:\n    def weigh(self):\n        return 1\n"),
            (
                "tests/test_price.py",
                "from shop.price import price_of\n\n\ndef test_price():\n    assert price_of(1)\n",
            ),
        ];
        check(
            &files,
            "round the price",
            expect![[r#"
                ./: CHANGES.rst
                shop/: parcel.py price.py
                tests/: test_price.py

                shop/parcel.py
                    class Parcel:
                        def weigh(self):
                tests/test_price.py
                    def test_price():
                shop/price.py
                    def price_of(item):

                shop/price.py:1
                def price_of(item):
                    return item.cents
                tests/test_price.py:4
                def test_price():
                    assert price_of(1)
            "#]],
        );
    }
}
