//! The messages that are read or written for every keystroke, and those that name files.
//!
//! Shapes of our own in place of the generated ones for two reasons. A URI is echoed exactly as the editor
//! spells it, since it is the editor's key for the file; a URL type would normalise it. And a change is read
//! without trying one variant after the other.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) character: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Range {
    pub(super) start: Position,
    pub(super) end: Position,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidOpen {
    pub(super) text_document: OpenedDocument,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OpenedDocument {
    pub(super) uri: String,
    #[serde(default)]
    pub(super) language_id: String,
    #[serde(default)]
    pub(super) version: i32,
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidChange {
    pub(super) text_document: DocumentRef,
    pub(super) content_changes: Vec<ContentChange>,
}

/// A document, and its version where the editor says it.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(super) struct DocumentRef {
    pub(super) uri: String,
    #[serde(default)]
    pub(super) version: Option<i32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ContentChange {
    #[serde(default)]
    pub(super) range: Option<Range>,
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OnDocument {
    pub(super) text_document: DocumentRef,
}

#[derive(Deserialize)]
pub(super) struct DidChangeWatchedFiles {
    #[serde(default)]
    pub(super) changes: Vec<DocumentRef>,
}

#[derive(Deserialize)]
pub(super) struct DidChangeConfiguration {
    #[serde(default)]
    pub(super) settings: serde_json::Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct DidChangeFolders {
    pub(super) event: FoldersEvent,
}

#[derive(Debug, Deserialize)]
pub(super) struct FoldersEvent {
    #[serde(default)]
    pub(super) added: Vec<Folder>,
    #[serde(default)]
    pub(super) removed: Vec<Folder>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Folder {
    pub(super) uri: String,
}

/// `textDocument/inlineCompletion`, with the version that some editors add.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InlineCompletion {
    pub(super) text_document: DocumentRef,
    pub(super) position: Position,
    #[serde(default)]
    pub(super) context: InlineContext,
}

impl InlineCompletion {
    /// LSP 3.18, `InlineCompletionTriggerKind.Invoked`.
    pub(super) fn is_invoked(&self) -> bool {
        self.context.trigger_kind == 1
    }
}

/// LSP 3.18, `InlineCompletionContext`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InlineContext {
    #[serde(default)]
    pub(super) trigger_kind: u32,
    #[serde(default)]
    pub(super) selected_completion_info: Option<SelectedCompletion>,
}

/// The entry that is selected in the editor's completion menu.
#[derive(Debug, Deserialize)]
pub(super) struct SelectedCompletion {
    pub(super) range: Range,
    pub(super) text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InlineItem {
    pub(super) insert_text: String,
    pub(super) range: Range,
    pub(super) command: Command,
    /// Whether it is a prediction, and a model is being asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_provisional: bool,
}

/// `tandem/nextEdit`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NextEditRequest {
    pub(super) text_document: DocumentRef,
    pub(super) position: Position,
    #[serde(default)]
    pub(super) context: Option<NextEditContext>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NextEditContext {
    /// As `InlineCompletionTriggerKind`: 1 is invoked, 2 is automatic.
    #[serde(default)]
    pub(super) trigger_kind: Option<u32>,
    /// Whether all edits of the answer are wanted, not only the first.
    #[serde(default)]
    pub(super) all: bool,
    /// Whether the edit that was dismissed last is wanted again.
    #[serde(default)]
    pub(super) dismissed: bool,
}

impl NextEditRequest {
    /// Whether the user requested it explicitly.
    pub(super) fn is_invoked(&self) -> bool {
        self.context.as_ref().is_some_and(|context| context.trigger_kind == Some(1))
    }

    /// How many edits the answer may have.
    pub(super) fn limit(&self) -> usize {
        if self.context.as_ref().is_some_and(|context| context.all) { usize::MAX } else { 1 }
    }

    /// Whether the edit that was dismissed last is wanted again.
    pub(super) fn wants_dismissed(&self) -> bool {
        self.context.as_ref().is_some_and(|context| context.dismissed)
    }
}

#[derive(Debug, Serialize)]
pub(super) struct NextEdits {
    pub(super) edits: Vec<NextEdit>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NextEdit {
    pub(super) id: u64,
    pub(super) text: String,
    pub(super) range: Range,
    pub(super) text_document: DocumentRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rename: Option<Rename>,
    pub(super) command: Command,
}

/// A name that was changed where it is declared, so that the uses that are left have to follow.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rename {
    pub(super) from: String,
    pub(super) to: String,
    /// Where it is declared.
    pub(super) range: Range,
    pub(super) text_document: DocumentRef,
}

/// `tandem/didFocus`: the document that the user looks at now, if any.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidFocus {
    #[serde(default)]
    pub(super) text_document: Option<DocumentRef>,
}

/// `tandem/diagnostics`: all that other servers report for a document.
#[derive(Debug, Deserialize)]
pub(super) struct Diagnostics {
    pub(super) uri: String,
    #[serde(default)]
    pub(super) version: Option<i32>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// A diagnostic as far as it is read; editors add to it what they like.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Diagnostic {
    pub(super) range: Range,
    #[serde(default)]
    pub(super) severity: Option<u32>,
    /// A string or a number.
    #[serde(default)]
    pub(super) code: Option<Value>,
    #[serde(default)]
    pub(super) source: Option<String>,
    /// A string, or markup since LSP 3.18.
    pub(super) message: Value,
    #[serde(default)]
    pub(super) related_information: Option<Vec<Related>>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Related {
    pub(super) location: Location,
    pub(super) message: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Location {
    pub(super) uri: String,
    pub(super) range: Range,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Command {
    pub(super) title: String,
    pub(super) command: String,
    #[serde(default)]
    pub(super) arguments: Vec<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeActionRequest {
    pub(super) text_document: DocumentRef,
    pub(super) range: Range,
    #[serde(default)]
    pub(super) context: CodeActionContext,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeActionContext {
    /// Kept as they are: editors find them again by what they sent.
    #[serde(default)]
    pub(super) diagnostics: Vec<Value>,
    #[serde(default)]
    pub(super) only: Option<Vec<String>>,
    /// 1 if the user asked for actions, 2 if the editor asks by itself.
    #[serde(default)]
    pub(super) trigger_kind: Option<u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeAction {
    pub(super) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<String>,
    /// The diagnostics that it solves, as the editor sent them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) diagnostics: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) is_preferred: Option<bool>,
    /// LSP 3.18 `CodeActionTag`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tags: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) edit: Option<WorkspaceEdit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) command: Option<Command>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Value>,
}

impl CodeAction {
    /// An action with nothing but a title.
    pub(super) fn new(title: String) -> Self {
        Self {
            title,
            kind: None,
            diagnostics: Vec::new(),
            is_preferred: None,
            tags: Vec::new(),
            edit: None,
            command: None,
            data: None,
        }
    }
}

/// What a code action is about: sent with it, and back with `codeAction/resolve`.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum ActionData {
    Fix(FixData),
    FixAll(FixAllData),
    Instruct(OfferData),
}

/// What a quick fix is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FixData {
    pub(super) uri: String,
    pub(super) version: i32,
    /// The diagnostic as the editor sent it.
    pub(super) fix: Value,
}

/// What an action for all fixes of one kind is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FixAllData {
    pub(super) uri: String,
    pub(super) version: i32,
    /// The kind, in words.
    pub(super) all_of: String,
}

/// The argument of `tandem.fix`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FixArguments {
    pub(super) text_document: DocumentRef,
    pub(super) diagnostic: Value,
}

/// What an instruction's action is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OfferData {
    pub(super) uri: String,
    pub(super) version: i32,
    pub(super) instruction: String,
    /// The line on which the offer's lines begin, in that version.
    pub(super) line: u32,
}

/// The argument of `tandem.rewrite`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RewriteArguments {
    pub(super) text_document: DocumentRef,
    pub(super) range: Range,
    /// Not needed with `show`.
    #[serde(default)]
    pub(super) instruction: String,
    /// Whether only what would be rewritten is to be named.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) show: bool,
    /// `local`, `fast` or `deep`; without it the router decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) gear: Option<String>,
    /// Whether the edit is to be returned rather than applied.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) preview: bool,
}

impl RewriteArguments {
    pub(super) fn new(text_document: DocumentRef, range: Range, instruction: String) -> Self {
        Self { text_document, range, instruction, show: false, gear: None, preview: false }
    }
}

/// The argument of `tandem.plan`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PlanArguments {
    /// What is to be done; not needed with a plan.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) instruction: String,
    /// The file that the user looks at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text_document: Option<DocumentRef>,
    /// The code that the user looks at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) range: Option<Range>,
    /// The plan to carry out, as text; without it one is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plan: Option<String>,
    /// Whether the plan is to be returned rather than carried out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) show: bool,
    /// Whether the edit is to be returned rather than applied.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) preview: bool,
    /// `fast` or `deep`: who makes the plan; without it the router decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gear: Option<String>,
}

/// The argument of `tandem.job`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JobArguments {
    /// The job's name, such as `explain`.
    pub(super) job: String,
    pub(super) text_document: DocumentRef,
    pub(super) range: Range,
    /// Whether an edit is to be returned rather than applied.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) preview: bool,
    /// Whether a text is to be shown as a message, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) tell: bool,
}

/// A request about one document or about all: `tandem/status`, `tandem.why`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AboutDocument {
    #[serde(default)]
    pub(super) text_document: Option<DocumentRef>,
}

