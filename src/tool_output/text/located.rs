//! Messages that begin with their location, as `file:line:column: message`.
//!
//! They are `a.c:3:5: error: …` and `a.ts(3,5): error TS1005: …`, as gcc, clang, go, javac, tsc, mypy, pyright,
//! pytest, ruff and others print them.

use super::excerpt::{carets, is_marks, row};
use super::header::{self, Header, is_ruff_code};
use super::lines::{Block, Lines};
use crate::tool_output::diagnostic::{Diagnostic, Place, Severity, Unit};
use crate::tool_output::limits::{MESSAGE_LINES, NOTES};

/// Reads one message and the lines that belong to it.
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
            // tsc prints a coloured number without a margin; other tools have a margin.
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
            // Code without a margin.
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

/// Applies the marks below an excerpt to the diagnostic.
fn mark(diagnostic: &mut Diagnostic, marks: &str, has_margin: bool) {
    let Some((lead, count, _)) = carets(marks) else { return };
    let Place::Line(line, column) = diagnostic.start else { return };
    match column {
        // Tools that print no column show the line unchanged.
        None => {
            diagnostic.start = Place::Line(line, Some(lead));
            diagnostic.unit = Unit::Utf16;
        }
        Some(column) => {
            // If the caret is exactly at the printed column, the tool counts terminal columns.
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

/// How a tool's lines are recognized: a sample, the tool, the unit of its columns, the suffixes of its files, and a
/// further condition on the line. The first row that matches counts.
type Shape = (&'static str, Option<&'static str>, Unit, &'static [&'static str], fn(&Header<'_>) -> bool);

const ANY: &[&str] = &[""];
const PYTHON: &[&str] = &[".py", ".pyi"];
const C: &[&str] = &[".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".m", ".mm"];
const TYPESCRIPT: &[&str] = &[".ts", ".tsx", ".mts", ".cts"];

const SHAPES: [Shape; 12] = [
    ("a.js(3,5): error TS2304: no", Some("tsc"), Unit::Utf16, ANY, |it| {
        it.has_code(|it| it.starts_with("TS"))
    }),
    ("a:3:5: warning: no [-Wall]", Some("gcc"), Unit::Bytes, ANY, |it| {
        it.has_code(|it| it.starts_with("-W"))
    }),
    ("a.py:3:5: F401 [*] no", Some("ruff"), Unit::Characters, ANY, |it| it.has_code(is_ruff_code)),
    ("a.py:3:5: error: no  [attr]", Some("mypy"), Unit::Bytes, PYTHON, |it| it.severity.is_some()),
    // Ruff may print rules by name, and without a severity.
    ("a.py:3:5: unused-import: no", Some("ruff"), Unit::Characters, PYTHON, |it| it.code.is_some()),
    ("a.py:3: NameError", Some("cpython"), Unit::Bytes, PYTHON, |_| true),
    ("a.c:3:5: error: no", Some("gcc"), Unit::Bytes, C, |_| true),
    ("vet: ./a.go:3:5: undefined: x", Some("compiler"), Unit::Bytes, &[".go"], |_| true),
    ("A.java:3: error: no", Some("javac"), Unit::Bytes, &[".java"], |_| true),
    ("a.ts(3,5): error: no", Some("tsc"), Unit::Utf16, TYPESCRIPT, |_| true),
    ("a.rs:3:5: no", Some("rustc"), Unit::Bytes, &[".rs"], |_| true),
    ("a.sh:3:5: note: no", None, Unit::Bytes, ANY, |_| true),
];

/// Pyright's lines, which are indented below the path of their file.
const PYRIGHT: Shape = (
    "  /a.py:3:5 - error: no (reportMissingImports)",
    Some("pyright"),
    Unit::Utf16,
    &[".py", ".pyi", ".ipynb"],
    |it| it.severity.is_some(),
);

/// Parses a line that begins with a location.
fn first_line(line: &str) -> Option<Diagnostic> {
    let indented = line.strip_prefix("  ").filter(|it| !it.starts_with(' '));
    // `go vet` prints this before errors of a package that does not compile.
    let body = indented.unwrap_or(line.strip_prefix("vet: ").unwrap_or(line));
    let (path, number, column, text) = split_place(body).or_else(|| whole_file(body))?;
    let head = header::read(text);
    // Go's compiler reports where it stopped as if that were a mistake.
    let is_mistake = !head.message.is_empty() && head.message != "too many errors";
    if !is_mistake || indented.is_none() && !is_path(path, head.severity.is_some()) {
        return None;
    }
    let shapes = if indented.is_some() { std::slice::from_ref(&PYRIGHT) } else { &SHAPES };
    let is_met =
        |(_, _, _, endings, is_met): &&Shape| endings.iter().any(|it| path.ends_with(it)) && is_met(&head);
    let (_, tool, unit, ..) = shapes.iter().find(is_met)?;
    let start = Place::Line(number.checked_sub(1)?, column.map(|it| it.saturating_sub(1)));
    Some(Diagnostic {
        severity: head.severity.unwrap_or(Severity::Error),
        source: tool.map(str::to_owned),
        code: head.code.map(str::to_owned),
        message: head.message.to_owned(),
        ..Diagnostic::at(path, start, *unit)
    })
}

/// Splits off the path of a message about a whole Python file, as mypy prints them: `a.py: error: Duplicate module`.
fn whole_file(line: &str) -> Option<(&str, usize, Option<usize>, &str)> {
    let (path, text) = line.split_once(": ")?;
    let is_file = PYTHON.iter().any(|it| path.ends_with(it)) && text.starts_with("error: ");
    is_file.then_some((path, 1, None, text))
}

/// Splits off a line's location: path, line and column (from 1), and the rest.
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

/// Parses `path:line:column` without further text.
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

/// Splits off the number at the beginning of a text.
fn digits(text: &str) -> (Option<usize>, &str) {
    let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
    match text[..end].parse() {
        Ok(number) if end > 0 => (Some(number), &text[end..]),
        _ => (None, text),
    }
}

/// Whether a text can be the path of a source file: not a time, an address or a sentence.
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
    fn each_tool_is_known_by_its_sample() {
        for (sample, tool, unit, ..) in SHAPES.iter().chain([&PYRIGHT]) {
            let read = first_line(sample).map(|it| (it.source, it.unit));
            assert_eq!(read, Some((tool.map(str::to_owned), *unit)), "{sample}");
        }
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
