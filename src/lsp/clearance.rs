//! Finds out whether a model may be shown a file that was opened. Its name is judged at once; ignore files are read
//! on the pool for work that blocks, and whoever wants to ask a model waits for that.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use tokio::sync::oneshot;

use super::backend::Shared;
use crate::config::{self, Scoped};
use crate::document::DocumentId;
use crate::privacy::{Clearance, Verdict};

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
    let (shared, id) = (Arc::clone(shared), id.clone());
    tokio::spawn(async move {
        let judging = tokio::task::spawn_blocking(move || config::judge(&file, &folders, &gate));
        let verdict = judging.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a file could not be judged");
            Verdict::Ignored("the server failed to find out whether it may be shown".into())
        });
        let is_in_force = shared.session().settle(&id, &waiting, verdict.clone());
        if is_in_force {
            say(&shared, &id, &verdict);
        }
        // Nobody may be waiting for it.
        drop(done.send(verdict));
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
