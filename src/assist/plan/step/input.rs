//! The input of a step, as plain data.

use std::sync::Arc;

use crate::assist::plan::steps::Step;
use crate::edit::edit_set::Base;

/// The input of a step.
///
/// It is a snapshot: later results of other steps do not change it.
#[derive(Debug, Clone)]
pub(in crate::assist::plan) struct StepInput {
    pub(in crate::assist::plan) step: Step,
    /// The current file; `None` if it is new.
    pub(in crate::assist::plan) base: Option<Base>,
    /// The goal of the whole plan.
    pub(in crate::assist::plan) goal: Arc<str>,
    /// Outlines and signatures of other files.
    pub(in crate::assist::plan) around: Arc<str>,
}
