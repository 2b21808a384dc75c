//! The handlers behind the table in [`super::serve`]: decode, one short lock, hand on.
//!
//! Notifications have no `.await` in them at all. That is what keeps the session in the order of the wire, and a test
//! pins it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;
use tower_lsp::LanguageServer;
use tower_lsp::gen_lsp_types::{InitializeParams, InitializeResult, InitializedParams, ServerInfo};
use tower_lsp::jsonrpc::{Error, Result};

use super::capabilities::{ACCEPT, COMMANDS, Client, FIX, REJECT, REWRITE, SNOOZE, STATUS, WHY, negotiate};
use super::editor::Editor;
use super::progress::Stoppable;
use super::settings::{Configuration, Serving};
use super::wire::{self, CodeAction, InlineItem};
use super::{Start, clearance, convert, jobs, names, parent, parse, settings, status};
use crate::assist::Assist;
use crate::config::Settings;
use crate::disk::{IgnoreFiles, Readers};
use crate::document::DocumentId;
use crate::model::ladder::Notice;
use crate::privacy::IGNORE_FILES;
use crate::route::Gear;
use crate::session::{Place, Session, Sync};

/// Diagnostics of one document that are read.
const DIAGNOSTICS: usize = 1_000;

/// The server's side of one editor.
#[derive(Debug)]
pub(super) struct Backend {
    pub(super) shared: Arc<Shared>,
}

/// What tasks share with the handlers.
pub(super) struct Shared {
    pub(super) editor: Editor,
    /// The one lock. Its guard lives for a few lines and never across an `.await`.
    session: Mutex<Session>,
    /// Where the settings come from. Whoever reads them anew holds it, and takes the others within.
    pub(super) configuration: Mutex<Configuration>,
    /// What the settings in force come to. Held for as long as it takes to copy or exchange it.
    serving: Mutex<Arc<Serving>>,
    /// The turn to parse in the background.
    pub(super) parsing: Semaphore,
    /// Tells requests for ghost text that a suggestion has grown.
    pub(super) grown: Notify,
    /// The number that the next suggestion gets, of whatever kind: editors report by it.
    next_id: AtomicU64,
    /// Set once, by `initialize`.
    client: OnceLock<Client>,
    /// Rung when something that the status shows may be different.
    pub(super) status_changed: Arc<Notify>,
    /// What the user can stop.
    pub(super) stoppable: Stoppable,
    /// What waits for the disks of workspaces.
    pub(super) readers: Readers,
    pub(super) ignore_files: Arc<IgnoreFiles>,
    /// Rung when the editor's process has ended.
    pub(super) orphaned: Arc<Notify>,
}

impl Shared {
    /// The session. A panic under the lock cannot leave it half changed for long: every change replaces whole values.
    pub(super) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for a suggestion, used only once.
    pub(super) fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// What the editor can do; nothing much if it did not say so yet.
    pub(super) fn client(&self) -> &Client {
        self.client.get_or_init(Client::default)
    }

    /// What does the jobs. Whoever holds on to it goes on with the models of that moment.
    pub(super) fn assist(&self) -> Assist {
        self.serving().assist.clone()
    }

