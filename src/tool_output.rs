//! Parses the output of compilers, linters and test runners into diagnostics.
//!
//! [`read`] accepts the raw output, as text or JSON, even if several tools share it: rustc and cargo, tsc, eslint,
//! ruff, mypy, pyright, Python and pytest, gcc and clang, go, javac, SARIF, and every tool that prints
//! `file:line:column: message`. Lines without a diagnostic are skipped and counted.
//!
//! Each tool counts columns in its own [`Unit`]; [`Diagnostic::span`] converts them to bytes, given the file's text.
//! If a tool shows the line it reports on, [`Diagnostic::is_of`] checks whether the file still has that line. Fixes
//! in the output state how [sure](Safety) the tool is of them.
//!
//! If make entered a folder, the paths in the output are relative to that folder; they are joined with it.

mod diagnostic;
mod entered;
mod escape;
mod json;
mod limits;
mod place;
#[cfg(test)]
mod tests;
mod text;

pub use diagnostic::{Diagnostic, Fix, FixEdit, Place, Report, Safety, Severity, Unit};
use entered::Entered;
pub use escape::without_escapes;

/// Parses an output.
///
/// Time and memory are proportional to the text; at most 20,000 diagnostics are kept.
pub fn read(output: &str) -> Report {
    let plain = escape::without_escapes(output);
    let mut report = Report::default();
    let mut incomplete = 0;
    let mut entered = Entered::default();
    let mut rest: &str = &plain;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        if entered.follow(line) {
            report.ignored_lines += 1;
            rest = after;
            continue;
        }
        let known = report.diagnostics.len();
        rest = read_next(rest, &mut report, &mut incomplete);
        entered.place(&mut report.diagnostics[known..]);
    }
    let kept = limits::DIAGNOSTICS.min(report.diagnostics.len());
    report.dropped += report.diagnostics.len() - kept;
    report.diagnostics.truncate(kept);
    report
}

/// Reads the JSON document or the message that begins here, or skips a line.
///
/// Returns the rest of the text. `incomplete` counts the documents that may be truncated.
fn read_next<'t>(rest: &'t str, report: &mut Report, incomplete: &mut usize) -> &'t str {
    if *incomplete < limits::INCOMPLETE_DOCUMENTS && json::begins(rest) {
        match json::read(rest, report) {
            json::Read::Document(bytes) => return after_line(&rest[bytes..]),
            json::Read::Incomplete(bytes) => {
                *incomplete += 1;
                report.is_cut = true;
                if bytes > 0 {
                    return after_line(&rest[bytes..]);
                }
            }
            json::Read::Other => {}
        }
    }
    text::read(rest, report)
}

/// Skips the rest of a document's last line, which is usually empty.
fn after_line(rest: &str) -> &str {
    rest.trim_start_matches([' ', '\t'])
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'))
        .unwrap_or(rest)
}
