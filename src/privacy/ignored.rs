//! Decides which files are ignored, by git's rules and by Tandem's own in the same syntax.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::limits::{PATTERN_BYTES, PATTERNS, WILD_PATTERNS};
use crate::text::printable;

/// The ignore files that are searched in each folder.
///
/// Later ones take precedence over earlier ones.
pub const IGNORE_FILES: [&str; 3] = [".gitignore", ".aiignore", ".tandemignore"];

/// A compiled ignore file. It takes some 20 MB at most, whatever its text is.
#[derive(Debug, Clone)]
pub struct IgnoreFile {
    name: String,
    folder: PathBuf,
    globs: Gitignore,
    count: Count,
}

/// The number of patterns, and of those that contain wildcards.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    all: usize,
    wild: usize,
}

impl Count {
    fn check(self) -> Result<Self, TooMuch> {
        match self {
            Self { all, .. } if all > PATTERNS => Err(TooMuch::Patterns),
            Self { wild, .. } if wild > WILD_PATTERNS => Err(TooMuch::Wild),
            _ => Ok(self),
        }
    }
}

/// Why an ignore file is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooMuch {
    /// Too many patterns.
    #[error("there are more than {PATTERNS} patterns")]
    Patterns,
    /// Too many patterns with wildcards.
    #[error("there are more than {WILD_PATTERNS} patterns with wildcards")]
    Wild,
    /// A pattern is too long.
    #[error("a pattern has more than {PATTERN_BYTES} bytes")]
    Longest,
    /// A class of characters that is not supported.
    #[error("a pattern has a class such as `[[:alpha:]]`; write its characters")]
    Class,
    /// Together, the patterns need too large an automaton.
    #[error("its patterns are too large together")]
    Together,
}

impl IgnoreFile {
    /// Parses the text of an ignore file called `name`, whose rules are relative to `folder`.
    ///
    /// A line that is not a pattern is skipped, as in git.
    ///
    /// # Errors
    ///
    /// The file exceeds the limits, or has a pattern that is not supported. It is then unknown what it ignores.
    pub fn parse(folder: &Path, name: &str, text: &str) -> Result<Self, TooMuch> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = || text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut count = Count::default();
        for line in lines() {
            if line.len() > PATTERN_BYTES {
                return Err(TooMuch::Longest);
            }
            count.all += 1;
            count.wild += usize::from(line.contains(['*', '?', '[', '{', '\\']));
            count.check()?;
            if line.contains("[[:") {
                return Err(TooMuch::Class);
            }
        }
        let mut builder = GitignoreBuilder::new(folder);
        for line in lines() {
            drop(builder.add_line(None, &without_alternatives(line)));
        }
        let globs = builder.build().map_err(|_| TooMuch::Together)?;
        Ok(Self { name: name.to_owned(), folder: folder.to_owned(), globs, count })
    }

    /// The folder that its rules are relative to.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether git also reads the file.
    pub fn is_of_git(&self) -> bool {
        !IGNORE_FILES[1..].contains(&self.name.as_str())
    }

    /// The number of patterns.
    pub fn patterns(&self) -> usize {
        self.count.all
    }

    /// Checks that the files can be matched together.
    ///
    /// # Errors
    ///
    /// Together, they have too many patterns.
    pub fn are_few(files: &[Arc<Self>]) -> Result<(), TooMuch> {
        let sum = |of: fn(&Count) -> usize| files.iter().map(|it| of(&it.count)).sum();
        Count { all: sum(|it| it.all), wild: sum(|it| it.wild) }.check().map(drop)
    }
}

/// A pattern whose braces are literal, as git has no alternatives.
fn without_alternatives(pattern: &str) -> String {
    let mut literal = String::with_capacity(pattern.len());
    let mut is_escaped = false;
    for letter in pattern.chars() {
        if matches!(letter, '{' | '}') && !is_escaped {
            literal.push('\\');
        }
        is_escaped = letter == '\\' && !is_escaped;
        literal.push(letter);
    }
    literal
}

/// Why the file at `path` is ignored; `None` if it is not.
///
/// `files` are all ignore files in the folders above it, outermost folder first. As in git, files in an ignored
/// folder are ignored. Of two rules, the one in the inner folder takes precedence, then the later one.
pub fn ignored(path: &Path, files: &[Arc<IgnoreFile>]) -> Option<String> {
    let outermost = files.iter().map(|file| file.folder.components().count()).min()?;
    let mut ways: Vec<&Path> = path.ancestors().filter(|it| it.components().count() > outermost).collect();
    ways.reverse();
    ways.into_iter().find_map(|way| named(way, way != path, files))
}

/// Why a file or folder is ignored by its own path; its parent folders are not checked.
pub fn named(path: &Path, is_folder: bool, files: &[Arc<IgnoreFile>]) -> Option<String> {
    for file in files.iter().rev().filter(|it| path != it.folder && path.starts_with(&it.folder)) {
        match file.globs.matched(path, is_folder) {
            Match::None => {}
            Match::Whitelist(_) => return None,
            Match::Ignore(glob) => {
                return Some(printable(&format!("`{}` has `{}`", file.name, glob.original())).into());
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
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| {
                let (folder, name) = path.rsplit_once('/').unwrap();
                Arc::new(IgnoreFile::parse(Path::new(folder), name, text).unwrap())
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

    #[test]
    fn patterns_are_those_of_git() {
        check(
            &[("/w/.gitignore", "\u{feff}/vault/\n{a,b}.rs\n\\{c\\}.rs\n")],
            &["/w/vault/b.rs", "/w/a.rs", "/w/{a,b}.rs", "/w/{c}.rs"],
            expect![[r#"
                /w/vault/b.rs: `.gitignore` has `/vault/`
                /w/a.rs: open
                /w/{a,b}.rs: `.gitignore` has `\{a,b\}.rs`
                /w/{c}.rs: `.gitignore` has `\{c\}.rs`
            "#]],
        );
        let class = IgnoreFile::parse(Path::new("/w"), ".gitignore", "[[:alpha:]].rs\n");
        assert_eq!(class.err(), Some(TooMuch::Class));
    }

    #[test]
    fn what_takes_too_much_memory_is_no_set_of_rules() {
        let parse =
            |text: String| IgnoreFile::parse(Path::new("/w"), ".gitignore", &text).map(|it| it.patterns());
        assert_eq!(parse("a\n".repeat(PATTERNS)), Ok(PATTERNS));
        assert_eq!(parse("a\n".repeat(PATTERNS + 1)), Err(TooMuch::Patterns));
        assert_eq!(parse("# a*\n\n".repeat(PATTERNS + 1)), Ok(0));
        assert_eq!(parse("a*b?.rs\n".repeat(WILD_PATTERNS)), Ok(WILD_PATTERNS));
        assert_eq!(parse("a*b\n".repeat(WILD_PATTERNS + 1)), Err(TooMuch::Wild));
        assert_eq!(parse("a".repeat(PATTERN_BYTES + 1)), Err(TooMuch::Longest));
        assert_eq!(parse(format!("{}\n", "?*[a-z]".repeat(500)).repeat(1_000)), Err(TooMuch::Together));
    }
}
