//! `tandem ask`: where in the project something is, from the index of its definitions.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use super::terminal;
use crate::config::{self, Keys, Sources};
use crate::disk::{self, Readers};
use crate::privacy::Verdict;
use crate::workspace::{Answer, Cache, Report, Scope, Workspace, walk};

/// Answers that are printed, unless told otherwise.
const MOST_ANSWERS: usize = 10;

/// Say where in the project something is defined: file, line and signature, the likeliest first.
///
/// Answered from the names and documentation of the project's files; no model is asked. Files that no model may see
/// are not read. Exit codes: 0 found, 1 nothing found.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The question, such as "which file owns OrderQueue?" or "where are settings loaded"
    question: Vec<String>,
    /// The folder to look in (by default the repository that you are in, or else the current folder)
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// How many answers to print
    #[arg(long, value_name = "N", default_value_t = MOST_ANSWERS)]
    most: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG")]
    config: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    match answer(arguments) {
        Ok(code) => code,
        Err(error) => {
            terminal::say(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn answer(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let here = std::fs::canonicalize(match &arguments.root {
        Some(root) => root.clone(),
        None => std::env::current_dir()?,
    })?;
    let repository = here.ancestors().find(|folder| folder.join(".git").exists());
    let root = match &arguments.root {
        Some(_) => here.clone(),
        None => repository.unwrap_or(&here).to_owned(),
    };
    let (workspace, report) = known(&root, arguments.config.as_deref());
    let question = arguments.question.join(" ");
    let answers = workspace.search(&question, arguments.most);
    let shown =
        |answer: &Answer| answer.place.path().strip_prefix(&root).unwrap_or(&root).display().to_string();
    if arguments.json {
        let listed: Vec<_> = answers
            .iter()
            .map(|it| {
                let definition = it.place.definition();
                json!({
                    "path": shown(it), "line": definition.line + 1, "name": definition.name,
                    "kind": definition.kind.word(), "signature": definition.signature, "doc": definition.doc,
                    "words": it.words,
                })
            })
            .collect();
        terminal::json(&json!({ "files": report.files, "answers": listed }), false)?;
    } else {
        for it in &answers {
            let definition = it.place.definition();
            terminal::print(format_args!("{}:{}: {}", shown(it), definition.line + 1, definition.signature));
            if !definition.doc.is_empty() {
                terminal::print(format_args!("    {}", definition.doc));
            }
        }
    }
    if answers.is_empty() {
        terminal::say(format_args!("nothing in {} files is called or documented so", report.files));
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// What is known of the files below a folder that a model may be shown.
fn known(root: &Path, config: Option<&Path>) -> (Workspace, Report) {
    let (default, roots) = (config::default_path(), [root.to_owned()]);
    let sources = Sources {
        file: config.or(default.as_deref()),
        editor: &[],
        folders: &roots,
        variable: &|name| std::env::var(name).ok(),
        readers: &Readers::default(),
    };
    // No key is needed, so no command is run for one.
    let settings = config::load(&sources, &mut Keys::default(), false).settings;
    let workspace = Workspace::default();
    let denied = |path: &Path| settings.verdict(path) != Verdict::Open;
    let scope = Scope { roots: &roots, denied: &denied, cancelled: &|| false, is_background: false };
    let cache = disk::cache_folder().map(|caches| Cache::new(&caches, &roots));
    let report = walk(&workspace, scope, cache.as_ref());
    (workspace, report)
}
