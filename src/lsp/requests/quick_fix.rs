//! The quick fixes that a code action request lists, one per diagnostic.
//!
//! Listing them calls no model.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize as _;
use serde_json::{Value, json};

use super::title::{shortened_message, title};
use crate::assist::{CertainFix, FileView, FixKind, certain_fix};
use crate::document::Document;
use crate::document::position::Encoding;
use crate::edit::check;
use crate::lsp::capabilities::{Client, FIX, FIX_KIND};
use crate::lsp::limits::FIXED_DIAGNOSTICS;
use crate::lsp::other_files::OtherFiles;
use crate::lsp::prepared_fixes::FixWork;
use crate::lsp::protocol::{CodeAction, Command, Diagnostic, DocumentRef, FixArguments, FixData};
use crate::lsp::{convert, prepared_fixes};
use crate::session::{ModelFix, PreparedFix, Regression};
use crate::snapshot::{self, Severity};
use crate::text::printable;
use crate::text::words::counted;

/// The input for listing, besides the document.
#[derive(Default)]
pub(super) struct Listing {
    pub(super) client: Client,
    pub(super) encoding: Encoding,
    /// Whether there is a model for diagnostics without a certain fix.
    pub(super) has_model: bool,
    /// The other open files.
    pub(super) others: Vec<Arc<Document>>,
    pub(super) folders: Vec<PathBuf>,
    /// The fixes that a model has made.
    pub(super) of_model: Vec<ModelFix>,
    /// The prepared fixes of the whole file.
    pub(super) work: FixWork,
}

/// The actions for diagnostics.
///
/// Each is the certain fix if there is one, else the ready model fix, else a call to a model.
///
/// Also returns the kinds of the certain fixes.
pub(super) fn actions(
    document: &Document,
    diagnostics: &[Value],
    context: &Listing,
) -> (Vec<CodeAction>, Vec<FixKind>) {
    let others = OtherFiles::new(&context.others, &context.work.workspace, &context.work.reported);
    let file = others.view(document);
    let listed = diagnostics.iter().take(FIXED_DIAGNOSTICS).filter_map(|raw| action(&file, raw, context));
    let (mut actions, mut kinds): (Vec<CodeAction>, Vec<FixKind>) = Default::default();
    for (action, kind) in listed {
        kinds.extend(kind);
        // Two servers may report one mistake.
        let is_same = |it: &&mut CodeAction| {
            let edits = |it: &CodeAction| it.edit.as_ref().map(|edit| json!(edit));
            it.title == action.title && action.edit.is_some() && edits(it) == edits(&action)
        };
        match actions.iter_mut().find(is_same) {
            Some(same) => same.diagnostics.extend(action.diagnostics),
            None => actions.push(action),
        }
    }
    (actions, kinds)
}

/// Decodes a diagnostic as the editor sends it.
pub(super) fn read_diagnostic(
    document: &Document,
    raw: &Value,
    context: &Listing,
) -> Option<snapshot::Diagnostic> {
    let read = Diagnostic::deserialize(raw).ok()?;
    let shown = |uri: &str| convert::shown_path(uri, &context.folders);
    Some(convert::diagnostic(document, &read, context.encoding, shown))
}

fn action(file: &FileView<'_>, raw: &Value, context: &Listing) -> Option<(CodeAction, Option<FixKind>)> {
    let (client, document) = (&context.client, file.document());
    let diagnostic = read_diagnostic(document, raw, context)?;
    if let Some(fix) = certain(file, &diagnostic, &context.work) {
        let title = title(&printable(&fix.title));
        // An editor without support for code action literals gets a command, which finds the same fix again.
        let action = if client.code_actions {
            CodeAction {
                diagnostics: vec![raw.clone()],
                is_preferred: Some(true),
                edit: Some(convert::document_edits(document, &fix.edits, client)),
                ..CodeAction::new(FIX_KIND, title)
            }
        } else {
            unresolved(document, raw, title, client)
        };
        return Some((action, Some(fix.kind)));
    }
    if let Some(fix) = ready(document, &diagnostic, &context.of_model) {
        let model = fix.source.model.as_deref().unwrap_or("a model");
        let title =
            title(&format!("fix “{}” ({})", shortened_message(&diagnostic.message), printable(model)));
        let mut action = unresolved(document, raw, title, client);
        // A fix with warnings shows them when it is picked.
        if client.code_actions && fix.flags.is_empty() {
            action.edit = Some(convert::document_edits(document, &fix.edits, client));
            (action.data, action.command) = (None, None);
        }
        action.tags = client.generated_tags();
        return Some((action, None));
    }
    // An informational diagnostic is not a mistake and needs no model.
    let is_mistake = diagnostic.severity <= Severity::Warning;
    (context.has_model && is_mistake).then(|| {
        let title = title(&format!("fix “{}”", shortened_message(&diagnostic.message)));
        let mut action = unresolved(document, raw, title, client);
        action.tags = client.generated_tags();
        (action, None)
    })
}

