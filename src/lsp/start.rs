//! What the server is started with.

use std::path::PathBuf;

use crate::assist::Models;
use crate::disk::Readers;

/// What the server is started with.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// The configuration file, which may be missing.
    pub config: Option<PathBuf>,
    /// The folder for the day's spending; without it nothing is stored.
    pub state: Option<PathBuf>,
    /// The folder of the user's caches; without it no workspace is known before it is read.
    pub cache: Option<PathBuf>,
    /// Models to use in place of the configured ones.
    pub models: Option<Models>,
    /// The threads that read workspaces, whose disks may get stuck.
    pub readers: Readers,
}
