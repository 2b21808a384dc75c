//! Defers termination signals while files are written.
//!
//! A signal that arrives before the first file is replaced aborts the write; a later one waits for its end. Then the
//! process terminates by that signal, as it would have without the write.

use std::io;

/// A guard that defers signals until it is dropped.
#[cfg(unix)]
pub(super) struct SignalGuard(&'static Handlers);

#[cfg(unix)]
struct Handlers {
    /// Whether no write is in progress.
    is_idle: std::sync::Arc<std::sync::atomic::AtomicBool>,
    /// The signal that arrived during a write; 0 if none.
    came: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    writes: crate::lock::Mutex<usize>,
}

#[cfg(unix)]
impl SignalGuard {
    /// Starts to defer signals.
    pub(super) fn new() -> io::Result<Self> {
        use std::sync::LazyLock;
        use std::sync::atomic::Ordering;

        static HANDLERS: LazyLock<io::Result<Handlers>> = LazyLock::new(Handlers::installed);
        let handlers = HANDLERS.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
        let mut writes = handlers.writes.lock();
        *writes += 1;
        handlers.is_idle.store(false, Ordering::SeqCst);
        drop(writes);
        Ok(Self(handlers))
    }

    /// Fails if a signal has arrived.
    pub(super) fn check(&self) -> io::Result<()> {
        match self.0.came.load(std::sync::atomic::Ordering::SeqCst) {
            0 => Ok(()),
            signal => Err(io::Error::other(format!("signal {signal} came"))),
        }
    }
}

#[cfg(unix)]
impl Handlers {
    fn installed() -> io::Result<Self> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::flag;

        let handlers =
            Self { is_idle: Default::default(), came: Default::default(), writes: Default::default() };
        for (signal, number) in [(SIGHUP, 1), (SIGINT, 2), (SIGTERM, 15)] {
            if !is_ignored(number) {
                flag::register_conditional_default(signal, handlers.is_idle.clone())?;
                flag::register_usize(signal, handlers.came.clone(), number)?;
            }
        }
        Ok(handlers)
    }
}

/// Whether a signal was ignored at startup, as with `nohup`; then it stays ignored. Detected on Linux only.
#[cfg(unix)]
fn is_ignored(number: usize) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}

#[cfg(unix)]
impl Drop for SignalGuard {
    fn drop(&mut self) {
        use std::sync::atomic::Ordering;

        let mut writes = self.0.writes.lock();
        *writes -= 1;
        if *writes > 0 {
            return;
        }
        self.0.is_idle.store(true, Ordering::SeqCst);
        let signal = i32::try_from(self.0.came.swap(0, Ordering::SeqCst)).unwrap_or_default();
        drop(writes);
        if signal != 0
            && let Err(error) = signal_hook::low_level::emulate_default_handler(signal)
        {
            tracing::error!(%error, signal, "a signal had no effect");
        }
    }
}

/// Signals are not deferred on this system: an interrupted write is undone at the next start.
#[cfg(not(unix))]
pub(super) struct SignalGuard;

#[cfg(not(unix))]
impl SignalGuard {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) fn check(&self) -> io::Result<()> {
        Ok(())
    }
}
