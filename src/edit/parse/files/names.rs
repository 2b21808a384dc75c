//! File names in a reply, recognized by their form or because the file exists.

use crate::edit::parse::path;

/// Maximum length of a line that may be a file name (bytes).
const LONGEST_NAME: usize = 300;

/// Recognizes file names.
pub(super) struct Names<'a> {
    /// Whether a path is that of an existing file.
    pub(super) is_file: &'a dyn Fn(&str) -> bool,
}

impl Names<'_> {
    /// Returns the path on a line that contains just a file name.
    ///
    /// It is recognized by its form, or because such a file exists.
    pub(super) fn of_line(&self, line: &str) -> Option<String> {
        let text = path::without_label(line);
        let is_known = !text.is_empty() && text.len() <= LONGEST_NAME && (self.is_file)(text);
        if is_known || is_dot_file(text) {
            Some(text.to_owned())
        } else {
            path::of_line(line).map(str::to_owned)
        }
    }

    /// Returns the path in a fence's info string, after the language or instead of it.
    pub(super) fn of_info(&self, info: &str) -> Option<String> {
        let parts = || info.split([' ', ':', '=', '{', '}', ',']).filter(|part| !part.is_empty());
        let rest = info.split_once([' ', ':', '=']).map_or("", |(_, rest)| path::plain(rest));
        if !rest.is_empty() && rest.len() <= LONGEST_NAME && (self.is_file)(rest) {
            return Some(rest.to_owned());
        }
        let first = parts().next().map(path::plain);
        let instead =
            first.filter(|it| (self.is_file)(it) || it.contains('/') && path::of_line(it).is_some());
        let behind = || {
            let mut others = parts().skip(1).map(path::plain);
            others.find(|it| (self.is_file)(it) || is_dot_file(it) || path::of_line(it).is_some())
        };
        instead.or_else(behind).map(str::to_owned)
    }
}

/// Whether a word is a name such as `.editorconfig`, but not a number such as `.5`.
fn is_dot_file(word: &str) -> bool {
    let name = word.strip_prefix('.').filter(|name| name.starts_with(|it: char| it.is_ascii_alphabetic()));
    name.is_some_and(|name| {
        name.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.'))
    })
}
