//! Warnings about edits.

use crate::text::coded;

coded! {
    /// A warning about an edit that is nevertheless applied.
    #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
    pub enum Flag {
        /// The reply is prose only, so nothing changes.
        #[error("the reply is talk only: nothing changes")]
        Talk = "talk",
        /// The file already contains the reply's change, or the reply changes nothing.
        #[error("the reply asks for what is there already: nothing changes")]
        Unchanged = "unchanged",
        /// The result has more syntax errors, in a language whose grammar is unreliable.
        #[error("the result has more syntax errors")]
        Syntax = "syntax",
        /// A large part of the text is deleted.
        #[error("a large part of the text goes")]
        LargeRemoval = "large-removal",
        /// Called names that are not defined anywhere.
        #[error("uses `{}`, which is not known here", .0.join("`, `"))]
        UnknownNames(Vec<String>) = "unknown-names",
        /// Names found in no file, where too little code is known to decide whether they are wrong.
        #[error("uses `{}`, found in no file; too little code is known to tell whether that is wrong", .0.join("`, `"))]
        UncheckedNames(Vec<String>) = "unchecked-names",
        /// Nothing marks the reply's end, so it may have been cut off at the end of a line.
        #[error("nothing marks the end of the reply, which may have been cut off")]
        MayBeCut = "may-be-cut",
    }
}
