//! Which files are ignored, by the ignore files on the way to them: git's rules, and ours in its syntax.

use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The files that are looked for in each folder; what a later one says goes before what an earlier one says.
pub const IGNORE_FILES: [&str; 3] = [".gitignore", ".aiignore", ".tandemignore"];

/// One ignore file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoreFile {
    /// The folder that it is in, or that its rules start from.
    pub folder: PathBuf,
    /// What it is called.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Why the file at `path` is ignored; `None` if it is not. `files` are all ignore files in the folders above it, the
/// outermost folder's first. As git has it, what is in an ignored folder is ignored, and of two rules the one further
/// in, then the later one, counts.
pub fn ignored(path: &Path, files: &[IgnoreFile]) -> Option<String> {
    let rules: Vec<(&IgnoreFile, Gitignore)> = files
        .iter()
        .filter(|it| path.starts_with(&it.folder))
        .map(|file| {
            let mut builder = GitignoreBuilder::new(&file.folder);
            for line in file.text.lines() {
                // A rule that cannot be read is none, as in git.
                drop(builder.add_line(None, line));
            }
            (file, builder.build().unwrap_or_else(|_| Gitignore::empty()))
        })
        .collect();
    let outermost = rules.iter().map(|(file, _)| file.folder.components().count()).min()?;
    let mut ways: Vec<&Path> = path.ancestors().filter(|it| it.components().count() > outermost).collect();
    ways.reverse();
    for way in ways {
        for (file, rules) in
            rules.iter().rev().filter(|(file, _)| way != file.folder && way.starts_with(&file.folder))
        {
            match rules.matched(way, way != path) {
                Match::None => {}
                Match::Whitelist(_) => break,
                Match::Ignore(glob) => {
                    return Some(format!("`{}` has `{}`", file.name, glob.original()));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(files: &[(&str, &str)], paths: &[&str], expect: Expect) {
        let files: Vec<IgnoreFile> = files
            .iter()
            .map(|(path, text)| IgnoreFile {
                folder: Path::new(path).parent().unwrap().to_owned(),
                name: Path::new(path).file_name().unwrap().to_string_lossy().into(),
                text: (*text).to_owned(),
            })
            .collect();
        let shown: String = paths
            .iter()
            .map(|path| {
                format!("{path}: {}\n", ignored(Path::new(path), &files).unwrap_or("open".to_owned()))
            })
            .collect();
        expect.assert_eq(&shown);
    }

    #[test]
    fn follows_gits_rules() {
        let files = [
            ("/w/.gitignore", "# build\n/target\n*.log\nnotes/*\n!notes/shared.md\n[\n"),
            ("/w/src/.gitignore", "!keep.log\nlocal.rs\n"),
            ("/w/src/.tandemignore", "generated/\n!local.rs\n"),
        ];
        let paths = [
            "/w/src/a.rs",
            "/w/target/debug/a.rs",
            "/w/src/target/a.rs",
            "/w/src/a.log",
            "/w/src/keep.log",
            "/w/src/local.rs",
            "/w/src/generated/b.rs",
            "/w/notes/mine.md",
            "/w/notes/shared.md",
            "/elsewhere/a.log",
        ];
        check(
            &files,
            &paths,
            expect![[r#"
            /w/src/a.rs: open
            /w/target/debug/a.rs: `.gitignore` has `/target`
            /w/src/target/a.rs: open
            /w/src/a.log: `.gitignore` has `*.log`
            /w/src/keep.log: open
            /w/src/local.rs: open
            /w/src/generated/b.rs: `.tandemignore` has `generated/`
            /w/notes/mine.md: `.gitignore` has `notes/*`
            /w/notes/shared.md: open
            /elsewhere/a.log: open
        "#]],
        );
        check(
            &[],
            &paths[..1],
            expect![[r#"
            /w/src/a.rs: open
        "#]],
        );
    }
}
