//! A reply about one file.

use std::ops::Range;
use std::path::Path;

use anyhow::Context as _;

use super::arguments::{Arguments, Lines};
use super::failure::Failure;
use super::input::{read_file, read_reply};
use super::names::{access_rules, names_of, unknown_names};
use super::report::{UNPRINTED, outcome_report, say_written};
use crate::cli::{terminal, write};
use crate::edit::edit_set::Revision;
use crate::edit::guard::{self, Checks};
use crate::edit::reply::{self, Flag, Format, Outcome, Request};
use crate::edit::{Refusal, apply};
use crate::grammar::{self, Grammar};
use crate::text::words::counted;
use crate::text::{did_you_mean, line};

/// Applies the reply on standard input to a file.
pub(super) fn run(file: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let grammar = match &arguments.language {
        Some(id) => Some(grammar::by_language_id(id).ok_or_else(|| Failure::Usage(unknown_language(id)))?),
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
        terminal::json(&outcome_report(&outcome), false).context(UNPRINTED)?;
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
            write::Place::named(file)
                .and_then(|place| {
                    write::all(&[write::Change { place, text: Some(result), base, like: None }])
                })
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        say_written(usize::from(changed));
    }
    Ok(())
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
        is_whole: outcome.format == Format::Whole,
    };
    let (edits, flags) = guard::check_or_cut(&checks, std::mem::take(&mut outcome.edits))?;
    outcome.edits = edits;
    outcome.flags.extend(flags);
    Ok(outcome)
}

fn unknown_language(id: &str) -> String {
    format!("no language is called `{id}`{}", did_you_mean(id, grammar::language_ids()))
}

/// The bytes of a range of lines, with the last line's end.
fn bytes_of(lines: &Lines, text: &str) -> Result<Range<usize>, Failure> {
    let mut starts = vec![0];
    // A final line end begins no line of its own, and an empty text has one line.
    for line in line::split_iter(text) {
        starts.push(starts[starts.len() - 1] + line.len());
    }
    let count = (starts.len() - 1).max(1);
    if lines.to > count {
        return Err(Failure::Usage(format!(
            "the file has {}, so {}-{} is no range of it",
            counted(count, "line"),
            lines.from,
            lines.to
        )));
    }
    Ok(starts[lines.from - 1]..starts.get(lines.to).copied().unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
