//! One line of the bill.
//!
//! Where GitHub Copilot's usage metrics have a name for something, the line has it, as documented in
//! [the fields](https://docs.github.com/en/copilot/reference/copilot-usage-metrics/copilot-usage-metrics),
//! [the example schema](https://docs.github.com/en/copilot/reference/copilot-usage-metrics/example-schema) and
//! [team-level metrics](https://docs.github.com/en/copilot/reference/copilot-usage-metrics/team-level-metrics), read on
//! 29 November 2026. The rest is below `tandem`.

use serde::Serialize;

use crate::config::BillSettings;
use crate::model::usage::{DayUsage, Tally};
use crate::text::Day;

/// The usage of one job and model on a day.
#[derive(Serialize)]
struct BillLine<'a> {
    day: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    user_login: &'a str,
    /// The team, as in the reports of users' teams.
    #[serde(skip_serializing_if = "Option::is_none")]
    slug: Option<&'a str>,
    feature: String,
    model: &'a str,
    request_count: u64,
    prompt_tokens_sum: u64,
    output_tokens_sum: u64,
    /// Suggestions that were shown; only of jobs for which editors report that.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_generation_activity_count: Option<u64>,
    /// Suggestions that were accepted, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_acceptance_activity_count: Option<u64>,
    tandem: OwnFields,
}

/// Fields that Copilot's metrics do not have.
#[derive(Serialize)]
struct OwnFields {
    cached_tokens_sum: u64,
    cache_write_tokens_sum: u64,
    bytes_up_sum: u64,
    dollars: f64,
    unpriced_count: u64,
}

/// The lines of a day, as NDJSON; empty for a day without usage.
pub fn lines(bill: &BillSettings, day: u64, usage: &DayUsage) -> String {
    let parts = usage.jobs.iter().flat_map(|(job, models)| models.iter().map(move |part| (job, part)));
    let lines = parts.map(|(job, (model, tally))| line(bill, day, job, model, tally));
    lines.map(|line| serde_json::json!(line).to_string() + "\n").collect()
}

fn line<'a>(bill: &'a BillSettings, day: u64, job: &str, model: &'a str, tally: &Tally) -> BillLine<'a> {
    let feature = match job {
        "completion" => "code_completion".to_owned(),
        job => job.replace(' ', "_"),
    };
    let is_reported = ["completion", "next edit"].contains(&job);
    BillLine {
        day: Day(day).to_string(),
        user_login: &bill.user,
        slug: bill.team.as_deref(),
        feature,
        model,
        request_count: tally.requests,
        prompt_tokens_sum: tally.input_tokens,
        output_tokens_sum: tally.output_tokens,
        code_generation_activity_count: is_reported.then_some(tally.shown),
        code_acceptance_activity_count: is_reported.then_some(tally.accepted),
        tandem: OwnFields {
            cached_tokens_sum: tally.cached_tokens,
            cache_write_tokens_sum: tally.cache_write_tokens,
            bytes_up_sum: tally.bytes_up,
            // Sums of fractions have digits without a meaning.
            dollars: (tally.dollars * 1e6).round() / 1e6,
            unpriced_count: tally.unpriced,
        },
    }
}
