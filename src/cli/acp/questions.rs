//! Answers questions about the project.

use std::path::Path;

use super::progress::Progress;
use super::turn_stop::TurnStop;
use crate::assist::{AskRequest, Assist};
use crate::cli::ask::{self, MOST_ANSWERS, Project};
use crate::cli::project;
use crate::config::Scoped;
use crate::disk::Readers;
use crate::text::printable_lines;

/// Answers a question: with a model in prose, otherwise with the likeliest definitions.
pub(super) async fn answer(
    assist: &Assist,
    readers: &Readers,
    root: &Path,
    settings: Scoped,
    question: &str,
    progress: &Progress,
) -> Result<(), TurnStop> {
    let folder = root.to_owned();
    let project = project::reading(readers, root, move || Project::read(folder, settings)).await?;
    let has_model = assist.has_model();
    if !has_model {
        return definitions(&project, question, progress);
    }
    let request = AskRequest { readers: readers.clone(), ..project.request(question, None) };
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
    progress.say(&format!("\n{places}{problems}\n\nBy {origin}."));
    Ok(())
}

fn definitions(project: &Project, question: &str, progress: &Progress) -> Result<(), TurnStop> {
    let found = project.workspace.search(question, MOST_ANSWERS);
    if found.is_empty() {
        progress.say("No name or doc comment in the project matches.");
        return Ok(());
    }
    progress.say(&format!("```\n{}\n```", project.lines(&found).join("\n")));
    Ok(())
}
