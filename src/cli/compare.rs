//! `tandem compare`: compares two models on the user's own code, by the git history of a folder.

mod journal;
mod side;
mod task;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use dialoguer::Confirm;
use tokio::join;

use super::exit::{USAGE, end};
use super::project::reading;
use super::spinner;
use super::terminal::{json, print, say};
use crate::compare::page::page;
use crate::compare::places::held_out_positions;
use crate::compare::result::{Comparison, Pair};
use crate::disk::{IgnoreFiles, Readers};
use crate::grammar;
use crate::model::usage::default_folder;
use crate::privacy::Verdict;
use crate::text::hash::fnv64;
use crate::text::words::counted;
use crate::workspace::git;
use journal::AnswerJournal;
use side::{Asked, Side};
use task::{Forecast, Task};

/// The exit code if A certainly keeps more of its text.
const A_IS_BETTER: u8 = 4;
/// The exit code if B certainly keeps more of its text.
const B_IS_BETTER: u8 = 5;
/// The maximum number of commits to inspect.
const COMMITS: usize = 1_000;
/// The number of consecutive failures of a model after which the comparison stops.
const FAILURES: usize = 5;

/// Compare two models on your own code: both suggest ghost text at positions of your last commits, and the
/// suggestions are compared with the commits
///
/// First estimates the requests, tokens and dollars, and asks for confirmation. Ends once the difference is
/// certain, or at one of the limits. Replies are stored, and are not requested again. Exit codes: 0 no
/// difference shown, 1 failed, 2 wrong usage, 4 A keeps more of its text, 5 B does.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// A profile, or a model of `fast.candidates` as MODEL or PROVIDER/MODEL
    a: String,
    /// The other profile or model
    b: String,
    /// The folder whose commits are used
    #[arg(long, default_value = ".")]
    folder: PathBuf,
    /// The maximum number of positions
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pairs: usize,
    /// The time limit, in minutes
    #[arg(long, value_name = "N", default_value_t = 15)]
    minutes: u64,
    /// The cost limit, in US dollars
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    dollars: f64,
    /// Discard the stored replies
    #[arg(long)]
    again: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Also write a page for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let folder = std::path::absolute(&arguments.folder)?;
    let root = git::repository(&folder).context("there is no git repository around the folder")?.to_owned();
    let sides = [&arguments.a, &arguments.b].map(|name| Side::new(arguments.config.as_deref(), name, &root));
    let [a, b] = match sides {
        [Ok(a), Ok(b)] if a.endpoint() != b.endpoint() => [a, b],
        [Ok(_), Ok(_)] => return end(USAGE, "A and B are the same model, asked in the same way"),
        [a, b] => {
            let wrong: Vec<String> = [a.err(), b.err()].into_iter().flatten().collect();
            return end(USAGE, wrong.join("\n"));
        }
    };
    let tasks = tasks(&root, &a, arguments.pairs).await?;
    if tasks.is_empty() {
        say("the last commits have no place to ask about: none changes code that a model may see");
        return Ok(ExitCode::FAILURE);
    }
    let state = default_folder().context("there is no folder for the answers; set HOME or TANDEM_STATE")?;
    let name = [&root.display().to_string(), &a.identity(), &b.identity()].map(String::as_str).join("\n");
    let mut journal =
        AnswerJournal::open(&state.join("compare"), &format!("{:016x}", fnv64(&name)), arguments.again)?;
    let open: Vec<&Task> = tasks.iter().filter(|task| journal.is_open(&task.key())).collect();
    let forecast = [a.forecast(&open).await, b.forecast(&open).await];
    say_forecast(&tasks, &open, &forecast, arguments.dollars);
    if !arguments.yes && !open.is_empty() {
        if !std::io::stdin().is_terminal() {
            return end(USAGE, "nothing was asked; --yes begins");
        }
        if !Confirm::new().with_prompt("Begin?").default(false).interact()? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let stopped = ask(&arguments, [&a, &b], &tasks, &mut journal, &forecast).await?;
    let pairs = tasks.iter().filter_map(|task| Some(task.pair(journal.answers(&task.key())?))).collect();
    let comparison = Comparison::new(pairs);
    show(&arguments, &comparison, stopped.as_deref())?;
    Ok(match comparison.interval {
        it if !it.is_sure() => ExitCode::SUCCESS,
        it if it.mean < 0.0 => ExitCode::from(A_IS_BETTER),
        _ => ExitCode::from(B_IS_BETTER),
    })
}

/// Derives the tasks from the last commits, newest first.
async fn tasks(root: &Path, side: &Side, most: usize) -> anyhow::Result<Vec<Task>> {
    let (folder, settings) = (root.to_owned(), side.settings.clone());
    let ignore_files = IgnoreFiles::default();
    let readers = Readers::default();
    let commits = reading(&readers, root, move || {
        let roots = [folder.clone()];
        git::history(&folder, COMMITS, |path| {
            let place = folder.join(path);
            let rules = &settings.of(Some(&place)).privacy.path_rules;
            grammar::by_path(Path::new(path)).is_some_and(|it| !it.is_prose())
                && ignore_files.judge(&place, &roots, rules) == Verdict::Open
        })
    });
    let mut tasks = Vec::new();
    for git::Commit { hash, files } in commits.await?? {
        for git::ChangedText { path, old, new } in files {
            let language =
                grammar::by_path(Path::new(&path)).map(|it| it.name().to_owned()).unwrap_or_default();
            tasks.extend(held_out_positions(&old, &new).into_iter().map(|place| Task {
                commit: hash.clone(),
                path: path.clone(),
                language: language.clone(),
                place,
            }));
        }
    }
    tasks.truncate(most);
    Ok(tasks)
}

