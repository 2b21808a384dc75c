//! `textDocument/codeAction`: instructions in comments, and quick fixes.
//!
//! Listing them calls no model.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use tower_lsp::jsonrpc::Result;

use super::quick_fix::Listing;
use super::title::{shortened, title};
use super::{ask, fix_all, pair, quick_fix};
use crate::assist::target::{self, Instruction};
use crate::assist::{FileImports, ImportedFolders, own_fixes};
use crate::disk::Purpose;
use crate::document::position::Encoding;
use crate::document::{Document, DocumentId};
use crate::lsp::capabilities::{ASK_KIND, Client, FIX_ALL_KIND, FIX_KIND, PLAN, REWRITE, REWRITE_KIND};
use crate::lsp::convert;
use crate::lsp::limits::IMPORTS_TIMEOUT;
use crate::lsp::other_files::OtherFiles;
use crate::lsp::prepared_fixes::{FixWork, Occasion, replacements};
use crate::lsp::protocol::{
    self, CodeAction, CodeActionContext, CodeActionRequest, Command, DocumentRef, OfferData, PlanArguments,
    RewriteArguments,
};
use crate::lsp::session_lock::SessionLock;
use crate::lsp::state::ServerState;
use crate::session::{Regression, ReviewHint};
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;

/// `CodeActionTriggerKind.Invoked`: the user requested actions.
const INVOKED: u32 = 1;

/// The code actions for a range.
pub(in crate::lsp) async fn code_actions(
    state: Arc<ServerState>,
    request: CodeActionRequest,
) -> Result<Vec<CodeAction>> {
    let Some((document, mut inputs)) = ActionInputs::take(&state, request) else { return Ok(Vec::new()) };
    if let Some(path) = inputs.path.clone().filter(|_| inputs.lists_own()) {
        inputs.beside = beside(&state, &document, path).await?;
    }
    state.session.with_tree(document, move |document| inputs.list(document)).await
}

/// The contents of the folders that a document's imports refer to, if the disk answers in time.
async fn beside(
    state: &Arc<ServerState>,
    document: &Arc<Document>,
    path: PathBuf,
) -> Result<ImportedFolders> {
    let lane = Purpose::Aside.lane(path.parent().unwrap_or(&path));
    let find = move |document: &Document| FileImports::of(document, &path);
    let imports = state.session.with_tree(Arc::clone(document), find).await?;
    if imports.is_empty() {
        return Ok(ImportedFolders::default());
    }
    let read = state.readers.run_within(&lane, IMPORTS_TIMEOUT, move || ImportedFolders::read(imports)).await;
    Ok(read.unwrap_or_default())
}

/// The kinds of actions that a request is for.
#[derive(Clone, Copy)]
struct RequestedKinds {
    rewrites: bool,
    /// Actions that show where a name is defined.
    places: bool,
    /// Fixes for the diagnostics in the request.
    fixes: bool,
    /// Fixes for mistakes that no tool reports.
    own: bool,
    /// The action that applies all fixes of the file.
    all: bool,
    jobs: bool,
}

impl RequestedKinds {
    fn of(request: &CodeActionRequest) -> Self {
        let CodeActionContext { diagnostics, only, .. } = &request.context;
        let wants = |ours: &str| only.as_ref().is_none_or(|kinds| kinds.iter().any(|it| covers(it, ours)));
        let is_asked = only.is_some() || is_invoked(request);
        Self {
            rewrites: wants(REWRITE_KIND),
            // Every name has such an action, so they are listed only on request.
            places: is_asked && wants(ASK_KIND),
            fixes: wants(FIX_KIND) && !diagnostics.is_empty(),
            // Mistakes that no tool reports are searched only on the user's request.
            own: is_asked && wants(FIX_KIND) && diagnostics.is_empty(),
            // An action on the whole file is listed only if such kinds are requested, and not with every cursor
            // movement.
            all: only.is_some() && wants(FIX_ALL_KIND),
            // The jobs are for selected code.
            jobs: is_asked && request.range.start != request.range.end,
        }
    }

