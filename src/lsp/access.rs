//! Checks whether a model may be shown a file.
//!
//! The name is checked at once. Ignore files are read by [`Readers`], and a request that calls a model waits for
//! the result. If the disk does not answer within [`DISK_TIMEOUT`], no model is shown the file until it does.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use tokio::sync::oneshot;

use super::editor::Editor;
use super::file_report::withheld;
use super::serving::CurrentServing;
use super::session_lock::SessionLock;
use crate::config::Scoped;
use crate::disk::{IgnoreFiles, Readers, Stuck};
use crate::document::DocumentId;
use crate::lsp::limits::DISK_TIMEOUT;
use crate::privacy::{ModelAccess, PathRules, Verdict};
use crate::text::words::slashed;

/// Determines whether models may be shown the open files.
#[derive(Clone)]
pub(super) struct AccessChecker {
    session: SessionLock,
    serving: CurrentServing,
    editor: Editor,
    readers: Readers,
    pub(super) ignore_files: Arc<IgnoreFiles>,
}

/// The check of a file's name; its ignore files may still be unread.
#[must_use = "pending access is resolved by `AccessChecker::finish`"]
pub(super) struct Check {
    pub(super) access: ModelAccess,
    unread: Option<Unread>,
}

/// The input for reading a file's ignore files.
struct Unread {
    path: PathBuf,
    folders: Vec<PathBuf>,
    rules: PathRules,
    done: oneshot::Sender<Verdict>,
}

/// Checks a file by its name.
///
/// Takes no lock and reads nothing, so it may run under the session's lock.
pub(super) fn check(id: &DocumentId, path: Option<&Path>, settings: &Scoped, folders: &[PathBuf]) -> Check {
    let rules = settings.of(path).privacy.path_rules.clone();
    let verdict = rules.verdict(&checked_path(id.as_str(), path));
    let Some(path) = path.filter(|_| verdict == Verdict::Open) else {
        return Check { access: ModelAccess::settled(verdict), unread: None };
    };
    let (done, read) = oneshot::channel();
    let access = ModelAccess::pending(async move {
        let unknown = || Verdict::Ignored("it is not known yet whether it may be shown".into());
        read.await.unwrap_or_else(|_| unknown())
    });
    let (path, folders) = (path.to_owned(), folders.to_vec());
    Check { access, unread: Some(Unread { path, folders, rules, done }) }
}

impl AccessChecker {
    pub(super) fn new(
        session: SessionLock,
        serving: CurrentServing,
        editor: Editor,
        readers: Readers,
    ) -> Self {
        Self { session, serving, editor, readers, ignore_files: Arc::default() }
    }

    /// Checks all open files again, after the rules may have changed.
    pub(super) fn check_all(&self) {
        let (paths, settings, folders) = {
            let mut session = self.session.lock();
            session.forget_verdicts();
            (session.places(), session.scoped().clone(), session.folders().to_vec())
        };
        for (id, path) in paths {
            let check = check(&id, path.as_deref(), &settings, &folders);
            self.session.lock().set_access(&id, check.access.clone());
            self.finish(&id, check);
        }
    }

    /// Applies a known verdict, or starts reading the ignore files.
    ///
    /// Reading resolves the access. Takes locks, so the session must not be locked.
    pub(super) fn finish(&self, id: &DocumentId, check: Check) {
        let Check { access, unread } = check;
        if let Some(verdict) = access.known() {
            apply_verdict(&self.serving, &self.editor, id, verdict);
        }
        let Some(Unread { path, folders, rules, done }) = unread else { return };
        let lane = path.parent().unwrap_or(&path).to_owned();
        let (found, finding) = oneshot::channel();
        let ignore_files = Arc::clone(&self.ignore_files);
        // The receiver is gone if the server has shut down.
        let judge = move || drop(found.send(ignore_files.judge(&path, &folders, &rules)));
        let started = self.readers.start(&lane, judge);
        let id = id.clone();
        // A disk that does not answer must not keep the session alive.
        let session = self.session.downgrade();
        let (serving, editor, readers) = (self.serving.clone(), self.editor.clone(), self.readers.clone());
        tokio::spawn(async move {
            let mut finding = finding;
            let failed = || Verdict::Ignored("the server failed to find out whether it may be shown".into());
            let in_time = match started {
                Ok(()) => tokio::time::timeout(DISK_TIMEOUT, &mut finding).await.ok(),
                Err(Stuck) => None,
            };
            let Some(strong) = session.upgrade() else { return };
            let is_late = in_time.is_none();
            let verdict = match in_time {
                Some(found) => found.unwrap_or_else(|_| failed()),
                None => {
                    readers.give_up(&lane);
                    Verdict::Ignored(format!("whether it is ignored is not known: {Stuck}").into())
                }
            };
            let is_current = strong.lock().resolve_access(&id, &access, verdict.clone());
            if is_current {
                apply_verdict(&serving, &editor, &id, &verdict);
            }
            // The receiver is gone if no request waits for it.
            drop(done.send(verdict.clone()));
            drop(strong);
            // If the disk answers later, its verdict counts.
            if is_late
                && let Ok(found) = finding.await
                && let Some(session) = session.upgrade()
            {
                let mut session = session.lock();
                if session.access(&id).and_then(ModelAccess::known) == Some(&verdict) {
                    session.set_access(&id, ModelAccess::settled(found));
                }
            }
        });
    }
}

/// The path to check: the file's path, or the path part of any other URI.
fn checked_path(uri: &str, path: Option<&Path>) -> String {
    match path {
        Some(path) => slashed(path),
        None => {
            let path = uri.split(['?', '#']).next().unwrap_or(uri);
            let path = path.split_once(':').map_or(path, |(_, path)| path);
            percent_decode_str(path).decode_utf8_lossy().into_owned()
        }
    }
}

/// Applies the verdict on a file. If it is withheld, the local engine forgets it and the editor's log notes it once.
fn apply_verdict(serving: &CurrentServing, editor: &Editor, id: &DocumentId, verdict: &Verdict) {
    let what = match verdict {
        Verdict::Open => return,
        Verdict::Secret(_) => "Tandem does nothing in",
        Verdict::Ignored(_) => "Tandem shows no model",
    };
    serving.assist().forget(id);
    editor.log_once(&withheld(id), format!("{what} {id}: {verdict}"));
}
