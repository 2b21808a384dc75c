//! `workspace/executeCommand`, and the arguments of each command.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{DocumentRef, Position, Range, WorkspaceEdit};

/// `workspace/executeCommand`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct ExecuteCommand {
    /// LSP 3.18, `WorkDoneProgressParams`.
    pub(in crate::lsp) work_done_token: Option<Value>,
    pub(in crate::lsp) command: String,
    #[serde(default)]
    pub(in crate::lsp) arguments: Vec<Value>,
}

/// The argument of `tandem.fix`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct FixArguments {
    pub(in crate::lsp) text_document: DocumentRef,
    pub(in crate::lsp) diagnostic: Value,
}

/// The argument of `tandem.rewrite`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct RewriteArguments {
    pub(in crate::lsp) text_document: DocumentRef,
    pub(in crate::lsp) range: Range,
    /// Not needed with `show`.
    #[serde(default)]
    pub(in crate::lsp) instruction: String,
    /// Whether to return only the range that would be rewritten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::lsp) show: bool,
    /// `local`, `fast` or `deep`; without it the router decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) gear: Option<String>,
    /// Whether to return the edit instead of applying it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::lsp) preview: bool,
}

impl RewriteArguments {
    pub(in crate::lsp) fn new(text_document: DocumentRef, range: Range, instruction: String) -> Self {
        Self { text_document, range, instruction, show: false, gear: None, preview: false }
    }
}

/// The argument of `tandem.plan`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::lsp) struct PlanArguments {
    /// The instruction; not needed with a plan.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(in crate::lsp) instruction: String,
    /// The file that the user is viewing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) text_document: Option<DocumentRef>,
    /// The code that the user is viewing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) range: Option<Range>,
    /// The plan to execute, as text; without it a plan is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) plan: Option<String>,
    /// Whether to return the plan instead of executing it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::lsp) show: bool,
    /// Whether to return the edit instead of applying it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::lsp) preview: bool,
    /// `fast` or `deep`: the gear that makes the plan; without it the router decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) gear: Option<String>,
}

/// The argument of `tandem.checkPlan`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct CheckPlanArguments {
    /// The edit of the whole change, as `tandem.plan` returned it.
    pub(in crate::lsp) edit: WorkspaceEdit,
    /// The URIs of the files that the user leaves out.
    pub(in crate::lsp) leave_out: Vec<String>,
}

/// The argument of `tandem.job`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct JobArguments {
    /// The job's name, such as `explain`.
    pub(in crate::lsp) job: String,
    pub(in crate::lsp) text_document: DocumentRef,
    pub(in crate::lsp) range: Range,
    /// Whether to return an edit instead of applying it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::lsp) preview: bool,
    /// Whether to show a text as a message, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::lsp) tell: bool,
}

/// A request about one document or about all: `tandem/status`, `tandem.why`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct AboutDocument {
    pub(in crate::lsp) text_document: Option<DocumentRef>,
}

/// The argument of `tandem.ask`: a question, or a position.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct AskArguments {
    pub(in crate::lsp) question: Option<String>,
    pub(in crate::lsp) text_document: Option<DocumentRef>,
    pub(in crate::lsp) position: Option<Position>,
    /// Whether to suppress showing the first answer in the editor.
    #[serde(default)]
    pub(in crate::lsp) quiet: bool,
    /// Whether a model should answer in words.
    #[serde(default)]
    pub(in crate::lsp) reply: bool,
    /// The gear that the user chose for the answer.
    pub(in crate::lsp) gear: Option<String>,
    /// The token under which the partial answer is sent.
    pub(in crate::lsp) partial_result_token: Option<Value>,
}

/// The argument of `tandem.useModel`.
#[derive(Debug, Deserialize)]
pub(in crate::lsp) struct UseModel {
    pub(in crate::lsp) gear: String,
    /// Both or neither: without them the order of the settings applies again.
    pub(in crate::lsp) provider: Option<String>,
    pub(in crate::lsp) model: Option<String>,
}

/// The argument of `tandem.snooze`.
#[derive(Debug, Default, Deserialize)]
pub(in crate::lsp) struct Snooze {
    pub(in crate::lsp) minutes: Option<f64>,
}
