//! Messages as text: on one line each, or as a block of lines around an excerpt.

mod arrow;
mod excerpt;
mod header;
mod lines;
mod located;
mod progress;
mod python;
mod stylish;

use super::diagnostic::Report;
use super::limits::{LINE_BYTES, UNREAD_BYTES};
use crate::text;
use lines::Lines;

/// Reads the message that begins here, or skips one line.
///
/// Returns the rest of the text.
pub(super) fn read<'t>(rest: &'t str, report: &mut Report) -> &'t str {
    let lines = Lines::of(rest);
    if lines.line.trim().is_empty() {
        return lines.after;
    }
    if lines.line.len() > LINE_BYTES {
        pass_over(lines.line, report);
        return lines.after;
    }
    let found = arrow::read(lines)
        .or_else(|| python::read(lines))
        .or_else(|| stylish::read(lines))
        .or_else(|| located::read(lines));
    // Guarantees progress even if a reader consumes nothing.
    match found.filter(|(_, after)| after.len() < rest.len()) {
        Some((diagnostics, after)) => {
            if diagnostics.is_empty() {
                report.ignored_lines += rest[..rest.len() - after.len()].lines().count();
            }
            diagnostics.into_iter().for_each(|it| report.push(it));
            after
        }
        None => {
            pass_over(lines.line, report);
            lines.after
        }
    }
}

/// Counts a line that belongs to no message.
fn pass_over(line: &str, report: &mut Report) {
    report.ignored_lines += 1;
    if report.unread.is_none() && !progress::is_known(line) {
        let kept = text::floor_boundary(line, UNREAD_BYTES.min(line.len()));
        report.unread = Some(line[..kept].trim().to_owned());
    }
}
