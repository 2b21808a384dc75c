//! The program of a language server: its start, its last words and its end.

use std::io;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::config::ServerCommand;
use crate::model::limits::{LAST_WORDS_BYTES, SERVER_ENDS_WITHIN};

/// A program that runs. It and its children are killed when this value is dropped.
pub(super) struct Process {
    child: Child,
    /// Reads what it writes to standard error, and returns the last line.
    last_words: JoinHandle<String>,
}

impl Process {
    /// Starts a program without a shell, and returns its standard input and output. The error is a clause.
    pub(super) fn start(command: &ServerCommand) -> Result<(Self, ChildStdin, ChildStdout), String> {
        let program = command.program();
        let cannot = |why: &dyn std::fmt::Display| format!("`{program}` cannot be started: {why}");
        let (path, arguments) = command.words.split_first().ok_or("its command is empty")?;
        let mut started = Command::new(path);
        for name in &command.hidden_variables {
            started.env_remove(name);
        }
        started.args(arguments).kill_on_drop(true);
        started.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A folder of the user: a program may run what its current folder names.
        if let Some(folder) = command.folder.as_deref().filter(|folder| !folder.as_os_str().is_empty()) {
            started.current_dir(folder);
        }
        #[cfg(unix)]
        started.process_group(0);
        let mut child = started.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if Path::new(path).components().count() == 1 => {
                format!("`{program}` was not found on the PATH; install it, or write its whole path")
            }
            _ => cannot(&error),
        })?;
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(input), Some(output), Some(errors)) => {
                Ok((Self { child, last_words: tokio::spawn(last_line(errors)) }, input, output))
            }
            _ => Err(cannot(&"it has no standard streams")),
        }
    }

    /// Waits shortly for its end, and describes that: its status, and its last line on standard error.
    pub(super) async fn ended(&mut self) -> Option<String> {
        let status = timeout(SERVER_ENDS_WITHIN, self.child.wait()).await.ok()?.ok()?;
        let last = timeout(SERVER_ENDS_WITHIN, &mut self.last_words).await;
        let last = last.ok().and_then(Result::ok).filter(|it| !it.is_empty());
        Some(format!("ended ({status}){}", last.map(|it| format!(": {it}")).unwrap_or_default()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.last_words.abort();
        // Nothing is left to kill if the program was waited for: its number may be another's by now.
        #[cfg(unix)]
        if let Some(leader) = self.child.id().and_then(|id| i32::try_from(id).ok())
            && let Some(leader) = rustix::process::Pid::from_raw(leader)
        {
            _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
        drop(self.child.start_kill());
    }
}

/// The last line that is not blank, of which only the end is kept.
async fn last_line(mut errors: impl AsyncRead + Unpin) -> String {
    let (mut tail, mut buffer) = (Vec::new(), [0; 1024]);
    while let Ok(count @ 1..) = errors.read(&mut buffer).await {
        tail.extend_from_slice(&buffer[..count]);
        tail.drain(..tail.len().saturating_sub(LAST_WORDS_BYTES));
    }
    let text = String::from_utf8_lossy(&tail);
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}
