//! Writes a commit as a model would, in each format.

use std::ops::Range;

use serde_json::json;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::git::{Changed, Commit, Repository};

/// Lines of context around a change, and by how many it grows until its place is the only
/// one.
const CONTEXT: usize = 3;

/// A format of replies about several files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Format {
    Whole,
    SearchReplace,
    Patch,
    Unnumbered,
    Git,
    Json,
}

impl Format {
    pub(crate) const ALL: [Self; 6] =
        [Self::Whole, Self::SearchReplace, Self::Patch, Self::Unnumbered, Self::Git, Self::Json];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole files in fences",
            Self::SearchReplace => "search/replace",
            Self::Patch => "apply_patch",
            Self::Unnumbered => "diff without numbers",
            Self::Git => "git's own diff",
            Self::Json => "JSON",
        }
    }
}

/// Renders a commit; or says what the format has no words for.
pub(crate) fn render(
    repository: &Repository,
    commit: &Commit,
    format: Format,
) -> Result<String, &'static str> {
    if format == Format::Git {
        return Ok(repository.git(&[
            "diff-tree",
            "-p",
            "-M",
            "--no-commit-id",
            "--no-ext-diff",
            "--no-color",
            &commit.hash,
        ]));
    }
    let sections: Result<String, _> = commit
        .files
        .iter()
        .enumerate()
        .map(|(number, file)| match format {
            Format::Whole => whole(file, number),
            Format::SearchReplace => search_replace(file, number),
            Format::Patch => patch(file),
            Format::Json => json(file),
            Format::Unnumbered | Format::Git => unnumbered(file),
        })
        .collect();
    sections.map(|sections| match format {
        Format::Patch => format!("*** Begin Patch\n{sections}*** End Patch\n"),
        // The comma after the last entry is one that models write, too.
        Format::Json => format!("```json\n[\n{sections}]\n```\n"),
        Format::Unnumbered => format!("```diff\n{sections}```\n"),
        _ => format!("Here are the changes.\n\n{sections}That is all.\n"),
    })
}

/// What no format by lines can say of two texts.
fn lines_say(old: &str, new: &str) -> Result<(), &'static str> {
    if old.contains('\r') || new.contains('\r') {
        return Err("line ends");
    }
    let ends = |text: &str| text.is_empty() || text.ends_with('\n');
    if ends(old) != ends(new) || (old.is_empty() && !ends(new)) { Err("the last line's end") } else { Ok(()) }
}

/// Whether some line changes in the blanks at its end alone.
///
/// A whole file says nothing of them: where the rest of the line is the same, the file's own bytes stay.
fn changes_blank_ends(old: &str, new: &str) -> bool {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let bodies = |lines: &[&'_ str]| lines.iter().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    capture_diff_slices(Algorithm::Myers, &bodies(&old), &bodies(&new)).iter().any(|op| match op {
        DiffOp::Equal { .. } => old[op.old_range()] != new[op.new_range()],
        _ => false,
    })
}

fn whole(file: &Changed, number: usize) -> Result<String, &'static str> {
    let Some((path, new)) = &file.new else { return Err("a deletion") };
    let old = match &file.old {
        Some((old_path, _)) if old_path != path => return Err("a rename"),
        old => old.as_ref().map_or("", |(_, text)| text),
    };
    lines_say(old, new)?;
    if changes_blank_ends(old, new) {
        return Err("blanks at a line's end");
    }
    // Models leave blank lines before a fence's end, so these are no part of the file.
    if new.trim_end_matches('\n').len() + 1 < new.len() {
        return Err("blank lines at the end");
    }
    if new.trim().is_empty() {
        return Err("an empty file");
    }
    let run = new.lines().map(|line| line.bytes().take_while(|byte| *byte == b'`').count()).max();
    let fence = "`".repeat(run.unwrap_or(0).max(2) + 1);
    let end = if new.ends_with('\n') { "" } else { "\n" };
    Ok(match number % 3 {
        0 => format!("**{path}**\n\n{fence}\n{new}{end}{fence}\n\n"),
        1 if !path.contains(' ') => format!("{fence}text {path}\n{new}{end}{fence}\n\n"),
        _ => format!("### `{path}`\n{fence}\n{new}{end}{fence}\n\n"),
    })
}

fn search_replace(file: &Changed, number: usize) -> Result<String, &'static str> {
    let Some((path, new)) = &file.new else { return Err("a deletion") };
    let named = if number.is_multiple_of(2) { path.clone() } else { format!("`{path}`:\n```") };
    let close = if number.is_multiple_of(2) { "" } else { "```\n" };
    let marker = |text: &str| {
        let signs =
            |line: &str| ["<<<<<", "=====", ">>>>>"].iter().any(|it| line.trim_start().starts_with(it));
        text.lines().any(signs)
    };
    if marker(new) || file.old.as_ref().is_some_and(|(_, old)| marker(old)) {
        return Err("marker lines in the text");
    }
    let Some((old_path, old)) = &file.old else {
        lines_say("", new)?;
        if new.trim().is_empty() {
            return Err("an empty file");
        }
        return Ok(format!("{named}\n<<<<<<< SEARCH\n=======\n{new}>>>>>>> REPLACE\n{close}\n"));
    };
    if old_path != path {
        return Err("a rename");
    }
    lines_say(old, new)?;
    if old.is_empty() {
        return Err("an empty file");
    }
    let hunks = Hunks::of(old, new);
    let blocks = hunks.hunks.iter().map(|(old, new)| {
        let text = |lines: &[&str]| {
            lines.iter().map(|line| format!("{}\n", line.trim_end_matches('\n'))).collect::<String>()
        };
        let (old, new) = (text(&hunks.old[old.clone()]), text(&hunks.new[new.clone()]));
        format!("<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
    });
    Ok(format!("{named}\n{}{close}\n", blocks.collect::<String>()))
}

