//! Paths as models write them near an edit.

use std::path::Path;

use super::vocabulary::PATHS;
use crate::grammar;

/// Returns the path if a line consists of a file name.
///
/// The name may be bare, bold, in backticks, a heading, or after `File:`.
pub(crate) fn of_line(line: &str) -> Option<&str> {
    let text = without_label(line);
    [Some(text), without_remark(text)].into_iter().flatten().find(|it| looks_like_path(it))
}

/// Strips the label and markup that models put around a path on a separate line.
pub(crate) fn without_label(line: &str) -> &str {
    const LABELS: [&str; 10] = [
        "file",
        "path",
        "filename",
        "file name",
        "file path",
        "filepath",
        "index",
        "new file",
        "target file",
        "updated file",
    ];
    let mut text = line.trim();
    if text.starts_with('<') && text.ends_with('>') {
        text = in_tags(text).or_else(|| of_tag(text)).unwrap_or(text).trim();
    }
    text = text.trim_start_matches(|sign: char| !sign.is_ascii() && !sign.is_alphanumeric()).trim_start();
    text = text.strip_prefix('@').filter(|it| is_file_name(it)).unwrap_or(text);
    text = text.trim_start_matches('#').trim_start();
    let number = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let item = if number.len() < text.len() { number.strip_prefix(". ") } else { text.strip_prefix("- ") };
    text = item.map_or(text, str::trim_start);
    text = text.strip_prefix("//").map_or(text, str::trim_start);
    // As `head` and `tail` print it.
    text = text.strip_prefix("==> ").and_then(|it| it.strip_suffix(" <==")).unwrap_or(text);
    for rule in ["---", "==="] {
        if text.len() > 2 * rule.len() && text.starts_with(rule) && text.ends_with(rule) {
            text = text.trim_matches(['-', '=']).trim();
        }
    }
    if let Some((label, path)) = text.split_once(':')
        && LABELS.contains(&label.trim_matches(['*', '_', '`', ' ']).to_lowercase().as_str())
    {
        text = path.trim_start_matches('*').trim();
    }
    plain(text)
}

/// Returns the path before a remark such as `(new file)`.
fn without_remark(text: &str) -> Option<&str> {
    text.strip_suffix(')')?.rsplit_once(" (").map(|(path, _)| plain(path))
}

/// Returns the path in a fence's info string, after the language or instead of it.
pub(crate) fn of_info(info: &str) -> Option<&str> {
    let mut parts = info.split([' ', ':', '=', '{', '}', ',']).filter(|part| !part.is_empty());
    let first = parts.next().map(plain).filter(|it| is_file_name(it));
    first.or_else(|| parts.find_map(of_line))
}

/// Whether a word is the name of a file of a known kind, and not that of a method such as `User.save`.
pub(crate) fn is_file_name(word: &str) -> bool {
    const OTHERS: [&str; 24] = [
        "txt",
        "ini",
        "cfg",
        "conf",
        "env",
        "xml",
        "sql",
        "properties",
        "gradle",
        "kt",
        "kts",
        "swift",
        "scala",
        "dart",
        "ex",
        "exs",
        "vue",
        "svelte",
        "proto",
        "tf",
        "graphql",
        "cmake",
        "lock",
        "mod",
    ];
    let path = Path::new(word);
    let is_other = || path.extension().and_then(|it| it.to_str()).is_some_and(|it| OTHERS.contains(&it));
    looks_like_path(word) && (has_usual_name(word) || grammar::by_path(path).is_some() || is_other())
}

/// Returns the text between tags named after a path: `<file>src/main.rs</file>`.
fn in_tags(text: &str) -> Option<&str> {
    let inside = |name: &&str| {
        let inside = text.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
        inside.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")
    };
    PATHS.iter().find_map(inside)
}

/// Returns the path attribute of the tag at the start of a line: `<modify file="src/main.rs">`.
pub(crate) fn of_tag(line: &str) -> Option<&str> {
    let (tag, _) = line.trim_start().strip_prefix('<')?.split_once('>')?;
    let value = |name: &&str| {
        let (_, value) = tag.split_once(&format!(" {name}="))?;
        let quote = value.chars().next().filter(|sign| matches!(sign, '"' | '\''))?;
        value[1..].split_once(quote).map(|(path, _)| path)
    };
    let of_file = tag.starts_with("file ").then_some(&"name");
    PATHS.iter().chain(of_file).find_map(value).filter(|path| !path.is_empty())
}

/// Strips the quotes and markup that models put around a path.
pub(crate) fn plain(path: &str) -> &str {
    path.trim()
        .trim_matches(['*', '`', '"', '\'', '<', '>'])
        .trim_end_matches(':')
        .trim_matches(['*', '`', '"', '\''])
}

