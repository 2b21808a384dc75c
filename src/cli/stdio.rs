//! Standard input and output as async streams.
//!
//! Tokio's own streams use a blocking thread, which costs a wake-up for every message in each direction. Editors
//! start a server on pipes or on a socket pair, which can be polled directly.

use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

pub(super) type Input = Pin<Box<dyn AsyncRead + Send>>;
pub(super) type Output = Pin<Box<dyn AsyncWrite + Send>>;

/// Opens both streams. Must be called inside the runtime.
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

    /// Opens standard input; `None` for a terminal or a file, which cannot be polled.
    pub(super) fn input() -> Option<Input> {
        let stdin = File::from(std::io::stdin().as_fd().try_clone_to_owned().ok()?);
        let kind = stdin.metadata().ok()?.file_type();
        if kind.is_fifo() {
            return Some(Box::pin(pipe::Receiver::from_file(stdin).ok()?));
        }
        if kind.is_socket() { Some(Box::pin(socket(stdin)?)) } else { None }
    }

    /// Opens standard output; `None` as for [`input`].
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