/// The fix of a rule. A prepared fix is not made again, and then no parse is needed.
fn certain(file: &FileView<'_>, diagnostic: &snapshot::Diagnostic, work: &FixWork) -> Option<CertainFix> {
    let is_prepared = |it: &&PreparedFix| {
        // Saves ignore informational diagnostics, and the editor's version may have more details.
        it.diagnostic.severity <= Severity::Warning && it.diagnostic.related == diagnostic.related
    };
    match work.ready.by_rule(diagnostic).filter(is_prepared) {
        Some(known) => known.fix.as_ref().map(prepared_fixes::certain),
        None => certain_fix(file, diagnostic),
    }
}

/// The actions for mistakes that no tool reports on the lines of a request.
///
/// No action is preferred, since no tool confirms it.
pub(super) fn own_actions(document: &Document, fixes: Vec<CertainFix>, client: &Client) -> Vec<CodeAction> {
    let action = |fix: CertainFix| CodeAction {
        edit: Some(convert::document_edits(document, &fix.edits, client)),
        ..CodeAction::new(FIX_KIND, title(&printable(&fix.title)))
    };
    fixes.into_iter().map(action).collect()
}

/// The action that reverts an accepted suggestion after which there were more errors.
pub(super) fn revert_action(document: &Document, regression: Regression, client: &Client) -> CodeAction {
    let edit = convert::document_edits(document, &[regression.revert], client);
    let title =
        title(&format!("revert what was accepted last: {} since", counted(regression.more, "more error")));
    CodeAction { edit: Some(edit), ..CodeAction::new(FIX_KIND, title) }
}

/// The fix that a model has made for a diagnostic.
///
/// Returns `None` if it breaks the syntax together with changes made elsewhere since.
pub(super) fn ready<'a>(
    document: &Document,
    diagnostic: &snapshot::Diagnostic,
    of_model: &'a [ModelFix],
) -> Option<&'a ModelFix> {
    of_model
        .iter()
        .find(|fix| fix.is_for(diagnostic))
        .filter(|fix| check::syntax(document, &fix.edits).is_ok())
}

/// An action whose edit is made once it is picked.
fn unresolved(document: &Document, raw: &Value, title: String, client: &Client) -> CodeAction {
    let mut action =
        CodeAction { diagnostics: vec![raw.clone()], ..CodeAction::new(FIX_KIND, title.clone()) };
    if client.resolves_edits {
        let (uri, version) = (document.id().as_str().to_owned(), document.version());
        action.data = Some(json!(FixData { uri, version, fix: raw.clone() }));
    } else {
        let arguments = FixArguments { text_document: DocumentRef::of(document), diagnostic: raw.clone() };
        action.command = Some(Command::new(title, FIX, &arguments));
    }
    action
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;
    use crate::edit::Edit;
    use crate::session::{PreparedFixes, ReadyFix};

    const LINES: usize = 2_000;

    /// Lists the actions for this many prepared diagnostics of an unparsed text.
    ///
    /// All of them are in the request; returns how many actions have an edit, and how many there are.
    #[track_caller]
    fn check(diagnostics: usize, expected: (usize, usize)) {
        let line = "    let totl = 1;\n";
        let text = format!("fn f() {{\n{}}}\n", line.repeat(LINES));
        let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, &text);
        let mut ready = PreparedFixes::default();
        let mut sent = Vec::new();
        for number in 0..diagnostics {
            let start = "fn f() {\n".len() + number * line.len() + "    let ".len();
            let diagnostic = snapshot::Diagnostic::new(start..start + 4, Severity::Error, "wrong");
            let range = convert::to_range(&document, &diagnostic.span, Encoding::Utf16);
            sent.push(json!({ "range": range, "severity": 1, "message": "wrong" }));
            let edits = vec![Edit::new(diagnostic.span.clone(), "total")];
            let fix =
                ReadyFix { kind: "", title: "change it".to_owned(), edits, removes: Vec::new(), model: None };
            let relies_on = vec![diagnostic.span.clone()];
            ready.put(vec![PreparedFix { diagnostic, fix: Some(fix), relies_on, breaks_others: false }]);
        }
        let context = Listing {
            client: Client { code_actions: true, ..Client::default() },
            encoding: Encoding::Utf16,
            has_model: true,
            work: FixWork { ready: Arc::new(ready), ..FixWork::default() },
            ..Listing::default()
        };
        let (listed, _) = actions(&document, &sent, &context);
        let with_edit = listed.iter().filter(|it| it.edit.is_some()).count();
        assert_eq!((with_edit, listed.len()), expected);
        assert!(!document.is_parsed(), "the listing waited for a parse");
    }

    #[test]
    fn prepared_fixes_are_listed_without_a_parse_however_many_there_are() {
        check(1, (1, 1));
        check(200, (FIXED_DIAGNOSTICS, FIXED_DIAGNOSTICS));
        check(2_000, (FIXED_DIAGNOSTICS, FIXED_DIAGNOSTICS));
    }
}
