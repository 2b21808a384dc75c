//! `tandem ask`: answers a question about the project from the index of its definitions, and with a model if one
//! is configured.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use anyhow::Context as _;
use serde_json::{Value, json};

use super::exit::{FAILED, end};
use super::instruction::words;
use super::{project, settings, spinner, terminal};
use crate::assist::{self, AskRequest, Assist, Models, Observer, Origin, Sending};
use crate::config::Scoped;
use crate::disk::Readers;
use crate::job::Reason;
use crate::route::Gear;
use crate::text::words::counted;
use crate::workspace::{Answer, Report, Workspace};

/// The default number of definitions to print.
pub(super) const MOST_ANSWERS: usize = 10;

/// Answer a question about the project, with file and line for each claim
///
/// A model answers in prose, from the code that is relevant to the question, and each location in the answer
/// is verified. Without a model, or with --gear local, the likeliest definitions are printed: file, line and
/// signature. Files that no model may see are not read. Exit codes: 0 answered, 1 nothing found.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The question, such as "which file owns OrderQueue?" or "where are settings loaded"
    #[arg(required = true, value_parser = words)]
    question: Vec<String>,
    /// The folder to search (by default, the repository that you are in, or else the current folder)
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// The maximum number of definitions to print if no model answers
    #[arg(long, value_name = "N", default_value_t = MOST_ANSWERS)]
    most: usize,
    /// The gear that answers: local, fast or deep (by default, the fast model if there is one)
    #[arg(long, value_name = "GEAR")]
    gear: Option<Gear>,
    /// Print the request without sending it
    #[arg(long)]
    show: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

/// A model's answer, or why there is none.
type ModelAnswer = Result<(assist::CheckedAnswer, Origin), Reason>;

/// The project that a question is answered from.
pub(super) struct Project {
    root: PathBuf,
    settings: Scoped,
    pub(super) workspace: Arc<Workspace>,
    report: Report,
}

/// Captures a request, and ends its job before it is sent.
#[derive(Default)]
struct RequestPrinter(OnceLock<String>);

impl Observer for RequestPrinter {
    fn sends(&self, sending: Sending<'_>) -> ControlFlow<()> {
        let request = sending.request;
        // A job is ended at its first request, so there is no second one.
        self.0.set(format!("{}\n\n{}", request.instructions, request.input)).ok();
        ControlFlow::Break(())
    }
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let root = root(arguments.root.as_deref())?;
    let settings = settings::load(arguments.config.as_deref(), std::slice::from_ref(&root)).settings;
    let everywhere = settings.everywhere();
    // The mistake was printed, and no file is read until it is corrected.
    if settings.of(Some(&root)).correction.is_some() {
        return Ok(ExitCode::FAILURE);
    }
    let [fast, deep] = match arguments.gear {
        Some(Gear::Local) => [None, None],
        _ => settings::gears(everywhere).models(),
    };
    let has_model = fast.is_some() || deep.is_some();
    let assist = Assist::new(Models { fast, deep }, &everywhere.privacy);
    if !arguments.show {
        assist.warm();
    }
    let project = tokio::task::spawn_blocking(move || Project::read(root, settings)).await;
    let project = project.context("the project could not be read")?;
    let question = arguments.question.join(" ");
    let request = project.request(&question, arguments.gear);
    if arguments.show {
        return show(assist, &request).await;
    }
    if !has_model {
        return project.print(&arguments, None);
    }
    let mut has_said = false;
    let progress = spinner::spinner();
    progress.set_message("asking");
    let mut said = |text: &str| {
        has_said = true;
        if !arguments.json {
            progress.finish_and_clear();
            terminal::part(text);
        }
    };
    let outcome = assist.ask(&request, &mut said).await;
    progress.finish_and_clear();
    if has_said && !arguments.json {
        terminal::part("\n");
        if let Err(reason) = &outcome {
            // Definitions of the local engine below a partial answer would look like its continuation.
            return end(FAILED, format_args!("the answer is not whole: {reason}"));
        }
    }
    let is_half = has_said && outcome.is_err();
    let code = project.print(&arguments, Some(outcome))?;
    Ok(if is_half { ExitCode::FAILURE } else { code })
}

