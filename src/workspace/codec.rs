//! Encodes and decodes the facts of files.
//!
//! The input may be arbitrary bytes, so the decoder trusts nothing.

use std::ops::Range;
use std::sync::Arc;

use super::file::FileFacts;
use super::symbols::{FileSymbols, Kind, NO_PARENT, StoredDefinition, StoredImport};

#[derive(Debug, Default)]
pub(super) struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn fixed(&mut self, number: u64) {
        self.raw(&number.to_le_bytes());
    }

    /// A 32-bit number in LEB128: small numbers take one byte.
    fn number(&mut self, mut number: u32) {
        while number >= 0x80 {
            self.bytes.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn length(&mut self, length: usize) {
        self.number(u32::try_from(length).unwrap_or(u32::MAX));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.length(text.len());
        self.raw(text.as_bytes());
    }

    /// All facts but the content's digest, prefixed with their length.
    pub(super) fn facts(&mut self, facts: &FileFacts) {
        let mut inner = Self::default();
        inner.length(facts.names.len());
        let mut last = 0;
        for name in facts.names.iter() {
            inner.number(name.wrapping_sub(last));
            last = *name;
        }
        let FileSymbols { text, definitions, imports } = &*facts.symbols;
        inner.text(text);
        inner.length(definitions.len());
        for it in definitions.iter() {
            for number in [it.start, it.end, it.name_start, it.line, it.parent.wrapping_add(1), it.text] {
                inner.number(number);
            }
            inner.raw(&[it.name_len, it.signature_len, it.doc_len, it.kind.byte()]);
        }
        inner.length(imports.len());
        for it in imports.iter() {
            inner.number(it.start);
            inner.number(it.text);
            inner.raw(&[it.path_len, it.name_len, it.original_len]);
        }
        self.length(inner.bytes.len());
        self.raw(&inner.bytes);
    }
}

/// Decodes the output of [`Encoder`]; `None` at the first invalid part.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(super) fn raw(&mut self, length: usize) -> Option<&'a [u8]> {
        self.range(length).and_then(|range| self.bytes.get(range))
    }

    fn range(&mut self, length: usize) -> Option<Range<usize>> {
        let range = self.at..self.at.checked_add(length).filter(|end| *end <= self.bytes.len())?;
        self.at = range.end;
        Some(range)
    }

    pub(super) fn fixed(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.raw(8)?.try_into().ok()?))
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn number(&mut self) -> Option<u32> {
        let mut number = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(number).ok();
            }
        }
        None
    }

    fn length(&mut self) -> Option<usize> {
        self.number().map(|it| it as usize)
    }

    pub(super) fn text_range(&mut self) -> Option<Range<usize>> {
        let length = self.length()?;
        self.range(length)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let range = self.text_range()?;
        std::str::from_utf8(self.bytes.get(range)?).ok()
    }

    /// The range of a file's facts, to be read by [`Reader::facts`].
    pub(super) fn facts_range(&mut self) -> Option<Range<usize>> {
        self.text_range()
    }

    /// A list whose entries take at least `least` bytes each, so that a forged count cannot exceed the input.
    fn list<T>(&mut self, least: usize, read: impl Fn(&mut Self) -> Option<T>) -> Option<Box<[T]>> {
        let count = self.length()?;
        if count.checked_mul(least)? > self.bytes.len() - self.at {
            return None;
        }
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(read(self)?);
        }
        Some(list.into())
    }

    pub(super) fn facts(&mut self) -> Option<FileFacts> {
        let mut names = self.list(1, Self::number)?;
        let mut last = 0_u32;
        for name in names.iter_mut() {
            last = last.wrapping_add(*name);
            *name = last;
        }
        let text = self.text()?.into();
        let definitions = self.list(10, |it| {
            let mut next = || it.number();
            let (start, end, name_start, line) = (next()?, next()?, next()?, next()?);
            let (parent, text) = (next()?.wrapping_sub(1), next()?);
            let (name_len, signature_len, doc_len) = (it.byte()?, it.byte()?, it.byte()?);
            let kind = Kind::from_byte(it.byte()?)?;
            Some(StoredDefinition {
                start,
                end,
                name_start,
                line,
                parent,
                text,
                name_len,
                signature_len,
                doc_len,
                kind,
            })
        })?;
        let imports = self.list(5, |it| {
            let (start, text) = (it.number()?, it.number()?);
            let (path_len, name_len, original_len) = (it.byte()?, it.byte()?, it.byte()?);
            Some(StoredImport { start, text, path_len, name_len, original_len })
        })?;
        // A parent precedes its children, so no chain of parents is endless.
        let is_above =
            |(at, it): (usize, &StoredDefinition)| it.parent == NO_PARENT || (it.parent as usize) < at;
        if !definitions.iter().enumerate().all(is_above) {
            return None;
        }
        let symbols = Arc::new(FileSymbols { text, definitions, imports });
        Some(FileFacts { names: names.into(), symbols, content: 0 })
    }
}
