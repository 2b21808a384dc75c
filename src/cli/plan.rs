//! `tandem plan`: changes many files from the command line.

mod editor;
mod permission;
mod report;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use indicatif::ProgressBar;

use super::exit::{self, FAILED, REFUSED, USAGE, code_of};
use super::instruction::words;
use super::limits::FILE_BYTES;
use super::spinner::spinner;
use super::{project, settings, terminal, write};
use crate::assist::Assist;
use crate::assist::plan::{Event, Outcome, Plan, PlanErrors, PlanRequest, Project, Proposal, Run, text};
use crate::disk::{self, Links, Readers};
use crate::job::Reason;
use crate::workspace::Folder;
use permission::TerminalPermission;
use report::Report;

/// Change many files as instructed: the deep model plans, the fast model edits
///
/// Prints one unified diff. Nothing is written without --write. With it, all files are written or none, and
/// none if a step or the check of all files failed. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused
/// for safety.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The instruction, such as "return a Result from load, and adapt the callers"
    #[arg(required_unless_present = "plan", value_parser = words)]
    instruction: Vec<String>,
    /// The project's folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Run the plan in this file, in the format that --show prints, instead of a new one
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Open the plan in your editor (VISUAL or EDITOR) before it is run
    #[arg(long)]
    edit: bool,
    /// Print the plan and do nothing else
    #[arg(long, conflicts_with = "write")]
    show: bool,
    /// Write the change: all files or none
    #[arg(long)]
    pub(super) write: bool,
    /// Also write files that have uncommitted changes
    #[arg(long, requires = "write")]
    allow_dirty: bool,
    /// Run `verify.command` without asking, although it runs code that a model wrote
    #[arg(long, conflicts_with_all = ["no_verify", "show"])]
    verify: bool,
    /// Do not run `verify.command`
    #[arg(long)]
    no_verify: bool,
    /// Write even if the check of all files or `verify.command` found a problem
    #[arg(long, requires = "write")]
    allow_failed_check: bool,
    /// Print the plan, the diff, the usage and the time as JSON
    #[arg(long)]
    json: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

/// The reason that the command ends early.
enum Stop {
    /// An exit code and a message.
    Exit(u8, String),
    Failed(anyhow::Error),
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Self {
        Self::Exit(code_of(&reason), reason.to_string())
    }
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    // An interrupt cancels the work, but never a write in progress.
    let stopped = tokio::select! {
        stopped = carry_out(&arguments) => stopped,
        interrupted = tokio::signal::ctrl_c() => {
            interrupted.context("cannot wait for an interrupt")?;
            Err(Stop::Exit(1, "cancelled; nothing was changed".to_owned()))
        }
    };
    match stopped {
        Ok(code) => Ok(code),
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::Exit(code, message)) => {
            if arguments.json {
                terminal::json(&report::stopped(code, &message), false)?;
            }
            exit::end(code, message)
        }
    }
}

async fn carry_out(arguments: &Arguments) -> Result<ExitCode, Stop> {
    let started = Instant::now();
    let given = arguments.plan.as_deref().map(read_plan).transpose()?;
    let folder = Folder::new(&arguments.root, FILE_BYTES)
        .with_context(|| format!("cannot open {}", arguments.root.display()))?;
    let loaded = settings::load(arguments.config.as_deref(), &[folder.root().to_owned()]);
    // The mistake was printed, and no file may be read until it is corrected.
    if let Some(place) = &loaded.settings.of(Some(folder.root())).correction {
        return Err(Stop::Exit(FAILED, format!("no model is asked until {place} is corrected")));
    }
    let gears = settings::gears(loaded.settings.everywhere());
    let assist = settings::assist(&gears, loaded.settings.everywhere());
    let permission = Arc::new(TerminalPermission::new(arguments.verify, arguments.no_verify, arguments.json));
    if let Some(why) = permission.cannot_ask(loaded.settings.everywhere(), folder.root())
        && !arguments.show
    {
        return Err(Stop::Exit(REFUSED, why));
    }
    let project = project::open(&Readers::default(), &folder, &loaded.settings).await?;
    let project = Project { permission: Arc::clone(&permission) as _, ..project };
    let mut report = Report::new(arguments.json);
    let is_made = given.is_none();
    let mut proposal = match given {
        Some(plan) => Proposal::Plan(settle(&assist, &project, plan).await?),
        None => propose(&assist, &project, arguments, &mut report).await?,
    };
    if let (Proposal::Plan(plan), true) = (&mut proposal, arguments.edit) {
        let Some(edited) = editor::edit(plan).await? else {
            return Err(Stop::Exit(0, "the plan is empty; nothing was done".to_owned()));
        };
        *plan = match settle(&assist, &project, edited.plan.clone()).await {
            Err(Stop::Exit(code, why)) => return Err(Stop::Exit(code, edited.kept(&why))),
            settled => settled?,
        };
    }
    let run = match proposal {
        Proposal::Plan(plan) => {
            report.plan(&plan, arguments.show)?;
            if arguments.show {
                return Ok(ExitCode::SUCCESS);
            }
            if arguments.write && !arguments.allow_dirty {
                let refused = refuse_dirty(&project, &project::planned_paths(&plan)).await;
                refused.map_err(|stop| match stop {
                    // A plan of a model has cost time and perhaps money.
                    Stop::Exit(code, why) if is_made => Stop::Exit(code, editor::keep(&plan, &why)),
                    stop => stop,
                })?;
            }
            let progress = permission.beside(spinner());
            let run = assist.carry_out(&project, plan, &|event| show(&progress, event)).await;
            progress.finish_and_clear();
            run?
        }
        Proposal::Change(change) => {
            let instruction = &arguments.instruction.join(" ");
            let progress = permission.beside(spinner());
            let on_event = |event: Event<'_>| show(&progress, event);
            let run = assist.check_change(&project, instruction, *change, &on_event).await;
            progress.finish_and_clear();
            run?
        }
    };
    report.run(&run, permission.has_shown(&run.set), &gears.meter.totals(), started.elapsed())?;
    end(arguments, &folder, &project, &run).await
}

