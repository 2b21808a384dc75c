//! The settings of a repository that determine how its files are compared.

use std::path::PathBuf;

use super::error::GitError;
use super::program::Program;

/// The settings that apply: none names a program, a path or an address that git would use.
///
/// Remotes and branches are kept for revisions such as `@{upstream}`.
const KEPT: &[&str] = &[
    "branch.*.merge",
    "branch.*.remote",
    "core.autocrlf",
    "core.eol",
    "core.filemode",
    "core.longpaths",
    "core.precomposeunicode",
    "core.symlinks",
    "extensions.objectformat",
    "extensions.refstorage",
    "remote.*.fetch",
];

/// A parsed configuration.
#[derive(Debug, Default)]
pub(super) struct Settings {
    kept: Vec<(String, String)>,
    /// `core.worktree`.
    pub(super) work_tree: Option<PathBuf>,
    /// `extensions.worktreeConfig`.
    pub(super) has_another_file: bool,
}

impl Settings {
    /// The user's own settings.
    pub(super) fn of_user(git: &Program) -> Result<Self, GitError> {
        Ok(Self::read(&git.run(&["config", "--list", "-z"], &[])?))
    }

    /// The settings in a text, without its includes.
    pub(super) fn of_text(git: &Program, text: &[u8]) -> Result<Self, GitError> {
        Ok(Self::read(&git.run(&["config", "--file", "-", "--no-includes", "--list", "-z"], text)?))
    }

    /// Adds settings that take precedence.
    pub(super) fn extend(&mut self, other: Self) {
        self.kept.extend(other.kept);
        self.work_tree = other.work_tree.or(self.work_tree.take());
        self.has_another_file |= other.has_another_file;
    }

    fn read(listed: &[u8]) -> Self {
        let mut settings = Self::default();
        for entry in String::from_utf8_lossy(listed).split_terminator('\0') {
            // A key without a value is true.
            let (key, value) = entry.split_once('\n').unwrap_or((entry, "true"));
            match key {
                "core.worktree" => settings.work_tree = Some(value.into()),
                "extensions.worktreeconfig" => settings.has_another_file = is_on(value),
                _ if is_kept(key, value) => settings.kept.push((key.to_owned(), value.to_owned())),
                _ => {}
            }
        }
        settings
    }

    /// The applicable settings, as a configuration file.
    pub(super) fn text(&self) -> String {
        // Larger files are not diffed as text.
        let mut text =
            "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tbigFileThreshold = 16m\n".to_owned();
        for (key, value) in &self.kept {
            let (section, subsection, name) = parts(key);
            let subsection = subsection.map(|it| format!(" {}", quoted(it))).unwrap_or_default();
            text.push_str(&format!("[{section}{subsection}]\n\t{name} = {}\n", quoted(value)));
        }
        text
    }
}

fn is_kept(key: &str, value: &str) -> bool {
    let (section, subsection, name) = parts(key);
    let pattern = match subsection {
        Some(_) => format!("{section}.*.{name}"),
        None => key.to_owned(),
    };
    // A ref storage can be an address, too.
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    KEPT.contains(&pattern.as_str()) && (section != "extensions" || is_word)
}

/// Section, subsection and name of a key.
fn parts(key: &str) -> (&str, Option<&str>, &str) {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    match rest.rsplit_once('.') {
        Some((subsection, name)) => (section, Some(subsection), name),
        None => (section, None, rest),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn is_on(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "1")
}
