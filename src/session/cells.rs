//! The cells of a session's notebooks, and the context that a cell gets from its neighbours.

use std::ops::Range;
use std::sync::Arc;

use super::Session;
use super::limits::{CELLS_AFTER_BYTES, CELLS_BEFORE_BYTES, CELLS_OUTLINE_BYTES, MOST_CELLS};
use super::notebooks::NotebookCell;
use super::tracked::Tracked;
use crate::document::{Document, DocumentId};
use crate::snapshot::{Cells, nearest};

impl Session {
    /// Replaces a range of a notebook's cells. The first call opens the notebook.
    ///
    /// Returns false if the range is out of bounds.
    pub fn replace_cells(
        &mut self,
        notebook: &DocumentId,
        range: Range<usize>,
        new: Vec<NotebookCell>,
    ) -> bool {
        self.notebooks.splice(notebook, range, new)
    }

    /// Forgets the cells of a notebook.
    pub fn close_notebook(&mut self, notebook: &DocumentId) {
        self.notebooks.forget(notebook);
    }

    /// The cells of a notebook, in order.
    pub fn cells(&self, notebook: &DocumentId) -> &[NotebookCell] {
        self.notebooks.cells(notebook)
    }

    /// The cells around a document, if it is a code cell with neighbours.
    pub(super) fn cells_around(&self, document: &Document) -> Option<Arc<Cells>> {
        let (before, after) = self.notebooks.around(document.id()).filter(|_| document.is_cell())?;
        let mut shown = Cells {
            before: self.near(document, before.iter().rev(), CELLS_BEFORE_BYTES),
            after: self.near(document, after.iter(), CELLS_AFTER_BYTES),
            outline: self.outline_of(document, before),
        };
        shown.before.reverse();
        (!shown.before.is_empty() || !shown.after.is_empty()).then(|| Arc::new(shown))
    }

    fn near<'s>(
        &'s self,
        document: &'s Document,
        cells: impl Iterator<Item = &'s NotebookCell>,
        most: usize,
    ) -> Vec<Arc<Document>> {
        nearest(self.code(document, cells.take(MOST_CELLS)).map(Tracked::document), most)
    }

    fn outline_of(&self, document: &Document, before: &[NotebookCell]) -> Arc<str> {
        let mut outline = String::new();
        for cell in self.code(document, before.iter().take(MOST_CELLS)) {
            let lines = cell.outline().map_or("", |outline| outline);
            if outline.len() + lines.len() > CELLS_OUTLINE_BYTES {
                break;
            }
            outline.push_str(lines);
        }
        outline.into()
    }

    /// The code cells among `cells` that share names with the document.
    fn code<'s>(
        &'s self,
        document: &'s Document,
        cells: impl Iterator<Item = &'s NotebookCell>,
    ) -> impl Iterator<Item = &'s Tracked> {
        let tracked = cells.filter(|cell| cell.is_code).filter_map(|cell| self.tracked(&cell.id).ok());
        tracked.filter(|cell| cell.document().shares_names_with(document))
    }
}
