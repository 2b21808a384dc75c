//! The parts of the server for one editor.

use std::path::PathBuf;
use std::sync::{Arc, MutexGuard};

use tokio::sync::Notify;

use super::access::AccessChecker;
use super::background_fixes::BackgroundFixes;
use super::background_parse::BackgroundParser;
use super::call_signals::CallSignals;
use super::cancel::Cancellable;
use super::capabilities::NegotiatedClient;
use super::editor::Editor;
use super::progress::ProgressBars;
use super::related::RelatedFiles;
use super::serving::Start;
use super::serving::{Configuration, CurrentServing};
use super::session_lock::SessionLock;
use super::suggestion_ids::SuggestionIds;
use crate::background::Background;
use crate::config::Settings;
use crate::disk::Readers;
use crate::lock::Mutex;
use crate::model::fallback::Notice;
use crate::session::Session;

/// The parts of the server.
///
/// All but the configuration are handles that a request clones as needed.
pub(super) struct ServerState {
    pub(super) editor: Editor,
    pub(super) session: SessionLock,
    /// The sources of the settings.
    ///
    /// Locked while they are read again; the other locks are taken within.
    configuration: Mutex<Configuration>,
    pub(super) serving: CurrentServing,
    /// Set once, by `initialize`.
    pub(super) client: NegotiatedClient,
    pub(super) ids: SuggestionIds,
    pub(super) call_signals: CallSignals,
    pub(super) parser: BackgroundParser,
    pub(super) fixes: BackgroundFixes,
    pub(super) bars: ProgressBars,
    /// Notified when the content of the status may have changed.
    pub(super) status_changed: Arc<Notify>,
    /// The threads that read workspaces.
    pub(super) readers: Readers,
    /// The thread for work done in advance.
    pub(super) background: Background,
    pub(super) access: AccessChecker,
    pub(super) related: RelatedFiles,
    /// The folder of the user's caches.
    pub(super) cache: Option<PathBuf>,
    /// Notified when the editor's process has ended.
    pub(super) orphaned: Arc<Notify>,
}

impl ServerState {
    pub(super) fn new(editor: tower_lsp::Client, start: Start) -> Self {
        let session = Session::new(Default::default(), Vec::new(), Arc::new(Settings::default()));
        let session = SessionLock::new(session);
        let editor = Editor::new(editor);
        let readers = start.readers.clone();
        let serving = CurrentServing::default();
        let background = serving.assist().background().clone();
        let access = AccessChecker::new(session.clone(), serving.clone(), editor.clone(), readers.clone());
        let ignore_files = Arc::clone(&access.ignore_files);
        let (client, ids) = (NegotiatedClient::default(), SuggestionIds::default());
        let bars = ProgressBars {
            editor: editor.clone(),
            client: client.clone(),
            cancellable: Cancellable::default(),
            ids: ids.clone(),
        };
        let related = RelatedFiles::new(session.clone(), serving.clone(), readers.clone(), ignore_files);
        Self {
            access,
            editor,
            readers,
            cache: start.cache.clone(),
            orphaned: Arc::default(),
            parser: BackgroundParser::new(session.clone(), related.clone(), background.clone()),
            background,
            fixes: BackgroundFixes::new(session.clone(), serving.clone()),
            related,
            session,
            configuration: Mutex::new(Configuration::new(start)),
            serving,
            bars,
            client,
            ids,
            call_signals: CallSignals::default(),
            status_changed: Arc::default(),
        }
    }

    /// Locks the sources of the settings.
    pub(super) fn configuration(&self) -> MutexGuard<'_, Configuration> {
        self.configuration.lock()
    }

    /// Forwards a gear's notice.
    pub(super) fn notice(&self, notice: Notice) {
        match notice {
            Notice::Changed => self.status_changed.notify_one(),
            Notice::Say { cause, text } | Notice::NoneAnswers { cause, text } => {
                self.editor.warn_once(&cause, text);
            }
            Notice::Over(cause) => self.editor.recovered(&cause),
        }
    }
}

impl std::fmt::Debug for ServerState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerState").finish_non_exhaustive()
    }
}
