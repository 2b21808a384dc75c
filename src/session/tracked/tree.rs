//! The background parse of a tracked file, its tree and its outline.

use std::sync::Arc;
use std::time::Instant;

use super::Tracked;
use crate::document::Document;

impl Tracked {
    /// Has the current version, which came just now, parsed in the background.
    ///
    /// That is done once the typing has paused.
    ///
    /// True if that needs a new task: the version has no tree, and no task waits for the time to make one.
    pub fn begin_parse_at_pause(&mut self, pause: Instant) -> bool {
        self.pause = Some(pause);
        self.begin_parse(pause)
    }

    /// Has the current version parsed in the background at `due`, whatever was said before.
    ///
    /// Returns what [`Tracked::begin_parse_at_pause`] does.
    pub fn begin_parse(&mut self, due: Instant) -> bool {
        self.parse_due = Some(due);
        let is_new = !self.is_parsing && !self.document.is_parsed() && self.document.keeps_tree();
        self.is_parsing |= is_new;
        is_new
    }

    /// When to begin the background parse. A file without any tree is not waited for.
    pub fn parse_due(&self) -> Option<Instant> {
        self.parse_due.filter(|_| self.document.tree().is_some())
    }

    /// When the typing counts as paused if no other key comes. `None` before the first key.
    pub fn pause(&self) -> Option<Instant> {
        self.pause
    }

    /// Whether the current version was parsed, or a background parse of it has ended.
    ///
    /// `parsed` is the revision that the last background parse was of. A tree that was dropped since is made
    /// again only after the next change or focus.
    pub fn is_parsed_since(&self, parsed: Option<u64>) -> bool {
        parsed == Some(self.document.revision()) || self.document.is_parsed()
    }

    /// Ends the background parse if the file is still at this revision; returns whether it is.
    pub fn end_parse_if_current(&mut self, revision: u64) -> bool {
        let is_current = self.document.revision() == revision;
        self.is_parsing &= !is_current;
        is_current
    }

    /// Ends the background parse, whatever it left.
    pub fn end_parse(&mut self) {
        self.is_parsing = false;
    }

    /// The outline of this or an earlier version, once there was a parse.
    pub fn outline(&self) -> Option<&Arc<str>> {
        self.outline.as_ref()
    }

    /// Whether there is an outline that need not be made again.
    pub fn has_outline(&self) -> bool {
        self.outline.is_some() && !self.outline_is_stale
    }

    /// Has the next parse make a new outline; the old one serves until then.
    pub fn mark_outline_stale(&mut self) {
        self.outline_is_stale = true;
    }

    /// Bytes of text that a tree is kept of.
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
