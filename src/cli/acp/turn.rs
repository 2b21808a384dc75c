//! Carries out one prompt, up to writing the files.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use futures_util::future::join_all;
use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::asking::{TurnQuestions, Verdict, title};
use super::auth::AUTH_REQUIRED;
use super::client::Client;
use super::history::{self, Exchange};
use super::progress::{Picked, Progress, sentence};
use super::prompt::{Mention, Prompt, Work};
use super::questions;
use super::turn_stop::TurnStop;
use super::written::Written;
use crate::assist::Assist;
use crate::assist::plan::{Plan, PlanRequest, Project, Proposal, Run, text};
use crate::cli::jsonrpc::{Answer, INTERNAL_ERROR};
use crate::cli::limits::{FILE_BYTES, FOLDER_TIMEOUT};
use crate::cli::{plan, project, settings, write};
use crate::disk::{self, Links, Purpose, Readers};
use crate::edit::EditSet;
use crate::edit::effect::{Effect, effects};
use crate::edit::plan::Files as _;
use crate::lock::Mutex;
use crate::model::gears::Gears;
use crate::text::words::counted;
use crate::workspace::Folder;

/// The inputs of a turn.
pub(super) struct Turn {
    pub(super) client: Arc<Client>,
    pub(super) session: String,
    /// The turn's number, from 1.
    pub(super) number: usize,
    pub(super) folder: Folder,
    /// The folder as the editor names it.
    pub(super) cwd: PathBuf,
    pub(super) options: Options,
    /// The files that earlier turns wrote.
    pub(super) written: Written,
}

#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) config: Option<PathBuf>,
    pub(super) allow_dirty: bool,
    /// The threads that read the folders of all sessions.
    pub(super) readers: Readers,
}

