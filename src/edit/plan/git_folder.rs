//! Recognizes the `.git` folder under all its names.
//!
//! These are all names that some file system treats as `.git`.

/// Whether one component of a path names `.git` on Linux, macOS or Windows.
///
/// All of these names count on every platform, since a tree may be carried from one to the other.
pub fn is_dot_git(part: &str) -> bool {
    // NTFS: a colon introduces an alternate data stream of the folder.
    let name = folded(part.split(':').next().unwrap_or(part));
    // Windows drops dots and spaces at the end of a name.
    let name = name.trim_end_matches(['.', ' ']);
    // NTFS keeps short names, of which `git~1` is the usual one.
    let short = name.strip_prefix("git~").is_some_and(|number| number.bytes().all(|it| it.is_ascii_digit()));
    name == ".git" || short
}

/// Case-folds a path as a case-insensitive file system does.
pub(super) fn folded(path: &str) -> String {
    path.chars().filter(|letter| !is_ignorable(*letter)).flat_map(char::to_lowercase).collect()
}

/// Characters that HFS+ ignores in names.
fn is_ignorable(letter: char) -> bool {
    matches!(letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_folder() {
        for name in [
            ".git",
            ".GIT",
            ".Git",
            ".git.",
            ".git ",
            ".git . .",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".git::$INDEX_ALLOCATION",
            ".git:x",
            "git~1",
            "GIT~2",
        ] {
            assert!(is_dot_git(name), "{name:?}");
        }
        for name in [".gitignore", ".github", ".gitattributes", "git", "git~a", ".git-x", "x.git", "..git"] {
            assert!(!is_dot_git(name), "{name:?}");
        }
    }
}
