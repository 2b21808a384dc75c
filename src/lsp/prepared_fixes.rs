//! Prepares the fixes of a file before they are requested.
//!
//! The certain fixes are prepared, and existing model fixes where the user allows these. No model is called.
//!
//! Preparation begins when diagnostics arrive, and again after a pause in typing: part by part, nearest to the
//! cursor first. Results are kept while the user types elsewhere. So a save finds nearly all fixes ready and
//! makes the rest: a result that depends on timing would be arbitrary.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ropey::Rope;

use super::limits::{FIXED_TOGETHER, PREPARED_PART};
use super::other_files::OtherFiles;
use super::session_lock::SessionLock;
use crate::assist::{
    CertainFix, FileView, FixKind, Reported, SkipReason, compose_fixes, join_fixes, relies_on,
};
use crate::document::{Document, DocumentId};
use crate::edit::Edit;
use crate::session::{AppliedReplacements, ModelFix, PreparedFix, PreparedFixes, ReadyFix, Session, Tracked};
use crate::snapshot::{Diagnostic, Severity};
use crate::workspace::Workspace;

/// The diagnostics to be fixed in a version of a file, and the fixes that are ready.
#[derive(Default)]
pub(super) struct FixWork {
    /// In file order, without duplicates. Only the first [`FIXED_TOGETHER`] get a fix.
    pub(super) reported: Arc<Vec<Diagnostic>>,
    pub(super) ready: Arc<PreparedFixes>,
    /// The model fixes that the user allows among fixes made together.
    pub(super) allowed: Vec<ModelFix>,
    /// The position where the user works (bytes).
    pub(super) focus: usize,
    /// Replacements that must not be reverted.
    pub(super) applied_replacements: Arc<AppliedReplacements>,
    /// The text as it was opened: a save removes nothing that was written since.
    pub(super) opened: Rope,
    pub(super) workspace: Arc<Workspace>,
}

/// What fixes are applied together for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    /// A save: what an earlier one did is not reverted, and what the user has just written is not removed.
    Save,
    /// The user's request.
    Invoked,
    /// The user's request for the fixes of one kind.
    OfKind(FixKind),
}

/// Fixes that are applied together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FixSet {
    /// The edits of all fixes, sorted and disjoint.
    pub(super) edits: Vec<Edit>,
    /// The number of fixes.
    pub(super) count: usize,
}

/// Fixes that are applied together, some of them made by a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModelFixSet {
    pub(super) all: FixSet,
    /// The number of fixes made by a model.
    pub(super) of_model: usize,
    /// The name of the model.
    pub(super) model: String,
}

/// Prepares the missing fixes in a separate task. There is one task per file.
pub(super) fn prepare(session: &SessionLock, id: &DocumentId) {
    let begins = {
        let mut session = session.lock();
        let is_missing = session
            .tracked(id)
            .is_ok_and(|tracked| FixWork::of(&session, tracked).missing().next().is_some());
        is_missing && session.tracked_mut(id).is_ok_and(Tracked::begin_preparing)
    };
    if begins {
        let (session, id) = (session.clone(), id.clone());
        tokio::spawn(async move { prepare_all(&session, &id).await });
    }
}

/// Prepares fixes part by part, until none is missing or the user types.
///
/// In that case the rest is prepared after a pause.
async fn prepare_all(session: &SessionLock, id: &DocumentId) {
    let mut first = None;
    loop {
        let part = {
            let mut session = session.lock();
            let Ok(tracked) = session.tracked(id) else { return };
            let document = Arc::clone(tracked.document());
            let work = FixWork::of(&session, tracked);
            let others = session.other_documents(id);
            let is_same = *first.get_or_insert(document.revision()) == document.revision();
            let goes_on = is_same && work.missing().next().is_some();
            if !goes_on && let Ok(tracked) = session.tracked_mut(id) {
                tracked.end_preparing();
            }
            goes_on.then_some((document, work, others))
        };
        let Some((document, work, others)) = part else { return };
        let make = move |document: &Document| work.make(document, &others, Some(PREPARED_PART));
        let made = session.with_tree(Arc::clone(&document), make).await;
        let mut session = session.lock();
        let Ok(tracked) = session.tracked_mut(id) else { return };
        match made {
            Ok(made) => tracked.keep_prepared_fixes(&document, made),
            Err(_) => return tracked.end_preparing(),
        }
    }
}

