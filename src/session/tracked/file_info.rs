//! What a file is, apart from its text.

use std::path::PathBuf;
use std::sync::Arc;

use crate::document::DocumentId;
use crate::privacy::ModelAccess;

/// What outlives the loss of a file's text.
#[derive(Debug, Clone)]
pub(in crate::session) struct Identity {
    pub(in crate::session) info: FileInfo,
    pub(in crate::session) language_id: Box<str>,
}

/// Where a file is and who may see it.
#[derive(Debug, Clone)]
pub struct FileInfo {
    /// The path shown to the user and to a model.
    pub shown: Arc<str>,
    /// The path whose rules and settings hold for it, if there is one.
    ///
    /// It is its own, or that of the notebook it is a cell of.
    pub path: Option<PathBuf>,
    /// Whether a model may be shown it.
    pub access: ModelAccess,
    /// The notebook that it is a cell of.
    pub notebook: Option<DocumentId>,
}

impl From<&str> for FileInfo {
    fn from(shown: &str) -> Self {
        Self { shown: shown.into(), path: None, access: ModelAccess::default(), notebook: None }
    }
}
