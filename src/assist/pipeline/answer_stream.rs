//! A model's answer while it arrives.

use futures_util::{FutureExt as _, StreamExt as _};
use tokio::time::{Instant, timeout_at};

use crate::config::EditDialect;
use crate::job::Reason;
use crate::model::{Chunk, ChunkStream, Usage};

/// A model's answer as it arrives, until its deadline.
pub(in crate::assist) struct AnswerStream {
    chunks: ChunkStream,
    deadline: Instant,
    dialect: Option<EditDialect>,
}

impl AnswerStream {
    pub(super) fn new(chunks: ChunkStream, deadline: Instant) -> Self {
        Self { chunks, deadline, dialect: None }
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

    /// The form of the text so far, if a model wrote it that was trained to predict edits.
    pub(in crate::assist) fn dialect(&self) -> Option<EditDialect> {
        self.dialect
    }

    /// The next chunk if it has come already; `None` if it has to be waited for.
    pub(in crate::assist) fn ready(&mut self) -> Option<Result<Option<Chunk>, Reason>> {
        self.chunks.next().now_or_never().map(|chunk| Ok(chunk.transpose()?))
    }

    /// The whole text, for answers that are of no use before their end.
    pub(in crate::assist) async fn text(mut self) -> Result<(String, Usage), Reason> {
        let mut text = String::new();
        while let Some(chunk) = self.next().await? {
            match chunk {
                Chunk::Text(more) => text.push_str(&more),
                Chunk::Restart => text.clear(),
                Chunk::Dialect(_) => {}
                Chunk::Done(usage) if usage.truncated => {
                    let why = "the answer was longer than allowed and was cut off; ask for a smaller range";
                    return Err(Reason::Refused { code: "cut-off", why: why.to_owned() });
                }
                Chunk::Done(usage) => return Ok((text, usage)),
            }
        }
        Err(Reason::Model("the connection broke off in the middle of the answer; try again".to_owned()))
    }
}

/// The reason for a [`Chunk::Restart`] that comes when some of the answer was shown already.
pub(in crate::assist) fn restarted() -> Reason {
    Reason::Model("the model took back the beginning of its answer; try again".to_owned())
}
