//! Parses the output of compilers, linters and test runners into diagnostics.
//!
//! [`read`] accepts the raw output, as text or JSON, even if several tools share it: rustc and cargo, tsc, eslint,
//! ruff, mypy, pyright, Python and pytest, gcc and clang, go, javac, SARIF, and every tool that prints
//! `file:line:column: message`. Lines without a diagnostic are skipped and counted.
//!
//! Each tool counts columns in its own [`Unit`]; [`Diagnostic::span`] converts them to bytes, given the file's text.
//! If a tool shows the line it reports on, [`Diagnostic::is_of`] checks whether the file still has that line. Fixes
//! in the output state how [sure](Safety) the tool is of them.

mod diagnostic;
mod escape;
mod json;
mod limits;
mod place;
#[cfg(test)]
mod tests;
mod text;

pub use diagnostic::{Diagnostic, Fix, FixEdit, Place, Report, Safety, Severity, Unit};
pub use escape::without_escapes;

/// Parses an output.
///
/// Time and memory are proportional to the text; at most 20,000 diagnostics are kept.
pub fn read(output: &str) -> Report {
    let plain = escape::without_escapes(output);
    let mut report = Report::default();
    let mut incomplete = 0;
    let mut rest: &str = &plain;
    while !rest.is_empty() {
        let is_json = incomplete < limits::INCOMPLETE_DOCUMENTS && json::begins(rest);
        if is_json {
            match json::read(rest, &mut report) {
                json::Read::Document { bytes } => {
                    rest = after_line(&rest[bytes..]);
                    continue;
                }
                json::Read::Incomplete { bytes } => {
                    incomplete += 1;
                    report.is_cut = true;
                    if bytes > 0 {
                        rest = after_line(&rest[bytes..]);
                        continue;
                    }
                }
                json::Read::Other => {}
            }
        }
        rest = text::read(rest, &mut report);
    }
    let kept = limits::DIAGNOSTICS.min(report.diagnostics.len());
    report.dropped += report.diagnostics.len() - kept;
    report.diagnostics.truncate(kept);
    report
}

/// Skips the rest of a document's last line, which is usually empty.
fn after_line(rest: &str) -> &str {
    rest.trim_start_matches([' ', '\t'])
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'))
        .unwrap_or(rest)
}
