//! JSON documents in an output, each on one line or over many lines.

mod eslint;
mod gcc;
mod mypy;
mod pyright;
mod ruff;
mod rustc;
mod sarif;
mod value;

use serde_json::{Deserializer, Value};

use super::diagnostic::Report;

/// How much of a document was read.
pub(super) enum Read {
    /// The document was read to its end, which is after this many bytes.
    Document(usize),
    /// The output ends within the document; its complete elements were read, up to this byte.
    Incomplete(usize),
    /// The text is not JSON, or not of a tool's format.
    Other,
}

/// Whether a document may begin here.
pub(super) fn begins(rest: &str) -> bool {
    let mut signs = rest.bytes().filter(|it| !it.is_ascii_whitespace());
    match signs.next() {
        Some(b'{') => matches!(signs.next(), Some(b'"' | b'}')),
        Some(b'[') => matches!(signs.next(), Some(b'{' | b']')),
        _ => false,
    }
}

/// Reads the document that begins here.
pub(super) fn read(rest: &str, report: &mut Report) -> Read {
    let body = rest.trim_start();
    let lead = rest.len() - body.len();
    if let Some(elements) = body.strip_prefix('[') {
        return match read_elements(elements, report) {
            Read::Document(bytes) => Read::Document(lead + 1 + bytes),
            Read::Incomplete(bytes) => Read::Incomplete(if bytes > 0 { lead + 1 + bytes } else { 0 }),
            Read::Other => Read::Other,
        };
    }
    let mut documents = Deserializer::from_str(body).into_iter::<Value>();
    match documents.next() {
        Some(Ok(value)) => {
            let bytes = lead + documents.byte_offset();
            if object(&value, report) { Read::Document(bytes) } else { Read::Other }
        }
        Some(Err(error)) if error.is_eof() => Read::Incomplete(0),
        _ => Read::Other,
    }
}

/// Reads the elements of a list one by one, so that those of a truncated list count.
fn read_elements(list: &str, report: &mut Report) -> Read {
    let mut rest = list;
    let mut any = false;
    loop {
        let body = rest.trim_start();
        let bytes = list.len() - body.len();
        if body.is_empty() {
            return Read::Incomplete(bytes);
        }
        if body.starts_with(']') {
            return Read::Document(bytes + 1);
        }
        let body = if any { body.strip_prefix(',').unwrap_or(body) } else { body };
        let mut values = Deserializer::from_str(body).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                if !object(&value, report) && !any {
                    return Read::Other;
                }
                any = true;
                rest = &body[values.byte_offset()..];
            }
            Some(Err(error)) if error.is_eof() => {
                // The rest is a partial element, which no other reader understands.
                return Read::Incomplete(if any { list.len() } else { 0 });
            }
            _ if any => return Read::Document(list.len() - body.len()),
            _ => return Read::Other,
        }
    }
}

/// Reads one object; false if it is not of a known tool's format.
fn object(value: &Value, report: &mut Report) -> bool {
    let has = |key: &str| value.get(key).is_some();
    if has("reason") {
        // Cargo prints other messages besides the compiler's.
        value.get("message").into_iter().for_each(|message| rustc::read(message, report));
    } else if has("spans") && has("level") {
        rustc::read(value, report);
    } else if has("$message_type") {
        // Also from rustc: an artifact notification.
    } else if has("runs") {
        sarif::read(value, report);
    } else if has("generalDiagnostics") {
        pyright::read(value, report);
    } else if has("filePath") && has("messages") {
        eslint::read(value, report);
    } else if has("filename") && has("location") {
        ruff::read(value, report);
    } else if has("kind") && has("locations") {
        gcc::read(value, report);
    } else if has("file") && has("line") && has("message") {
        mypy::read(value, report);
    } else {
        return false;
    }
    true
}
