//! The methods behind the table in [`super::server`].
//!
//! Each decodes its parameters and calls its handler in [`super::requests`].
//!
//! Notifications contain no `.await` at all. That keeps the session in message order; a test enforces it.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;
use tower_lsp::LanguageServer;
use tower_lsp::gen_lsp_types::{InitializeParams, InitializeResult, InitializedParams, ServerInfo};
use tower_lsp::jsonrpc::{Error, Result};

use super::capabilities::{
    ACCEPT, ASK, CHECK_PLAN, COMMANDS, FIX, JOB, MODELS, PLAN, RAISE_BUDGET, REJECT, REWRITE, SNOOZE, STATUS,
    USE_MODEL, WHY, announce_will_save, experimental, negotiate,
};
use super::protocol::{self, CodeAction, InlineItem};
use super::requests::{
    ask, check_plan, code_action, code_action_resolve, diagnostics, did_change, did_close, did_open,
    did_partially_accept, did_save, did_show, fix, inline_completion, models, next_edit, notebook, pair,
    plan, raise_budget, rewrite, snooze, why, will_save,
};
use super::saved_session::SavedSession;
use super::serving::{Start, accepted};
use super::state::ServerState;
use super::{convert, file_report, parent, recording, settings, status_report, workspace_walk};
use crate::document::DocumentId;
use crate::model::News;
use crate::record::{Event, document_number};
use crate::route::Gear;
use crate::session::Session;
use crate::workspace::Workspace;

/// The server's side of one editor.
#[derive(Debug)]
pub(super) struct Backend {
    pub(super) state: Arc<ServerState>,
}

impl Backend {
    pub(super) fn new(client: tower_lsp::Client, start: Start) -> Self {
        Self { state: Arc::new(ServerState::new(client, start)) }
    }

    pub(super) async fn did_open(&self, params: Value) {
        let Some(opened) = self.decode::<protocol::DidOpen>("textDocument/didOpen", params) else { return };
        settings::reload_if_stale(&self.state);
        self.open(&opened.text_document, None);
    }

    fn open(&self, opened: &protocol::OpenedDocument, notebook: Option<&str>) {
        did_open::did_open(&self.state, opened, notebook);
        recording::text(&self.state, &DocumentId::new(&opened.uri), None);
    }

