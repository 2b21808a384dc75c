//! The other cells of a notebook, from the point of view of one cell.

use std::sync::Arc;

use crate::document::Document;

/// The code around a cell that shares its names, in the order of the notebook; in a large one, the nearest cells.
#[derive(Debug, Clone, Default)]
pub struct Cells {
    /// The cells before it.
    pub before: Vec<Arc<Document>>,
    /// The cells after it.
    pub after: Vec<Arc<Document>>,
    /// Imports and signatures of all cells before it.
    pub outline: Arc<str>,
}

impl Cells {
    /// Whether a name may occur in one of the cells.
    pub fn may_have_name(&self, name: &str) -> bool {
        self.before.iter().chain(&self.after).any(|cell| cell.may_have_name(name))
    }
}

/// The longest prefix of cells with at most `most` bytes in total.
pub fn nearest<'c>(cells: impl Iterator<Item = &'c Arc<Document>>, most: usize) -> Vec<Arc<Document>> {
    let mut room = most;
    let fits = |cell: &&Arc<Document>| {
        let left = room.checked_sub(cell.text().len_bytes());
        room = left.unwrap_or(0);
        left.is_some()
    };
    cells.take_while(fits).map(Arc::clone).collect()
}

/// Joins cells into one text. A blank line separates them, so that no block seems to continue in the next cell.
pub fn joined(cells: &[Arc<Document>]) -> String {
    let mut text = String::with_capacity(cells.iter().map(|cell| cell.text().len_bytes() + 2).sum());
    for cell in cells.iter().filter(|cell| cell.text().len_bytes() > 0) {
        text.extend(cell.text().chunks());
        part(&mut text);
    }
    text
}

/// Ends the line, and adds a blank line.
pub(super) fn part(text: &mut String) {
    text.push_str(if text.is_empty() || text.ends_with('\n') { "\n" } else { "\n\n" });
}