    fn any(self) -> bool {
        let Self { rewrites, places, fixes, own, all, jobs } = self;
        rewrites || places || fixes || own || all || jobs
    }
}

/// The input for the actions of a request, besides the document.
struct ActionInputs {
    request: CodeActionRequest,
    wanted: RequestedKinds,
    listing: Listing,
    /// The findings of a review.
    hints: Vec<ReviewHint>,
    regression: Option<Regression>,
    /// The path of the file on this machine.
    path: Option<PathBuf>,
    beside: ImportedFolders,
    workspace: Arc<Workspace>,
    session: SessionLock,
}

impl ActionInputs {
    /// The current input; `None` if the file is not tracked or nothing is requested.
    fn take(state: &Arc<ServerState>, request: CodeActionRequest) -> Option<(Arc<Document>, Self)> {
        let wanted = RequestedKinds::of(&request);
        let id = DocumentId::new(&request.text_document.uri);
        let assist = state.serving.assist();
        let has_model = assist.has_model();
        let client = state.client.get().clone();
        let session = state.session.lock();
        let Snapshot { document, workspace, .. } = session.snapshot(&id).ok().filter(|_| wanted.any())?;
        let tracked = session.tracked(&id).ok()?;
        let needs_fixes = wanted.fixes || wanted.all;
        let mut listing = Listing {
            client,
            encoding: session.encoding(),
            has_model,
            folders: session.folders().to_vec(),
            ..Listing::default()
        };
        if needs_fixes {
            listing.others = session.other_documents(&id);
            listing.of_model = tracked.model_fixes().to_vec();
            listing.work = FixWork::of(&session, tracked);
        }
        let inputs = Self {
            hints: if needs_fixes { tracked.hints().to_vec() } else { Vec::new() },
            regression: wanted.fixes.then(|| session.regression(&id)).flatten(),
            path: tracked.path_on_disk().map(Path::to_owned),
            beside: ImportedFolders::default(),
            request,
            wanted,
            listing,
            workspace,
            session: state.session.clone(),
        };
        Some((document, inputs))
    }

    /// Whether to list fixes for mistakes that no tool reports.
    fn lists_own(&self) -> bool {
        self.wanted.own && self.listing.client.code_actions
    }

    /// Lists the actions. May wait for the parse.
    fn list(mut self, document: &Document) -> Vec<CodeAction> {
        let RequestedKinds { rewrites, places, fixes, all, jobs, .. } = self.wanted;
        let encoding = self.listing.encoding;
        let span = convert::span(document, self.request.range, encoding);
        let mut actions = Vec::new();
        // Editors request actions with every cursor movement, and few files contain an instruction: the others
        // are not parsed.
        if rewrites && target::may_have_instructions(document) {
            let instructions = target::instructions(document, span.clone()).into_iter();
            let client = &self.listing.client;
            actions.extend(instructions.map(|it| rewrite_action(document, it, encoding, client)));
        }
        if fixes {
            actions.extend(self.fixes(document, &span));
        }
        let regression = self.regression.take();
        actions.extend(regression.map(|it| quick_fix::revert_action(document, it, &self.listing.client)));
        if self.lists_own() {
            let others = OtherFiles::new(&self.listing.others, &self.workspace, &[]);
            let view = others.view(document);
            let is_known = |name: &str| view.is_in_other_cells(name);
            let path = self.path.as_deref();
            let fixes = own_fixes(document, &span, &self.workspace, path, &self.beside, &is_known);
            actions.extend(quick_fix::own_actions(document, fixes, &self.listing.client));
        }
        if all {
            actions.extend(self.fix_all(document));
        }
        if places {
            actions.extend(ask::action(&self.workspace, document, span.start, encoding));
        }
        if jobs && self.listing.has_model {
            actions.extend(self.jobs(document));
        }
        actions
    }

