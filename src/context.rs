//! What a model is shown: the window around a cursor, the region around a range, the outline of the rest.
//!
//! Everything here is cut from one [`Document`](crate::document::Document) and never waits for a parse: an edited
//! previous tree is good enough to choose where to cut, and without any tree the cut falls on line boundaries.

pub mod outline;
pub mod part;
pub mod region;
pub mod vicinity;
pub mod window;

pub use region::Region;
pub use window::Window;
