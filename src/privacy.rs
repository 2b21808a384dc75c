//! Decides what may leave the machine: which files a model may see, and what is redacted in
//! them.
//!
//! Plain functions. [`PathRules`] judges a path, [`ignored`] judges it by the ignore files on the way to it,
//! [`find`] finds what looks like a key in a text, and [`Redaction`] takes that out and puts it back into an
//! answer. Everything that is sent to a model passes one place that uses them (`assist`).

mod ignored;
mod limits;
mod model_access;
mod path_rules;
mod redact;
mod secrets;

use std::fmt;
use std::sync::Arc;

pub use ignored::{IGNORE_FILES, IgnoreFile, TooMuch, ignored, named};
pub use model_access::ModelAccess;
pub use path_rules::{BadGlob, PathRules};
pub use redact::{Redaction, Restoring, Touched, redact};
pub use secrets::{Secret, find, find_again, has_secret_name};

/// Whether a file may be shown to a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    #[default]
    Open,
    /// It holds secrets by its name, or the user says so.
    ///
    /// Nothing is done in it, by whichever engine.
    Secret(Arc<str>),
    /// It is not part of the project's text.
    ///
    /// Only the local engine works in it: nothing leaves the machine.
    Ignored(Arc<str>),
}

impl Verdict {
    /// Why it may not, in a clause for the user.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Open => None,
            Self::Secret(why) | Self::Ignored(why) => Some(why),
        }
    }

    /// A stable name for counting.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Secret(_) => "secret",
            Self::Ignored(_) => "ignored",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.why().unwrap_or("it may be shown to a model"))
    }
}
