//! Detects whether the editor's process still runs (LSP 3.18, "Initialize Request", `processId`).
//!
//! An editor that exits closes its pipes, and the server exits with them; but a child process of the editor may
//! have inherited the pipes and keep them open. A process that does not exist at the start is on another
//! machine or in another container, and its absence means nothing.

use std::sync::Arc;

use tokio::sync::Notify;

/// Notifies `ended` once the process with this number has ended.
///
/// A missing number, 0, and the server's own number are ignored.
pub(super) fn watch(process: Option<i32>, ended: &Arc<Notify>) {
    let Some(process) = process.filter(|it| *it > 0 && it.cast_unsigned() != std::process::id()) else {
        return;
    };
    system::watch(process, Arc::clone(ended));
}

/// Only the pipes show the editor's end on this platform.
#[cfg(not(unix))]
mod system {
    pub(super) fn watch(_: i32, _: std::sync::Arc<tokio::sync::Notify>) {}
}

#[cfg(unix)]
mod system {
    use std::sync::Arc;

    use rustix::io::Errno;
    use rustix::process::{Pid, getppid, test_kill_process};
    use tokio::sync::Notify;

    use crate::lsp::limits::PARENT_INTERVAL;

    pub(super) fn watch(process: i32, ended: Arc<Notify>) {
        let Some(process) = Pid::from_raw(process) else { return };
        let is_parent = getppid() == Some(process);
        if !is_parent && !is_there(process) {
            tracing::debug!("the editor's process is not to be seen from here");
            return;
        }
        tokio::spawn(async move {
            if wait(process).await.is_none() {
                // A parent that has ended, waited for or not, is no longer the parent.
                while if is_parent { getppid() == Some(process) } else { is_there(process) } {
                    tokio::time::sleep(PARENT_INTERVAL).await;
                }
            }
            tracing::info!("the editor's process has ended");
            ended.notify_one();
        });
    }

    fn is_there(process: Pid) -> bool {
        // A process of another user exists as well.
        test_kill_process(process) != Err(Errno::SRCH)
    }

    /// Waits for the end of the process; `None` if that cannot be awaited.
    #[cfg(target_os = "linux")]
    async fn wait(process: Pid) -> Option<()> {
        use rustix::process::{PidfdFlags, pidfd_open};
        use tokio::net::unix::pipe::Receiver;

        let descriptor = pidfd_open(process, PidfdFlags::NONBLOCK).ok()?;
        // It becomes readable when the process has ended, and can be awaited like a pipe. Nothing is read from it.
        let end = Receiver::from_file_unchecked(descriptor.into()).ok()?;
        end.readable().await.ok()
    }

    #[cfg(not(target_os = "linux"))]
    async fn wait(_: Pid) -> Option<()> {
        None
    }
}
