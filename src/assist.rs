//! The jobs, one file each: from a snapshot to a result, or the reason for its absence.
//!
//! A job is a task of the [`pipeline`], which runs every job. [`validate`] checks model output for ghost text
//! and next edits; rewrites and fixes are checked by [`edit`](crate::edit) alone.

mod ask;
mod calls;
mod comment;
mod commit_message;
mod complete;
mod completion_params;
mod evidence;
mod excerpt;
mod fix;
mod fix_file;
mod models;
mod next_edit;
mod observer;
mod outcome;
mod own_problems;
mod pace;
pub mod pair;
mod pipeline;
pub mod plan;
mod predictions;
mod redact;
pub mod review;
mod rewrite;
pub mod target;
mod token_rates;
mod unresolved_imports;
mod validate;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::background::Background;
use crate::config::{Eagerness, Privacy};
use crate::document::DocumentId;
use crate::job::Reason;
use crate::model::{Model, RequestKind, Urgency};
use crate::privacy::Verdict;
use crate::route::Gear;
use crate::snapshot::Snapshot;
pub use ask::{AskRequest, CheckedAnswer, CitedLocation, ShowPath};
pub use commit_message::{
    continuation, earlier_subjects, nothing_to_show, visible_changes, with_prefix_as_usual,
};
pub use complete::{OnPartial, Partial};
pub use completion_params::CompletionParams;
pub use evidence::Packages;
pub use fix_file::{
    CertainFix, Composed, FileFixes, FileView, FixKind, OtherFile, Reported, SkipReason, Surroundings,
    certain_fix, compose_fixes, fix_file, join_fixes, relies_on,
};
pub use models::Models;
pub use next_edit::{
    DescribeUnopened, FileLocation, NextEditParams, Remnants, SuggestedEdit, UnopenedFile, UnopenedFiles,
};
pub use observer::{AnswerObserver, EndedJob, Observer, Sending};
pub use outcome::{Completion, Origin, Rewrite};
pub use own_problems::{own_fixes, own_problems};
use pipeline::Pipeline;
pub use predictions::Prediction;
use predictions::Predictions;
pub use rewrite::RewriteParams;
use token_rates::TokenRates;
pub use unresolved_imports::{FileImports, ImportedFolders};
use validate::ParseCache;

/// Runs the jobs.
///
/// Holds the models. Of files, it keeps only what the local engine learned and the last validation.
#[derive(Clone)]
pub struct Assist {
    pipeline: Pipeline,
    predictions: Predictions,
    parse_cache: ParseCache,
    /// See [`Self::showing`].
    windows: Arc<[Range<usize>]>,
}

impl Assist {
    /// Runs jobs with these models; the local engine handles the rest.
    ///
    /// Keys are redacted in text sent to models unless the user's settings disable that.
    pub fn new(models: Models, privacy: &Privacy) -> Self {
        let tokens = TokenRates::default();
        let pipeline = Pipeline { models, redacts: privacy.redact, observer: None, tokens };
        let (predictions, parse_cache) = Default::default();
        Self { pipeline, predictions, parse_cache, windows: Arc::default() }
    }

    /// A copy with other models that keeps what was learned from the open files.
    pub fn with(&self, models: Models, privacy: &Privacy) -> Self {
        let pipeline = Pipeline { models, redacts: privacy.redact, ..self.pipeline.clone() };
        Self { pipeline, ..self.clone() }
    }

    /// The thread on which files are learned, shared with other background work.
    pub fn background(&self) -> &Background {
        &self.predictions.background
    }

    /// Sets or removes the observer of jobs.
    pub fn observed_by(mut self, observer: Option<Arc<dyn Observer>>) -> Self {
        self.pipeline.observer = observer;
        self
    }

    /// Has ghost text show these bytes of the file, largest first, wherever the rules would cut it.
    ///
    /// The rules use the [tree at hand](crate::document::Document::tree), which no replay can restore.
    pub fn showing(mut self, windows: Vec<Range<usize>>) -> Self {
        self.windows = windows.into();
        self
    }

    /// Whether a fast model is configured and available. May lock the model's state.
    pub fn is_fast_model_up(&self) -> bool {
        self.pipeline.models.fast.as_ref().is_some_and(|model| !model.is_down())
    }

