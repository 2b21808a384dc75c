//! `tandem model`: lists the configured models, and puts one of them first.

use std::collections::HashMap;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use super::config_file::ConfigFile;
use super::config_text::with_first;
use super::exit::USAGE;
use super::settings::{self, is_named};
use super::setup::Questions;
use super::terminal::{print, say};
use crate::config::{self, Price, Role, Settings};
use crate::model::identity;
use crate::model::usage::price_at;
use crate::record::figures::{By, figures};
use crate::record::outcomes::Replays;
use crate::record::ring;

/// List the configured models, or put one of them first; the others become its fallbacks
///
/// Without a model, it lists them with their speed and price, and on a terminal asks which is to be first.
/// Running servers follow at once.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The model, as MODEL, PROVIDER/MODEL or PROVIDER MODEL, as they are named in the configuration
    #[arg(num_args = 0..=2)]
    model: Vec<String>,
    /// Put it first for hard tasks instead of for ghost text and quick changes
    #[arg(long)]
    deep: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.model[..] {
        [provider, model, ..] => put_first(arguments, arguments.deep, provider, model),
        [name] => put_named_first(arguments, name),
        [] => list(arguments),
    }
}

fn put_first(arguments: &Arguments, deep: bool, provider: &str, model: &str) -> anyhow::Result<ExitCode> {
    let role = if deep { "deep" } else { "fast" };
    ConfigFile::read(arguments.config.clone())?.change(|text| with_first(text, role, provider, model))?;
    print(format_args!("{role}: {model} of {provider} is asked first."));
    Ok(ExitCode::SUCCESS)
}

/// Puts the candidate first that is named as MODEL or PROVIDER/MODEL.
fn put_named_first(arguments: &Arguments, name: &str) -> anyhow::Result<ExitCode> {
    let loaded = settings::read(arguments.config.as_deref(), &[], &[], false);
    let mut rows = rows(loaded.settings.everywhere(), &HashMap::new());
    if rows.is_empty() {
        return Ok(without_models());
    }
    rows.retain(|it| it.deep == arguments.deep && is_named(&it.provider, &it.model, name));
    rows.dedup_by(|one, other| (&one.provider, &one.model) == (&other.provider, &other.model));
    match &rows[..] {
        [row] => put_first(arguments, row.deep, &row.provider, &row.model),
        [] => {
            let (role, to_add) = if arguments.deep { ("deep", " --deep") } else { ("fast", "") };
            say(format_args!(
                "`{role}.candidates` has no `{name}`; `tandem model` lists the models, and `tandem setup{to_add}` adds one"
            ));
            Ok(ExitCode::FAILURE)
        }
        several => {
            let names: Vec<String> =
                several.iter().map(|it| format!("{}/{}", it.provider, it.model)).collect();
            say(format_args!("there are several: name one of {}", names.join(", ")));
            Ok(ExitCode::from(USAGE))
        }
    }
}

fn without_models() -> ExitCode {
    say("no model is configured; `tandem setup` adds one");
    ExitCode::FAILURE
}

/// Lists the candidates of each gear. On a terminal, asks which is to be first if there is a choice.
fn list(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = arguments.config.clone().or_else(config::default_path);
    let loaded = settings::read(config.as_deref(), &[], &[], true);
    // Problems of a candidate are shown with the candidate.
    loaded.problems.iter().filter(|it| !it.is_of_candidate()).for_each(say);
    let rows = rows(loaded.settings.everywhere(), &speeds());
    if rows.is_empty() {
        return Ok(without_models());
    }
    for deep in [false, true] {
        let own: Vec<&Row> = rows.iter().filter(|it| it.deep == deep).collect();
        print(if deep { "deep" } else { "fast" });
        own.iter().for_each(|it| print(format_args!("  {}", it.text)));
        if own.is_empty() {
            print(format_args!("  none; `tandem setup{}` adds one", if deep { " --deep" } else { "" }));
        }
    }
    // The first of a gear is first already.
    let others: Vec<&Row> = rows.iter().filter(|it| it.is_usable && !it.is_first).collect();
    if others.is_empty() || !std::io::stdin().is_terminal() {
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines: Vec<String> =
        others.iter().map(|it| format!("{}: {}", if it.deep { "deep" } else { "fast" }, it.text)).collect();
    lines.push("None — leave the order as it is".to_owned());
    let chosen = Questions::new().choose("Which is to be asked first?", &lines)?;
    match others.get(chosen) {
        Some(row) => put_first(arguments, row.deep, &row.provider, &row.model),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// One candidate of a gear.
struct Row {
    deep: bool,
    provider: String,
    model: String,
    text: String,
    is_usable: bool,
    is_first: bool,
}

/// The candidates of both gears in the order in which they are asked, followed by unusable ones.
fn rows(settings: &Settings, speeds: &HashMap<String, u64>) -> Vec<Row> {
    let of_role = |deep: bool, role: &Role| -> Vec<Row> {
        let usable = role.candidates.iter().enumerate().map(|(at, it)| {
            let price = price_at(&settings.prices, it, None);
            let text = line(&it.provider, &it.model, &facts(speeds.get(&it.model).copied(), price.as_ref()));
            let (provider, model) = (it.provider.clone(), it.model.clone());
            Row { deep, provider, model, text, is_usable: true, is_first: at == 0 }
        });
        let left_out = role.left_out.iter().map(|it| {
            let text = line(&it.provider, &it.model, &format!("not used: {}", it.why));
            let (provider, model) = (it.provider.clone(), it.model.clone());
            Row { deep, provider, model, text, is_usable: false, is_first: false }
        });
        usable.chain(left_out).collect()
    };
    let mut rows = of_role(false, &settings.fast);
    rows.extend(of_role(true, &settings.deep));
    rows
}

fn line(provider: &str, model: &str, facts: &str) -> String {
    format!("{} of {provider} — {facts}", identity::shown(model))
}

/// The speed and the price of a candidate, as far as they are known.
fn facts(first_text: Option<u64>, price: Option<&Price>) -> String {
    let speed = match first_text {
        Some(ms) => format!("first text in {ms} ms"),
        None => "speed not measured yet".to_owned(),
    };
    let price = match price {
        Some(it) if it.input == 0.0 && it.output == 0.0 => "free".to_owned(),
        Some(it) => format!("${} per million tokens read, ${} written", it.input, it.output),
        None => "price not known".to_owned(),
    };
    format!("{speed}; {price}")
}

/// The median time to the first text of each model in the recording, in milliseconds.
fn speeds() -> HashMap<String, u64> {
    let read = || -> anyhow::Result<HashMap<String, u64>> {
        let mut replays = Replays::default();
        super::record::each_entry(&ring::files(&super::record::folder()?)?, |entry| replays.take(entry))?;
        let (_, groups) = figures(&replays.finish(), By::Model, |_| None);
        Ok(groups.iter().filter_map(|(model, it)| Some((model.clone(), it.wait(0.5)?))).collect())
    };
    read().unwrap_or_else(|error| {
        tracing::debug!(%error, "no speed is known without a recording that can be read");
        HashMap::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_name_speed_and_price() {
        let price = |input, output| Price { input, output, ..Price::default() };
        let check = |ms, price: Option<Price>, expected: &str| {
            assert_eq!(facts(ms, price.as_ref()), expected);
        };
        check(
            Some(41),
            Some(price(0.1, 0.5)),
            "first text in 41 ms; $0.1 per million tokens read, $0.5 written",
        );
        check(None, Some(price(0.0, 0.0)), "speed not measured yet; free");
        check(None, None, "speed not measured yet; price not known");
    }
}
