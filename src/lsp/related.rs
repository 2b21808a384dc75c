//! Keeps the context that a model is shown from other files ready.
//!
//! It is gathered in pauses, after a parse, and again when the user has moved far away from the position that
//! it was gathered for. A request uses the context that is ready.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::serving::CurrentServing;
use super::session_lock::SessionLock;
use super::{convert, neighbors};
use crate::config::{ContextScope, Scoped};
use crate::context::related::{Query, gather};
use crate::context::rules::{MOST_RULES_BYTES, MOST_RULES_FILES, PLACES, Rules, RulesPlace, meant_for};
use crate::disk::{self, IgnoreFiles, Links, Purpose, Readers};
use crate::document::DocumentId;
use crate::privacy::Verdict;
use crate::session::Tracked;
use crate::snapshot::{Related, Snapshot};
use crate::text::words::slashed;

/// Gathered context is used within this many bytes of the position that it was gathered for.
const NEAR_BYTES: usize = 2 * 1024;

/// Gathers context from other files for the open files.
#[derive(Clone)]
pub(super) struct RelatedFiles {
    session: SessionLock,
    serving: CurrentServing,
    readers: Readers,
    ignore_files: Arc<IgnoreFiles>,
}

impl RelatedFiles {
    pub(super) fn new(
        session: SessionLock,
        serving: CurrentServing,
        readers: Readers,
        ignore_files: Arc<IgnoreFiles>,
    ) -> Self {
        Self { session, serving, readers, ignore_files }
    }

    /// Gathers context for a file in the background, and has the local engine learn files near it. Takes locks, so the session must not be locked.
    pub(super) fn refresh(&self, id: &DocumentId) {
        neighbors::learn(&self.session, &self.serving.assist(), &self.readers, id);
        self.gather(id);
    }

    fn gather(&self, id: &DocumentId) {
        if !self.serving.assist().has_model() {
            return;
        }
        let Some(work) = self.begin(id) else { return };
        let gathered_for = id.clone();
        let lane = Purpose::Related.lane(&work.folder);
        // The task does not keep the session alive.
        let (session, serving) = (self.session.downgrade(), self.serving.clone());
        let (readers, ignore_files) = (self.readers.clone(), Arc::clone(&self.ignore_files));
        let gather = move || {
            let generation = work.generation;
            let gather = || work.gather(&ignore_files, &|| session.is_gone());
            let gathered = catch_unwind(AssertUnwindSafe(gather));
            let Some(session) = session.upgrade() else { return };
            match gathered {
                Ok(related) => {
                    tracing::debug!(parts = related.parts.len(), "other files were looked through");
                    session.lock().keep_related(&gathered_for, generation, Arc::new(related));
                }
                Err(_) => tracing::error!(%gathered_for, "gathering from other files panicked"),
            }
            Self { session, serving, readers, ignore_files }.end(&gathered_for);
        };
        if let Err(stuck) = self.readers.start(&lane, gather) {
            tracing::debug!(%stuck, "nothing is gathered from other files");
            self.end(id);
        }
    }

    /// Ends gathering, whatever its result. Gathers once more if something has changed meanwhile.
    fn end(&self, id: &DocumentId) {
        let is_outdated = self.session.lock().tracked_mut(id).is_ok_and(Tracked::end_gathering);
        if is_outdated {
            self.refresh(id);
        }
    }

    /// Gathers context for the recently edited files, and has the local engine learn files near all open ones, after the
    /// workspace or the rules have changed.
    pub(super) fn refresh_all(&self) {
        let assist = self.serving.assist();
        let open = self.session.lock().paths();
        open.iter().for_each(|(id, _)| neighbors::learn(&self.session, &assist, &self.readers, id));
        let files = self.session.lock().files_with_related();
        for id in files {
            self.gather(&id);
        }
    }

    /// Gathers context for a file if the user has moved far away from its position, or if it was dropped.
    pub(super) fn refresh_if_moved(&self, id: &DocumentId) {
        let is_due = self.session.lock().tracked_mut(id).is_ok_and(|tracked| {
            let related = tracked.related();
            let is_far = !related.parts.is_empty() && related.cursor.abs_diff(tracked.focus()) > NEAR_BYTES;
            tracked.take_dropped_related() || is_far
        });
        if is_due {
            self.refresh(id);
        }
    }

