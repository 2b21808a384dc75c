//! A text as an editor keeps it: UTF-16 code units and the starts of its lines.
//!
//! Written without the server's code, so that the two are independent.

use std::ops::Range;

use clap::ValueEnum;
use serde_json::{Value, json};

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Encoding {
    #[value(name = "utf-8")]
    Utf8,
    #[value(name = "utf-16")]
    Utf16,
    #[value(name = "utf-32")]
    Utf32,
}

impl Encoding {
    pub(crate) const ALL: [Self; 3] = [Self::Utf8, Self::Utf16, Self::Utf32];

    /// The protocol's name for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    /// The length of these code units in this encoding's units.
    fn count(self, units: &[u16]) -> usize {
        let chars =
            char::decode_utf16(units.iter().copied()).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
        match self {
            Self::Utf8 => chars.map(char::len_utf8).sum(),
            Self::Utf16 => units.len(),
            Self::Utf32 => chars.count(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    units: Vec<u16>,
    /// The start of each line. The first line always exists.
    starts: Vec<usize>,
}

impl Text {
    pub(crate) fn new(text: &str) -> Self {
        let mut new = Self { units: text.encode_utf16().collect(), starts: Vec::new() };
        new.find_lines();
        new
    }

    /// The length in code units, the unit of all offsets here.
    pub(crate) fn len(&self) -> usize {
        self.units.len()
    }

    pub(crate) fn lines(&self) -> usize {
        self.starts.len()
    }

    /// A line with its end.
    pub(crate) fn line(&self, line: usize) -> Range<usize> {
        self.starts[line]..self.starts.get(line + 1).copied().unwrap_or(self.units.len())
    }

    /// A line without its end.
    pub(crate) fn line_content(&self, line: usize) -> Range<usize> {
        let mut range = self.line(line);
        while range.end > range.start && is_line_end(self.units[range.end - 1]) {
            range.end -= 1;
        }
        range
    }

    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    pub(crate) fn slice(&self, range: Range<usize>) -> String {
        String::from_utf16_lossy(&self.units[range])
    }

    pub(crate) fn whole(&self) -> String {
        self.slice(0..self.len())
    }

    /// The position at or before `offset` that is valid for a cursor: not within a character or a line's end.
    pub(crate) fn cursor_at(&self, offset: usize) -> usize {
        let offset = offset.min(self.units.len());
        let Some(next) = self.units.get(offset) else { return offset };
        let within_pair = (0xdc00..0xe000).contains(next);
        let within_end =
            *next == u16::from(b'\n') && offset > 0 && self.units[offset - 1] == u16::from(b'\r');
        if within_pair || within_end { offset - 1 } else { offset }
    }

    pub(crate) fn replace(&mut self, range: Range<usize>, text: &str) {
        self.units.splice(range, text.encode_utf16());
        self.find_lines();
    }

    pub(crate) fn position(&self, offset: usize, encoding: Encoding) -> Value {
        let line = self.line_of(offset);
        let column = encoding.count(&self.units[self.starts[line]..offset]);
        json!({ "line": line, "character": column })
    }

    pub(crate) fn range(&self, range: Range<usize>, encoding: Encoding) -> Value {
        json!({ "start": self.position(range.start, encoding), "end": self.position(range.end, encoding) })
    }

    /// The offset of a position, or `None` if it does not exist in this text.
    pub(crate) fn offset(&self, position: &Value, encoding: Encoding) -> Option<usize> {
        let line = usize::try_from(position["line"].as_u64()?).ok()?;
        let column = usize::try_from(position["character"].as_u64()?).ok()?;
        if line == self.lines() && column == 0 {
            return Some(self.len());
        }
        if line > self.lines() {
            return None;
        }
        let content = self.line_content(line);
        let mut counted = 0;
        let mut offset = content.start;
        while counted < column && offset < content.end {
            let pair = (0xd800..0xdc00).contains(&self.units[offset]);
            let next = offset + 1 + usize::from(pair);
            counted += encoding.count(&self.units[offset..next]);
            offset = next;
        }
        (counted == column).then_some(offset)
    }

    fn find_lines(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        for (at, unit) in self.units.iter().enumerate() {
            let followed = self.units.get(at + 1) == Some(&u16::from(b'\n'));
            if *unit == u16::from(b'\n') || *unit == u16::from(b'\r') && !followed {
                self.starts.push(at + 1);
            }
        }
    }
}

fn is_line_end(unit: u16) -> bool {
    unit == u16::from(b'\n') || unit == u16::from(b'\r')
}
