//! The jobs, one file each: from a snapshot to a result, or a reason why there is none.

mod comment;
mod complete;
mod confidence;
mod excerpt;
mod fix;
mod instruct;
mod names;
mod next_edit;
mod predictions;
mod sealed;
mod sound;
pub mod target;

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use crate::config::Privacy;
use crate::context;
use crate::document::{Document, DocumentId};
use crate::edit::reply::Flag;
use crate::edit::{Edit, Refusal};
use crate::index::Index;
use crate::job::{Job, Outcome, Reason};
use crate::model::{ErrorKind, Model, ModelError, Request, Urgency, Usage};
use crate::privacy::{ModelAccess, Verdict};
use crate::prompt::{self, Prompt};
use crate::route::{Availability, Decision, Facts, Gear, route};
use crate::snapshot::{Diagnostic, Snapshot};
pub use complete::{Listener, Question};
pub use fix::{CertainFix, certain_fix};
pub use next_edit::{Hunk, Situation};
use predictions::Predictions;
use sealed::Sealed;
pub use sealed::seal;
use target::Target;

/// Does the jobs. Holds the models and nothing about any file.
#[derive(Clone)]
pub struct Assist {
    models: Models,
    /// The names that the workspace uses.
    index: Arc<Index>,
    /// What the local engine knows of the open files.
    predictions: Predictions,
}

/// The models of the gears that have one.
#[derive(Clone, Default)]
pub struct Models {
    /// The one for what must not take long.
    pub fast: Option<Arc<dyn Model>>,
    /// The one that may think first.
    pub deep: Option<Arc<dyn Model>>,
}

impl std::fmt::Debug for Models {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |gear| self.of(gear).map(Model::name);
        f.debug_struct("Models").field("fast", &name(Gear::Fast)).field("deep", &name(Gear::Deep)).finish()
    }
}

impl Models {
    /// The model of a gear; the local engine is none.
    pub fn of(&self, gear: Gear) -> Option<&dyn Model> {
        match gear {
            Gear::Local => None,
            Gear::Fast => self.fast.as_deref(),
            Gear::Deep => self.deep.as_deref(),
        }
    }

    /// What the router is to know of them and of the file; the rest of the facts is the job's. Waits until it is known
    /// whether a model may be shown the file.
    async fn facts<'a>(&self, snapshot: &'a Snapshot) -> Facts<'a> {
        let availability = |model: Option<&dyn Model>| match model {
            None => Availability::Off,
            Some(model) if model.is_down() => Availability::Down,
            Some(_) => Availability::Ready,
        };
        let fast = self.fast.as_deref();
        Facts {
            withheld: snapshot.access.verdict().await != Verdict::Open,
            path: &snapshot.path,
            fast: availability(fast),
            deep: availability(self.deep.as_deref()),
            fast_window: fast.map_or(crate::route::FAST_WINDOW, Model::window),
            ..Facts::default()
        }
    }
}

