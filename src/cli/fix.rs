//! `tandem fix`: makes the certain fixes in files, for CI, before commits and after a compiler.

mod arguments;
mod files;
mod fixed;
mod input;
mod model;
mod parallel;
mod report;

use std::process::ExitCode;

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};

pub(super) use arguments::Arguments;
use files::{Files, PassedOver, Wanted};
use fixed::{Fixed, fix_one};
use parallel::in_parallel;
use report::Totals;

use super::apply::access_rules;
use super::diff::Diff;
use super::exit::{USAGE, end};
use super::{terminal, write};
use crate::text::words::counted;
use crate::tool_output;

/// Runs the command.
pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let output = match &arguments.diagnostics {
        Some(source) => Some(input::read(source)?),
        None => None,
    };
    if output.is_none() && arguments.files.is_empty() {
        return end(USAGE, "a FILE or --diagnostics is needed");
    }
    let root = std::env::current_dir().context("cannot determine the current folder")?;
    let settings = access_rules(&root, arguments.config.as_deref());
    let read = output.as_ref().map(|it| tool_output::read(&it.text)).unwrap_or_default();
    if let (true, Some(line)) = (read.diagnostics.is_empty(), &read.unread) {
        terminal::say(format_args!(
            "cannot read {} of diagnostics as the output of a known tool, from `{line}` on; these are read: {}",
            counted(read.ignored_lines, "line"),
            arguments::TOOLS
        ));
        return Ok(ExitCode::from(USAGE));
    }
    let report = output.is_some().then_some(&read);
    let mut files = Files::new(&root, &settings);
    let wanted = files.wanted(&arguments.files, report)?;
    let found = fix_all(&files, wanted, &arguments).await?;
    let mut totals = Totals::default();
    for found in found {
        match found {
            Ok(of_file) => totals.append(of_file),
            Err(passed_over) => files.pass_over(passed_over),
        }
    }
    totals.add_input(&read, output.as_ref().is_some_and(|it| it.is_cut), &files);
    if !arguments.json {
        totals.diffs.iter().try_for_each(Diff::print)?;
    }
    if !totals.changes.is_empty() {
        write::all(&totals.changes).context("nothing was written")?;
    }
    if arguments.json {
        terminal::json(&totals.json(), false)?;
    } else {
        totals.say(&arguments);
    }
    let would_change = arguments.check && totals.has_changes();
    Ok(if would_change { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Fixes files on all cores.
///
/// Without a model, only as many files are held at a time as there are cores.
async fn fix_all(
    files: &Files<'_>,
    wanted: Vec<Wanted>,
    arguments: &Arguments,
) -> anyhow::Result<Vec<Result<Totals, PassedOver>>> {
    let progress = bar(wanted.len());
    let fix = |wanted: Wanted| {
        progress.set_message(wanted.shown.clone());
        let fixed = files.open(wanted).map(|work| fix_one(files, work));
        progress.inc(1);
        fixed
    };
    let check = |fixed: Result<Fixed, PassedOver>| -> anyhow::Result<_> {
        let totals = fixed.map(|mut fixed| {
            fixed.check();
            Totals::of(&fixed, arguments)
        });
        totals.map_or_else(|passed_over| Ok(Err(passed_over)), |totals| Ok(Ok(totals?)))
    };
    if !arguments.model {
        let found = in_parallel(wanted, |wanted| check(fix(wanted)));
        progress.finish_and_clear();
        return found;
    }
    let fixed = in_parallel(wanted, |wanted| anyhow::Ok(fix(wanted).map(Fixed::without_tree)));
    progress.finish_and_clear();
    let mut fixed = fixed?;
    // The model is asked sequentially, since a run has a maximum number of requests.
    model::fix_rest(arguments, fixed.iter_mut().flatten()).await?;
    in_parallel(fixed, check)
}

/// A progress bar, shown for more than a few files.
fn bar(files: usize) -> ProgressBar {
    const FEW: usize = 8;
    if files <= FEW {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(files as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}
