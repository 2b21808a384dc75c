//! The background parse of a tracked file, its tree and its outline.

use std::sync::Arc;
use std::time::Instant;

use super::Tracked;
use crate::document::Document;

impl Tracked {
    /// Schedules a background parse of the current version, which has just arrived, at `pause`.
    ///
    /// That is when typing counts as paused.
    ///
    /// Returns true if the caller must start a task: the version has no tree, and no task is waiting to make one.
    pub fn begin_parse_at_pause(&mut self, pause: Instant) -> bool {
        self.pause = Some(pause);
        self.begin_parse(pause)
    }

    /// Schedules a background parse of the current version at `due`, which replaces an earlier time.
    ///
    /// Returns the same as [`Tracked::begin_parse_at_pause`].
    pub fn begin_parse(&mut self, due: Instant) -> bool {
        self.parse_due = Some(due);
        let is_new = !self.is_parsing && !self.document.is_parsed() && self.document.keeps_tree();
        self.is_parsing |= is_new;
        is_new
    }

    /// When to begin the background parse; `None` means at once, for a file without a tree.
    pub fn parse_due(&self) -> Option<Instant> {
        self.parse_due.filter(|_| self.document.tree().is_some())
    }

    /// When typing counts as paused if no other key arrives. `None` before the first key.
    pub fn pause(&self) -> Option<Instant> {
        self.pause
    }

    /// Whether the current version was parsed, or a background parse of it has ended.
    ///
    /// `parsed` is the revision of the last background parse. A tree that was dropped since is made again only
    /// after the next change or focus.
    pub fn is_parsed_since(&self, parsed: Option<u64>) -> bool {
        parsed == Some(self.document.revision()) || self.document.is_parsed()
    }

    /// Ends the background parse if the file is still at this revision. Returns true if it is.
    pub fn end_parse_if_current(&mut self, revision: u64) -> bool {
        let is_current = self.document.revision() == revision;
        self.is_parsing &= !is_current;
        is_current
    }

    /// Ends the background parse, whatever its result.
    pub fn end_parse(&mut self) {
        self.is_parsing = false;
    }

    /// The outline of this or an earlier version, after the first parse.
    pub fn outline(&self) -> Option<&Arc<str>> {
        self.outline.as_ref()
    }

    /// Whether there is an up-to-date outline.
    pub fn has_outline(&self) -> bool {
        self.outline.is_some() && !self.outline_is_stale
    }

    /// Makes the next parse create a new outline; the old one is used until then.
    pub fn mark_outline_stale(&mut self) {
        self.outline_is_stale = true;
    }

    /// The size of the text that has a tree, in bytes.
    pub(in crate::session) fn bytes_with_tree(&self) -> usize {
        self.document.tree().map_or(0, |_| self.document.text().len_bytes())
    }

    pub(in crate::session) fn drop_tree(&mut self) {
        self.document = Arc::new(self.document.without_tree());
    }

    pub(in crate::session) fn adopt_tree(&mut self, parsed: &Document, outline: Option<String>) {
        if let Some(outline) = outline {
            self.outline = Some(outline.into());
            self.outline_is_stale = false;
        }
        if !self.document.is_parsed()
            && let Some(tree) = parsed.tree()
            && let Some(since) = self.changes.since(parsed.revision(), self.document.revision())
        {
            self.document = Arc::new(self.document.with_tree(tree, since));
        }
    }
}
