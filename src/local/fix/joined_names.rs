//! Restores an opening bracket lost between two names, which then form one unknown name: `tupleself)`.

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::missing_token::mends;
use super::problem::{Problem, lines_of};
use crate::edit::Edit;
use crate::local::limits::{FIXED_FILE_BYTES, SCOPE_PLACES};
use crate::text::ident;

/// The brackets that can be lost between two names.
const OPENERS: [&str; 2] = ["(", "["];

/// Splits a name on the first reported line that occurs nowhere else and consists of two known names.
///
/// Exactly one bracket at one position must fix the syntax.
pub(super) fn missing_opener(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    if file.text().len_bytes() > FIXED_FILE_BYTES || file.errors()? == 0 {
        return None;
    }
    let line = lines_of(file, &(problem.span.start..problem.span.start));
    let alone = ident::names(&line).filter_map(|name| Some((name, file.only_place_of(name)?)));
    // What another file has is one name: `getType)` lacks the `(` behind it.
    let parted = |name| file.halves(name).chain(before_letter(file, name));
    let alone = alone.filter(|(name, _)| parted(*name).next().is_some() && !file.others().has(name));
    let places = alone.flat_map(|(name, start)| parted(name).map(move |at| start + at));
    let places = places.chain(before_quote(file, problem, &line));
    let tried = places.flat_map(|at| OPENERS.map(|sign| (at, sign)));
    let mut found = tried.filter(|(at, sign)| mends(file, *at, sign));
    let (at, sign) = found.next().filter(|_| found.next().is_none())?;
    Some(Fix::new(Kind::MissingToken, format!("add the missing `{sign}`"), vec![Edit::new(at..at, sign)]))
}

/// The ends of the names in a line that a quote follows, and that the file calls elsewhere: `debug'parsed')`.
fn before_quote<'l>(
    file: &'l FileView<'_>,
    problem: &Problem<'_>,
    line: &'l str,
) -> impl Iterator<Item = usize> + 'l {
    let start = file.line_start(problem.span.start.min(file.text().len_bytes()));
    let ends = line.match_indices(['\'', '"']).map(|(at, _)| at);
    ends.filter(move |at| is_function(file, ident::last_partial(&line[..*at]))).map(move |at| start + at)
}

/// The ends of the functions of the file that a name begins with, with one letter behind: `compareSpecsa, b)`.
fn before_letter(file: &FileView<'_>, name: &str) -> Option<usize> {
    let (at, _) = name.char_indices().next_back()?;
    is_function(file, &name[..at]).then_some(at)
}

/// Whether the file calls a name, or every file can.
fn is_function(file: &FileView<'_>, name: &str) -> bool {
    let mut places = file.names().get(name).into_iter().flatten().take(SCOPE_PLACES);
    let is_global = || file.grammar().is_some_and(|it| it.has_global(name) == Some(true));
    ident::is_name(name)
        && (places.any(|at| file.contents()[at + name.len()..].starts_with('(')) || is_global())
}
