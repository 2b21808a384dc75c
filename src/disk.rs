//! Files that others may have made: read in bounds, and by threads that may get stuck.
//!
//! What lies in a workspace came with a clone, or is on a disk of somebody else's. A name in it may lead to a device
//! without end, to a pipe that is never written, or to a disk that does not answer. [`read`] takes what is a regular
//! file and of reasonable size, and [`Readers`] keeps the wait for a disk away from everything else.

mod read;
mod readers;

pub use read::{Links, Stamp, Unreadable, bytes, stamp, text};
pub use readers::{Readers, Stuck};
