//! Decides what may leave the machine: which files a model may see, and what is redacted in them.
//!
//! All are plain functions. [`PathRules`] judges a path, [`ignored`] judges it by the ignore files above it,
//! [`find`] finds probable keys in a text, and [`Redaction`] removes them and restores them in an answer. All data
//! for models passes through one place that uses them (`assist`).

mod ignored;
mod kind;
mod known;
mod limits;
mod model_access;
mod path_rules;
mod redact;
mod secrets;

use std::fmt;
use std::sync::Arc;

use crate::text::coded;

pub use ignored::{IGNORE_FILES, IgnoreFile, TooMuch, ignored, named};
pub use kind::TextKind;
pub use known::Known;
pub use model_access::ModelAccess;
pub use path_rules::{BadGlob, PathRules};
pub use redact::{GarbledPlaceholder, Redaction, Restoring, redact};
pub use secrets::{Secret, find, find_in, has_secret_name};

coded! {
    /// Whether a file may be shown to a model.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub enum Verdict {
        /// The file may be shown.
        #[default]
        Open = "open",
        /// The file contains secrets according to its name or the user.
        ///
        /// No engine works in it.
        Secret(Arc<str>) = "secret",
        /// The file is not part of the project's text.
        ///
        /// Only the local engine works in it: nothing leaves the machine.
        Ignored(Arc<str>) = "ignored",
    }
}

impl Verdict {
    /// Why the file may not be shown, in a clause for the user.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Open => None,
            Self::Secret(why) | Self::Ignored(why) => Some(why),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.why().unwrap_or("it may be shown to a model"))
    }
}