/// The argument of `tandem.ask`: a question, or a position.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AskArguments {
    #[serde(default)]
    pub(super) question: Option<String>,
    #[serde(default)]
    pub(super) text_document: Option<DocumentRef>,
    #[serde(default)]
    pub(super) position: Option<Position>,
    /// Whether the first answer is not to be shown in the editor.
    #[serde(default)]
    pub(super) quiet: bool,
    /// Whether a model is to answer in words.
    #[serde(default)]
    pub(super) reply: bool,
    /// The gear that the user chose for that.
    #[serde(default)]
    pub(super) gear: Option<String>,
    /// The token under which the answer is sent as it grows.
    #[serde(default)]
    pub(super) partial_result_token: Option<Value>,
}

/// The argument of `tandem.snooze`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Snooze {
    #[serde(default)]
    pub(super) minutes: Option<f64>,
}

/// `window/workDoneProgress/cancel`.
#[derive(Debug, Deserialize)]
pub(super) struct CancelProgress {
    pub(super) token: Value,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExecuteCommand {
    /// LSP 3.18, `WorkDoneProgressParams`.
    #[serde(default)]
    pub(super) work_done_token: Option<Value>,
    pub(super) command: String,
    #[serde(default)]
    pub(super) arguments: Vec<Value>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WorkspaceEdit {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) document_changes: Option<Vec<DocumentChange>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changes: Option<std::collections::BTreeMap<String, Vec<TextEdit>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) change_annotations: Option<std::collections::BTreeMap<String, ChangeAnnotation>>,
}

/// What is said of a change before it is carried out, LSP 3.16.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChangeAnnotation {
    pub(super) label: String,
    /// Whether the user has to confirm the change by itself.
    pub(super) needs_confirmation: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
}

/// One of a workspace edit's changes, which are carried out in order.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum DocumentChange {
    File(AnnotatedOperation),
    Edit(DocumentEdit),
}

/// A file operation, and the annotation that it has.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnnotatedOperation {
    #[serde(flatten)]
    pub(super) operation: FileOperation,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) annotation_id: Option<String>,
}

/// LSP 3.18, "File Resource changes". Without options a file that is there is never overwritten.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(super) enum FileOperation {
    Create { uri: String },
    Rename { old_uri: String, new_uri: String },
    Delete { uri: String },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DocumentEdit {
    pub(super) text_document: DocumentRef,
    pub(super) edits: Vec<TextEdit>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextEdit {
    pub(super) range: Range,
    pub(super) new_text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) annotation_id: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ApplyEdit {
    pub(super) label: String,
    pub(super) edit: WorkspaceEdit,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ApplyEditAnswer {
    pub(super) applied: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failure_reason: Option<String>,
}
