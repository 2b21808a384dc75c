//! Wakes the requests that wait for a call, and only those.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use tokio::sync::Notify;

use crate::lock::Mutex;

/// One signal for each call that a request waits for.
#[derive(Debug, Clone, Default)]
pub(super) struct CallSignals(Arc<Mutex<HashMap<u64, Weak<Notify>>>>);

impl CallSignals {
    /// The signal of a call, registered for as long as it is held.
    pub(super) fn subscribe(&self, call: u64) -> Arc<Notify> {
        let mut signals = self.0.lock();
        signals.retain(|_, signal| signal.strong_count() > 0);
        if let Some(signal) = signals.get(&call).and_then(Weak::upgrade) {
            return signal;
        }
        let signal = Arc::new(Notify::new());
        signals.insert(call, Arc::downgrade(&signal));
        signal
    }

    /// Wakes the requests that wait for a call, after it has grown or ended.
    pub(super) fn wake(&self, call: u64) {
        let signals = self.0.lock();
        let signal = signals.get(&call).and_then(Weak::upgrade);
        drop(signals);
        if let Some(signal) = signal {
            signal.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn signal_of_one_call_wakes_its_requests_only() {
        let signals = CallSignals::default();
        let [first, again, other] = [1, 1, 2].map(|call| Box::pin(signals.subscribe(call).notified_owned()));
        let [mut first, mut again, mut other] = [first, again, other].map(|mut it| {
            it.as_mut().enable();
            it
        });
        signals.wake(1);
        let woken = [&mut first, &mut again, &mut other].map(|it| it.now_or_never().is_some());
        assert_eq!(woken, [true, true, false]);
    }

    #[test]
    fn signal_without_requests_is_forgotten() {
        let signals = CallSignals::default();
        for call in 0..100 {
            drop(signals.subscribe(call));
        }
        assert_eq!(signals.0.lock().len(), 1);
    }
}
