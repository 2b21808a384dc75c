//! Reads and writes the user's configuration file.

use std::path::PathBuf;

use anyhow::Context as _;

use super::config_text::Unwritable;
use super::limits::FILE_BYTES;
use super::write::{self, Change};
use crate::config;
use crate::disk::{self, Links, Unreadable};

/// A configuration file that is read once and written at most once.
#[derive(Debug)]
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    /// The file's text; `None` if it does not exist yet.
    text: Option<String>,
}

impl ConfigFile {
    /// Reads the file at `path`, or else at the default path.
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

    /// The file's text when it was read.
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Applies `read` to the text, and adds the file's path and state to its error.
    pub(super) fn checked<T>(&self, read: impl FnOnce(&str) -> Result<T, Unwritable>) -> anyhow::Result<T> {
        let state = if self.text.is_some() { "was left as it is" } else { "does not exist yet" };
        read(self.text.as_deref().unwrap_or_default())
            .with_context(|| format!("{} {state}", self.path.display()))
    }

    /// Replaces the text.
    pub(super) fn write(&self, text: String) -> anyhow::Result<()> {
        Ok(write::all(&[Change::of_file(&self.path, self.text(), text)?])?)
    }

    /// Replaces the text by what `edit` makes of it. Without a change, a missing file is not created.
    pub(super) fn change(&self, edit: impl FnOnce(&str) -> Result<String, Unwritable>) -> anyhow::Result<()> {
        let text = self.checked(edit)?;
        if self.text.as_deref().unwrap_or_default() == text { Ok(()) } else { self.write(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::config_text::with_first;

    #[test]
    fn file_that_does_not_exist_is_not_said_to_be_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = ConfigFile::read(Some(folder.path().join("c.toml"))).unwrap();
        let error = file.checked(|text| with_first(text, "fast", "a", "m")).unwrap_err();
        let said = format!("{error:#}");
        assert!(said.contains("c.toml does not exist yet: `fast.candidates` has no m of `a`"), "{said}");
    }
}