impl FixWork {
    /// The work for the diagnostics that other servers reported.
    pub(super) fn of(session: &Session, tracked: &Tracked) -> Self {
        Self {
            reported: Arc::clone(tracked.diagnostics()),
            ready: Arc::clone(tracked.prepared_fixes()),
            allowed: allowed_model_fixes(session, tracked),
            focus: tracked.focus(),
            applied_replacements: Arc::clone(tracked.applied_replacements()),
            opened: tracked.opened().clone(),
            workspace: Arc::clone(session.workspace()),
        }
    }

    /// The diagnostics and model fixes that are not prepared yet.
    ///
    /// The rules have not run for the diagnostic, or the model fix has not been tried together with the others.
    fn missing(&self) -> impl Iterator<Item = Missing<'_>> {
        let reported = self.reported.iter().take(FIXED_TOGETHER);
        let by_rule = reported.filter(|it| self.ready.by_rule(it).is_none()).map(Missing::ByRule);
        let of_model = self.allowed.iter().filter(|it| self.of_model(it).is_none()).map(Missing::OfModel);
        by_rule.chain(of_model)
    }

    fn of_model(&self, fix: &ModelFix) -> Option<&PreparedFix> {
        self.ready.all().iter().find(|it| {
            fix.is_for(&it.diagnostic)
                && it.fix.as_ref().is_some_and(|it| it.model.is_some() && it.edits == fix.edits)
        })
    }

    /// Whether every reported diagnostic is prepared.
    pub(super) fn is_ready(&self) -> bool {
        self.missing().next().is_none()
    }

    /// Prepares what is missing, nearest to the cursor first.
    ///
    /// With a limit, it stops when the time is up, but prepares at least as many fixes as are ready: each part
    /// inspects the whole file, so the parts double in size. All fixes are tried together, since a trial may
    /// parse the whole file; those that break the syntax are tried again one by one.
    ///
    /// The result includes ready fixes that no longer combine with the others. Waits for the parse.
    pub(super) fn make(
        &self,
        document: &Document,
        others: &[Arc<Document>],
        limit: Option<Duration>,
    ) -> Vec<PreparedFix> {
        let started = Instant::now();
        let other_files = OtherFiles::new(others, &self.workspace, &self.reported);
        let file = other_files.view(document);
        let mut missing: Vec<Missing<'_>> = self.missing().collect();
        missing.sort_by_key(|it| (it.is_of_model(), it.start().abs_diff(self.focus)));
        let mut made: Vec<PreparedFix> = Vec::with_capacity(missing.len());
        for it in &missing {
            let is_late = limit.is_some_and(|limit| started.elapsed() >= limit);
            if is_late && made.len() >= self.ready.all().len().max(1) {
                tracing::debug!(made = made.len(), of = missing.len(), "the other fixes are left for later");
                break;
            }
            made.push(it.prepared(&file, Reported::untried_fix));
        }
        // Fixes that were already tried together are tried again only if they rely on the same code.
        let touched: Vec<Range<usize>> = made.iter().flat_map(|it| it.relies_on.clone()).collect();
        let is_touched =
            |it: &PreparedFix| it.relies_on.iter().any(|a| touched.iter().any(|b| overlap(a, b)));
        let is_known = |it: &PreparedFix| made.iter().all(|new| !new.replaces(it));
        let known = self.ready.all().iter().filter(|it| is_known(it) && is_touched(it));
        let mut suspects: Vec<PreparedFix> = made.iter().chain(known).cloned().collect();
        suspects.sort_by_key(rank);
        let mut broken = breaking(document, &suspects);
        if !broken.is_empty() {
            for at in broken {
                if !suspects[at].is_of_model() {
                    suspects[at] = Missing::ByRule(&suspects[at].diagnostic).prepared(&file, Reported::fix);
                }
            }
            broken = breaking(document, &suspects);
        }
        suspects.iter_mut().for_each(|it| it.breaks_others = false);
        for at in broken {
            suspects[at].breaks_others = true;
        }
        suspects
    }

    /// The fixes that can be applied together on an occasion: the ready ones and `made`.
    ///
    /// Nothing is tried here.
    pub(super) fn sets(&self, document: &Document, made: &[PreparedFix], occasion: Occasion) -> FixSets {
        let is_reported = |it: &PreparedFix| match it.is_of_model() {
            true => self.allowed.iter().any(|fix| fix.is_for(&it.diagnostic)),
            false => it.diagnostic.is_among(&self.reported),
        };
        let opened: LazyCell<HashSet<String>, _> =
            LazyCell::new(|| self.opened.lines().map(|line| line.to_string()).collect());
        let is_wanted = |it: &&PreparedFix| {
            let is_wanted = |fix: &ReadyFix| match occasion {
                Occasion::Save => {
                    !self.takes_back(document, &fix.edits)
                        && !removes_new(document, fix, |line| opened.contains(line))
                }
                Occasion::Invoked => true,
                Occasion::OfKind(kind) => fix.kind == kind.name(),
            };
            it.fix.as_ref().is_some_and(is_wanted) && !it.breaks_others && is_reported(it)
        };
        let ready = self.ready.all().iter().filter(|it| made.iter().all(|new| !new.replaces(it)));
        let mut wanted: Vec<&PreparedFix> = ready.chain(made).filter(is_wanted).collect();
        wanted.sort_by_key(|it| rank(it));
        // Two servers may report one mistake.
        let mut seen = HashSet::new();
        wanted.retain(|it| it.fix.as_ref().is_none_or(|fix| seen.insert(&fix.edits)));
        let fixes: Vec<CertainFix> = wanted.iter().filter_map(|it| it.fix.as_ref()).map(certain).collect();
        let by_rule = wanted.iter().filter(|it| !it.is_of_model()).count();
        let certain = join_fixes(&fixes[..by_rule]);
        let of_kind = |kind: FixKind| certain.taken.iter().filter(|at| fixes[**at].kind == kind).count();
        let kinds =
            FixKind::ALL.into_iter().map(|kind| (kind, of_kind(kind))).filter(|(_, count)| *count > 0);
        let kinds = kinds.collect();
        let with_model = wanted.iter().find_map(|it| it.fix.as_ref()?.model.clone()).and_then(|model| {
            let all = join_fixes(&fixes);
            let of_model = all.taken.iter().filter(|at| **at >= by_rule).count();
            let set = FixSet { count: all.taken.len(), edits: all.edits };
            (of_model > 0).then_some(ModelFixSet { all: set, of_model, model })
        });
        FixSets { certain: FixSet { count: certain.taken.len(), edits: certain.edits }, kinds, with_model }
    }

    /// Whether edits revert the edits of an earlier save.
    fn takes_back(&self, document: &Document, edits: &[Edit]) -> bool {
        let is_taken_back = |(old, new): (String, String)| self.applied_replacements.contains(&(new, old));
        !self.applied_replacements.is_empty() && replacements(document, edits).all(is_taken_back)
    }
}

