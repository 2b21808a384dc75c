//! The outcome of each suggestion, derived from a recording.
//!
//! An *opportunity* is a request of the editor after which nothing was typed in the file for [`PAUSE`], whatever the
//! answer: a pause in which something could have been shown, and which the server's own filters cannot hide.
//! Requests in one pause are one opportunity.
//!
//! A suggestion is *taken* when its text is at its position: accepted as a whole or in part, or typed through. From
//! then on the part that is [kept](super::kept) is measured at the times of [`AFTER`] (those of VS Code's ARC), at
//! the file's next save, and when the text has *settled*: after ten seconds without a change, or five minutes after
//! it was shown. A measure is *void* once the branch has changed, a formatter or another program has replaced the
//! range as a whole, or the range is more than [`MOST_OFF`] units longer or shorter than the suggestion.

mod file;
mod outcome;
mod settling;
mod suggestion_tracker;

use std::collections::{HashMap, HashSet};

use ropey::Rope;

use super::entry::{Entry, Event, Replacement};
use file::{File, part};
pub use outcome::{AFTER, End, MOST_OFF, Measure, Outcome, Void};
pub use settling::Settling;
use suggestion_tracker::SuggestionTracker;

/// Milliseconds without a change after which a request counts as an opportunity.
pub const PAUSE: u64 = 300;

/// A pause in which something could have been shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opportunity {
    /// When the pause began, in milliseconds since 1970.
    pub time: u64,
    /// The editor's id for the file's language.
    pub language: String,
    /// The jobs that were requested.
    pub jobs: Vec<String>,
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// When the request was sent, in milliseconds since 1970.
    pub time: u64,
    /// The editor's id for the file's language.
    pub language: String,
    /// The job.
    pub job: String,
    /// The model, by its name in the configuration.
    pub model: String,
    /// The model that answered, as the server named it.
    pub served: Option<String>,
    /// Milliseconds until the first text; `None` if there was no text.
    pub first_text: Option<u64>,
    /// Tokens read, of these the tokens read from and written to a cache, and tokens of the answer.
    pub tokens: [u64; 4],
}

/// The results of replaying recordings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The opportunities.
    pub opportunities: Vec<Opportunity>,
    /// The requests to models.
    pub asked: Vec<Asked>,
    /// The suggestions.
    pub outcomes: Vec<Outcome>,
}

/// Replays recordings, separately for each server.
#[derive(Debug, Default)]
pub struct Replays {
    servers: HashMap<String, Replay>,
    current: String,
}

impl Replays {
    /// Processes the next entry of a file. A file begins with its header.
    pub fn take(&mut self, entry: Entry) {
        if let Event::Header { uuid, .. } = &entry.event {
            self.current.clone_from(uuid);
        }
        self.servers.entry(self.current.clone()).or_default().take(entry);
    }

    /// Returns the results.
    pub fn finish(self) -> Report {
        let mut report = Report::default();
        for server in self.servers.into_values() {
            let Report { opportunities, asked, outcomes } = server.finish();
            report.opportunities.extend(opportunities);
            report.asked.extend(asked);
            report.outcomes.extend(outcomes);
        }
        report.opportunities.sort_by_key(|it| it.time);
        report.asked.sort_by_key(|it| it.time);
        report.outcomes.sort_by_key(|it| it.time);
        report
    }
}

/// The state of replaying one server's recording.
#[derive(Debug, Default)]
struct Replay {
    files: HashMap<u64, File>,
    asked: Vec<Asked>,
    /// The indexes in `asked` of the requests that are not yet answered.
    running: HashMap<u64, usize>,
    trackers: Vec<SuggestionTracker>,
    known: HashSet<u64>,
    drawn: HashSet<u64>,
    done: Vec<(u64, Outcome)>,
}

impl Replay {
    fn take(&mut self, Entry { time, event }: Entry) {
        self.measure_until(time);
        match event {
            Event::DocumentEncountered { id, language, .. } => {
                self.files.entry(id).or_default().language = language;
            }
            Event::SetContent { id, content, .. } => self.set(id, time, &content),
            Event::Changed { id, edit, .. } => {
                edit.iter().rev().for_each(|edit| self.change(id, time, edit));
            }
            Event::Decided { id, job, explicit, began, .. } => {
                self.files.entry(id).or_default().requests.push((began, job, explicit));
            }
            Event::Requested { request, id, job, model, .. } => {
                self.running.insert(request, self.asked.len());
                let (served, first_text, tokens) = (None, None, [0; 4]);
                let language = self.language(id);
                self.asked.push(Asked { time, language, job, model, served, first_text, tokens });
            }
            Event::Answered(answer) => {
                let asked = self.running.remove(&answer.request).and_then(|at| self.asked.get_mut(at));
                if let Some(asked) = asked {
                    asked.first_text = answer.chunks.first().map(|(at, _)| *at);
                    asked.tokens = answer.tokens();
                    asked.served = answer.model;
                }
            }
            Event::Shown { id, suggestion, job, edit, model, .. } => {
                // A suggestion that stays on screen while it is typed through is sent repeatedly.
                if let [edit] = &edit[..]
                    && self.known.insert(suggestion)
                {
                    self.show(time, id, suggestion, edit, (job, model));
                }
            }
            Event::Drawn { suggestion } => drop(self.drawn.insert(suggestion)),
            Event::Accepted { suggestion, units } => {
                let texts = &self.files;
                if let Some(tracker) = self.trackers.iter_mut().find(|it| it.suggestion == suggestion) {
                    tracker.accepted(time, units, texts);
                }
            }
            Event::Dismissed { suggestion } => {
                let tracker = self.trackers.iter_mut().find(|it| it.suggestion == suggestion);
                tracker.into_iter().for_each(SuggestionTracker::dismissed);
            }
            Event::Saved { id } => {
                let texts = &self.files;
                self.trackers.iter_mut().filter(|it| it.file == id).for_each(|tracker| tracker.saved(texts));
            }
            Event::BranchChanged => self.void(Void::Branch, |_| true),
            Event::Closed { id } => self.end(|tracker| tracker.file == id),
            Event::Header { .. }
            | Event::SelectionChanged { .. }
            | Event::Ended { .. }
            | Event::Lost { .. } => {}
        }
    }

