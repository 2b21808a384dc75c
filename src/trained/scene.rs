//! The input of models that were trained to predict edits, and helpers that the dialects share.

use crate::edit::Refusal;
use crate::edit::{End, Literal};
use crate::grammar::Grammar;
use crate::prompt::next_edit::ShownStep;

/// The code and the recent edits that a prompt shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scene {
    /// The file's path as shown, `/`-separated.
    pub path: String,
    /// Whole lines before the region.
    pub before: String,
    /// Whole lines that may change.
    pub region: String,
    /// The cursor, in bytes of `region`.
    pub cursor: usize,
    /// Whole lines after the region.
    pub after: String,
    /// The region before the user's last step, if known.
    pub earlier: Option<String>,
    /// The recent edits, oldest first.
    pub steps: Vec<ShownStep>,
}

impl Scene {
    /// The region with a marker at the cursor, as a prompt shows it.
    ///
    /// Every line ends with `\n`, including the last one.
    pub(super) fn marked(&self, mark: &str) -> String {
        let (before, after) = self.region.split_at_checked(self.cursor).unwrap_or((&self.region, ""));
        ended([unix(before).as_str(), mark, unix(after).as_str()].concat())
    }

    /// The text that a reply is compared with.
    pub(super) fn literal<'a>(&'a self, grammar: Option<&'a Grammar>, end: End) -> Literal<'a> {
        let Self { before, region, after, .. } = self;
        Literal { before, range: region, after, grammar, end }
    }

    /// Whether the scene contains one of `marks`.
    pub(super) fn has_one_of(&self, marks: &[&str]) -> bool {
        let Self { path, before, region, after, .. } = self;
        let steps =
            self.steps.iter().flat_map(|step| step.lines.iter().map(|(_, line)| line).chain([&step.path]));
        let mut texts = [path, before, region, after].into_iter().chain(&self.earlier).chain(steps);
        texts.any(|text| marks.iter().any(|mark| text.contains(mark)))
    }
}

/// A prompt in two parts, with the quotes of other files between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The part before other files.
    pub head: String,
    /// The part after other files.
    pub tail: String,
    /// Stop sequences: the reply ends before any of these.
    pub stop: &'static [&'static str],
}

/// Converts line endings to `\n`, as prompts use.
pub(super) fn unix(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Adds a line break at the end if it is missing.
pub(super) fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Replaces the line breaks in a path with spaces.
pub(super) fn on_one_line(path: &str) -> String {
    path.replace(['\n', '\r'], " ")
}

/// Removes the single marker with which a reply may place the cursor. Several are [`Refusal::Malformed`].
pub(super) fn without_cursor(text: &str, mark: &str) -> Result<String, Refusal> {
    match text.matches(mark).count() {
        0 | 1 => Ok(text.replacen(mark, "", 1)),
        _ => Err(Refusal::malformed(format!("it has {mark} more than once"))),
    }
}

/// Refuses text that still contains one of a dialect's markers.
pub(super) fn free_of(text: &str, marks: &[&str]) -> Result<(), Refusal> {
    match text.lines().find(|line| marks.iter().any(|mark| line.contains(mark))) {
        Some(line) => Err(Refusal::Marker { line: line.trim().to_owned() }),
        None => Ok(()),
    }
}
