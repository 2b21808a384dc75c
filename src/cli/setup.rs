//! `tandem setup`: configures a model, and verifies that it answers.
//!
//! Detects keys and local servers, asks for missing information, sends one small request, and only then writes the
//! configuration. On a terminal it asks questions; every answer can be given as an argument instead.

mod arguments;
mod choosing;
mod keychain;
mod keys;
mod offers;
mod preferred;
mod questions;
mod report;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use anyhow::Context as _;

use super::config_file::ConfigFile;
use super::config_text;
use super::exit::USAGE;
use super::{local_servers, terminal};
use crate::config;
use crate::config::providers::{self, Provider};
use crate::text::did_you_mean;
pub(super) use arguments::Arguments;
use choosing::Setup;
use offers::Offer;
pub(super) use questions::Questions;
use report::SetupReport;

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if !arguments.json {
        return choose(&arguments).await;
    }
    // Editors read the JSON outcome, so errors go there as well.
    match choose(&arguments).await {
        Ok(code) => Ok(code),
        Err(error) => {
            let mut report = SetupReport { is_json: true, ..SetupReport::default() };
            report.wrong(format_args!("{error:#}"));
            finish(&report, ExitCode::FAILURE)
        }
    }
}

async fn choose(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let file = ConfigFile::read(arguments.config.clone())?;
    // Detects a syntax error in the file before any question is asked.
    let has_deep = file.checked(|text| config_text::has_candidates(text, "deep"))?;
    let mut report = SetupReport { is_json: arguments.json, ..SetupReport::default() };
    if arguments.list && arguments.provider.is_none() {
        return list_providers(arguments, &file, has_deep).await;
    }
    let mut questions = match &arguments.provider {
        Some(_) => None,
        None if std::io::stdin().is_terminal() && !arguments.json => Some(Questions::new()),
        None => {
            let missing =
                if arguments.json { "a provider is missing" } else { "standard input is not a terminal" };
            report.wrong(format_args!("{missing}: name a provider with --provider ({})", ids()));
            return finish(&report, ExitCode::from(USAGE));
        }
    };
    let (provider, typed_url) = match &arguments.provider {
        Some(id) => match providers::find(id) {
            Some(found) => (found, None),
            None => {
                let guess = did_you_mean(id, providers::all().map(|it| it.id.as_str()));
                report.wrong(format_args!("there is no provider `{id}`; there are: {}{guess}", ids()));
                return finish(&report, ExitCode::from(USAGE));
            }
        },
        None => match &mut questions {
            Some(questions) => ask_provider(arguments, &file, questions).await?,
            None => return finish(&report, ExitCode::from(USAGE)),
        },
    };
    if arguments.deep && provider.wire == "fim" {
        report.wrong(format_args!("{} serves ghost text only: leave out --deep", provider.name));
        return finish(&report, ExitCode::from(USAGE));
    }
    let given_url = arguments.base_url.as_ref().or(typed_url.as_ref());
    let base_url = match (given_url, &mut questions) {
        (Some(url), _) => match config::complete_url(url) {
            Ok(url) => url,
            Err(wrong) => {
                let example =
                    if provider.example.is_empty() { &provider.base_url } else { &provider.example };
                report.wrong(format_args!("--base-url {wrong}; it is like {example}"));
                return finish(&report, ExitCode::from(USAGE));
            }
        },
        (None, _) if !provider.base_url.is_empty() => provider.base_url.clone(),
        (None, Some(questions)) => questions.url(&provider.example)?,
        (None, None) => {
            report.wrong(format_args!("name its base URL with --base-url, such as {}", provider.example));
            return finish(&report, ExitCode::from(USAGE));
        }
    };
    if arguments.key_variable.as_ref().is_some_and(|it| !config::is_variable_name(it)) {
        report.wrong(
            "--key-variable seems to hold the key itself; name the variable that holds it, or pass the key with \
             --key-stdin",
        );
        return finish(&report, ExitCode::from(USAGE));
    }
    let mut setup = Setup::new(provider, base_url, arguments, file, report)?;
    if !setup.take_key(arguments, questions.as_mut())? {
        return finish(&setup.report, ExitCode::FAILURE);
    }
    if arguments.list {
        return list_models(setup).await;
    }
    if !setup.take_model(arguments, questions.as_mut()).await? {
        return finish(&setup.report, ExitCode::FAILURE);
    }
    if let Some(questions) = &mut questions
        && setup.choice.wire != "fim"
        && !arguments.deep
        && questions.confirm("Use it for hard tasks too (the deep gear)?", !has_deep)?
    {
        setup.choice.roles.push("deep");
    }
    if !arguments.no_test && !setup.test(questions.as_mut()).await? {
        return finish(&setup.report, ExitCode::FAILURE);
    }
    finish(&setup.write()?, ExitCode::SUCCESS)
}

