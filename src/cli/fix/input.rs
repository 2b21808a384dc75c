//! Reads the output of a tool from a file or from standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;

use crate::cli::limits::OUTPUT_BYTES;
use crate::cli::terminal;
use crate::disk::Unreadable;

/// The output of a tool.
pub(super) struct ReportText {
    pub(super) text: String,
    /// Whether the output was longer than the limit.
    pub(super) is_cut: bool,
}

/// Reads a tool's output; bytes that are not text are replaced.
pub(super) fn read(source: &Path) -> anyhow::Result<ReportText> {
    let reader: Box<dyn Read> = match source.as_os_str() == "-" {
        true => Box::new(terminal::input("the diagnostics")),
        false => {
            let file = open_within(source, WRITER_WITHIN);
            Box::new(file.with_context(|| format!("cannot read {}", source.display()))?)
        }
    };
    read_within(reader, OUTPUT_BYTES).context("cannot read the diagnostics")
}

/// How long to wait for a program to open a named pipe for writing.
const WRITER_WITHIN: Duration = Duration::from_secs(10);

/// Opens a file, or a pipe if a program opens it for writing in time.
fn open_within(source: &Path, within: Duration) -> anyhow::Result<File> {
    let (opened, result) = mpsc::channel();
    let path = source.to_owned();
    // If the pipe never has a writer, this thread is blocked until the process ends.
    thread::spawn(move || opened.send(File::open(path)));
    match result.recv_timeout(within) {
        Ok(file) => Ok(file.map_err(Unreadable::from)?),
        Err(_) => anyhow::bail!("no program has written to this pipe for {} s", within.as_secs()),
    }
}

/// Reads text up to a maximum number of bytes.
fn read_within(reader: impl Read, limit: u64) -> io::Result<ReportText> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    let is_cut = bytes.len() as u64 > limit;
    bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let text = match utf16(&bytes) {
        Some(text) => text,
        None => String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    };
    Ok(ReportText { text, is_cut })
}

/// The text of UTF-16 with a byte order mark, as Windows PowerShell writes it to files.
fn utf16(bytes: &[u8]) -> Option<String> {
    let body = bytes.strip_prefix(&[0xff, 0xfe])?;
    let units = body.chunks_exact(2).map(|it| u16::from_le_bytes([it[0], it[1]]));
    Some(char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_read_up_to_a_limit() {
        // Endless input is read only up to the limit.
        for (reader, is_cut) in
            [(Box::new(io::repeat(b'a')) as Box<dyn Read>, true), (Box::new(&b"aaa"[..]), false)]
        {
            let input = read_within(reader, 3).unwrap();
            assert_eq!((input.text.as_str(), input.is_cut), ("aaa", is_cut));
        }
    }

    #[cfg(unix)]
    #[test]
    fn pipe_without_a_writer_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("report");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let error = open_within(&pipe, Duration::from_secs(1)).unwrap_err();
        assert_eq!(error.to_string(), "no program has written to this pipe for 1 s");
        // The abandoned thread reads as well, so each gets a part: only the opening counts.
        let writer = thread::spawn(move || File::options().write(true).open(pipe));
        drop(open_within(&folder.path().join("report"), Duration::from_secs(60)).unwrap());
        writer.join().unwrap().unwrap();
    }

    #[test]
    fn outputs_of_powershell_are_read() {
        let text = "a.c:1:2: error: é";
        let bytes: Vec<u8> =
            [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(utf16(&bytes).as_deref(), Some(text));
        assert_eq!(utf16(text.as_bytes()), None);
    }
}
