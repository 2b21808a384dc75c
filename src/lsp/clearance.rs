//! Finds out whether a model may be shown a file that was opened. Its name is judged at once; ignore files are read
//! by [`Readers`], and whoever wants to ask a model waits for that. Where the disk does not answer within
//! [`PATIENCE`] no model is shown the file, until it does.
//!
//! [`Readers`]: crate::disk::Readers

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio::sync::oneshot;

use super::backend::Shared;
use crate::config::Scoped;
use crate::disk::Stuck;
use crate::document::DocumentId;
use crate::privacy::{Clearance, Verdict};

/// How long whoever asks a model waits for the disk.
const PATIENCE: Duration = Duration::from_secs(10);

/// Judges a file. The verdict that takes reading goes to the session as soon as it is there; one that does not is to be
/// [told](tell) by the caller, who holds the session.
pub(super) fn of(
    shared: &Arc<Shared>,
    id: &DocumentId,
    file: Option<&Path>,
    settings: &Scoped,
    folders: &[PathBuf],
) -> Clearance {
    let gate = settings.of(file).privacy.gate.clone();
    let verdict = gate.verdict(&path(id.as_str(), file));
    let Some(file) = file.filter(|_| verdict == Verdict::Open) else {
        return Clearance::settled(verdict);
    };
    let (done, judged) = oneshot::channel();
    let clearance = Clearance::pending(async move {
        let gone = || Verdict::Ignored("it is not known yet whether it may be shown".into());
        judged.await.unwrap_or_else(|_| gone())
    });
    let (file, folders, waiting) = (file.to_owned(), folders.to_vec(), clearance.clone());
    let lane = file.parent().unwrap_or(&file).to_owned();
    let (found, mut finding) = oneshot::channel();
    let ignore_files = Arc::clone(&shared.ignore_files);
    // Whether anyone still waits is no matter.
    let judge = move || drop(found.send(ignore_files.judge(&file, &folders, &gate)));
    let started = shared.readers.start(&lane, judge);
    // A disk that does not answer must not keep alive what waits for it.
    let (shared, id) = (Arc::downgrade(shared), id.clone());
    tokio::spawn(async move {
        let failed = || Verdict::Ignored("the server failed to find out whether it may be shown".into());
        let in_time = match started {
            Ok(()) => tokio::time::timeout(PATIENCE, &mut finding).await.ok(),
            Err(Stuck) => None,
        };
        let Some(strong) = shared.upgrade() else { return };
        let is_late = in_time.is_none();
        let verdict = match in_time {
            Some(found) => found.unwrap_or_else(|_| failed()),
            None => {
                strong.readers.give_up(&lane);
                Verdict::Ignored(format!("whether it is ignored is not known: {Stuck}").into())
            }
        };
        let is_in_force = strong.session().settle(&id, &waiting, verdict.clone());
        if is_in_force {
            say(&strong, &id, &verdict);
        }
        // Nobody may be waiting for it.
        drop(done.send(verdict.clone()));
        drop(strong);
        // The disk may come back: then the verdict is that of its files.
        if is_late
            && let Ok(found) = finding.await
            && let Some(shared) = shared.upgrade()
        {
            let mut session = shared.session();
            if session.clearance(&id).and_then(Clearance::known) == Some(&verdict) {
                session.clear(&id, Clearance::settled(found));
            }
        }
    });
    clearance
}

/// Judges all open files anew: the rules may have changed.
pub(super) fn renew(shared: &Arc<Shared>) {
    let (places, settings, folders) = {
        let session = shared.session();
        (session.places(), session.scoped().clone(), session.folders().to_vec())
    };
    for (id, file) in places {
        let clearance = {
            let mut session = shared.session();
            let clearance = of(shared, &id, file.as_deref(), &settings, &folders);
            session.clear(&id, clearance.clone());
            clearance
        };
        tell(shared, &id, &clearance);
    }
}

/// Says that a file is not for models, if that is known.
pub(super) fn tell(shared: &Shared, id: &DocumentId, clearance: &Clearance) {
    if let Some(verdict) = clearance.known() {
        say(shared, id, verdict);
    }
}

/// The path that is judged: the file's, or what the URI of something else has in its place.
fn path(uri: &str, file: Option<&Path>) -> String {
    match file {
        Some(file) => file.to_string_lossy().replace('\\', "/"),
        None => {
            let path = uri.split(['?', '#']).next().unwrap_or(uri);
            let path = path.split_once(':').map_or(path, |(_, path)| path);
            percent_decode_str(path).decode_utf8_lossy().into_owned()
        }
    }
}

/// Says once, in the editor's log, that a file is not for models.
fn say(shared: &Shared, id: &DocumentId, verdict: &Verdict) {
    let what = match verdict {
        Verdict::Open => return,
        Verdict::Secret(_) => "Tandem does nothing in",
        Verdict::Ignored(_) => "Tandem shows no model",
    };
    shared.editor.log_once(&format!("withheld: {id}"), format!("{what} {id}: {verdict}"));
}
