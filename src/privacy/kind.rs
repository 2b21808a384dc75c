//! Whether a word without quotes is a text in a file, or a name.

/// The kind of a text, which decides about words without quotes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// Code, where words are names; also a text of any other kind, or of an unknown one.
    #[default]
    Code,
    /// Settings, where words are texts.
    Settings,
    /// Commands and definitions of variables, where words are texts, and those behind a `$` are names.
    Shell,
}

/// Endings and whole names of settings files, and what editors call their languages.
#[rustfmt::skip]
const SETTINGS: &[&str] = &[
    "yaml", "yml", "properties", "ini", "inf", "cfg", "conf", "cnf", "cf", "desktop", "service", "timer", "inventory", "hosts", "netrc", "npmrc",
    "pypirc", "my.cnf", "s3cfg", "boto", "gitconfig", "editorconfig", "wgetrc", "curlrc", "pgpass", "ansible", "yaml.ansible", "dockercompose", "helm",
    "github-actions-workflow", "spring-boot-properties-yaml", "spring-boot-properties", "java-properties", "confini", "dosini",
];

/// The same of commands.
#[rustfmt::skip]
const SHELL: &[&str] = &[
    "sh", "bash", "zsh", "ksh", "dash", "ash", "bats", "fish", "env", "envrc", "bashrc", "bash_profile", "bash_aliases", "zshrc", "zshenv", "profile",
    "mk", "mak", "make", "makefile", "gnumakefile", "justfile", "just", "dockerfile", "containerfile", "shellscript", "dotenv",
];

/// Endings of files from which others are made.
const TEMPLATES: &[&str] = &[
    ".j2",
    ".jinja",
    ".jinja2",
    ".tmpl",
    ".tpl",
    ".erb",
    ".dist",
    ".template",
    ".example",
    ".sample",
    ".in",
];

impl TextKind {
    /// The kind of a file, by its path or address, and by what an editor calls its language.
    pub fn of(path: &str, language: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
        // `values.yaml.j2`
        let name = TEMPLATES.iter().find_map(|it| name.strip_suffix(it)).unwrap_or(&name);
        let ending = name.rsplit('.').next().unwrap_or_default();
        // `Dockerfile.prod`, `.env.local`
        let begins = name.trim_start_matches('.').split('.').next().unwrap_or_default();
        let begins =
            Some(begins).filter(|it| matches!(*it, "dockerfile" | "makefile") || name.starts_with(".env"));
        let has = |list: &[&str]| {
            list.contains(&ending) || list.contains(&language) || begins.is_some_and(|it| list.contains(&it))
        };
        match () {
            () if has(SETTINGS) => Self::Settings,
            () if has(SHELL) => Self::Shell,
            () => Self::Code,
        }
    }
}

/// The kinds of the files in a text with diffs, in order: where each begins.
pub(super) fn in_diffs(text: &str) -> Vec<(usize, TextKind)> {
    let starts = memchr::memmem::find_iter(text.as_bytes(), "+++ ");
    let starts = starts.filter(|at| *at == 0 || text.as_bytes()[at - 1] == b'\n');
    starts
        .map(|at| {
            let line = text[at + 4..].lines().next().unwrap_or_default();
            (at, TextKind::of(line.split('\t').next().unwrap_or_default().trim_end().trim_matches('"'), ""))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_is_told_by_name_or_language() {
        for (path, language, kind) in [
            ("a/values.yaml", "", TextKind::Settings),
            ("file:///a/B.INI", "", TextKind::Settings),
            ("a/values.yaml.j2", "", TextKind::Settings),
            ("deploy/hosts", "", TextKind::Settings),
            ("untitled:1", "yaml", TextKind::Settings),
            ("a/Dockerfile.prod", "", TextKind::Shell),
            (".env.test", "", TextKind::Shell),
            ("a/Makefile", "", TextKind::Shell),
            ("untitled:1", "shellscript", TextKind::Shell),
            ("src/hosts.rs", "rust", TextKind::Code),
            ("src/env.rs", "rust", TextKind::Code),
            ("", "", TextKind::Code),
        ] {
            assert_eq!(TextKind::of(path, language), kind, "{path} {language}");
        }
    }

    #[test]
    fn files_of_a_diff_have_their_kinds() {
        let diff = "diff --git a/x.yml b/x.yml\n--- a/x.yml\n+++ b/x.yml\n+a +++ b\n+++ \"b/y.rs\"\n";
        assert_eq!(in_diffs(diff), [(39, TextKind::Settings), (60, TextKind::Code)]);
    }
}
