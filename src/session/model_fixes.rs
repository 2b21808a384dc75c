//! Fixes that a model makes before they are requested.
//!
//! Tracks which diagnostics get a fix, and which fixes are ready.
//!
//! A fix is kept with its diagnostic, and both move along with every change. It is dropped when its text
//! changes, or when the settled reports no longer include its diagnostic.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Instant;

use futures_util::future::AbortHandle;

use super::diagnostics::moved;
use super::ghost::Source;
use super::running::RunningWork;
use crate::document::Splice;
use crate::edit::{Edit, Flag, rebase};
use crate::session::limits::{READY_FIXES, SETTLED, TRIED_FIXES, UNFINISHED_LINE};
use crate::snapshot::{Diagnostic, Severity};

/// A fix that a model made before it was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFix {
    /// The diagnostic that it fixes.
    pub diagnostic: Diagnostic,
    /// The edits (bytes of the current text), sorted and disjoint.
    pub edits: Vec<Edit>,
    /// Warnings about it for the user.
    pub flags: Vec<Flag>,
    /// The gear and model that made it.
    pub source: Source,
}

impl ModelFix {
    /// Whether it fixes this diagnostic of the current text.
    pub fn is_for(&self, diagnostic: &Diagnostic) -> bool {
        self.diagnostic.span == diagnostic.span && self.diagnostic.message == diagnostic.message
    }
}

/// The diagnostics that get a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixScope {
    /// The maximum number per file: the most severe, then the nearest.
    pub most: usize,
    /// The lowest severity that gets a fix.
    pub down_to: Severity,
}

/// The next step for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextFix {
    /// Make a fix for this diagnostic.
    Make(Diagnostic),
    /// Do nothing before this time.
    Wait(Instant),
    /// Do nothing until diagnostics are reported again.
    Nothing,
}

/// The input to the choice of a diagnostic, besides the diagnostics.
pub(super) struct FixContext<'a> {
    /// The line where the user works.
    pub(super) line: usize,
    /// When the file was last changed.
    pub(super) edited: Option<Instant>,
    /// Returns the line of a byte, and its text.
    pub(super) line_of: &'a dyn Fn(usize) -> (usize, String),
}

/// The fixes of one file.
#[derive(Debug, Default)]
pub(super) struct ModelFixes {
    /// Newest last.
    pub(super) ready: Vec<ModelFix>,
    /// Newest last.
    tried: VecDeque<Tried>,
    running: Option<RunningCall>,
    /// Whether a task is running for this file.
    is_working: bool,
    reported: Option<Instant>,
}

/// A diagnostic that needs no further attempt: it has a certain fix, or a model was already asked.
///
/// It is identified by its message and line text, so that it is not tried again when it is reported again or
/// brought back by another fix.
#[derive(Debug, PartialEq, Eq)]
struct Tried {
    message: String,
    line: String,
    is_certain: bool,
}

#[derive(Debug)]
struct RunningCall {
    span: Range<usize>,
    _call: RunningWork,
}

impl ModelFixes {
    /// Records that diagnostics were reported. Returns true if the caller must start a task for them.
    pub(super) fn begin(&mut self, now: Instant) -> bool {
        self.reported = Some(now);
        !std::mem::replace(&mut self.is_working, true)
    }

    /// Records that the task has ended.
    pub(super) fn end(&mut self) {
        self.is_working = false;
    }

    /// The next step for the task. [`NextFix::Nothing`] ends it.
    pub(super) fn next(
        &mut self,
        diagnostics: &[Diagnostic],
        place: &FixContext<'_>,
        scope: FixScope,
        now: Instant,
    ) -> NextFix {
        let quiet_since = self.reported.max(place.edited).unwrap_or(now);
        if quiet_since + SETTLED > now {
            return NextFix::Wait(quiet_since + SETTLED);
        }
        self.ready.retain(|fix| diagnostics.iter().any(|it| fix.is_for(it)));
        let known = |it: &Diagnostic, line: &str| {
            self.tried.iter().find(|tried| tried.message == it.message && tried.line == line)
        };
        let mut near: Vec<_> = diagnostics
            .iter()
            .filter(|it| it.severity <= scope.down_to)
            .map(|it| (it, (place.line_of)(it.span.start)))
            .filter(|(it, (_, text))| !known(it, text).is_some_and(|tried| tried.is_certain))
            .collect();
        near.sort_by_key(|(it, (line, _))| (it.severity, line.abs_diff(place.line)));
        let untried = near.iter().take(scope.most).filter(|(it, (_, text))| known(it, text).is_none());
        let mut wait = None;
        for (it, (line, _)) in untried {
            // A user who stops in the middle of a statement knows that it is incomplete.
            let finished = place.edited.filter(|_| *line == place.line).map(|at| at + UNFINISHED_LINE);
            match finished.filter(|at| *at > now) {
                None => return NextFix::Make((*it).clone()),
                until => wait = until,
            }
        }
        if let Some(until) = wait {
            return NextFix::Wait(until);
        }
        self.end();
        NextFix::Nothing
    }

    /// Records that a diagnostic on a line needs no model.
    pub(super) fn note_certain(&mut self, diagnostic: &Diagnostic, line: String) {
        self.note(diagnostic, line, true);
    }

    /// Records that a model is asked for a fix.
    pub(super) fn begin_call(&mut self, diagnostic: &Diagnostic, line: String, call: AbortHandle) {
        self.note(diagnostic, line, false);
        self.running = Some(RunningCall { span: diagnostic.span.clone(), _call: call.into() });
    }

    fn note(&mut self, diagnostic: &Diagnostic, line: String, is_certain: bool) {
        if self.tried.len() == TRIED_FIXES {
            self.tried.pop_front();
        }
        self.tried.push_back(Tried { message: diagnostic.message.clone(), line, is_certain });
    }

