//! Messages that begin with their place, as `file:line:column: message`.
//!
//! They are `a.c:3:5: error: …` and `a.ts(3,5): error TS1005: …`, as gcc, clang, go, javac, tsc, mypy,
//! pyright, pytest, ruff and others print them.

use super::excerpt::{carets, is_marks, row};
use super::header::{self, is_ruff_code};
use super::lines::{Block, Lines};
use crate::tool_output::diagnostic::{Diagnostic, Place, Severity, Unit};
use crate::tool_output::limits::{MESSAGE_LINES, NOTES};

/// Reads one message with what belongs to it.
pub(super) fn read(lines: Lines<'_>) -> Block<'_> {
    let mut diagnostic = first_line(lines.line)?;
    let mut rest = lines.following();
    let mut is_note = false;
    for _ in 0..MESSAGE_LINES {
        if rest.is_end() || rest.line.trim().is_empty() {
            break;
        }
        let (text, next) = (rest.line, rest.following());
        if let Some(row) = row(text) {
            // tsc draws the number in colours, and no margin; the others have one.
            if row.number.is_some() && diagnostic.line.is_none() {
                diagnostic.line = Some(row.text.to_owned());
            } else if !is_note && diagnostic.end.is_none() {
                mark(&mut diagnostic, row.text, true);
            }
        } else if is_marks(text) {
            if !is_note && diagnostic.end.is_none() {
                mark(&mut diagnostic, text, false);
            }
        } else if let Some(note) = first_line(text) {
            let is_own = note.source.as_deref() == Some("pyright");
            if note.severity != Severity::Information || is_own || note.source.is_none() {
                break;
            }
            is_note = true;
            add_note(&mut diagnostic, &note.message);
        } else if is_marks(next.line) && next.line.len() <= text.len() + 1 {
            // Where nothing parts the code from a margin.
            if !is_note && diagnostic.line.is_none() {
                diagnostic.line = Some(text.to_owned());
            }
        } else if text.starts_with([' ', '\t']) || text.starts_with("  +++ |") {
            add_note(&mut diagnostic, text.trim());
        } else {
            break;
        }
        rest = next;
    }
    Some((vec![diagnostic], rest.from))
}

fn add_note(diagnostic: &mut Diagnostic, note: &str) {
    if diagnostic.notes.len() < NOTES && note.chars().any(char::is_alphanumeric) {
        diagnostic.notes.push(note.to_owned());
    }
}

/// Takes in the marks below an excerpt.
fn mark(diagnostic: &mut Diagnostic, marks: &str, has_margin: bool) {
    let Some((lead, count, _)) = carets(marks) else { return };
    let Place::Line(line, column) = diagnostic.start else { return };
    match column {
        // Tools that name no column show the line as it is.
        None => {
            diagnostic.start = Place::Line(line, Some(lead));
            diagnostic.unit = Unit::Utf16;
        }
        Some(column) => {
            // Where the caret stands at the column that is named, that counts columns of a terminal.
            if diagnostic.unit == Unit::Bytes && lead == column {
                diagnostic.unit = Unit::Columns;
            }
            let tail = marks.chars().skip(lead).take_while(|it| matches!(it, '^' | '~')).count();
            if has_margin && diagnostic.unit == Unit::Columns && (count > 1 || tail > 1) {
                diagnostic.end = Some(Place::Line(line, Some(column + tail)));
            }
        }
    }
}

/// Reads a line that begins with a place.
fn first_line(line: &str) -> Option<Diagnostic> {
    if let Some(body) = line.strip_prefix("  ").filter(|it| !it.starts_with(' ')) {
        return pyright(body);
    }
    // What `go vet` reports of a package that does not compile.
    let (path, number, column, text) = split_place(line.strip_prefix("vet: ").unwrap_or(line))?;
    let head = header::read(text);
    let says_severity = head.severity.is_some();
    if !is_path(path, says_severity) || head.message.is_empty() {
        return None;
    }
    let source = source(path, &head);
    let unit = match source {
        Some("tsc") => Unit::Utf16,
        Some("ruff") => Unit::Characters,
        _ => Unit::Bytes,
    };
    Some(Diagnostic {
        path: path.to_owned(),
        start: Place::Line(number.checked_sub(1)?, column.map(|it| it.saturating_sub(1))),
        end: None,
        unit,
        severity: head.severity.unwrap_or(Severity::Error),
        source: source.map(str::to_owned),
        code: head.code.map(str::to_owned),
        message: head.message.to_owned(),
        notes: Vec::new(),
        line: None,
        fixes: Vec::new(),
    })
}

/// Reads a line of pyright's, which stands below the path of its file: `/a.py:3:5 - error: … (rule)`.
fn pyright(line: &str) -> Option<Diagnostic> {
    let (path, number, column, text) = split_place(line)?;
    let head = header::read(text);
    let is_of_python = path.ends_with(".py") || path.ends_with(".pyi") || path.ends_with(".ipynb");
    if !is_of_python || head.message.is_empty() {
        return None;
    }
    let rule = || head.message.strip_suffix(')')?.rsplit_once(" (report");
    let (message, code) = match rule() {
        Some((message, rule)) => (message, Some(format!("report{rule}"))),
        None => (head.message, None),
    };
    Some(Diagnostic {
        path: path.to_owned(),
        start: Place::Line(number.checked_sub(1)?, column.map(|it| it.saturating_sub(1))),
        end: None,
        unit: Unit::Utf16,
        severity: head.severity?,
        source: Some("pyright".to_owned()),
        code,
        message: message.to_owned(),
        notes: Vec::new(),
        line: None,
        fixes: Vec::new(),
    })
}

/// Which tool writes such a line, by the file's ending and the code.
fn source(path: &str, head: &header::Header<'_>) -> Option<&'static str> {
    let ends = |endings: &[&str]| endings.iter().any(|it| path.ends_with(it));
    match head.code {
        Some(code) if code.starts_with("TS") => return Some("tsc"),
        Some(code) if code.starts_with("-W") => return Some("gcc"),
        Some(code) if is_ruff_code(code) => return Some("ruff"),
        _ => {}
    }
    if ends(&[".py", ".pyi"]) {
        // Ruff calls its rules by names, and without a severity.
        return Some(if head.severity.is_some() {
            "mypy"
        } else if head.code.is_some() {
            "ruff"
        } else {
            "cpython"
        });
    }
    let by_ending: [(&[&str], &str); 5] = [
        (&[".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".m", ".mm"], "gcc"),
        (&[".go"], "compiler"),
        (&[".java"], "javac"),
        (&[".ts", ".tsx", ".mts", ".cts"], "tsc"),
        (&[".rs"], "rustc"),
    ];
    by_ending.iter().find(|(endings, _)| ends(endings)).map(|(_, source)| *source)
}

/// Splits a line that begins with a place: path, line and column from 1, and the rest.
fn split_place(line: &str) -> Option<(&str, usize, Option<usize>, &str)> {
    // `C:\a.c:3`: the first colon belongs to the path.
    let drive = match line.as_bytes() {
        [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic() => 2,
        _ => 0,
    };
    let mut from = drive;
    while let Some(at) = line[from..].find([':', '(']).map(|at| from + at) {
        let path = &line[..at];
        let sign = line.as_bytes()[at];
        let (number, rest) = digits(&line[at + 1..]);
        if let Some(number) = number {
            if sign == b'(' {
                let (column, rest) = match rest.strip_prefix(',') {
                    Some(rest) => digits(rest),
                    None => (None, rest),
                };
                if let Some(text) = rest.strip_prefix("):") {
                    return Some((path, number, column, text));
                }
            } else {
                let (column, behind) = match rest.strip_prefix(':').map(digits) {
                    Some((Some(column), behind)) => (Some(column), behind),
                    _ => (None, rest),
                };
                // A range, as `3:5-9`.
                let behind = match behind.strip_prefix('-').map(digits) {
                    Some((Some(_), behind)) => behind,
                    _ => behind,
                };
                if let Some(text) = behind.strip_prefix(':').or_else(|| behind.strip_prefix(" - ")) {
                    return Some((path, number, column, text));
                }
            }
        }
        from = at + 1;
    }
    None
}

/// `path:line:column`, and nothing else.
pub(super) fn place_of(text: &str) -> Option<(&str, usize, Option<usize>)> {
    let text = text.trim();
    let (head, last) = text.rsplit_once(':')?;
    let last: usize = last.parse().ok()?;
    match head.rsplit_once(':') {
        Some((path, line)) if !path.is_empty() => match line.parse() {
            Ok(line) => Some((path, line, Some(last))),
            Err(_) => Some((head, last, None)),
        },
        _ => Some((head, last, None)),
    }
}

/// The number that a text begins with, and the rest.
fn digits(text: &str) -> (Option<usize>, &str) {
    let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
    match text[..end].parse() {
        Ok(number) if end > 0 => (Some(number), &text[end..]),
        _ => (None, text),
    }
}

/// Whether something can be the path of a source: not a time, an address or a sentence.
fn is_path(path: &str, says_severity: bool) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=10).contains(&ending.len())
            && ending.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'+')
            && ending.bytes().any(|it| it.is_ascii_alphabetic())
    });
    let is_plain =
        !path.starts_with([' ', '\t', '<', '"', '\'', '[']) && !path.contains("://") && !path.contains(": ");
    is_plain && (has_ending || says_severity && !name.is_empty() && !name.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stand_before_the_message() {
        let check = |line: &str, expected: Option<(&str, usize, Option<usize>, &str)>| {
            assert_eq!(split_place(line), expected, "{line}");
        };
        check("a.c:3:5: error: no", Some(("a.c", 3, Some(5), " error: no")));
        check("C:\\x y\\a.c:3: no", Some(("C:\\x y\\a.c", 3, None, " no")));
        check("a.ts(3,5): error TS1: no", Some(("a.ts", 3, Some(5), " error TS1: no")));
        check("a.ts:3:5 - error TS1: no", Some(("a.ts", 3, Some(5), "error TS1: no")));
        check("a (b).ts(3,5): no", Some(("a (b).ts", 3, Some(5), " no")));
        check("no place: here", None);
    }

    #[test]
    fn times_addresses_and_sentences_are_no_paths() {
        for line in ["12:30:45: started", "http://host:80:1: no", "see: a:1:2: x", "  a.c:1:2: x", "a:1:2: b"]
        {
            assert_eq!(first_line(line), None, "{line}");
        }
        for line in ["a.c:1:2: x", "Makefile:3: error: x", "/a/b.rs:1: x"] {
            assert!(first_line(line).is_some(), "{line}");
        }
    }
}