    /// The fixes for the diagnostics in the request.
    fn fixes(&self, document: &Document, span: &Range<usize>) -> Vec<CodeAction> {
        let Self { listing, hints, .. } = self;
        let mut actions = pair::fixes(document, hints, span, listing.encoding, &listing.client);
        let mut reported = self.request.context.diagnostics.clone();
        reported.retain(|raw| !pair::is_fixed(raw, hints));
        let (fixes, kinds) = quick_fix::actions(document, &reported, listing);
        actions.extend(fixes);
        if listing.client.resolves_edits && !kinds.is_empty() {
            let sets = listing.work.sets(document, &[], Occasion::Invoked);
            actions.extend(fix_all::kind_actions(document, &sets, &kinds));
        }
        actions
    }

    /// The action that applies all fixes of the file.
    fn fix_all(&mut self, document: &Document) -> Option<CodeAction> {
        let CodeActionContext { diagnostics, only, .. } = &self.request.context;
        let reported = fix_all::all_reported(document, diagnostics, &self.listing);
        let work = FixWork { reported, ..std::mem::take(&mut self.listing.work) };
        let occasion = if is_invoked(&self.request) { Occasion::Invoked } else { Occasion::Save };
        let made = work.make(document, &self.listing.others, None);
        let fixes = work.sets(document, &made, occasion);
        if occasion == Occasion::Save
            && let Ok(tracked) = self.session.lock().tracked_mut(document.id())
        {
            tracked.record_replacements(replacements(document, &fixes.certain.edits).collect());
        }
        let is_own_kind = only.iter().flatten().any(|kind| kind == FIX_ALL_KIND);
        fix_all::action(document, &fixes, is_own_kind, &self.listing.client)
    }

    /// The other jobs of a pair, of the requested kinds.
    fn jobs(&self, document: &Document) -> impl Iterator<Item = CodeAction> {
        let only = self.request.context.only.as_ref();
        let is_wanted = move |action: &CodeAction| {
            let kind = action.kind.as_deref().unwrap_or_default();
            only.is_none_or(|kinds| kinds.iter().any(|wanted| covers(wanted, kind)))
        };
        pair::actions(document, self.request.range, &self.listing.client).into_iter().filter(is_wanted)
    }
}

/// Whether the user requested the actions.
fn is_invoked(request: &CodeActionRequest) -> bool {
    request.context.trigger_kind == Some(INVOKED)
}

/// Whether a request for actions of the kind `kind` includes `ours`.
///
/// Kinds are prefixes of dot-separated parts.
fn covers(kind: &str, ours: &str) -> bool {
    kind.is_empty() || ours.strip_prefix(kind).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The action for an instruction in a comment.
fn rewrite_action(
    document: &Document,
    Instruction { text, target, is_for_project }: Instruction,
    encoding: Encoding,
    client: &Client,
) -> CodeAction {
    let range = convert::to_range(document, &target.span, encoding);
    if is_for_project {
        return plan_action(document, text, range, client);
    }
    let title = title(&shortened(&text));
    let mut action =
        CodeAction { tags: client.generated_tags(), ..CodeAction::new(REWRITE_KIND, title.clone()) };
    if client.resolves_edits {
        let (uri, version) = (document.id().as_str().to_owned(), document.version());
        let data = OfferData { uri, version, instruction: text, line: range.start.line };
        action.data = Some(json!(data));
    } else {
        let arguments = RewriteArguments::new(DocumentRef::of(document), range, text);
        action.command = Some(Command::new(title, REWRITE, &arguments));
    }
    action
}

/// The action for an instruction about the whole project.
///
/// Its edit is not known before it is run.
fn plan_action(document: &Document, text: String, range: protocol::Range, client: &Client) -> CodeAction {
    let title = title(&format!("in all files: {}", shortened(&text)));
    let arguments = PlanArguments {
        instruction: format!("{text}\n\nRemove the `ai!:` comment that asks for this."),
        text_document: Some(DocumentRef::of(document)),
        range: Some(range),
        ..PlanArguments::default()
    };
    let command = Some(Command::new(title.clone(), PLAN, &arguments));
    CodeAction { tags: client.generated_tags(), command, ..CodeAction::new(REWRITE_KIND, title) }
}
