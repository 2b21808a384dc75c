//! One run of git. Nothing else starts it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::error::GitError;

/// How long one question may take, however many runs it needs. Tests share their machine.
pub(super) const LIMIT: Duration = Duration::from_secs(if cfg!(test) { 600 } else { 10 });
/// Bytes that are taken of what git prints.
pub(super) const MOST_BYTES: u64 = 32 * 1024 * 1024;
/// Bytes that git may allocate.
#[cfg(target_os = "linux")]
const MOST_MEMORY: u64 = 2 * 1024 * 1024 * 1024;
/// Bytes that are taken of what it says went wrong.
const MOST_SAID: u64 = 4 * 1024;

/// How git is run for a question.
#[derive(Debug)]
pub(super) struct Program {
    /// What git takes for the repository. Its configuration is in force, and the current folder.
    pub(super) git_folder: PathBuf,
    pub(super) objects: PathBuf,
    pub(super) work_tree: PathBuf,
    /// Where git looks for a user's configuration; where it always does if there is none.
    pub(super) home: Option<PathBuf>,
    /// Until then all runs together last.
    pub(super) deadline: Instant,
}

impl Program {
    /// Runs git, with a text as its input, and takes what it prints.
    pub(super) fn run(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
        let said = tempfile::tempfile().map_err(GitError::NotCopied)?;
        let mut child = self.start(arguments, input, &said).map_err(GitError::NotRun)?;
        let (done, printed) = mpsc::sync_channel(1);
        if let Some(stdout) = child.stdout.take() {
            // A thread of its own, since reading has no deadline.
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
                end(child);
                return Err(match outcome {
                    Ok(Ok(_)) => GitError::TooLong(MOST_BYTES),
                    Ok(Err(error)) => GitError::NotRun(error),
                    Err(_) => GitError::Slow(LIMIT),
                });
            }
        };
        // It has closed its output, so it is about to end.
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
            // A relative folder in PATH leads to no program of the work tree.
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

    /// What git says went wrong.
    fn shown(&self, mut said: File, status: std::process::ExitStatus) -> String {
        let mut text = Vec::new();
        // Without its words, its exit code is what is known.
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

/// A text to be read from its beginning.
fn file_of(input: &[u8]) -> io::Result<Stdio> {
    if input.is_empty() {
        return Ok(Stdio::null());
    }
    let mut file = tempfile::tempfile()?;
    file.write_all(input)?;
    file.rewind()?;
    Ok(file.into())
}

/// Bounds the memory of a process, where the system can do that from outside.
fn bound(child: &Child) {
    #[cfg(target_os = "linux")]
    if let Some(process) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let limit = rustix::process::Rlimit { current: Some(MOST_MEMORY), maximum: Some(MOST_MEMORY) };
        // It fails where the process has ended, or has less.
        _ = rustix::process::prlimit(Some(process), rustix::process::Resource::Data, limit);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = child;
}

/// Kills git with all that it started.
fn end(mut child: Child) {
    #[cfg(unix)]
    if let Some(leader) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It fails where none of them is left.
        _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    drop(child.kill());
    // One that waits for a disk ends when that answers.
    thread::spawn(move || child.wait());
}
