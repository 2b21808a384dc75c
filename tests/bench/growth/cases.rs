//! What is counted: everything that a reply, a file, a tool or an editor can make large.

mod checks;
mod files;
mod places;
mod replies;
mod server;
mod texts;

use crate::Prepared;

/// One input that grows.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The first size, in whatever grows.
    pub(crate) from: usize,
    pub(crate) prepare: fn(usize) -> Prepared,
}

impl Case {
    const fn new(name: &'static str, from: usize, prepare: fn(usize) -> Prepared) -> Self {
        Self { name, from, prepare }
    }
}

pub(crate) fn all() -> Vec<Case> {
    [replies::cases(), places::cases(), checks::cases(), files::cases(), texts::cases(), server::cases()]
        .into_iter()
        .flatten()
        .collect()
}
