//! What became of each suggestion, read off a recording.
//!
//! An *opportunity* is a request of the editor after which nothing was typed in the file for [`PAUSE`], whatever the
//! answer was: a pause at which something could have been shown, which no filter of ours can hide. Requests of one pause
//! are one opportunity.
//!
//! A suggestion is *taken* when its place has its text: accepted as a whole or in part, or typed through. From then on
//! what of it is [kept](super::kept) is measured at the times of [`AFTER`] (those of VS Code's ARC), when the file is
//! saved next, and when the text has *settled*: ten seconds are quiet, or five minutes have passed since it was shown.
//! A measure is *void* once the branch has changed, a formatter or someone else has replaced the place as a whole, or the
//! place is more than [`MOST_OFF`] units longer or shorter than the suggestion.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use ropey::Rope;

use super::entry::{Entry, Event, Replacement};
use super::kept::{Kept, kept};

/// Milliseconds without a change that make an opportunity of a request.
pub const PAUSE: u64 = 300;
/// When what was taken is measured, in seconds.
pub const AFTER: [u64; 6] = [0, 30, 120, 300, 600, 900];
/// Milliseconds of quiet after which a text has settled, and those after which it counts as settled anyway.
const SETTLED: (u64, u64) = (10_000, 300_000);
/// UTF-16 units by which a place may differ from its suggestion.
const MOST_OFF: usize = 512;
/// UTF-16 units of a place that is compared.
const LONGEST: usize = 16 * 1024;

/// How a suggestion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Accepted as a whole.
    Whole,
    /// Accepted in part.
    Part,
    /// Typed as it was shown.
    Typed,
    /// Dismissed.
    Dismissed,
    /// None of these.
    Passed,
}

impl End {
    /// Whether its text came to stand in its place by the user's will.
    pub fn is_taken(self) -> bool {
        matches!(self, Self::Whole | Self::Part | Self::Typed)
    }
}

/// Why a measure says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Void {
    /// The branch has changed.
    Branch,
    /// A formatter has replaced the place.
    Formatter,
    /// The place is gone.
    Gone,
    /// The place is much longer or shorter than the suggestion.
    Length,
    /// The recording ends before.
    Ended,
}

/// A measure, or why there is none.
pub type Measure = Result<Kept, Void>;

/// What became of a suggestion.
#[derive(Debug, Clone, PartialEq)]
pub struct Fate {
    /// When it was shown, in milliseconds since 1970.
    pub time: u64,
    /// The editor's word for the file's language.
    pub language: String,
    /// The job that made it.
    pub job: String,
    /// The model; `None` for the local engine.
    pub model: Option<String>,
    /// How it ended.
    pub end: End,
    /// What was kept of it at the times of [`AFTER`], if it was taken.
    pub after: Vec<Measure>,
    /// The same when the file was saved next; `None` if it was not.
    pub at_save: Option<Measure>,
    /// The same when the text had settled.
    pub settled: Measure,
}

/// A pause at which something could have been shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opportunity {
    /// When it began, in milliseconds since 1970.
    pub time: u64,
    /// The editor's word for the file's language.
    pub language: String,
    /// The jobs that were requested.
    pub jobs: Vec<String>,
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// When it left, in milliseconds since 1970.
    pub time: u64,
    /// The editor's word for the file's language.
    pub language: String,
    /// The job.
    pub job: String,
    /// The model, by its name in the configuration.
    pub model: String,
    /// The model that answered, in the server's words.
    pub served: Option<String>,
    /// Milliseconds until the first text; `None` if there was none.
    pub first_text: Option<u64>,
    /// Tokens read, those of them from a cache, those written to one, and tokens of the answer.
    pub tokens: [u64; 4],
}

/// All that is read off recordings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The opportunities.
    pub opportunities: Vec<Opportunity>,
    /// The requests to models.
    pub asked: Vec<Asked>,
    /// The suggestions.
    pub fates: Vec<Fate>,
}

/// Replays recordings, those of each server by themselves.
#[derive(Debug, Default)]
pub struct Replays {
    servers: HashMap<String, Replay>,
    current: String,
}