    /// Records that the call has ended.
    pub(super) fn end_call(&mut self) {
        self.running = None;
    }

    /// Keeps a fix for an earlier version, carried over the changes since.
    ///
    /// Returns true if it still fits.
    pub(super) fn keep(&mut self, mut fix: ModelFix, changes: &[Splice]) -> bool {
        if !changes.iter().all(|splice| advance(&mut fix, splice)) {
            return false;
        }
        self.ready.retain(|other| !other.is_for(&fix.diagnostic));
        if self.ready.len() == READY_FIXES {
            self.ready.remove(0);
        }
        self.ready.push(fix);
        true
    }

    /// Moves everything along with a change.
    ///
    /// Cancels the running call if the text of its diagnostic changed.
    pub(super) fn advance(&mut self, splice: &Splice) {
        self.ready.retain_mut(|fix| advance(fix, splice));
        if let Some(running) = &mut self.running {
            match moved(&running.span, splice) {
                Some(span) => running.span = span,
                None => self.running = None,
            }
        }
    }
}

/// Moves a fix along with a change.
///
/// Returns false if the change touches the fix or its diagnostic.
fn advance(fix: &mut ModelFix, splice: &Splice) -> bool {
    let typed = Edit::from(splice);
    let (Some(span), Ok(edits)) = (moved(&fix.diagnostic.span, splice), rebase::over(&fix.edits, &[typed]))
    else {
        return false;
    };
    let is_left = !edits.is_empty();
    (fix.diagnostic.span, fix.edits) = (span, edits);
    is_left
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SCOPE: FixScope = FixScope { most: 2, down_to: Severity::Error };

    /// A diagnostic on a line of ten bytes.
    fn problem(line: usize, severity: Severity) -> Diagnostic {
        Diagnostic::new(line * 10..line * 10 + 3, severity, "wrong")
    }

    /// The next step for diagnostics on these lines, when the user works on line 4.
    fn next(fixes: &mut ModelFixes, lines: &[usize], at: Instant, edited: Option<Instant>) -> NextFix {
        let all: Vec<Diagnostic> = lines.iter().map(|line| problem(*line, Severity::Error)).collect();
        let line_of = |byte: usize| (byte / 10, format!("line {}", byte / 10));
        fixes.next(&all, &FixContext { line: 4, edited, line_of: &line_of }, SCOPE, at)
    }

    fn made(line: usize) -> NextFix {
        NextFix::Make(problem(line, Severity::Error))
    }

    #[test]
    fn nearest_are_tried_once_when_all_is_quiet() {
        let start = Instant::now();
        let later = start + Duration::from_secs(60);
        let mut fixes = ModelFixes::default();
        assert!(fixes.begin(start) && !fixes.begin(start), "one task");
        assert_eq!(next(&mut fixes, &[1, 5, 9], start, None), NextFix::Wait(start + SETTLED));
        let typed = start + Duration::from_secs(1);
        assert_eq!(
            next(&mut fixes, &[1, 5, 9], start + SETTLED, Some(typed)),
            NextFix::Wait(typed + SETTLED)
        );
        for line in [5, 1] {
            assert_eq!(next(&mut fixes, &[1, 5, 9], later, None), made(line));
            let (call, _) = AbortHandle::new_pair();
            fixes.begin_call(&problem(line, Severity::Error), format!("line {line}"), call);
        }
        assert_eq!(next(&mut fixes, &[1, 5, 9], later, None), NextFix::Nothing, "two of them, and each once");
        assert!(fixes.begin(later), "the task has ended");
        // A diagnostic with a certain fix does not count towards the limit.
        fixes.note_certain(&problem(4, Severity::Error), "line 4".to_owned());
        assert_eq!(next(&mut fixes, &[4, 9], later + SETTLED, None), made(9));
    }

    #[test]
    fn line_that_is_typed_on_waits_longer() {
        let start = Instant::now();
        let mut fixes = ModelFixes::default();
        fixes.begin(start);
        let quiet = start + SETTLED;
        assert_eq!(next(&mut fixes, &[4], quiet, Some(start)), NextFix::Wait(start + UNFINISHED_LINE));
        assert_eq!(next(&mut fixes, &[4, 9], quiet, Some(start)), made(9));
        assert_eq!(next(&mut fixes, &[4, 9], start + UNFINISHED_LINE, Some(start)), made(4));
    }

    #[test]
    fn less_severe_ones_and_none_at_all_are_left_alone() {
        let start = Instant::now();
        let mut fixes = ModelFixes::default();
        fixes.begin(start);
        let line_of = |_: usize| (0, String::new());
        let place = FixContext { line: 0, edited: None, line_of: &line_of };
        let warning = [problem(0, Severity::Warning)];
        assert_eq!(fixes.next(&warning, &place, SCOPE, start + SETTLED), NextFix::Nothing);
    }

    #[test]
    fn ready_fix_is_kept_only_while_its_diagnostic_is_reported() {
        let start = Instant::now();
        let mut fixes = ModelFixes::default();
        let fix = |line: usize| ModelFix {
            diagnostic: problem(line, Severity::Error),
            edits: vec![Edit::new(line * 10..line * 10 + 3, "x")],
            flags: Vec::new(),
            source: Source::default(),
        };
        assert!(fixes.keep(fix(1), &[]) && fixes.keep(fix(2), &[]) && fixes.keep(fix(2), &[]));
        fixes.begin(start);
        next(&mut fixes, &[2], start, None);
        assert_eq!(fixes.ready, [fix(1), fix(2)], "it may be reported again at once");
        next(&mut fixes, &[2], start + SETTLED, None);
        assert_eq!(fixes.ready, [fix(2)]);
    }
}
