//! Runs git. No other module starts it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::error::GitError;

/// Time limit of one query, over all of its runs. Tests share their machine.
pub(super) const LIMIT: Duration = Duration::from_secs(if cfg!(test) { 600 } else { 10 });
/// Maximum size of git's output, in bytes.
pub(super) const MOST_BYTES: u64 = 32 * 1024 * 1024;
/// Maximum amount of memory that git may allocate, in bytes.
#[cfg(target_os = "linux")]
const MOST_MEMORY: u64 = 2 * 1024 * 1024 * 1024;
/// Bytes read from git's standard error.
const MOST_SAID: u64 = 4 * 1024;

/// How git is run for a query.
#[derive(Debug)]
pub(super) struct Program {
    /// The repository as passed to git. Its configuration applies, and it is the working directory.
    pub(super) git_folder: PathBuf,
    pub(super) objects: PathBuf,
    pub(super) work_tree: PathBuf,
    /// The folder in which git finds the user's configuration; git's default if `None`.
    pub(super) home: Option<PathBuf>,
    /// The deadline of all runs together.
    pub(super) deadline: Instant,
}

impl Program {
    /// Runs git with the given input, and returns its output.
    pub(super) fn run(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
        let said = tempfile::tempfile().map_err(GitError::NotCopied)?;
        let mut child = self.start(arguments, input, &said).map_err(GitError::NotRun)?;
        let (done, printed) = mpsc::sync_channel(1);
        if let Some(stdout) = child.stdout.take() {
            // A separate thread, since a read has no deadline.
            thread::spawn(move || {
                let mut bytes = Vec::new();
                let read = stdout.take(MOST_BYTES + 1).read_to_end(&mut bytes);
                // The receiver is gone if it took too long.
                drop(done.send(read.map(|_| bytes)));
            });
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        let printed = match printed.recv_timeout(left) {
            Ok(Ok(bytes)) if bytes.len() as u64 <= MOST_BYTES => bytes,
            outcome => {
                kill(child);
                return Err(match outcome {
                    Ok(Ok(_)) => GitError::TooLong(MOST_BYTES),
                    Ok(Err(error)) => GitError::NotRun(error),
                    Err(_) => GitError::Slow(LIMIT),
                });
            }
        };
        // Git has closed its output, so it is about to exit.
        let status = child.wait().map_err(GitError::NotRun)?;
        if status.success() { Ok(printed) } else { Err(GitError::Failed(self.shown(said, status))) }
    }

    fn start(&self, arguments: &[&str], input: &[u8], said: &File) -> io::Result<Child> {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().to_uppercase().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        if let Some(home) = &self.home {
            command.env("HOME", home).env("XDG_CONFIG_HOME", home).env("GIT_CONFIG_NOSYSTEM", "1");
        }
        command
            .env("GIT_DIR", &self.git_folder)
            .env("GIT_OBJECT_DIRECTORY", &self.objects)
            .env("GIT_WORK_TREE", &self.work_tree)
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .args(["--no-pager", "--literal-pathspecs"])
            .args(arguments)
            // A relative folder in `PATH` must not find a program in the work tree.
            .current_dir(&self.git_folder)
            .stdin(file_of(input)?)
            .stdout(Stdio::piped())
            .stderr(said.try_clone()?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn()?;
        bound(&child);
        Ok(child)
    }

    /// Git's error message.
    fn shown(&self, mut said: File, status: std::process::ExitStatus) -> String {
        let mut text = Vec::new();
        // Without a message, only the exit status is known.
        let read = said.rewind().and_then(|()| said.take(MOST_SAID).read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text);
        match text.trim() {
            text if read.is_ok() && !text.is_empty() => {
                text.replace(&*self.git_folder.to_string_lossy(), ".git")
            }
            _ => status.to_string(),
        }
    }
}

/// An input stream that holds `input`.
fn file_of(input: &[u8]) -> io::Result<Stdio> {
    if input.is_empty() {
        return Ok(Stdio::null());
    }
    let mut file = tempfile::tempfile()?;
    file.write_all(input)?;
    file.rewind()?;
    Ok(file.into())
}

/// Limits the memory of a process, where the system supports that from outside.
fn bound(child: &Child) {
    #[cfg(target_os = "linux")]
    if let Some(process) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let limit = rustix::process::Rlimit { current: Some(MOST_MEMORY), maximum: Some(MOST_MEMORY) };
        // Fails if the process has ended, or has a lower limit.
        _ = rustix::process::prlimit(Some(process), rustix::process::Resource::Data, limit);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = child;
}

/// Kills git and all of its child processes.
fn kill(mut child: Child) {
    #[cfg(unix)]
    if let Some(leader) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // Fails if none of them is left.
        _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    drop(child.kill());
    // A process that blocks on a disk ends when the disk answers.
    thread::spawn(move || child.wait());
}
