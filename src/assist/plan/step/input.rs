//! What a step is made of, as plain data.

use std::sync::Arc;

use crate::assist::plan::steps::Step;
use crate::edit::edit_set::Base;

/// What a step is carried out with.
///
/// It is of one moment: what other steps do meanwhile does not change it.
#[derive(Debug, Clone)]
pub(in crate::assist::plan) struct StepInput {
    pub(in crate::assist::plan) step: Step,
    /// The file as it is; `None` if it is new.
    pub(in crate::assist::plan) base: Option<Base>,
    /// What the whole plan is for.
    pub(in crate::assist::plan) goal: Arc<str>,
    /// Outlines and signatures of other files.
    pub(in crate::assist::plan) around: Arc<str>,
}
