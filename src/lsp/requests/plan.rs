//! `tandem.plan`: a change across many files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::watch;
use tower_lsp::jsonrpc::{Error, Result};

use super::title::{shortened, title};
use crate::assist::plan::Outcome as Verified;
use crate::assist::plan::{
    Event, Plan, PlanRequest, Project, Proposal, Run, RunAnswer, RunPermission, RunRequest, StepReport,
    Verification, text,
};
use crate::disk::Purpose;
use crate::document::DocumentId;
use crate::edit::edit_set::{Change, FileEdit};
use crate::edit::effect::unified;
use crate::job::{Job, Reason};
use crate::lsp::editor::Editor;
use crate::lsp::errors::{failure, gear};
use crate::lsp::limits::PLAN_FILE_BYTES;
use crate::lsp::open_files::OpenFiles;
use crate::lsp::protocol::{ChangeAnnotation, PlanArguments, WorkspaceEdit};
use crate::lsp::state::ServerState;
use crate::lsp::{convert, task};
use crate::route::{Gear, risk};
use crate::text::folders::innermost;
use crate::text::words::slashed;
use crate::workspace::{Folder, git};

/// Makes a plan, or executes one.
///
/// The editor applies the result, unless a preview is requested.
pub(in crate::lsp) async fn plan_command(
    state: Arc<ServerState>,
    arguments: PlanArguments,
    work_done_token: Option<Value>,
) -> Result<Value> {
    if !state.client.get().applies_edits && !arguments.preview && !arguments.show {
        return Err(Error::invalid_params("this editor does not apply edits; use `preview`"));
    }
    let instruction = arguments.instruction.trim().to_owned();
    let given = arguments.plan.as_deref().map(text::read).transpose();
    let given = given.map_err(|error| Error::invalid_params(format!("`plan`: {error}")))?;
    if instruction.is_empty() && given.is_none() {
        return Err(Error::invalid_params("`instruction` is empty: say what is to be done"));
    }
    let gear = gear(arguments.gear.as_deref())?;
    let (request, place) = place(&state, &arguments, instruction, gear)?;
    task::run(async move {
        let (project, files) = project(&state, place).await.map_err(|reason| failure(Job::Plan, &reason))?;
        let words = match &given {
            Some(plan) => &plan.instruction,
            None => &request.instruction,
        };
        let name = title(&shortened(words));
        let (say, said) = watch::channel(String::new());
        let work = carry_out(&state, &project, &request, given, arguments.show, &say);
        let done = state.watch_job(name.clone(), work_done_token, said, work).await;
        let (outcome, notes) = done.map_err(|it| failure(Job::Plan, &it))?;
        match outcome {
            Outcome::Plan(plan) => {
                Ok(json!({ "status": "planned", "plan": text::write(&plan), "notes": notes }))
            }
            Outcome::Run(mut run) => {
                let (session, set) = (state.session.clone(), std::mem::take(&mut run.set));
                // An incomplete result is not applied, whatever happened to the files.
                let is_whole = run.gap().is_none();
                let moved = project.reading(Job::Plan, move |_| match is_whole {
                    true => files.rebased(&session, set),
                    false => Ok((OpenFiles::clone(&files), set)),
                });
                let moved = moved.await.and_then(|moved| moved);
                let (files, set) = moved.map_err(|it| failure(Job::Plan, &it))?;
                run.set = set;
                let untracked = untracked(&project, &files, &run).await;
                let compared = move || {
                    let diff = unified(&run.set);
                    (*run, diff)
                };
                let run = task::run_blocking(compared).await?;
                answer(&state, (&files, &untracked), run, notes, name, arguments.preview)
            }
        }
    })
    .await?
}

/// The changed files of a run that are not open and that git could not restore.
async fn untracked(project: &Project, files: &OpenFiles, run: &Run) -> HashSet<String> {
    let changed = run.set.files().iter().filter(|file| file.old_text().is_some());
    let closed = changed.filter(|file| !files.is_open(&file.path)).map(|file| file.path.clone());
    let paths: Vec<String> = closed.collect();
    let ask = move |project: &Project| {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        git::untracked(&project.root, &paths).unwrap_or_else(|error| {
            // If git fails, it may not be able to restore any of the files.
            tracing::debug!(%error, "what git tracks is not known");
            paths.iter().map(|path| (*path).to_owned()).collect()
        })
    };
    project.reading(Job::Plan, ask).await.unwrap_or_default()
}

/// The root folder of a project, and all workspace folders.
pub(super) struct ProjectFolder {
    pub(super) root: PathBuf,
    pub(super) folders: Vec<PathBuf>,
}