/// Prints the outcome if it is for an editor.
fn finish(report: &SetupReport, code: ExitCode) -> anyhow::Result<ExitCode> {
    if report.is_json {
        terminal::json(&report.outcome, false)?;
    }
    Ok(code)
}

fn ids() -> String {
    providers::all().map(|it| it.id.as_str()).collect::<Vec<_>>().join(", ")
}

/// The providers, the likeliest choice first.
async fn offers(arguments: &Arguments, file: &ConfigFile) -> anyhow::Result<Vec<Offer>> {
    let servers = local_servers::look(&arguments.local, &[]).await;
    let mut configured = Vec::new();
    for provider in providers::all() {
        if file.checked(|text| config_text::has_key(text, &provider.id))? {
            configured.push(provider.id.as_str());
        }
    }
    let has_key = |provider: &Provider| {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|it| !it.is_empty());
        configured.contains(&provider.id.as_str()) || provider.key_variable.as_deref().is_some_and(is_set)
    };
    Ok(offers::sorted(&servers, &has_key))
}

/// Asks for the provider; returns it with the URL that was typed, if any.
async fn ask_provider(
    arguments: &Arguments,
    file: &ConfigFile,
    questions: &mut Questions,
) -> anyhow::Result<(&'static Provider, Option<String>)> {
    terminal::print("Looking for model servers on this machine …");
    let offers = offers(arguments, file).await?;
    let first: Vec<&Offer> = offers.iter().filter(|it| it.is_first()).collect();
    let mut lines: Vec<String> = first.iter().map(|it| it.line()).collect();
    lines.push(format!("Another server — by URL, or search all {} by name", offers.len()));
    let chosen = questions.choose("Who runs the model?", &lines)?;
    if let Some(offer) = first.get(chosen) {
        return Ok((offer.provider, None));
    }
    let part = questions.part("URL or part of the name (Enter lists all)")?;
    if let Some((provider, url)) = offers::at_url(&part) {
        return Ok((provider, Some(url)));
    }
    let mut found: Vec<&Offer> = offers.iter().filter(|it| it.is_like(&part)).collect();
    if found.is_empty() {
        terminal::print(format_args!("No provider's name contains `{part}`."));
        found = offers.iter().collect();
    }
    let lines: Vec<String> = found.iter().map(|it| it.line()).collect();
    let chosen = questions.choose("Who runs the model?", &lines)?;
    found.get(chosen).map(|it| (it.provider, None)).context("nothing was chosen, and nothing written")
}

/// `--list` without a provider.
async fn list_providers(
    arguments: &Arguments,
    file: &ConfigFile,
    has_deep: bool,
) -> anyhow::Result<ExitCode> {
    let offers = offers(arguments, file).await?;
    if arguments.json {
        terminal::json(&serde_json::json!({ "providers": offers, "hasDeep": has_deep }), false)?;
    } else {
        offers.iter().for_each(|it| terminal::print(format_args!("{:<13} {}", it.provider.id, it.line())));
    }
    Ok(ExitCode::SUCCESS)
}

/// `--list` with a provider.
async fn list_models(mut setup: Setup) -> anyhow::Result<ExitCode> {
    if !setup.list(None).await? {
        return finish(&setup.report, ExitCode::FAILURE);
    }
    if setup.report.is_json {
        let listed = serde_json::json!({ "models": setup.listed, "preferred": setup.preferred() });
        terminal::json(&listed, false)?;
    } else {
        setup.listed.iter().for_each(terminal::print);
    }
    Ok(ExitCode::SUCCESS)
}
