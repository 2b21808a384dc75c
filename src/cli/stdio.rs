//! Standard input and output as async streams.
//!
//! The runtime's own reads on a thread of its own, which costs a wake-up for every message in each direction.
//! Editors start a server on pipes or on a socket pair, and those can be waited for directly.

use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

pub(super) type Input = Pin<Box<dyn AsyncRead + Send>>;
pub(super) type Output = Pin<Box<dyn AsyncWrite + Send>>;

/// Opens both. Must be called inside the runtime.
pub(super) fn open() -> (Input, Output) {
    #[cfg(unix)]
    {
        (unix::input().unwrap_or_else(fallback_input), unix::output().unwrap_or_else(fallback_output))
    }
    #[cfg(not(unix))]
    {
        (fallback_input(), fallback_output())
    }
}

fn fallback_input() -> Input {
    Box::pin(tokio::io::stdin())
}

fn fallback_output() -> Output {
    Box::pin(tokio::io::stdout())
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::os::fd::{AsFd as _, OwnedFd};
    use std::os::unix::fs::FileTypeExt as _;
    use std::os::unix::net::UnixStream as BlockingStream;

    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    use crate::cli::stdio::{Input, Output};

    /// `None` for a terminal or a file, which cannot be waited for.
    pub(super) fn input() -> Option<Input> {
        let stdin = File::from(std::io::stdin().as_fd().try_clone_to_owned().ok()?);
        let kind = stdin.metadata().ok()?.file_type();
        if kind.is_fifo() {
            return Some(Box::pin(pipe::Receiver::from_file(stdin).ok()?));
        }
        if kind.is_socket() { Some(Box::pin(socket(stdin)?)) } else { None }
    }

    /// As [`input`].
    pub(super) fn output() -> Option<Output> {
        let stdout = File::from(std::io::stdout().as_fd().try_clone_to_owned().ok()?);
        let kind = stdout.metadata().ok()?.file_type();
        if kind.is_fifo() {
            return Some(Box::pin(pipe::Sender::from_file(stdout).ok()?));
        }
        if kind.is_socket() { Some(Box::pin(socket(stdout)?)) } else { None }
    }

    fn socket(file: File) -> Option<UnixStream> {
        let stream = BlockingStream::from(OwnedFd::from(file));
        stream.set_nonblocking(true).ok()?;
        UnixStream::from_std(stream).ok()
    }
}
