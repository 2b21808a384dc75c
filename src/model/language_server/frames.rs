//! Messages in a byte stream (LSP 3.18, "Base Protocol"), within limits.

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

use crate::model::limits::{FRAME_BYTES, FRAME_HEADER_BYTES};

/// The next message; `None` at the end of the stream.
///
/// A message that is not JSON is read as null, since the next one can be read. The error is a clause to follow "it".
/// Nothing can be read after that.
pub(super) async fn read(input: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<Value>, String> {
    let failed = |error: std::io::Error| format!("cannot be read: {error}");
    let mut length: Option<usize> = None;
    let mut left = FRAME_HEADER_BYTES;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut *input).take(left).read_until(b'\n', &mut line).await.map_err(failed)?;
        left -= read as u64;
        if read == 0 && left > 0 {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            return Err("wrote something that is no message of LSP".to_owned());
        }
        let header = String::from_utf8_lossy(line.trim_ascii());
        match (header.split_once(':'), length) {
            (None, Some(length)) if header.is_empty() => {
                let mut body = vec![0; length];
                input.read_exact(&mut body).await.map_err(failed)?;
                return Ok(Some(serde_json::from_slice(&body).unwrap_or_default()));
            }
            (Some((name, value)), _) if name.eq_ignore_ascii_case("content-length") => {
                let bytes: usize = value.trim().parse().map_err(|_| "sent a length that is no number")?;
                if bytes > FRAME_BYTES {
                    return Err(format!("sent a message of over {} MiB", FRAME_BYTES >> 20));
                }
                length = Some(bytes);
            }
            // Other headers, and lines that programs print before they begin.
            _ => {}
        }
    }
}

/// A message with its header.
pub(super) fn framed(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(stream: &[u8], expected: &[&str]) {
        let mut input = stream;
        let mut all = Vec::new();
        loop {
            match read(&mut input).await {
                Ok(Some(message)) => all.push(message.to_string()),
                Ok(None) => break,
                Err(why) => {
                    all.push(why);
                    break;
                }
            }
        }
        assert_eq!(all, expected, "{}", String::from_utf8_lossy(&stream[..stream.len().min(80)]));
    }

    #[tokio::test]
    async fn messages_are_read_within_limits() {
        check(&[framed(&1.into()), framed(&"é".into())].concat(), &["1", "\"é\""]).await;
        check(b"a greeting\nX: y\r\ncontent-length: 1\r\n\r\n2", &["2"]).await;
        check(b"Content-Length: 1\r\n\r\n{Content-Length: 1\r\n\r\n3", &["null", "3"]).await;
        check(b"Content-Length: 99999999\r\n\r\n", &["sent a message of over 4 MiB"]).await;
        check(b"Content-Length: -1\r\n\r\n", &["sent a length that is no number"]).await;
        check(b"Content-Length: 5\r\n\r\n1", &["cannot be read: early eof"]).await;
        let no_message = "wrote something that is no message of LSP";
        check(&b"noise\n".repeat(10_000), &[no_message]).await;
        check(&b"noise".repeat(10_000), &[no_message]).await;
        check(b"noise", &[no_message]).await;
    }
}
