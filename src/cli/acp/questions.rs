//! Questions about the project.

use std::path::Path;

use anyhow::Context as _;
use tokio::task::spawn_blocking;

use super::ended::Stop;
use super::progress::Progress;
use crate::assist::Assist;
use crate::cli::ask::{self, MOST_ANSWERS, Project};
use crate::config::Scoped;
use crate::route::Gear;
use crate::text::printable_lines;

/// Answers a question: a model in words, and without one the likeliest definitions.
pub(super) async fn answer(
    assist: &Assist,
    root: &Path,
    settings: Scoped,
    question: &str,
    progress: &Progress,
) -> Result<(), Stop> {
    let root = root.to_owned();
    let project = spawn_blocking(move || Project::read(root, settings)).await;
    let project = project.context("the project could not be read")?;
    let has_model = [Gear::Fast, Gear::Deep].into_iter().any(|gear| assist.model_name(gear).is_some());
    if !has_model {
        return definitions(&project, question, progress);
    }
    let request = project.request(question, None);
    let answered = assist.ask(&request, &mut |text| progress.part(&printable_lines(text))).await;
    let (answer, origin) = match answered {
        Ok(answered) => answered,
        Err(reason) => {
            progress.say(&format!("\n\nNo model answers: {reason}."));
            return definitions(&project, question, progress);
        }
    };
    let places: String =
        answer.places.iter().map(|it| format!("\n* `{}:{}`: `{}`", it.path, it.line, it.text)).collect();
    let problems: String = ask::problems(&answer).iter().map(|it| format!("\n* {it}")).collect();
    let model = origin.model.as_deref().unwrap_or("a model");
    progress.say(&format!("\n{places}{problems}\n\nBy {model} ({}: {}).", origin.gear, origin.reason));
    Ok(())
}

fn definitions(project: &Project, question: &str, progress: &Progress) -> Result<(), Stop> {
    let found = project.workspace.search(question, MOST_ANSWERS);
    if found.is_empty() {
        progress.say("No name or doc comment in the project matches.");
        return Ok(());
    }
    progress.say(&format!("```\n{}\n```", project.lines(&found).join("\n")));
    Ok(())
}