/// Whether a line has nothing but a tag, the start of raw text or a number in tags, which may separate a path from its
/// content: `<diff>`, `<content><![CDATA[`, `<start_line>10</start_line>`.
pub(crate) fn is_between(line: &str) -> bool {
    let text = line.trim();
    let text = text.strip_suffix("<![CDATA[").unwrap_or(text);
    let number = || {
        let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
        rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?.trim().parse::<u32>().ok()
    };
    text.is_empty() || is_lone_tag(text) || number().is_some()
}

/// Whether a line is just a tag.
fn is_lone_tag(line: &str) -> bool {
    let name = line.trim().strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | '/');
    name.is_some_and(|name| !name.is_empty() && name.chars().all(is_part))
}

fn looks_like_path(text: &str) -> bool {
    if text.is_empty()
        || text.starts_with('@')
        || text.contains(char::is_whitespace)
        || text.contains(['(', ')', ';', '=', ',', '{', '}', '<', '>'])
    {
        return false;
    }
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let short = |extension: &str| {
        (1..=10).contains(&extension.len()) && extension.chars().all(|letter| letter.is_ascii_alphanumeric())
    };
    extension.is_some_and(short)
        || (text.contains('/') && !text.contains("//") && !name.is_empty())
        || has_usual_name(text)
}

/// Whether a path ends in a usual name of a file without extension.
fn has_usual_name(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    matches!(name, "Makefile" | "Dockerfile" | "Gemfile" | "Rakefile" | "LICENSE" | "README")
}

/// Whether a path in a reply can refer to `file`.
///
/// The name and all directories that both of them state must agree, from the name upward.
///
/// So one of the two is a suffix of the other: models omit leading directories of a path or add others. A
/// leading `a/` or `b/` is a diff prefix, unless the file is in the other of two directories with these
/// names. Directories such as `path/to` match any directory.
pub(crate) fn means(path: &str, file: &str) -> bool {
    let (path, file) = (parts(path), parts(file));
    let known = without_placeholders(&path);
    means_as_stated(&path, &file) || known.len() < path.len() && means_as_stated(known, &file)
}

/// Strips leading placeholder directories from a path.
///
/// These are `path/to`, and `your` followed by a word such as `project`. The file name always remains.
fn without_placeholders<P: AsRef<str>>(path: &[P]) -> &[P] {
    const NOUNS: [&str; 9] =
        ["project", "repo", "repository", "app", "workspace", "folder", "directory", "code", "package"];
    let is_noun = |word: &str| NOUNS.contains(&word.to_lowercase().as_str());
    let mut rest = path;
    loop {
        let word = |at: usize| rest.get(at).map_or("", P::as_ref);
        let owned = word(0).strip_prefix("your");
        let count = match owned {
            _ if word(0) == "path" && word(1) == "to" => 2,
            Some("") if is_noun(word(1)) => 2,
            Some(noun) if noun.starts_with(['-', '_']) && is_noun(&noun[1..]) => 1,
            _ => 0,
        };
        if count == 0 || count >= rest.len() {
            return rest;
        }
        rest = &rest[count..];
    }
}

fn means_as_stated(path: &[String], file: &[String]) -> bool {
    let ends_alike = |path: &[String]| {
        let shared = path.len().min(file.len());
        shared > 0 && path[path.len() - shared..] == file[file.len() - shared..]
    };
    match path {
        all if ends_alike(all) => true,
        [side, rest @ ..] if matches!(side.as_str(), "a" | "b") && ends_alike(rest) => {
            let above = file.len().checked_sub(rest.len() + 1).map(|at| file[at].as_str());
            !matches!(above, Some("a" | "b"))
        }
        _ => false,
    }
}

/// Returns the directories and the name of a path, with `.` and `..` resolved.
fn parts(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in path.replace('\\', "/").split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part.to_owned()),
        }
    }
    parts
}

/// Converts a path in a reply to a path below the root; `None` if it leads outside.
///
/// A URI is outside, like an absolute path that does not begin with `root`. A diff's `a/` or `b/` prefix is removed if only the path without
/// it exists, and so are placeholder directories such as `path/to`.
pub(crate) fn below_root(path: &str, root: &str, exists: impl Fn(&str) -> bool) -> Option<String> {
    let path = path.replace('\\', "/");
    let root = root.replace('\\', "/");
    let below = path.strip_prefix(&root).and_then(|path| path.strip_prefix('/')).filter(|_| !root.is_empty());
    let path = below.unwrap_or(&path);
    let absolute = path.starts_with(['/', '~']) || path.as_bytes().get(1) == Some(&b':') || is_uri(path);
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if absolute || parts.is_empty() || parts.contains(&"..") || path.contains('\0') {
        return None;
    }
    let whole = parts.join("/");
    let without = match parts.as_slice() {
        ["a" | "b", rest @ ..] if !rest.is_empty() => rest,
        parts => without_placeholders(parts),
    };
    let healed = (without.len() < parts.len()).then(|| without.join("/"));
    Some(healed.filter(|healed| !exists(&whole) && exists(healed)).unwrap_or(whole))
}

