//! What a model is asked.

use std::borrow::Cow;
use std::time::Duration;

use crate::config::FimDialect;

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

    /// What a model reads of it, in order: of code at a cursor if that is asked for in a form of its own.
    pub(super) fn read_bytes(&self, code_dialect: Option<FimDialect>) -> Vec<u8> {
        let parts: Vec<&str> = match (&self.fim, code_dialect) {
            (Some(fim), Some(FimDialect::Continuation)) => vec![&fim.prefix],
            (Some(fim), Some(_)) => {
                let extra = fim.extra.iter().flat_map(|(path, text)| [path.as_str(), text.as_str()]);
                extra.chain([fim.prefix.as_str(), fim.suffix.as_str()]).collect()
            }
            _ => vec![&self.instructions, &self.input],
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
        if self.stable > 0 {
            less.input.drain(..self.stable);
            less.stable = 0;
        }
        (less != *self).then_some(less)
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
    /// Ghost text that the user asked for, and waits for. Where the model refuses for now, what else there is at once
    /// is worth more than its answer later.
    Invoked,
    /// An explicit request: the user waits for it.
    Asked,
    /// Long work that was asked for explicitly, while the user does something else.
    Deep,
}
