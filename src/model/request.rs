//! What a model is asked.

use std::borrow::Cow;
use std::time::Duration;

use crate::config::{EditDialect, Endpoint, FimDialect};

/// One question to a model. Plain data: each wire renders it in its own dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What is asked, the same for all requests of a job: `instructions`, or a system
    /// message.
    pub instructions: Cow<'static, str>,
    /// The context, as one user message.
    pub input: String,
    /// Bytes at the beginning of `input` that stay the same from one request about this
    /// file to the next, such as its path and outline. 0 if nothing does. What caches and
    /// base responses hold.
    pub stable: usize,
    /// The same question for endpoints that fill in the middle of a text; `None` if it is
    /// another kind of question.
    pub fim: Option<Fim>,
    /// The same question for models that were trained to predict edits.
    ///
    /// It is there once for each of their forms; none if it is another kind of question.
    pub edits: Vec<EditPrompt>,
    /// Text that much of the answer is expected to repeat, for models that take predicted
    /// outputs.
    pub prediction: Option<String>,
    /// The answer ends before any of these.
    pub stop: Vec<String>,
    /// Tokens that the answer may have at most. Reaching it is an end like any other,
    /// marked in [`Usage`](super::Usage).
    pub max_output_tokens: u32,
    /// The same for requests whose inputs begin alike: one per file.
    pub cache_key: String,
    /// The kind of work, for those who count requests.
    pub job: &'static str,
    /// The trace that it belongs to, a random number; 0 for none.
    pub trace: u128,
    /// How urgent it is, which decides what is done when something goes wrong.
    pub urgency: Urgency,
    /// How long a slow model is expected to be silent while it reads; zero for others.
    pub silence: Duration,
}

impl Request {
    /// Bytes of text that an answer has at most if its server keeps to
    /// `max_output_tokens`: no token is that long.
    pub(super) fn longest_answer(&self) -> usize {
        const SHORTEST: usize = 64 * 1024;
        const OF_A_TOKEN: usize = 64;
        usize::try_from(self.max_output_tokens).unwrap_or(usize::MAX).saturating_mul(OF_A_TOKEN).max(SHORTEST)
    }

    /// The same question, for an answer of so many tokens at most.
    pub(super) fn with_output(&self, max_output_tokens: u32) -> Self {
        Self { max_output_tokens, ..self.clone() }
    }

    /// What kind of question it is.
    pub(super) fn kind(&self) -> RequestKind {
        if self.fim.is_some() {
            RequestKind::Completion
        } else if self.edits.is_empty() {
            RequestKind::Instruction
        } else {
            RequestKind::NextEdit
        }
    }

    /// The question in the form of an endpoint's model.
    ///
    /// The model may be asked for code at a cursor in a form of its own.
    pub(super) fn form(&self, endpoint: &Endpoint, code_dialect: Option<FimDialect>) -> Form<'_> {
        let edit = endpoint.edit_dialect.and_then(|it| self.edits.iter().find(|edit| edit.dialect == it));
        match (edit, &self.fim, code_dialect) {
            (Some(edit), ..) => Form::Edit(edit),
            (None, Some(fim), Some(dialect)) => Form::Fim(fim, dialect),
            _ => Form::Text,
        }
    }

    /// What a model reads of it in one of its forms, in order.
    pub(super) fn read_bytes(&self, form: Form<'_>) -> Vec<u8> {
        let parts: Vec<&str> = match form {
            Form::Edit(EditPrompt { head, quoted, tail, .. }) => vec![head, quoted, tail],
            Form::Fim(fim, FimDialect::Continuation) => vec![&fim.prefix],
            Form::Fim(fim, _) => {
                let extra = fim.extra.iter().flat_map(|(path, text)| [path.as_str(), text.as_str()]);
                extra.chain([fim.prefix.as_str(), fim.suffix.as_str()]).collect()
            }
            Form::Text => vec![&self.instructions, &self.input],
        };
        parts.concat().into_bytes()
    }

    /// The same question with less context; `None` if there is none to leave out.
    pub(super) fn with_less(&self) -> Option<Self> {
        let mut less = self.clone();
        if let Some(Fim { prefix, suffix, .. }) = &mut less.fim {
            // What is nearest to the cursor counts most.
            let from = (prefix.len() / 2..=prefix.len()).find(|at| prefix.is_char_boundary(*at))?;
            prefix.drain(..from);
            let to = (0..=suffix.len() / 2).rev().find(|at| suffix.is_char_boundary(*at))?;
            suffix.truncate(to);
        }
        for edit in &mut less.edits {
            edit.quoted.clear();
        }
        if self.stable > 0 {
            less.input.drain(..self.stable);
            less.stable = 0;
        }
        (less != *self).then_some(less)
    }
}

/// A kind of question, by what a model has to be able to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// To go on with a text at a place in it.
    Completion,
    /// To predict edits.
    NextEdit,
    /// To do what it is told.
    Instruction,
}

/// A question in one of its forms.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form<'a> {
    /// For models that were trained to predict edits.
    Edit(&'a EditPrompt),
    /// As code at a cursor.
    Fim(&'a Fim, FimDialect),
    /// Instructions and an input.
    Text,
}

/// A prompt for models that were trained to predict edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditPrompt {
    /// The form that it is in.
    pub dialect: EditDialect,
    /// What comes before lines of other files.
    pub head: String,
    /// Lines of other files.
    pub quoted: String,
    /// What comes after them.
    pub tail: String,
    /// The answer ends before any of these.
    pub stop: Vec<String>,
}

impl EditPrompt {
    /// The whole text.
    pub fn text(&self) -> String {
        [self.head.as_str(), &self.quoted, &self.tail].concat()
    }
}

/// A text with a hole in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fim {
    /// The text before the hole.
    pub prefix: String,
    /// The text after the hole.
    pub suffix: String,
    /// The file's path as shown to a model.
    pub path: String,
    /// Lines of other files: the path of each as shown, and its lines.
    pub extra: Vec<(String, String)>,
    /// Whether another answer is wanted than the likeliest one.
    pub is_variant: bool,
}

/// How urgent an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Urgency {
    /// Ghost text while the user types. A late answer is worthless, so nothing is waited
    /// for.
    Typing,
    /// Ghost text that the user asked for, and waits for.
    ///
    /// Where the model refuses for now, what else there is at once is worth more than its answer later.
    Invoked,
    /// An explicit request: the user waits for it.
    Asked,
    /// Long work that was asked for explicitly, while the user does something else.
    Deep,
}
