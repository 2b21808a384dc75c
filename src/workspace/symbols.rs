//! The definitions and imports of one file, stored compactly.
//!
//! All text of a file's symbols is in one string: names, signatures, doc lines, import paths. A definition
//! takes 28 bytes besides.

use std::ops::Range;

use crate::text::named;

named! {
    /// The kind of a definition, as in `definitions.scm`, without the kinds of data.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[expect(missing_docs, reason = "each is its own name")]
    pub enum Kind {
        Class = "class",
        Constant = "constant",
        Enum = "enum",
        Field = "field",
        Function = "function",
        Heading = "heading",
        Implementation = "implementation",
        Interface = "interface",
        Macro = "macro",
        Method = "method",
        Module = "module",
        Struct = "struct",
        Type = "type",
        Variable = "variable",
    }
}

impl Kind {
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }

    pub(super) fn byte(self) -> u8 {
        self as u8
    }

    /// Whether it can be called.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Macro)
    }

    /// Whether it belongs to a type, and is named after a value or that type.
    pub fn is_member(self) -> bool {
        matches!(self, Self::Field | Self::Method)
    }

    /// Whether it can have members.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Enum | Self::Implementation | Self::Interface | Self::Struct | Self::Type
        )
    }
}

/// One definition of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Definition<'a> {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: &'a str,
    /// Its head on one line, truncated to 200 bytes.
    pub signature: &'a str,
    /// The first line of its documentation, truncated to 200 bytes; empty without documentation.
    pub doc: &'a str,
    /// The start (bytes).
    pub start: usize,
    /// The end (bytes).
    pub end: usize,
    /// The start of its name (bytes).
    pub name_start: usize,
    /// The line of its name, from 0.
    pub line: usize,
    /// The enclosing definition, as an index.
    pub parent: Option<usize>,
}

impl Definition<'_> {
    /// The byte range.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// One name that a file imports, or one module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import<'a> {
    /// The name in this file; empty if the import names only a module.
    pub name: &'a str,
    /// The name in the module it comes from; the same unless it is renamed.
    pub original: &'a str,
    /// The module, as written; empty if the import names no module.
    pub path: &'a str,
    /// The start of the import (bytes).
    pub start: usize,
}

/// A [`Definition`] whose texts are offsets into the shared text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredDefinition {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) name_start: u32,
    pub(super) line: u32,
    /// [`NO_PARENT`] without a parent.
    pub(super) parent: u32,
    /// The offset of name, signature and doc line, each followed by a line end.
    pub(super) text: u32,
    pub(super) name_len: u8,
    pub(super) signature_len: u8,
    pub(super) doc_len: u8,
    pub(super) kind: Kind,
}

pub(super) const NO_PARENT: u32 = u32::MAX;

/// An [`Import`] whose texts are offsets into the shared text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredImport {
    pub(super) start: u32,
    /// The offset of path, name and original, each followed by a line end.
    pub(super) text: u32,
    pub(super) path_len: u8,
    pub(super) name_len: u8,
    pub(super) original_len: u8,
}

/// The definitions and imports of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSymbols {
    pub(super) text: Box<str>,
    pub(super) definitions: Box<[StoredDefinition]>,
    pub(super) imports: Box<[StoredImport]>,
}

impl FileSymbols {
    /// The definitions, in file order.
    pub fn definitions(&self) -> impl ExactSizeIterator<Item = Definition<'_>> {
        self.definitions.iter().map(|it| self.read(it))
    }

    /// One definition.
    pub fn definition(&self, index: usize) -> Option<Definition<'_>> {
        self.definitions.get(index).map(|it| self.read(it))
    }

    /// The imports, in file order.
    pub fn imports(&self) -> impl ExactSizeIterator<Item = Import<'_>> {
        self.imports.iter().map(|it| {
            let [path, name, original] = self.texts(it.text, [it.path_len, it.name_len, it.original_len]);
            Import { name, original, path, start: it.start as usize }
        })
    }

    /// The file's definitions as an outline, one signature per line.
    ///
    /// Each is indented by its depth, and followed by its doc line.
    pub fn outline(&self) -> String {
        let mut outline = String::new();
        for definition in self.definitions() {
            let depth = std::iter::successors(definition.parent, |at| self.definition(*at)?.parent).count();
            outline.extend(std::iter::repeat_n("    ", depth));
            outline.push_str(definition.signature);
            if !definition.doc.is_empty() {
                outline.push_str("  // ");
                outline.push_str(definition.doc);
            }
            outline.push('\n');
        }
        outline
    }

    /// The innermost definition around a byte, as an index.
    pub fn enclosing(&self, at: usize) -> Option<usize> {
        let around = |it: &&(usize, Definition<'_>)| it.1.start <= at && at <= it.1.end;
        let innermost = self.definitions().enumerate().filter(|it| around(&it));
        innermost.min_by_key(|(_, it)| it.end - it.start).map(|(index, _)| index)
    }

    /// The memory size in bytes.
    pub fn size(&self) -> usize {
        size_of::<Self>()
            + self.text.len()
            + size_of_val::<[_]>(&self.definitions)
            + size_of_val::<[_]>(&self.imports)
    }

    pub(super) fn read(&self, it: &StoredDefinition) -> Definition<'_> {
        let [name, signature, doc] = self.texts(it.text, [it.name_len, it.signature_len, it.doc_len]);
        Definition {
            kind: it.kind,
            name,
            signature,
            doc,
            start: it.start as usize,
            end: it.end as usize,
            name_start: it.name_start as usize,
            line: it.line as usize,
            parent: (it.parent != NO_PARENT).then_some(it.parent as usize),
        }
    }

    fn texts(&self, start: u32, lengths: [u8; 3]) -> [&str; 3] {
        let mut at = start as usize;
        lengths.map(|length| {
            let text = self.text.get(at..at + usize::from(length)).unwrap_or_default();
            at += usize::from(length) + 1;
            text
        })
    }
}
