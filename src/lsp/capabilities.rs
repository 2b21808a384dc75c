//! Negotiates the server's capabilities from the editor's. A pure function.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use tower_lsp::gen_lsp_types::{
    ChangeNotifications, CodeActionKind, CodeActionOptions, CodeActionProvider, CodeActionTag,
    ExecuteCommandOptions, InitializeParams, InlineCompletionProvider, Notebook, NotebookDocumentFilter,
    NotebookDocumentFilterScheme, NotebookDocumentFilterWithNotebook, NotebookDocumentSync,
    NotebookDocumentSyncOptions, PositionEncodingKind, ResourceOperationKind, Save, ServerCapabilities,
    TextDocumentSync, TextDocumentSyncKind, TextDocumentSyncOptions, WorkspaceFolders,
    WorkspaceFoldersServerCapabilities, WorkspaceOptions,
};

use crate::document::position::Encoding;

/// The commands that `workspace/executeCommand` accepts.
pub(super) const COMMANDS: [&str; 14] = [
    REWRITE,
    FIX,
    PLAN,
    CHECK_PLAN,
    JOB,
    ASK,
    ACCEPT,
    REJECT,
    STATUS,
    WHY,
    SNOOZE,
    MODELS,
    USE_MODEL,
    RAISE_BUDGET,
];
/// `tandem.rewrite {textDocument, range, instruction}`.
pub(super) const REWRITE: &str = "tandem.rewrite";
/// `tandem.fix {textDocument, diagnostic}`.
pub(super) const FIX: &str = "tandem.fix";
/// `tandem.plan {instruction, textDocument, range}`: a change across many files.
///
/// A plan may be given instead of the instruction.
pub(super) const PLAN: &str = "tandem.plan";
/// `tandem.checkPlan {edit, leaveOut}`: what a plan's change lacks without some of its files.
pub(super) const CHECK_PLAN: &str = "tandem.checkPlan";
/// `tandem.job {job, textDocument, range}`: one of the other jobs of a pair.
pub(super) const JOB: &str = "tandem.job";
/// `tandem.ask {question}` or `{textDocument, position}`: where something is defined.
pub(super) const ASK: &str = "tandem.ask";
/// `tandem.accept [id]`: runs when the editor's user accepts a suggestion.
pub(super) const ACCEPT: &str = "tandem.accept";
/// `tandem.reject [id]`: runs when the user dismisses a suggestion explicitly.
pub(super) const REJECT: &str = "tandem.reject";
/// `tandem.status [{textDocument}]`: the server's status.
pub(super) const STATUS: &str = "tandem.status";
/// `tandem.why [{textDocument}]`: recent request outcomes.
pub(super) const WHY: &str = "tandem.why";
/// `tandem.snooze [{minutes}]`: suppresses automatic suggestions for a while.
pub(super) const SNOOZE: &str = "tandem.snooze";
/// `tandem.models`: the candidates of each gear, with their speed and price.
pub(super) const MODELS: &str = "tandem.models";
/// `tandem.useModel {gear, provider, model}`: prefers one of the candidates in this session.
pub(super) const USE_MODEL: &str = "tandem.useModel";
/// `tandem.raiseBudget`: allows as much again today, in this session.
pub(super) const RAISE_BUDGET: &str = "tandem.raiseBudget";
/// The kind of a rewrite requested by an instruction comment.
pub(super) const REWRITE_KIND: &str = "refactor.rewrite.tandem.instruct";

/// The kind of an action that shows where a name is defined.
///
/// Editors list such kinds on request.
pub(super) const ASK_KIND: &str = "source.tandem.ask";
/// The prefix of the kinds of the other jobs.
///
/// VS Code does not list `source` kinds next to fixes.
pub(super) const JOB_KIND: &str = "refactor.tandem";
/// The kind of a fix for one diagnostic.
pub(super) const FIX_KIND: &str = "quickfix";

/// The kind of the action that applies all certain fixes of a file.
pub(super) const FIX_ALL_KIND: &str = "source.fixAll.tandem";

/// LSP 3.18, `CodeActionTag.LLMGenerated`.
const LLM_GENERATED: u32 = 1;

