//! The ways in which a server can misbehave on request.

use std::{fmt, str::FromStr};

/// One way of misbehaving, named on the command line (`--fault NAME`) or in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Every request and upgrade is refused with 401, as for a bad key.
    Refuse401,
    /// The upgrade is refused with 426; plain HTTP works.
    Refuse426,
    /// Every request and upgrade is refused with 503, as by an overloaded server.
    Refuse503,
    /// After half of the reply the socket is closed with code 1011.
    CloseMidStream,
    /// After half of the reply the connection ends without a close frame.
    Cut,
    /// The request is taken and never answered.
    Hang,
    /// Event types that no schema knows are sent in between.
    UnknownEvents,
}

/// A name that is no fault.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault named `{0}`; the faults are {list}", list = Fault::names().collect::<Vec<_>>().join(", "))]
pub struct UnknownFault(String);

impl Fault {
    const NAMES: [(&'static str, Self); 7] = [
        ("refuse-401", Self::Refuse401),
        ("refuse-426", Self::Refuse426),
        ("refuse-503", Self::Refuse503),
        ("close-mid-stream", Self::CloseMidStream),
        ("cut", Self::Cut),
        ("hang", Self::Hang),
        ("unknown-events", Self::UnknownEvents),
    ];

    /// All the names, in the order in which they are documented.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().map(|(name, _)| *name)
    }

    /// Whether the fault can strike one reply alone; the others strike whole connections.
    pub(super) fn strikes_one_reply(self) -> bool {
        matches!(self, Self::CloseMidStream | Self::Cut | Self::Hang | Self::UnknownEvents)
    }
}

impl FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(name: &str) -> Result<Self, UnknownFault> {
        let known = Self::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, fault)| *fault).ok_or_else(|| UnknownFault(name.to_owned()))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(_, fault)| fault == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}
