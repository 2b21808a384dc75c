//! Counts and paths as shown to users.

use std::fmt::Display;
use std::path::Path;

/// A count with its noun: `1 file`, `3 fixes`.
pub(crate) fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = match &*count {
        "1" => "",
        _ if noun.ends_with('x') => "es",
        _ => "s",
    };
    format!("{count} {noun}{ending}")
}

/// What a model said, in a message: its beginning on one line, long enough for an explanation.
pub(crate) fn quoted(said: &str) -> String {
    const MOST_CHARACTERS: usize = 300;
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("`{}…`", line[..end].trim_end()),
        None => format!("`{line}`"),
    }
}

/// A text without its white space.
pub(crate) fn blank_free(text: &str) -> String {
    text.split_whitespace().collect()
}

/// A path with `/` on every system.
pub(crate) fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// An operating system's error message in plain words, without its number.
pub(crate) fn plain_error(said: &str) -> String {
    const MARK: &str = " (os error ";
    const NO_SERVER: &str = "no server has that name, or there is no network";
    const PLAIN: [(&str, &str); 6] = [
        ("Connection refused", "nothing listens there"),
        ("failed to lookup address information: Name or service not known", NO_SERVER),
        ("failed to lookup address information: Temporary failure in name resolution", NO_SERVER),
        ("No such file or directory", "there is no such file or folder"),
        ("Address already in use", "another program uses this address"),
        ("Permission denied", "access is denied"),
    ];
    let mut parts = said.split(MARK);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|it| it.is_ascii_digit()) => kept += rest,
            _ => kept.extend([MARK, part]),
        }
    }
    for (said, plain) in PLAIN {
        if kept.contains(said) {
            kept = kept.replace(said, plain);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_several() {
        assert_eq!([counted(1, "line"), counted(0, "line")], ["1 line", "0 lines"]);
        assert_eq!([counted(1_u64, "certain fix"), counted(2, "fix")], ["1 certain fix", "2 fixes"]);
    }

    #[test]
    fn words_of_a_model_are_quoted_on_one_line() {
        assert_eq!(quoted(" It has\n\nno model. "), "`It has no model.`");
        assert_eq!(quoted(&"é".repeat(301)), format!("`{}…`", "é".repeat(300)));
    }

    #[test]
    fn errors_of_the_system_are_plain() {
        let check = |said: &str, expected: &str| assert_eq!(plain_error(said), expected);
        check("a: Broken pipe (os error 32); b (os error 2)", "a: Broken pipe; b");
        check("a: Connection refused (os error 111)", "a: nothing listens there");
        check("(os error x) (os error", "(os error x) (os error");
        check(" (os error a) b", " (os error a) b");
    }

    #[test]
    fn paths_of_every_system_have_slashes() {
        assert_eq!(slashed(Path::new("C:\\x\\.ENV")), "C:/x/.ENV");
    }
}
