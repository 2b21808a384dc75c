//! Takes notes from the server and hands them to a thread that writes them.
//!
//! A note costs the server a message to the thread. If the thread does not keep up, notes are dropped and counted;
//! nothing waits for it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::entry::Event;
use super::note::{Clock, Note, milliseconds};
use super::writer::Writer;
use crate::disk::Readers;

/// The maximum number of notes that wait for the thread.
const WAITING_NOTES: usize = 1024;
/// The time after which a full queue is tried again.
const FULL_WAIT: Duration = Duration::from_millis(1);
/// How long a server's shutdown waits for the thread.
const LAST_WRITE_TIMEOUT: Duration = Duration::from_secs(1);

/// Takes notes. Cheap to clone; the thread ends with the last clone.
#[derive(Debug, Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    notes: SyncSender<(u64, Note)>,
    lost: Arc<AtomicU64>,
    /// The number of the last request.
    number: AtomicU64,
    clock: Clock,
    thread: JoinHandle<()>,
    folder: PathBuf,
}

impl Recorder {
    /// Starts recording below `folder`, which belongs to the user; calls `on_trouble` once if writing fails.
    /// `root_uri` names the first of the `workspace` folders, whose repositories' HEADs are watched.
    ///
    /// # Errors
    ///
    /// No thread can be started.
    pub fn start(
        folder: PathBuf,
        root_uri: String,
        workspace: &[PathBuf],
        readers: Readers,
        on_trouble: impl FnOnce(String) + Send + 'static,
    ) -> io::Result<Self> {
        let at = milliseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
        let clock = Clock { started: Instant::now(), at };
        let lost = Arc::new(AtomicU64::new(0));
        let (notes, waiting) = sync_channel(WAITING_NOTES);
        let uuid = format!("{at:013}-{}", std::process::id());
        let writer = Writer::new(
            (waiting, Arc::clone(&lost), clock),
            (folder.clone(), uuid, root_uri),
            (workspace, readers),
            Box::new(on_trouble),
        );
        let thread = thread::Builder::new().name("record".to_owned()).spawn(move || writer.run())?;
        let number = AtomicU64::new(0);
        Ok(Self { shared: Arc::new(Shared { notes, lost, number, clock, thread, folder }) })
    }

    /// Whether it still writes: it ends if it cannot.
    pub fn is_running(&self) -> bool {
        !self.shared.thread.is_finished()
    }

    /// Whether a file belongs to the recording. What an editor shows of it grows with each entry.
    pub fn owns(&self, path: &Path) -> bool {
        path.starts_with(&self.shared.folder)
    }

    /// Takes a note without waiting.
    pub fn note(&self, note: Note) {
        let Shared { notes, lost, clock, .. } = &*self.shared;
        // A thread that has ended has reported why.
        if let Err(TrySendError::Full(_)) = notes.try_send((clock.now(), note)) {
            lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Notes an event.
    pub fn event(&self, event: Event) {
        self.note(Note::Event(event));
    }

    /// Returns the next number for a request, from 1.
    pub fn next_number(&self) -> u64 {
        self.shared.number.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Has all notes so far written, and waits for that for a limited time: held-back entries would be lost with the
    /// process.
    pub async fn flush(&self) {
        let Shared { notes, clock, .. } = &*self.shared;
        let all = async {
            let (done, written) = oneshot::channel();
            let mut note = (clock.now(), Note::Flush(done));
            // Unlike other notes, this one is not dropped when the queue is full.
            while let Err(TrySendError::Full(refused)) = notes.try_send(note) {
                note = refused;
                sleep(FULL_WAIT).await;
            }
            written.await
        };
        if !matches!(timeout(LAST_WRITE_TIMEOUT, all).await, Ok(Ok(()))) {
            tracing::debug!("the recording is not written to its end");
        }
    }

    /// Converts an instant to a recording's time.
    pub fn time(&self, instant: Instant) -> u64 {
        self.shared.clock.at_instant(instant)
    }
}

#[cfg(test)]
mod tests;
