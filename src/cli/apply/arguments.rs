//! The command line of `tandem apply`.

use std::path::PathBuf;
use std::str::FromStr;

/// Apply a model's reply from standard input, in any of the common edit formats
///
/// Prints the resulting text, byte for byte. A reply whose meaning is uncertain is refused: exit code 3,
/// the reason on standard error, and nothing is written.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Arguments {
    /// The file that the reply changes
    #[arg(long, value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
    /// The lines that the model was asked to change (counted from 1, both included)
    #[arg(long, value_name = "FROM-TO", requires = "file")]
    pub(super) range: Option<Lines>,
    /// The file's language (by default, derived from its name)
    #[arg(long, value_name = "ID", requires = "file")]
    pub(super) language: Option<String>,
    /// The folder that the reply's paths are relative to; prints one unified diff of all changes. With
    /// --file, the project's folder: calls of names that are not defined in it are flagged
    #[arg(long, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,
    /// What the model was asked to do: text of a whole file may leave out the definitions that it names
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(super) instruction: String,
    /// Write the result instead of printing it: all files or none
    #[arg(long)]
    pub(in crate::cli) write: bool,
    /// Let the reply add invisible characters
    #[arg(long)]
    pub(super) allow_invisible: bool,
    /// Refuse a reply without a marked end, such as code without a fence: it may have been cut off
    #[arg(long, requires = "file")]
    pub(super) strict: bool,
    /// The configuration file, for `privacy.deny` and `privacy.allow` (by default tandem/config.toml in your
    /// configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    pub(super) config: Option<PathBuf>,
    /// Print the edits, the match level and the flags as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// A range of lines, from 1, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) from: usize,
    pub(super) to: usize,
}

impl FromStr for Lines {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a line number"));
        let (from, to) = (number(from)?, number(to)?);
        if from == 0 || to < from {
            Err("lines count from 1, and FROM comes first".to_owned())
        } else {
            Ok(Self { from, to })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_lines() {
        assert_eq!("3-5".parse(), Ok(Lines { from: 3, to: 5 }));
        assert_eq!("3".parse(), Ok(Lines { from: 3, to: 3 }));
        for text in ["0-1", "5-3", "a-b", "", "1-", "-2"] {
            assert!(text.parse::<Lines>().is_err(), "{text}");
        }
    }
}