    pub(super) async fn did_change(&self, params: Value) {
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str).map(DocumentId::new);
        match (self.decode("textDocument/didChange", params), uri) {
            (Some(change), _) => self.change(change),
            (None, Some(id)) => did_change::unreadable(&self.state, &id),
            (None, None) => {}
        }
    }

    pub(super) fn change(&self, change: protocol::DidChange) {
        let before = recording::before(&self.state, &change.text_document.uri);
        did_change::did_change(&self.state, change);
        if let Some((id, before)) = before {
            recording::text(&self.state, &id, before.as_deref());
        }
    }

    /// Whether the file of a change is tracked.
    pub(super) fn tracks(&self, change: &protocol::DidChange) -> bool {
        let id = DocumentId::new(&change.text_document.uri);
        self.state.session.lock().tracked(&id).is_ok()
    }

    pub(super) async fn did_save(&self, params: Value) {
        let Some(saved) = self.decode::<protocol::OnDocument>("textDocument/didSave", params) else { return };
        settings::reload_if_stale(&self.state);
        did_save::did_save(&self.state, &saved.text_document.uri);
        let id = document_number(&DocumentId::new(&saved.text_document.uri));
        recording::event(&self.state.serving, Event::Saved { id });
    }

    pub(super) async fn did_close(&self, params: Value) {
        let Some(closed) = self.decode::<protocol::OnDocument>("textDocument/didClose", params) else {
            return;
        };
        self.close(&closed.text_document.uri);
    }

    fn close(&self, uri: &str) {
        let id = DocumentId::new(uri);
        did_close::did_close(&self.state, &id);
        self.state.serving.tell([News::Closed(id.as_str().to_owned())]);
        recording::event(&self.state.serving, Event::Closed { id: document_number(&id) });
    }

    pub(super) async fn did_open_notebook(&self, params: Value) {
        let method = "notebookDocument/didOpen";
        let Some(opened) = self.decode::<protocol::DidOpenNotebook>(method, params) else { return };
        settings::reload_if_stale(&self.state);
        let protocol::OpenedNotebook { uri, cells } = opened.notebook_document;
        self.state.session.lock().close_notebook(&DocumentId::new(&uri));
        let array = protocol::CellArray { start: 0, delete_count: 0, cells };
        notebook::replace_cells(&self.state, &uri, array);
        opened.cell_text_documents.iter().for_each(|cell| self.open(cell, Some(&uri)));
    }

    pub(super) async fn did_change_notebook(&self, params: Value) {
        let uri = params.pointer("/notebookDocument/uri").and_then(Value::as_str).map(str::to_owned);
        let changed = self.decode::<protocol::DidChangeNotebook>("notebookDocument/didChange", params);
        let (Some(changed), Some(uri)) = (changed, &uri) else {
            return uri.iter().for_each(|uri| notebook::unreadable(&self.state.session, uri));
        };
        let protocol::CellChanges { structure, text_content } = changed.change.cells;
        if let Some(protocol::Structure { array, did_open, did_close }) = structure {
            notebook::replace_cells(&self.state, uri, array);
            did_close.iter().for_each(|cell| self.close(&cell.uri));
            did_open.iter().for_each(|cell| self.open(cell, Some(uri)));
        }
        for protocol::CellText { document, changes } in text_content {
            self.change(protocol::DidChange { text_document: document, content_changes: changes });
        }
    }

    /// The server's state of cells does not depend on the disk.
    pub(super) async fn did_save_notebook(&self, _: Value) {
        settings::reload_if_stale(&self.state);
    }

    pub(super) async fn did_close_notebook(&self, params: Value) {
        let method = "notebookDocument/didClose";
        let Some(closed) = self.decode::<protocol::DidCloseNotebook>(method, params) else { return };
        closed.cell_text_documents.iter().for_each(|cell| self.close(&cell.uri));
        self.state.session.lock().close_notebook(&DocumentId::new(&closed.notebook_document.uri));
    }

    pub(super) async fn did_change_workspace_folders(&self, params: Value) {
        let method = "workspace/didChangeWorkspaceFolders";
        let Some(protocol::DidChangeFolders { event }) = self.decode(method, params) else { return };
        let paths = |folders: Vec<protocol::Folder>| {
            folders.iter().filter_map(|folder| convert::file_path(&folder.uri)).collect::<Vec<_>>()
        };
        let ServerState { session, access, .. } = &*self.state;
        session.lock().change_folders(paths(event.added), &paths(event.removed));
        settings::reload(&self.state);
        access.check_all();
        workspace_walk::index_workspace(&self.state);
    }

    pub(super) async fn did_change_configuration(&self, params: Value) {
        let method = "workspace/didChangeConfiguration";
        let Some(changed) = self.decode::<protocol::DidChangeConfiguration>(method, params) else { return };
        settings::editor_settings_changed(&self.state, changed.settings);
    }

    /// The editor watches settings files and workspace files.
    pub(super) async fn did_change_watched_files(&self, params: Value) {
        let method = "workspace/didChangeWatchedFiles";
        let Some(protocol::DidChangeWatchedFiles { changes }) = self.decode(method, params) else { return };
        let paths = changes.iter().filter_map(|change| convert::file_path(&change.uri));
        let (settings, others): (Vec<_>, Vec<_>) =
            paths.partition(|path| settings::is_settings_file(&self.state, path));
        if !settings.is_empty() || others.is_empty() {
            settings::reload(&self.state);
        }
        if !others.is_empty() {
            workspace_walk::files_changed(&self.state, others);
        }
    }

    pub(super) async fn inline_completion(
        &self,
        request: protocol::InlineCompletion,
    ) -> Result<Vec<InlineItem>> {
        inline_completion::inline_completion(Arc::clone(&self.state), request).await
    }

    pub(super) async fn next_edit(&self, params: Value) -> Result<protocol::NextEdits> {
        next_edit::next_edit(Arc::clone(&self.state), decode(params)?, next_edit::Reach::AllFiles).await
    }

    /// For plugins made for another server, which may not accept an edit of another file.
    pub(super) async fn inline_edit(&self, params: Value) -> Result<protocol::NextEdits> {
        next_edit::next_edit(Arc::clone(&self.state), decode(params)?, next_edit::Reach::SameFile).await
    }

    pub(super) async fn diagnostics(&self, params: Value) {
        if let Some(reported) = self.decode("tandem/diagnostics", params) {
            diagnostics::diagnostics(&self.state, reported);
        }
    }

    /// Answers from ready fixes, so that a save does not wait.
    pub(super) async fn will_save(&self, params: Value) -> Result<Vec<protocol::TextEdit>> {
        Ok(will_save::will_save(&self.state.session, &decode(params)?))
    }

    pub(super) async fn did_show(&self, params: Value) {
        if let Some(report) = self.decode::<did_show::DidShow>("tandem/didShow", params) {
            did_show::did_show(&self.state, &report);
            recording::event(&self.state.serving, Event::Drawn { suggestion: report.item.number() });
        }
    }

    pub(super) async fn did_partially_accept(&self, params: Value) {
        let method = "tandem/didPartiallyAccept";
        if let Some(report) = self.decode::<did_partially_accept::DidPartiallyAccept>(method, params) {
            did_partially_accept::did_partially_accept(&self.state, &report);
            let units = usize::try_from(report.accepted_length).ok().filter(|units| *units > 0);
            let suggestion = report.item.number();
            recording::event(&self.state.serving, Event::Accepted { suggestion, units });
        }
    }

    /// Parses the document that the user has just focused.
    pub(super) async fn did_focus(&self, params: Value) {
        let Some(focus) = self.decode::<protocol::DidFocus>("tandem/didFocus", params) else { return };
        settings::reload_if_stale(&self.state);
        if let Some(document) = focus.text_document {
            let id = DocumentId::new(&document.uri);
            self.state.parser.hurry(&id);
            self.state.related.refresh(&id);
        }
    }

    pub(super) async fn code_action(&self, params: Value) -> Result<Vec<Value>> {
        let actions = code_action::code_actions(Arc::clone(&self.state), decode(params)?).await?;
        // An editor without support for code action literals gets commands instead.
        let takes_literal = self.state.client.get().code_actions;
        let listed = actions.into_iter().map(|action| match action.command {
            Some(command) if !takes_literal => serde_json::to_value(command),
            _ => serde_json::to_value(action),
        });
        listed.collect::<serde_json::Result<_>>().map_err(|error| {
            tracing::error!(%error, "a code action cannot be written");
            Error::internal_error()
        })
    }

    pub(super) async fn code_action_resolve(&self, params: Value) -> Result<CodeAction> {
        code_action_resolve::code_action_resolve(Arc::clone(&self.state), decode(params)?).await
    }

    pub(super) async fn execute_command(&self, params: Value) -> Result<Value> {
        let protocol::ExecuteCommand { work_done_token, command, mut arguments } = decode(params)?;
        let first = if arguments.is_empty() { Value::Null } else { arguments.swap_remove(0) };
        let ServerState { session, serving, .. } = &*self.state;
        let state = || Arc::clone(&self.state);
        // What follows a suggestion is not rare, and does not depend on the settings.
        if !matches!(command.as_str(), ACCEPT | REJECT) {
            settings::reload_if_stale(&self.state);
        }
        match command.as_str() {
            REWRITE => rewrite::rewrite_command(state(), decode(first)?, work_done_token).await,
            FIX => fix::fix_command(state(), decode(first)?, work_done_token).await,
            ASK => ask::ask(state(), decode(first)?, work_done_token).await,
            PLAN => plan::plan_command(state(), decode(first)?, work_done_token).await,
            CHECK_PLAN => check_plan::check_plan(state(), decode(first)?).await,
            JOB => pair::job_command(state(), decode(first)?, work_done_token).await,
            STATUS => self.status(first).await,
            WHY => Ok(why::why(&self.state, &optional(first)?)),
            SNOOZE => snooze::snooze(&self.state, &optional(first)?),
            MODELS => Ok(self.models()),
            USE_MODEL => {
                let (gear, pick) = models::picked(serving, decode(first)?)?;
                settings::pick(&self.state, gear, pick);
                Ok(self.models())
            }
            RAISE_BUDGET => raise_budget::raise_budget(&self.state),
            ACCEPT => {
                let id = decode(first)?;
                let now = Instant::now().into_std();
                let known =
                    serving.react(session, |it| (it.accept(id, now), accepted(it.accepted_items(id))));
                tracing::debug!(known, "a suggestion was accepted");
                recording::event(serving, Event::Accepted { suggestion: id, units: None });
                Ok(Value::Null)
            }
            REJECT => {
                let id = decode(first)?;
                let known = session.lock().feedback().reject(id, Instant::now().into_std());
                tracing::debug!(known, "a suggestion was dismissed");
                recording::event(serving, Event::Dismissed { suggestion: id });
                Ok(Value::Null)
            }
            other => Err(Error::invalid_params(format!(
                "there is no command `{other}`; there are {}",
                COMMANDS.join(", ")
            ))),
        }
    }

    fn models(&self) -> Value {
        let picks = self.state.configuration().picks.clone();
        models::models(&self.state.serving, &picks)
    }

    pub(super) async fn status(&self, params: Value) -> Result<Value> {
        let about: protocol::AboutDocument = optional(params)?;
        settings::reload_if_stale(&self.state);
        let uri = about.text_document.as_ref().map(|it| it.uri.as_str());
        Ok(status_report::status(&self.state.serving, &self.state.session, uri))
    }

    pub(super) async fn cancel_progress(&self, params: Value) {
        let method = "window/workDoneProgress/cancel";
        let Some(protocol::CancelProgress { token }) = self.decode(method, params) else { return };
        self.state.bars.cancellable.cancel(&token);
    }

    /// Marks every file as out of sync, because the editor's last message was not understood.
    pub(super) fn mark_all_out_of_sync(&self, why: &str) {
        let lost = self.state.session.lock().mark_all_out_of_sync();
        for id in lost {
            file_report::report_out_of_sync(&self.state.editor, &id, why);
        }
    }

    /// Decodes a notification's parameters.
    ///
    /// Invalid parameters are only logged, since a notification has no answer.
    fn decode<T: DeserializeOwned>(&self, method: &str, params: Value) -> Option<T> {
        serde_json::from_value(params)
            .map_err(|_: serde_json::Error| {
                // The error would quote the input, which may be a file's text.
                self.state.editor.log(format!("{method} was passed over: its parameters are not LSP's"));
            })
            .ok()
    }
}

