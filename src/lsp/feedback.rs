//! What the editor says became of a suggestion. Numbers that are not known (any more) are passed over.

use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use super::backend::Backend;

/// `tandem/didShow` and its aliases.
#[derive(Debug, Deserialize)]
pub(super) struct DidShow {
    item: Item,
}

/// `tandem/didPartiallyAccept` and its alias.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidPartiallyAccept {
    item: Item,
    /// UTF-16 units of the item's text that were taken so far. What is left is read off the text itself; this much does
    /// not come back when it is undone.
    accepted_length: u32,
}

/// A suggestion, by its number or by its command that holds it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Item {
    Number(u64),
    Command { command: Accepts },
    Bare(Accepts),
}

#[derive(Debug, Deserialize)]
struct Accepts {
    arguments: [u64; 1],
}

impl Item {
    fn number(&self) -> u64 {
        match self {
            Self::Number(number) => *number,
            Self::Command { command: Accepts { arguments: [number] } }
            | Self::Bare(Accepts { arguments: [number] }) => *number,
        }
    }
}

impl Backend {
    /// A suggestion is drawn.
    pub(super) async fn did_show(&self, params: Value) {
        let Some(DidShow { item }) = self.decode("tandem/didShow", params) else { return };
        let known = self.shared.session().drawn(item.number());
        tracing::debug!(known, "a suggestion was drawn");
    }

    /// A word or a line of a suggestion was taken.
    pub(super) async fn did_partially_accept(&self, params: Value) {
        let method = "tandem/didPartiallyAccept";
        let Some(DidPartiallyAccept { item, accepted_length }) = self.decode(method, params) else { return };
        if accepted_length > 0 {
            let units = usize::try_from(accepted_length).unwrap_or(usize::MAX);
            let now = Instant::now().into_std();
            let known = self.shared.session().accept_part(item.number(), units, now);
            tracing::debug!(known, accepted_length, "a part of a suggestion was accepted");
        }
    }
}
