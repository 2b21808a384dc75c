//! What a model asks of the driver of its server.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::oneshot;

use crate::model::{ModelError, News, OpenDocument};

/// The number and the text of an item, if the server has one.
pub(super) type ItemAnswer = Result<Option<(u64, String)>, ModelError>;

/// What a model asks of its driver.
pub(super) enum Command {
    /// Start the server, if that is not known to fail.
    Start,
    /// Answer once the server works, or with the reason why it does not.
    Check(oneshot::Sender<ItemAnswer>),
    /// Ask for text at the cursor.
    Ask {
        /// Names the request.
        id: u64,
        document: Box<OpenDocument>,
        /// Whether the user asked for it explicitly.
        is_invoked: bool,
        answer: oneshot::Sender<ItemAnswer>,
    },
    /// Nothing waits for the answer to this request any more.
    Cancel(u64),
    /// Tell the server what became of an item or a document.
    Tell(News),
    /// End the server, and then answer.
    End(oneshot::Sender<()>),
}

/// The next number of a request or an item, unique in the process.
pub(super) fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
