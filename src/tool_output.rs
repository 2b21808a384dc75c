//! What compilers, linters and test runners print, read as diagnostics.
//!
//! [`read`] takes the output as it stands, text or JSON, of several tools in one if need be: rustc and cargo,
//! tsc, eslint, ruff, mypy, pyright, Python and pytest, gcc and clang, go, javac, SARIF, and everything that
//! prints `file:line:column: message`. What is no diagnostic is passed over, and counted.
//!
//! Each tool counts columns in its own [`Unit`]; [`Diagnostic::span`] makes bytes of them, given the file's
//! text. Where a tool shows the line that it speaks of, [`Diagnostic::is_of`] tells whether the file still
//! has it. Fixes that a tool brings along say how [sure](Safety) it is of them.

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

/// Reads an output.
///
/// It takes time and memory in proportion to the text; at most 20,000 diagnostics are kept.
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

/// What stands after a document on its last line: nothing, as a rule.
fn after_line(rest: &str) -> &str {
    rest.trim_start_matches([' ', '\t'])
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'))
        .unwrap_or(rest)
}
