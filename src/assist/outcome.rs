//! The result of a job, its origin, and model errors as reasons for failure.

use std::borrow::Cow;

use crate::edit::{Edit, Flag};
use crate::job::{Job, Reason};
use crate::model::identity::shown;
use crate::model::{ModelError, Usage};
use crate::route::{Decision, Gear};

/// The gear and model that made a result, and the usage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The gear that the job was routed to.
    pub gear: Gear,
    /// The reason for that gear.
    pub reason: Cow<'static, str>,
    /// The model that answered, as named by its server.
    ///
    /// `None` for the local engine, and if the stream was cut before the server named the model.
    pub model: Option<String>,
    /// The tokens that the answer took; empty if the stream was cut once it sufficed.
    pub usage: Usage,
}

impl Origin {
    /// The origin of a routed result.
    pub(super) fn new(decision: Decision, usage: Usage) -> Self {
        let model = usage.model.as_deref().map(|it| shown(it).to_owned());
        Self { gear: decision.gear, reason: decision.reason, model, usage }
    }

    /// The origin of a result that the local engine made by rule, without routing.
    pub fn local(reason: &'static str) -> Self {
        Self { gear: Gear::Local, reason: reason.into(), model: None, usage: Usage::default() }
    }

    /// The origin of a result that a fast model made before it was requested.
    pub fn ahead(model: Option<String>) -> Self {
        Self {
            gear: Gear::Fast,
            reason: "made before it was asked for".into(),
            model,
            usage: Usage::default(),
        }
    }

    /// Logs which model answered, and its usage.
    pub(super) fn log(&self, job: Job) {
        tracing::debug!(
            job = job.name(),
            gear = %self.gear,
            model = self.model.as_deref().unwrap_or("none"),
            input_tokens = self.usage.input_tokens,
            cached_tokens = self.usage.cached_tokens,
            output_tokens = self.usage.output_tokens,
            "answered"
        );
    }
}

/// Ghost text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The text to insert at the cursor.
    pub text: String,
    /// Bytes of `text` to show first; the rest is shown once they are accepted.
    pub shown: usize,
    /// Whether it is less certain than required, and shown only because the request was explicit.
    pub is_doubtful: bool,
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The smallest edits, in bytes of the snapshot's document.
    pub edits: Vec<Edit>,
    /// Warnings that the user should read before relying on the edits.
    pub flags: Vec<Flag>,
}

impl From<ModelError> for Reason {
    fn from(error: ModelError) -> Self {
        match (&error, error.remedy()) {
            (ModelError::Capped(why), _) => Self::Capped(why.clone()),
            (ModelError::Garbled(touched), _) => Self::Unusable { code: "secret", why: touched.to_string() },
            (_, Some(remedy)) => Self::Model(format!("{error}; {remedy}")),
            (_, None) => Self::Model(error.to_string()),
        }
    }
}