    /// Has the local engine learn an opened file in the background.
    ///
    /// It does not learn files without access, since what it learned may appear in other files. A cell is learned
    /// together with the other cells of its notebook, at the first request for it.
    pub async fn opened(&self, snapshot: &Snapshot) {
        if !snapshot.document.is_cell() && snapshot.access.verdict().await == Verdict::Open {
            self.predictions.learn(&snapshot.document, &snapshot.access, 0);
        }
    }

    /// The local engine's immediate prediction of how the line at the cursor continues.
    ///
    /// It is shown while a model is asked. It takes a millisecond or two, and is empty for a file that has not been
    /// learned or that no model may see.
    pub fn predict(&self, snapshot: &Snapshot, cursor: usize, eagerness: Eagerness) -> Prediction {
        let (whole, start) = snapshot.with_cells();
        self.predictions.look(&whole, start + cursor, eagerness)
    }

    /// Whether files near an open file are still to be [learned](Self::learn_neighbor). The caller does so if true.
    ///
    /// Also false while another file is being learned; a later call returns true then.
    pub fn take_wish_for_neighbors(&self, id: &DocumentId) -> bool {
        self.predictions.take_wish_for_neighbors(id)
    }

    /// Has the local engine learn a file of the disk for the open file `id`, but for lines with a probable secret.
    ///
    /// `read` is called unless the file is learned already; `None` passes the file over. Returns false if there is no
    /// room for more, or if `is_allowed` returns false after the text was read. Blocks until it is learned.
    pub fn learn_neighbor(
        &self,
        id: &DocumentId,
        neighbor: DocumentId,
        read: impl FnOnce() -> Option<String>,
        is_allowed: impl FnOnce() -> bool + Send + 'static,
    ) -> bool {
        self.predictions.learn_neighbor(id, neighbor, read, is_allowed)
    }

    /// Has the local engine forget the files that are not open, since the rules or the folders have changed.
    pub fn forget_neighbors(&self) {
        self.predictions.forget_neighbors();
    }

    /// Has the local engine forget a file that was closed or may no longer be shown.
    pub fn forget(&self, id: &DocumentId) {
        self.predictions.forget(id);
    }

    /// Whether the fast model is so slow that it should get one request at a time.
    ///
    /// May lock the model's state.
    pub fn is_slow(&self) -> bool {
        self.pipeline.models.fast.as_ref().is_some_and(|model| model.pace(RequestKind::Completion).is_slow())
    }

    /// Whether the fast model can be asked for several suggestions at the same time.
    pub fn offers_variants(&self) -> bool {
        self.pipeline.models.fast.as_ref().is_some_and(|model| model.offers_variants())
    }

    /// How long to wait for a completion.
    pub fn completion_wait(&self, is_explicit: bool) -> Duration {
        let urgency = if is_explicit { Urgency::Invoked } else { Urgency::Typing };
        self.pipeline
            .models
            .fast
            .as_ref()
            .map_or(Duration::ZERO, |model| model.pace(RequestKind::Completion).wait(urgency))
    }

    /// Warms the models up in the background.
    pub fn warm(&self) {
        let Models { fast, deep } = &self.pipeline.models;
        for model in [fast, deep].into_iter().flatten() {
            model.warm();
        }
    }

    /// Whether a gear has a model, available or not.
    pub fn has_model_of(&self, gear: Gear) -> bool {
        self.pipeline.models.of(gear).is_some()
    }

    /// Whether any gear has a model, available or not.
    pub fn has_model(&self) -> bool {
        self.has_model_of(Gear::Fast) || self.has_model_of(Gear::Deep)
    }

    /// The name of a gear's model, if it has one.
    pub fn model_name(&self, gear: Gear) -> Option<String> {
        self.pipeline.models.of(gear).map(Model::name)
    }

    /// The edits that follow from recent edits, passed to `found` as soon as they are known.
    ///
    /// `found` returns whether one of the edits passed to it can be shown. The result also contains the reason why
    /// other edits were not shown.
    ///
    /// # Errors
    ///
    /// The reason why there is nothing to show.
    pub async fn next_edit(
        &self,
        params: Arc<NextEditParams>,
        found: impl FnMut(Vec<SuggestedEdit>) -> bool + Send,
    ) -> Result<(Origin, Option<Reason>), Reason> {
        next_edit::run(&self.pipeline, params, found).await
    }

    /// Remnants of the user's last change in other files; `None` if there are none.
    pub async fn remaining_uses(&self, params: Arc<NextEditParams>) -> Option<Remnants> {
        next_edit::remaining_uses(params).await
    }
}