/// A prompt as a request, with the style that the settings ask for. Its cache key says which file it is about and
/// nothing else: providers take 64 characters at most, and a path is nobody's business.
fn request(prompt: Prompt, urgency: Urgency, decision: &Decision, snapshot: &Snapshot) -> Request {
    let mut hasher = DefaultHasher::new();
    snapshot.document.id().hash(&mut hasher);
    let mut instructions = Cow::Borrowed(prompt.instructions);
    if let Some(style) = &snapshot.settings.style {
        instructions.to_mut().push_str(&prompt::style(style));
    }
    Request {
        instructions,
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

/// Why the file of a snapshot is not shown to models, for those that hear that it is not.
fn withheld(snapshot: &Snapshot) -> Reason {
    let verdict = snapshot.access.known().cloned().unwrap_or_default();
    Reason::Withheld { code: verdict.code(), why: verdict.to_string() }
}

/// Refuses a place within something that looks like a key: half of it would be shown.
fn apart_from_secrets(document: &Document, focus: Range<usize>) -> Result<(), Reason> {
    match context::secret_at(document, focus) {
        Some(kind) => {
            let why = format!("this is in the middle of {kind}, or right behind it; no model is shown that");
            Err(Reason::Refused { code: "secret", why })
        }
        None => Ok(()),
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
    pub reason: Cow<'static, str>,
    /// The model that answered, in the server's own words, if it came to say so: not for the local engine, nor where
    /// enough was there before the end.
    pub model: Option<String>,
    /// What the answer took; empty if the stream was cut once enough was there.
    pub usage: Usage,
}

/// A piece of work, as far as its route depends on it.
#[derive(Debug, Clone, Copy)]
pub enum Work<'a> {
    /// Ghost text.
    Complete,
    /// What follows from the user's last steps.
    NextEdit,
    /// A change of a piece of code.
    Rewrite {
        /// The code.
        target: &'a Target,
        /// The user's words.
        instruction: &'a str,
    },
    /// The change that a problem asks for.
    Fix {
        /// The problem.
        problem: &'a Diagnostic,
    },
}

/// Ghost text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What to insert at the cursor.
    pub text: String,
    /// How much of it to show first (bytes); the rest is for when that stands.
    pub shown: usize,
    /// Whether something speaks against it, where somebody asked by hand and is shown it all the same.
    pub is_doubtful: bool,
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

/// Why a job came to nothing when its model did not answer.
fn unanswered(error: &ModelError) -> Reason {
    use ErrorKind::{Forbidden, NotFound, Unauthorized, UnsupportedModel};
    match (error, error.kind()) {
        (ModelError::Capped { why }, _) => Reason::Capped(why.clone()),
        (ModelError::Garbled(touched), _) => Reason::Refused { code: "secret", why: touched.to_string() },
        // Another attempt fares no better: somebody has to see to it.
        (error, Unauthorized | Forbidden | NotFound | UnsupportedModel) => {
            Reason::Model(format!("{error}; `tandem doctor` says what to do"))
        }
        (error, _) => Reason::Model(error.to_string()),
    }
}

impl Assist {
    /// Works with these models; the local engine does what is left. Unless the user wants it, no model is shown what
    /// looks like a key.
    pub fn new(models: Models, privacy: &Privacy) -> Self {
        let seal = |model| if privacy.redact { Arc::new(Sealed(model)) as Arc<dyn Model> } else { model };
        let models = Models { fast: models.fast.map(seal), deep: models.deep.map(seal) };
        Self { models, index: Arc::default(), predictions: Predictions::default() }
    }

    /// The same with other models; what is known of the workspace stays.
    pub fn with(&self, models: Models, privacy: &Privacy) -> Self {
        Self {
            index: Arc::clone(&self.index),
            predictions: self.predictions.clone(),
            ..Self::new(models, privacy)
        }
    }

    /// Whether a fast model is configured and answers. It may lock the model's state.
    pub fn has_fast_model(&self) -> bool {
        self.models.fast.as_ref().is_some_and(|model| !model.is_down())
    }

    /// A file was opened: the local engine learns it, in the background, for itself and its neighbors. What no model may
    /// see is not learned, for what is learned may appear in other files.
    pub async fn opened(&self, document: &Arc<Document>, access: &ModelAccess) {
        if access.verdict().await == Verdict::Open {
            self.predictions.learn(document, 0);
        }
    }

    /// A file was closed: the local engine forgets it.
    pub fn closed(&self, id: &DocumentId) {
        self.predictions.forget(id);
    }

    /// The names that the workspace uses, to be filled by whoever knows the workspace.
    pub fn index(&self) -> &Arc<Index> {
        &self.index
    }

    /// Gets the models ready in the background.
    pub fn warm(&self) {
        for model in [&self.models.fast, &self.models.deep].into_iter().flatten() {
            model.warm();
        }
    }

    /// The name of a gear's model, if it has one.
    pub fn model_name(&self, gear: Gear) -> Option<String> {
        self.models.of(gear).map(Model::name)
    }

    /// Ghost text. The listener hears of it while it is written.
    pub async fn complete(
        &self,
        snapshot: &Snapshot,
        question: Question,
        listener: &mut dyn Listener,
    ) -> Outcome<Suggestion> {
        complete::run(self, snapshot, question, listener).await
    }

    /// The target's code, changed as `instruction` says, in the gear that the user chose or the router finds right.
    /// The comment that held the instruction goes.
    pub async fn rewrite(
        &self,
        snapshot: &Snapshot,
        target: &Target,
        instruction: &str,
        forced: Option<Gear>,
    ) -> Outcome<Rewrite> {
        instruct::run(&self.models, &self.index, snapshot, target, instruction, forced).await
    }

    /// The edits that follow from what the user just did, handed on as soon as they are known. `found` says whether one
    /// of those can be shown.
    pub async fn next_edit(
        &self,
        situation: Arc<Situation>,
        found: impl FnMut(Vec<Hunk>) -> bool + Send,
    ) -> Outcome<Origin> {
        next_edit::run(&self.models, &self.index, situation, found).await
    }

    /// Where a piece of work goes, and why, as the job itself decides it before it asks a model.
    pub async fn routing(&self, snapshot: &Snapshot, work: Work<'_>) -> Decision {
        let facts = self.models.facts(snapshot).await;
        let code;
        let (job, facts) = match work {
            Work::Complete => (Job::Complete, facts),
            Work::NextEdit => (Job::NextEdit, facts),
            Work::Rewrite { target, instruction } => {
                (Job::Rewrite, Facts { instruction, code: &target.code, ..facts })
            }
            Work::Fix { problem } => {
                code = fix::code(&snapshot.document, problem);
                (Job::Fix, Facts { code: &code, ..facts })
            }
        };
        route(job, facts)
    }

    /// The change that a problem asks for, within the definition around it and the imports.
    pub async fn fix(&self, snapshot: &Snapshot, problem: &Diagnostic) -> Outcome<Rewrite> {
        fix::run(&self.models, &self.index, snapshot, problem).await
    }
}
