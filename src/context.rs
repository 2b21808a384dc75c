//! The parts of a file that are shown to a model, cut from its document: one module per job, and the outline.
//!
//! Nothing here blocks on a parse unless its documentation states so. An edited tree of an earlier version is
//! accurate enough to choose where to cut; without any tree, cuts fall on line boundaries.

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
pub use secrets::{NearbySecrets, kind_of};
