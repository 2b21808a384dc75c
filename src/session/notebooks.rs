//! The open notebooks, each with its cells in order.

use std::collections::HashMap;
use std::ops::Range;

use crate::document::DocumentId;

/// A notebook cell, whose text is a separate document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookCell {
    /// Its document.
    pub id: DocumentId,
    /// Whether it holds code; other cells hold markup.
    pub is_code: bool,
}

/// The open notebooks.
#[derive(Debug, Default)]
pub(super) struct Notebooks {
    cells: HashMap<DocumentId, Vec<NotebookCell>>,
    /// The notebook of each cell, and the cell's index in it.
    places: HashMap<DocumentId, (DocumentId, usize)>,
}

impl Notebooks {
    /// Replaces a range of a notebook's cells. Returns false if the range is out of bounds: then the order is
    /// dropped, and cells no longer see each other.
    pub(super) fn splice(
        &mut self,
        notebook: &DocumentId,
        range: Range<usize>,
        new: Vec<NotebookCell>,
    ) -> bool {
        let cells = self.cells.entry(notebook.clone()).or_default();
        if range.start > range.end || range.end > cells.len() {
            self.forget(notebook);
            return false;
        }
        for cell in cells.splice(range.clone(), new) {
            self.places.remove(&cell.id);
        }
        for (at, cell) in cells.iter().enumerate().skip(range.start) {
            self.places.insert(cell.id.clone(), (notebook.clone(), at));
        }
        true
    }

    pub(super) fn forget(&mut self, notebook: &DocumentId) {
        for cell in self.cells.remove(notebook).unwrap_or_default() {
            self.places.remove(&cell.id);
        }
    }

    /// The cells of a notebook, in order.
    pub(super) fn cells(&self, notebook: &DocumentId) -> &[NotebookCell] {
        self.cells.get(notebook).map_or(&[], Vec::as_slice)
    }

    /// The cells before and after a code cell.
    pub(super) fn around(&self, id: &DocumentId) -> Option<(&[NotebookCell], &[NotebookCell])> {
        let (notebook, at) = self.places.get(id)?;
        let (before, rest) = self.cells.get(notebook)?.split_at_checked(*at)?;
        let (cell, after) = rest.split_first()?;
        cell.is_code.then_some((before, after))
    }
}
