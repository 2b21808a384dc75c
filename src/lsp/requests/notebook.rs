//! `notebookDocument/didOpen` and `didChange`: the cells of a notebook, in order.

use crate::document::DocumentId;
use crate::lsp::protocol::{Cell, CellArray};
use crate::lsp::session_lock::SessionLock;
use crate::lsp::state::ServerState;
use crate::session::NotebookCell;

/// Replaces a range of a notebook's cells.
pub(in crate::lsp) fn replace_cells(state: &ServerState, uri: &str, array: CellArray) {
    let CellArray { start, delete_count, cells } = array;
    let id = DocumentId::new(uri);
    let cell = |cell: Cell| NotebookCell { is_code: cell.is_code(), id: DocumentId::new(&cell.document) };
    let cells = cells.into_iter().map(cell).collect();
    let is_known = state.session.lock().replace_cells(&id, start..start.saturating_add(delete_count), cells);
    if !is_known {
        state.editor.log(format!(
            "the order of cells in {uri} is lost: it has no {delete_count} cells from {start} on"
        ));
    }
}

/// Marks the cells of a notebook as out of sync, because a change of the notebook could not be decoded.
pub(in crate::lsp) fn unreadable(session: &SessionLock, uri: &str) {
    let id = DocumentId::new(uri);
    let mut session = session.lock();
    for cell in session.cells(&id).to_vec() {
        session.mark_out_of_sync(&cell.id);
    }
    session.close_notebook(&id);
}
