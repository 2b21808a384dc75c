//! A streaming parser of server-sent events: any split, any line ending, bounded lines.
//!
//! Only `data` is read: in all dialects, events have their name inside it.

use super::limits::LINE_BYTES;

/// Parses a stream of server-sent events (WHATWG HTML, "Server-sent events").
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// The incomplete line.
    line: Vec<u8>,
    /// The data of the incomplete event; `None` if it has no data yet.
    data: Option<Vec<u8>>,
    /// Whether the last byte was a carriage return: a line feed after it belongs to the same line
    /// ending.
    after_return: bool,
    /// Whether a line ending was seen: only the first line may begin with a byte order mark.
    past_first_line: bool,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a line of more than {LINE_BYTES} bytes")]
pub(super) struct TooLong;

impl Reader {
    /// Takes the next bytes and passes the data of each event that ends in them to `event`.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut event: impl FnMut(&[u8])) -> Result<(), TooLong> {
        while let Some(&first) = bytes.first() {
            if self.after_return && first == b'\n' {
                self.after_return = false;
                bytes = &bytes[1..];
                continue;
            }
            self.after_return = false;
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let part = &bytes[..end.unwrap_or(bytes.len())];
            if self.line.len() + part.len() > LINE_BYTES {
                return Err(TooLong);
            }
            let Some(end) = end else {
                self.line.extend_from_slice(part);
                return Ok(());
            };
            if self.line.is_empty() {
                // Whole lines, the most common case, are read in place.
                Self::end_line(&mut self.data, &mut self.past_first_line, part, &mut event)?;
            } else {
                self.line.extend_from_slice(part);
                let line = std::mem::take(&mut self.line);
                Self::end_line(&mut self.data, &mut self.past_first_line, &line, &mut event)?;
            }
            self.after_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
        }
        Ok(())
    }

    /// Handles the end of the stream. An event without an empty line after it counts as well, since
    /// some servers omit that line.
    pub(super) fn end(mut self, mut event: impl FnMut(&[u8])) -> Result<(), TooLong> {
        if !self.line.is_empty() {
            Self::end_line(&mut self.data, &mut self.past_first_line, &self.line, &mut event)?;
        }
        if let Some(data) = self.data {
            event(&data);
        }
        Ok(())
    }

    fn end_line(
        data: &mut Option<Vec<u8>>,
        past_first_line: &mut bool,
        line: &[u8],
        event: &mut impl FnMut(&[u8]),
    ) -> Result<(), TooLong> {
        let mark =
            if std::mem::replace(past_first_line, true) { None } else { line.strip_prefix(b"\xef\xbb\xbf") };
        let line = mark.unwrap_or(line);
        if line.is_empty() {
            if let Some(data) = data.take() {
                event(&data);
            }
            return Ok(());
        }
        let Some(rest) = line.strip_prefix(b"data") else { return Ok(()) };
        let value = match rest {
            [] => rest,
            [b':', b' ', value @ ..] | [b':', value @ ..] => value,
            // Another field whose name begins with `data`.
            _ => return Ok(()),
        };
        match data {
            None => *data = Some(value.to_vec()),
            Some(data) if data.len() + value.len() > LINE_BYTES => return Err(TooLong),
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(chunks: &[&[u8]]) -> Vec<String> {
        let mut events = Vec::new();
        let mut reader = Reader::default();
        let mut push = |data: &[u8]| events.push(String::from_utf8_lossy(data).into_owned());
        for chunk in chunks {
            reader.push(chunk, &mut push).unwrap();
        }
        reader.end(&mut push).unwrap();
        events
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(read(&[text.as_bytes()]), expected, "{text:?}");
    }

    #[test]
    fn reads_events() {
        check("data: a\n\ndata:b\n\n", &["a", "b"]);
        check(
            "event: x\r\ndata: {\"a\":1}\r\n\r\n: a comment\r\nid: 7\r\ndata: [DONE]\r\n\r\n",
            &["{\"a\":1}", "[DONE]"],
        );
        check("data: one\ndata:  two\ndata\n\n", &["one\n two\n"]);
        check("\u{feff}data: a\r\rdata: b\r\r", &["a", "b"]);
        check("data: no empty line after it\n", &["no empty line after it"]);
        check("data: not even a line end", &["not even a line end"]);
        check("database: x\n\n\n\n: ping\n\n", &[]);
    }

    #[test]
    fn bounds_a_line() {
        let mut reader = Reader::default();
        let long = vec![b'x'; LINE_BYTES];
        assert_eq!(reader.push(&long, |_| {}), Ok(()));
        assert_eq!(reader.push(b"x", |_| {}), Err(TooLong));
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        #[test]
        fn any_cut_reads_alike(
            parts in prop::collection::vec(prop::sample::select(vec![
                "data: ", "data", ":", " ", "é✓", "\n", "\r\n", "\r", "\n\n", "event: e", ": c", "x",
            ]), 0..40),
            cuts in prop::collection::vec(0_usize..200, 0..12),
        ) {
            let text = parts.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|it| &text[it[0]..it[1]]).collect();
            prop_assert_eq!(read(&chunks), read(&[&text]));
        }
    }
}
