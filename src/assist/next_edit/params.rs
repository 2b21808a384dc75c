//! What a next edit follows from.

use std::sync::Arc;

use crate::config::Eagerness;
use crate::snapshot::{Diagnostic, RecentEdit, Snapshot};

/// What a next edit follows from.
#[derive(Debug, Clone)]
pub struct NextEditParams {
    /// The file.
    pub snapshot: Snapshot,
    /// The cursor's byte.
    pub cursor: usize,
    /// The user's recent edits in all files, oldest first.
    pub recent_edits: Vec<Arc<RecentEdit>>,
    /// What other servers report near the cursor.
    pub diagnostics: Vec<Diagnostic>,
    /// How readily something is suggested.
    pub eagerness: Eagerness,
    /// Whether the user requested it explicitly.
    pub is_invoked: bool,
    /// Other open files that it may be in, the one edited last first.
    pub other_files: Vec<Snapshot>,
}
