//! What a model is shown of a file, cut from its document: one file per job, and the outline.
//!
//! Nothing here waits for a parse, except where a function says so. An edited tree of an earlier version is
//! good enough to choose where to cut; without any tree the cut falls on line boundaries.

pub mod complete;
mod cut;
pub mod fix;
pub mod next_edit;
pub mod outline;
pub mod question;
pub mod related;
pub mod rewrite;
pub mod rules;
mod secrets;
pub mod syntax_context;

pub use complete::{Window, WindowSize};
pub use rewrite::{Region, RegionSize};
pub use secrets::secret_at;
