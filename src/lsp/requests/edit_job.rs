//! Jobs that result in an edit.
//!
//! They are `tandem.rewrite`, `tandem.fix`, and resolved code actions.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;
use tower_lsp::jsonrpc;

use crate::assist::{Origin, Rewrite};
use crate::document::Document;
use crate::edit::{Edit, Flag, Refusal, rebase};
use crate::job::Reason;
use crate::lsp::convert;
use crate::lsp::errors::failure;
use crate::lsp::protocol::WorkspaceEdit;
use crate::lsp::request_outcome::{Answered, PendingOutcome};
use crate::lsp::state::ServerState;

/// The cause under which a model's failures are reported, once until the model answers again.
pub(super) const MODEL_CAUSE: &str = "model";

/// The result of a job, or the reason for none.
type Made = Result<(Rewrite, Origin), Reason>;

/// An edit of the editor's current text.
pub(super) struct CurrentEdit {
    pub(super) edit: WorkspaceEdit,
    /// Warnings about it for the user.
    pub(super) flags: Vec<Flag>,
    pub(super) origin: Origin,
}

impl ServerState {
    /// Runs a job under a cancellable progress bar, which shows the latest status message of the job.
    pub(super) async fn watch_job<T>(
        &self,
        title: String,
        token: Option<Value>,
        said: watch::Receiver<String>,
        job: impl Future<Output = Result<T, Reason>> + Send,
    ) -> Result<T, Reason> {
        self.bars.watch_with_status(title, token, Some(said), job).await.unwrap_or(Err(Reason::Cancelled))
    }

    /// Rebases a job's edits for `document` over the changes since, and logs the outcome.
    pub(super) fn finish_edit_job(
        &self,
        record: PendingOutcome,
        document: &Document,
        made: Made,
    ) -> jsonrpc::Result<CurrentEdit> {
        let edit = made.and_then(|(Rewrite { edits, flags }, origin)| {
            self.editor.recovered(MODEL_CAUSE);
            let (current, edits) = self.rebase(document, edits)?;
            let changes = edits.iter().map(|Edit { span, text }| (span.clone(), text.as_str()));
            self.session.lock().expect_edit(&current, changes);
            let edit = convert::document_edits(&current, &edits, self.client.get());
            Ok(CurrentEdit { edit, flags, origin })
        });
        let outcome = edit.as_ref().map(|edit| Answered::from(&edit.origin)).map_err(Clone::clone);
        record.finish(&mut self.session.lock(), document.id(), outcome);
        edit.map_err(|reason| failure(record.job, &reason))
    }

    /// Rebases edits made for a version to the current one.
    fn rebase(&self, made_for: &Document, edits: Vec<Edit>) -> Result<(Arc<Document>, Vec<Edit>), Reason> {
        let (current, since) = {
            let session = self.session.lock();
            let tracked = session.tracked(made_for.id())?;
            (Arc::clone(tracked.document()), tracked.changes_since(made_for).ok_or(Reason::Stale)?)
        };
        let typed: Vec<Edit> = since.iter().map(Edit::from).collect();
        Ok((current, rebase::over_all(edits, typed.chunks(1)).map_err(Refusal::from)?))
    }
}
