//! Adds the quote that a string lacks, if one place in its line takes it.

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::missing_token::{TRIED_LINE_BYTES, mends};
use super::problem::Problem;
use crate::edit::Edit;
use crate::local::limits::FIXED_FILE_BYTES;
use crate::text::ident;

/// Adds a quote where it completes the only string of the reported line that is left open.
pub(super) fn missing(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let start = file.line_start(problem.span.start.min(file.text().len_bytes()));
    let line = file.slice(start..file.next_line_start(start));
    let line = line.trim_end();
    if line.len() > TRIED_LINE_BYTES || file.text().len_bytes() > FIXED_FILE_BYTES {
        return None;
    }
    let (open, quote) = open_string(line)?;
    let sign = quote.to_string();
    let places = ends(line, open).chain(beginnings(line, open));
    let mut found: Vec<usize> = places.filter(|at| mends(file, start + at, &sign)).collect();
    // Lines that end alike show that the last sign is not part of the string.
    if found.len() > 1 && ends_like_neighbour(file, start, line) {
        found.retain(|at| *at < line.len());
    }
    let [at] = found.as_slice() else { return None };
    let edit = Edit::new(start + at..start + at, &sign);
    Some(Fix::new(Kind::MissingToken, format!("add the missing `{sign}`"), vec![edit]))
}

/// Where a string of a line begins that no quote of the line ends (bytes), and its quote.
///
/// `None` if a string may go on in the next line.
fn open_string(line: &str) -> Option<(usize, char)> {
    if ["\"\"\"", "'''", "`"].iter().any(|it| line.contains(it)) || line.ends_with('\\') {
        return None;
    }
    let (mut open, mut letters) = (None, line.char_indices());
    while let Some((at, letter)) = letters.next() {
        match (open, letter) {
            (Some(_), '\\') => _ = letters.next(),
            (Some((_, quote)), _) if letter == quote => open = None,
            (None, '"' | '\'') => open = Some((at, letter)),
            _ => {}
        }
    }
    open
}

/// Where an open string may end: before a sign or a blank, or with the line.
fn ends(line: &str, open: usize) -> impl Iterator<Item = usize> {
    let is_end = move |at: &usize| {
        let (before, behind) = line.split_at(*at);
        let mut next = behind.chars();
        let is_sign = match next.next() {
            None | Some(',' | ')' | ']' | '}' | ':' | ';') => true,
            // In prose, a blank follows the dot.
            Some('.') => next.next().is_some_and(ident::is_part),
            Some(first) => first.is_whitespace() && !before.ends_with(char::is_whitespace),
        };
        // An empty string is a quote too many.
        is_sign && *at > open + 1
    };
    (open..=line.len()).filter(|at| line.is_char_boundary(*at)).filter(is_end)
}

/// Where a string may begin that ends with the quote at `open`: behind a sign or a blank, and outside other strings.
fn beginnings(line: &str, open: usize) -> impl Iterator<Item = usize> {
    let is_beginning = move |at: &usize| {
        let (before, behind) = line.split_at(*at);
        // A statement is no string, but an entry of a list may be.
        let is_first = before.trim_start().is_empty() && line.ends_with(',');
        let is_behind = is_first
            || !before.trim_start().is_empty() && before.ends_with(['(', '[', '{', ',', '=', ':', '+', ' ']);
        is_behind && !behind.starts_with([' ', '\t', '"', '\'']) && open_string(before).is_none()
    };
    (0..open).filter(|at| line.is_char_boundary(*at)).filter(is_beginning)
}

/// Whether a line and one beside it end with the same sign between entries or behind a statement.
fn ends_like_neighbour(file: &FileView<'_>, start: usize, line: &str) -> bool {
    let Some(last) = line.chars().next_back().filter(|it| [',', ';'].contains(it)) else { return false };
    let next = file.next_line_start(start);
    let above = start.checked_sub(1).map(|end| file.slice(file.line_start(end)..end));
    let below = file.slice(next..file.next_line_start(next));
    above.into_iter().chain([below]).any(|it| it.trim_end().ends_with(last))
}