fn patch(file: &Changed) -> Result<String, &'static str> {
    match (&file.old, &file.new) {
        (Some((path, _)), None) => Ok(format!("*** Delete File: {path}\n")),
        (None, Some((path, new))) => {
            lines_say("", new)?;
            let lines: String = new.split_inclusive('\n').map(|line| format!("+{line}")).collect();
            Ok(format!("*** Add File: {path}\n{lines}"))
        }
        (Some((path, old)), Some((new_path, new))) => {
            lines_say(old, new)?;
            let to = if path == new_path { String::new() } else { format!("*** Move to: {new_path}\n") };
            Ok(format!("*** Update File: {path}\n{to}{}", Hunks::of(old, new).marked(false)))
        }
        (None, None) => Err("nothing"),
    }
}

/// A file's entries of a list, as the tools of agents take them: an empty old text makes a file.
fn json(file: &Changed) -> Result<String, &'static str> {
    let Some((path, new)) = &file.new else { return Err("a deletion") };
    let entry = |old: &str, new: &str| {
        format!("{},\n", json!({ "path": path, "old_string": old, "new_string": new }))
    };
    let Some((old_path, old)) = &file.old else {
        lines_say("", new)?;
        return if new.trim().is_empty() { Err("an empty file") } else { Ok(entry("", new)) };
    };
    if old_path != path {
        return Err("a rename");
    }
    lines_say(old, new)?;
    if old.is_empty() {
        return Err("an empty file");
    }
    let hunks = Hunks::of(old, new);
    Ok(hunks
        .hunks
        .iter()
        .map(|(old, new)| entry(&hunks.old[old.clone()].concat(), &hunks.new[new.clone()].concat()))
        .collect())
}

fn unnumbered(file: &Changed) -> Result<String, &'static str> {
    let (old_path, old) = file.old.as_ref().map_or(("/dev/null", ""), |(path, text)| (path, text));
    let (new_path, new) = file.new.as_ref().map_or(("/dev/null", ""), |(path, text)| (path, text));
    if file.old.is_some() && file.new.is_some() && old_path != new_path {
        return Err("a rename");
    }
    if old.is_empty() && file.old.is_some() || new.is_empty() && file.new.is_some() {
        return Err("an empty file");
    }
    let side =
        |mark: &str, path: &str| if path == "/dev/null" { path.to_owned() } else { format!("{mark}/{path}") };
    let hunks = Hunks::of(old, new).marked(true);
    Ok(format!("--- {}\n+++ {}\n{hunks}", side("a", old_path), side("b", new_path)))
}

/// The changes between two texts, each with context that makes its place the only one.
struct Hunks<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    /// The lines of each hunk, old and new.
    hunks: Vec<(Range<usize>, Range<usize>)>,
}

impl<'a> Hunks<'a> {
    fn of(old: &'a str, new: &'a str) -> Self {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let new: Vec<&str> = new.split_inclusive('\n').collect();
        let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
        let changes: Vec<(Range<usize>, Range<usize>)> = ops
            .iter()
            .filter(|op| !matches!(op, DiffOp::Equal { .. }))
            .map(|op| (op.old_range(), op.new_range()))
            .collect();
        let mut context = vec![CONTEXT; changes.len()];
        loop {
            let mut hunks: Vec<(Range<usize>, Range<usize>, Vec<usize>)> = Vec::new();
            for (number, ((old_lines, new_lines), lines)) in changes.iter().zip(&context).enumerate() {
                let before = old_lines.start.min(*lines);
                let after = (old.len() - old_lines.end).min(*lines);
                let wide = (
                    old_lines.start - before..old_lines.end + after,
                    new_lines.start - before.min(new_lines.start)..(new_lines.end + after).min(new.len()),
                );
                match hunks.last_mut().filter(|last| last.0.end >= wide.0.start) {
                    Some(last) => {
                        last.0.end = last.0.end.max(wide.0.end);
                        last.1.end = last.1.end.max(wide.1.end);
                        last.2.push(number);
                    }
                    None => hunks.push((wide.0, wide.1, vec![number])),
                }
            }
            let is_unique = |lines: &Range<usize>| {
                let wanted = &old[lines.clone()];
                lines.len() == old.len()
                    || old.windows(wanted.len().max(1)).filter(|it| *it == wanted).count() == 1
            };
            let vague: Vec<usize> = hunks
                .iter()
                .filter(|(old, ..)| !is_unique(old))
                .flat_map(|(.., numbers)| numbers.clone())
                .collect();
            if vague.is_empty() {
                let hunks = hunks.into_iter().map(|(old, new, _)| (old, new)).collect();
                return Self { old, new, hunks };
            }
            vague.into_iter().for_each(|number| context[number] += CONTEXT);
        }
    }

    /// The hunks with a mark before each line.
    fn marked(&self, says_no_newline: bool) -> String {
        let mut text = String::new();
        for (old, new) in &self.hunks {
            text.push_str("@@\n");
            let (old, new) = (&self.old[old.clone()], &self.new[new.clone()]);
            let mut put = |mark: char, line: &str| {
                text.push(mark);
                text.push_str(line);
                if !line.ends_with('\n') {
                    text.push('\n');
                    if says_no_newline {
                        text.push_str("\\ No newline at end of file\n");
                    }
                }
            };
            for op in capture_diff_slices(Algorithm::Myers, old, new) {
                match op {
                    DiffOp::Equal { .. } => old[op.old_range()].iter().for_each(|line| put(' ', line)),
                    _ => {
                        old[op.old_range()].iter().for_each(|line| put('-', line));
                        new[op.new_range()].iter().for_each(|line| put('+', line));
                    }
                }
            }
        }
        text
    }
}
