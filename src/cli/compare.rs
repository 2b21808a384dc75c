//! `tandem compare`: compares two models on the user's own code, by the git history of a folder.

pub(super) mod example;
mod journal;
mod recording;
mod side;
mod task;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::builder::RangedU64ValueParser;
use dialoguer::Confirm;
use tokio::join;

use super::exit::{FAILED, USAGE, end};
use super::project::reading;
use super::settings;
use super::spinner;
use super::terminal::{json, print, say};
use crate::compare::page::page;
use crate::compare::places::held_out_positions;
use crate::compare::result::{Comparison, Pair, Source, dollars, interval};
use crate::compare::statistics::FEWEST;
use crate::disk::{IgnoreFiles, Readers};
use crate::grammar;
use crate::model::usage::default_folder;
use crate::privacy::Verdict;
use crate::text::hash::fnv64;
use crate::text::words::counted;
use crate::workspace::git;
use journal::AnswerJournal;
use side::{Asked, NoSide, Side, Spending};
use task::{AnswerCosts, Forecast, Task};

/// The exit code if A certainly keeps more of its text.
const A_IS_BETTER: u8 = 4;
/// The exit code if B certainly keeps more of its text.
const B_IS_BETTER: u8 = 5;
/// The exit code if results of this version's rules differ from the recorded ones, and neither certainly keep more.
const DIFFERENT: u8 = 6;
/// The maximum number of commits to inspect.
const COMMITS: usize = 1_000;
/// The number of consecutive failures of a model after which the comparison stops.
const FAILURES: usize = 5;
/// The number of answers of each side by which the forecast is corrected.
const MEASURED: usize = 10;

/// Compare two models on your own code: both suggest ghost text at positions of your last commits, and the
/// suggestions are compared with the commits
///
/// With --recording, the positions are those of your recording, and the suggestions are compared with what you
/// typed; recorded answers are used again. Without A and B, --recording asks no model: the recorded answers are
/// read by the rules of this version, and each result that differs from the recorded one is listed.
///
/// First estimates the requests, tokens and dollars, and asks for confirmation. Ends once the difference is
/// certain, or at one of the limits. Replies are stored, and are not requested again. Exit codes: 0 no
/// difference shown, 1 failed or nothing compared, 2 wrong usage, 4 A keeps more of its text, 5 B does, 6 the rules differ, and neither
/// certainly keeps more.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// A profile, or a model of `fast.candidates` as MODEL or PROVIDER/MODEL
    #[arg(required_unless_present = "recording")]
    a: Option<String>,
    /// The other profile or model
    #[arg(required_unless_present = "recording")]
    b: Option<String>,
    /// Use your recording, or the one in FOLDER, instead of commits
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true)]
    recording: Option<Option<PathBuf>>,
    /// The folder whose commits are used
    #[arg(long, default_value = ".")]
    folder: PathBuf,
    /// The maximum number of positions
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
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
    let recorded = match arguments.recording.clone() {
        Some(None) => Some(super::record::folder()?),
        Some(folder) => folder,
        None => None,
    };
    match (&arguments.a, &arguments.b, &recorded) {
        (Some(a), Some(b), _) => models(&arguments, [a, b], recorded.as_deref()).await,
        (None, None, Some(folder)) => rules(&arguments, folder),
        _ => end(
            USAGE,
            "name both A and B, or neither to compare the rules of this version with the recorded ones",
        ),
    }
}

/// Compares the results of this version's rules with the recorded ones. Asks no model.
fn rules(arguments: &Arguments, folder: &Path) -> anyhow::Result<ExitCode> {
    let loaded = settings::read(arguments.config.as_deref(), &[], &[], false);
    let (report, pairs) = recording::replay(loaded.settings.everywhere(), folder)?;
    if report.count == 0 {
        let sentence = report.sentence();
        return end(FAILED, format_args!("{sentence}{}; `tandem record on` records", report.left_out()));
    }
    let comparison = Comparison::new(Source::Recording, pairs);
    let names = ["what was recorded", concat!("version ", env!("CARGO_PKG_VERSION"))];
    show(arguments, names, &comparison, None, Some(&report))?;
    Ok(code(&comparison, report.different > 0))
}

