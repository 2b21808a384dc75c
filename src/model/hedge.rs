//! Hedging of slow first tokens: the same request is sent again after a while, and the answer that
//! begins first wins.
//!
//! Off unless `hedge_ms` is set, since a hedged request may be paid for twice.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::{StreamExt as _, stream};
use tokio::time::sleep;

use super::{Chunk, ChunkStream, Model, ModelError, Request};

/// Sends a request to a model, and once more `after` a while if its answer has not begun by then.
pub(super) fn hedged(model: &Arc<dyn Model>, after: Duration, request: Request) -> ChunkStream {
    let first = model.stream(request.clone());
    let model = Arc::clone(model);
    // Nothing is passed on before one of the two answers begins, so the other one can be
    // dropped, which cancels its call.
    stream::once(async move { begun(first, after, || model.stream(request)).await }).flatten().boxed()
}

/// The beginning of an answer: its first chunk, if any, and the rest.
type Beginning = (Option<Result<Chunk, ModelError>>, ChunkStream);

/// Returns the answer that begins first.
async fn begun(first: ChunkStream, after: Duration, again: impl FnOnce() -> ChunkStream) -> ChunkStream {
    let first = match select(first.into_future(), Box::pin(sleep(after))).await {
        Either::Left((beginning, _)) => return whole(beginning),
        Either::Right(((), first)) => first,
    };
    match select(first, again().into_future()).await {
        Either::Left((beginning, other)) => sound_or(beginning, other).await,
        Either::Right((beginning, other)) => sound_or(beginning, other).await,
    }
}

/// Returns this answer, or the other one if this one failed before it began.
async fn sound_or(beginning: Beginning, other: impl Future<Output = Beginning>) -> ChunkStream {
    match beginning.0 {
        Some(Ok(_)) => whole(beginning),
        _ => whole(other.await),
    }
}

fn whole((chunk, rest): Beginning) -> ChunkStream {
    stream::iter(chunk).chain(rest).boxed()
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::lock::Mutex;
    use crate::model::{Usage, probe};
    use expect_test::{Expect, expect};

    /// Answers each request after the next wait, with its number or an error.
    struct Slow(Mutex<(usize, VecDeque<(u64, bool)>)>);

    impl Model for Slow {
        fn name(&self) -> String {
            "slow".to_owned()
        }

        fn warm(&self) {}

        fn stream(&self, _: Request) -> ChunkStream {
            let mut state = self.0.lock();
            state.0 += 1;
            let (number, (wait, answers)) = (state.0, state.1.pop_front().unwrap());
            let chunks = match answers {
                true => vec![Ok(Chunk::Text(number.to_string())), Ok(Chunk::Done(Usage::default()))],
                false => vec![Err(ModelError::Closed { provider: number.to_string() })],
            };
            let wait = sleep(Duration::from_millis(wait));
            stream::once(wait).flat_map(move |()| stream::iter(chunks.clone())).boxed()
        }
    }

    /// Asks a model that waits for the given milliseconds and then answers or fails, with a hedge
    /// after 100 ms.
    async fn check(waits: &[(u64, bool)], expect: Expect) {
        let model = Arc::new(Slow(Mutex::new((0, waits.iter().copied().collect()))));
        let asked: Arc<dyn Model> = Arc::clone(&model) as _;
        let started = tokio::time::Instant::now();
        let chunks: Vec<_> = hedged(&asked, Duration::from_millis(100), probe::request()).collect().await;
        let said: Vec<String> = chunks
            .into_iter()
            .map(|chunk| match chunk {
                Ok(Chunk::Text(number)) => format!("text of {number}"),
                Ok(Chunk::Done(_)) => "done".to_owned(),
                Ok(Chunk::Restart) => "restart".to_owned(),
                Ok(Chunk::Dialect(dialect)) => format!("{dialect:?}"),
                Ok(Chunk::Item(number)) => format!("item {number}"),
                Err(error) => error.to_string(),
            })
            .collect();
        let asked = model.0.lock().0;
        let took = started.elapsed().as_millis();
        expect.assert_eq(&format!("{} | asked {asked}, {took} ms", said.join(", ")));
    }

    #[tokio::test(start_paused = true)]
    async fn asks_again_only_when_nothing_began() {
        check(&[(40, true)], expect!["text of 1, done | asked 1, 40 ms"]).await;
        check(
            &[(40, false)],
            expect!["1 closed the connection before its answer was complete | asked 1, 40 ms"],
        )
        .await;
        check(&[(900, true), (50, true)], expect!["text of 2, done | asked 2, 150 ms"]).await;
        check(&[(130, true), (50, true)], expect!["text of 1, done | asked 2, 130 ms"]).await;
        check(&[(300, true), (50, false)], expect!["text of 1, done | asked 2, 300 ms"]).await;
        check(
            &[(300, false), (50, false)],
            expect!["1 closed the connection before its answer was complete | asked 2, 300 ms"],
        )
        .await;
    }
}
