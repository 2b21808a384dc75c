//! Points in a write at which tests can inject a signal.

/// Marks a point before a file operation of a write.
///
/// In debug builds `TANDEM_TEST_SIGNAL=15@3` sends signal 15 at the third such point.
#[cfg(all(unix, debug_assertions))]
pub(super) fn inject_test_signal() {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rustix::process::{Signal, getpid, kill_process};

    static WANTED: OnceLock<Option<(i32, usize)>> = OnceLock::new();
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let wanted = WANTED.get_or_init(|| {
        let wanted = std::env::var("TANDEM_TEST_SIGNAL").ok()?;
        let (signal, at) = wanted.split_once('@')?;
        Some((signal.parse().ok()?, at.parse().ok()?))
    });
    if let Some((signal, at)) = wanted
        && COUNT.fetch_add(1, Ordering::SeqCst) + 1 == *at
        && let Some(signal) = Signal::from_named_raw(*signal)
    {
        _ = kill_process(getpid(), signal);
    }
}

#[cfg(not(all(unix, debug_assertions)))]
pub(super) fn inject_test_signal() {}
