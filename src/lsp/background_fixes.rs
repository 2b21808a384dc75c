//! Lets the fast model make fixes before they are requested.
//!
//! So the light bulb offers them at once.
//!
//! Work begins once text and diagnostics have been stable for a while, with the most severe and nearest
//! diagnostics that no rule fixes. There is one call at a time, and each diagnostic is tried once. The calls
//! are limited per hour and to a share of every spending cap, so that the rest remains for explicit requests.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::future::{AbortHandle, Abortable};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

use super::convert::line_of;
use super::other_files::OtherFiles;
use super::prepared_fixes::prepare;
use super::request_outcome::{Answered, PendingOutcome};
use super::serving::CurrentServing;
use super::session_lock::SessionLock;
use crate::assist::{Assist, Origin, Rewrite, certain_fix};
use crate::config::Eagerness;
use crate::document::{Document, DocumentId};
use crate::job::{Job, Reason};
use crate::lsp::limits::{AHEAD_BUDGET_SHARE, AHEAD_CALLS, AHEAD_TOKENS, AHEAD_WINDOW};
use crate::privacy::Verdict;
use crate::route::Gear;
use crate::session::ghost::Source;
use crate::session::{FixScope, ModelFix, NextFix, Session};
use crate::snapshot::{Diagnostic, Severity, Snapshot};

/// Makes fixes for open files, one at a time.
#[derive(Clone)]
pub(super) struct BackgroundFixes {
    session: SessionLock,
    serving: CurrentServing,
    /// Held during a call.
    turn: Arc<Mutex<Allowance>>,
}

/// A fix to be made.
struct FixTask {
    snapshot: Snapshot,
    diagnostic: Diagnostic,
    others: Vec<Arc<Document>>,
    /// All diagnostics reported for the file.
    reported: Arc<Vec<Diagnostic>>,
}

impl BackgroundFixes {
    pub(super) fn new(session: SessionLock, serving: CurrentServing) -> Self {
        Self { session, serving, turn: Arc::default() }
    }

    /// Starts the task of a file after a report, unless it is running. There is one task per file.
    pub(super) fn schedule(&self, id: &DocumentId) {
        let now = Instant::now().into_std();
        let is_new = self.session.lock().tracked_mut(id).is_ok_and(|tracked| tracked.begin_model_fixes(now));
        if is_new {
            let (this, id) = (self.clone(), id.clone());
            tokio::spawn(async move {
                while let Some(work) = this.next(&id).await {
                    if !this.make(&id, work).await {
                        break;
                    }
                }
                if let Ok(tracked) = this.session.lock().tracked_mut(&id) {
                    tracked.end_model_fixes();
                }
            });
        }
    }

    /// Waits for the next fix to make; `None` if there is none.
    async fn next(&self, id: &DocumentId) -> Option<FixTask> {
        loop {
            let wait = {
                let now = Instant::now().into_std();
                let mut session = self.session.lock();
                let scope = scope(&session, id, now);
                match session.tracked_mut(id).ok()?.next_model_fix(scope?, now) {
                    NextFix::Nothing => return None,
                    NextFix::Wait(until) => until,
                    NextFix::Make(diagnostic) => {
                        let snapshot = session.snapshot(id).ok()?;
                        let others = session.other_documents(id);
                        let reported = Arc::clone(session.tracked(id).ok()?.diagnostics());
                        return Some(FixTask { snapshot, diagnostic, others, reported });
                    }
                }
            };
            sleep_until(Instant::from_std(wait)).await;
        }
    }

    /// Makes a fix and keeps it. Returns false if no more may be made now.
    async fn make(
        &self,
        id: &DocumentId,
        FixTask { snapshot, diagnostic, others, reported }: FixTask,
    ) -> bool {
        let document = Arc::clone(&snapshot.document);
        let is_certain = {
            let diagnostic = diagnostic.clone();
            let workspace = Arc::clone(&snapshot.workspace);
            let find = move |document: &Document| {
                let others = OtherFiles::new(&others, &workspace, &reported);
                certain_fix(&others.view(document), &diagnostic).is_some()
            };
            self.session.with_tree(Arc::clone(&document), find).await
        };
        match is_certain {
            Err(_) => return false,
            Ok(true) => {
                if let Ok(tracked) = self.session.lock().tracked_mut(id) {
                    tracked.note_certain_fix(&diagnostic);
                }
                return true;
            }
            Ok(false) => {}
        }
        let mut allowance = self.turn.lock().await;
        let serving = self.serving.get();
        let has_budget = !serving.gears.meter.has_spent(AHEAD_BUDGET_SHARE);
        if !serving.assist.is_fast_model_up() || !has_budget || !allowance.has_room(Instant::now()) {
            tracing::debug!(has_budget, "no fix is made ahead");
            return false;
        }
        let (call, registration) = AbortHandle::new_pair();
        let is_current = {
            let mut session = self.session.lock();
            let tracked = session.tracked_mut(id);
            tracked.is_ok_and(|tracked| tracked.begin_model_fix(&document, &diagnostic, call))
        };
        if !is_current {
            return true;
        }
        let record = PendingOutcome::new(Job::Fix, line_of(&document, diagnostic.span.start), false);
        let job = serving.assist.fix_ahead(&snapshot, &diagnostic);
        let made = Abortable::new(job, registration).await.unwrap_or(Err(Reason::Cancelled));
        let usage = made
            .as_ref()
            .map_or(0, |(_, origin)| origin.usage.input_tokens.saturating_add(origin.usage.output_tokens));
        allowance.record(Instant::now(), usage);
        drop(allowance);
        self.keep(record, &serving.assist, &document, diagnostic, made);
        true
    }

