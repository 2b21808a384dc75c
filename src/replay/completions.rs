//! Collects the completions of a recording, each with the text that it was for and what was typed there.
//!
//! Reads any recording: entries that are missing, cut or contradictory cost the completions that need them, which are
//! counted by the reason. Memory is bounded by the texts of the open files.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;

use ropey::Rope;

use super::recorded::{RecordedCompletion, RecordedResult};
use crate::record::entry::{AnswerEntry, Entry, Event, Replacement};
use crate::record::outcomes::Settling;

/// The quiet time after which another session begins, in milliseconds.
const SESSION_GAP: u64 = 10 * 60 * 1_000;
/// The quiet time after a result before the text around it counts as settled, in milliseconds.
const QUIET: u64 = 10_000;
/// The maximum number of servers whose files are interleaved.
const SERVERS: usize = 16;
/// The maximum number of completions of a server that wait for an answer, or for the text to settle.
const OPEN: usize = 256;

/// Collects completions from the entries of recordings, which may be of several servers.
#[derive(Debug, Default)]
pub struct Completions {
    servers: VecDeque<Server>,
    ready: VecDeque<RecordedCompletion>,
    skipped: BTreeMap<&'static str, usize>,
}

impl Completions {
    /// Processes the next entry of a file. A file begins with its header.
    pub fn take(&mut self, entry: Entry) {
        if let Event::Header { uuid, repo_root_uri, tandem, program, .. } = &entry.event {
            // The server of the current file is the last one.
            let known = self.servers.iter().position(|it| it.uuid == *uuid);
            let mut server = known.and_then(|at| self.servers.remove(at)).unwrap_or_default();
            (server.uuid, server.root_uri, server.version) = (uuid.clone(), repo_root_uri.clone(), *tandem);
            server.program.clone_from(program);
            self.servers.push_back(server);
            if self.servers.len() > SERVERS
                && let Some(mut oldest) = self.servers.pop_front()
            {
                oldest.end(|_| true, &mut self.ready, &mut self.skipped);
            }
            return;
        }
        if let Some(server) = self.servers.back_mut() {
            server.take(entry, &mut self.skipped);
            server.end(|_| false, &mut self.ready, &mut self.skipped);
        }
    }

    /// The completions that are complete, each once.
    pub fn ready(&mut self) -> impl Iterator<Item = RecordedCompletion> {
        std::iter::from_fn(|| self.ready.pop_front())
    }

    /// Ends the recording; [`Self::ready`] returns the rest.
    pub fn end(&mut self) {
        for mut server in std::mem::take(&mut self.servers) {
            server.end(|_| true, &mut self.ready, &mut self.skipped);
        }
    }

    /// How many requests cannot be replayed, by the reason.
    pub fn skipped(&self) -> &BTreeMap<&'static str, usize> {
        &self.skipped
    }
}

/// A file, as far as its text is known.
#[derive(Debug, Default)]
struct File {
    path: String,
    language: String,
    text: Option<Rope>,
    v: u64,
}

/// The state of one server.
#[derive(Debug, Default)]
struct Server {
    uuid: String,
    root_uri: String,
    version: u32,
    program: String,
    time: u64,
    /// When the session began, and when the last completion was.
    session: Option<(u64, u64)>,
    files: HashMap<u64, File>,
    open: Vec<Open>,
}

/// A completion that waits for its answer, its result, or for the text to settle.
#[derive(Debug)]
struct Open {
    request: u64,
    file: u64,
    completion: RecordedCompletion,
    is_answered: bool,
    has_ended: bool,
    /// When the result was known. A slow answer is waited for, so that is no pause after typing.
    ended: u64,
    is_closed: bool,
    settling: Option<Settling>,
}

type Skipped = BTreeMap<&'static str, usize>;

