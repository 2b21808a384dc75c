//! `tandem status`: what is configured and what was spent, without a request.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use serde_json::{Value, json};

use super::settings::{meter, read};
use super::terminal;
use crate::config::{self, Price, Role, Settings};
use crate::model::usage::{Tally, price_at};
use crate::text::words::counted;

/// Show the configured models, what was spent today, and what is recorded and reported
///
/// Sends nothing; `tandem doctor` checks whether the models answer.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

/// What is configured and spent by this user.
struct Installation {
    config: Option<PathBuf>,
    settings: Settings,
    /// What is wrong with the settings.
    problems: Vec<String>,
    today: Tally,
    /// The limit that is reached.
    capped: Option<String>,
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let folders = [std::env::current_dir()?];
    let config = arguments.config.or_else(config::default_path).filter(|path| path.exists());
    let loaded = read(config.as_deref(), &[], &folders, true);
    let settings = Settings::clone(loaded.settings.everywhere());
    let meter = meter(&settings);
    let (today, capped) = (meter.totals().day, meter.capped());
    // Problems of a candidate are shown with the candidate, and those of the policy with it.
    let problems = loaded.problems.iter().filter(|it| !it.is_of_candidate() && !it.is_of_policy());
    let problems = problems.map(ToString::to_string).collect();
    let status = Installation { config, settings, problems, today, capped };
    if arguments.json {
        terminal::json(&status.json(), true)?;
    } else {
        status.lines().iter().for_each(terminal::print);
    }
    Ok(ExitCode::SUCCESS)
}

impl Installation {
    fn gears(&self) -> [(&'static str, &Role); 2] {
        [("fast", &self.settings.fast), ("deep", &self.settings.deep)]
    }

    fn collector(&self) -> Option<&str> {
        self.settings.telemetry.as_ref().map(|it| it.base_url.as_str())
    }

    fn json(&self) -> Value {
        let price = |it: &Price| json!({ "input": it.input, "output": it.output });
        let candidates = |role: &Role| -> Vec<Value> {
            let usable = role.candidates.iter().map(|it| {
                let price = price_at(&self.settings.prices, it, None).as_ref().map(price);
                json!({ "provider": it.provider, "model": it.model, "price": price })
            });
            let left_out = role.left_out.iter();
            let left_out =
                left_out.map(|it| json!({ "provider": it.provider, "model": it.model, "leftOut": it.why }));
            usable.chain(left_out).collect()
        };
        let gears: serde_json::Map<String, Value> =
            self.gears().iter().map(|(name, role)| ((*name).to_owned(), candidates(role).into())).collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "configuration": self.config,
            "problems": self.problems,
            "candidates": gears,
            "today": self.today,
            "limitReached": self.capped,
            "policy": self.settings.policy.as_ref().map(|it| it.json()),
            "records": self.settings.record,
            "collector": self.collector(),
        })
    }

    fn lines(&self) -> Vec<String> {
        let config = self.config.as_ref().map(|it| it.display().to_string());
        let none = || "none; `tandem setup` writes one".to_owned();
        let mut lines = vec![format!("configuration: {}", config.unwrap_or_else(none))];
        lines.extend(self.problems.iter().map(|it| format!("  {it}")));
        if let Some(policy) = &self.settings.policy {
            lines.push(format!("policy: {}", policy.line(SystemTime::now())));
            lines.extend(policy.rules().map(|it| format!("  {it}")));
        }
        for (gear, role) in self.gears() {
            let names: Vec<String> =
                role.candidates.iter().map(|it| format!("{} of {}", it.model, it.provider)).collect();
            let shown = match (names.as_slice(), gear) {
                ([], "fast") => "no model; the local engine answers".to_owned(),
                ([], _) => "no model".to_owned(),
                (names, _) => names.join(", else "),
            };
            lines.push(format!("{gear}: {shown}"));
            let left_out = role.left_out.iter();
            lines.extend(
                left_out.map(|it| format!("  {} of {}: not used: {}", it.model, it.provider, it.why)),
            );
        }
        let Tally { requests, dollars, unpriced, .. } = self.today;
        let requests = counted(requests, "request");
        let tokens = counted(self.today.tokens(), "token");
        let unpriced = if unpriced > 0 { ", without those of unknown price" } else { "" };
        lines.push(format!("today: {requests}, {tokens}, ${dollars:.2}{unpriced}"));
        lines.extend(self.capped.as_ref().map(|why| format!("  {why}")));
        lines.push(format!("recorder: {}", if self.settings.record { "on" } else { "off" }));
        lines.push(format!("reports: {}", self.collector().unwrap_or("none")));
        let bill = self.settings.bill.url.as_ref().map(|it| it.base_url.clone());
        let file = self.settings.bill.file.as_ref().map(|it| it.display().to_string());
        let bill: Vec<String> = bill.into_iter().chain(file).collect();
        lines.extend((!bill.is_empty()).then(|| format!("bill: {}", bill.join(", "))));
        lines
    }
}
