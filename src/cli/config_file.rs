//! The user's configuration file as a command changes it.

use std::path::PathBuf;

use anyhow::Context as _;

use super::config_text::Unwritable;
use super::limits::FILE_BYTES;
use super::write::{self, Change, Place};
use crate::config;
use crate::disk::{self, Links, Unreadable};
use crate::edit::edit_set::Revision;

/// The configuration file, read once and written at most once.
#[derive(Debug)]
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    /// Its text; none if there is no such file yet.
    text: Option<String>,
}

impl ConfigFile {
    /// Reads the file at `path`, by default the user's.
    ///
    /// # Errors
    ///
    /// There is no configuration folder, or the file cannot be read.
    pub(super) fn read(path: Option<PathBuf>) -> anyhow::Result<Self> {
        let path = path
            .or_else(config::default_path)
            .context("there is no configuration folder; set HOME, or name a file with --config")?;
        let text = match disk::text(&path, FILE_BYTES, Links::Follow) {
            Ok(text) => Some(text),
            Err(Unreadable::Missing) => None,
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        Ok(Self { path, text })
    }

    /// Its text as it was read.
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// What `read` makes of the text.
    pub(super) fn checked<T>(&self, read: impl FnOnce(&str) -> Result<T, Unwritable>) -> anyhow::Result<T> {
        read(self.text.as_deref().unwrap_or_default())
            .with_context(|| format!("{} was left as it is", self.path.display()))
    }

    /// Replaces the text.
    pub(super) fn write(&self, text: String) -> anyhow::Result<()> {
        let base = self.text.as_ref().map(|it| Revision::of_bytes(it.as_bytes()));
        let place = Place::named(&self.path)?;
        Ok(write::all(&[Change { place, text: Some(text), base, like: None }])?)
    }
}
