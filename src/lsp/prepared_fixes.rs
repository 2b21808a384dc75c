//! The fixes of a file, put together before they are asked for: the certain ones, and those that a model has made already
//! where the user allows these. No model is asked.
//!
//! It is done when diagnostics come in, and again after a pause in the typing, so that a save finds them ready.

use std::sync::Arc;

use super::limits::{FIXED_TOGETHER, IMPORTED_NAME_BYTES, IMPORTING_FILE_BYTES, IMPORTING_FILES};
use super::session_lock::SessionLock;
use crate::assist::{CertainFix, Composed, FixKind, Reported, compose_fixes, fix_file};
use crate::document::{Document, DocumentId};
use crate::session::{FixSet, ModelFix, ModelFixSet, PreparedFixes, Session, Tracked};
use crate::snapshot::Diagnostic;

/// Puts the fixes of a file together unless that is done already, for the text after a pause in the typing.
pub(super) fn prepare_if_missing(session: &SessionLock, id: &DocumentId) {
    let is_missing = session
        .lock()
        .tracked(id)
        .is_ok_and(|tracked| tracked.prepared_fixes().is_none() && !tracked.diagnostics().is_empty());
    if is_missing {
        prepare(session, id.clone());
    }
}

/// Puts the fixes of a file together for what was reported last, in a task of its own.
pub(super) fn prepare(session: &SessionLock, id: DocumentId) {
    let session = session.clone();
    tokio::spawn(async move {
        let (document, reported, others, allowed) = {
            let session = session.lock();
            let Ok(tracked) = session.tracked(&id) else { return };
            let reported = in_order(tracked.diagnostics().to_vec());
            let allowed = allowed_model_fixes(&session, tracked);
            (tracked.document().clone(), reported, session.other_documents(&id), allowed)
        };
        let made = {
            let (reported, allowed) = (reported.clone(), allowed.clone());
            let make = move |document: &Document| of_all(document, reported, &others, &allowed);
            session.with_tree(document.clone(), make).await
        };
        let Ok(made) = made else { return };
        let mut session = session.lock();
        let is_current = session.tracked(&id).is_ok_and(|tracked| {
            in_order(tracked.diagnostics().to_vec()) == reported
                && allowed_model_fixes(&session, tracked) == allowed
        });
        if is_current && let Ok(tracked) = session.tracked_mut(&id) {
            tracked.set_prepared_fixes(&document, made);
        }
    });
}

/// Diagnostics in the order of the file, each once.
pub(super) fn in_order(mut all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    all.sort_by(|a, b| {
        let key = |it: &Diagnostic| (it.span.start, it.span.end, it.severity);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    all.dedup_by(|a, b| a.span == b.span && a.message == b.message);
    all.truncate(FIXED_TOGETHER);
    all
}

/// Puts the fixes of a file together. Waits for the parse.
pub(super) fn of_all(
    document: &Document,
    reported: Vec<Diagnostic>,
    others: &[Arc<Document>],
    allowed: &[ModelFix],
) -> PreparedFixes {
    fixes_of(document, reported, None, others, allowed)
}

/// Puts the certain fixes of one kind together. Waits for the parse.
pub(super) fn of_kind(
    document: &Document,
    reported: Vec<Diagnostic>,
    kind: FixKind,
    others: &[Arc<Document>],
) -> PreparedFixes {
    fixes_of(document, reported, Some(kind), others, &[])
}

fn fixes_of(
    document: &Document,
    reported: Vec<Diagnostic>,
    kind: Option<FixKind>,
    others: &[Arc<Document>],
    allowed: &[ModelFix],
) -> PreparedFixes {
    let list: Vec<Reported> = reported.iter().cloned().map(Reported::from).collect();
    let others = |name: &str| files_with_name(document, name, others);
    let made = fix_file(document, &list, kind, others);
    let taken = made.composed.taken;
    let of_kind = |kind: FixKind| taken.iter().filter(|at| made.fixes[**at].1.kind == kind).count();
    let kinds =
        FixKind::ALL.into_iter().map(|kind| (kind.word(), of_kind(kind))).filter(|(_, count)| *count > 0);
    let kinds = kinds.collect();
    let certain: Vec<CertainFix> = made.fixes.into_iter().map(|(_, fix)| fix).collect();
    let with_model = with_model(document, &certain, allowed);
    let certain = FixSet { count: taken.len(), edits: made.composed.edits };
    PreparedFixes { reported, certain, kinds, with_model }
}

/// Certain fixes together with a model's; `None` if no fix of a model goes with them.
fn with_model(document: &Document, certain: &[CertainFix], of_model: &[ModelFix]) -> Option<ModelFixSet> {
    let mut all = certain.to_vec();
    let mut model = None;
    for fix in of_model {
        model = model.or_else(|| fix.source.model.clone());
        let title = fix.diagnostic.message.clone();
        let edits = fix.edits.clone();
        all.push(CertainFix { kind: FixKind::OfModel, title, edits, removes: None });
    }
    if all.len() == certain.len() {
        return None;
    }
    let Composed { edits, taken, .. } = compose_fixes(document, &all);
    let of_model = taken.iter().filter(|at| **at >= certain.len()).count();
    let all = FixSet { edits, count: taken.len() };
    (of_model > 0).then(|| ModelFixSet {
        all,
        of_model,
        model: model.unwrap_or_else(|| "a model".to_owned()),
    })
}

/// The fixes that a model has made of what is reported, as far as the user allows them where all are made together.
pub(super) fn allowed_model_fixes(session: &Session, tracked: &Tracked) -> Vec<ModelFix> {
    let settings = session.scoped().of(tracked.path_on_disk());
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

/// The other open files of the same language that contain the name marked by a diagnostic.
pub(super) fn files_with_marked(
    document: &Document,
    diagnostic: &Diagnostic,
    open: &[Arc<Document>],
) -> Vec<Document> {
    let end = diagnostic.span.end.min(document.text().len_bytes());
    let name = document.slice(diagnostic.span.start.min(end)..end);
    files_with_name(document, &name, open)
}

/// The other open files of the same language that contain a name.
fn files_with_name(document: &Document, name: &str, open: &[Arc<Document>]) -> Vec<Document> {
    if name.is_empty() || name.len() > IMPORTED_NAME_BYTES {
        return Vec::new();
    }
    let has_name = |other: &&Arc<Document>| {
        other.text().len_bytes() <= IMPORTING_FILE_BYTES
            && other.grammar() == document.grammar()
            && other.text().to_string().contains(name)
    };
    // Trees made for this search are not kept.
    open.iter().filter(has_name).take(IMPORTING_FILES).map(|other| other.without_tree()).collect()
}
