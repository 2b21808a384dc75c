//! `tandem edit`: a single rewrite from the command line.

mod left_uses;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use tokio::sync::watch;

use super::exit::{REFUSED, USAGE, code_of, end};
use super::instruction::words;
use super::limits::FILE_BYTES;
use super::{diff, settings, spinner, terminal, write};
use crate::assist::plan::StaleUses;
use crate::assist::{Rewrite, RewriteParams, target};
use crate::config::Scoped;
use crate::disk::{self, IgnoreFiles, Links, Unreadable};
use crate::document::DocumentId;
use crate::document::position::Encoding;
use crate::edit;
use crate::job::Reason;
use crate::model::fallback::State;
use crate::model::gears::Gears;
use crate::privacy::ModelAccess;
use crate::route::Gear;
use crate::session::{FileInfo, Session, SyncOutcome};
use crate::snapshot::Snapshot;
use crate::text::words::counted;
use left_uses::Surroundings;

pub(super) use super::settings::{gears, load};

/// Change a file, or some of its lines, as instructed, and print the change as a unified diff
///
/// Nothing is written without --write. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused for safety.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The file, or FILE:FROM-TO for its lines FROM to TO (counted from 1, both included)
    #[arg(value_name = "FILE[:FROM-TO]")]
    place: String,
    /// The instruction, such as "return a Result instead of panicking"
    #[arg(value_parser = words)]
    instruction: String,
    /// Write the change to the file: all of it or nothing
    #[arg(long)]
    pub(super) write: bool,
    /// The gear that answers: local, fast or deep (by default, it depends on the file and the instruction)
    #[arg(long, value_name = "GEAR")]
    gear: Option<Gear>,
    /// The configuration file (by default tandem/config.toml in your configuration folder)
    #[arg(long, env = "TANDEM_CONFIG", value_parser = crate::cli::named_config::existing())]
    config: Option<PathBuf>,
}

pub(super) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let (path, lines) = match place(&arguments.place) {
        Ok(place) => place,
        Err(message) => return end(USAGE, message),
    };
    let text = match disk::text(&path, FILE_BYTES, Links::Follow) {
        Err(Unreadable::NotText) => {
            return end(REFUSED, format!("{} is not UTF-8 text; convert it first", path.display()));
        }
        text => text.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let folders = [std::env::current_dir()?];
    let loaded = load(arguments.config.as_deref(), &folders);
    let settings = loaded.settings.everywhere();
    let gears = gears(settings);
    for ignored in gears.ignored_settings() {
        terminal::say(ignored);
    }
    let assist = settings::assist(&gears, settings);
    let snapshot = match snapshot(&path, &text, loaded.settings.clone(), &folders) {
        Ok(snapshot) => snapshot,
        Err(reason) => return end(REFUSED, format!("{}: {reason}", path.display())),
    };
    let surroundings = Surroundings::read(&path, &loaded.settings, &snapshot);
    let count = text.lines().count();
    if let Some(lines) = lines.as_ref().filter(|lines| *lines.end() > count) {
        let message = format!("{} has {}, not {}", path.display(), counted(count, "line"), lines.end());
        return end(USAGE, message);
    }
    let document = &snapshot.document;
    let start_of = |line: usize| document.text().line_to_byte(line);
    let span = lines.map_or(0..text.len(), |lines| start_of(lines.start() - 1)..start_of(*lines.end()));
    let target = target::of_range(document, span);
    let (say_expected, said) = watch::channel(String::new());
    let (instruction, forced) = (&arguments.instruction, arguments.gear);
    let params =
        RewriteParams { target: &target, instruction, diagnostics: &[], forced, said: Some(&say_expected) };
    let outcome = spinner::beside("working on it", said, assist.rewrite(&snapshot, params)).await;
    let (Rewrite { edits, flags }, origin) = match outcome {
        Ok(made) => made,
        Err(reason) => return end(code_of(&reason), reason),
    };
    let new = edit::apply(&text, &edits);
    diff::print(&path.display().to_string(), &text, &new)?;
    for flag in flags {
        terminal::say(format_args!("note: {flag}"));
    }
    let who = origin.model.unwrap_or_else(|| "the local engine".to_owned());
    terminal::say(format_args!("by {who} ({}: {})", origin.gear, origin.reason));
    if let Some(why) = why_local(&gears, origin.gear) {
        terminal::say(format_args!("note: {why}; run `tandem doctor`"));
    }
    let left = match surroundings {
        Ok(surroundings) => surroundings.left_uses(&text, &edits).await,
        Err(error) => Err(error),
    };
    match left {
        Ok(None) => {}
        Ok(Some(stale)) => {
            let note = note(&stale, &path, instruction, (origin.gear, gears.deep.is_some()));
            terminal::say(format_args!("note: {note}"));
        }
        Err(error) => terminal::say(format_args!("note: uses that it leaves were not looked for: {error:#}")),
    }
    if arguments.write {
        if !write_back(&path, &text, &new)? {
            return Ok(ExitCode::from(REFUSED));
        }
        super::apply::say_written(1);
    }
    Ok(ExitCode::SUCCESS)
}