impl Turn {
    /// Runs work that waits for the folder's disk, without blocking other sessions.
    async fn reading<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Folder) -> T + Send + 'static,
    ) -> anyhow::Result<T> {
        let folder = self.folder.clone();
        project::reading(&self.options.readers, self.folder.root(), move || work(&folder)).await
    }

    /// Carries out a prompt. It can be cancelled, without any change, until writing begins.
    pub(super) async fn run(&self, prompt: Prompt, cancelled: oneshot::Receiver<()>) -> Answer {
        let progress = Arc::new(Progress {
            client: Arc::clone(&self.client),
            session: self.session.clone(),
            turn: self.number,
            cwd: self.cwd.clone(),
            shown: Mutex::default(),
        });
        let made = tokio::select! {
            biased;
            _ = cancelled => Err(TurnStop::Cancelled),
            made = self.make(&prompt, &progress) => made,
        };
        let written = match made {
            Ok(None) => Ok(None),
            Ok(Some(set)) => self.write(set).await.map(Some),
            Err(stop) => Err(stop),
        };
        progress.end_all(written.is_ok());
        // Deleting a session cancels its turn, which must not record the session again.
        let is_recorded = !matches!(written, Err(TurnStop::Cancelled));
        let answer = Self::answer(written, &progress);
        if is_recorded {
            let failure = answer.as_ref().err().map(|(_, why)| why.as_str());
            self.record(prompt, progress.said(), failure).await;
        }
        answer
    }

    /// Reports the outcome of a turn, and returns the answer to its prompt.
    fn answer(written: Result<Option<usize>, TurnStop>, progress: &Progress) -> Answer {
        let stop = match written {
            Ok(None) => "end_turn",
            Ok(Some(files)) => {
                progress.say(&format!("{} written.", counted(files, "file")));
                "end_turn"
            }
            Err(TurnStop::Declined) => {
                progress.say("Nothing was written.");
                "end_turn"
            }
            Err(TurnStop::Capped(why)) => {
                progress.say(&sentence(&why));
                "max_tokens"
            }
            Err(TurnStop::Cancelled) => "cancelled",
            // Editors then offer the authentication methods.
            Err(TurnStop::NoModel(why)) => return Err((AUTH_REQUIRED, sentence(&why))),
            // The stop reason `refusal` would remove the prompt and its answer from the chat.
            Err(TurnStop::Failed(why)) => return Err((INTERNAL_ERROR, sentence(&why))),
        };
        Ok(json!({ "stopReason": stop }))
    }

    /// Records the prompt and the answer, for when the session is opened again.
    async fn record(&self, prompt: Prompt, said: String, failure: Option<&str>) {
        let Some(history) = history::folder() else { return };
        let turn = Exchange { prompt: prompt.written, answer: said + failure.unwrap_or_default() };
        let (folder, id, cwd) = (history.clone(), self.session.clone(), self.cwd.clone());
        let add = move || history::add(&folder, &id, &cwd, &turn);
        let lane = Purpose::Aside.lane(&history);
        let added = self.options.readers.run_within(&lane, FOLDER_TIMEOUT, add).await;
        if let Err(error) = added.map_err(io::Error::other).flatten() {
            tracing::warn!(%error, "what was said is not kept");
        }
    }

    /// Does everything but write; returns the change to which the user agreed, or `None` if there is none to write.
    async fn make(&self, prompt: &Prompt, progress: &Arc<Progress>) -> Result<Option<EditSet>, TurnStop> {
        let started = Instant::now();
        let (config, root) = (self.options.config.clone(), self.folder.root().to_owned());
        // Commands that print API keys may be slow.
        let loaded =
            spawn_blocking(move || settings::load_with_kept_policy(config.as_deref(), &[root])).await;
        let loaded = loaded.context("the settings could not be read")?;
        for problem in &loaded.problems {
            progress.say(&format!("note: {problem}"));
        }
        let gears = settings::gears(loaded.settings.everywhere());
        let assist = settings::assist(&gears, loaded.settings.everywhere());
        if prompt.work == Work::Ask {
            let (readers, root) = (&self.options.readers, self.folder.root());
            questions::answer(&assist, readers, root, loaded.settings, &prompt.text, progress).await?;
            return Ok(None);
        }
        let project = project::open(&self.options.readers, &self.folder, &loaded.settings).await?;
        let asking = Arc::new(TurnQuestions::new(progress.clone()));
        let project = Project { permission: Arc::clone(&asking) as _, ..project };
        let proposal = match &prompt.work {
            Work::CarryOut(plan) => Proposal::Plan(settle(&assist, &project, plan.clone()).await?),
            _ => self.propose(&assist, &project, prompt, progress).await?,
        };
        let run = match proposal {
            Proposal::Plan(plan) if prompt.work == Work::Show => {
                let hint =
                    "Nothing is changed. Send the plan back, changed if need be, to have it carried out.";
                progress.part(&format!("````markdown\n{}````\n\n{hint}\n\n", text::write(&plan)));
                return Ok(None);
            }
            Proposal::Plan(plan) => {
                progress.plan(&plan);
                self.refuse_changed(&project::planned_paths(&plan)).await?;
                assist.carry_out(&project, plan, &|event| progress.event(event)).await?
            }
            Proposal::Change(change) => {
                assist.check_change(&project, &prompt.text, *change, &|event| progress.event(event)).await?
            }
        };
        self.offer(run, &asking, &gears, started, progress).await
    }

    async fn propose(
        &self,
        assist: &Assist,
        project: &Project,
        prompt: &Prompt,
        progress: &Progress,
    ) -> Result<Proposal, TurnStop> {
        let focus = match prompt.mentioned.first().cloned() {
            Some(mention) => Some(self.reading(move |folder| code(folder, mention)).await??),
            None => None,
        };
        let request = PlanRequest { instruction: prompt.text.clone(), focus, gear: None };
        let proposed = assist.propose(project, &request).await?;
        for note in &proposed.notes {
            progress.say(&format!("note: {note}"));
        }
        progress.say(&format!("Planned by {}.", proposed.origin));
        Ok(proposed.proposal)
    }

    /// Shows the result of a run, and asks whether it may be written.
    async fn offer(
        &self,
        run: Run,
        asking: &TurnQuestions,
        gears: &Gears,
        started: Instant,
        progress: &Progress,
    ) -> Result<Option<EditSet>, TurnStop> {
        progress.made(&run);
        let effects = effects(&run.set);
        let changed: Vec<&Effect<'_>> = effects.iter().filter(|it| it.operation() != "none").collect();
        let told: String = run
            .remarks(&changed, &gears.meter.totals(), started.elapsed())
            .iter()
            .map(|remark| format!("* {}\n", remark.trim_end().replace('\n', "\n  ")))
            .collect();
        progress.say(&told);
        if let Some(gap) = run.gap() {
            let why = plan::nothing_written(&gap);
            return Err(if run.stopped.is_some() { TurnStop::Capped(why) } else { TurnStop::Failed(why) });
        }
        if changed.is_empty() {
            return Ok(None);
        }
        self.refuse_changed(&project::old_paths(&run.set)).await?;
        match asking.verdict() {
            Verdict::Accepted(set) if set == run.set && run.is_sound() => return Ok(Some(run.set)),
            Verdict::Rejected => return Err(TurnStop::Declined),
            Verdict::Cancelled => return Err(TurnStop::Cancelled),
            Verdict::Accepted(_) | Verdict::Open => {}
        }
        let call = progress.writing(&title(&run.set), &changed);
        let options = [[ALLOW, "Write all of it", "allow_once"], ["reject", "Write nothing", "reject_once"]];
        match progress.permission(call, &options).await {
            Ok(Picked::Option(option)) if option == ALLOW => Ok(Some(run.set)),
            Ok(Picked::Option(_)) => Err(TurnStop::Declined),
            Ok(Picked::Cancelled) => Err(TurnStop::Cancelled),
            Err(why) => {
                let why = format!("the editor could not ask for permission: {why}");
                Err(TurnStop::Failed(plan::nothing_written(&why)))
            }
        }
    }

    /// Refuses files with unsaved or uncommitted changes, which the plan's changes would mix with.
    async fn refuse_changed(&self, paths: &[&str]) -> Result<(), TurnStop> {
        if self.client.reads_files() {
            let unsaved = join_all(paths.iter().map(|path| self.is_unsaved(path))).await;
            let unsaved: Vec<&str> =
                paths.iter().zip(unsaved).filter(|(_, is)| *is).map(|(path, _)| *path).collect();
            if !unsaved.is_empty() {
                return Err(TurnStop::Failed(format!(
                    "unsaved changes in {}; save them first",
                    unsaved.join(", ")
                )));
            }
        }
        if self.options.allow_dirty {
            return Ok(());
        }
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let written = self.written.clone();
        let others = move |folder: &Folder| -> Vec<String> {
            paths.into_iter().filter(|path| !written.is_as_left(folder, path)).collect()
        };
        let others = self.reading(others).await?;
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        match project::uncommitted(&self.options.readers, self.folder.root(), &others).await? {
            None => Ok(()),
            Some(dirty) => Err(TurnStop::Failed(format!("{dirty}, or start the agent with --allow-dirty"))),
        }
    }

    /// Whether the editor's text of a file differs from that on disk.
    async fn is_unsaved(&self, path: &str) -> bool {
        let params = json!({ "sessionId": self.session, "path": self.cwd.join(path) });
        // A file that the editor cannot read is not open there.
        let Ok(answer) = self.client.request("fs/read_text_file", params).await else { return false };
        let Some(open) = answer["content"].as_str().map(str::to_owned) else { return false };
        let path = path.to_owned();
        let is_same = move |folder: &Folder| {
            let saved = disk::text(&folder.place(&path), FILE_BYTES, Links::Follow);
            // Editors differ in the line ends that they report, including the final one.
            saved.map_or(true, |saved| saved.trim_end().lines().eq(open.trim_end().lines()))
        };
        !self.reading(is_same).await.unwrap_or(true)
    }

    async fn write(&self, set: EditSet) -> Result<usize, TurnStop> {
        // While the question was open, the user may have typed into a file.
        self.refuse_changed(&project::old_paths(&set)).await?;
        let session = self.written.clone();
        let write = move |folder: &Folder| {
            let written = write::edit_set(folder, &set)?;
            session.remember(&set);
            anyhow::Ok(written)
        };
        Ok(self.reading(write).await??)
    }
}

/// The id of the option that grants permission.
const ALLOW: &str = "allow";

/// The path of a mentioned file, and its mentioned lines or whole text.
fn code(folder: &Folder, Mention { path, lines }: Mention) -> anyhow::Result<(String, String)> {
    let entry = folder.entry(&path)?.with_context(|| format!("there is no file `{path}`"))?;
    let text = folder.open(&entry)?.text;
    let is_mentioned = |number: usize| lines.is_empty() || lines.iter().any(|it| it.contains(&number));
    let shown = (1..).zip(text.split_inclusive('\n')).filter(|(number, _)| is_mentioned(*number));
    let code = shown.map(|(_, line)| line).collect();
    Ok((path, code))
}

/// Checks a plan that the user wrote.
async fn settle(assist: &Assist, project: &Project, plan: Plan) -> Result<Plan, TurnStop> {
    let settled = assist.settle_plan(project, plan).await?;
    settled.map_err(|errors| TurnStop::Failed(format!("the plan cannot be carried out: {errors}")))
}