    fn keep(
        &self,
        record: PendingOutcome,
        assist: &Assist,
        document: &Document,
        diagnostic: Diagnostic,
        made: Result<(Rewrite, Origin), Reason>,
    ) {
        let id = document.id();
        let outcome = made.as_ref().map(|(_, origin)| Answered::from(origin)).map_err(Clone::clone);
        let fix = made.ok().map(|(Rewrite { edits, flags }, origin)| {
            let model = origin.model.or_else(|| assist.model_name(Gear::Fast));
            ModelFix { diagnostic, edits, flags, source: Source { gear: origin.gear.to_string(), model } }
        });
        let is_kept = {
            let mut session = self.session.lock();
            session.keep_tree(id, Instant::now().into_std());
            let is_kept = session.tracked_mut(id).is_ok_and(|tracked| tracked.end_model_fix(document, fix));
            if !matches!(outcome, Err(Reason::Cancelled)) {
                record.finish(&mut session, id, outcome);
            }
            is_kept
        };
        if is_kept {
            prepare(&self.session, id);
        }
    }
}

/// The diagnostics of a file that get a fix; `None` if none do.
fn scope(session: &Session, id: &DocumentId, now: std::time::Instant) -> Option<FixScope> {
    let tracked = session.tracked(id).ok()?;
    let settings = session.scoped().of(tracked.place());
    let language = tracked.language_id();
    if !settings.background_fixes
        || !settings.is_enabled(language)
        || session.user().snoozed(now).is_some()
        || tracked.access().known().is_some_and(|verdict| *verdict != Verdict::Open)
    {
        return None;
    }
    Some(match settings.eagerness(language) {
        Eagerness::Low => FixScope { most: 1, down_to: Severity::Error },
        Eagerness::Medium => FixScope { most: 3, down_to: Severity::Error },
        Eagerness::High => FixScope { most: 6, down_to: Severity::Warning },
    })
}

/// The calls of the last hour, with the tokens that each used.
#[derive(Debug, Default)]
struct Allowance(VecDeque<(Instant, u64)>);

impl Allowance {
    /// Whether another call is within the limits.
    fn has_room(&mut self, now: Instant) -> bool {
        let is_old = |at: Instant| now.saturating_duration_since(at) >= AHEAD_WINDOW;
        while self.0.front().is_some_and(|(at, _)| is_old(*at)) {
            self.0.pop_front();
        }
        let tokens = self.0.iter().fold(0_u64, |sum, (_, tokens)| sum.saturating_add(*tokens));
        self.0.len() < AHEAD_CALLS && tokens < AHEAD_TOKENS
    }

    /// Records a call and its tokens, as far as they are known.
    fn record(&mut self, now: Instant, tokens: u64) {
        self.0.push_back((now, tokens));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn allowance_is_used_up_by_calls_or_tokens_and_comes_back() {
        let start = Instant::now();
        let minute = |minutes: u64| start + Duration::from_secs(60 * minutes);
        let mut calls = Allowance::default();
        for _ in 0..AHEAD_CALLS {
            assert!(calls.has_room(minute(1)));
            calls.record(minute(1), 0);
        }
        assert!(!calls.has_room(minute(60)));
        assert!(calls.has_room(minute(61)));
        let mut tokens = Allowance::default();
        tokens.record(minute(0), AHEAD_TOKENS - 1);
        assert!(tokens.has_room(minute(1)));
        tokens.record(minute(1), u64::MAX);
        assert!(!tokens.has_room(minute(60)), "a server's absurd figure does not overflow");
        assert!(tokens.has_room(minute(61)));
    }
}
