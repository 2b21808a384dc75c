//! Reads the file, and the reply on standard input.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;

use super::failure::Failure;
use crate::cli::limits::{FILE_BYTES, REPLY_BYTES};
use crate::cli::terminal;
use crate::edit::Refusal;
use crate::workspace::read_text;

pub(super) fn read_file(file: &Path) -> Result<String, Failure> {
    Ok(read_text(file, FILE_BYTES)?)
}

/// Reads the reply from standard input.
pub(super) fn read_reply() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    terminal::input("the model's reply")
        .take(REPLY_BYTES + 1)
        .read_to_end(&mut bytes)
        .context("cannot read the reply")?;
    if bytes.len() as u64 > REPLY_BYTES {
        return Err(
            Refusal::TooLarge { what: "the reply has more bytes", limit: REPLY_BYTES as usize }.into()
        );
    }
    if bytes.contains(&0) {
        return Err(Refusal::NotText { what: "the reply" }.into());
    }
    String::from_utf8(bytes).map_err(|_| Refusal::NotText { what: "the reply" }.into())
}
