//! Takes notes from the server, and hands them to a thread that writes them down.
//!
//! A note costs the server a message to the thread. Where the thread does not keep up, notes are counted and left out;
//! nothing waits for it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::entry::Event;
use super::note::{Clock, Note, milliseconds};
use super::writer::Writer;
use crate::disk::Readers;

/// Notes that wait for the thread at most.
const WAITING_NOTES: usize = 1024;
/// How long the end of a server waits for the thread.
const LAST_WRITE_TIMEOUT: Duration = Duration::from_secs(1);

/// Takes notes. Cheap to clone; the thread ends with the last one.
#[derive(Debug, Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// `None` once it is dropped.
    notes: Option<SyncSender<(u64, Note)>>,
    lost: Arc<AtomicU64>,
    /// The last number of a request.
    number: AtomicU64,
    clock: Clock,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Writes below `folder`, which belongs to the user; `on_trouble` hears once that it no longer can.
    ///
    /// # Errors
    ///
    /// No thread can be started.
    pub fn start(
        folder: PathBuf,
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
            (folder, uuid),
            (workspace, readers),
            Box::new(on_trouble),
        );
        let thread = thread::Builder::new().name("record".to_owned()).spawn(move || writer.run())?;
        let number = AtomicU64::new(0);
        Ok(Self {
            shared: Arc::new(Shared { notes: Some(notes), lost, number, clock, thread: Some(thread) }),
        })
    }

    /// Takes a note. It does not wait.
    pub fn note(&self, note: Note) {
        let Shared { notes, lost, clock, .. } = &*self.shared;
        // A thread that has ended has said why.
        if let Some(notes) = notes
            && let Err(TrySendError::Full(_)) = notes.try_send((clock.now(), note))
        {
            lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Notes that something happened.
    pub fn event(&self, event: Event) {
        self.note(Note::Event(event));
    }

    /// A number for a request, from 1.
    pub fn next_number(&self) -> u64 {
        self.shared.number.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Has all written that was noted so far, and waits for that in bounds.
    pub fn flush(&self) {
        let (done, written) = sync_channel(1);
        self.note(Note::Flush(done));
        if written.recv_timeout(LAST_WRITE_TIMEOUT).is_err() {
            tracing::debug!("the recording is not written to its end");
        }
    }

    /// A moment as a recording has it.
    pub fn time(&self, instant: Instant) -> u64 {
        self.shared.clock.at_instant(instant)
    }
}

/// Has the thread write what it holds back, and waits for that in bounds.
impl Drop for Shared {
    fn drop(&mut self) {
        drop(self.notes.take());
        let Some(thread) = self.thread.take() else { return };
        let until = Instant::now() + LAST_WRITE_TIMEOUT;
        while !thread.is_finished() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

#[cfg(test)]
mod tests;
