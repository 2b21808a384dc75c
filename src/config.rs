//! Settings: what the rest of the crate reads. Plain data, cheap to share.
//!
//! What users write is collected as [`options`] first and resolved once; a bad value is reported by name and the
//! good ones are kept.

pub mod load;
mod options;
mod secret;

use std::path::PathBuf;

pub use load::{Loaded, Problem};
pub use secret::Secret;

/// Everything that can be set, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Where the fast model is reached; `None` means that the local engine answers.
    pub fast: Option<Endpoint>,
    /// Files larger than this many bytes are not followed.
    pub max_file_bytes: usize,
    /// Lines of one ghost text at most.
    pub max_ghost_lines: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { fast: None, max_file_bytes: 5 * 1024 * 1024, max_ghost_lines: 12 }
    }
}

/// One model at one place, with what it takes to reach it.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// The provider's name in the configuration, for messages.
    pub provider: String,
    /// The API's base, such as `https://api.openai.com/v1`; the wire adds its path.
    pub base_url: String,
    /// The key, if the provider needs one.
    pub key: Option<Secret>,
    /// The model asked for.
    pub model: String,
    /// How hard a reasoning model is to think, if set.
    pub reasoning_effort: Option<String>,
}

/// Where the configuration file is: `TANDEM_CONFIG`, else `tandem/config.toml` in the user's configuration folder
/// (`XDG_CONFIG_HOME`, or `~/.config`).
pub fn default_path() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("TANDEM_CONFIG") {
        return Some(path.into());
    }
    let folder = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")))?;
    Some(folder.join("tandem").join("config.toml"))
}
