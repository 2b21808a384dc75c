//! The prompts that the model was shown, compared with the editor's text at the time of the request.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde_json::Value;
use tandem::context::complete::{AFTER_BYTES, BEFORE_BYTES};
use tandem::prompt::{self, ParsedPrompt};

use crate::report::Report;
use crate::text::Text;

/// Code units kept on either side of a cursor: more than a prompt ever shows.
const KEPT: usize = 12 * 1024;

/// The text around a cursor at which ghost text was requested.
struct Asked {
    before: String,
    after: String,
    /// Whether the file begins with `before` and ends with `after`.
    whole: bool,
}

/// The prompt that is expected for a rewrite by this instruction.
struct Instructed {
    file: String,
    /// The file's text, without the instruction's comment.
    text: String,
    /// Whether the range is exactly the text.
    audit: bool,
    seen: bool,
}

#[derive(Default)]
pub(crate) struct Prompts {
    records: Vec<(PathBuf, u64)>,
    asked: HashMap<String, Vec<Asked>>,
    instructed: HashMap<String, Instructed>,
}

impl Prompts {
    /// Adds another record of frames to read.
    pub(crate) fn add_record(&mut self, path: PathBuf) {
        self.records.push((path, 0));
    }

    /// Expects a prompt for ghost text at `cursor` of `text`.
    pub(crate) fn expect_completion(&mut self, file: &str, text: &Text, cursor: usize) {
        let start = text.cursor_at(cursor.saturating_sub(KEPT));
        let end = text.cursor_at(cursor + KEPT);
        let asked = Asked {
            before: text.slice(start..cursor),
            after: text.slice(cursor..end),
            whole: start == 0 && end == text.len(),
        };
        self.asked.entry(file.to_owned()).or_default().push(asked);
    }

    /// Expects a prompt for a rewrite of a part of `text`, or, for an audit, of exactly `text`.
    pub(crate) fn expect_rewrite(&mut self, instruction: &str, file: &str, text: String, audit: bool) {
        let instructed = Instructed { file: file.to_owned(), text, audit, seen: false };
        self.instructed.insert(instruction.to_owned(), instructed);
    }

    /// Whether the model saw this instruction.
    pub(crate) fn has_seen(&self, instruction: &str) -> bool {
        self.instructed.get(instruction).is_some_and(|it| it.seen)
    }

    /// Checks the frames recorded since the last call.
    pub(crate) fn follow(&mut self, report: &mut Report) -> Result<()> {
        for record in 0..self.records.len() {
            let (path, offset) = &mut self.records[record];
            let mut file = File::open(&*path).with_context(|| format!("no record {}", path.display()))?;
            file.seek(SeekFrom::Start(*offset))?;
            let mut new = Vec::new();
            file.read_to_end(&mut new)?;
            let whole = new.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            *offset += whole as u64;
            for line in new[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let frame: Value = serde_json::from_slice(line).context("a frame that is no JSON")?;
                self.check(&frame, report);
            }
        }
        Ok(())
    }

    fn check(&mut self, frame: &Value, report: &mut Report) {
        let input = frame.pointer("/input/0/content/0/text").and_then(Value::as_str).unwrap_or_default();
        match prompt::read(input) {
            Some(ParsedPrompt::Completion { path, before, after, .. }) => {
                report.count("prompts: completion");
                let fits = before.len() <= BEFORE_BYTES && after.len() <= AFTER_BYTES;
                report
                    .check(fits, || format!("{path}: a prompt of {} + {} bytes", before.len(), after.len()));
                let asked = self.asked.get(&path).map_or(&[][..], Vec::as_slice);
                // The newest requests are the likeliest.
                let known = asked.iter().rev().any(|asked| asked.shows(&before, &after));
                report.check(known, || {
                    let nearest = asked.iter().max_by_key(|it| it.agreement(&before, &after));
                    let nearest = nearest.map(|it| it.around(it.agreement(&before, &after)));
                    let (before, after) = (tail(&before, 300), head(&after, 200));
                    format!(
                        "{path}: a prompt shows a text that was at no cursor: {before:?} | {after:?}; the nearest of \
                         {} agrees in {nearest:?}",
                        asked.len()
                    )
                });
            }
            // The typist does not request these.
            Some(ParsedPrompt::NextEdit { path, .. } | ParsedPrompt::Fix { path, .. }) => {
                report.fail(format!("{path}: a prompt for a next edit or a fix, which was not requested"));
            }
            Some(ParsedPrompt::Rewrite { path, before, range, after, instruction, .. }) => {
                report.count("prompts: rewrite");
                let Some(asked) = self.instructed.get_mut(&instruction) else {
                    report.fail(format!("{path}: a prompt with an unknown instruction: {instruction:?}"));
                    return;
                };
                asked.seen = true;
                let shown = format!("{before}{range}{after}");
                let same = if asked.audit { asked.text == range } else { asked.text.contains(&shown) };
                report.check(same && asked.file == path, || {
                    let at = difference(&asked.text, &range);
                    let (ours, theirs) = (around(&asked.text, at), around(&range, at));
                    let audit = asked.audit;
                    format!("{path}: {instruction} (audit: {audit}) shows another text; ours at byte {at}: {ours:?}, the server's: {theirs:?}")
                });
            }
            Some(ParsedPrompt::Question { question, .. }) => {
                report.fail(format!("a question that was not put: {question:?}"));
            }
            None => report.fail(format!("a frame that cannot be read: {}", head(&frame.to_string(), 400))),
        }
    }
}

impl Asked {
    fn shows(&self, before: &str, after: &str) -> bool {
        // Text that fits is shown in full.
        let fits = self.whole && self.before.len() <= BEFORE_BYTES && self.after.len() <= AFTER_BYTES;
        let complete = !fits || self.before == before && self.after == after;
        complete && self.before.ends_with(before) && self.after.starts_with(after)
    }

    /// The number of bytes that agree before and after the cursor.
    fn agreement(&self, before: &str, after: &str) -> (usize, usize) {
        let pairs = self.before.bytes().rev().zip(before.bytes().rev());
        (pairs.take_while(|(one, other)| one == other).count(), difference(&self.after, after))
    }

    /// The text where the agreement ends, for a message.
    fn around(&self, (before, after): (usize, usize)) -> String {
        let end = self.before.len() - before;
        format!(
            "{before} of {} bytes {:?} | {after} of {} bytes {:?}",
            self.before.len(),
            around(&self.before, end),
            self.after.len(),
            around(&self.after, after)
        )
    }
}

/// The offset of the first byte at which two texts differ.
fn difference(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

fn around(text: &str, byte: usize) -> &str {
    let start = floor(text, byte.saturating_sub(80));
    &text[start..floor(text, byte + 120)]
}

fn head(text: &str, bytes: usize) -> &str {
    &text[..floor(text, bytes)]
}

fn tail(text: &str, bytes: usize) -> &str {
    &text[floor(text, text.len().saturating_sub(bytes))..]
}

fn floor(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}
