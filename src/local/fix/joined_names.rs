//! Restores an opening bracket lost between two names, which then form one unknown name: `tupleself)`.

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::missing_token::mends;
use super::problem::{Problem, lines_of};
use crate::edit::Edit;
use crate::local::limits::FIXED_FILE_BYTES;
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
    let places = alone.flat_map(|(name, start)| file.halves(name).map(move |at| start + at));
    let tried = places.flat_map(|at| OPENERS.map(|sign| (at, sign)));
    let mut found = tried.filter(|(at, sign)| mends(file, *at, sign));
    let (at, sign) = found.next().filter(|_| found.next().is_none())?;
    Some(Fix::new(Kind::MissingToken, format!("add the missing `{sign}`"), vec![Edit::new(at..at, sign)]))
}
