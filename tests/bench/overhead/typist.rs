//! A typist in one open file: makes the changes and keeps the resulting text.

use std::collections::VecDeque;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::source::{self, Source};

/// The mark of the cursor in a prompt.
const CURSOR: &str = "<|cursor|>";

/// One open file, its cursor, and the text typed since the last pass began.
pub(crate) struct Typist {
    uri: String,
    language: &'static str,
    comment: &'static str,
    text: String,
    version: i32,
    /// The position at which typing begins: the end of a statement inside a function; and that line's text.
    home: (u32, u32),
    home_line: String,
    indent: String,
    cursor: (u32, u32),
    typed: String,
    passes: usize,
    statements: usize,
    keys: VecDeque<String>,
}

impl Typist {
    /// A typist in the middle of a source, which must be ASCII so that a column is the same in every encoding.
    pub(crate) fn new(uri: String, source: Source) -> Result<Self> {
        let Source { language, comment, text, .. } = source;
        let (line, content) = source::line_to_type_after(&text).context("the source has no statement")?;
        let home_line = content.to_owned();
        let indent = home_line.chars().take_while(|character| *character == ' ').collect();
        let home = (line, columns(&home_line));
        Ok(Self {
            uri,
            language,
            comment,
            text,
            version: 1,
            home,
            home_line,
            indent,
            cursor: home,
            typed: String::new(),
            passes: 0,
            statements: 0,
            keys: VecDeque::new(),
        })
    }

    /// The `didOpen` parameters of the file before any typing.
    pub(crate) fn open(&self) -> Value {
        json!({ "textDocument": {
            "uri": self.uri, "languageId": self.language, "version": self.version, "text": self.text,
        }})
    }

    /// The parameters of a completion at the cursor.
    ///
    /// Sent as an explicit request, which is not delayed until typing pauses.
    pub(crate) fn completion(&self) -> Value {
        self.completion_as(1)
    }

    /// The same with a trigger kind of the protocol: 1 for an explicit request, 2 for an automatic one.
    pub(crate) fn completion_as(&self, trigger: u32) -> Value {
        json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "position": position(self.cursor),
            "context": { "triggerKind": trigger },
        })
    }

    /// Deletes the typed text and begins again below a comment that is new in each pass, so that no suggestion cached
    /// in an earlier pass fits. One change.
    pub(crate) fn begin_pass(&mut self) -> Value {
        self.passes += 1;
        self.keys.clear();
        let range = json!({ "start": position(self.home), "end": position(self.cursor) });
        self.cursor = self.home;
        self.typed.clear();
        let text = format!("\n{0}{1} Pass {2}.\n{0}", self.indent, self.comment, self.passes);
        self.insert(&text, range)
    }

    /// The next key of a statement with a unique end.
    ///
    /// The statement is one name, so that the rest of any name is valid after each of its keys.
    pub(crate) fn next_key(&mut self) -> Value {
        if self.keys.is_empty() {
            self.statements += 1;
            let (this, last) = (self.statements, self.statements - 1);
            let statement = format!("side_{this}_of_width_or_of_side_{last}_by_{};", this % 17);
            self.keys.extend(statement.chars().map(String::from));
            // An editor sends the line end and the indentation that it inserts as one change.
            self.keys.push_back(format!("\n{}", self.indent));
        }
        let key = self.keys.pop_front().unwrap_or_default();
        self.press(&key)
    }

    /// One change: `key` typed at the cursor.
    pub(crate) fn press(&mut self, key: &str) -> Value {
        let range = json!({ "start": position(self.cursor), "end": position(self.cursor) });
        self.insert(key, range)
    }

    /// The text typed in this pass, from the end of the line before it up to the cursor.
    pub(crate) fn typed(&self) -> &str {
        &self.typed
    }

    /// Checks that a prompt was built from exactly the current text: the prompt contains the line before the pass and
    /// the typed text contiguously, followed by the next line of the file. Recent edits may show them before the code.
    pub(crate) fn is_in(&self, prompt: &str) -> bool {
        let before = format!("{}{}", self.home_line, self.typed);
        let next = self.text.lines().nth(self.home.0 as usize + 1).unwrap_or_default();
        let follows = |start: usize| {
            let after = &prompt[start + before.len()..];
            let after = after.strip_prefix(CURSOR).unwrap_or(after);
            after.trim_start().starts_with(next.trim())
        };
        prompt.match_indices(&before).any(|(start, _)| follows(start))
    }

    fn insert(&mut self, text: &str, range: Value) -> Value {
        self.version += 1;
        self.typed.push_str(text);
        match text.rsplit_once('\n') {
            None => self.cursor.1 += columns(text),
            Some((before, last)) => {
                self.cursor.0 += 1 + before.matches('\n').count() as u32;
                self.cursor.1 = columns(last);
            }
        }
        json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "contentChanges": [{ "range": range, "text": text }],
        })
    }
}

fn columns(line: &str) -> u32 {
    u32::try_from(line.len()).unwrap_or(u32::MAX)
}

fn position((line, character): (u32, u32)) -> Value {
    json!({ "line": line, "character": character })
}