/// The requested change, and the folder that it is for.
fn place(
    state: &Arc<ServerState>,
    arguments: &PlanArguments,
    instruction: String,
    gear: Option<Gear>,
) -> Result<(PlanRequest, ProjectFolder)> {
    let session = state.session.lock();
    let folders = session.folders().to_vec();
    let mut request = PlanRequest { instruction, focus: None, gear };
    let mut path = None;
    if let Some(document) = &arguments.text_document {
        let id = DocumentId::new(&document.uri);
        let tracked = session.tracked(&id).map_err(|reason| failure(Job::Plan, &reason))?;
        path = tracked.path_on_disk().map(Path::to_owned);
        if let Some(range) = arguments.range {
            let document = tracked.document();
            let span = document.whole_lines(convert::span(document, range, session.encoding()));
            request.focus = Some((String::new(), document.slice(span)));
        }
    }
    // Of nested folders, the innermost one applies; without a file, the first folder.
    let root = match &path {
        Some(path) => innermost(&folders, path),
        None => folders.first(),
    };
    let Some(root) = root.cloned() else {
        return Err(Error::invalid_params("a plan needs a workspace folder: open one, or a file in it"));
    };
    let shown = path.as_deref().and_then(|path| path.strip_prefix(&root).ok());
    request.focus = request.focus.zip(shown).map(|((_, code), path)| (slashed(path), code));
    Ok((request, ProjectFolder { root, folders }))
}

/// The project in a folder. Neither the serving thread nor the blocking pool waits for the disk.
pub(super) async fn project(
    state: &Arc<ServerState>,
    place: ProjectFolder,
) -> std::result::Result<(Project, Arc<OpenFiles>), Reason> {
    let ProjectFolder { root, folders } = place;
    let looked_at = root.clone();
    let look = move || Folder::new(&looked_at, PLAN_FILE_BYTES);
    let disk = state.readers.run(&Purpose::Request.lane(&root), look).await;
    let not_read = |why: String| Reason::NotRead(format!("the workspace folder cannot be read: {why}"));
    let disk = disk.map_err(|stuck| not_read(stuck.to_string()))?.ok_or(Reason::Internal)?;
    let disk = disk.map_err(|error| not_read(error.to_string()))?;
    let session = state.session.lock();
    let files = Arc::new(OpenFiles::new(&session, &root, disk));
    let settings = session.scoped().clone();
    let workspace = Arc::clone(session.workspace());
    let permission =
        Arc::new(Asking { editor: state.editor.clone(), can_show: state.client.get().shows_documents });
    let project = Project {
        root,
        files: Arc::clone(&files) as _,
        workspace,
        access: settings.access(folders),
        settings,
        permission,
        readers: state.readers.clone(),
    };
    Ok((project, files))
}

/// Asks in the editor before the user's command runs code that a model wrote: first the diff is shown as a
/// document, then the question.
struct Asking {
    editor: Editor,
    can_show: bool,
}

const RUN_IT: &str = "Run it";

impl Asking {
    async fn ask_in_editor(&self, request: RunRequest<'_>) -> std::result::Result<bool, String> {
        if !self.can_show {
            let why = "this editor cannot show the change before it is run; name the folder in \
                       verify.without_asking, or use `tandem plan`";
            return Err(why.to_owned());
        }
        let set = request.set.clone();
        let write = move || {
            let diff = unified(&set);
            let mut builder = tempfile::Builder::new();
            let mut file = builder.prefix("tandem-").suffix(".diff").tempfile()?;
            std::io::Write::write_all(&mut file, diff.as_bytes())?;
            Ok::<_, std::io::Error>(file.into_temp_path())
        };
        let written = tokio::task::spawn_blocking(write).await.map_err(|error| error.to_string())?;
        // The file is deleted after the answer.
        let path = written.map_err(|error| format!("the change cannot be shown: {error}"))?;
        let uri = convert::file_uri(&path).ok_or("the change has no URI")?;
        let document = json!({ "uri": uri, "takeFocus": true });
        let question = title(&request.question());
        let picked = self.editor.ask_about(document, &question, &[RUN_IT, "Do not run it"]).await?;
        Ok(picked.as_deref() == Some(RUN_IT))
    }
}

impl RunPermission for Asking {
    fn ask<'a>(&'a self, request: RunRequest<'a>) -> BoxFuture<'a, RunAnswer> {
        Box::pin(async move { self.ask_in_editor(request).await.into() })
    }
}

enum Outcome {
    Plan(Plan),
    Run(Box<Run>),
}

