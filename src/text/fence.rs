//! Code in a fence.

/// Puts code in a fence that is longer than any run of backticks in it.
pub(crate) fn fenced(language: &str, code: &str) -> String {
    let longest = code.split(|sign| sign != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let line_end = if code.ends_with('\n') || code.is_empty() { "" } else { "\n" };
    format!("{fence}{language}\n{code}{line_end}{fence}\n")
}