/// Compares two models, on a recording or else on the commits of the folder.
async fn models(
    arguments: &Arguments,
    names: [&String; 2],
    recorded: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let folder = std::path::absolute(&arguments.folder)?;
    let root = match (git::repository(&folder), recorded) {
        (Some(root), _) => root.to_owned(),
        (None, Some(_)) => folder,
        (None, None) => anyhow::bail!("there is no git repository around the folder"),
    };
    // The sides are read without a report, which both would repeat.
    settings::access_rules(&root, arguments.config.as_deref());
    let sides = names.map(|name| Side::new(arguments.config.as_deref(), name, &root, Spending::Counted));
    let [mut a, mut b] = match sides {
        [Ok(a), Ok(b)] if a.endpoint != b.endpoint => [a, b],
        [Ok(_), Ok(_)] => return end(USAGE, "A and B are the same model, asked in the same way"),
        [Err(NoSide::Unknown { name, known }), Err(NoSide::Unknown { name: other, .. })] if name != other => {
            return end(USAGE, side::unknown(&[&name, &other], &known));
        }
        [a, b] => {
            [a.err(), b.err()].into_iter().flatten().for_each(say);
            return Ok(ExitCode::from(USAGE));
        }
    };
    let differ = a.endpoint.model != b.endpoint.model;
    (a.reuses, b.reuses) = (differ, differ);
    let reading = spinner::spinner();
    reading.set_message("reading");
    let tasks = match recorded {
        Some(folder) => recording::tasks(folder, arguments.pairs)?,
        None => tasks(&root, &a, arguments.pairs).await?,
    };
    if tasks.is_empty() {
        reading.finish_and_clear();
        say(match recorded {
            Some(_) => {
                "the recording has no place to ask about: `tandem record on` records what you type where ghost text \
                 is requested"
            }
            None => {
                "the last commits have no place to ask about: none adds code to an existing file that a model may \
                 see"
            }
        });
        return Ok(ExitCode::FAILURE);
    }
    let source = if recorded.is_some() { Source::Recording } else { Source::History };
    let state = default_folder().context("there is no folder for the answers; set HOME or TANDEM_STATE")?;
    let place = recorded.unwrap_or(&root).display().to_string();
    let name = [&place, &a.identity(), &b.identity()].map(String::as_str).join("\n");
    let mut journal =
        AnswerJournal::open(&state.join("compare"), &format!("{:016x}", fnv64(&name)), arguments.again)?;
    let open: Vec<&Task> = tasks.iter().filter(|task| journal.is_open(&task.key())).collect();
    let forecast = [a.forecast(&open).await, b.forecast(&open).await];
    reading.finish_and_clear();
    let limits = Limits { time: Duration::from_secs(arguments.minutes * 60), dollars: arguments.dollars };
    match open.is_empty() {
        true => say(format_args!("all {} are answered already", counted(tasks.len(), "place"))),
        false => say_forecast(source, &tasks, &open, &forecast, &limits),
    }
    if !arguments.yes && !open.is_empty() {
        if !std::io::stdin().is_terminal() {
            return end(USAGE, "nothing was asked; --yes begins");
        }
        if !Confirm::new().with_prompt("Begin?").default(false).interact()? {
            return end(FAILED, "nothing was asked");
        }
    }
    let stopped = ask(&limits, [&a, &b], &tasks, &mut journal, &forecast).await?;
    let comparison = Comparison::new(source, pairs(&tasks, &journal));
    let names = names.map(String::as_str);
    show(arguments, names, &comparison, stopped.as_ref().map(|it| it.why.as_str()), None)?;
    let has_failed = comparison.pairs.is_empty() || stopped.is_some_and(|it| it.is_failure);
    Ok(if has_failed { ExitCode::FAILURE } else { code(&comparison, false) })
}

/// The positions that both models have answered.
fn pairs(tasks: &[Task], journal: &AnswerJournal) -> Vec<Pair> {
    tasks.iter().filter_map(|task| Some(task.pair(journal.answers(&task.key())?))).collect()
}

/// The exit code of a comparison; `differs` if some results are not the same.
fn code(comparison: &Comparison, differs: bool) -> ExitCode {
    match comparison.interval {
        it if it.is_sure() && it.mean < 0.0 => ExitCode::from(A_IS_BETTER),
        it if it.is_sure() => ExitCode::from(B_IS_BETTER),
        _ if differs => ExitCode::from(DIFFERENT),
        _ => ExitCode::SUCCESS,
    }
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
            tasks.extend(of_change(&hash, &path, &old, &new));
        }
    }
    tasks.truncate(most);
    Ok(tasks)
}

fn of_change(commit: &str, path: &str, old: &str, new: &str) -> Vec<Task> {
    let language = grammar::by_path(Path::new(path)).map(|it| it.name().to_owned()).unwrap_or_default();
    let task = |place| Task {
        cluster: commit.to_owned(),
        path: path.to_owned(),
        language: language.clone(),
        place,
        recorded: None,
    };
    held_out_positions(old, new).into_iter().map(task).collect()
}