    /// What the settings in force come to.
    pub(super) fn serving(&self) -> Arc<Serving> {
        Arc::clone(&self.serving.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts it in force for what begins from now on.
    pub(super) fn serve(&self, serving: Serving) {
        *self.serving.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(serving);
    }

    /// What a gear has to tell the user.
    pub(super) fn notice(&self, notice: Notice) {
        match notice {
            Notice::Changed => self.status_changed.notify_one(),
            Notice::Say { cause, text } => self.editor.warn_once(&cause, text),
            Notice::Over { cause } => self.editor.recovered(&cause),
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Backend {
    pub(super) fn new(client: tower_lsp::Client, start: Start) -> Self {
        let session = Session::new(Default::default(), Vec::new(), Arc::new(Settings::default()));
        let readers = start.readers.clone();
        let shared = Shared {
            editor: Editor::new(client),
            session: Mutex::new(session),
            configuration: Mutex::new(Configuration::new(start)),
            serving: Mutex::default(),
            parsing: Semaphore::new(1),
            grown: Notify::new(),
            next_id: AtomicU64::new(1),
            client: OnceLock::new(),
            status_changed: Arc::default(),
            stoppable: Stoppable::default(),
            readers,
            ignore_files: Arc::default(),
            orphaned: Arc::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    pub(super) async fn did_open(&self, params: Value) {
        let Some(wire::DidOpen { text_document: opened }) = self.decode("textDocument/didOpen", params)
        else {
            return;
        };
        settings::look(&self.shared);
        let id = DocumentId::new(&opened.uri);
        // Whatever was said of it was said of an earlier time.
        self.shared.editor.forget(&too_large(&id));
        self.shared.editor.forget(&out_of_sync(&id));
        let (sync, clearance) = {
            let mut session = self.shared.session();
            let shown = convert::shown_path(&opened.uri, session.folders()).into();
            let file = convert::file_path(&opened.uri);
            let (settings, folders) = (session.scoped(), session.folders());
            let clearance = clearance::of(&self.shared, &id, file.as_deref(), settings, folders);
            let place = Place { shown, file, clearance: clearance.clone() };
            (session.open(id.clone(), &opened.language_id, opened.version, &opened.text, place), clearance)
        };
        clearance::tell(&self.shared, &id, &clearance);
        names::take_in(&self.shared, &id);
        jobs::learn(&self.shared, &id);
        self.report(&id, sync);
    }

    pub(super) async fn did_change(&self, params: Value) {
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str).map(DocumentId::new);
        let Some(change) = self.decode::<wire::DidChange>("textDocument/didChange", params) else {
            // Whatever it was, it was not applied: the file is no longer known.
            if let Some(id) = uri
                && self.shared.session().lose(&id)
            {
                self.lost(&id, "a change could not be read");
            }
            return;
        };
        let id = DocumentId::new(&change.text_document.uri);
        let changes = convert::changes(change.content_changes);
        let (sync, indicated) = {
            let mut session = self.shared.session();
            let version = change.text_document.version;
            let indicated = session.indicates();
            (session.change(&id, version, &changes, Instant::now().into_std()), indicated)
        };
        if indicated {
            self.shared.status_changed.notify_one();
        }
        if matches!(sync, Sync::Following | Sync::Regained) {
            parse::schedule(&self.shared, &id);
        }
        self.report(&id, sync);
    }

    pub(super) async fn did_save(&self, params: Value) {
        let Some(saved) = self.decode::<wire::OnDocument>("textDocument/didSave", params) else { return };
        let uri = saved.text_document.uri;
        let id = DocumentId::new(&uri);
        settings::look(&self.shared);
        self.shared.session().renew_outline(&id);
        names::take_in(&self.shared, &id);
        if IGNORE_FILES.iter().any(|name| uri.rsplit('/').next() == Some(name)) {
            clearance::renew(&self.shared);
        }
    }

    pub(super) async fn did_close(&self, params: Value) {
        let Some(closed) = self.decode::<wire::OnDocument>("textDocument/didClose", params) else { return };
        let id = DocumentId::new(&closed.text_document.uri);
        if !self.shared.session().close(&id) {
            tracing::warn!(uri = closed.text_document.uri, "a file was closed that was not open");
        }
        names::let_go(&self.shared, &id);
        self.shared.assist().closed(&id);
    }

    pub(super) async fn did_change_workspace_folders(&self, params: Value) {
        let method = "workspace/didChangeWorkspaceFolders";
        let Some(wire::DidChangeFolders { event }) = self.decode(method, params) else { return };
        let paths = |folders: Vec<wire::Folder>| {
            folders.iter().filter_map(|folder| convert::file_path(&folder.uri)).collect::<Vec<_>>()
        };
        self.shared.session().change_folders(paths(event.added), &paths(event.removed));
        settings::renew(&self.shared);
        clearance::renew(&self.shared);
        names::gather(&self.shared);
    }

    pub(super) async fn did_change_configuration(&self, params: Value) {
        let method = "workspace/didChangeConfiguration";
        let Some(changed) = self.decode::<wire::DidChangeConfiguration>(method, params) else { return };
        settings::changed(&self.shared, changed.settings);
    }

    /// Which files it is about need not be read: only those with settings are watched.
    pub(super) async fn did_change_watched_files(&self, _params: Value) {
        settings::renew(&self.shared);
    }

    pub(super) async fn inline_completion(&self, params: Value) -> Result<Vec<InlineItem>> {
        jobs::complete(&self.shared, decode(params)?).await
    }

    pub(super) async fn next_edit(&self, params: Value) -> Result<wire::NextEdits> {
        jobs::next_edit(&self.shared, decode(params)?, jobs::Reach::All).await
    }

    /// The same for plugins that were made for another server: what they do with another file's edit is not known.
    pub(super) async fn inline_edit(&self, params: Value) -> Result<wire::NextEdits> {
        jobs::next_edit(&self.shared, decode(params)?, jobs::Reach::Own).await
    }

    /// What other servers report for a document. A report on an earlier version is carried to where its text is now.
    pub(super) async fn diagnostics(&self, params: Value) {
        let Some(reported) = self.decode::<wire::Diagnostics>("tandem/diagnostics", params) else { return };
        let id = DocumentId::new(&reported.uri);
        let mut session = self.shared.session();
        let Ok(tracked) = session.tracked(&id) else { return };
        let document = Arc::clone(tracked.document());
        let encoding = session.encoding();
        let problems = {
            let shown = |uri: &str| convert::shown_path(uri, session.folders());
            let problem = |mut from: wire::Diagnostic| {
                from.range = convert::range_now(tracked, reported.version, from.range)?;
                Some(convert::problem(&document, &from, encoding, shown))
            };
            reported.diagnostics.into_iter().take(DIAGNOSTICS).filter_map(problem).collect()
        };
        session.set_problems(&id, problems);
    }

    /// The user looks at this document now: it had better be parsed.
    pub(super) async fn did_focus(&self, params: Value) {
        let Some(focus) = self.decode::<wire::DidFocus>("tandem/didFocus", params) else { return };
        settings::look(&self.shared);
        if let Some(document) = focus.text_document {
            parse::schedule(&self.shared, &DocumentId::new(&document.uri));
        }
    }

    pub(super) async fn code_action(&self, params: Value) -> Result<Vec<Value>> {
        let actions = jobs::offer(&self.shared, decode(params)?).await?;
        // An editor that does not know code actions takes commands in their place.
        let literal = self.shared.client().code_actions;
        let listed = actions.into_iter().map(|action| match action.command {
            Some(command) if !literal => serde_json::to_value(command),
            _ => serde_json::to_value(action),
        });
        listed.collect::<serde_json::Result<_>>().map_err(|error| {
            tracing::error!(%error, "a code action cannot be written");
            Error::internal_error()
        })
    }

    pub(super) async fn code_action_resolve(&self, params: Value) -> Result<CodeAction> {
        jobs::resolve(&self.shared, decode(params)?).await
    }

    pub(super) async fn execute_command(&self, params: Value) -> Result<Value> {
        let wire::ExecuteCommand { work_done_token, command, mut arguments } = decode(params)?;
        let first = if arguments.is_empty() { Value::Null } else { arguments.swap_remove(0) };
        match command.as_str() {
            REWRITE => jobs::rewrite_command(&self.shared, decode(first)?, work_done_token).await,
            STATUS => self.status(first).await,
            WHY => Ok(status::why(&self.shared, &optional(first)?)),
            SNOOZE => status::snooze(&self.shared, &optional(first)?)
                .map_err(|reason| Error::invalid_params(reason.to_string())),
            FIX => jobs::fix_command(&self.shared, decode(first)?, work_done_token).await,
            ACCEPT => {
                let known = self.shared.session().accept(decode(first)?, Instant::now().into_std());
                tracing::debug!(known, "a suggestion was accepted");
                Ok(Value::Null)
            }
            REJECT => {
                let known = self.shared.session().reject(decode(first)?, Instant::now().into_std());
                tracing::debug!(known, "a suggestion was dismissed");
                Ok(Value::Null)
            }
            other => Err(Error::invalid_params(format!(
                "there is no command `{other}`; there are {}",
                COMMANDS.join(", ")
            ))),
        }
    }

    pub(super) async fn status(&self, params: Value) -> Result<Value> {
        let about: wire::AboutDocument = optional(params)?;
        settings::look(&self.shared);
        Ok(status::status(&self.shared, about.text_document.as_ref().map(|it| it.uri.as_str())))
    }

    pub(super) async fn stop_progress(&self, params: Value) {
        let method = "window/workDoneProgress/cancel";
        let Some(wire::StopProgress { token }) = self.decode(method, params) else { return };
        self.shared.stoppable.stop(&token);
    }

    /// Counts every file as out of sync: what the editor said last was not understood.
    pub(super) fn lose_everything(&self, why: &str) {
        let lost = self.shared.session().lose_all();
        for id in lost {
            self.lost(&id, why);
        }
    }

    /// Reads a notification's parameters. One that cannot be read gets one log line, since it can get no answer.
    pub(super) fn decode<T: DeserializeOwned>(&self, method: &str, params: Value) -> Option<T> {
        serde_json::from_value(params)
            .map_err(|_: serde_json::Error| {
                // The error would quote what it found, which may be a file's text.
                self.shared.editor.log(format!("{method} was passed over: its parameters are not LSP's"));
            })
            .ok()
    }

    /// Says what has to be said about a file.
    fn report(&self, id: &DocumentId, sync: Sync) {
        match sync {
            Sync::Following | Sync::Ignored => {}
            Sync::Regained => {
                self.shared.editor.forget(&too_large(id));
                self.shared.editor.forget(&out_of_sync(id));
            }
            Sync::NewlyDeclined { bytes } => {
                let limit = self.shared.session().settings().max_file_bytes;
                self.shared.editor.warn_once(
                    &too_large(id),
                    format!(
                        "Tandem does not follow {id}: it has {bytes} bytes, and `max_file_bytes` is {limit}"
                    ),
                );
            }
            Sync::NewlyLost(out_of_sync) => self.lost(id, &out_of_sync.to_string()),
            Sync::NotOpen => self.shared.editor.log(format!("{id} was changed, but it is not open here")),
        }
    }

    fn lost(&self, id: &DocumentId, why: &str) {
        self.shared.editor.warn_once(
            &out_of_sync(id),
            format!("Tandem lost track of {id} ({why}); close and open the file again to go on with it"),
        );
    }
}

/// The cause under which a file's size is spoken of.
fn too_large(id: &DocumentId) -> String {
    format!("too large: {id}")
}

/// The cause under which a file's loss is spoken of.
fn out_of_sync(id: &DocumentId) -> String {
    format!("out of sync: {id}")
}

/// Reads parameters that may be left out.
fn optional<T: DeserializeOwned + Default>(params: Value) -> Result<T> {
    if params.is_null() { Ok(T::default()) } else { decode(params) }
}

/// Reads a request's parameters, or answers what is wrong with them.
fn decode<T: DeserializeOwned>(params: Value) -> Result<T> {
    serde_json::from_value(params).map_err(|error| Error::invalid_params(error.to_string()))
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        parent::watch(params.process_id, &self.shared.orphaned);
        let (capabilities, mut client) = negotiate(&params);
        let folders = std::mem::take(&mut client.folders);
        let scoped = settings::begin(&self.shared, params.initialization_options, &folders);
        *self.shared.session() = Session::new(client.encoding, folders, scoped);
        if self.shared.client.set(client).is_err() {
            tracing::warn!("this is not the first request; what the editor can do was settled before");
        }
        let server_info =
            ServerInfo { name: "tandem".to_owned(), version: Some(env!("CARGO_PKG_VERSION").to_owned()) };
        Ok(InitializeResult { capabilities, server_info: Some(server_info) })
    }

    async fn initialized(&self, _: InitializedParams) {
        self.shared.assist().warm();
        settings::follow(&self.shared);
        names::gather(&self.shared);
        if self.shared.client().wants_status {
            let changed = Arc::clone(&self.shared.status_changed);
            tokio::spawn(status::tell_changes(Arc::downgrade(&self.shared), changed));
        }
        self.shared.editor.send_deferred();
        self.shared.editor.log(match self.shared.assist().model_name(Gear::Fast) {
            Some(model) => format!("Tandem {}: the fast gear is {model}", env!("CARGO_PKG_VERSION")),
            None => format!(
                "Tandem {}: no model is configured; the local engine answers",
                env!("CARGO_PKG_VERSION")
            ),
        });
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }
}