/// Whether a fix removes an import or a variable in a line that was written since the file was opened: its use may come
/// next.
fn removes_new(document: &Document, fix: &ReadyFix, was_there: impl Fn(&str) -> bool) -> bool {
    let removes = [FixKind::UnusedImport, FixKind::UnusedVariable].iter().any(|it| it.name() == fix.kind);
    let is_new = |edit: &Edit| {
        let start = document.line_start(edit.span.start);
        let lines = document.slice(start..document.next_line_start(edit.span.end.max(start + 1) - 1));
        lines.split_inclusive('\n').any(|line| !was_there(line))
    };
    removes && fix.edits.iter().any(is_new)
}

/// The replacements of edits: each old text with the new one.
pub(super) fn replacements(document: &Document, edits: &[Edit]) -> impl Iterator<Item = (String, String)> {
    let body = |text: &str| text.trim().to_owned();
    edits.iter().map(move |edit| (body(&document.slice(edit.span.clone())), body(&edit.text)))
}

/// The ready fixes of a file, combined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FixSets {
    pub(super) certain: FixSet,
    /// The number of certain fixes of each kind.
    pub(super) kinds: Vec<(FixKind, usize)>,
    /// The certain fixes and the model's, where the user allows these.
    pub(super) with_model: Option<ModelFixSet>,
}

