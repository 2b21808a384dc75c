//! The code fence around the next line of a reply.

use crate::edit::parse::fence::{Mark, is_commands, is_output};

/// A fence that is not closed yet.
#[derive(Debug)]
pub(super) struct OpenFence {
    /// The line that opened it.
    opener: String,
    /// Whether no visible line has followed it yet.
    pub(super) is_empty: bool,
    /// The first lines of a diff fence, until their meaning is clear.
    pub(super) diff: Option<Vec<String>>,
    /// The code in it; `None` if it holds an edit, or is no code.
    pub(super) code: Option<String>,
    /// Whether a line in it is a marker of another fence.
    pub(super) holds_fence: bool,
    /// Whether all of it is the new text, whatever it looks like.
    pub(super) is_text: bool,
}

impl OpenFence {
    /// Returns the fence that a line with this marker opens.
    pub(super) fn new(opener: &str, mark: Mark<'_>) -> Self {
        let language = mark.info.split([' ', ':', '{']).next().unwrap_or_default();
        let is_for_diffs = ["diff", "patch", "udiff"].contains(&language);
        let is_code = !is_for_diffs && !is_commands(mark) && !is_output(mark);
        Self {
            opener: opener.to_owned(),
            is_empty: true,
            diff: is_for_diffs.then(Vec::new),
            code: is_code.then(String::new),
            holds_fence: false,
            is_text: false,
        }
    }

    /// Holds back a line of a diff fence; returns all lines held once one has a diff marker.
    pub(super) fn hold(&mut self, line: &str) -> Option<Vec<String>> {
        let held = self.diff.as_mut()?;
        held.push(line.to_owned());
        // A line of three dashes ends the message of a mailed patch.
        let is_marked = line.starts_with(['+', '-']) && line.trim_end() != "---" || line.starts_with("@@");
        is_marked.then(|| std::mem::take(held))
    }

    /// Whether a line closes the fence.
    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let opener = Mark::of(&self.opener);
        Mark::of(line).zip(opener).is_some_and(|(mark, opener)| mark.closes(&opener))
    }

    /// Whether a reply with this last line is cut.
    ///
    /// If so, the fence is empty, or its closing marker is incomplete.
    pub(super) fn is_cut_in(&self, last: &str) -> bool {
        let (mark, text) = (self.opener.trim_start(), last.trim());
        self.is_empty || !text.is_empty() && text.len() < 3 && mark.starts_with(text)
    }
}