/// The tokens and dollars of all requests; no dollars if a model has no price.
fn in_all(forecast: &[Forecast; 2]) -> (f64, Option<f64>) {
    let of = |it: &Forecast| it.requests as f64;
    let tokens = forecast.iter().map(|it| it.tokens * of(it)).sum();
    (tokens, forecast.iter().map(|it| Some(it.dollars? * of(it))).sum())
}

fn say_forecast(source: Source, tasks: &[Task], open: &[&Task], forecast: &[Forecast; 2], limits: &Limits) {
    let clusters: std::collections::HashSet<&str> = tasks.iter().map(|it| it.cluster.as_str()).collect();
    let requests: usize = forecast.iter().map(|it| it.requests).sum();
    let (tokens, amount) = in_all(forecast);
    let money = match amount {
        Some(amount) => format!("about {}", dollars(amount)),
        None => "dollars that are not known, since a model has no price".to_owned(),
    };
    let few = match clusters.len() {
        ..FEWEST => format!(", which takes {FEWEST} {}s", source.cluster()),
        _ => String::new(),
    };
    say(format_args!(
        "{} in {}, {} of them answered before: at most {}, about {} tokens, {money}; tokens differ by \
         model, so the first {MEASURED} answers of each correct this. It ends at ${}, after {}, or once \
         the difference is sure{}. {}",
        counted(tasks.len(), "place"),
        counted(clusters.len(), source.cluster()),
        tasks.len() - open.len(),
        counted(requests, "request"),
        rounded(tokens),
        limits.dollars,
        counted(limits.minutes(), "minute"),
        few,
        match source {
            Source::History =>
                "Commits are not keystrokes: what you typed and took back is not in them, and a model may \
                have been trained on those that are public.",
            Source::Recording =>
                "What was shown to you influenced what you typed: the model whose suggestions you saw \
                has an advantage.",
        },
    ));
}

/// Whether each side that is asked has given the answers that correct its forecast.
fn is_enough(measured: &[AnswerCosts; 2], forecast: &[Forecast; 2]) -> bool {
    let is_asked = forecast.iter().any(|it| it.requests > 0);
    is_asked
        && measured
            .iter()
            .zip(forecast)
            .all(|(it, forecast)| forecast.requests == 0 || it.answers >= MEASURED)
}

fn say_measured(forecast: &[Forecast; 2]) {
    let (tokens, amount) = in_all(forecast);
    let money = amount.map_or_else(String::new, |it| format!(" and {}", dollars(it)));
    let tokens = rounded(tokens);
    say(format_args!("after {MEASURED} answers of each: at most about {tokens} tokens{money} in all"));
}

/// A number to three digits.
fn rounded(number: f64) -> String {
    let unit = 10_f64.powi(number.max(1.0).log10().floor() as i32 - 2).max(1.0);
    format!("{:.0}", (number / unit).round() * unit)
}

/// When a comparison ends although nothing is certain.
struct Limits {
    time: Duration,
    dollars: f64,
}

impl Limits {
    fn minutes(&self) -> u64 {
        self.time.as_secs() / 60
    }
}

/// Why a comparison ended although nothing is certain.
struct Halt {
    why: String,
    /// Whether a model does not answer; else a limit is reached.
    is_failure: bool,
}

impl Halt {
    fn limit(why: String) -> Self {
        Self { why, is_failure: false }
    }

    fn failure(side: &Side, why: &str) -> Self {
        Self { why: format!("{} does not answer: {why}", side.name), is_failure: true }
    }
}