    fn begin(&self, id: &DocumentId) -> Option<GatherTask> {
        let mut session = self.session.lock();
        let path = session.tracked(id).ok()?.path_on_disk()?.to_owned();
        let folder = session.folders().iter().find(|folder| path.starts_with(folder))?.clone();
        if !session.tracked_mut(id).ok()?.begin_gathering() {
            return None;
        }
        // A tree that is parsed only for this is not kept: context is gathered also for files that are not edited.
        let detached = |it: Snapshot| Snapshot { document: Arc::new(it.document.detached()), ..it };
        Some(GatherTask {
            snapshot: session.snapshot(id).ok().map(detached),
            cursor: session.tracked(id).ok()?.focus(),
            generation: session.related_generation(),
            open: session.paths_by_use(),
            folders: session.folders().to_vec(),
            settings: session.scoped().clone(),
            path,
            folder,
        })
    }
}

/// The input for gathering the context of one file.
struct GatherTask {
    snapshot: Option<Snapshot>,
    cursor: usize,
    generation: u64,
    open: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    settings: Scoped,
    path: PathBuf,
    /// The workspace folder that contains the file.
    folder: PathBuf,
}

impl GatherTask {
    fn gather(&self, ignore_files: &IgnoreFiles, cancelled: &dyn Fn() -> bool) -> Related {
        let Some(snapshot) = &self.snapshot else { return Related::default() };
        let only = match snapshot.settings.privacy.context {
            ContextScope::File => return Related::default(),
            ContextScope::Open => Some(self.open.as_slice()),
            ContextScope::Workspace => None,
        };
        gather(&Query {
            document: &snapshot.document,
            path: &self.path,
            cursor: self.cursor,
            workspace: &snapshot.workspace,
            rules: &project_rules(&self.folder, &self.path, &self.settings, &self.folders, ignore_files),
            recent: &self.open,
            only,
            before: &snapshot.related,
            shown: &|path| convert::shown_file(path, &self.folders).into(),
            cancelled,
        })
    }
}

/// The rules of a project that apply to a file and that a model may be shown, with their paths below the folder.
///
/// Blocks on the disk.
pub(crate) fn project_rules(
    folder: &Path,
    file: &Path,
    settings: &Scoped,
    folders: &[PathBuf],
    ignore_files: &IgnoreFiles,
) -> Vec<(Arc<str>, String)> {
    let path = shown_below(folder, file);
    let (mut named, mut general): (Vec<(Arc<str>, String)>, Vec<_>) = (Vec::new(), Vec::new());
    for place in PLACES.iter().flat_map(|place| files_of(*place, folder, file)) {
        let path_rules = &settings.of(Some(&place)).privacy.path_rules;
        if ignore_files.judge(&place, folders, path_rules) != Verdict::Open {
            continue;
        }
        // Most of these files do not exist.
        let text = match disk::text(&place, MOST_RULES_BYTES, Links::Refuse) {
            Ok(text) => text,
            Err(why) => {
                tracing::trace!(path = %place.display(), %why, "no rules are read");
                continue;
            }
        };
        let Some(Rules { body, is_named }) = meant_for(&text, &path) else { continue };
        // Projects keep the same text under several names.
        if named.iter().chain(&general).any(|(_, known)| known.trim() == body.trim()) {
            continue;
        }
        let shown = Arc::from(shown_below(folder, &place));
        if is_named { &mut named } else { &mut general }.push((shown, body.to_owned()));
    }
    named.append(&mut general);
    named
}

fn shown_below(folder: &Path, file: &Path) -> String {
    slashed(file.strip_prefix(folder).unwrap_or(file))
}

/// The files that a rules location may refer to, whether they exist or not.
fn files_of(place: RulesPlace, folder: &Path, file: &Path) -> Vec<PathBuf> {
    match place {
        RulesPlace::File(name) => vec![folder.join(name)],
        RulesPlace::Nearest(name) => {
            let above = file.ancestors().skip(1).take_while(|it| it.starts_with(folder));
            above.map(|it| it.join(name)).collect()
        }
        RulesPlace::Folder(name, ending) => {
            let Ok(entries) = disk::entries(&folder.join(name)) else { return Vec::new() };
            let files = entries.flatten().map(|entry| entry.path());
            let mut files: Vec<PathBuf> =
                files.filter(|it| it.to_str().is_some_and(|it| it.ends_with(ending))).collect();
            files.sort_unstable();
            files.truncate(MOST_RULES_FILES);
            files
        }
    }
}