/// Decodes optional parameters.
fn optional<T: DeserializeOwned + Default>(params: Value) -> Result<T> {
    if params.is_null() { Ok(T::default()) } else { decode(params) }
}

/// Decodes a request's parameters, or returns an error that describes the problem.
fn decode<T: DeserializeOwned>(params: Value) -> Result<T> {
    serde_json::from_value(params).map_err(|error| Error::invalid_params(error.to_string()))
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        parent::watch(params.process_id, &self.state.orphaned);
        let (mut capabilities, mut client) = negotiate(&params);
        let folders = std::mem::take(&mut client.folders);
        let saved = SavedSession::read(experimental(&params, "session"));
        saved.name().into_iter().for_each(|name| self.state.configuration().keys.set_session(name));
        let options = params.initialization_options;
        let scoped = settings::load_first(&self.state, options, &folders, saved.picks());
        if scoped.everywhere().fix_before_save {
            announce_will_save(&mut capabilities);
        }
        let indexes = self.state.configuration().start.indexes.clone();
        let workspace = indexes.map_or_else(Workspace::default, Workspace::sharing);
        *self.state.session.lock() = Session::new(client.encoding, folders, scoped).with_workspace(workspace);
        saved.restore(&self.state);
        if !self.state.client.set(client) {
            tracing::warn!("this is not the first request; what the editor can do was settled before");
        }
        let server_info =
            ServerInfo { name: "tandem".to_owned(), version: Some(env!("CARGO_PKG_VERSION").to_owned()) };
        Ok(InitializeResult { capabilities, server_info: Some(server_info) })
    }

    async fn initialized(&self, _: InitializedParams) {
        let state = &self.state;
        state.serving.get().warm();
        settings::watch(state);
        workspace_walk::index_workspace(state);
        if state.client.get().wants_status || state.serving.get().windows.is_some() {
            let changed = Arc::clone(&state.status_changed);
            tokio::spawn(status_report::report_changes(Arc::downgrade(state), changed));
        }
        state.editor.send_deferred();
        state.editor.log(match state.serving.assist().model_name(Gear::Fast) {
            Some(model) => format!("Tandem {}: the fast gear is {model}", env!("CARGO_PKG_VERSION")),
            None => format!(
                "Tandem {}: no model is configured, so the local engine answers; `tandem setup` chooses one",
                env!("CARGO_PKG_VERSION")
            ),
        });
    }

    async fn shutdown(&self) -> Result<()> {
        self.state.serving.get().gears.end().await;
        Ok(())
    }
}
