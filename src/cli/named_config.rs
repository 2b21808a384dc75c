//! Parses the path of the configuration file from the command line or `TANDEM_CONFIG`.
//!
//! A named file that does not exist is an error: without its privacy rules, files that it hides would be shown. An
//! empty name selects the default path.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};

use crate::config;

/// Parses the path of a file that has to exist.
pub(super) fn existing() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name| {
        let is_named = !name.is_empty();
        let path = named(name)?;
        match path.try_exists() {
            Ok(false) if is_named => Err("there is no such file; `tandem setup` writes it".to_owned()),
            // Other problems are reported when the file is read.
            _ => Ok(path),
        }
    })
}

/// Parses the path of a file that need not exist yet.
pub(super) fn new_or_existing() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(named)
}

fn named(name: OsString) -> Result<PathBuf, String> {
    if name.is_empty() {
        return config::default_path().ok_or_else(|| "it is empty, and there is no HOME".to_owned());
    }
    Ok(name.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    #[test]
    fn named_file_has_to_be_there_and_an_empty_name_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let (there, missing) = (folder.path().join("a.toml"), folder.path().join("b.toml"));
        std::fs::write(&there, "").unwrap();
        let command = Command::new("x");
        let read = |name: &str| existing().parse_ref(&command, None, name.as_ref()).ok();
        assert_eq!(read(there.to_str().unwrap()), Some(there.clone()));
        assert_eq!(read(missing.to_str().unwrap()), None);
        assert_eq!(read(""), config::default_path());
        let read = |name: &str| new_or_existing().parse_ref(&command, None, name.as_ref()).ok();
        assert_eq!(read(missing.to_str().unwrap()), Some(missing.clone()));
        assert_eq!(read(""), config::default_path());
    }
}
