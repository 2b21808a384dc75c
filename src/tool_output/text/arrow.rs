//! Messages with an arrow, as rustc, clippy and ruff print them.
//!
//! They consist of `error[E0425]: …`, then ` --> src/a.rs:3:5` and an excerpt.

use super::excerpt::{Row, carets, row};
use super::header::{self, is_ruff_code};
use super::lines::{Block, Lines};
use super::located::place_of;
use crate::tool_output::diagnostic::{Diagnostic, Fix, FixEdit, Place, Safety, Severity, Unit};
use crate::tool_output::limits::{MESSAGE_LINES, NOTES};

/// A column beyond the end of every line.
const LINE_END: usize = 1 << 20;

/// Reads one message.
pub(super) fn read(lines: Lines<'_>) -> Block<'_> {
    let arrow = lines.following();
    let place = arrow.line.trim_start().strip_prefix("--> ")?;
    let (path, line, column) = place_of(place)?;
    let head = header::read(lines.line);
    if head.severity.is_none() && head.code.is_none() {
        return None;
    }
    let number = line;
    let line = number.checked_sub(1)?;
    let start = Place::Line(line, column.map(|it| it.saturating_sub(1)));
    let mut diagnostic = Diagnostic {
        severity: head.severity.unwrap_or(Severity::Error),
        source: Some(source(head.code, path).to_owned()),
        code: head.code.map(str::to_owned),
        message: head.message.to_owned(),
        ..Diagnostic::at(path, start, Unit::Characters)
    };
    let mut rest = arrow.following();
    let mut help: Option<Help<'_>> = None;
    for _ in 0..MESSAGE_LINES {
        if rest.is_end() || rest.line.trim().is_empty() {
            break;
        }
        let text = rest.line;
        if let Some(row) = row(text) {
            match &mut help {
                Some(help) => help.rows.push(row),
                None => excerpt(&mut diagnostic, &row, number, column),
            }
        } else if let Some(note) = note(text) {
            diagnostic.fixes.extend(help.take().and_then(Help::fix));
            if diagnostic.notes.len() < NOTES {
                diagnostic.notes.push(note.to_owned());
            }
            let is_help = text.starts_with("help: ");
            help = is_help.then(|| Help { title: note, rows: Vec::new() });
        } else if !is_part(text) {
            break;
        }
        rest = rest.following();
    }
    diagnostic.fixes.extend(help.and_then(Help::fix));
    Some((vec![diagnostic], rest.from))
}

/// The tool that writes such a message.
fn source(code: Option<&str>, path: &str) -> &'static str {
    match code {
        Some(code) if code.starts_with("clippy::") => "clippy",
        Some(code) if is_ruff_code(code) && !path.ends_with(".rs") => "ruff",
        _ if path.ends_with(".py") || path.ends_with(".pyi") => "ruff",
        _ => "rustc",
    }
}

/// The text of a note or a help line.
fn note(line: &str) -> Option<&str> {
    let body = line.trim_start();
    let body = body.strip_prefix("= ").unwrap_or(body);
    ["help: ", "note: "].iter().find_map(|word| body.strip_prefix(word))
}

/// Whether a line continues a message.
///
/// Such lines are an omission, another file, or a line that ruff removes.
fn is_part(line: &str) -> bool {
    let body = line.trim_start();
    body == "..." || body.starts_with("::: ") || body.starts_with("--> ") || line.starts_with("  ")
}

/// Adds a line of the excerpt to the diagnostic.
fn excerpt(diagnostic: &mut Diagnostic, row: &Row<'_>, number: usize, column: Option<usize>) {
    if row.number == Some(number) && diagnostic.line.is_none() {
        diagnostic.line = Some(row.text.to_owned());
        return;
    }
    let Some((line, column)) = diagnostic.line.as_ref().zip(column) else { return };
    if row.number.is_some() || diagnostic.end.is_some() {
        return;
    }
    let Some((lead, count, label)) = carets(row.text) else { return };
    let start = column.saturating_sub(1);
    // Tabs are printed as blanks, so the columns may differ.
    if lead != start {
        return;
    }
    let Place::Line(at, _) = diagnostic.start else { return };
    let end = if line.chars().count() <= start { start } else { start + count };
    diagnostic.end = Some(Place::Line(at, Some(end)));
    let Some(help) = label.strip_prefix("help: ") else { return };
    diagnostic.notes.push(help.to_owned());
    if let Some(text) = replacement(help) {
        let (start, end) = (Place::Line(at, Some(start)), Place::Line(at, Some(end)));
        let edit = FixEdit { path: None, start, end, text: text.to_owned(), lines: None };
        diagnostic.fixes.push(Fix { title: help.to_owned(), safety: Safety::Unknown, edits: vec![edit] });
    }
}

