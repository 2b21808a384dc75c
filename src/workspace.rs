//! The workspace index: files, the names they use, and what they define and import.
//!
//! [`walk()`] fills it from disk under the access rules for prompts, so it holds nothing that a model may not
//! be shown. Open files are indexed as they are in the editor. Jobs get it with their snapshot, to look up
//!
//! * whether a name is known anywhere ([`Workspace::knows`]),
//! * the definitions of a name ([`Workspace::definitions`]), or its likely ones at a position
//!   ([`Workspace::resolve`]),
//! * the definitions and imports of a file ([`Workspace::symbols`]), and its importers
//!   ([`Workspace::importers`]),
//! * where a name is used ([`Workspace::references`]), which reads files,
//! * the definitions and files that match a question ([`Workspace::search`], [`Workspace::rank`]),
//! * the files that are most similar to a text ([`Workspace::nearest`]).

mod cache;
mod codec;
mod collect;
mod file;
mod folder;
pub mod git;
mod index;
mod listing;
mod manifest;
mod modules;
mod names;
mod nearest;
mod question_words;
mod rank;
mod references;
mod resolve;
mod scratch;
mod script_paths;
mod search;
mod shared;
mod store;
mod symbols;
mod test_file;
mod walk;

pub use cache::Cache;
pub(crate) use collect::of_tree as symbols_of;
pub use folder::{Folder, FolderError, read_text};
pub use index::FileDefinition;
pub use listing::{Listed, Listing, MOST_BYTES, MOST_FILE_BYTES, MOST_FILES, Scope, Walked, list};
pub use rank::RankedFile;
pub use references::{Reference, references_in};
pub use resolve::{Mention, Resolved, Why};
pub use scratch::{ScratchCopy, ScratchError};
pub use search::Answer;
pub use shared::SharedIndexes;
pub use store::Workspace;
pub use symbols::{Definition, FileSymbols, Import, Kind};
pub use test_file::{is_beside_the_code, is_named_as_test};
pub use walk::{Report, each, walk};
