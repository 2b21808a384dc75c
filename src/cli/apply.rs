//! `tandem apply`: reads a model's reply and prints what it makes of a file, or of a folder.

mod folder;
mod folder_files;

use std::io::{self, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Context as _;
use serde_json::json;

use super::{REFUSED, USAGE, terminal, write};
use crate::config::{self, Keys, Scoped, Sources};
use crate::disk::{self, Links, Readers, Unreadable};
use crate::edit::edit_set::Revision;
use crate::edit::guard::{self, Checks};
use crate::edit::reply::{self, Flag, Outcome, Request};
use crate::edit::{Edit, Refusal, apply};
use crate::grammar::{self, Grammar};
use crate::privacy::Verdict;
use crate::workspace::Workspace;
use crate::workspace::{Scope, walk};

/// What is said where standard output cannot be written.
const UNPRINTED: &str = "cannot print the result";
/// The most that is read of a file (bytes).
const MOST_FILE: u64 = 64 * 1024 * 1024;
/// The most that is read of a reply (bytes).
const MOST_REPLY: u64 = 16 * 1024 * 1024;

/// Apply a model's reply, read from standard input in any format
///
/// Prints the resulting text, byte for byte. A reply whose meaning is not certain is refused: exit code 3, the reason on
/// standard error, and nothing is written.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The file that the reply is about
    #[arg(long, value_name = "FILE", required_unless_present = "root")]
    file: Option<PathBuf>,
    /// The lines that the model was asked to change, from 1, both included
    #[arg(long, value_name = "FROM-TO", requires = "file")]
    range: Option<Lines>,
    /// The file's language (by default told from its name)
    #[arg(long, value_name = "ID", requires = "file")]
    language: Option<String>,
    /// A folder that the reply's paths are in; prints one unified diff of all its changes. With --file, the folder
    /// whose code is known: calls of anything else are flagged
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Write the result instead of printing it: all files or none
    #[arg(long)]
    write: bool,
    /// Let the reply bring in characters that cannot be seen
    #[arg(long)]
    allow_invisible: bool,
    /// Refuse a reply that nothing marks the end of, such as code without a fence: it may have been cut off
    #[arg(long, requires = "file")]
    strict: bool,
    /// The configuration file, for `privacy.deny` and `privacy.allow` (by default tandem/config.toml in your
    /// configuration folder)
    #[arg(long, env = "TANDEM_CONFIG")]
    config: Option<PathBuf>,
    /// Print edits, match level and flags as JSON
    #[arg(long)]
    json: bool,
}

/// A range of lines, from 1, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Lines {
    from: usize,
    to: usize,
}

impl FromStr for Lines {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a line number"));
        let (from, to) = (number(from)?, number(to)?);
        if from == 0 || to < from {
            Err("lines count from 1, and FROM comes first".to_owned())
        } else {
            Ok(Self { from, to })
        }
    }
}

