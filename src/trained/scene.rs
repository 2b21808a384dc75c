//! What models are shown that were trained to predict edits, and what the dialects share.

use crate::edit::Refusal;
use crate::edit::{End, Literal};
use crate::grammar::Grammar;
use crate::prompt::next_edit::ShownStep;

/// What such a model is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scene {
    /// The file's path as shown, `/`-separated.
    pub path: String,
    /// Whole lines before the region.
    pub before: String,
    /// The whole lines that may change.
    pub region: String,
    /// The cursor, in bytes of `region`.
    pub cursor: usize,
    /// Whole lines after the region.
    pub after: String,
    /// The region before the user's last step, where that is known.
    pub earlier: Option<String>,
    /// The recent edits, oldest first.
    pub steps: Vec<ShownStep>,
}

impl Scene {
    /// The region, with a mark at the cursor, as a prompt shows it.
    ///
    /// Its lines end with `\n`, the last one too.
    pub(super) fn marked(&self, mark: &str) -> String {
        let (before, after) = self.region.split_at_checked(self.cursor).unwrap_or((&self.region, ""));
        ended([unix(before).as_str(), mark, unix(after).as_str()].concat())
    }

    /// What a reply is read against.
    pub(super) fn literal<'a>(&'a self, grammar: Option<&'a Grammar>, end: End) -> Literal<'a> {
        let Self { before, region, after, .. } = self;
        Literal { before, range: region, after, grammar, end }
    }

    /// Whether one of some marks stands in what is shown.
    pub(super) fn has_one_of(&self, marks: &[&str]) -> bool {
        let Self { path, before, region, after, .. } = self;
        let steps =
            self.steps.iter().flat_map(|step| step.lines.iter().map(|(_, line)| line).chain([&step.path]));
        let mut texts = [path, before, region, after].into_iter().chain(&self.earlier).chain(steps);
        texts.any(|text| marks.iter().any(|mark| text.contains(mark)))
    }
}

/// A prompt in two parts, between which it quotes other files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// What comes before other files.
    pub head: String,
    /// What comes after them.
    pub tail: String,
    /// The reply ends before any of these.
    pub stop: &'static [&'static str],
}

/// Lines as prompts have them.
pub(super) fn unix(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The text with an end of its last line.
pub(super) fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// A path on one line.
pub(super) fn on_one_line(path: &str) -> String {
    path.replace(['\n', '\r'], " ")
}

/// Takes the one mark out by which a reply may say where the cursor goes.
///
/// # Errors
///
/// [`Refusal::Malformed`] where there are several.
pub(super) fn without_cursor(text: &str, mark: &str) -> Result<String, Refusal> {
    match text.matches(mark).count() {
        0 | 1 => Ok(text.replacen(mark, "", 1)),
        _ => Err(Refusal::Malformed { detail: format!("it has {mark} more than once") }),
    }
}

/// Refuses text in which one of a dialect's marks is left.
///
/// # Errors
///
/// [`Refusal::Marker`].
pub(super) fn free_of(text: &str, marks: &[&str]) -> Result<(), Refusal> {
    match text.lines().find(|line| marks.iter().any(|mark| line.contains(mark))) {
        Some(line) => Err(Refusal::Marker { line: line.trim().to_owned() }),
        None => Ok(()),
    }
}