/// Whether a path starts with a scheme and a slash: `file:///a`, `https://a/b`.
fn is_uri(path: &str) -> bool {
    path.split_once(":/").is_some_and(|(scheme, _)| {
        scheme.starts_with(|it: char| it.is_ascii_alphabetic())
            && scheme.chars().all(|it| it.is_ascii_alphanumeric() || "+.-".contains(it))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_name_a_file() {
        for (line, path) in [
            ("src/main.rs", "src/main.rs"),
            ("**`src/main.rs`**:", "src/main.rs"),
            ("### src/main.rs", "src/main.rs"),
            ("File: lib.py", "lib.py"),
            ("// src/a.ts", "src/a.ts"),
            ("Makefile", "Makefile"),
            ("<path>src/a.ts</path>", "src/a.ts"),
            ("<file>src/a.ts</file>", "src/a.ts"),
            ("<modify file=\"src/a.ts\">", "src/a.ts"),
            ("**File:** `src/a.ts`", "src/a.ts"),
            ("**src/a.ts** (new file)", "src/a.ts"),
            ("--- src/a.ts ---", "src/a.ts"),
            ("Index: src/a.ts", "src/a.ts"),
        ] {
            assert_eq!(of_line(line), Some(path), "{line}");
        }
        for line in [
            "@org.junit.Nested",
            "Here is the change:",
            "x = a.b(c)",
            "```rust",
            "",
            "e.g. this",
            "return;",
            "<start_line>7</start_line>",
            "<task id=\"x.rs\">",
        ] {
            assert_eq!(of_line(line), None, "{line}");
        }
    }

    #[test]
    fn paths_that_mean_a_file() {
        assert!(means("a/src/main.rs", "src/main.rs"));
        assert!(means("./main.rs", "/home/me/src/main.rs"));
        assert!(means("src\\main.rs", "main.rs"));
        assert!(means("/home/me/project/src/main.rs", "src/main.rs"));
        assert!(means("b/main.rs", "/home/me/src/main.rs"));
        assert!(means("b/a/x.rs", "a/x.rs"));
        assert!(means("../src/./main.rs", "src/main.rs"));
        for before in ["path/to", "/path/to", "path/to/your/project", "your/project", "/your-repo"] {
            assert!(means(&format!("{before}/main.rs"), "src/main.rs"), "{before}");
            assert!(means(&format!("{before}/src/main.rs"), "src/main.rs"), "{before}");
            assert!(!means(&format!("{before}/lib.rs"), "src/main.rs"), "{before}");
            assert!(!means(&format!("{before}/lib/main.rs"), "src/main.rs"), "{before}");
        }
        assert!(means("path/to/main.rs", "path/to/main.rs") && !means("path/to", "src/path"));
        assert!(!means("path/main.rs", "src/main.rs") && !means("your/main.rs", "src/main.rs"));
        assert!(!means("src/lib.rs", "src/main.rs"));
        assert!(!means("tests/other/mod.rs", "src/mod.rs"));
        assert!(!means("other/src/mod.rs", "/home/me/src/mod.rs"));
        assert!(!means("b/x.rs", "a/x.rs"));
        assert!(!means("", "src/main.rs"));
    }

    #[test]
    fn paths_stay_below_the_root() {
        let exists = |path: &str| ["a/real.rs", "real.rs", "src/x.rs"].contains(&path);
        assert_eq!(below_root("b/src/x.rs", "/home/me/app", exists).as_deref(), Some("src/x.rs"));
        assert_eq!(below_root("a/real.rs", "/home/me/app", exists).as_deref(), Some("a/real.rs"));
        assert_eq!(below_root("b/new.rs", "/home/me/app", exists).as_deref(), Some("b/new.rs"));
        assert_eq!(below_root("./x.rs", "/home/me/app", exists).as_deref(), Some("x.rs"));
        assert_eq!(below_root("path/to/src/x.rs", "/home/me/app", exists).as_deref(), Some("src/x.rs"));
        assert_eq!(below_root("path/to/new.rs", "/home/me/app", exists).as_deref(), Some("path/to/new.rs"));
        assert_eq!(below_root("/home/me/app/src/x.rs", "/home/me/app", exists).as_deref(), Some("src/x.rs"));
        for path in [
            "/home/me/app",
            "/home/me/apple/x",
            "/home/me/app//etc",
            "/home/me/app/../x",
            "../x",
            "/etc/passwd",
            "a/../../x",
            "C:\\x",
            "~/.ssh/id",
            "",
            ".",
            "file:///tmp/x",
        ] {
            assert_eq!(below_root(path, "/home/me/app", exists), None, "{path}");
        }
    }
}
