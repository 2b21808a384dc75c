//! One moment of a session, as plain data: what every job works from.

use std::sync::Arc;

use crate::config::Settings;
use crate::document::Document;

/// One file as it was when a request came in.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The file.
    pub document: Arc<Document>,
    /// The path to show to a model and to the user: relative to its workspace folder where there is one.
    pub path: Arc<str>,
    /// Imports and signatures of the file, from an earlier version perhaps; empty before its first parse.
    pub outline: Arc<str>,
    /// The settings of that moment.
    pub settings: Arc<Settings>,
}
