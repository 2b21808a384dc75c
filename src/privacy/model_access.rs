//! The verdict on one file. It may be pending while ignore files are read.

use std::fmt;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, Ready, Shared, ready};

use super::Verdict;

/// A verdict, now or soon.
#[derive(Clone)]
pub struct ModelAccess(State);

#[derive(Clone)]
enum State {
    Settled(Verdict),
    Pending(Shared<BoxFuture<'static, Verdict>>),
}

impl ModelAccess {
    /// A verdict that is known.
    pub fn settled(verdict: Verdict) -> Self {
        Self(State::Settled(verdict))
    }

    /// A verdict that is still being computed.
    pub fn pending(verdict: impl Future<Output = Verdict> + Send + 'static) -> Self {
        Self(State::Pending(verdict.boxed().shared()))
    }

    /// Whether both wait for the same verdict.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (State::Pending(one), State::Pending(other)) => one.ptr_eq(other),
            _ => false,
        }
    }

    /// The verdict, if it is known without waiting.
    pub fn known(&self) -> Option<&Verdict> {
        match &self.0 {
            State::Settled(verdict) => Some(verdict),
            State::Pending(verdict) => verdict.peek(),
        }
    }

    /// Whether the file is known to be open to models.
    pub fn is_open(&self) -> bool {
        self.known() == Some(&Verdict::Open)
    }

    /// The verdict, once it is there.
    pub fn verdict(&self) -> Either<Ready<Verdict>, Shared<BoxFuture<'static, Verdict>>> {
        match &self.0 {
            State::Settled(verdict) => Either::Left(ready(verdict.clone())),
            State::Pending(verdict) => Either::Right(verdict.clone()),
        }
    }
}

/// Open: for texts that are no files.
impl Default for ModelAccess {
    fn default() -> Self {
        Self::settled(Verdict::Open)
    }
}

impl fmt::Debug for ModelAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.known(), f)
    }
}
