//! `tandem fix`: the certain fixes of files, for CI, for commits, and behind a compiler.

mod arguments;
mod files;
mod fixed;
mod input;
mod model;
mod report;

use std::process::ExitCode;

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};

pub(super) use arguments::Arguments;
use files::Files;
use fixed::fix_one;
use report::Totals;

use super::apply::access_rules;
use super::exit::{REFUSED, USAGE};
use super::{diff, terminal, write};
use crate::edit::edit_set::Revision;
use crate::text::words::counted;
use crate::tool_output;

/// Runs the command.
pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let output = match &arguments.diagnostics {
        Some(source) => Some(input::read(source)?),
        None => None,
    };
    if output.is_none() && arguments.files.is_empty() {
        terminal::say("a FILE or --diagnostics is needed");
        return Ok(ExitCode::from(USAGE));
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
    let mut files = Files::new(&root, &settings);
    let work = match files.work(&arguments.files, output.is_some().then_some(&read)) {
        Ok(work) => work,
        Err(failure) => {
            terminal::say(failure.why);
            return Ok(if failure.is_refused { ExitCode::from(REFUSED) } else { ExitCode::FAILURE });
        }
    };
    let progress = bar(work.len());
    let mut fixed = Vec::with_capacity(work.len());
    for work in work {
        progress.set_message(work.shown.clone());
        fixed.push(fix_one(&mut files, work));
        progress.inc(1);
    }
    progress.finish_and_clear();
    if arguments.model {
        model::fix_rest(&arguments, &mut fixed).await?;
    }
    let mut totals = Totals::new(&read, output.as_ref().is_some_and(|it| it.is_cut), &files);
    let mut changes = Vec::new();
    for file in &mut fixed {
        file.check();
        totals.add(file);
        if file.is_changed() {
            let base = Some(Revision::of_bytes(file.work.text.as_bytes()));
            let place = write::Place::named(&file.work.path)?;
            changes.push(write::Change { place, text: Some(file.new_text.clone()), base, like: None });
        }
    }
    if arguments.json {
        terminal::json(&totals.json(&fixed), false).context("cannot print the report")?;
    } else {
        for file in fixed.iter().filter(|it| it.is_changed()) {
            diff::print(&file.work.shown, &file.work.text, &file.new_text)
                .context("cannot print the changes")?;
        }
        totals.say(&arguments);
    }
    if arguments.write && !changes.is_empty() {
        write::all(&changes).context("nothing was written")?;
    }
    let would_change = arguments.check && !changes.is_empty();
    Ok(if would_change { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A bar on a terminal, for more than a few files.
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