fn say_forecast(tasks: &[Task], open: &[&Task], forecast: &[Forecast; 2], limit: f64) {
    let count = open.len();
    let commits: std::collections::HashSet<&str> = tasks.iter().map(|it| it.commit.as_str()).collect();
    let tokens = (forecast[0].tokens + forecast[1].tokens) * count as u64;
    let money = match forecast.map(|it| it.dollars) {
        [Some(a), Some(b)] => format!("about ${:.2}", (a + b) * count as f64),
        _ => "dollars that are not known, since a model has no price".to_owned(),
    };
    say(format_args!(
        "{} in {}, {} of them answered before: at most {}, about {tokens} tokens, {money}. It ends at ${limit}, or once \
         the difference is sure. Commits are not keystrokes: what you typed and took back is not in them, and a model \
         may have been trained on those that are public.",
        counted(tasks.len(), "place"),
        counted(commits.len(), "commit"),
        tasks.len() - count,
        counted(count * 2, "request"),
    ));
}

/// Asks both models at each open position. Returns the reason if it stopped at a limit or a failure.
async fn ask(
    arguments: &Arguments,
    [a, b]: [&Side; 2],
    tasks: &[Task],
    journal: &mut AnswerJournal,
    forecast: &[Forecast; 2],
) -> anyhow::Result<Option<String>> {
    let (started, limit) = (Instant::now(), Duration::from_secs(arguments.minutes * 60));
    let a_pair: f64 = forecast.iter().filter_map(|it| it.dollars).sum();
    let progress = spinner::spinner();
    let (mut spent, mut failures) = (0.0, [0, 0]);
    let mut pairs: Vec<Pair> = Vec::new();
    for (at, task) in tasks.iter().enumerate() {
        let key = task.key();
        if journal.is_open(&key) {
            progress.set_message(format!("{at} of {} places, ${spent:.2}", tasks.len()));
            if spent + a_pair > arguments.dollars {
                return Ok(Some(format!("it ended at the limit of ${}", arguments.dollars)));
            }
            if started.elapsed() >= limit {
                return Ok(Some(format!("it ended after {}", counted(arguments.minutes, "minute"))));
            }
            journal.asks(&key)?;
            let answered = join!(a.ask(task, forecast[0]), b.ask(task, forecast[1]));
            let [one, other] = match answered {
                (Asked::Stopped(why), _) | (_, Asked::Stopped(why)) => return Ok(Some(why)),
                (one, other) => [one, other],
            };
            for (failed, (asked, side)) in failures.iter_mut().zip([(&one, a), (&other, b)]) {
                *failed = if matches!(asked, Asked::Failed(_)) { *failed + 1 } else { 0 };
                if let (Asked::Failed(why), FAILURES..) = (asked, *failed) {
                    return Ok(Some(format!("{} does not answer: {why}", side.name)));
                }
            }
            // An answer is paid for even if the other model did not answer.
            spent += [&one, &other]
                .map(|it| if let Asked::Answer(it) = it { it.dollars } else { 0.0 })
                .iter()
                .sum::<f64>();
            if let (Asked::Answer(one), Asked::Answer(other)) = (one, other) {
                journal.answered(&key, [one, other])?;
            }
        }
        if let Some(answers) = journal.answers(&key) {
            pairs.push(task.pair(answers));
        }
        // The interval is inspected after each commit, since the statistics are per cluster.
        let ends_commit = tasks.get(at + 1).is_none_or(|next| next.commit != task.commit);
        if ends_commit && crate::compare::result::interval(pairs.iter()).is_sure() {
            return Ok(None);
        }
    }
    Ok(None)
}

fn show(arguments: &Arguments, comparison: &Comparison, stopped: Option<&str>) -> anyhow::Result<()> {
    if let Some(path) = &arguments.html {
        let page = page(comparison, [&arguments.a, &arguments.b], stopped);
        let cannot =
            || format!("the page cannot be written to {}; nothing is asked again for it", path.display());
        std::fs::write(path, page).with_context(cannot)?;
    }
    if arguments.json {
        let mut all = comparison.in_json();
        all["names"] = serde_json::json!({ "a": arguments.a, "b": arguments.b });
        all["stopped"] = serde_json::json!(stopped);
        return Ok(json(&all, true)?);
    }
    print(format_args!("A is {}, B is {}.", arguments.a, arguments.b));
    print(format_args!("{}.", comparison.sentence()));
    if let Some(why) = stopped {
        print(format_args!("Note: {why}."));
    }
    print(format_args!("\n{}", comparison.table()));
    for pair in comparison.telling() {
        let commit: String = pair.commit.chars().take(10).collect();
        print(format_args!("{} in {commit}, after `{}`", pair.path, pair.before.trim_start()));
        let texts = [("commit", &pair.written), ("A", &pair.answers[0].text), ("B", &pair.answers[1].text)];
        for (name, text) in texts {
            let mut lines = text.lines();
            print(format_args!("  {name:<7}{}", lines.next().unwrap_or("(nothing)").trim()));
            lines.for_each(|line| print(format_args!("         {line}")));
        }
    }
    Ok(())
}