/// Asks both models at each open position. Returns the reason if it stopped at a limit, or because of a failure.
async fn ask(
    limits: &Limits,
    [a, b]: [&Side; 2],
    tasks: &[Task],
    journal: &mut AnswerJournal,
    forecast: &[Forecast; 2],
) -> anyhow::Result<Option<Halt>> {
    let started = Instant::now();
    let price = |side: &Side, task: &Task, it: &Forecast| match side.recorded(task) {
        Some(_) => 0.0,
        None => it.dollars.unwrap_or_default(),
    };
    let (mut expected, mut measured, mut is_said) = (*forecast, <[AnswerCosts; 2]>::default(), false);
    let progress = spinner::spinner();
    let (mut spent, mut failures) = (0.0, [0, 0]);
    let (mut pairs, mut last_failure) = (Vec::<Pair>::new(), None);
    for (at, task) in tasks.iter().enumerate() {
        let key = task.key();
        if journal.is_open(&key) {
            let all = in_all(&expected).1.map_or_else(String::new, |it| format!(" of about {}", dollars(it)));
            progress.set_message(format!("{at} of {} places, {}{all}", tasks.len(), dollars(spent)));
            if spent + price(a, task, &expected[0]) + price(b, task, &expected[1]) > limits.dollars {
                return Ok(Some(Halt::limit(format!("it ended at the limit of ${}", limits.dollars))));
            }
            if started.elapsed() >= limits.time {
                let minutes = counted(limits.minutes(), "minute");
                return Ok(Some(Halt::limit(format!("it ended after {minutes}"))));
            }
            journal.asks(&key)?;
            let answered = join!(a.answer(task, expected[0]), b.answer(task, expected[1]));
            let [one, other] = match answered {
                (Asked::Stopped(why), _) | (_, Asked::Stopped(why)) => return Ok(Some(Halt::limit(why))),
                (one, other) => [one, other],
            };
            for (failed, (asked, side)) in failures.iter_mut().zip([(&one, a), (&other, b)]) {
                *failed = if matches!(asked, Asked::Failed(_)) { *failed + 1 } else { 0 };
                if let Asked::Failed(why) = asked {
                    let stop = Halt::failure(side, why);
                    if *failed >= FAILURES {
                        return Ok(Some(stop));
                    }
                    last_failure = Some(stop);
                }
            }
            // An answer is paid for even if the other model did not answer.
            for (sum, asked) in measured.iter_mut().zip([&one, &other]) {
                if let Asked::Answer(answer, bytes) = asked {
                    sum.add(answer, *bytes);
                    spent += answer.dollars.unwrap_or_default();
                }
            }
            if is_enough(&measured, forecast) {
                expected = [0, 1].map(|side| forecast[side].by(&measured[side]));
                if !is_said {
                    is_said = true;
                    progress.suspend(|| say_measured(&expected));
                }
            }
            if let (
                Asked::Answer(one, _) | Asked::Recorded(one),
                Asked::Answer(other, _) | Asked::Recorded(other),
            ) = (one, other)
            {
                journal.answered(&key, [one, other])?;
            }
        }
        if let Some(answers) = journal.answers(&key) {
            pairs.push(task.pair(answers));
        }
        // The interval is inspected after each cluster.
        let ends_cluster = tasks.get(at + 1).is_none_or(|next| next.cluster != task.cluster);
        if ends_cluster && interval(pairs.iter()).is_sure() {
            return Ok(None);
        }
    }
    Ok(last_failure.filter(|_| pairs.is_empty()))
}

/// Shows a comparison between sides of these names. `replay` is what a replay adds: a sentence, lines, and JSON.
fn show(
    arguments: &Arguments,
    names: [&str; 2],
    comparison: &Comparison,
    stopped: Option<&str>,
    replay: Option<&recording::ReplayReport>,
) -> anyhow::Result<()> {
    let sentence = replay.map(recording::ReplayReport::sentence);
    if let Some(path) = &arguments.html {
        let page = page(comparison, names, sentence.as_deref().or(stopped));
        let cannot =
            || format!("the page cannot be written to {}; nothing is asked again for it", path.display());
        std::fs::write(path, page).with_context(cannot)?;
    }
    if arguments.json {
        let mut all = comparison.in_json();
        all["names"] = serde_json::json!({ "a": names[0], "b": names[1] });
        all["stopped"] = serde_json::json!(stopped);
        if let Some(replay) = replay {
            all["replay"] = replay.in_json();
        }
        return Ok(json(&all, true)?);
    }
    if let Some(replay) = replay {
        print(replay.text());
    }
    print(format_args!("A is {}, B is {}.", names[0], names[1]));
    print(format_args!("{}.", comparison.sentence()));
    if let Some(why) = stopped {
        print(format_args!("Note: {why}."));
    }
    print(format_args!("\n{}", comparison.table()));
    for pair in comparison.telling() {
        let (source, cluster) = (comparison.source, comparison.source.shown(&pair.cluster));
        print(format_args!("{} in {cluster}, after `{}`", pair.path, pair.before.trim_start()));
        let texts = [source.written(), "A", "B"];
        for (name, text) in
            texts.into_iter().zip([&pair.written, &pair.answers[0].text, &pair.answers[1].text])
        {
            print(recording::quoted(name, text));
        }
    }
    Ok(())
}
