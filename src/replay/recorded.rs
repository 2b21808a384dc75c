//! A recorded request for ghost text.

use std::ops::Range;

use ropey::Rope;

use crate::assist::CompletionParams;
use crate::config::Eagerness;
use crate::record::{AnswerEntry, Inputs};
use crate::text::ident;

/// A request for ghost text, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedCompletion {
    /// When it was sent, in milliseconds since 1970.
    pub time: u64,
    /// When its session began: a period of a server without a pause of ten minutes.
    pub session: u64,
    /// The URI of the workspace folder.
    pub root_uri: String,
    /// The version of the program that recorded it.
    pub program: String,
    /// The path of the file, as shown.
    pub path: String,
    /// The editor's id for the language.
    pub language: String,
    /// The text that it was for.
    pub text: Rope,
    /// The byte offset in it.
    pub cursor: usize,
    /// The model, by its name in the configuration.
    pub model: String,
    /// The prompt: instructions, input, the text before and after the cursor, and the limit of the answer.
    pub instructions: String,
    /// See `instructions`.
    pub input: String,
    /// See `instructions`.
    pub fim: Option<(String, String)>,
    /// See `instructions`.
    pub max_tokens: u32,
    /// What it depends on besides.
    pub inputs: Inputs,
    /// The bytes of the text that were tried for the prompt, largest first: a slow model got the last.
    pub windows: Vec<Range<usize>>,
    /// The answer, which ended as `done`, `truncated`, `abandoned` or `failed`.
    pub answer: AnswerEntry,
    /// The result.
    pub result: RecordedResult,
    /// What was typed at the cursor until the text settled; `None` if that is not known.
    pub written: Option<String>,
}

/// The result of a completion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedResult {
    /// `shown`, or the code of the reason for showing nothing.
    pub code: String,
    /// The suggestion.
    pub text: Option<String>,
    /// UTF-16 units of it to show first.
    pub shown: usize,
    /// Whether it is less certain than required, and shown only because it was requested explicitly.
    pub is_doubtful: bool,
}

impl RecordedCompletion {
    /// The parameters of the request.
    pub fn params(&self) -> CompletionParams {
        let Inputs { variant, explicit, eagerness, .. } = &self.inputs;
        CompletionParams {
            cursor: self.cursor,
            eagerness: Eagerness::by_name(eagerness).unwrap_or_default(),
            variant: *variant,
            invoked: *explicit,
            not_before: None,
        }
    }

    /// The answer, with the words completed that it begins and ends in.
    pub(super) fn answer_in_words(&self) -> String {
        let cursor = self.text.byte_to_char(self.cursor);
        let line = self.text.char_to_line(cursor);
        let before = self.text.slice(self.text.line_to_char(line)..cursor).to_string();
        let after = self.text.slice(cursor..).lines().next().map(|it| it.to_string()).unwrap_or_default();
        let answer: String = self.answer.chunks.iter().map(|(_, text)| text.as_str()).collect();
        [ident::last_partial(&before), &answer, ident::first_partial(&after)].concat()
    }
}
