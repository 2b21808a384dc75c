//! A suggestion whose outcome is still open.

use std::collections::HashMap;
use std::ops::Range;

use super::file::{File, part};
use super::outcome::{AFTER, End, MOST_OFF, Measure, Outcome, Void};
use crate::record::kept::kept;

/// Milliseconds without a change after which a text has settled, and those after which it counts as settled anyway.
pub(super) const SETTLED: (u64, u64) = (10_000, 300_000);
/// Units of the longest range that is compared.
pub(super) const LONGEST: usize = 16 * 1024;

/// Tracks a suggestion whose outcome is still open.
#[derive(Debug)]
pub(super) struct SuggestionTracker {
    pub(super) suggestion: u64,
    pub(super) file: u64,
    language: String,
    job: String,
    model: Option<String>,
    base: String,
    text: String,
    /// Its range, in UTF-16 units: text typed behind it after it was taken is not included …
    place: Range<usize>,
    /// … and the range including text typed around it.
    wide: Range<usize>,
    shown: u64,
    /// When the file was last changed.
    changed: u64,
    taken: Option<u64>,
    /// Whether the editor reported the acceptance before the text was there.
    is_accepted: bool,
    end: End,
    after: Vec<Measure>,
    at_save: Option<Measure>,
    settled: Option<Measure>,
    void: Option<Void>,
}

impl SuggestionTracker {
    /// A suggestion that was just shown: its number and file, its range, the text of the range and of the
    /// suggestion, and the job, the language and the model.
    pub(super) fn new(
        time: u64,
        (suggestion, file): (u64, u64),
        place: Range<usize>,
        (base, text): (String, String),
        (job, language, model): (String, String, Option<String>),
    ) -> Self {
        Self {
            suggestion,
            file,
            language,
            job,
            model,
            base,
            text,
            wide: place.clone(),
            place,
            shown: time,
            changed: time,
            taken: None,
            is_accepted: false,
            end: End::Passed,
            after: Vec::new(),
            at_save: None,
            settled: None,
            void: None,
        }
    }

    /// Records that the user dismissed it.
    pub(super) fn dismissed(&mut self) {
        if self.taken.is_none() {
            self.end = End::Dismissed;
        }
    }

    /// Takes a measure when its file was saved.
    pub(super) fn saved(&mut self, texts: &HashMap<u64, File>) {
        if self.taken.is_some() {
            self.at_save = self.at_save.or_else(|| Some(self.measure(texts)));
        }
    }

    /// Records that no measure can be taken from now on.
    pub(super) fn void(&mut self, why: Void) {
        self.void = self.void.or(Some(why));
    }

    /// Moves the ranges after a change of the text at `span`, which now has another length.
    pub(super) fn moved(&mut self, span: &Range<usize>, length: usize, is_layout: bool) {
        let covers = span.start <= self.place.start
            && self.place.end <= span.end
            && (span.end - span.start) > self.place.end - self.place.start;
        if covers && self.taken.is_some() {
            self.void = self.void.or(Some(if is_layout { Void::Formatter } else { Void::Gone }));
        }
        let is_open = self.taken.is_none();
        self.place = moved(&self.place, span, length, is_open);
        self.wide = moved(&self.wide, span, length, true);
    }

    /// Checks, after a change, whether its text is now at its position.
    pub(super) fn look(&mut self, time: u64, texts: &HashMap<u64, File>) {
        self.changed = time;
        if self.taken.is_some() {
            return;
        }
        let stands = part(texts, self.file, &self.place);
        // An editor may pair brackets or indent the inserted text.
        if stands == self.text || self.is_accepted && stands != self.base {
            self.taken = Some(time);
            self.end = if self.is_accepted { End::Whole } else { End::Typed };
        }
    }

    pub(super) fn accepted(&mut self, time: u64, units: Option<usize>, texts: &HashMap<u64, File>) {
        match units {
            Some(units) if units < self.text.encode_utf16().count() => {
                self.end = End::Part;
                self.taken = self.taken.or(Some(time));
            }
            _ if self.taken.is_some() => self.end = End::Whole,
            _ => {
                self.is_accepted = true;
                let changed = self.changed;
                self.look(time, texts);
                self.changed = changed;
            }
        }
    }

    pub(super) fn measure_until(&mut self, time: u64, texts: &HashMap<u64, File>) {
        let settles = (self.changed + SETTLED.0).min(self.shown + SETTLED.1);
        if self.settled.is_none() && settles <= time {
            let wide = &self.wide;
            self.settled = Some(self.measure_at(texts, wide));
        }
        while let (Some(taken), Some(after)) = (self.taken, AFTER.get(self.after.len()))
            && taken + after * 1_000 < time
        {
            self.after.push(self.measure(texts));
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.settled.is_some() && (self.taken.is_none() || self.after.len() == AFTER.len())
    }

    fn measure(&self, texts: &HashMap<u64, File>) -> Measure {
        let off = (self.place.end - self.place.start).abs_diff(self.text.encode_utf16().count());
        if off > MOST_OFF && self.void.is_none() {
            return Err(Void::Length);
        }
        self.measure_at(texts, &self.place)
    }

    fn measure_at(&self, texts: &HashMap<u64, File>, place: &Range<usize>) -> Measure {
        match self.void {
            Some(void) => Err(void),
            None if place.end - place.start > LONGEST => Err(Void::Length),
            None => Ok(kept(&self.base, &self.text, &part(texts, self.file, place))),
        }
    }

    pub(super) fn outcome(mut self, texts: &HashMap<u64, File>) -> Outcome {
        // A suggestion taken at the very end is measured, even if no event follows.
        if self.taken.is_some() && self.after.is_empty() {
            self.after.push(self.measure(texts));
        }
        if self.taken.is_some() {
            self.after.resize(AFTER.len(), Err(Void::Ended));
        }
        let settled = self.settled.unwrap_or_else(|| self.measure_at(texts, &self.wide));
        let Self { shown: time, language, job, model, end, after, at_save, .. } = self;
        Outcome { time, language, job, model, end, after, at_save, settled }
    }
}

/// Moves a range past a change; an open range includes text written at its ends.
pub(super) fn moved(place: &Range<usize>, span: &Range<usize>, length: usize, is_open: bool) -> Range<usize> {
    let (start, end) = (place.start, place.end);
    let after = |at: usize| at + length - (span.end - span.start);
    let touches = if is_open {
        span.start <= end && start <= span.end
    } else {
        span.start < end && start < span.end || span.is_empty() && start < span.start && span.start < end
    };
    if !touches {
        return if span.end <= start { after(start)..after(end) } else { place.clone() };
    }
    let start = start.min(span.start);
    start..after(end.max(span.end)).max(start)
}
