//! Where the bill goes, and who is on it.

use std::path::PathBuf;

use super::endpoint::Endpoint;

/// Where the bill goes, and who is on it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BillSettings {
    /// The name of the user; empty if the account has none.
    pub user: String,
    /// The name of the team.
    pub team: Option<String>,
    /// The file to which lines are appended.
    pub file: Option<PathBuf>,
    /// The URL to which they are posted.
    pub url: Option<Endpoint>,
}
