//! `tandem usage`: shows the user's own figures, from the recording and the day's spending.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::record::{each_entry, folder, state};
use super::settings::{load, meter};
use super::terminal::{json, print};
use crate::config::Settings;
use crate::model::Usage;
use crate::model::bill::{lines, troubles};
use crate::model::usage::{DayFiles, KEPT_DAYS, Terms, cost, default_folder, known_price, price_at, today};
use crate::record::figures::{By, Figures, figures};
use crate::record::outcomes::{AFTER, Replays};
use crate::record::ring;
use crate::text::words::counted;

/// Show what became of the suggestions and what they cost, from the recording on this machine
///
/// The first figure is kept characters per opportunity: the suggested characters that are still in your text
/// once it has settled, per pause in which a suggestion could have been shown.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// How the figures are grouped
    #[arg(long, value_enum, default_value = "day", conflicts_with = "ndjson")]
    by: Group,
    /// Print all figures as JSON
    #[arg(long, conflicts_with = "ndjson")]
    json: bool,
    /// Print the bill instead: tokens and cost by day, user, team, job and model, one JSON object a line
    #[arg(long)]
    ndjson: bool,
    /// How many days of the bill are printed, up to today (UTC)
    #[arg(long, value_name = "N", requires = "ndjson", default_value_t = KEPT_DAYS + 1,
        value_parser = clap::value_parser!(u64).range(1..=KEPT_DAYS + 1))]
    days: u64,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Group {
    Day,
    Model,
    Language,
    Job,
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let loaded = load(arguments.config.as_deref(), &[]);
    let settings = loaded.settings.everywhere();
    if arguments.ndjson {
        let files = default_folder().map(|folder| DayFiles::new(&folder));
        let of_day =
            |day| files.as_ref().map_or_else(String::new, |it| lines(&settings.bill, day, &it.of(day)));
        let text: String = (today() + 1 - arguments.days..=today()).map(of_day).collect();
        if !text.is_empty() {
            print(text.trim_end());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut replays = Replays::default();
    let files = ring::files(&folder()?)?;
    each_entry(&files, |entry| replays.take(entry))?;
    let by = match arguments.by {
        Group::Day => By::Day,
        Group::Model => By::Model,
        Group::Language => By::Language,
        Group::Job => By::Job,
    };
    let (all, groups) = figures(&replays.finish(), by, |asked| {
        dollars(settings, (&asked.model, asked.served.as_deref()), asked.tokens)
    });
    let spent = meter(settings).totals().day;
    if arguments.json {
        let groups: serde_json::Map<String, Value> =
            groups.iter().map(|(name, it)| (name.clone(), in_json(it))).collect();
        json(&json!({ "today": spent, "all": in_json(&all), "groups": groups }), true)?;
        return Ok(ExitCode::SUCCESS);
    }
    if files.is_empty() {
        print(format_args!("Nothing is recorded yet, and the {}.", state(settings.record)));
    } else {
        print(headline(&all));
        print(table(by, &all, groups.iter()));
    }
    let unpriced = if spent.unpriced > 0 { ", without models that have no price" } else { "" };
    print(format_args!(
        "Today (UTC), recorded or not: {}, {}, ${:.4}{unpriced}.",
        counted(spent.requests, "request"),
        counted(spent.tokens(), "token"),
        spent.dollars
    ));
    let places = default_folder().map_or_else(|| Ok(Vec::new()), |folder| troubles(&folder));
    for (setting, why) in places? {
        print(format_args!("The bill for `bill.{setting}` is kept and offered again: {why}."));
    }
    Ok(ExitCode::SUCCESS)
}

/// The cost of a recorded request, at the price of the candidate with its model, or else at the model's known price.
pub(super) fn dollars(
    settings: &Settings,
    (model, served): (&str, Option<&str>),
    [input_tokens, cached_tokens, cache_write_tokens, output_tokens]: [u64; 4],
) -> Option<f64> {
    let usage = Usage { input_tokens, cached_tokens, cache_write_tokens, output_tokens, ..Usage::default() };
    let mut candidates = settings.fast.candidates.iter().chain(&settings.deep.candidates);
    match candidates.find(|it| it.model == model) {
        Some(endpoint) => {
            let price = price_at(&settings.prices, endpoint, served)?;
            Some(cost(&usage, &price, Terms::of(endpoint, today())))
        }
        None => Some(cost(&usage, &known_price("", model)?, Terms::default())),
    }
}

fn headline(all: &Figures) -> String {
    let Some(kept) = all.kept_per_opportunity() else {
        return "There was no opportunity yet: no editor asked for a suggestion.".to_owned();
    };
    let money = all.dollars_per_thousand().map(|it| format!("; ${it:.2} per 1,000 kept characters"));
    format!(
        "{} kept in {} ({kept:.1} each){}.",
        counted(all.settled.kept, "character"),
        counted(all.opportunities, "pause"),
        money.unwrap_or_default()
    )
}

/// What the columns of the table are.
const LEGEND: &str = "
pauses   pauses in typing in which something could have been shown (opportunities)
asked    requests to a model, some of them made before a pause
shown    suggestions that were shown; those of the local engine ask no model
whole, typed, part, dism.
         suggestions taken as a whole, typed out, taken in part, and dismissed
kept, 15 min
         the share of the taken characters that is left, once settled and after 15 minutes
recall   the share of what you wrote that had been suggested
kept/p   kept characters per pause; pauses are not counted by model
$/1000   dollars per 1,000 kept characters
p50, p95 milliseconds to the first text, in 50 and in 95 % of the cases";

fn table<'a>(by: By, all: &Figures, groups: impl Iterator<Item = (&'a String, &'a Figures)>) -> String {
    let first = match by {
        By::Day => "day",
        By::Model => "model",
        By::Language => "language",
        By::Job => "job",
    };
    let mut text = format!(
        "{first:<24} {:>6} {:>6} {:>6} {:>6} {:>6} {:>5} {:>5} {:>5} {:>6} {:>6} {:>7} {:>7} {:>6} {:>6}\n",
        "pauses",
        "asked",
        "shown",
        "whole",
        "typed",
        "part",
        "dism.",
        "kept",
        "15 min",
        "recall",
        "kept/p",
        "$/1000",
        "p50",
        "p95"
    );
    let name = |name: &'a str| name.chars().take(24).collect::<String>();
    for (group, figures) in groups {
        text += &row(&name(group), figures);
    }
    text += &row("all", all);
    text + LEGEND
}

fn row(name: &str, it: &Figures) -> String {
    let percent =
        |share: Option<f64>| share.map_or_else(|| "–".to_owned(), |it| format!("{:.0} %", it * 100.0));
    let number = |number: Option<u64>| number.map_or_else(|| "–".to_owned(), |it| it.to_string());
    let exact = |number: Option<f64>| number.map_or_else(|| "–".to_owned(), |it| format!("{it:.2}"));
    let late = it.after.last().and_then(|it| it.share());
    format!(
        "{name:<24} {:>6} {:>6} {:>6} {:>6} {:>6} {:>5} {:>5} {:>5} {:>6} {:>6} {:>7} {:>7} {:>6} {:>6}\n",
        it.opportunities,
        it.asked,
        it.shown,
        it.whole,
        it.typed,
        it.part,
        it.dismissed,
        percent(it.settled.share()),
        percent(late),
        percent(it.recall()),
        exact(it.kept_per_opportunity()),
        exact(it.dollars_per_thousand()),
        number(it.wait(0.5)),
        number(it.wait(0.95)),
    )
}

fn in_json(it: &Figures) -> Value {
    let after: serde_json::Map<String, Value> = AFTER
        .iter()
        .zip(&it.after)
        .map(|(seconds, sum)| (seconds.to_string(), json!({ "kept": sum.kept, "suggested": sum.suggested })))
        .collect();
    let mut value = json!(it);
    value["after"] = after.into();
    value["keptPerOpportunity"] = json!(it.kept_per_opportunity());
    value["dollarsPerThousandKept"] = json!(it.dollars_per_thousand());
    value["recall"] = json!(it.recall());
    value["p50"] = json!(it.wait(0.5));
    value["p95"] = json!(it.wait(0.95));
    value
}
