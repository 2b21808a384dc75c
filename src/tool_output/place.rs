//! Converts a tool's lines and columns to bytes of a file.

use std::ops::Range;

use ropey::Rope;

use super::diagnostic::{Diagnostic, FixEdit, Place, Unit};
use super::limits::TAB_STOP;
use crate::document::position::{Encoding, Position, clamped_byte_at};
use crate::edit::Edit;
use crate::text::ident;

impl Diagnostic {
    /// The byte range in the file. Positions beyond the text are moved to its end.
    ///
    /// Without a column, it is the code of the line; without an end, the word at the position, if there is one.
    pub fn span(&self, text: &Rope) -> Range<usize> {
        let Place::Line(line, None) = self.start else {
            let start = byte_at(text, self.without_mark(self.start, text), self.unit);
            let end = match self.end {
                Some(end) => byte_at(text, self.without_mark(end, text), self.unit),
                None => word_end(text, start),
            };
            return start..end.max(start);
        };
        let line = line.min(text.len_lines().saturating_sub(1));
        let start = text.line_to_byte(line);
        let whole = text.line(line).to_string();
        let from = whole.trim_start_matches(BYTE_ORDER_MARK).trim_start();
        let (code, lead) = (from.trim_end(), whole.len() - from.len());
        start + lead..start + lead + code.len()
    }

    /// A place in columns that do not count a byte-order mark, as pyright and Go's tools do.
    fn without_mark(&self, place: Place, text: &Rope) -> Place {
        let counts_mark = matches!(self.source.as_deref(), Some("pyright" | "compiler"));
        match place {
            Place::Line(0, Some(column)) if counts_mark => {
                Place::Line(0, Some(column.saturating_sub(mark_width(text, self.unit))))
            }
            place => place,
        }
    }