/// The capabilities of the editor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Client {
    /// The unit of its columns.
    pub(super) encoding: Encoding,
    /// Whether it accepts edits for a specific document version.
    pub(super) versioned_edits: bool,
    /// Whether edits may create files.
    pub(super) creates_files: bool,
    /// Whether edits may rename files.
    pub(super) renames_files: bool,
    /// Whether edits may delete files.
    pub(super) deletes_files: bool,
    /// Whether it shows annotations of changes.
    pub(super) annotates: bool,
    /// Whether it supports code action literals, not only commands.
    pub(super) code_actions: bool,
    /// Whether it resolves a code action's edit when the user picks the action.
    pub(super) resolves_edits: bool,
    /// Whether it applies edits that the server sends unasked.
    pub(super) applies_edits: bool,
    /// Whether it marks code actions made by a model.
    pub(super) marks_generated: bool,
    /// Whether it accepts progress tokens created by the server.
    pub(super) creates_progress: bool,
    /// Whether it opens a document at the server's request.
    pub(super) shows_documents: bool,
    /// Whether it accepts `tandem/statusChanged`.
    pub(super) wants_status: bool,
    /// Whether it watches files for the server.
    pub(super) watches_files: bool,
    /// Whether it also watches files outside of its workspace folders.
    pub(super) watches_elsewhere: bool,
    /// Whether it answers `workspace/configuration`.
    pub(super) supports_configuration: bool,
    /// Whether the user can accept a part of a suggestion.
    pub(super) takes_parts: bool,
    /// Whether it accepts `tandem/ghostTextChanged`, and then repeats its request.
    pub(super) asks_again: bool,
    /// Whether it can have a language server perform a rename.
    pub(super) takes_renames: bool,
    /// Whether it shows the remaining work that a change causes in other files.
    pub(super) takes_left: bool,
    /// How many suggestions it shows for an explicit request, if it states a number.
    pub(super) candidates: Option<u64>,
    /// Its workspace folders on disk.
    pub(super) folders: Vec<PathBuf>,
}

impl Client {
    /// The tags of a code action that calls a model, if the editor shows tags.
    pub(super) fn generated_tags(&self) -> Vec<u32> {
        if self.marks_generated { vec![LLM_GENERATED] } else { Vec::new() }
    }
}

/// The editor's capabilities, set once by `initialize`.
///
/// Before that, the defaults of the LSP specification apply.
#[derive(Debug, Clone, Default)]
pub(super) struct NegotiatedClient(Arc<OnceLock<Client>>);

impl NegotiatedClient {
    pub(super) fn get(&self) -> &Client {
        self.0.get_or_init(Client::default)
    }

    /// Sets the capabilities. Returns false if they were set before.
    pub(super) fn set(&self, client: Client) -> bool {
        self.0.set(client).is_ok()
    }
}

pub(super) fn negotiate(params: &InitializeParams) -> (ServerCapabilities, Client) {
    let client = client(params);
    let position_encoding = Some(match client.encoding {
        Encoding::Utf8 => PositionEncodingKind::UTF8,
        Encoding::Utf16 => PositionEncodingKind::UTF16,
        Encoding::Utf32 => PositionEncodingKind::UTF32,
    });
    let server = ServerCapabilities {
        position_encoding,
        text_document_sync: Some(TextDocumentSync::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::Incremental),
            save: Some(Save::Bool(true)),
            ..TextDocumentSyncOptions::default()
        })),
        notebook_document_sync: Some(notebooks()),
        // Announced statically, because Neovim does not accept dynamic registration.
        inline_completion_provider: Some(InlineCompletionProvider::Bool(true)),
        // Options are for editors that support code action literals; others only support commands (LSP 3.18,
        // "Code Action").
        code_action_provider: Some(if client.code_actions {
            CodeActionProvider::CodeActionOptions(CodeActionOptions {
                code_action_kinds: Some(vec![
                    CodeActionKind::from(FIX_KIND.to_owned()),
                    CodeActionKind::from(FIX_ALL_KIND.to_owned()),
                    CodeActionKind::from(REWRITE_KIND.to_owned()),
                    CodeActionKind::from(ASK_KIND.to_owned()),
                    CodeActionKind::from(JOB_KIND.to_owned()),
                ]),
                resolve_provider: Some(true),
                ..CodeActionOptions::default()
            })
        } else {
            CodeActionProvider::Bool(true)
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: COMMANDS.map(str::to_owned).to_vec(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceOptions {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(ChangeNotifications::Bool(true)),
            }),
            ..WorkspaceOptions::default()
        }),
        ..ServerCapabilities::default()
    };
    (server, client)
}

