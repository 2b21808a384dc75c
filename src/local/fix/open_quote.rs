//! Adds the quote that a string lacks, if one place in its line takes it.

use std::ops::Range;

use super::certain::{Fix, Kind};
use super::file_view::FileView;
use super::missing_token::{TRIED_LINE_BYTES, mends};
use super::problem::Problem;
use crate::edit::Edit;
use crate::local::limits::FIXED_FILE_BYTES;
use crate::text::ident;

/// The signs behind an expression.
const CLOSING: [char; 6] = [',', ')', ']', '}', ':', ';'];

/// The strings of a line.
struct LineStrings {
    /// Those that end in the line, with their quotes (bytes).
    whole: Vec<Range<usize>>,
    /// Where a string begins that does not end in the line (bytes), and its quote.
    open: Option<(usize, char)>,
}

/// Adds a quote where it completes the only string of the reported line that is left open.
pub(super) fn missing(file: &FileView<'_>, problem: &Problem<'_>) -> Option<Fix> {
    let start = file.line_start(problem.span.start.min(file.text().len_bytes()));
    let line = file.slice(start..file.next_line_start(start));
    let line = line.trim_end();
    let goes_on = ["\"\"\"", "'''", "`"].iter().any(|it| line.contains(it)) || line.ends_with('\\');
    if goes_on || line.len() > TRIED_LINE_BYTES || file.text().len_bytes() > FIXED_FILE_BYTES {
        return None;
    }
    let strings = LineStrings::of(line);
    let (open, quote) = strings.open?;
    // The string may end in the next line.
    let next = file.next_line_start(start);
    let of_next = LineStrings::of(&file.slice(next..file.next_line_start(next)));
    if of_next.open.is_some_and(|(_, other)| other == quote) {
        return None;
    }
    let sign = quote.to_string();
    let is_sound = |at: &usize| {
        let whole = [&line[..*at], &sign, &line[*at..]].concat();
        LineStrings::of(&whole).stand_alone(&whole) && mends(file, start + at, &sign)
    };
    let mut found: Vec<usize> =
        ends(line, open).chain(strings.beginnings(line, open, file.keywords())).filter(is_sound).collect();
    // Lines that end alike show that the last sign is not part of the string.
    if found.len() > 1 && ends_like_neighbour(file, start, line) {
        found.retain(|at| *at < line.len());
    }
    let [at] = found.as_slice() else { return None };
    if *at > open {
        // The string may be empty: `".join(a)`.
        if line[open + 1..].starts_with(|it| it == '.' || CLOSING.contains(&it)) {
            return None;
        }
    } else if line[..*at].ends_with("  ") || !is_text(&line[*at..open]) {
        return None;
    }
    let edit = Edit::new(start + at..start + at, &sign);
    Some(Fix::new(Kind::MissingToken, format!("add the missing `{sign}`"), vec![edit]))
}

impl LineStrings {
    fn of(line: &str) -> Self {
        let (mut whole, mut open, mut letters) = (Vec::new(), None, line.char_indices());
        while let Some((at, letter)) = letters.next() {
            match (open, letter) {
                (Some(_), '\\') => _ = letters.next(),
                (Some((start, quote)), _) if letter == quote => {
                    whole.push(start..at + 1);
                    open = None;
                }
                (None, '"' | '\'') => open = Some((at, letter)),
                _ => {}
            }
        }
        Self { whole, open }
    }

    /// Whether all end in the line, and none touches a word or string behind it, as where quotes are paired wrongly.
    fn stand_alone(&self, line: &str) -> bool {
        let is_touched =
            |it: &Range<usize>| line[it.end..].starts_with(|it| ident::is_part(it) || "\"'".contains(it));
        self.open.is_none() && !self.whole.iter().any(is_touched)
    }

    /// Where a string may begin that ends with the quote at `open`: behind a sign or a blank, and outside the others.
    fn beginnings(&self, line: &str, open: usize, keywords: &[&str]) -> impl Iterator<Item = usize> {
        let is_beginning = move |at: &usize| {
            let (before, behind) = line.split_at(*at);
            let is_first = before.trim_start().is_empty();
            // A statement is no string, but an entry of a list may be.
            let is_behind = is_first && line.ends_with(',')
                || !is_first && before.ends_with(['(', '[', '{', ',', '=', ':', '+', ' ']);
            // No string follows a name, and few begin with a parenthesis.
            let word = ident::last_partial(before.trim_end());
            let is_named = ident::is_name(word) && !keywords.contains(&word);
            is_behind
                && !is_named
                && !behind.starts_with([' ', '\t', '"', '\'', '('])
                && !self.whole.iter().any(|it| it.contains(at))
        };
        (0..open).filter(|at| line.is_char_boundary(*at)).filter(is_beginning)
    }
}

/// Whether the text before a quote may be all of its string: no prefix, `b`, and no code before an empty string, `a = `.
fn is_text(text: &str) -> bool {
    let mut letters = text.chars();
    let has_prefix = letters.next().is_some_and(|it| "bBfFrRuU".contains(it))
        && !letters.next().is_some_and(|it| it.is_lowercase() || it == '_');
    !has_prefix && text.ends_with(|it: char| !it.is_whitespace() && !"([{=,:+".contains(it))
}

/// Where an open string may end: before a sign or a blank, or with the line.
fn ends(line: &str, open: usize) -> impl Iterator<Item = usize> {
    let is_end = move |at: &usize| {
        let (before, behind) = line.split_at(*at);
        let mut next = behind.chars();
        match next.next() {
            None => true,
            // In prose, a blank follows the dot.
            Some('.') => next.next().is_some_and(ident::is_part),
            Some(first) => {
                CLOSING.contains(&first) || first.is_whitespace() && !before.ends_with(char::is_whitespace)
            }
        }
    };
    // An empty string is a quote too many.
    (open + 2..=line.len()).filter(|at| line.is_char_boundary(*at)).filter(is_end)
}

/// Whether a line and one beside it end with the same sign between entries or behind a statement.
fn ends_like_neighbour(file: &FileView<'_>, start: usize, line: &str) -> bool {
    let Some(last) = line.chars().next_back().filter(|it| [',', ';'].contains(it)) else { return false };
    let next = file.next_line_start(start);
    let above = start.checked_sub(1).map(|end| file.slice(file.line_start(end)..end));
    let below = file.slice(next..file.next_line_start(next));
    above.into_iter().chain([below]).any(|it| it.trim_end().ends_with(last))
}
