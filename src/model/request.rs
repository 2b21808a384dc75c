//! Requests to models.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::config::{EditDialect, Endpoint, FimDialect, Wire};

/// One request to a model. Plain data: each wire renders it in its own dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The instructions, equal for all requests of a job: `instructions`, or a system message.
    pub instructions: Cow<'static, str>,
    /// The context, as one user message.
    pub input: String,
    /// Number of bytes at the beginning of `input` that stay the same in later requests about this
    /// file, such as its path and outline; 0 if none. The part that caches and base responses hold.
    pub stable: usize,
    /// The same request for endpoints that fill in the middle of a text; `None` for other kinds of
    /// requests.
    pub fim: Option<Fim>,
    /// The same request for models trained to predict edits.
    ///
    /// One prompt per dialect; empty for other kinds of requests.
    pub edits: Vec<EditPrompt>,
    /// The same request for language servers, which get the whole document; `None` for other kinds of requests.
    pub document: Option<Box<OpenDocument>>,
    /// Text that the answer is expected to mostly repeat, for models with predicted outputs.
    pub prediction: Option<String>,
    /// Stop sequences: the answer ends before any of these.
    pub stop: Vec<String>,
    /// Maximum number of output tokens. Reaching it is a regular end, marked in
    /// [`Usage`](super::Usage).
    pub max_output_tokens: u32,
    /// The cache key, equal for requests whose inputs begin alike: one per file.
    pub cache_key: String,
    /// The kind of work, for statistics.
    pub job: &'static str,
    /// The number of the session that asks, of those that share connections; 0 if none are shared.
    pub asker: u64,
    /// The id of the trace that the request belongs to, a random number; 0 for none.
    pub trace: u128,
    /// The urgency, which determines how failures are handled.
    pub urgency: Urgency,
    /// How long a slow model is expected to be silent while it reads; zero for other models.
    pub silence: Duration,
    /// What lasts until the wire is done with the request.
    pub claim: Claim,
}

/// What a running request claims, such as a part of a budget.
///
/// It ends with the last copy of the request: an abandoned answer may go on, and is counted, after its reader has gone.
#[derive(Debug, Clone, Default)]
pub struct Claim {
    _what: Option<Arc<dyn Any + Send + Sync>>,
    /// Input tokens that it probably takes: what is counted if the server names no number.
    pub(super) input_tokens: u64,
}

impl Claim {
    pub(super) fn of<T: Send + Sync + 'static>(what: &Arc<T>, input_tokens: u64) -> Self {
        Self { _what: Some(Arc::<T>::clone(what)), input_tokens }
    }
}

/// A claim is no part of what is asked.
impl PartialEq for Claim {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Claim {}

impl Request {
    /// An upper bound of the answer's length in bytes, if its server respects `max_output_tokens`:
    /// no token is that long.
    pub(super) fn longest_answer(&self) -> usize {
        const SHORTEST: usize = 64 * 1024;
        const OF_A_TOKEN: usize = 64;
        usize::try_from(self.max_output_tokens).unwrap_or(usize::MAX).saturating_mul(OF_A_TOKEN).max(SHORTEST)
    }

    /// The same request with another limit of output tokens.
    pub(super) fn with_output(&self, max_output_tokens: u32) -> Self {
        Self { max_output_tokens, ..self.clone() }
    }

    pub(super) fn kind(&self) -> RequestKind {
        if self.fim.is_some() || self.document.is_some() {
            RequestKind::Completion
        } else if self.edits.is_empty() {
            RequestKind::Instruction
        } else {
            RequestKind::NextEdit
        }
    }

    /// The form of the request for an endpoint's model.
    ///
    /// Code at a cursor may have another dialect than the wire's.
    pub(super) fn form(&self, endpoint: &Endpoint, code_dialect: Option<FimDialect>) -> Form<'_> {
        if let (Wire::Lsp, Some(document)) = (endpoint.wire, &self.document) {
            return Form::Document(document);
        }
        let edit = endpoint.edit_dialect.and_then(|it| self.edits.iter().find(|edit| edit.dialect == it));
        match (edit, &self.fim, code_dialect) {
            (Some(edit), ..) => Form::Edit(edit),
            (None, Some(fim), Some(dialect)) => Form::Fim(fim, dialect),
            _ => Form::Text,
        }
    }

    /// The bytes that a model reads of one form of the request, in order.
    pub(super) fn read_bytes(&self, form: Form<'_>) -> Vec<u8> {
        let parts: Vec<&str> = match form {
            Form::Edit(EditPrompt { head, quoted, tail, .. }) => vec![head, quoted, tail],
            Form::Fim(fim, FimDialect::Continuation) => vec![&fim.prefix],
            Form::Fim(fim, _) => {
                let extra = fim.extra.iter().flat_map(|(path, text)| [path.as_str(), text.as_str()]);
                extra.chain([fim.prefix.as_str(), fim.suffix.as_str()]).collect()
            }
            Form::Document(document) => vec![&document.before, &document.after],
            Form::Text => vec![&self.instructions, &self.input],
        };
        parts.concat().into_bytes()
    }

    /// The same request with less context; `None` if nothing can be left out.
    pub(super) fn with_less_context(&self) -> Option<Self> {
        let mut less = self.clone();
        if let Some(Fim { prefix, suffix, .. }) = &mut less.fim {
            // The text nearest to the cursor matters most.
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

/// A kind of request, by the ability that a model needs for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// Completing a text at a position.
    Completion,
    /// Predicting edits.
    NextEdit,
    /// Following instructions.
    Instruction,
}

/// One form of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form<'a> {
    /// The prompt of a model trained to predict edits.
    Edit(&'a EditPrompt),
    /// Code at a cursor.
    Fim(&'a Fim, FimDialect),
    /// A document and the cursor in it.
    Document(&'a OpenDocument),
    /// Instructions and input.
    Text,
}

/// A prompt for models trained to predict edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditPrompt {
    /// The dialect of the prompt.
    pub dialect: EditDialect,
    /// The part before the lines of other files.
    pub head: String,
    /// Lines of other files.
    pub quoted: String,
    /// The part after the lines of other files.
    pub tail: String,
    /// Stop sequences: the answer ends before any of these.
    pub stop: Vec<String>,
}

impl EditPrompt {
    /// The whole prompt.
    pub fn text(&self) -> String {
        [self.head.as_str(), &self.quoted, &self.tail].concat()
    }
}

/// A text with a gap to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fim {
    /// The text before the gap.
    pub prefix: String,
    /// The text after the gap.
    pub suffix: String,
    /// The file's path as shown to a model.
    pub path: String,
    /// Lines of other files: the path as shown, and the lines.
    pub extra: Vec<(String, String)>,
    /// Whether the user wants an alternative to the likeliest answer.
    pub is_variant: bool,
}

/// A document as a language server is told of it, and the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDocument {
    /// The document's URI.
    pub uri: String,
    /// The editor's `languageId`.
    pub language_id: String,
    /// The text before the cursor.
    pub before: String,
    /// The text after the cursor.
    pub after: String,
    /// Whether the user wants an alternative to the likeliest answer, which language servers are not asked for.
    pub is_variant: bool,
}

/// The urgency of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Urgency {
    /// Ghost text while the user types. A late answer is worthless, so nothing is retried after a
    /// wait.
    Typing,
    /// Ghost text that the user asked for and waits for.
    ///
    /// If the model refuses for now, an immediate alternative is worth more than a late answer.
    Invoked,
    /// An explicit request that the user waits for.
    Asked,
    /// Explicitly requested long work, while the user does something else.
    Deep,
}
