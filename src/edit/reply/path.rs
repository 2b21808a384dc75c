//! Paths as models write them around an edit.

/// Reads a line that names a file and nothing else: bare, bold, back-ticked, as a heading, behind `File:`.
pub(crate) fn of_line(line: &str) -> Option<&str> {
    let mut text = line.trim();
    text = text.trim_start_matches('#').trim_start();
    for label in ["File:", "file:", "Path:", "path:", "Filename:", "filename:", "FILE:", "//", "File path:"] {
        text = text.strip_prefix(label).map_or(text, str::trim_start);
    }
    let text = plain(text);
    looks_like_path(text).then_some(text)
}

/// A path without what a model puts around it.
pub(crate) fn plain(path: &str) -> &str {
    path.trim()
        .trim_matches(['*', '`', '"', '\'', '<', '>'])
        .trim_end_matches(':')
        .trim_matches(['*', '`', '"', '\''])
}

/// The path behind a diff's `---` or `+++`, without its time stamp.
pub(crate) fn of_header(rest: &str) -> &str {
    plain(rest.split('\t').next().unwrap_or(rest))
}

fn looks_like_path(text: &str) -> bool {
    if text.is_empty()
        || text.starts_with('@')
        || text.contains(char::is_whitespace)
        || text.contains(['(', ')', ';', '=', ',', '{', '}'])
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
        || matches!(name, "Makefile" | "Dockerfile" | "Gemfile" | "Rakefile" | "LICENSE" | "README")
}

/// Whether a path in a reply can mean the file: all folders that both of them state agree, from the name upward.
///
/// One of the two is the end of the other, then: a model is shown a path, and leaves folders out or puts others before.
/// `a/` and `b/` before it are a diff's, unless the file lies in the other one of two folders of these names.
pub(crate) fn means(path: &str, file: &str) -> bool {
    let (path, file) = (parts(path), parts(file));
    let ends_alike = |path: &[String]| {
        let shared = path.len().min(file.len());
        shared > 0 && path[path.len() - shared..] == file[file.len() - shared..]
    };
    match path.as_slice() {
        all if ends_alike(all) => true,
        [side, rest @ ..] if matches!(side.as_str(), "a" | "b") && ends_alike(rest) => {
            let above = file.len().checked_sub(rest.len() + 1).map(|at| file[at].as_str());
            !matches!(above, Some("a" | "b"))
        }
        _ => false,
    }
}

/// The folders and the name of a path, without steps that lead nowhere.
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

/// A path of a reply as a path below a root: no `a/` or `b/`, nothing that leads out. `None` if it does lead out.
pub(crate) fn below_root(path: &str, exists: impl Fn(&str) -> bool) -> Option<String> {
    let path = path.replace('\\', "/");
    let absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') || path.starts_with('~');
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if absolute || parts.is_empty() || parts.contains(&"..") || path.contains('\0') {
        return None;
    }
    let whole = parts.join("/");
    // Diffs put `a/` and `b/` before a path; a folder of that name has the first say.
    match parts.as_slice() {
        ["a" | "b", rest @ ..] if !rest.is_empty() && !exists(&whole) => Some(rest.join("/")),
        _ => Some(whole),
    }
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
        ] {
            assert_eq!(of_line(line), Some(path), "{line}");
        }
        for line in
            ["@org.junit.Nested", "Here is the change:", "x = a.b(c)", "```rust", "", "e.g. this", "return;"]
        {
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
        assert!(!means("src/lib.rs", "src/main.rs"));
        assert!(!means("tests/other/mod.rs", "src/mod.rs"));
        assert!(!means("other/src/mod.rs", "/home/me/src/mod.rs"));
        assert!(!means("b/x.rs", "a/x.rs"));
        assert!(!means("", "src/main.rs"));
    }

    #[test]
    fn paths_stay_below_the_root() {
        let exists = |path: &str| path == "a/real.rs";
        assert_eq!(below_root("b/src/x.rs", exists).as_deref(), Some("src/x.rs"));
        assert_eq!(below_root("a/real.rs", exists).as_deref(), Some("a/real.rs"));
        assert_eq!(below_root("./x.rs", exists).as_deref(), Some("x.rs"));
        for path in ["../x", "/etc/passwd", "a/../../x", "C:\\x", "~/.ssh/id", "", "."] {
            assert_eq!(below_root(path, exists), None, "{path}");
        }
    }
}