impl Server {
    fn take(&mut self, Entry { time, event }: Entry, skipped: &mut Skipped) {
        self.time = time;
        match event {
            Event::DocumentEncountered { id, relative_path, language } => {
                let file = self.files.entry(id).or_default();
                (file.path, file.language) = (relative_path, language);
            }
            Event::SetContent { id, v, content } => self.set(id, v, &content),
            Event::Changed { id, edit, v } => self.change(id, &edit, v),
            Event::Closed { id } => {
                self.files.remove(&id);
                self.open.iter_mut().filter(|it| it.file == id).for_each(|it| it.is_closed = true);
            }
            Event::BranchChanged => self.lose(|_| true),
            Event::Requested { .. } => self.request(event, skipped),
            Event::Answered(answer) => self.answer(answer),
            Event::Ended { request, code, text, shown, doubtful } => {
                if let Some(open) = self.open.iter_mut().find(|it| it.request == request) {
                    open.completion.result = RecordedResult { code, text, shown, is_doubtful: doubtful };
                    (open.has_ended, open.ended) = (true, time);
                }
            }
            _ => {}
        }
    }

    fn set(&mut self, id: u64, v: u64, content: &str) {
        let file = self.files.entry(id).or_default();
        file.v = v;
        // Each file of a recording begins with the current texts.
        if file.text.as_ref().is_none_or(|text| text != content) {
            file.text = Some(Rope::from_str(content));
            self.lose(|it| it.file == id);
        }
    }

    /// Applies a change. If it does not fit, the text is not known until it is set again.
    fn change(&mut self, id: u64, edit: &[Replacement], v: u64) {
        let (time, Some(file)) = (self.time, self.files.get_mut(&id)) else { return };
        let is_next = v == file.v + 1;
        file.v = v;
        let Some(text) = file.text.as_mut().filter(|_| is_next) else {
            file.text = None;
            return self.lose(|it| it.file == id);
        };
        for (start, end, new) in edit.iter().rev() {
            let Some((span, chars)) = spans(text, *start..*end) else {
                file.text = None;
                return self.lose(|it| it.file == id);
            };
            text.remove(chars.clone());
            text.insert(chars.start, new);
            let open = self.open.iter_mut().filter(|it| it.file == id);
            open.filter_map(|it| it.settling.as_mut()).for_each(|it| it.change(time, &span, new));
        }
    }

    /// Gives up what is typed at the places of some completions.
    fn lose(&mut self, is_meant: impl Fn(&Open) -> bool) {
        self.open.iter_mut().filter(|it| is_meant(it)).for_each(|it| it.settling = None);
    }

    fn request(&mut self, event: Event, skipped: &mut Skipped) {
        let Event::Requested {
            request,
            id,
            job,
            model,
            at,
            instructions,
            input,
            fim,
            max_tokens,
            inputs,
            gear: _,
        } = event
        else {
            return;
        };
        let mut skip = |why| *skipped.entry(why).or_default() += 1;
        if job != "completion" {
            return skip("of another job than ghost text");
        }
        let Some(mut inputs) = inputs else {
            return skip(match self.version {
                1 => "of version 1, which has neither their settings nor their results",
                _ => "without their settings",
            });
        };
        if inputs.is_redacted {
            return skip("with a redacted key");
        }
        let unknown = "in a text that is not known";
        let Some(File { path, language, text: Some(text), .. }) = self.files.get(&id) else {
            return skip(unknown);
        };
        let edit = inputs.edit.pop();
        let Some((text, cursor)) = edited(text, edit.as_ref(), at) else { return skip(unknown) };
        let time = self.time;
        let windows = std::mem::take(&mut inputs.windows).into_iter();
        let windows = windows.map_while(|(start, end)| Some(spans(&text, start..end)?.0));
        let windows = windows.take_while(|it| it.contains(&cursor) || it.end == cursor).collect();
        let (session, last) = self.session.unwrap_or((time, time));
        let session = if time.saturating_sub(last) > SESSION_GAP { time } else { session };
        self.session = Some((session, time));
        let completion = RecordedCompletion {
            time,
            session,
            root_uri: self.root_uri.clone(),
            program: self.program.clone(),
            path: path.clone(),
            language: language.clone(),
            text: text.clone(),
            cursor,
            model,
            instructions,
            input,
            fim,
            max_tokens,
            inputs: *inputs,
            windows,
            answer: AnswerEntry::default(),
            result: RecordedResult::default(),
            written: None,
        };
        // What is typed is followed in the file, which is not the text of such a request.
        let settling = edit.is_none().then(|| Settling::new(time, text, cursor));
        let is_closed = false;
        self.open.push(Open {
            request,
            file: id,
            completion,
            is_answered: false,
            has_ended: false,
            ended: time,
            is_closed,
            settling,
        });
    }

