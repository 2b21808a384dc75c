//! The cases: every input that a reply, a file, a tool or an editor can make large.

mod checks;
mod commands;
mod files;
mod places;
mod replies;
mod server;
mod texts;

use std::path::Path;

use crate::Prepared;
use crate::count::Call;

/// One input that grows.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The first size, in the unit that grows.
    pub(crate) from: usize,
    pub(crate) work: Work,
}

/// The work to count for an input of a size.
pub(crate) enum Work {
    /// Work of the library, after its input is prepared.
    Here(fn(usize) -> Prepared),
    /// A command, in its own folder.
    Command(fn(usize, &Path) -> Call),
}

impl Case {
    const fn new(name: &'static str, from: usize, prepare: fn(usize) -> Prepared) -> Self {
        Self { name, from, work: Work::Here(prepare) }
    }

    const fn command(name: &'static str, from: usize, prepare: fn(usize, &Path) -> Call) -> Self {
        Self { name, from, work: Work::Command(prepare) }
    }

    /// The function that prepares work of the library.
    pub(crate) fn prepare(&self) -> Option<fn(usize) -> Prepared> {
        match self.work {
            Work::Here(prepare) => Some(prepare),
            Work::Command(_) => None,
        }
    }
}

pub(crate) fn all() -> Vec<Case> {
    [
        replies::cases(),
        places::cases(),
        checks::cases(),
        files::cases(),
        texts::cases(),
        server::cases(),
        commands::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
