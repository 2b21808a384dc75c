//! Converts byte offsets to and from the editor's lines and columns.
//!
//! LSP 3.18, "Text Documents" and "Position": lines end with `\n`, `\r\n` or `\r` and nothing else; a column
//! counts units of the negotiated encoding; a column past the end of its line means the line's end.

use std::ops::Range;

use ropey::Rope;

use super::out_of_sync::OutOfSync;
use super::pieces::pieces;

/// Length in bytes of lines whose columns are counted one by one.
///
/// Up to this length, counting is faster than a lookup in the rope.
const COUNTED_BYTES: usize = 1024;

/// The unit of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, which every editor supports.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The width of a character in columns.
    fn of(self, character: char) -> usize {
        match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A position in the editor's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    /// The line, from 0.
    pub line: u32,
    /// The column, from 0, in units of the negotiated encoding.
    pub column: u32,
}

impl Position {
    /// Line and column, both from 0.
    pub fn new(line: u32, column: u32) -> Self {
        Self { line, column }
    }
}

/// The byte at a position that must exist, because an edit applies there.
pub(super) fn byte_at(text: &Rope, position: Position, encoding: Encoding) -> Result<usize, OutOfSync> {
    let lines = text.len_lines();
    let line = position.line as usize;
    // Editors that model a text as terminated lines may send the start of the line after the last one.
    if line == lines && position.column == 0 {
        return Ok(text.len_bytes());
    }
    if line >= lines {
        return Err(OutOfSync::LineMissing { line: position.line, lines });
    }
    match column_to_byte(text, line, position.column as usize, encoding) {
        Column::At(byte) => Ok(byte),
        Column::Inside(_) => Err(OutOfSync::SplitsCharacter { line: position.line, column: position.column }),
    }
}

/// The byte offset nearest to a position.
///
/// A position past the end is clamped to the end, one inside a character to its start.
pub fn clamped_byte_at(text: &Rope, position: Position, encoding: Encoding) -> usize {
    let line = position.line as usize;
    if line >= text.len_lines() {
        return text.len_bytes();
    }
    match column_to_byte(text, line, position.column as usize, encoding) {
        Column::At(byte) | Column::Inside(byte) => byte,
    }
}

/// The position of a byte, which must lie on a character boundary.
pub fn position_at(text: &Rope, byte: usize, encoding: Encoding) -> Position {
    let line = text.byte_to_line(byte);
    let start = text.line_to_byte(line);
    let column = match encoding {
        Encoding::Utf8 => byte - start,
        _ if byte - start <= COUNTED_BYTES => {
            let columns = |piece: &str| match piece.is_ascii() {
                true => piece.len(),
                false => piece.chars().map(|character| encoding.of(character)).sum(),
            };
            pieces(text, start..byte).map(columns).sum()
        }
        Encoding::Utf16 => {
            let utf16 = |byte| text.char_to_utf16_cu(text.byte_to_char(byte));
            utf16(byte) - utf16(start)
        }
        Encoding::Utf32 => text.byte_to_char(byte) - text.byte_to_char(start),
    };
    // Files far below 2^32 lines or columns are rejected; saturation keeps a broken limit from wrapping.
    let unit = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position { line: unit(line), column: unit(column) }
}

enum Column {
    At(usize),
    /// Inside the character that starts at this byte.
    Inside(usize),
}

fn column_to_byte(text: &Rope, line: usize, column: usize, encoding: Encoding) -> Column {
    let start = text.line_to_byte(line);
    let end = line_end(text, line, start);
    if end - start <= COUNTED_BYTES {
        return counted(text, start..end, column, encoding);
    }
    let (byte, exact) = match encoding {
        Encoding::Utf8 => {
            let wanted = start.saturating_add(column).min(end);
            let byte = text.char_to_byte(text.byte_to_char(wanted));
            (byte, byte == wanted)
        }
        Encoding::Utf16 => {
            let units = |byte| text.char_to_utf16_cu(text.byte_to_char(byte));
            let wanted = units(start).saturating_add(column).min(units(end));
            let char = text.utf16_cu_to_char(wanted);
            (text.char_to_byte(char), text.char_to_utf16_cu(char) == wanted)
        }
        Encoding::Utf32 => {
            let wanted = text.byte_to_char(start).saturating_add(column).min(text.byte_to_char(end));
            (text.char_to_byte(wanted), true)
        }
    };
    if exact { Column::At(byte) } else { Column::Inside(byte) }
}

/// Resolves a column of a short line by counting.
fn counted(text: &Rope, line: Range<usize>, column: usize, encoding: Encoding) -> Column {
    let (mut byte, mut left) = (line.start, column);
    for piece in pieces(text, line) {
        if piece.is_ascii() {
            let step = left.min(piece.len());
            (byte, left) = (byte + step, left - step);
            continue;
        }
        for character in piece.chars() {
            let columns = encoding.of(character);
            if left < columns {
                return if left == 0 { Column::At(byte) } else { Column::Inside(byte) };
            }
            (byte, left) = (byte + character.len_utf8(), left - columns);
        }
    }
    Column::At(byte)
}

/// The end of the line that begins at `start`, before its terminator.
fn line_end(text: &Rope, line: usize, start: usize) -> usize {
    let mut end = text.line_to_byte(line + 1);
    // The last line has no terminator; every other has one of `\n`, `\r\n`, `\r`.
    if line + 1 < text.len_lines() {
        end -= 1;
        if text.byte(end) == b'\n' && end > start && text.byte(end - 1) == b'\r' {
            end -= 1;
        }
    }
    end
}
