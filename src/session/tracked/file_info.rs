//! The identity of a file, apart from its text.

use std::path::PathBuf;
use std::sync::Arc;

use crate::document::DocumentId;
use crate::privacy::ModelAccess;

/// The state that survives the loss of a file's text.
#[derive(Debug, Clone)]
pub(in crate::session) struct Identity {
    pub(in crate::session) info: FileInfo,
    pub(in crate::session) language_id: Arc<str>,
}

/// The paths and the access of a file.
#[derive(Debug, Clone)]
pub struct FileInfo {
    /// The path displayed to the user and to a model.
    pub shown: Arc<str>,
    /// The path that selects the file's rules and settings, if any.
    ///
    /// It is the file's path, or the path of the notebook that it is a cell of.
    pub path: Option<PathBuf>,
    /// Whether a model may be shown the file.
    pub access: ModelAccess,
    /// The notebook that it is a cell of.
    pub notebook: Option<DocumentId>,
}

impl From<&str> for FileInfo {
    fn from(shown: &str) -> Self {
        Self { shown: shown.into(), path: None, access: ModelAccess::default(), notebook: None }
    }
}