/// The replacement text named by a help label next to the carets.
fn replacement(help: &str) -> Option<&str> {
    if let Some(sign) = help.strip_prefix("add `").and_then(|it| it.strip_suffix("` here")) {
        return Some(sign);
    }
    let (_, text) = help.split_once(": `")?;
    text.strip_suffix('`')
}

/// A help message with the resulting lines that it shows.
struct Help<'t> {
    title: &'t str,
    rows: Vec<Row<'t>>,
}

impl Help<'_> {
    fn fix(self) -> Option<Fix> {
        let mut edits = Vec::new();
        // The number of lines by which the new text is ahead of the old.
        let mut shift = 0_usize;
        let mut at = 0;
        while at < self.rows.len() {
            let row = &self.rows[at];
            let next = self.rows.get(at + 1);
            match (row.sign, row.number) {
                ('-' | '+', Some(_)) => {
                    let run = |sign: char, from: usize| {
                        self.rows[from..].iter().take_while(|it| it.sign == sign).collect::<Vec<_>>()
                    };
                    let old = run('-', at);
                    let new = run('+', at + old.len());
                    edits.push(replaced_lines(&old, &new, shift)?);
                    shift += new.len().saturating_sub(old.len());
                    at += old.len() + new.len();
                    continue;
                }
                ('|', Some(number)) => {
                    let marks = next.filter(|it| it.number.is_none()).map(|it| it.text);
                    if let Some(marks) = marks.filter(|it| it.contains(['+', '~', '-'])) {
                        let line = number.checked_sub(1 + shift)?;
                        edits.push(marked_line(line, row.text, marks)?);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        let title = self.title.trim_end_matches(':').to_owned();
        (!edits.is_empty()).then_some(Fix { title, safety: Safety::Unknown, edits })
    }
}

/// Replaces whole lines by new lines.
fn replaced_lines(old: &[&Row<'_>], new: &[&Row<'_>], shift: usize) -> Option<FixEdit> {
    let text: Vec<&str> = new.iter().map(|it| it.text).collect();
    let (start, end, text) = match (old.first(), old.last()) {
        (Some(first), Some(last)) => {
            let (first, last) = (first.number?.checked_sub(1)?, last.number?.checked_sub(1)?);
            match text.is_empty() {
                true => (Place::Line(first, Some(0)), Place::Line(last + 1, Some(0)), String::new()),
                false => (Place::Line(first, Some(0)), Place::Line(last, Some(LINE_END)), text.join("\n")),
            }
        }
        _ => {
            let line = new.first()?.number?.checked_sub(1 + shift)?;
            (Place::Line(line, Some(0)), Place::Line(line, Some(0)), text.join("\n") + "\n")
        }
    };
    let shown: Vec<&str> = old.iter().map(|it| it.text).collect();
    Some(FixEdit { path: None, start, end, text, lines: (!shown.is_empty()).then(|| shown.join("\n")) })
}

/// The resulting line, with marks below the new parts.
fn marked_line(line: usize, text: &str, marks: &str) -> Option<FixEdit> {
    let runs = marks.split(' ').filter(|it| !it.is_empty()).count();
    let lead = marks.chars().take_while(|it| *it == ' ').count();
    let count = marks.trim().chars().count();
    let is_insertion = runs == 1 && marks.trim().chars().all(|it| it == '+');
    // A line with tabs is printed with blanks, which makes its columns unknown.
    if is_insertion {
        let inserted: String = text.chars().skip(lead).take(count).collect();
        let place = Place::Line(line, Some(lead));
        let old: String = text.chars().take(lead).chain(text.chars().skip(lead + count)).collect();
        return Some(FixEdit { path: None, start: place, end: place, text: inserted, lines: Some(old) });
    }
    if marks.trim().contains('-') {
        return None;
    }
    let (start, end) = (Place::Line(line, Some(0)), Place::Line(line, Some(LINE_END)));
    Some(FixEdit { path: None, start, end, text: text.to_owned(), lines: None })
}