    /// Whether the file's line is the one that the tool reported on, as far as the tool shows it.
    pub fn is_of(&self, text: &Rope) -> bool {
        let Some(shown) = &self.line else { return true };
        let (line, may_be_above) = match self.start {
            Place::Line(line, _) | Place::Code(line, _) => (line, false),
            Place::Offset(_) => {
                let byte = byte_at(text, self.start, self.unit);
                let line = text.byte_to_line(byte);
                // Code missing at the end of a file is shown with the last line.
                (line, byte == text.len_bytes() && text.line_to_byte(line) == byte)
            }
        };
        // Tools print tabs as blanks.
        let words = |text: &str| {
            let text = text.trim_start_matches(BYTE_ORDER_MARK);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let is = |line: usize| text.get_line(line).map(|line| words(&line.to_string())).unwrap_or_default();
        let shown = words(shown);
        // The first of several lines is marked, as in `1 | / import sys`.
        let is_marked = || shown.strip_prefix("/ ").is_some_and(|shown| shown == is(line));
        shown == is(line) || is_marked() || may_be_above && line > 0 && shown == is(line - 1)
    }
}

impl FixEdit {
    /// The edit in bytes; `None` if the file does not have that range, or has other lines there.
    pub fn edit(&self, text: &Rope, unit: Unit) -> Option<Edit> {
        let (start, end) = (exact_byte_at(text, self.start, unit)?, exact_byte_at(text, self.end, unit)?);
        if end < start {
            return None;
        }
        if let Some(lines) = &self.lines {
            let (first, last) = (text.byte_to_line(start), text.byte_to_line(end));
            let is: Vec<String> = (first..=last).map(|line| text.line(line).to_string()).collect();
            let mut shown = lines.lines();
            // A span that ends at the start of a line does not show that line.
            let agrees = is.iter().all(|line| {
                shown
                    .next()
                    .is_none_or(|shown| shown.trim_end() == line.trim_end_matches(['\n', '\r']).trim_end())
            });
            if !agrees {
                return None;
            }
        }
        Some(Edit::new(start..end, self.text.as_str()))
    }
}

/// The byte at a position; `None` if the text has no such line or column.
fn exact_byte_at(text: &Rope, place: Place, unit: Unit) -> Option<usize> {
    let is_line = |line: usize| line < text.len_lines();
    let exists = match place {
        // A line of a changed text may be shorter. A tab takes several columns.
        Place::Line(line, Some(column)) if column > 0 && unit != Unit::Columns => {
            let before = byte_at(text, Place::Line(line, Some(column - 1)), unit);
            is_line(line) && before < byte_at(text, place, unit)
        }
        Place::Line(line, _) | Place::Code(line, _) => is_line(line),
        Place::Offset(offset) => match unit {
            Unit::Bytes | Unit::Columns => offset <= text.len_bytes(),
            Unit::Utf16 => offset <= text.len_utf16_cu(),
            Unit::Characters => offset <= text.len_chars(),
        },
    };
    exists.then(|| byte_at(text, place, unit))
}

/// The character at the beginning of some files, which most tools do not count.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The units that a byte-order mark takes at the beginning of a text that has one.
fn mark_width(text: &Rope, unit: Unit) -> usize {
    match (text.get_char(0), unit) {
        (Some(BYTE_ORDER_MARK), Unit::Bytes) => BYTE_ORDER_MARK.len_utf8(),
        (Some(BYTE_ORDER_MARK), Unit::Utf16 | Unit::Characters) => 1,
        _ => 0,
    }
}

/// The byte nearest to a position.
fn byte_at(text: &Rope, place: Place, unit: Unit) -> usize {
    match (place, unit) {
        (Place::Offset(offset), Unit::Bytes | Unit::Columns) => {
            let byte = offset.min(text.len_bytes());
            text.char_to_byte(text.byte_to_char(byte))
        }
        (Place::Offset(offset), Unit::Utf16) => {
            let offset = offset + mark_width(text, unit);
            text.char_to_byte(text.utf16_cu_to_char(offset.min(text.len_utf16_cu())))
        }
        (Place::Offset(offset), Unit::Characters) => text.char_to_byte(offset.min(text.len_chars())),
        (Place::Code(line, column), _) => {
            let blanks = text
                .get_line(line)
                .map_or(0, |it| it.chars().take_while(|it| *it == ' ' || *it == '\t').count());
            byte_at(text, Place::Line(line, Some(blanks + column)), Unit::Characters)
        }
        (Place::Line(line, column), Unit::Columns) => column_to_byte(text, line, column.unwrap_or(0)),
        (Place::Line(line, column), _) => {
            let encoding = match unit {
                Unit::Utf16 => Encoding::Utf16,
                Unit::Characters => Encoding::Utf32,
                Unit::Bytes | Unit::Columns => Encoding::Utf8,
            };
            let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
            let mark = if line == 0 { mark_width(text, unit) } else { 0 };
            let position = Position::new(number(line), number(column.unwrap_or(0) + mark));
            clamped_byte_at(text, position, encoding)
        }
    }
}

/// The byte shown at a terminal column, from 0.
fn column_to_byte(text: &Rope, line: usize, column: usize) -> usize {
    let Some(content) = text.get_line(line) else { return text.len_bytes() };
    let mut byte = text.line_to_byte(line);
    let mut at = 0;
    for letter in content.chars() {
        // A character without a width belongs to the one before it, or is a byte-order mark.
        if at >= column && width(letter) > 0 || letter == '\n' || letter == '\r' {
            break;
        }
        at = if letter == '\t' { (at / TAB_STOP + 1) * TAB_STOP } else { at + width(letter) };
        byte += letter.len_utf8();
    }
    byte
}

/// The width of a character in columns.
///
/// It is two for characters of East Asian scripts and emoji, and zero for combining marks.
fn width(letter: char) -> usize {
    match letter {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' | BYTE_ORDER_MARK => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f900}'..='\u{1f9ff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// The end of the word at a byte; the byte itself if there is no word.
fn word_end(text: &Rope, start: usize) -> usize {
    let first = text.byte_to_char(start);
    let word = text.chars_at(first).take_while(|it| ident::is_part(*it));
    start + word.map(char::len_utf8).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool_output::diagnostic::Severity;

    /// Checks the span of a diagnostic, marked by `«` and `»` in the text.
    #[track_caller]
    fn check(text: &str, unit: Unit, start: Place, end: Option<Place>, expected: &str) {
        let diagnostic = Diagnostic {
            path: String::new(),
            start,
            end,
            unit,
            severity: Severity::Error,
            source: None,
            code: None,
            message: String::new(),
            notes: Vec::new(),
            line: None,
            fixes: Vec::new(),
        };
        let rope = Rope::from_str(text);
        let span = diagnostic.span(&rope);
        let shown = format!("{}«{}»{}", &text[..span.start], &text[span.clone()], &text[span.end..]);
        assert_eq!(shown, expected);
    }

    #[test]
    fn columns_count_what_the_tool_counts() {
        let text = "猫 = 𝄞 + öl\n\tö x\n";
        check(text, Unit::Bytes, Place::Line(0, Some(13)), None, "猫 = 𝄞 + «öl»\n\tö x\n");
        check(text, Unit::Utf16, Place::Line(0, Some(9)), None, "猫 = 𝄞 + «öl»\n\tö x\n");
        check(text, Unit::Characters, Place::Line(0, Some(8)), None, "猫 = 𝄞 + «öl»\n\tö x\n");
        check(text, Unit::Columns, Place::Line(0, Some(9)), None, "猫 = 𝄞 + «öl»\n\tö x\n");
        check(text, Unit::Columns, Place::Line(1, Some(10)), None, "猫 = 𝄞 + öl\n\tö «x»\n");
        check(text, Unit::Utf16, Place::Offset(9), Some(Place::Offset(10)), "猫 = 𝄞 + «ö»l\n\tö x\n");
        check("\u{feff}a b", Unit::Utf16, Place::Offset(2), None, "\u{feff}a «b»");
    }

    #[test]
    fn byte_order_mark_is_not_counted() {
        let text = "\u{feff}a b\n\u{feff}c\n";
        for unit in [Unit::Bytes, Unit::Utf16, Unit::Characters, Unit::Columns] {
            check(text, unit, Place::Line(0, Some(2)), None, "\u{feff}a «b»\n\u{feff}c\n");
            check(text, unit, Place::Line(0, Some(0)), None, "\u{feff}«a» b\n\u{feff}c\n");
        }
    }

    #[test]
    fn place_without_column_is_the_code_of_its_line() {
        check("a\n  b c \n", Unit::Bytes, Place::Line(1, None), None, "a\n  «b c» \n");
        check("a\n", Unit::Bytes, Place::Line(7, None), None, "a\n«»");
    }

    #[test]
    fn place_beyond_the_text_is_its_end() {
        check("a\nb", Unit::Bytes, Place::Line(9, Some(3)), None, "a\nb«»");
        check("é", Unit::Bytes, Place::Line(0, Some(1)), Some(Place::Offset(0)), "«»é");
    }
}
