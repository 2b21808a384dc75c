//! The configuration file that a command line or `TANDEM_CONFIG` names.
//!
//! One that is named and not there is an error: without its rules, what it hides would be shown. An empty
//! name stands for none.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};

use crate::config;

/// Reads the name of a file that has to be there.
pub(super) fn existing() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name| {
        let is_named = !name.is_empty();
        let path = named(name)?;
        match path.try_exists() {
            Ok(false) if is_named => Err("there is no such file; `tandem setup` writes it".to_owned()),
            // What is wrong with it is said once it is read.
            _ => Ok(path),
        }
    })
}

/// Reads the name of a file that may be yet to be written.
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
