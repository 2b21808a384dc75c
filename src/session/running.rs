//! Work that is stopped when its handle is dropped.

use futures_util::future::AbortHandle;

/// Running work, which is stopped when this value is dropped.
#[derive(Debug)]
pub(super) struct RunningWork(AbortHandle);

impl From<AbortHandle> for RunningWork {
    fn from(handle: AbortHandle) -> Self {
        Self(handle)
    }
}

impl Drop for RunningWork {
    fn drop(&mut self) {
        self.0.abort();
    }
}