    fn answer(&mut self, answer: AnswerEntry) {
        let Some(open) = self.open.iter_mut().find(|it| it.request == answer.request) else { return };
        open.is_answered = true;
        open.completion.answer = answer;
    }

    /// Ends the completions that are complete, and others that `is_meant` selects.
    fn end(
        &mut self,
        is_meant: impl Fn(&Open) -> bool,
        ready: &mut VecDeque<RecordedCompletion>,
        skipped: &mut Skipped,
    ) {
        let (time, mut too_many) = (self.time, self.open.len().saturating_sub(OPEN));
        self.open.retain_mut(|open| {
            let is_quiet = time.saturating_sub(open.ended) >= QUIET;
            let is_settled = |it: &Settling| open.is_closed || is_quiet && it.has_settled(time);
            let has_settled = open.settling.as_ref().is_none_or(is_settled);
            let is_whole = open.is_answered && open.has_ended && has_settled;
            // A job that was aborted has no result, and its place has long settled.
            let is_over = is_whole || is_meant(open) || too_many > 0 || is_old(open, time);
            too_many = too_many.saturating_sub(usize::from(is_over));
            if is_over {
                match why_not(open) {
                    Some(why) => *skipped.entry(why).or_default() += 1,
                    None => {
                        let written = open.settling.as_ref().and_then(Settling::written);
                        open.completion.written = written.map(|it| it.trim_end().to_owned());
                        ready.push_back(open.completion.clone());
                    }
                }
            }
            !is_over
        });
    }
}

/// Whether nothing more is expected of a completion.
fn is_old(open: &Open, time: u64) -> bool {
    time.saturating_sub(open.completion.time) > SESSION_GAP
}

/// Why a completion cannot be replayed.
fn why_not(Open { completion, is_answered, has_ended, .. }: &Open) -> Option<&'static str> {
    match completion.result.code.as_str() {
        _ if !is_answered => Some("whose answer is missing"),
        _ if completion.answer.end == "failed" => Some("whose model failed"),
        _ if !has_ended => Some("abandoned, since the text changed"),
        "superseded" | "stale" | "cancelled" => Some("abandoned, since the text changed"),
        "model" | "capped" | "internal" => Some("whose model failed"),
        _ => None,
    }
}

/// A range of UTF-16 units in bytes and in characters; `None` if it is not within the text.
fn spans(text: &Rope, units: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let [start, end] = [units.start, units.end].map(|unit| text.try_utf16_cu_to_char(unit).ok());
    let chars = start?..end?;
    let bytes = text.char_to_byte(chars.start)..text.char_to_byte(chars.end);
    (chars.start <= chars.end).then_some((bytes, chars))
}

/// The text of a request, and its byte offset, which are given in UTF-16 units.
fn edited(text: &Rope, edit: Option<&Replacement>, at: usize) -> Option<(Rope, usize)> {
    let mut text = text.clone();
    if let Some((start, end, new)) = edit {
        let (_, chars) = spans(&text, *start..*end)?;
        text.remove(chars.clone());
        text.insert(chars.start, new);
    }
    let (place, _) = spans(&text, at..at)?;
    Some((text, place.start))
}
