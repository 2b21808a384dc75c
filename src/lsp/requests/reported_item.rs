//! The suggestion that a report of the editor is about.

use serde::Deserialize;

/// A suggestion, by its number or by its command that holds the number.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum ReportedItem {
    Number(u64),
    Command { command: AcceptCommand },
    Bare(AcceptCommand),
}

#[derive(Debug, Deserialize)]
pub(super) struct AcceptCommand {
    arguments: [u64; 1],
}

impl ReportedItem {
    pub(super) fn number(&self) -> u64 {
        match self {
            Self::Number(number) => *number,
            Self::Command { command: AcceptCommand { arguments: [number] } }
            | Self::Bare(AcceptCommand { arguments: [number] }) => *number,
        }
    }
}
