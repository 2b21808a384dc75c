//! What one file defines and imports, in few bytes.
//!
//! All text of a file's symbols lies in one string: names, signatures, doc lines, paths of imports. A
//! definition takes 28 bytes beside it.

use std::ops::Range;

use crate::text::named;

named! {
    /// What a definition is; as in `definitions.scm`, without the kinds of data.
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
    /// The kind that a query spells so; `None` for a kind of data, such as a key.
    pub fn by_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == word)
    }

    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }

    pub(super) fn byte(self) -> u8 {
        self as u8
    }

    /// Whether it is called.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Macro)
    }

    /// Whether it belongs to a type, and is named behind a value or that type.
    pub fn is_member(self) -> bool {
        matches!(self, Self::Field | Self::Method)
    }

    /// Whether other definitions belong to it.
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
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: &'a str,
    /// Its head on one line, cut after 200 bytes.
    pub signature: &'a str,
    /// The first line of its documentation, cut after 200 bytes; empty without any.
    pub doc: &'a str,
    /// Where it begins and ends (bytes).
    pub start: usize,
    /// The end (bytes).
    pub end: usize,
    /// Where its name begins (bytes).
    pub name_start: usize,
    /// The line of its name, from 0.
    pub line: usize,
    /// The definition that it stands in, as an index.
    pub parent: Option<usize>,
}

impl Definition<'_> {
    /// Where it stands (bytes).
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// One name that a file imports, or one module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import<'a> {
    /// The name in this file; empty if the import names only a module.
    pub name: &'a str,
    /// The name where it comes from; the same unless it is renamed.
    pub original: &'a str,
    /// The module, as it is written; empty if only a name is.
    pub path: &'a str,
    /// Where the import begins (bytes).
    pub start: usize,
}

/// As [`Definition`]: where its texts are in the text of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredDefinition {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) name_start: u32,
    pub(super) line: u32,
    /// [`NO_PARENT`] for none.
    pub(super) parent: u32,
    /// Where name, signature and doc line follow each other, with a line's end behind each.
    pub(super) text: u32,
    pub(super) name_len: u8,
    pub(super) signature_len: u8,
    pub(super) doc_len: u8,
    pub(super) kind: Kind,
}

pub(super) const NO_PARENT: u32 = u32::MAX;

/// As [`Import`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredImport {
    pub(super) start: u32,
    /// Where path, name and original follow each other, with a line's end behind each.
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
    /// The definitions, in the order of the file.
    pub fn definitions(&self) -> impl ExactSizeIterator<Item = Definition<'_>> {
        self.definitions.iter().map(|it| self.read(it))
    }

    /// One definition.
    pub fn definition(&self, index: usize) -> Option<Definition<'_>> {
        self.definitions.get(index).map(|it| self.read(it))
    }

    /// The imports, in the order of the file.
    pub fn imports(&self) -> impl ExactSizeIterator<Item = Import<'_>> {
        self.imports.iter().map(|it| {
            let [path, name, original] = self.texts(it.text, [it.path_len, it.name_len, it.original_len]);
            Import { name, original, path, start: it.start as usize }
        })
    }

    /// The file's definitions as an outline, a signature a line.
    ///
    /// Each is indented by what it stands in, with the doc line behind it.
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

    /// The innermost definition around a place, as an index.
    pub fn enclosing(&self, at: usize) -> Option<usize> {
        let around = |it: &&(usize, Definition<'_>)| it.1.start <= at && at <= it.1.end;
        let innermost = self.definitions().enumerate().filter(|it| around(&it));
        innermost.min_by_key(|(_, it)| it.end - it.start).map(|(index, _)| index)
    }

    /// Bytes of memory.
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
