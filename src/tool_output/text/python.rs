//! Messages of Python itself, and of pytest.
//!
//! They are a traceback, or the location of a syntax error.

use super::excerpt::carets;
use super::lines::{Block, Lines};
use crate::tool_output::diagnostic::{Diagnostic, Place, Unit};
use crate::tool_output::limits::MESSAGE_LINES;

/// Reads a traceback up to its error, or an error above the location that pytest prints.
pub(super) fn read(lines: Lines<'_>) -> Block<'_> {
    let (body, is_quoted) = unquoted(lines.line);
    // Python indents the frames of a traceback.
    if frame(body).is_some() && (is_quoted || body.starts_with(' ')) {
        return traceback(lines, is_quoted);
    }
    if is_quoted && error(body.trim()).is_some() { below(lines, body.trim()) } else { None }
}

/// The line without pytest's error prefix, and whether it had one.
fn unquoted(line: &str) -> (&str, bool) {
    match line.strip_prefix("E  ") {
        Some(body) => (body, true),
        None => (line, false),
    }
}

/// Parses `File "a.py", line 3, in f`.
fn frame(line: &str) -> Option<(&str, usize)> {
    let (path, rest) = line.trim_start().strip_prefix("File \"")?.split_once("\", line ")?;
    let digits = rest.split(|it: char| !it.is_ascii_digit()).next()?;
    Some((path, digits.parse().ok()?))
}

/// Parses `NameError: name 'a' is not defined` into the name of the error and its message.
fn error(line: &str) -> Option<(&str, &str)> {
    let (name, message) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_error = ["Error", "Exception", "Warning", "Exit", "Interrupt", "StopIteration"];
    let is_name = name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_' || it == b'.');
    (is_name && is_error.iter().any(|it| last.ends_with(it))).then_some((name, message))
}

fn traceback(lines: Lines<'_>, is_quoted: bool) -> Block<'_> {
    let mut rest = lines;
    let mut at: Option<Diagnostic> = None;
    // The indentation of the last code line shown.
    let mut shown: Option<usize> = None;
    for _ in 0..MESSAGE_LINES {
        let (body, quoted) = unquoted(rest.line);
        if rest.is_end() || quoted != is_quoted || body.trim().is_empty() {
            break;
        }
        let is_indented = is_quoted || body.starts_with(' ');
        if !is_indented && error(body).is_none() {
            break;
        }
        if let Some((path, line)) = frame(body) {
            shown = None;
            // The last frame outside Python's own code, where the error arises or is caused.
            if at.is_none() || !is_library(path) {
                at = Some(diagnostic(path, line.saturating_sub(1)));
            }
        } else if let Some((lead, count, _)) =
            carets(body).filter(|_| body.trim_start().starts_with(['^', '~']))
        {
            if let (Some(diagnostic), Some(blanks)) = (&mut at, shown)
                && let Place::Line(line, _) = diagnostic.start
                && let Some(column) = lead.checked_sub(blanks)
                && diagnostic.line.is_some()
            {
                diagnostic.start = Place::Code(line, column);
                diagnostic.end = Some(Place::Code(line, column + count));
            }
        } else if let Some((name, message)) =
            error(body.trim()).filter(|_| shown.is_none_or(|_| !is_code(body, is_quoted)))
        {
            let Some(mut diagnostic) = at else { break };
            diagnostic.code = Some(name.to_owned());
            diagnostic.message = if message.is_empty() { name.to_owned() } else { message.to_owned() };
            return Some((vec![diagnostic], rest.after));
        } else if let Some(diagnostic) = &mut at
            && shown.is_none()
        {
            shown = Some(body.len() - body.trim_start().len());
            diagnostic.line = Some(body.trim().to_owned());
        }
        rest = rest.following();
    }
    // Frames without an error are not read again.
    Some((Vec::new(), rest.from))
}

/// Whether a line has the indentation of shown code, not of the error below it.
fn is_code(body: &str, is_quoted: bool) -> bool {
    let blanks = body.len() - body.trim_start().len();
    blanks > usize::from(is_quoted) * 2
}

/// Reads `E  NameError: …` and the location a few lines below: `a.py:2: NameError`.
fn below<'t>(lines: Lines<'t>, text: &str) -> Block<'t> {
    let (name, message) = error(text)?;
    let mut rest = lines.following();
    for _ in 0..6 {
        let Some((path, line)) =
            rest.line.strip_suffix(&format!(": {name}")).and_then(|it| it.rsplit_once(':'))
        else {
            rest = rest.following();
            continue;
        };
        let mut diagnostic = diagnostic(path, line.parse::<usize>().ok()?.checked_sub(1)?);
        diagnostic.code = Some(name.to_owned());
        diagnostic.message = message.to_owned();
        diagnostic.source = Some("pytest".to_owned());
        return Some((vec![diagnostic], rest.after));
    }
    None
}

/// Whether a file belongs to Python or to an installed package.
fn is_library(path: &str) -> bool {
    path.starts_with('<') || path.contains("/site-packages/") || path.contains("/lib/python")
}

fn diagnostic(path: &str, line: usize) -> Diagnostic {
    let source = Some("cpython".to_owned());
    Diagnostic { source, ..Diagnostic::at(path, Place::Line(line, None), Unit::Characters) }
}