/// Selects all cells of notebooks in files and of unsaved ones. The older version in a diff view has another scheme.
fn notebooks() -> NotebookDocumentSync {
    let of_scheme = |scheme: &str| {
        let filter = NotebookDocumentFilterScheme::new(None, scheme.to_owned(), None);
        let notebook = Notebook::NotebookDocumentFilter(NotebookDocumentFilter::Scheme(filter));
        NotebookDocumentFilterWithNotebook::new(notebook, None).into()
    };
    NotebookDocumentSyncOptions::new(["file", "untitled"].map(of_scheme).to_vec(), Some(true)).into()
}

/// Makes the editor request edits before each save.
pub(super) fn announce_will_save(server: &mut ServerCapabilities) {
    if let Some(TextDocumentSync::Options(options)) = &mut server.text_document_sync {
        options.will_save_wait_until = Some(true);
    }
}

fn client(params: &InitializeParams) -> Client {
    let workspace = params.capabilities.workspace.as_ref();
    let edits = workspace.and_then(|it| it.workspace_edit.as_ref());
    let watching = workspace.and_then(|it| it.did_change_watched_files.as_ref());
    let actions = params.capabilities.text_document.as_ref().and_then(|it| it.code_action.as_ref());
    let resolves = |property: &str| {
        let support = actions.and_then(|it| it.resolve_support.as_ref());
        support.is_some_and(|it| it.properties.iter().any(|it| it == property))
    };
    let operates = |kind: ResourceOperationKind| {
        let kinds = edits.and_then(|it| it.resource_operations.as_ref());
        kinds.is_some_and(|kinds| kinds.contains(&kind))
    };
    // Neovim applies versioned edits and refuses stale ones, but does not announce it (seen in 0.10 and 0.12).
    let neovim = params.client_info.as_ref().is_some_and(|info| info.name == "Neovim");
    Client {
        encoding: encoding(params),
        versioned_edits: neovim || edits.and_then(|it| it.document_changes).unwrap_or(false),
        creates_files: operates(ResourceOperationKind::Create),
        renames_files: operates(ResourceOperationKind::Rename),
        deletes_files: operates(ResourceOperationKind::Delete),
        annotates: edits.is_some_and(|it| it.change_annotation_support.is_some()),
        code_actions: actions.is_some_and(|it| it.code_action_literal_support.is_some()),
        resolves_edits: resolves("edit"),
        applies_edits: workspace.and_then(|it| it.apply_edit).unwrap_or(false),
        marks_generated: actions
            .and_then(|it| it.tag_support.as_ref())
            .is_some_and(|it| it.value_set.contains(&CodeActionTag::LLMGenerated)),
        creates_progress: params
            .capabilities
            .window
            .as_ref()
            .and_then(|it| it.work_done_progress)
            .unwrap_or(false),
        shows_documents: params
            .capabilities
            .window
            .as_ref()
            .and_then(|it| it.show_document.as_ref())
            .is_some_and(|it| it.support),
        wants_status: experimental(params, "statusNotification") == true,
        watches_files: watching.and_then(|it| it.dynamic_registration).unwrap_or(false),
        watches_elsewhere: watching.and_then(|it| it.relative_pattern_support).unwrap_or(false),
        supports_configuration: workspace.and_then(|it| it.configuration).unwrap_or(false),
        takes_parts: experimental(params, "partialAccept") == true,
        asks_again: experimental(params, "ghostTextNotification") == true,
        takes_renames: experimental(params, "rename") == true,
        takes_left: experimental(params, "left") == true,
        candidates: experimental(params, "candidates").as_u64(),
        folders: folders(params),
    }
}

/// A client capability for the server's custom methods: `experimental.tandem.NAME`.
pub(super) fn experimental(params: &InitializeParams, name: &str) -> serde_json::Value {
    let experimental = params.capabilities.experimental.as_ref().map(serde_json::to_value);
    experimental.and_then(Result::ok).map_or_else(Default::default, |mut it| it["tandem"][name].take())
}

/// UTF-8 if the editor supports it, since a column is then a byte offset.
///
/// Otherwise the editor's first choice, or else the default of the specification.
fn encoding(params: &InitializeParams) -> Encoding {
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|it| it.position_encodings.as_deref()).unwrap_or_default();
    if offered.contains(&PositionEncodingKind::UTF8) {
        return Encoding::Utf8;
    }
    let known = |kind: &PositionEncodingKind| match kind {
        PositionEncodingKind::UTF16 => Some(Encoding::Utf16),
        PositionEncodingKind::UTF32 => Some(Encoding::Utf32),
        _ => None,
    };
    offered.iter().find_map(known).unwrap_or_default()
}

