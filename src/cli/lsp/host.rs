//! The process that serves the windows of one user.

use std::fs::TryLockError;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::AsyncWriteExt as _;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

use super::shared::{GREETING, Place, is_own};
use crate::cli::limits::{ACCEPT_AGAIN, LONELY_HOST_TIMEOUT};
use crate::disk::Readers;
use crate::lsp;
use crate::workspace::SharedIndexes;

/// Starts the process that serves windows on a socket, and leaves it without a parent: an editor that ends the children
/// of one window must not end the server of all.
pub(super) fn start_detached(socket: &Path, config: Option<&Path>) -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["lsp", "--host"]).arg(socket);
    if let Some(config) = config {
        command.arg("--config").arg(config);
    }
    command.spawn().map(drop)
}

/// Serves windows on a socket, until the last one has left.
pub(super) async fn serve_windows(socket: &Path, start: &lsp::Start) -> io::Result<()> {
    let listener = UnixListener::bind(socket)?;
    let place = Place::of(socket);
    let mut windows = JoinSet::new();
    let count = Arc::new(AtomicUsize::new(0));
    let indexes = Some(SharedIndexes::default());
    let start = lsp::Start { windows: Some(Arc::clone(&count)), indexes, ..start.clone() };
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    windows.spawn(serve_window(stream, start.clone()));
                    count.store(windows.len(), Ordering::Relaxed);
                }
                Err(error) => {
                    tracing::warn!(%error, "a window cannot be accepted");
                    // Without a pause, a process out of descriptors would do nothing else.
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                }
            },
            Some(ended) = windows.join_next() => {
                count.store(windows.len(), Ordering::Relaxed);
                if let Err(panic) = ended {
                    tracing::error!(%panic, "a window's session failed");
                }
            }
            // The window that started this process connects at once; the next one often follows the last.
            () = tokio::time::sleep(LONELY_HOST_TIMEOUT), if windows.is_empty() => {
                // Locked, no window can be about to connect.
                match place.try_lock() {
                    Err(TryLockError::WouldBlock) => {}
                    // No window finds a server whose folder is gone.
                    Err(TryLockError::Error(error)) => return Err(error),
                    Ok(_lock) => return std::fs::remove_file(socket),
                }
            }
        }
    }
}

/// Serves one window, apart from all others.
async fn serve_window(mut stream: UnixStream, start: lsp::Start) {
    if !is_own(&stream) {
        tracing::warn!("a process of another user connected");
        return;
    }
    if let Err(error) = stream.write_all(GREETING).await {
        tracing::debug!(%error, "a window has left");
        return;
    }
    // A hung folder of one window must not hold up the readers of another.
    let start = lsp::Start { readers: Readers::default(), ..start };
    let (input, output) = stream.into_split();
    lsp::serve(input, output, start).await;
}