impl Replays {
    /// Takes the next entry of a file. A file begins with its header.
    pub fn take(&mut self, entry: Entry) {
        if let Event::Header { uuid, .. } = &entry.event {
            self.current.clone_from(uuid);
        }
        self.servers.entry(self.current.clone()).or_default().take(entry);
    }

    /// What was found.
    pub fn finish(self) -> Report {
        let mut report = Report::default();
        for server in self.servers.into_values() {
            let Report { opportunities, asked, fates } = server.finish();
            report.opportunities.extend(opportunities);
            report.asked.extend(asked);
            report.fates.extend(fates);
        }
        report.opportunities.sort_by_key(|it| it.time);
        report.asked.sort_by_key(|it| it.time);
        report.fates.sort_by_key(|it| it.time);
        report
    }
}

/// A file while it is replayed.
#[derive(Debug, Default)]
struct File {
    text: Rope,
    language: String,
    /// When it was changed.
    changes: Vec<u64>,
    /// The requests: when they came, their jobs, and whether the user asked.
    requests: Vec<(u64, String, bool)>,
}

/// The recording of one server while it is replayed.
#[derive(Debug, Default)]
struct Replay {
    files: HashMap<u64, File>,
    asked: Vec<Asked>,
    /// Where the requests that are not yet answered stand in `asked`.
    running: HashMap<u64, usize>,
    lives: Vec<Life>,
    known: HashSet<u64>,
    drawn: HashSet<u64>,
    done: Vec<(u64, Fate)>,
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
            Event::Answered {
                request,
                chunks,
                model,
                input_tokens,
                cached_tokens,
                cache_write_tokens,
                output_tokens,
                ..
            } => {
                if let Some(asked) = self.running.remove(&request).and_then(|at| self.asked.get_mut(at)) {
                    asked.served = model;
                    asked.first_text = chunks.first().map(|(at, _)| *at);
                    asked.tokens = [input_tokens, cached_tokens, cache_write_tokens, output_tokens];
                }
            }
            Event::Shown { id, suggestion, job, edit, model, .. } => {
                // What stays on screen while it is typed through is sent again and again.
                if let [edit] = &edit[..]
                    && self.known.insert(suggestion)
                {
                    self.show(time, id, suggestion, edit, (job, model));
                }
            }
            Event::Drawn { suggestion } => drop(self.drawn.insert(suggestion)),
            Event::Accepted { suggestion, units } => {
                let texts = &self.files;
                if let Some(life) = self.lives.iter_mut().find(|it| it.suggestion == suggestion) {
                    life.accepted(time, units, texts);
                }
            }
            Event::Dismissed { suggestion } => {
                let life = self.lives.iter_mut().find(|it| it.suggestion == suggestion);
                if let Some(life) = life.filter(|it| it.taken.is_none()) {
                    life.end = End::Dismissed;
                }
            }
            Event::Saved { id } => {
                let texts = &self.files;
                for life in self.lives.iter_mut().filter(|it| it.file == id && it.taken.is_some()) {
                    life.at_save = life.at_save.or_else(|| Some(life.measure(texts)));
                }
            }
            Event::BranchChanged => self.void(Void::Branch, |_| true),
            Event::Closed { id } => self.end(|life| life.file == id),
            Event::Header { .. } | Event::SelectionChanged { .. } | Event::Lost { .. } => {}
        }
    }

    fn language(&self, id: u64) -> String {
        self.files.get(&id).map(|file| file.language.clone()).unwrap_or_default()
    }

    fn set(&mut self, id: u64, time: u64, content: &str) {
        let file = self.files.entry(id).or_default();
        // Each file of a recording begins with the texts as they are.
        if file.text != content {
            file.text = Rope::from_str(content);
            file.changes.push(time);
            self.void(Void::Gone, |life| life.file == id);
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
        for life in self.lives.iter_mut().filter(|life| life.file == id) {
            life.moved(&span, new.encode_utf16().count(), is_layout);
        }
        let texts = &self.files;
        self.lives.iter_mut().filter(|life| life.file == id).for_each(|life| life.look(time, texts));
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
        self.lives.push(Life {
            suggestion,
            file,
            language: self.language(file),
            job,
            model,
            base,
            text: text.clone(),
            place: place.clone(),
            wide: place,
            shown: time,
            changed: time,
            taken: None,
            is_accepted: false,
            end: End::Passed,
            after: Vec::new(),
            at_save: None,
            settled: None,
            void: None,
        });
    }

    fn void(&mut self, void: Void, is_meant: impl Fn(&Life) -> bool) {
        for life in self.lives.iter_mut().filter(|life| is_meant(life)) {
            life.void = life.void.or(Some(void));
        }
    }

    /// Takes the measures that are due before something happens at a time.
    fn measure_until(&mut self, time: u64) {
        let texts = &self.files;
        self.lives.iter_mut().for_each(|life| life.measure_until(time, texts));
        self.end(Life::is_over);
    }

    fn end(&mut self, is_meant: impl Fn(&Life) -> bool) {
        let (ended, living) = std::mem::take(&mut self.lives).into_iter().partition(is_meant);
        self.lives = living;
        let ended: Vec<Life> = ended;
        let texts = &self.files;
        self.done.extend(ended.into_iter().map(|life| (life.suggestion, life.fate(texts))));
    }

    fn finish(mut self) -> Report {
        self.end(|_| true);
        // An editor that reports what it draws has not drawn the others.
        let is_seen = |(suggestion, fate): &(u64, Fate)| {
            self.drawn.is_empty() || self.drawn.contains(suggestion) || fate.end.is_taken()
        };
        let fates = self.done.iter().filter(|it| is_seen(it)).map(|(_, fate)| fate.clone()).collect();
        let opportunities = self.files.into_values().flat_map(opportunities).collect();
        Report { opportunities, asked: self.asked, fates }
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

/// A suggestion that can still come to something.
#[derive(Debug)]
struct Life {
    suggestion: u64,
    file: u64,
    language: String,
    job: String,
    model: Option<String>,
    base: String,
    text: String,
    /// Its place, in UTF-16 units: what is typed behind it once it is taken is not in it …
    place: Range<usize>,
    /// … and the place with what is typed around it.
    wide: Range<usize>,
    shown: u64,
    /// When the file was changed last.
    changed: u64,
    taken: Option<u64>,
    /// Whether the editor said so before the text was there.
    is_accepted: bool,
    end: End,
    after: Vec<Measure>,
    at_save: Option<Measure>,
    settled: Option<Measure>,
    void: Option<Void>,
}

impl Life {
    /// The text was changed at a span, which has another length now.
    fn moved(&mut self, span: &Range<usize>, length: usize, is_layout: bool) {
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

    /// Looks whether its text stands in its place, after a change.
    fn look(&mut self, time: u64, texts: &HashMap<u64, File>) {
        self.changed = time;
        if self.taken.is_some() {
            return;
        }
        let stands = part(texts, self.file, &self.place);
        // An editor may pair brackets or indent what it inserts.
        if stands == self.text || self.is_accepted && stands != self.base {
            self.taken = Some(time);
            self.end = if self.is_accepted { End::Whole } else { End::Typed };
        }
    }

    fn accepted(&mut self, time: u64, units: Option<usize>, texts: &HashMap<u64, File>) {
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

    fn measure_until(&mut self, time: u64, texts: &HashMap<u64, File>) {
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

    fn is_over(&self) -> bool {
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

    fn fate(mut self, texts: &HashMap<u64, File>) -> Fate {
        // What was just taken is there, though nothing happened after it.
        if self.taken.is_some() && self.after.is_empty() {
            self.after.push(self.measure(texts));
        }
        if self.taken.is_some() {
            self.after.resize(AFTER.len(), Err(Void::Ended));
        }
        let settled = self.settled.unwrap_or_else(|| self.measure_at(texts, &self.wide));
        let Self { shown: time, language, job, model, end, after, at_save, .. } = self;
        Fate { time, language, job, model, end, after, at_save, settled }
    }
}

/// Where a place is after a change; it takes in what is written at its ends if it is open.
fn moved(place: &Range<usize>, span: &Range<usize>, length: usize, is_open: bool) -> Range<usize> {
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

fn part(texts: &HashMap<u64, File>, file: u64, place: &Range<usize>) -> String {
    let Some(File { text, .. }) = texts.get(&file) else { return String::new() };
    let units = text.len_utf16_cu();
    let [start, end] = [place.start, place.end].map(|at| text.utf16_cu_to_char(at.min(units)));
    text.slice(start..end.max(start)).to_string()
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests;
