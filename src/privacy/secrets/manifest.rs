//! The values of a Kubernetes Secret, whose names may be any.

use std::ops::Range;

use super::text::{indentation, line_break, line_end_within};
use super::value::is_placeholder;
use crate::privacy::limits::{MANIFEST_BYTES, VALUE_BYTES};

/// Finds the values below `data` and `stringData` of the manifest that says at `at` that it is a secret.
///
/// Returns where the manifest ends.
pub(super) fn values(text: &str, at: usize, found: &mut Vec<Range<usize>>) -> usize {
    const DIVIDER: &str = "\n---";
    let bytes = text.as_bytes();
    let earliest =
        (at.saturating_sub(MANIFEST_BYTES)..at).find(|it| text.is_char_boundary(*it)).unwrap_or(at);
    let start = text[earliest..at].rfind(DIVIDER).map_or(earliest, |divider| earliest + divider + 1);
    let limit = bytes.len().min(at + MANIFEST_BYTES);
    // The columns of the keys `data` and of the last key with a value of several lines.
    let (mut data, mut block): (Option<usize>, Option<usize>) = (None, None);
    let mut next = start;
    while next < limit && !(next > at && bytes[next..].starts_with(&DIVIDER.as_bytes()[1..])) {
        let (column, begin) = indentation(bytes, next);
        next = line_end_within(bytes, begin, VALUE_BYTES);
        let line = text.get(begin..next);
        next += line_break(bytes, next).max(1);
        let Some(line) = line.filter(|it| !it.trim().is_empty()) else { continue };
        data = data.filter(|it| *it < column);
        block = block.filter(|it| *it < column);
        let name = line.trim_start_matches(['"', '\\']);
        if data.is_none()
            && (name.starts_with("data") || name.starts_with("stringData"))
            && !line.contains(": \"")
        {
            data = Some(column);
            continue;
        }
        let value = match line.split_once(':') {
            _ if data.is_none() => continue,
            Some((_, value)) if block.is_none() => value,
            _ => line,
        };
        let value = value.trim_matches(|it: char| it.is_whitespace() || "\"',\\".contains(it));
        match value.as_bytes() {
            [] | [b'|' | b'>', ..] => block = Some(column),
            _ if value.len() >= 4 && !is_placeholder(value) => {
                let from = begin + line.rfind(value).unwrap_or_default();
                found.push(from..from + value.len());
            }
            _ => {}
        }
    }
    next
}