/// Prints the request that a model would be sent.
async fn show(assist: Assist, request: &AskRequest) -> anyhow::Result<ExitCode> {
    let shown = Arc::new(RequestPrinter::default());
    let assist = assist.observed_by(Some(Arc::clone(&shown) as Arc<dyn Observer>));
    let outcome = assist.ask(request, &mut |_| ()).await;
    match (shown.0.get(), outcome) {
        (Some(sent), _) => terminal::print(sent),
        (None, Err(reason)) => return end(FAILED, format_args!("nothing is sent: {reason}")),
        (None, Ok(_)) => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder that a question is about.
fn root(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    let here = match given {
        Some(root) => root.to_owned(),
        None => std::env::current_dir()?,
    };
    let here = std::fs::canonicalize(&here).with_context(|| format!("cannot open {}", here.display()))?;
    let repository = here.ancestors().find(|folder| given.is_none() && folder.join(".git").exists());
    Ok(repository.unwrap_or(&here).to_owned())
}

impl Project {
    /// Indexes the files below a folder that a model may see.
    pub(super) fn read(root: PathBuf, settings: Scoped) -> Self {
        let workspace = Workspace::default();
        let report = project::index(&workspace, std::slice::from_ref(&root), &settings);
        Self { root, settings, workspace: Arc::new(workspace), report }
    }

    pub(super) fn request(&self, question: &str, gear: Option<Gear>) -> AskRequest {
        let roots = vec![self.root.clone()];
        let root = self.root.clone();
        AskRequest {
            question: question.to_owned(),
            gear,
            roots: roots.clone(),
            workspace: Arc::clone(&self.workspace),
            settings: self.settings.clone(),
            open: Vec::new(),
            access: self.settings.access(roots),
            shown: Arc::new(move |path| shown(path, &root).into()),
            readers: Readers::default(),
        }
    }

    /// Prints the model's answer, or else the likeliest definitions.
    fn print(&self, arguments: &Arguments, outcome: Option<ModelAnswer>) -> anyhow::Result<ExitCode> {
        let (answered, reason) = match outcome {
            None => (None, None),
            Some(Ok(answered)) => (Some(answered), None),
            Some(Err(reason)) => (None, Some(reason)),
        };
        if let Some(reason) = &reason {
            terminal::say(format_args!("no model answers: {reason}"));
        }
        let answers = self.workspace.search(&arguments.question.join(" "), arguments.most);
        if arguments.json {
            let listed: Vec<Value> = answers.iter().map(|it| self.json(it)).collect();
            let reply = answered.as_ref().map(|(answer, origin)| reply(answer, origin));
            let (files, reason) = (self.report.files, reason.map(|it| it.to_string()));
            let report = json!({ "files": files, "answers": listed, "reply": reply, "reason": reason });
            terminal::json(&report, false)?;
        } else if let Some((answer, origin)) = &answered {
            print_places(answer, origin);
        } else {
            for line in self.lines(&answers) {
                terminal::print(line);
            }
        }
        if answers.is_empty() && answered.is_none() {
            let files = self.report.files;
            let message = match files {
                0 => "there is no source file here to look in".to_owned(),
                _ => format!("no name or doc comment in {} matches", counted(files, "file")),
            };
            return end(FAILED, message);
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Formats definitions as text, each with its documentation below.
    pub(super) fn lines(&self, answers: &[Answer]) -> Vec<String> {
        let mut lines = Vec::new();
        for it in answers {
            let definition = it.place.definition();
            let path = shown(it.place.path(), &self.root);
            lines.push(format!("{path}:{}: {}", definition.line + 1, definition.signature));
            if !definition.doc.is_empty() {
                lines.push(format!("    {}", definition.doc));
            }
        }
        lines
    }

    fn json(&self, answer: &Answer) -> Value {
        let definition = answer.place.definition();
        json!({
            "path": shown(answer.place.path(), &self.root), "line": definition.line + 1,
            "name": definition.name, "kind": definition.kind.name(), "signature": definition.signature,
            "doc": definition.doc, "words": answer.words,
        })
    }
}

fn shown(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(root).to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// Prints the lines that an answer cites, and its problems.
fn print_places(answer: &assist::CheckedAnswer, origin: &Origin) {
    if !answer.places.is_empty() {
        terminal::print("");
    }
    for it in &answer.places {
        terminal::print(format_args!("{}:{}: {}", it.path, it.line, it.text));
    }
    for problem in problems(answer) {
        terminal::say(problem);
    }
    terminal::say(format_args!("by {origin}"));
}

/// The problems of an answer, a clause each.
pub(super) fn problems(answer: &assist::CheckedAnswer) -> Vec<String> {
    let mut problems = Vec::new();
    match answer.missing {
        0 => {}
        1 => problems.push("1 cited place does not exist".to_owned()),
        many => problems.push(format!("{many} cited places do not exist")),
    }
    match answer.uncited_paragraphs {
        0 => {}
        1 => problems.push("1 paragraph cites no line".to_owned()),
        many => problems.push(format!("{many} paragraphs cite no line")),
    }
    problems
}

fn reply(answer: &assist::CheckedAnswer, origin: &Origin) -> Value {
    let places: Vec<Value> =
        answer.places.iter().map(|it| json!({ "path": it.path, "line": it.line, "text": it.text })).collect();
    json!({
        "text": answer.text, "places": places, "missing": answer.missing, "unplaced": answer.uncited_paragraphs,
        "gear": origin.gear.name(), "model": origin.model,
    })
}
