//! The jobs, one file each: from a snapshot to a result, or a reason why there is none.

mod comment;
mod complete;
mod instruct;
mod sound;
pub mod target;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use crate::document::Document;
use crate::edit::reply::Flag;
use crate::edit::{Edit, Refusal};
use crate::job::{Outcome, Reason};
use crate::model::{Model, Request, Urgency, Usage};
use crate::prompt::Prompt;
use crate::route::{Decision, Gear};
use crate::snapshot::Snapshot;
use target::Target;

/// Does the jobs. Holds the models and nothing about any file.
#[derive(Clone)]
pub struct Assist {
    fast: Option<Arc<dyn Model>>,
}

/// A prompt as a request. Its cache key says which file it is about and nothing else: providers take 64 characters at
/// most, and a path is nobody's business.
fn request(prompt: Prompt, urgency: Urgency, decision: &Decision, document: &Document) -> Request {
    let mut hasher = DefaultHasher::new();
    document.id().hash(&mut hasher);
    Request {
        instructions: prompt.instructions.into(),
        input: prompt.input,
        stable: prompt.stable,
        fim: None,
        prediction: None,
        stop: Vec::new(),
        max_output_tokens: decision.max_output_tokens,
        cache_key: format!("tandem-{:016x}", hasher.finish()),
        urgency,
    }
}

/// A refusal of the edit engine, as the reason that the user gets.
fn refused(refusal: &Refusal) -> Reason {
    Reason::Refused { code: refusal.code(), why: refusal.to_string() }
}

/// Who made a result, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The gear that it went to.
    pub gear: Gear,
    /// Why that gear.
    pub reason: &'static str,
    /// The model that answered, in the server's own words, if it came to say so: not for the local engine, nor where
    /// enough was there before the end.
    pub model: Option<String>,
    /// What the answer took; empty if the stream was cut once enough was there.
    pub usage: Usage,
}

/// Ghost text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What to insert at the cursor.
    pub text: String,
    /// Who made it.
    pub origin: Origin,
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The smallest edits, in bytes of the snapshot's document.
    pub edits: Vec<Edit>,
    /// What the user should know about them before they are relied on.
    pub flags: Vec<Flag>,
    /// Who made it.
    pub origin: Origin,
}

impl Assist {
    /// Uses this model for fast work; without one, the local engine does it.
    pub fn new(fast: Option<Arc<dyn Model>>) -> Self {
        Self { fast }
    }

    /// Gets the models ready in the background.
    pub fn warm(&self) {
        if let Some(model) = &self.fast {
            model.warm();
        }
    }

    /// The fast model's configured name, if there is one.
    pub fn fast_model(&self) -> Option<&str> {
        self.fast.as_deref().map(Model::name)
    }

    /// Ghost text at the byte `cursor`.
    pub async fn complete(&self, snapshot: &Snapshot, cursor: usize) -> Outcome<Suggestion> {
        complete::run(self.fast.as_deref(), snapshot, cursor).await
    }

    /// The target's code, changed as `instruction` says. The comment that held the instruction goes.
    pub async fn rewrite(&self, snapshot: &Snapshot, target: &Target, instruction: &str) -> Outcome<Rewrite> {
        instruct::run(self.fast.as_deref(), snapshot, target, instruction).await
    }
}
