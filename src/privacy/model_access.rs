//! The verdict on one file. It may be pending while ignore files are read.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, Ready, Shared, ready};

use super::Verdict;

/// A verdict, available now or soon.
///
/// It is valid while the file is open and the rules are unchanged. Work that outlives a request and keeps its
/// results must check at the end whether the access was [revoked](Self::is_revoked).
#[derive(Clone)]
pub struct ModelAccess {
    state: State,
    is_revoked: Arc<AtomicBool>,
}

#[derive(Clone)]
enum State {
    Settled(Verdict),
    Pending(Shared<BoxFuture<'static, Verdict>>),
}

impl ModelAccess {
    /// An access with a known verdict.
    pub fn settled(verdict: Verdict) -> Self {
        Self { state: State::Settled(verdict), is_revoked: Arc::default() }
    }

    /// An access whose verdict is still being computed.
    pub fn pending(verdict: impl Future<Output = Verdict> + Send + 'static) -> Self {
        Self { state: State::Pending(verdict.boxed().shared()), is_revoked: Arc::default() }
    }

    /// The same access, with a known verdict.
    pub fn with_verdict(&self, verdict: Verdict) -> Self {
        Self { state: State::Settled(verdict), is_revoked: Arc::clone(&self.is_revoked) }
    }

    /// Whether both are the same access: granted at the same time, to the same file.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.is_revoked, &other.is_revoked)
    }

    /// Revokes all copies of the access: the file was closed, or is judged again.
    pub fn revoke(&self) {
        self.is_revoked.store(true, Ordering::Release);
    }

    /// Whether the file was closed, or judged again, since the access was granted.
    pub fn is_revoked(&self) -> bool {
        self.is_revoked.load(Ordering::Acquire)
    }

    /// The verdict, if it is known without waiting.
    pub fn known(&self) -> Option<&Verdict> {
        match &self.state {
            State::Settled(verdict) => Some(verdict),
            State::Pending(verdict) => verdict.peek(),
        }
    }

    /// Whether the file is known to be open to models.
    pub fn is_open(&self) -> bool {
        self.known() == Some(&Verdict::Open)
    }

    /// The verdict, once it is available.
    pub fn verdict(&self) -> Either<Ready<Verdict>, Shared<BoxFuture<'static, Verdict>>> {
        match &self.state {
            State::Settled(verdict) => Either::Left(ready(verdict.clone())),
            State::Pending(verdict) => Either::Right(verdict.clone()),
        }
    }
}

/// Open, for texts that are not files.
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