    fn language(&self, id: u64) -> String {
        self.files.get(&id).map(|file| file.language.clone()).unwrap_or_default()
    }

    fn set(&mut self, id: u64, time: u64, content: &str) {
        let file = self.files.entry(id).or_default();
        // Each file of a recording begins with the current texts.
        if file.text != content {
            file.text = Rope::from_str(content);
            file.changes.push(time);
            self.void(Void::Gone, |tracker| tracker.file == id);
        }
    }

    fn change(&mut self, id: u64, time: u64, (start, end, new): &Replacement) {
        let file = self.files.entry(id).or_default();
        let units = file.text.len_utf16_cu();
        let span = (*start).min(units)..(*end).min(units).max((*start).min(units));
        let chars = file.text.utf16_cu_to_char(span.start)..file.text.utf16_cu_to_char(span.end);
        let old = file.text.slice(chars.clone()).to_string();
        file.text.remove(chars.clone());
        file.text.insert(chars.start, new);
        file.changes.push(time);
        let is_layout = without_blanks(&old) == without_blanks(new);
        for tracker in self.trackers.iter_mut().filter(|tracker| tracker.file == id) {
            tracker.moved(&span, new.encode_utf16().count(), is_layout);
        }
        let texts = &self.files;
        self.trackers
            .iter_mut()
            .filter(|tracker| tracker.file == id)
            .for_each(|tracker| tracker.look(time, texts));
    }

    fn show(
        &mut self,
        time: u64,
        file: u64,
        suggestion: u64,
        (start, end, text): &Replacement,
        (job, model): (String, Option<String>),
    ) {
        let place = *start..*end;
        let base = part(&self.files, file, &place);
        let made_by = (job, self.language(file), model);
        self.trackers.push(SuggestionTracker::new(
            time,
            (suggestion, file),
            place,
            (base, text.clone()),
            made_by,
        ));
    }

    fn void(&mut self, void: Void, is_meant: impl Fn(&SuggestionTracker) -> bool) {
        for tracker in self.trackers.iter_mut().filter(|tracker| is_meant(tracker)) {
            tracker.void(void);
        }
    }

    /// Takes the measures that are due before `time`.
    fn measure_until(&mut self, time: u64) {
        let texts = &self.files;
        self.trackers.iter_mut().for_each(|tracker| tracker.measure_until(time, texts));
        self.end(SuggestionTracker::is_over);
    }

    fn end(&mut self, is_meant: impl Fn(&SuggestionTracker) -> bool) {
        let (ended, living) = std::mem::take(&mut self.trackers).into_iter().partition(is_meant);
        self.trackers = living;
        let ended: Vec<SuggestionTracker> = ended;
        let texts = &self.files;
        self.done.extend(ended.into_iter().map(|tracker| (tracker.suggestion, tracker.outcome(texts))));
    }

    fn finish(mut self) -> Report {
        self.end(|_| true);
        // If the editor reports what it draws, a suggestion without a report was not seen.
        let is_seen = |(suggestion, outcome): &(u64, Outcome)| {
            self.drawn.is_empty() || self.drawn.contains(suggestion) || outcome.end.is_taken()
        };
        let outcomes =
            self.done.iter().filter(|it| is_seen(it)).map(|(_, outcome)| outcome.clone()).collect();
        let opportunities = self.files.into_values().flat_map(opportunities).collect();
        Report { opportunities, asked: self.asked, outcomes }
    }
}

/// The opportunities in a file.
fn opportunities(mut file: File) -> Vec<Opportunity> {
    file.requests.sort();
    let mut pauses: Vec<(usize, Opportunity)> = Vec::new();
    for (began, job, is_explicit) in file.requests {
        let next = file.changes.partition_point(|at| *at <= began);
        let is_pause = file.changes.get(next).is_none_or(|at| at - began >= PAUSE);
        if !is_pause && !is_explicit {
            continue;
        }
        match pauses.last_mut().filter(|(pause, _)| *pause == next) {
            Some((_, known)) if known.jobs.contains(&job) => {}
            Some((_, known)) => known.jobs.push(job),
            None => {
                let language = file.language.clone();
                pauses.push((next, Opportunity { time: began, language, jobs: vec![job] }));
            }
        }
    }
    pauses.into_iter().map(|(_, opportunity)| opportunity).collect()
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests;
