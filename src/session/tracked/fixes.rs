//! Fixes of a tracked file that are made before they are requested.

use std::sync::Arc;
use std::time::Instant;

use futures_util::future::AbortHandle;
use ropey::Rope;

use super::Tracked;
use crate::document::Document;
use crate::session::limits::{CHANGED_LINES_BYTES, MAX_APPLIED_REPLACEMENTS};
use crate::session::model_fixes::{FixContext, FixScope, ModelFix, NextFix};
use crate::session::prepared_fixes::{AppliedReplacements, PreparedFix, PreparedFixes};
use crate::snapshot::Diagnostic;

impl Tracked {
    /// Whether to start preparing fixes now.
    ///
    /// If preparing is under way, it continues until no fix is missing.
    pub fn begin_preparing(&mut self) -> bool {
        !std::mem::replace(&mut self.is_preparing, true)
    }

    /// Ends preparing: all fixes that can be made now are prepared.
    pub fn end_preparing(&mut self) {
        self.is_preparing = false;
    }

    /// Keeps fixes that were made for the version `of`.
    ///
    /// Fixes whose underlying code has changed since are dropped.
    pub fn keep_prepared_fixes(&mut self, of: &Document, made: Vec<PreparedFix>) {
        if let Some(changes) = self.changes_since(of) {
            Arc::make_mut(&mut self.prepared).put_since(made, &changes);
        }
    }

    /// The replacements that fixes on save have made since the user last typed.
    pub fn applied_replacements(&self) -> &Arc<AppliedReplacements> {
        &self.applied_replacements
    }

    /// Records the replacements of fixes on save.
    pub fn record_replacements(&mut self, texts: AppliedReplacements) {
        if self.applied_replacements.len() <= MAX_APPLIED_REPLACEMENTS
            && !texts.is_subset(&self.applied_replacements)
        {
            Arc::make_mut(&mut self.applied_replacements).extend(texts);
        }
    }

    /// The text as it was opened.
    pub fn opened(&self) -> &Rope {
        &self.opened
    }

    /// The fixes that are ready for the current text.
    pub fn prepared_fixes(&self) -> &Arc<PreparedFixes> {
        &self.prepared
    }

    /// Records that diagnostics were reported for which a model may make fixes.
    ///
    /// Returns true if the caller must start a task for that.
    pub fn begin_model_fixes(&mut self, now: Instant) -> bool {
        self.model_fixes.begin(now)
    }

    /// Stops making fixes until diagnostics are reported again.
    pub fn end_model_fixes(&mut self) {
        self.model_fixes.end();
    }

    /// The next fix for a model to make.
    pub fn next_model_fix(&mut self, scope: FixScope, now: Instant) -> NextFix {
        let document = &self.document;
        let place = FixContext {
            line: line_of(document, self.focus).0,
            edited: self.last_edit.at,
            line_of: &|byte| line_of(document, byte),
        };
        self.model_fixes.next(&self.diagnostics.0, &place, scope, now)
    }

    /// Records that a diagnostic has a certain fix, so that no model is asked for one.
    pub fn note_certain_fix(&mut self, diagnostic: &Diagnostic) {
        let (_, line) = line_of(&self.document, diagnostic.span.start);
        self.model_fixes.note_certain(diagnostic, line);
    }

    /// Records that a model is asked for a fix of the version `of`.
    ///
    /// `call` is aborted when the diagnostic's text changes.
    ///
    /// Returns false if the version is outdated; no model is to be asked then.
    pub fn begin_model_fix(&mut self, of: &Document, diagnostic: &Diagnostic, call: AbortHandle) -> bool {
        let is_current = of.revision() == self.document.revision();
        if is_current {
            let (_, line) = line_of(&self.document, diagnostic.span.start);
            self.model_fixes.begin_call(diagnostic, line, call);
        }
        is_current
    }

    /// Records that the call for a fix of the version `of` has ended.
    ///
    /// Returns true if the fix fits the current text and is kept.
    pub fn end_model_fix(&mut self, of: &Document, fix: Option<ModelFix>) -> bool {
        self.model_fixes.end_call();
        let (Some(fix), Some(changes)) = (fix, self.changes_since(of)) else { return false };
        self.model_fixes.keep(fix, &changes)
    }

    /// The fixes that a model has made for diagnostics in the current text.
    pub fn model_fixes(&self) -> &[ModelFix] {
        &self.model_fixes.ready
    }
}

/// The line of a byte, and its trimmed text.
///
/// The text of a long line is replaced by an empty string.
fn line_of(document: &Document, byte: usize) -> (usize, String) {
    let byte = byte.min(document.text().len_bytes());
    let span = document.line_start(byte)..document.next_line_start(byte);
    let text = if span.len() > CHANGED_LINES_BYTES { String::new() } else { document.slice(span) };
    (document.text().byte_to_line(byte), text.trim().to_owned())
}
