//! The queued next edits: added by searches and taken by requests.

use std::sync::Arc;

use super::options::{Asked, Reach};
use crate::assist::SuggestedEdit;
use crate::document::{Document, DocumentId};
use crate::job::Reason;
use crate::lsp::capabilities::ACCEPT;
use crate::lsp::convert;
use crate::lsp::protocol::{self, Command};
use crate::lsp::state::ServerState;
use crate::session::Session;
use crate::session::ghost::Source;
use crate::session::next_edit::{NextEdit, UnopenedEdits};
use crate::snapshot::Rename;

/// Edits of one file in LSP form, at least one.
pub(super) struct QueuedEdits {
    pub(super) edits: Vec<protocol::NextEdit>,
    /// The gear and model that made the first edit.
    pub(super) source: Source,
    /// Whether there is no further edit in the file of the request.
    pub(super) is_last_there: bool,
}

/// Queues the edits that a search in `searched` found.
///
/// Returns true if an edit is queued in their file, or offered there.
pub(super) fn queue(
    state: &Arc<ServerState>,
    searched: &Document,
    found: Vec<SuggestedEdit>,
    append: bool,
) -> bool {
    let Some(document) = found.first().map(|it| Arc::clone(&it.document)) else { return false };
    let assist = state.serving.assist();
    let edits = found.into_iter().map(|it| NextEdit {
        id: state.ids.next(),
        edit: it.edit,
        old: it.old,
        repeats: it.repeats,
        rename: it.rename,
        source: Source { gear: it.gear.to_string(), model: assist.model_name(it.gear) },
    });
    let edits: Vec<NextEdit> = edits.collect();
    let mut session = state.session.lock();
    if session.tracked(document.id()).is_err() {
        let Some(path) = convert::file_path(document.id().as_str()) else { return false };
        let offered = UnopenedEdits { path, document, edits };
        return session
            .tracked_mut(searched.id())
            .is_ok_and(|tracked| tracked.offer_unopened(searched, offered));
    }
    if let Some(mut queue) = session.next_edits(document.id()) {
        queue.queue(&document, edits, append);
    }
    let has_edit = session.next_edit(document.id()).is_some();
    if has_edit
        && document.id() != searched.id()
        && let Some(mut queue) = session.next_edits(searched.id())
    {
        queue.lead_to(document.id());
    }
    has_edit
}

/// Queues the last dismissed edit of a file again.
///
/// It may be in the file that edits in this one lead to.
pub(super) fn restore(session: &mut Session, id: &DocumentId, reach: Reach) -> bool {
    let other = session.tracked(id).ok().and_then(|tracked| tracked.leads_to()).cloned();
    let other = other.filter(|_| reach == Reach::AllFiles);
    let mut files = std::iter::once(id.clone()).chain(other);
    files.any(|id| session.next_edits(&id).is_some_and(|mut edits| edits.restore_rejected()))
}

/// The first edits queued in a file, as many as a request takes.
///
/// They may be in the file that edits in this one lead to.
///
/// If there are none, returns the first edit offered for an unopened file, unless more than one is wanted.
pub(super) fn queued(
    session: &Session,
    asked: &Asked<'_>,
) -> std::result::Result<Option<QueuedEdits>, Reason> {
    let (id, limit, takes_renames) = (&asked.id, asked.request.limit(), asked.takes_renames());
    let tracked = session.tracked(id)?;
    let other = || (asked.reach == Reach::AllFiles).then(|| session.next_edit_in_other_file(id)).flatten();
    let own = session.next_edit(id).map(|_| id);
    let unopened = tracked.unopened_edits().filter(|_| asked.reach == Reach::AllFiles && limit == 1);
    let (document, version, edits): (_, _, Vec<&NextEdit>) = match (own.or_else(other), unopened) {
        (Some(id), _) => {
            let tracked = session.tracked(id)?;
            let document = tracked.document();
            (document, Some(document.version()), tracked.queued_edits().take(limit).collect())
        }
        (None, Some(offered)) => (&offered.document, None, offered.edits.iter().take(limit).collect()),
        (None, None) => return Ok(None),
    };
    let Some(first) = edits.first() else { return Ok(None) };
    let source = first.source.clone();
    let edit = |next: &&NextEdit| protocol::NextEdit {
        id: next.id,
        text: next.edit.text.clone(),
        range: convert::to_range(document, &next.edit.span, session.encoding()),
        text_document: protocol::DocumentRef { uri: document.id().as_str().to_owned(), version },
        rename: next.rename.as_deref().filter(|_| takes_renames).and_then(|it| renamed(session, it)),
        command: Command::new("Accept", ACCEPT, &next.id),
    };
    let is_last_there = document.id() != id || tracked.queued_edits().nth(1).is_none();
    Ok(Some(QueuedEdits { edits: edits.iter().map(edit).collect(), source, is_last_there }))
}

/// The LSP form of a rename, while the renamed declaration still exists.
pub(super) fn renamed(session: &Session, rename: &Rename) -> Option<protocol::Rename> {
    let tracked = session.tracked(&rename.document).ok()?;
    let at = tracked.declaration_now(rename)?;
    let document = tracked.document();
    Some(protocol::Rename {
        from: rename.from.clone(),
        to: rename.to.clone(),
        range: convert::to_range(document, &at, session.encoding()),
        text_document: protocol::DocumentRef::of(document),
    })
}
