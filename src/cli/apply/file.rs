//! Applies a reply to one file.

use std::ops::Range;
use std::path::Path;

use anyhow::Context as _;

use super::arguments::{Arguments, Lines};
use super::failure::Failure;
use super::input::{read_file, read_reply};
use super::names::{names_of, unknown_names};
use super::report::{accepted_report, say_written};
use crate::cli::settings::access_rules;
use crate::cli::{terminal, write};
use crate::edit::{Exceptions, Request, UnmarkedEnd, accept, apply};
use crate::grammar;
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
    let unmarked_end = if arguments.strict { UnmarkedEnd::Refused } else { UnmarkedEnd::Flagged };
    let allowed = Exceptions {
        // There is no instruction to judge by, so a change of white space counts as intended.
        blanks: true,
        invisible: arguments.allow_invisible,
        unmarked_end,
        ..Exceptions::default()
    };
    let request = Request {
        text: &text,
        path: Some(&path),
        range,
        grammar,
        instruction: &arguments.instruction,
        allowed,
        ..Request::default()
    };
    let mut accepted = accept(&request, &reply)?;
    if let (Some(root), Some(grammar)) = (&arguments.root, grammar) {
        let index = names_of(root, &access_rules(root, arguments.config.as_deref()));
        let known = |name: &str| index.knows(grammar, name);
        accepted.flags.extend(unknown_names(&index, grammar, &text, &accepted.edits, &known));
    }
    let result = apply(&text, &accepted.edits);
    if arguments.json {
        terminal::json(&accepted_report(&accepted), false)?;
    } else {
        for flag in &accepted.flags {
            terminal::say(flag);
        }
        if !arguments.write {
            terminal::exact(&result)?;
        }
    }
    if arguments.write {
        let changed = result != text;
        if changed {
            write::Change::of_file(file, Some(&text), result)
                .and_then(|change| write::all(&[change]))
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        say_written(usize::from(changed));
    }
    Ok(())
}

fn unknown_language(id: &str) -> String {
    format!("no language is called `{id}`{}", did_you_mean(id, grammar::language_ids()))
}

/// The byte range of a range of lines, including the last line's end.
fn bytes_of(lines: &Lines, text: &str) -> Result<Range<usize>, Failure> {
    let mut starts = vec![0];
    // A final line end does not begin another line, and an empty text has one line.
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
