//! The table of all methods that the server answers.

use tokio::io::{AsyncRead, AsyncWrite};
use tower_lsp::LspService;

use super::backend::Backend;
use super::serving::Start;
use super::transport::{self, Ended};

/// Serves one editor until it sends `exit` or its stream ends.
pub async fn serve<I, O>(input: I, output: O, start: Start) -> Ended
where
    I: AsyncRead + Unpin,
    O: AsyncWrite + Unpin + Send + 'static,
{
    let (service, socket) = LspService::build_with_lifecycle_methods(|client| Backend::new(client, start))
        .custom_method("textDocument/didOpen", Backend::did_open)
        .custom_method("textDocument/didChange", Backend::did_change)
        .custom_method("textDocument/didSave", Backend::did_save)
        .custom_method("textDocument/willSaveWaitUntil", Backend::will_save)
        .custom_method("textDocument/didClose", Backend::did_close)
        .custom_method("notebookDocument/didOpen", Backend::did_open_notebook)
        .custom_method("notebookDocument/didChange", Backend::did_change_notebook)
        .custom_method("notebookDocument/didSave", Backend::did_save_notebook)
        .custom_method("notebookDocument/didClose", Backend::did_close_notebook)
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
        .custom_method("window/workDoneProgress/cancel", Backend::cancel_progress)
        .custom_method("tandem/status", Backend::status)
        .finish();
    transport::serve(input, output, service, socket).await
}
