//! The framing of messages: a header with a length, then the body (LSP 3.18, "Header Part").

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;

use crate::lsp::limits::{HEADER_BYTES, MESSAGE_BYTES, OTHER_LINES};

/// Reads one message's header and body; `None` at the end of the stream.
///
/// Also returns the reader.
pub(in crate::lsp) async fn read_frame<R: AsyncBufRead + Unpin>(
    mut input: R,
) -> (R, io::Result<Option<Vec<u8>>>) {
    let body = read_body(&mut input).await;
    (input, body)
}

/// A body with its header.
pub(in crate::lsp) fn framed(body: &[u8]) -> Vec<u8> {
    let mut framed = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    framed.extend_from_slice(body);
    framed
}

/// Writes [framed] messages until no sender is left. The error is that of the stream.
pub(in crate::lsp) async fn write_frames<O: AsyncWrite + Unpin>(
    mut output: O,
    mut outbox: mpsc::UnboundedReceiver<Vec<u8>>,
) -> io::Result<()> {
    while let Some(mut bytes) = outbox.recv().await {
        // A single write for everything that is queued.
        while let Ok(more) = outbox.try_recv() {
            bytes.extend_from_slice(&more);
        }
        output.write_all(&bytes).await?;
        output.flush().await?;
    }
    Ok(())
}

/// Reads up to the end of a message.
///
/// Only the length determines where a message ends, so content without one is an error and never skipped.
async fn read_body<R: AsyncBufRead + Unpin>(input: &mut R) -> io::Result<Option<Vec<u8>>> {
    let broken = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut length = None;
    let mut is_in_header = false;
    let mut other_lines = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        // The message may have no line ending, so do not wait for one.
        if !is_in_header && input.fill_buf().await?.trim_ascii_start().starts_with(b"{") {
            return Err(broken("a message without a header"));
        }
        let read = (&mut *input).take(HEADER_BYTES).read_until(b'\n', &mut line).await?;
        if read == 0 {
            return Ok(None);
        }
        let header = line.trim_ascii();
        if header.is_empty() {
            match length {
                Some(length) => break read_exactly(input, length).await.map(Some),
                None if is_in_header => return Err(broken("a message without a Content-Length")),
                // Blank lines before a header are skipped.
                None => continue,
            }
        }
        let Some(colon) = header.iter().position(|byte| *byte == b':') else {
            // This is not a message but, for example, a debugger's greeting: search for the next header.
            other_lines += 1;
            if line.len() as u64 == HEADER_BYTES || other_lines > OTHER_LINES {
                return Err(broken("bytes that are no message"));
            }
            tracing::warn!(bytes = header.len(), "a line that is no header");
            continue;
        };
        is_in_header = true;
        let (name, value) = (header[..colon].trim_ascii(), header[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            let digits = std::str::from_utf8(value).ok().and_then(|digits| digits.parse::<usize>().ok());
            let wanted = digits.ok_or_else(|| broken("a Content-Length that is no number"))?;
            if wanted > MESSAGE_BYTES {
                return Err(broken("a message of over 256 MiB"));
            }
            length = Some(wanted);
        }
    }
}

async fn read_exactly<R: AsyncBufRead + Unpin>(input: &mut R, length: usize) -> io::Result<Vec<u8>> {
    let mut body = vec![0; length];
    input.read_exact(&mut body).await?;
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the bodies of all messages in a stream, and the error that ends reading.
    async fn check(mut stream: &[u8], bodies: &[&str], error: Option<&str>) {
        let mut read = Vec::new();
        let end = loop {
            match read_body(&mut stream).await {
                Ok(Some(body)) => read.push(String::from_utf8(body).unwrap()),
                Ok(None) => break None,
                Err(error) => break Some(error.to_string()),
            }
        };
        assert_eq!((read, end.as_deref()), (bodies.iter().map(|it| (*it).to_owned()).collect(), error));
    }

    #[tokio::test]
    async fn what_has_no_length_ends_the_stream() {
        let framed = b"Content-Length: 2\r\n\r\n{}";
        check(framed, &["{}"], None).await;
        check(b"Content-Type: x\r\ncontent-length:2\r\n\r\n[]\r\n\r\n", &["[]"], None).await;
        check(b"a greeting\n\nContent-Length: 2\n\n{}", &["{}"], None).await;
        let unframed = br#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#;
        let unheaded = Some("a message without a header");
        check(&[&framed[..], unframed].concat(), &["{}"], unheaded).await;
        check(&[&unframed[..], b"\n", framed].concat(), &[], unheaded).await;
        let without_length = [&b"Content-Type: x\r\n\r\n"[..], unframed].concat();
        check(&without_length, &[], Some("a message without a Content-Length")).await;
        check(b"Content-Length: -2\r\n\r\n{}", &[], Some("a Content-Length that is no number")).await;
        let unreadable = Some("bytes that are no message");
        check(&[b'x'; 5_000], &[], unreadable).await;
        check(&b"a greeting\n".repeat(100), &[], unreadable).await;
    }
}