/// Why the fast model does not answer, if the local engine answered in its place.
fn why_local(gears: &Gears, gear: Gear) -> Option<String> {
    let report = gears.fast.as_ref().filter(|_| gear == Gear::Local)?.report();
    report.degraded.filter(|_| matches!(report.state, State::Offline | State::Refused))
}

/// Writes the new text. Reports it and returns false if the file has changed since `old` was read.
fn write_back(path: &Path, old: &str, new: &str) -> anyhow::Result<bool> {
    if disk::bytes(path, FILE_BYTES, Links::Follow)? != old.as_bytes() {
        let path = path.display();
        terminal::say(format_args!("{path} was changed meanwhile; nothing was written, try again"));
        return Ok(false);
    }
    write::all(&[write::Change::of_file(path, Some(old), new.to_owned())?])?;
    Ok(true)
}

/// The note on uses that an edit leaves, with a command that changes them if there is one.
fn note(stale: &StaleUses, file: &Path, instruction: &str, (gear, has_deep): (Gear, bool)) -> String {
    if has_deep {
        // Most shells expand backquotes within double quotes.
        let instruction = quoted(&stale.instruction().replace('`', ""));
        format!("{stale}; to change all: tandem plan {instruction}")
    } else if gear == Gear::Local && stale.is_in_changed_file() {
        // The local engine applies the same instruction to the whole file, and understands no other.
        let (file, instruction) = (quoted_if_needed(file), quoted(instruction));
        format!("{stale}; to change the whole file: tandem edit {file} {instruction}")
    } else {
        stale.to_string()
    }
}

/// Quotes a file name as one word of a command line if needed.
fn quoted_if_needed(path: &Path) -> String {
    let name = path.to_string_lossy();
    let is_plain = |it: char| it.is_alphanumeric() || "/\\._-:".contains(it);
    if name.chars().all(is_plain) { name.into_owned() } else { quoted(&name) }
}

/// Quotes a text as one word of a command line, with double quotes, which all shells support, if they suffice.
fn quoted(text: &str) -> String {
    if !text.contains(['"', '$', '`', '\\', '!', '%', '\n']) {
        return format!("\"{text}\"");
    }
    shlex::try_quote(text).map_or_else(|_| format!("{text:?}"), |it| it.into_owned())
}

/// Opens the file in a session, as an editor would.
pub(super) fn snapshot(
    path: &Path,
    text: &str,
    settings: Scoped,
    folders: &[PathBuf],
) -> Result<Snapshot, Reason> {
    let absolute = std::path::absolute(path);
    // The URI that an editor would use, so that the cache key is the same.
    let id = absolute
        .as_deref()
        .map_or_else(|_| path.display().to_string(), |it| format!("file://{}", it.display()));
    let id = DocumentId::new(&id);
    // A relative path is shown as it is; of an absolute one, only the file name.
    let shown = if path.is_relative() { Some(path) } else { path.file_name().map(Path::new) };
    let file = std::path::absolute(path).ok();
    let judged = file.as_deref().unwrap_or(path);
    let verdict =
        IgnoreFiles::default().judge(judged, folders, &settings.of(Some(judged)).privacy.path_rules);
    let shown = shown.unwrap_or(path).to_string_lossy().into();
    let info = FileInfo { shown, path: file, access: ModelAccess::settled(verdict), notebook: None };
    let mut session = Session::new(Encoding::Utf8, Vec::new(), settings);
    match session.open(id.clone(), "", 0, text, info) {
        SyncOutcome::TooLarge { .. } => Err(Reason::TooLarge),
        _ => session.snapshot(&id),
    }
}

type LineRange = std::ops::RangeInclusive<usize>;

/// Splits `FILE:FROM-TO`. If a file with the whole name exists, there is no range.
fn place(place: &str) -> Result<(PathBuf, Option<LineRange>), String> {
    if Path::new(place).exists() {
        return Ok((place.into(), None));
    }
    let Some((file, lines)) = place.rsplit_once(':') else { return Ok((place.into(), None)) };
    let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |digits: &str| digits.parse::<usize>().ok().filter(|number| *number > 0);
    match (number(from), number(to)) {
        (Some(from), Some(to)) if from <= to => Ok((file.into(), Some(from..=to))),
        _ => Err(format!(
            "`{lines}` is not a range of lines; write FILE:FROM-TO with numbers from 1, such as a.rs:3-9"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_to_paste_is_quoted() {
        let check = |text: &str, expected: &str| assert_eq!(quoted(text), expected);
        check("rename area to size", "\"rename area to size\"");
        check("call it `$size`", "'call it `$size`'");
        assert_eq!(quoted_if_needed(Path::new("src/a.rs")), "src/a.rs");
        assert_eq!(quoted_if_needed(Path::new("my a.rs")), "\"my a.rs\"");
    }
}