#[expect(deprecated, reason = "older editors name their one folder by `rootUri`")]
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    let listed = match &params.workspace_folders_initialize_params.workspace_folders {
        Some(WorkspaceFolders::WorkspaceFolderList(listed)) => listed.as_slice(),
        _ => &[],
    };
    let folders: Vec<PathBuf> = listed.iter().filter_map(|it| it.uri.to_file_path().ok()).collect();
    if folders.is_empty() {
        return params.root_uri.iter().filter_map(|uri| uri.to_file_path().ok()).collect();
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use serde_json::{Value, json};

    fn check(params: Value, expect: Expect) {
        let params: InitializeParams = serde_json::from_value(params).unwrap();
        expect.assert_eq(&format!("{:?}", negotiate(&params).1));
    }

    #[test]
    fn takes_the_standards_defaults_of_an_editor_that_says_nothing() {
        check(
            json!({ "capabilities": {} }),
            expect![
                "Client { encoding: Utf16, versioned_edits: false, creates_files: false, renames_files: false, deletes_files: false, annotates: false, code_actions: false, resolves_edits: false, applies_edits: false, marks_generated: false, creates_progress: false, shows_documents: false, wants_status: false, watches_files: false, watches_elsewhere: false, supports_configuration: false, takes_parts: false, asks_again: false, takes_renames: false, takes_left: false, candidates: None, folders: [] }"
            ],
        );
    }

    #[test]
    fn reads_an_editor_like_vs_code() {
        check(
            json!({
                "clientInfo": { "name": "Visual Studio Code" },
                "rootUri": "file:///home/me/old",
                "workspaceFolders": [{ "uri": "file:///home/me/a%20b", "name": "a b" }],
                "capabilities": {
                    "general": { "positionEncodings": ["utf-16"] },
                    "workspace": { "workspaceEdit": {
                        "documentChanges": true, "resourceOperations": ["create", "rename"],
                    } },
                    "textDocument": { "codeAction": {
                        "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } },
                        "resolveSupport": { "properties": ["edit", "command"] },
                        "tagSupport": { "valueSet": [1] },
                    } },
                },
            }),
            expect![[
                r#"Client { encoding: Utf16, versioned_edits: true, creates_files: true, renames_files: true, deletes_files: false, annotates: false, code_actions: true, resolves_edits: true, applies_edits: false, marks_generated: true, creates_progress: false, shows_documents: false, wants_status: false, watches_files: false, watches_elsewhere: false, supports_configuration: false, takes_parts: false, asks_again: false, takes_renames: false, takes_left: false, candidates: None, folders: ["/home/me/a b"] }"#
            ]],
        );
    }

    #[test]
    fn reads_an_editor_like_neovim() {
        check(
            json!({
                "clientInfo": { "name": "Neovim", "version": "0.12.4" },
                "rootUri": "file:///home/me/a",
                "capabilities": {
                    "general": { "positionEncodings": ["utf-8", "utf-16", "utf-32"] },
                    "textDocument": { "codeAction": {
                        "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["refactor"] } },
                        "resolveSupport": { "properties": ["edit"] },
                    } },
                },
            }),
            expect![[
                r#"Client { encoding: Utf8, versioned_edits: true, creates_files: false, renames_files: false, deletes_files: false, annotates: false, code_actions: true, resolves_edits: true, applies_edits: false, marks_generated: false, creates_progress: false, shows_documents: false, wants_status: false, watches_files: false, watches_elsewhere: false, supports_configuration: false, takes_parts: false, asks_again: false, takes_renames: false, takes_left: false, candidates: None, folders: ["/home/me/a"] }"#
            ]],
        );
    }

    #[test]
    fn prefers_the_editors_own_order_without_utf_8() {
        check(
            json!({ "capabilities": { "general": { "positionEncodings": ["utf-7", "utf-32", "utf-16"] } } }),
            expect![
                "Client { encoding: Utf32, versioned_edits: false, creates_files: false, renames_files: false, deletes_files: false, annotates: false, code_actions: false, resolves_edits: false, applies_edits: false, marks_generated: false, creates_progress: false, shows_documents: false, wants_status: false, watches_files: false, watches_elsewhere: false, supports_configuration: false, takes_parts: false, asks_again: false, takes_renames: false, takes_left: false, candidates: None, folders: [] }"
            ],
        );
    }
}
