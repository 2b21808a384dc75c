//! The other open files, in which the imports of names are looked for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::limits::{IMPORTED_NAME_BYTES, IMPORTING_FILE_BYTES, IMPORTING_FILES};
use crate::assist::{FileView, OtherFile};
use crate::document::Document;

/// Other open files, each of which is read once.
pub(super) struct OtherFiles<'a> {
    open: &'a [Arc<Document>],
    /// What was read, by place in the list.
    read: RefCell<HashMap<usize, Arc<OtherFile>>>,
}

impl<'a> OtherFiles<'a> {
    pub(super) fn new(open: &'a [Arc<Document>]) -> Self {
        Self { open, read: RefCell::default() }
    }

    /// A document beside them.
    pub(super) fn view<'d>(&'d self, document: &'d Document) -> FileView<'d> {
        FileView::beside(document, |name| self.with_name(document, name))
    }

    /// Those of the same language that contain a name.
    fn with_name(&self, document: &Document, name: &str) -> Vec<Arc<OtherFile>> {
        if name.is_empty() || name.len() > IMPORTED_NAME_BYTES {
            return Vec::new();
        }
        let has_name = |other: &Document| {
            other.text().len_bytes() <= IMPORTING_FILE_BYTES
                && other.grammar() == document.grammar()
                && other.contains(name)
        };
        let found = self.open.iter().enumerate().filter(|(_, other)| has_name(other)).take(IMPORTING_FILES);
        found.map(|(at, other)| self.read(at, other)).collect()
    }

    fn read(&self, at: usize, other: &Document) -> Arc<OtherFile> {
        // A tree that is made for this is not kept.
        let read = || match other.is_parsed() {
            true => OtherFile::read(other),
            false => OtherFile::read(&other.without_tree()),
        };
        Arc::clone(self.read.borrow_mut().entry(at).or_insert_with(|| Arc::new(read())))
    }
}
