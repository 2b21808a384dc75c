//! Programming languages: linked parsers, compiled queries, and facts.
//!
//! Adding a language takes three steps, and no knowledge of other code:
//!
//! 1. a folder `grammars/<id>/` with its queries (`definitions.scm`, `references.scm`, `scopes.scm`,
//!    `imports.scm`, all optional), a `sample.<extension>` marked with their matches, and optionally the names
//!    of its standard library (`library.txt`, listed in `src/grammar/library.rs`);
//! 2. an entry in `grammars/languages.toml`: its names for editors and file systems, and its [`Facts`];
//! 3. a line in the table of `src/grammar/builtin.rs` that links its parser, behind a cargo feature.
//!
//! `cargo test grammar` then reports what is missing; `UPDATE_EXPECT=1 cargo test grammar` writes the marks of
//! a new sample, which must be reviewed before they are committed.
//!
//! A language without a query lacks only that kind of context. Everything is lazy: the registry is read at the
//! first lookup, a query is compiled at its first use, and each thread creates its parser at its first parse.

mod builtin;
mod clock;
mod facts;
mod language;
mod library;
mod limits;
mod query;
mod registry;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

pub use facts::{Comments, Facts, ImportForms, Modules, TestRunner};
pub use language::Grammar;
pub use library::is_word;
pub use query::{Match, QueryKind};
pub use registry::{all, by_language_id, by_path, language_ids};
