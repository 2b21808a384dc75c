//! The words before a message: its severity and its code.

use crate::tool_output::diagnostic::Severity;

/// The parts of a message's first line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header<'t> {
    /// `None` if the tool does not state it.
    pub(super) severity: Option<Severity>,
    pub(super) code: Option<&'t str>,
    pub(super) message: &'t str,
}

impl Header<'_> {
    pub(super) fn has_code(&self, is_met: fn(&str) -> bool) -> bool {
        self.code.is_some_and(is_met)
    }
}

const SEVERITIES: [(&str, Severity); 10] = [
    ("fatal error", Severity::Error),
    ("error", Severity::Error),
    ("Error", Severity::Error),
    ("warning", Severity::Warning),
    ("Warning", Severity::Warning),
    ("note", Severity::Information),
    ("information", Severity::Information),
    ("info", Severity::Information),
    ("remark", Severity::Information),
    ("hint", Severity::Hint),
];

/// Splits a message from its severity and its code.
///
/// It begins as `error[E0425]: …`, `error TS2304: …`, `F401 [*] …`, `warning: … [-Wunused]` or
/// `error: …  [attr-defined]`.
pub(super) fn read(text: &str) -> Header<'_> {
    let text = text.trim();
    for (word, severity) in SEVERITIES {
        let Some(rest) = text.strip_prefix(word) else { continue };
        let (code, rest) = bracketed(rest).or_else(|| spaced(rest)).unwrap_or((None, rest));
        if let Some(message) = rest.strip_prefix(':') {
            let (message, behind) = behind(message.trim());
            return Header { severity: Some(severity), code: code.or(behind), message };
        }
    }
    // Ruff prints a code or a name instead of the severity.
    if let Some((first, rest)) = text.split_once(' ') {
        let name = first.strip_suffix(':').unwrap_or(first);
        if is_ruff_code(first) || first.ends_with(':') && is_rule_name(name) {
            let message = rest.strip_prefix("[*]").unwrap_or(rest).trim_start();
            return Header { severity: None, code: Some(name), message };
        }
    }
    let (message, code) = behind(text);
    Header { severity: None, code, message }
}

/// `[E0425]` before the colon.
fn bracketed(rest: &str) -> Option<(Option<&str>, &str)> {
    let (code, rest) = rest.strip_prefix('[')?.split_once(']')?;
    Some((Some(code), rest))
}

/// ` TS2304` before the colon.
fn spaced(rest: &str) -> Option<(Option<&str>, &str)> {
    let rest = rest.strip_prefix(' ')?;
    let (code, _) = rest.split_once(':')?;
    let is_code = code.starts_with(|it: char| it.is_ascii_uppercase())
        && code.ends_with(|it: char| it.is_ascii_digit())
        && code.bytes().all(|it| it.is_ascii_alphanumeric());
    is_code.then(|| (Some(code), &rest[code.len()..]))
}

/// A code in brackets behind the message.
fn behind(message: &str) -> (&str, Option<&str>) {
    // Pyright's rules are in parentheses.
    let rule = || {
        let (head, rule) = message.strip_suffix(')')?.rsplit_once(" (")?;
        let name = rule.strip_prefix("report")?;
        name.bytes().all(|it| it.is_ascii_alphanumeric()).then_some((head, Some(rule)))
    };
    let split = || {
        let (head, code) = message.strip_suffix(']')?.rsplit_once('[')?;
        let is_code = !code.is_empty()
            && head.ends_with(' ')
            && code.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_=+.".contains(&it))
            && (code.starts_with('-') || head.ends_with("  "));
        is_code.then(|| (head.trim_end(), Some(code)))
    };
    split().or_else(rule).unwrap_or((message, None))
}

/// `F401` or `PLR0913`.
pub(super) fn is_ruff_code(word: &str) -> bool {
    let digits = word.trim_start_matches(|it: char| it.is_ascii_uppercase());
    (1..=5).contains(&(word.len() - digits.len()))
        && (3..=4).contains(&digits.len())
        && digits.bytes().all(|it| it.is_ascii_digit())
}

/// `unused-import`.
fn is_rule_name(word: &str) -> bool {
    word.contains('-') && word.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severity_and_code_stand_before_or_behind() {
        let check = |text: &str, severity: Option<Severity>, code: Option<&str>, message: &str| {
            assert_eq!(read(text), Header { severity, code, message });
        };
        check("error[E0425]: cannot find", Some(Severity::Error), Some("E0425"), "cannot find");
        check("error TS2304: Cannot", Some(Severity::Error), Some("TS2304"), "Cannot");
        check("error: no [attr]", Some(Severity::Error), None, "no [attr]");
        check(
            "error: no attribute  [attr-defined]",
            Some(Severity::Error),
            Some("attr-defined"),
            "no attribute",
        );
        check("warning: unused ‘x’ [-Wunused=2]", Some(Severity::Warning), Some("-Wunused=2"), "unused ‘x’");
        check("F401 [*] `os` imported", None, Some("F401"), "`os` imported");
        check("unused-import: [*] `os` imported", None, Some("unused-import"), "`os` imported");
        check("undefined: strings", None, None, "undefined: strings");
        check("errors were found", None, None, "errors were found");
    }
}