impl FixSets {
    pub(super) fn allowed(self) -> FixSet {
        self.with_model.map_or(self.certain, |fixes| fixes.all)
    }
}

/// The indices of the fixes that break the syntax together with the others.
fn breaking(document: &Document, fixes: &[PreparedFix]) -> Vec<usize> {
    let (places, fixes): (Vec<usize>, Vec<CertainFix>) =
        fixes.iter().enumerate().filter_map(|(at, it)| Some((at, certain(it.fix.as_ref()?)))).unzip();
    let left = compose_fixes(document, &fixes).left;
    left.into_iter().filter(|(_, why)| *why == SkipReason::Syntax).map(|(at, _)| places[at]).collect()
}

/// Finds a rule's fix, with or without a trial by the parser.
type FindFix = fn(&Reported, &FileView<'_>) -> Option<CertainFix>;

/// A diagnostic or model fix that is not prepared yet.
enum Missing<'a> {
    ByRule(&'a Diagnostic),
    OfModel(&'a ModelFix),
}

impl Missing<'_> {
    fn is_of_model(&self) -> bool {
        matches!(self, Self::OfModel(_))
    }

    fn start(&self) -> usize {
        match self {
            Self::ByRule(diagnostic) => diagnostic.span.start,
            Self::OfModel(fix) => fix.diagnostic.span.start,
        }
    }

    fn prepared(&self, file: &FileView<'_>, find: FindFix) -> PreparedFix {
        let (diagnostic, fix, model) = match *self {
            // Diagnostics below a warning are not mistakes and get no fix.
            Self::ByRule(it) if it.severity > Severity::Warning => (it.clone(), None, None),
            Self::ByRule(it) => (it.clone(), find(&Reported::from(it.clone()), file), None),
            // It was tried alone when it was made.
            Self::OfModel(ModelFix { diagnostic, edits, source, .. }) => {
                let title = diagnostic.message.clone();
                let fix =
                    CertainFix { kind: FixKind::OfModel, title, edits: edits.clone(), removes: Vec::new() };
                (
                    diagnostic.clone(),
                    Some(fix),
                    Some(source.model.clone().unwrap_or_else(|| "a model".to_owned())),
                )
            }
        };
        let relies_on = relies_on(file, &diagnostic.span, fix.as_ref());
        let ready = |fix: CertainFix| {
            let CertainFix { kind, title, edits, removes } = fix;
            ReadyFix { kind: kind.name(), title, edits, removes, model }
        };
        PreparedFix { diagnostic, fix: fix.map(ready), relies_on, breaks_others: false }
    }
}

/// The order in which fixes are combined.
///
/// Fixes of rules come before fixes of a model, errors before warnings, then the order in the file counts.
fn rank(it: &PreparedFix) -> (bool, Severity, usize, usize) {
    let Diagnostic { severity, span, .. } = &it.diagnostic;
    (it.is_of_model(), *severity, span.start, span.end)
}

/// Converts a ready fix to the form that rules produce.
pub(super) fn certain(fix: &ReadyFix) -> CertainFix {
    let ReadyFix { kind, title, edits, removes, .. } = fix.clone();
    let kind = FixKind::by_name(kind).unwrap_or(FixKind::OfModel);
    CertainFix { kind, title, edits, removes }
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start <= other.end && other.start <= one.end
}

/// The model fixes for reported diagnostics.
///
/// Limited to the fixes that the user allows among fixes made together.
fn allowed_model_fixes(session: &Session, tracked: &Tracked) -> Vec<ModelFix> {
    let settings = session.scoped().of(tracked.place());
    if settings.model_fixes_on_save.is_empty() {
        return Vec::new();
    }
    let reported = tracked.diagnostics();
    let is_allowed = |fix: &&ModelFix| {
        let Diagnostic { source, code, .. } = &fix.diagnostic;
        fix.flags.is_empty()
            && settings.allows_model_fix(source.as_deref(), code.as_deref())
            && reported.iter().any(|it| fix.is_for(it))
    };
    tracked.model_fixes().iter().filter(is_allowed).cloned().collect()
}
