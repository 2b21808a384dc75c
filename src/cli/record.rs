//! `tandem record`: switches the flight recorder, shows or deletes the recording, and exports a report without text.

use std::collections::BTreeMap;
use std::io::{BufWriter, ErrorKind, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use dialoguer::Confirm;

use super::config_file::ConfigFile;
use super::config_text::with_record;
use super::exit::USAGE;
use super::settings;
use super::terminal::{print, say};
use crate::model::usage::default_folder;
use crate::record::Entry;
use crate::record::bundle::Anonymizer;
use crate::record::ring::{self, MOST_BYTES, MOST_DAYS, RecordedFile};
use crate::text::words::counted;

/// Record what is typed, requested and suggested, in files on this machine that are never sent anywhere
///
/// Files that no model may see are not recorded, and anything that looks like a key is masked.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: RecordCommand,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, global = true, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::new_or_existing())]
    config: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum RecordCommand {
    /// Record from now on; running servers follow at once
    On,
    /// Stop recording; the files are kept
    Off,
    /// Show whether recording is on, where the files are, and what they contain
    Show,
    /// Delete the whole recording; on a terminal, asks first
    Delete {
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Write a report to share, without any text: lengths, kinds, times and hashes
    Bundle {
        /// The file to write, which must not exist yet
        #[arg(default_value = "tandem-report.jsonl")]
        file: PathBuf,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

pub(super) fn folder() -> anyhow::Result<PathBuf> {
    let state = default_folder().context("there is no folder for the recording; set HOME or TANDEM_STATE")?;
    Ok(ring::folder(&state))
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let folder = folder()?;
    match &arguments.command {
        RecordCommand::On => {
            switch(arguments, true)?;
            anyhow::ensure!(
                is_on(arguments),
                "the recorder stays off: a policy or another setting keeps it so; `tandem status` shows the policy's rules"
            );
            let megabytes = MOST_BYTES >> 20;
            print(format_args!(
                "Recording to {}: at most {megabytes} MB, for {MOST_DAYS} days. Nothing of it leaves this machine; \
                 `tandem record off` ends it.",
                folder.display()
            ));
        }
        RecordCommand::Off => {
            switch(arguments, false)?;
            print("Nothing is recorded from now on; `tandem record delete` removes what is there.");
        }
        RecordCommand::Show => show(arguments, &folder)?,
        RecordCommand::Delete { yes } => {
            let files = ring::files(&folder)?;
            let is_asked = !yes && !files.is_empty() && std::io::stdin().is_terminal();
            let question = || format!("Delete all of the recording ({})?", counted(files.len(), "file"));
            if is_asked && !Confirm::new().with_prompt(question()).default(false).interact()? {
                say("nothing was deleted");
                return Ok(ExitCode::SUCCESS);
            }
            let count =
                ring::delete(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
            print(format_args!("Removed {}.", counted(count, "file")));
        }
        RecordCommand::Bundle { file, yes } => {
            let files = ring::files(&folder)?;
            if files.is_empty() {
                say(format_args!("nothing is recorded yet, and the {}", state(is_on(arguments))));
                return Ok(ExitCode::FAILURE);
            }
            return bundle(&folder, &files, file, *yes);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn switch(arguments: &Arguments, is_on: bool) -> anyhow::Result<()> {
    ConfigFile::read(arguments.config.clone())?.change(|text| with_record(text, is_on))
}

fn show(arguments: &Arguments, folder: &Path) -> anyhow::Result<()> {
    print(format_args!("The {}.", state(is_on(arguments))));
    let files = ring::files(folder)?;
    let counts = counts(&files)?;
    print(contents(folder, &files, &counts));
    Ok(())
}

fn is_on(arguments: &Arguments) -> bool {
    settings::read(arguments.config.as_deref(), &[], &[], false).settings.everywhere().record
}

/// The state of the recorder, as a clause behind "the".
pub(super) fn state(is_on: bool) -> &'static str {
    if is_on { "recorder is on" } else { "recorder is off; `tandem record on` switches it on" }
}

/// Counts the entries per kind. Unreadable lines are reported once per file.
fn counts(files: &[RecordedFile]) -> anyhow::Result<BTreeMap<&'static str, u64>> {
    let mut counts = BTreeMap::new();
    each_entry(files, |entry| *counts.entry(entry.event.kind()).or_default() += 1)?;
    Ok(counts)
}

/// Calls `each` with all entries, and reports what cannot be read of each file.
pub(super) fn each_entry(files: &[RecordedFile], mut each: impl FnMut(Entry)) -> anyhow::Result<()> {
    for file in files {
        let name = file.path.display();
        let unread = ring::read(&file.path, &mut each).with_context(|| format!("cannot read {name}"))?;
        if unread.is_other_version {
            say(format_args!("note: {name} is of another version and is passed over"));
        }
        if unread.beyond > 0 {
            let megabytes = MOST_BYTES >> 20;
            say(format_args!("note: {name} is read up to {megabytes} MB, more than any file of a recording"));
        }
        if unread.lines > 0 {
            let lines = counted(unread.lines, "line");
            say(format_args!("note: {lines} of {name} cannot be read and are passed over"));
        }
    }
    Ok(())
}

fn contents(folder: &Path, files: &[RecordedFile], counts: &BTreeMap<&str, u64>) -> String {
    if files.is_empty() {
        return format!("Nothing is recorded in {}.", folder.display());
    }
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let mut text = format!(
        "{} with {} kB in {}\n",
        counted(files.len(), "file"),
        bytes.div_ceil(1_000),
        folder.display()
    );
    for (kind, count) in counts {
        text += &format!("  {kind:<20} {count:>8}\n");
    }
    text.trim_end().to_owned()
}

fn bundle(folder: &Path, files: &[RecordedFile], path: &Path, yes: bool) -> anyhow::Result<ExitCode> {
    print(contents(folder, files, &counts(files)?));
    print(format_args!(
        "For each entry, the report {} has its time, kind and codes, the names of models and languages, tokens and \
         positions; for each text, its length, its lines and a salted hash: no code, no prompt, no answer, no path.",
        path.display()
    ));
    let is_asked = std::io::stdin().is_terminal();
    if !yes && !is_asked {
        say("nothing was written; --yes writes it");
        return Ok(ExitCode::from(USAGE));
    }
    if !yes && !Confirm::new().with_prompt("Write it?").default(false).interact()? {
        return Ok(ExitCode::SUCCESS);
    }
    let cannot = || format!("cannot write {}", path.display());
    let created = match std::fs::File::create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            anyhow::bail!("{} exists already; name another file: tandem record bundle FILE", path.display())
        }
        created => created.with_context(cannot)?,
    };
    let mut out = BufWriter::new(created);
    let (anonymizer, mut written) = (Anonymizer::default(), Ok(()));
    each_entry(files, |entry| {
        if written.is_ok() {
            written = writeln!(out, "{}", anonymizer.of(&entry));
        }
    })?;
    written.and_then(|()| out.flush()).with_context(cannot)?;
    print(format_args!("Wrote {}.", path.display()));
    Ok(ExitCode::SUCCESS)
}
