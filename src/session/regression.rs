//! An accepted suggestion after which other servers report more errors.

use crate::edit::Edit;
use crate::snapshot::{Diagnostic, RecentEdit, Severity};

/// The edit that undoes the last accepted one in a file.
///
/// With it come the errors that are reported since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regression {
    /// The edit that takes it back (bytes of the current text).
    pub revert: Edit,
    /// How many errors more there are than before it.
    pub more: usize,
}

/// A file as it was when a suggestion was accepted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accepted {
    /// The revision after it.
    pub(super) revision: u64,
    /// How many errors were reported before it.
    pub(super) errors: usize,
}

/// How many of these are errors.
pub(super) fn errors(reported: &[Diagnostic]) -> usize {
    reported.iter().filter(|it| it.severity == Severity::Error).count()
}

/// Whether what is reported now is a regression.
///
/// There are more errors, and one of them is in the lines that were accepted, of a file that has not been
/// changed since.
pub(super) fn of(
    accepted: Accepted,
    revision: u64,
    last: &RecentEdit,
    reported: &[Diagnostic],
) -> Option<Regression> {
    let at = last.at.clone().filter(|_| last.is_accepted && accepted.revision == revision)?;
    let more = errors(reported).checked_sub(accepted.errors).filter(|more| *more > 0)?;
    let is_within = |it: &Diagnostic| {
        it.severity == Severity::Error && at.start <= it.span.start && it.span.start < at.end
    };
    let revert = Edit::new(at.clone(), last.old.as_str());
    reported.iter().any(is_within).then_some(Regression { revert, more })
}
