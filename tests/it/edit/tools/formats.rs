//! The formats that editors and agents request from models, as their manuals describe them.

use std::sync::LazyLock;

use super::Must;

/// A format: its name, the expected result of a true edit in it, and its template.
///
/// `may` is for formats that locate edits by line numbers alone, that consist of one model's own tokens, or whose
/// tool only creates files: the true edit or a refusal.
type Format = (&'static str, Must, &'static str);

/// The formats in `formats.txt`. Each begins with a line `=== NAME: MUST`; [`super::template`] explains the rest.
pub(super) static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let text = include_str!("formats.txt").strip_prefix("=== ").unwrap();
    let read = |part: &'static str| {
        let (head, template) = part.split_once('\n').unwrap();
        let (name, must) = head.rsplit_once(": ").unwrap();
        let must = match must {
            "apply" => Must::Apply,
            "may" => Must::May,
            other => panic!("{other} is no word for what has to come of {name}"),
        };
        (name, must, template)
    };
    let heads = text.match_indices("\n=== ").map(|(at, _)| at);
    let starts = [0].into_iter().chain(heads.clone().map(|at| at + "\n=== ".len()));
    // Each keeps its last line's end.
    let ends = heads.map(|at| at + 1).chain([text.len()]);
    starts.zip(ends).map(|(start, end)| read(&text[start..end])).collect()
});

/// The template of a format.
pub(super) fn named(name: &str) -> &'static str {
    FORMATS.iter().find(|row| row.0 == name).unwrap_or_else(|| panic!("no format is called {name}")).2
}
