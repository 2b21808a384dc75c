//! A model's answer while it arrives.

use futures_util::{FutureExt as _, StreamExt as _};
use tokio::time::{Instant, timeout_at};

use crate::config::EditDialect;
use crate::edit::{self, Refusal};
use crate::job::Reason;
use crate::model::{Chunk, ChunkStream, Usage};

/// Bytes between checks for an answer that only repeats itself.
const LOOK_AFTER_BYTES: usize = 256;

/// A model's answer as it arrives, until its deadline.
pub(in crate::assist) struct AnswerStream {
    chunks: ChunkStream,
    deadline: Instant,
    /// The time at which the user is shown the partial answer of a slow model.
    patience: Option<Instant>,
    pub(in crate::assist) dialect: Option<EditDialect>,
}

impl AnswerStream {
    pub(super) fn new(chunks: ChunkStream, deadline: Instant, patience: Option<Instant>) -> Self {
        Self { chunks, deadline, patience, dialect: None }
    }

    /// The next chunk as returned by [`Self::next`].
    ///
    /// Returns `None` once, when a slow model keeps the user waiting.
    pub(in crate::assist) async fn next_or_timeout(&mut self) -> Option<Result<Option<Chunk>, Reason>> {
        let Some(patience) = self.patience else { return Some(self.next().await) };
        let next = timeout_at(patience, self.next()).await.ok();
        if next.is_none() {
            self.patience = None;
        }
        next
    }

    /// The next chunk; `None` if the stream ends without [`Chunk::Done`].
    pub(in crate::assist) async fn next(&mut self) -> Result<Option<Chunk>, Reason> {
        loop {
            let chunk = timeout_at(self.deadline, self.chunks.next()).await.map_err(|_| Reason::Deadline)?;
            match chunk.transpose()? {
                Some(Chunk::Dialect(dialect)) => self.dialect = Some(dialect),
                chunk => return Ok(chunk),
            }
        }
    }

    /// The next chunk if it has arrived; `None` if it has not.
    pub(in crate::assist) fn ready(&mut self) -> Option<Result<Option<Chunk>, Reason>> {
        self.chunks.next().now_or_never().map(|chunk| Ok(chunk.transpose()?))
    }

    /// The whole of an answer that is useless before its end.
    pub(in crate::assist) async fn whole(self) -> Result<(WholeAnswer, Usage), Reason> {
        let (text, usage) = self.read_until_stuck(|_| false).await?;
        Ok((WholeAnswer { text, has_ended: !usage.unexplained }, usage))
    }

    /// The whole text of an answer that rewrites `old`.
    ///
    /// An answer that only repeats itself is aborted: waiting longer would yield nothing else.
    pub(in crate::assist) async fn code(self, old: &str) -> Result<(String, Usage), Reason> {
        self.read_until_stuck(|text| edit::is_stuck(text, old)).await
    }

    async fn read_until_stuck(mut self, is_stuck: impl Fn(&str) -> bool) -> Result<(String, Usage), Reason> {
        let (mut text, mut looked_at) = (String::new(), 0);
        while let Some(chunk) = self.next().await? {
            match chunk {
                Chunk::Text(more) => {
                    text.push_str(&more);
                    if text.len() >= looked_at + LOOK_AFTER_BYTES {
                        looked_at = text.len();
                        if is_stuck(&text) {
                            return Err(Refusal::Repetition.into());
                        }
                    }
                }
                Chunk::Restart => {
                    text.clear();
                    looked_at = 0;
                }
                Chunk::Dialect(_) | Chunk::Item(_) => {}
                Chunk::Done(usage) if usage.truncated => {
                    let why = "the answer was longer than allowed and was cut off; ask for a smaller range";
                    return Err(Reason::Unusable { code: "cut-off", why: why.to_owned() });
                }
                Chunk::Done(usage) => return Ok((text, usage)),
            }
        }
        Err(Reason::Model("the connection broke off in the middle of the answer; try again".to_owned()))
    }
}

/// A model's whole answer.
#[derive(Debug, Clone)]
pub(in crate::assist) struct WholeAnswer {
    pub(in crate::assist) text: String,
    /// Whether it ended on its own, as far as the server reported.
    pub(in crate::assist) has_ended: bool,
}

/// The reason for a [`Chunk::Restart`] that arrives after part of the answer was shown.
///
/// Usually the connection was lost; rarely the model withdraws its first text.
pub(in crate::assist) fn restarted() -> Reason {
    Reason::Model("the answer was interrupted and started over; try again".to_owned())
}
