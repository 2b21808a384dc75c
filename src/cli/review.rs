//! `tandem review`: has a model review a change.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::apply::edits_report;
use super::changes::{Changes, job};
use super::exit::{FAILED, code_of, end};
use super::limits::FILE_BYTES;
use super::{diff, project, terminal};
use crate::assist::pair::{MOST_BYTES, numbered_diff};
use crate::assist::review::{self, Hint};
use crate::disk::{self, Links, Readers};
use crate::edit::apply;
use crate::text::printable;
use crate::text::words::counted;
use crate::workspace::Folder;
use crate::workspace::git::Compared;

/// Review the changes since a revision, and print each problem, with its fix if there is one
///
/// Nothing is written. Files that no model may see are left out, and keys are redacted. Exit codes: 0 done, 1
/// failed, 3 refused for safety.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The revision to compare the files on disk with
    #[arg(default_value = "HEAD")]
    since: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let changes = Changes::here(Compared::Since(&arguments.since), arguments.config.as_deref())?;
    if changes.diff.is_empty() {
        return end(0, format_args!("nothing was changed since {} that a model may see", arguments.since));
    }
    // Deleted and binary files have no lines that a finding could refer to.
    let text = |path: &String| {
        let text = disk::text(&changes.root.join(path), FILE_BYTES, Links::Refuse).ok()?;
        Some((path.clone(), text))
    };
    let files: Vec<(String, String)> = changes.paths.iter().filter_map(text).collect();
    let mut code = numbered_diff(&changes.diff);
    let callers = callers(&changes, &files).await?;
    if !callers.is_empty() && code.len() + callers.len() < MOST_BYTES {
        code.push_str(&format!("\nCallers of what changed, as they are now:\n{callers}"));
    }
    let answer = match changes.answer(job("review")?, code, String::new()).await {
        Ok((answer, _)) => answer,
        Err(reason) => return end(code_of(&reason), reason),
    };
    let review = review::read(&answer, &files);
    let hints = &review.hints;
    if let Some(why) = review.unreadable(&answer) {
        return end(FAILED, why);
    }
    if !review.left_out.is_empty() {
        terminal::say(format_args!("note: {}", review.gaps()));
    }
    if arguments.json {
        let left_out: usize = review.left_out.values().sum();
        let findings: Vec<Value> = hints.iter().map(report).collect();
        terminal::json(&json!({ "findings": findings, "leftOut": left_out }), false)?;
        return Ok(ExitCode::SUCCESS);
    }
    for hint in hints {
        terminal::print(format_args!(
            "{}:{}: {}",
            printable(&hint.path),
            hint.line,
            printable(&hint.message)
        ));
        let (_, text) = files.iter().find(|(path, _)| *path == hint.path).context("the file is known")?;
        if !hint.fix.is_empty() {
            diff::print(&hint.path, text, &apply(text, &hint.fix))?;
        }
    }
    end(0, counted(hints.len(), "finding"))
}

/// The lines that call changed definitions, in files that a model may see.
async fn callers(changes: &Changes, files: &[(String, String)]) -> anyhow::Result<String> {
    let folder = Folder::new(&changes.root, FILE_BYTES)?;
    let (settings, diff, files) = (changes.settings.clone(), changes.diff.clone(), files.to_vec());
    let found = tokio::task::spawn_blocking(move || {
        let project = project::project(Readers::default(), &folder, &settings);
        review::callers(&project.workspace, folder.root(), &diff, &files)
    });
    found.await.context("the project could not be read")
}

fn report(hint: &Hint) -> Value {
    let fix = edits_report(&hint.fix);
    json!({ "path": hint.path, "line": hint.line, "message": hint.message, "fix": fix })
}
