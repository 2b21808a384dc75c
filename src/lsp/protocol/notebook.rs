//! Notebooks (LSP 3.18, "Notebook Document Synchronization").
//!
//! The outputs and metadata of cells are not read.

use serde::{Deserialize, Serialize};

use super::{ContentChange, DocumentRef, OpenedDocument};

/// `NotebookCellKind.Code`.
const CODE: u32 = 2;

/// `notebookDocument/didOpen`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct DidOpenNotebook {
    pub(in crate::lsp) notebook_document: OpenedNotebook,
    #[serde(default)]
    pub(in crate::lsp) cell_text_documents: Vec<OpenedDocument>,
}

/// `NotebookDocument`.
#[derive(Debug, Deserialize)]
pub(in crate::lsp) struct OpenedNotebook {
    pub(in crate::lsp) uri: String,
    #[serde(default)]
    pub(in crate::lsp) cells: Vec<Cell>,
}

/// `NotebookCell`.
#[derive(Debug, Deserialize, Serialize)]
pub(in crate::lsp) struct Cell {
    kind: u32,
    pub(in crate::lsp) document: String,
}

impl Cell {
    pub(in crate::lsp) fn is_code(&self) -> bool {
        self.kind == CODE
    }
}

/// `notebookDocument/didChange`.
#[derive(Debug, Deserialize)]
pub(in crate::lsp) struct DidChangeNotebook {
    pub(in crate::lsp) change: NotebookChange,
}

/// `NotebookDocumentChangeEvent`.
#[derive(Debug, Deserialize)]
pub(in crate::lsp) struct NotebookChange {
    #[serde(default)]
    pub(in crate::lsp) cells: CellChanges,
}

/// `NotebookDocumentCellChanges`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::lsp) struct CellChanges {
    pub(in crate::lsp) structure: Option<Structure>,
    pub(in crate::lsp) text_content: Vec<CellText>,
}

/// `NotebookDocumentCellChangeStructure`: cells that were added, removed or moved.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct Structure {
    pub(in crate::lsp) array: CellArray,
    #[serde(default)]
    pub(in crate::lsp) did_open: Vec<OpenedDocument>,
    #[serde(default)]
    pub(in crate::lsp) did_close: Vec<DocumentRef>,
}

/// `NotebookCellArrayChange`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct CellArray {
    pub(in crate::lsp) start: usize,
    pub(in crate::lsp) delete_count: usize,
    #[serde(default)]
    pub(in crate::lsp) cells: Vec<Cell>,
}

/// `NotebookDocumentCellContentChanges`.
#[derive(Debug, Deserialize)]
pub(in crate::lsp) struct CellText {
    pub(in crate::lsp) document: DocumentRef,
    pub(in crate::lsp) changes: Vec<ContentChange>,
}

/// `notebookDocument/didClose`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct DidCloseNotebook {
    pub(in crate::lsp) notebook_document: DocumentRef,
    #[serde(default)]
    pub(in crate::lsp) cell_text_documents: Vec<DocumentRef>,
}
