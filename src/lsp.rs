//! The Language Server Protocol: the only place that knows its messages.
//!
//! [`serve`] holds the table of everything the server answers. Handlers are a few lines each: decode, one short
//! lock, spawn, encode. What they rely on:
//!
//! * a notification's body runs to its end before the next message is read ([`transport`]), so the session follows
//!   the wire's order;
//! * a request takes its snapshot before its first `.await`;
//! * work runs in a task that dies with its request ([`task`]); a panic in it becomes one error answer.

mod backend;
mod capabilities;
mod clearance;
mod convert;
mod editor;
mod feedback;
mod jobs;
mod names;
mod parent;
mod parse;
mod progress;
mod settings;
mod status;
mod task;
mod transport;
mod wire;

use std::path::PathBuf;

use tokio::io::{AsyncRead, AsyncWrite};
use tower_lsp::LspService;

use crate::assist::Models;
use crate::disk::Readers;
use backend::Backend;
pub use transport::Ended;

/// What the server is started with.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// The configuration file; a missing one is no problem.
    pub config: Option<PathBuf>,
    /// The folder in which the day's spending is kept, apart from everything of the user's; nothing is kept without it.
    pub state: Option<PathBuf>,
    /// Models to use in place of the configured ones.
    pub models: Option<Models>,
    /// What waits for the disks of workspaces.
    pub readers: Readers,
}

/// Serves one editor until it says `exit` or its stream ends.
pub async fn serve<I, O>(input: I, output: O, start: Start) -> Ended
where
    I: AsyncRead + Unpin,
    O: AsyncWrite + Unpin + Send + 'static,
{
    let (service, socket) = LspService::build_with_lifecycle_methods(|client| Backend::new(client, start))
        .custom_method("textDocument/didOpen", Backend::did_open)
        .custom_method("textDocument/didChange", Backend::did_change)
        .custom_method("textDocument/didSave", Backend::did_save)
        .custom_method("textDocument/didClose", Backend::did_close)
        .custom_method("workspace/didChangeWorkspaceFolders", Backend::did_change_workspace_folders)
        .custom_method("workspace/didChangeConfiguration", Backend::did_change_configuration)
        .custom_method("workspace/didChangeWatchedFiles", Backend::did_change_watched_files)
        .custom_method("textDocument/inlineCompletion", Backend::inline_completion)
        .custom_method("tandem/nextEdit", Backend::next_edit)
        .custom_method("textDocument/copilotInlineEdit", Backend::inline_edit)
        .custom_method("tandem/diagnostics", Backend::diagnostics)
        .custom_method("tandem/didFocus", Backend::did_focus)
        .custom_method("textDocument/didFocus", Backend::did_focus)
        .custom_method("tandem/didShow", Backend::did_show)
        .custom_method("textDocument/didShowCompletion", Backend::did_show)
        .custom_method("textDocument/didShowInlineEdit", Backend::did_show)
        .custom_method("tandem/didPartiallyAccept", Backend::did_partially_accept)
        .custom_method("textDocument/didPartiallyAcceptCompletion", Backend::did_partially_accept)
        .custom_method("textDocument/codeAction", Backend::code_action)
        .custom_method("codeAction/resolve", Backend::code_action_resolve)
        .custom_method("workspace/executeCommand", Backend::execute_command)
        .custom_method("window/workDoneProgress/cancel", Backend::stop_progress)
        .custom_method("tandem/status", Backend::status)
        .finish();
    transport::serve(input, output, service, socket).await
}