/// Why there is no result.
enum Failure {
    Refused(Refusal),
    Usage(String),
    Failed(anyhow::Error),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let done = match (&arguments.file, &arguments.root) {
        (Some(file), _) => file_of(arguments, file),
        (None, Some(root)) => folder::run(root, arguments),
        (None, None) => Err(Failure::Usage("--file or --root is needed".to_owned())),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Refused(refusal)) => {
            if arguments.json {
                let report =
                    json!({ "status": "refused", "code": refusal.code(), "reason": refusal.to_string() });
                if let Err(error) = terminal::json(&report, false) {
                    terminal::say(error);
                    return ExitCode::FAILURE;
                }
            }
            terminal::say(format_args!("refused ({}): {refusal}", refusal.code()));
            ExitCode::from(REFUSED)
        }
        Err(Failure::Usage(reason)) => {
            terminal::say(reason);
            ExitCode::from(USAGE)
        }
        Err(Failure::Failed(error)) => {
            terminal::say(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Applies a reply to one file.
fn file_of(arguments: &Arguments, file: &Path) -> Result<(), Failure> {
    let grammar = match &arguments.language {
        Some(id) => Some(
            grammar::by_language_id(id)
                .ok_or_else(|| Failure::Usage(format!("no language is called `{id}`")))?,
        ),
        None => grammar::by_path(file),
    };
    let text = read_file(file)?;
    let range = arguments.range.as_ref().map(|lines| bytes_of(lines, &text)).transpose()?;
    let reply = read_reply()?;
    let path = file.to_string_lossy();
    let mut outcome = read(&text, &path, range, grammar, &reply, arguments.allow_invisible)?;
    if arguments.strict && outcome.flags.contains(&Flag::MayBeCut) {
        return Err(Refusal::MayBeCut.into());
    }
    if outcome.flags.contains(&Flag::Talk) {
        return Err(Refusal::Prose.into());
    }
    if let (Some(root), Some(grammar)) = (&arguments.root, grammar) {
        let index = names_of(root, &access_rules(root, arguments.config.as_deref()));
        let known = |name: &str| index.knows(grammar, name);
        outcome.flags.extend(unknown_names(&index, grammar, &text, &outcome.edits, &known));
    }
    let result = apply(&text, &outcome.edits);
    if arguments.json {
        terminal::json(&report(&outcome), false).context(UNPRINTED)?;
    } else {
        for flag in &outcome.flags {
            terminal::say(flag);
        }
        if !arguments.write {
            terminal::exact(&result).context(UNPRINTED)?;
        }
    }
    if arguments.write {
        let changed = result != text;
        if changed {
            let base = Some(Revision::of_bytes(text.as_bytes()));
            let change = write::Change { path: file.to_owned(), text: Some(result), base, like: None };
            write::all(&[change]).with_context(|| format!("cannot write {}", file.display()))?;
        }
        say_written(usize::from(changed));
    }
    Ok(())
}

fn say_written(files: usize) {
    let s = if files == 1 { "" } else { "s" };
    terminal::say(format_args!("{files} file{s} written"));
}

/// Reads a reply against a text, and guards what comes of it.
fn read(
    text: &str,
    path: &str,
    range: Option<Range<usize>>,
    grammar: Option<&Grammar>,
    reply: &str,
    allow_invisible: bool,
) -> Result<Outcome, Refusal> {
    let request = Request { text, path: Some(path), range: range.clone(), window: None, grammar };
    let mut outcome = reply::read(request, reply)?;
    // A reply says itself what it wants, so a change of blanks is taken at its word.
    let checks = Checks {
        before: text,
        range: range.as_ref(),
        grammar,
        previous: None,
        blanks_count: true,
        allow_invisible,
    };
    let (edits, flags) = guard::check_or_cut(&checks, std::mem::take(&mut outcome.edits))?;
    outcome.edits = edits;
    outcome.flags.extend(flags);
    Ok(outcome)
}

/// The names that a folder's code has.
fn names_of(root: &Path, settings: &Scoped) -> Workspace {
    let index = Workspace::default();
    let denied = |path: &Path| settings.verdict(path) != Verdict::Open;
    let roots = [root.to_owned()];
    let scope = Scope { roots: &roots, denied: &denied, cancelled: &|| false, is_background: false };
    let report = walk(&index, scope, None);
    tracing::debug!(root = %root.display(), ?report, "names");
    index
}

/// The user's settings and those of a folder, for their rules of which files hold secrets.
fn access_rules(root: &Path, config: Option<&Path>) -> Scoped {
    let default = config::default_path();
    let folders = [root.to_owned()];
    let variable = |name: &str| std::env::var(name).ok();
    let file = config.or(default.as_deref());
    let sources =
        Sources { file, editor: &[], folders: &folders, variable: &variable, readers: &Readers::default() };
    let loaded = config::load(&sources, &mut Keys::default(), false);
    for problem in &loaded.problems {
        terminal::say(problem);
    }
    loaded.settings
}

/// What is to be said of calls that neither a text nor others know.
///
/// An index that has not seen everything says nothing.
fn unknown_names(
    index: &Workspace,
    grammar: &Grammar,
    text: &str,
    edits: &[Edit],
    known: &dyn Fn(&str) -> bool,
) -> Option<Flag> {
    let names = index.speaks_for(grammar).then(|| guard::unknown_names(grammar, text, edits, known))?;
    (!names.is_empty()).then_some(Flag::UnknownNames(names))
}

/// Flags for machines.
fn flags_report(flags: &[Flag]) -> Vec<serde_json::Value> {
    flags.iter().map(|flag| json!({ "code": flag.code(), "message": flag.to_string() })).collect()
}

/// The outcome for machines. Places are bytes of the old text.
fn report(outcome: &Outcome) -> serde_json::Value {
    let edits: Vec<_> = outcome
        .edits
        .iter()
        .map(|edit| json!({ "start": edit.span.start, "end": edit.span.end, "text": edit.text }))
        .collect();
    json!({
        "status": if outcome.edits.is_empty() { "unchanged" } else { "applied" },
        "format": outcome.format.code(),
        "level": outcome.level.code(),
        "flags": flags_report(&outcome.flags),
        "edits": edits,
    })
}

/// The bytes of a range of lines, with the last line's end.
fn bytes_of(lines: &Lines, text: &str) -> Result<Range<usize>, Failure> {
    let mut starts = vec![0];
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
            starts.push(at + 1);
        }
    }
    // A final line end begins no line of its own.
    let count =
        if starts.last() == Some(&text.len()) && starts.len() > 1 { starts.len() - 1 } else { starts.len() };
    if lines.to > count {
        return Err(Failure::Usage(format!(
            "the file has {count} lines, so {}-{} is no range of it",
            lines.from, lines.to
        )));
    }
    Ok(starts[lines.from - 1]..starts.get(lines.to).copied().unwrap_or(text.len()))
}

/// Reads a text file.
fn read_file(file: &Path) -> Result<String, Failure> {
    let failed = || format!("cannot read {}", file.display());
    match disk::text(file, MOST_FILE, Links::Follow) {
        Ok(text) if !text.contains('\0') => Ok(text),
        Ok(_) | Err(Unreadable::NotText) => Err(Refusal::NotText { what: "the file" }.into()),
        Err(Unreadable::TooLarge(limit)) => {
            Err(Refusal::TooLarge { what: "the file has more bytes", limit: limit as usize }.into())
        }
        Err(why) => Err(Failure::from(anyhow::Error::from(why).context(failed()))),
    }
}

/// Reads the reply from standard input.
fn read_reply() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST_REPLY + 1).read_to_end(&mut bytes).context("cannot read the reply")?;
    if bytes.len() as u64 > MOST_REPLY {
        return Err(Refusal::TooLarge { what: "the reply has more bytes", limit: MOST_REPLY as usize }.into());
    }
    if bytes.contains(&0) {
        return Err(Refusal::NotText { what: "the reply" }.into());
    }
    String::from_utf8(bytes).map_err(|_| Refusal::NotText { what: "the reply" }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_lines() {
        assert_eq!("3-5".parse(), Ok(Lines { from: 3, to: 5 }));
        assert_eq!("3".parse(), Ok(Lines { from: 3, to: 3 }));
        for text in ["0-1", "5-3", "a-b", "", "1-", "-2"] {
            assert!(text.parse::<Lines>().is_err(), "{text}");
        }
    }

    #[test]
    fn ranges_in_bytes() {
        let bytes = |from, to, text| bytes_of(&Lines { from, to }, text).ok();
        assert_eq!(bytes(1, 1, "a\r\nb\rc\n"), Some(0..3));
        assert_eq!(bytes(2, 3, "a\r\nb\rc\n"), Some(3..7));
        assert_eq!(bytes(3, 4, "a\r\nb\rc\n"), None);
        assert_eq!(bytes(2, 2, "a\nb"), Some(2..3));
        assert_eq!(bytes(1, 1, ""), Some(0..0));
    }
}
