//! Removes line numbers that a model put before the lines of its code.
//!
//! The model copies them from the numbered lines of its prompt.

use crate::edit::line;
use crate::edit::locate::numbered;

/// Returns the lines without their numbers.
///
/// `None` unless all lines but blank ones are numbered in the same format, in ascending order.
pub(in crate::edit) fn removed(code: &str) -> Option<Vec<&str>> {
    let marked =
        |line| marked_number(line).or_else(|| plain_number(line).filter(|(_, text)| line::is_blank(text)));
    // Numbers followed only by a space could be data, unless they increase in step with the lines.
    let counts_up = |one: (usize, usize), next: (usize, usize)| one.0 < next.0;
    let in_step =
        |one: (usize, usize), next: (usize, usize)| next.0.checked_sub(one.0) == Some(next.1 - one.1);
    numbered_so(code, &marked, &counts_up).or_else(|| numbered_so(code, &plain_number, &in_step))
}

/// Whether a line has a number before it, in either format.
pub(in crate::edit) fn has_any(code: &str) -> bool {
    line::split_iter(code).any(|line| marked_number(line).or_else(|| plain_number(line)).is_some())
}

/// Returns the lines without the numbers that `read` finds.
///
/// All lines but blank ones must have a number. `follows` checks each number and line against the previous.
fn numbered_so<'c>(
    code: &'c str,
    read: &dyn Fn(&'c str) -> Option<(usize, &'c str)>,
    follows: &dyn Fn((usize, usize), (usize, usize)) -> bool,
) -> Option<Vec<&'c str>> {
    let mut counts = Vec::new();
    let mut lines = Vec::new();
    for (at, line) in line::split_iter(code).enumerate() {
        match read(line) {
            Some((count, text)) => {
                counts.push((count, at));
                lines.push(text);
            }
            None if line::is_blank(line) => lines.push(line),
            None => return None,
        }
    }
    (counts.len() > 1 && counts.windows(2).all(|pair| follows(pair[0], pair[1]))).then_some(lines)
}

/// Reads a line with a delimiter after its number, as [`numbered`] does.
///
/// An `L` may precede the number.
fn marked_number(line: &str) -> Option<(usize, &str)> {
    numbered(line.trim_start_matches(' ').strip_prefix('L').unwrap_or(line))
}

/// Reads a line with only a space between its number and its text.
fn plain_number(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches(' ');
    let after = rest.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let count = rest[..rest.len() - after.len()].parse().ok()?;
    let text = if line::is_blank(after) { Some(after) } else { after.strip_prefix(' ') };
    text.map(|text| (count, text))
}