/// Makes a plan unless one is given, and executes it unless it is only to be shown.
async fn carry_out(
    state: &Arc<ServerState>,
    project: &Project,
    request: &PlanRequest,
    given: Option<Plan>,
    is_shown: bool,
    say: &watch::Sender<String>,
) -> std::result::Result<(Outcome, Vec<String>), Reason> {
    let assist = state.serving.assist();
    let on_event = |event: Event<'_>| {
        if let Some(words) = event.words() {
            say.send_replace(words);
        }
    };
    let mut notes = Vec::new();
    let plan = match given {
        Some(plan) => assist.settle_plan(project, plan).await??,
        None => {
            say.send_replace("making a plan".to_owned());
            let proposed = assist.propose(project, request).await?;
            notes = proposed.notes;
            match proposed.proposal {
                Proposal::Plan(plan) => plan,
                Proposal::Change(change) => {
                    let run = assist.check_change(project, &request.instruction, *change, &on_event).await?;
                    return Ok((Outcome::Run(Box::new(run)), notes));
                }
            }
        }
    };
    if is_shown {
        return Ok((Outcome::Plan(plan), notes));
    }
    let run = assist.carry_out(project, plan, &on_event).await?;
    Ok((Outcome::Run(Box::new(run)), notes))
}

/// Answers with the result of a run, and asks the editor to apply it if it is complete.
fn answer(
    state: &Arc<ServerState>,
    (files, untracked): (&OpenFiles, &HashSet<String>),
    (run, diff): (Run, String),
    mut notes: Vec<String>,
    name: String,
    is_preview: bool,
) -> Result<Value> {
    let findings: Vec<String> = run.problems().collect();
    let passed = run.verification.iter().filter(|it| it.outcome == Verified::Passed);
    notes.extend(run.notes.iter().cloned().chain(passed.map(ToString::to_string)));
    let mut answer = json!({
        "status": "done", "findings": findings, "notes": notes, "diff": diff,
        "steps": run.steps.iter().map(StepReport::json).collect::<Vec<_>>(),
        "verification": run.verification.as_ref().map(Verification::json), "testCommand": run.test_command,
    });
    if let Some(gap) = run.gap() {
        let problem = format!("nothing is changed, since {gap}");
        answer["status"] = json!("incomplete");
        answer["reason"] = json!(problem);
        state.editor.tell(title(&problem));
        return Ok(answer);
    }
    let set = run.set;
    // A new empty file has no lines in a diff.
    if set.files().iter().all(FileEdit::is_unchanged) {
        answer["status"] = json!("unchanged");
        return Ok(answer);
    }
    let annotate = |file: &FileEdit| annotation(file, files, untracked);
    let uri = |path: &str| files.uri(path).unwrap_or_else(|| path.to_owned());
    match convert::workspace_edit(&set, uri, Some(&annotate), state.client.get()) {
        Err(unsupported) => {
            answer["status"] = json!("unsupported");
            answer["reason"] = json!(format!(
                "{unsupported}; look at the diff, and run the plan with `tandem plan --write`"
            ));
            state.editor.tell(title(&unsupported.to_string()));
        }
        Ok(edit) if is_preview => answer["edit"] = json!(edit),
        Ok(edit) => apply(state, name, edit, &findings),
    }
    Ok(answer)
}

fn apply(state: &Arc<ServerState>, name: String, edit: WorkspaceEdit, findings: &[String]) {
    if let Some(first) = findings.first() {
        let more =
            if findings.len() > 1 { format!(", and {} more", findings.len() - 1) } else { String::new() };
        state.editor.tell(title(&format!("look before you rely on it: {first}{more}")));
    }
    state.editor.apply(name, edit);
}

/// The annotation of a file's change in a preview.
///
/// Separate confirmation is required only where a mistake is dangerous, since such changes start unticked:
/// where a file is deleted, is security-critical, or cannot be restored by git or an undo.
fn annotation(file: &FileEdit, files: &OpenFiles, untracked: &HashSet<String>) -> ChangeAnnotation {
    let what = match &file.change {
        Change::Create { .. } => "create",
        Change::Edit { .. } => "edit",
        Change::Rename { .. } => "rename",
        Change::Delete { .. } => "delete",
    };
    let is_critical =
        [Some(file.path.as_str()), file.new_path()].into_iter().flatten().any(risk::is_critical_path);
    let is_dangerous = matches!(file.change, Change::Delete { .. })
        || is_critical && !files.is_open(&file.path)
        || untracked.contains(&file.path);
    let flags: Vec<String> = file.flags.iter().map(ToString::to_string).collect();
    ChangeAnnotation {
        label: title(what),
        needs_confirmation: is_dangerous,
        description: (!flags.is_empty()).then(|| flags.join("; ")),
    }
}
