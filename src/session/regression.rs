//! An accepted suggestion after which other servers report more errors.

use crate::edit::Edit;
use crate::snapshot::{Diagnostic, RecentEdit, Severity};

/// The edit that undoes the last accepted suggestion in a file.
///
/// It carries the number of errors reported since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regression {
    /// The edit that reverts the suggestion (bytes of the current text).
    pub revert: Edit,
    /// How many more errors there are than before.
    pub more: usize,
}

/// The state of a file when a suggestion was accepted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accepted {
    /// The revision after it.
    pub(super) revision: u64,
    /// How many errors were reported before it.
    pub(super) errors: usize,
}

/// The number of errors among the diagnostics.
pub(super) fn errors(reported: &[Diagnostic]) -> usize {
    reported.iter().filter(|it| it.severity == Severity::Error).count()
}

/// The regression that the reported diagnostics show, if any.
///
/// There must be more errors than before, one of them on the accepted lines, and the file must not have changed
/// since.
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