/// The message that nothing was written, and why.
pub(super) fn nothing_written(why: &str) -> String {
    format!("nothing was written, since {why}")
}

/// Writes the result of a run, if that was requested and the run is complete.
async fn end(arguments: &Arguments, folder: &Folder, project: &Project, run: &Run) -> Result<ExitCode, Stop> {
    if let Some(gap) = run.gap() {
        let gap = format!("{gap}; --edit opens the plan in your editor before it is run");
        return Ok(exit::end(FAILED, if arguments.write { nothing_written(&gap) } else { gap })?);
    }
    if !run.is_sound() && !arguments.allow_failed_check {
        let is_unchecked = run.findings.is_empty()
            && run.verification.as_ref().is_some_and(|it| matches!(it.outcome, Outcome::NotRun(_)));
        let message = match arguments.write {
            true if is_unchecked => {
                "nothing was written, since `verify.command` was not run; --allow-failed-check writes all the same"
            }
            true => {
                "nothing was written, since the check failed; change the plan, or write all the same with \
                 --allow-failed-check"
            }
            false if is_unchecked => {
                "nothing was checked; --write writes this only with --allow-failed-check"
            }
            false => "the check failed; --write writes this only with --allow-failed-check",
        };
        return Ok(exit::end(FAILED, message)?);
    }
    if arguments.write {
        if !arguments.allow_dirty {
            refuse_dirty(project, &project::old_paths(&run.set)).await?;
        }
        let files = write::edit_set(folder, &run.set)?;
        super::apply::say_written(files);
    } else if !run.set.files().is_empty() && std::io::stdout().is_terminal() {
        terminal::say(
            "nothing was written; `… --write` plans again and writes. To write exactly this diff, save it in a file: \
             `tandem apply --root . --write < FILE`",
        );
    }
    Ok(ExitCode::SUCCESS)
}

async fn refuse_dirty(project: &Project, paths: &[&str]) -> Result<(), Stop> {
    match project::uncommitted(&project.readers, &project.root, paths).await? {
        None => Ok(()),
        Some(dirty) => Err(Stop::Exit(REFUSED, format!("{dirty}, or write all the same with --allow-dirty"))),
    }
}

/// Reads a plan that the user wrote or changed.
fn read_plan(path: &Path) -> Result<Plan, Stop> {
    let written = disk::text(path, FILE_BYTES, Links::Follow)
        .with_context(|| format!("cannot read {}", path.display()))?;
    text::read(&written).map_err(|error| Stop::Exit(USAGE, format!("{}: {error}", path.display())))
}

/// Checks a plan that the user wrote.
async fn settle(assist: &Assist, project: &Project, plan: Plan) -> Result<Plan, Stop> {
    let is_unsafe = |errors: &PlanErrors| if errors.is_unsafe() { REFUSED } else { USAGE };
    let settled = assist.settle_plan(project, plan).await?;
    settled.map_err(|errors| Stop::Exit(is_unsafe(&errors), errors.to_string()))
}

async fn propose(
    assist: &Assist,
    project: &Project,
    arguments: &Arguments,
    report: &mut Report,
) -> Result<Proposal, Stop> {
    let instruction = arguments.instruction.join(" ");
    let progress = spinner();
    progress.set_message("making a plan");
    let request = PlanRequest { instruction, ..PlanRequest::default() };
    let proposed = assist.propose(project, &request).await;
    progress.finish_and_clear();
    let proposed = proposed?;
    report.proposed(&proposed);
    Ok(proposed.proposal)
}

/// Shows the progress of a run on a terminal.
fn show(progress: &ProgressBar, event: Event<'_>) {
    if let Some(words) = event.words() {
        progress.set_message(words);
    }
    if let Event::Unusable { step, why } = event {
        tracing::info!(step = step.number, why, "not usable");
    }
}
