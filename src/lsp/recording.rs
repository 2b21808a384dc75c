//! Passes editor events to the flight recorder, if it is on ([`record`](crate::record)).
//!
//! If it is off, each function returns after that check.

use std::sync::Arc;

use tokio::time::Instant;

use super::convert;
use super::protocol::{self, NextEdit};
use super::request_outcome::PendingOutcome;
use super::serving::{Configuration, CurrentServing};
use super::state::ServerState;
use crate::assist::{AnswerObserver, CompletionParams, EndedJob, Observer, Sending};
use crate::document::{Document, DocumentId};
use crate::job::Job;
use crate::model::{Chunk, ModelError, Usage};
use crate::record::{AnswerEntry, Event, Inputs, Note, Recorder, document_number, ring, utf16_span};
use crate::session::ghost::{GhostText, Source};
use crate::text::ident;
use crate::workspace::Workspace;

/// The recorder for these settings: the running one, a new one, or none.
pub(super) fn recorder(
    state: &ServerState,
    configuration: &Configuration,
    is_wanted: bool,
    folders: &[std::path::PathBuf],
) -> Option<Recorder> {
    let own_folder = configuration.start.state.as_deref().filter(|_| is_wanted)?;
    if let Some(running) = state.serving.get().recorder.clone() {
        return Some(running);
    }
    let (editor, runtime) = (state.editor.clone(), tokio::runtime::Handle::current());
    let on_trouble = move |why: String| {
        runtime.spawn(async move { editor.warn_once("record", format!("Tandem: {why}")) });
    };
    let root_uri = folders.first().and_then(|folder| convert::file_uri(folder)).unwrap_or_default();
    match Recorder::start(ring::folder(own_folder), root_uri, folders, state.readers.clone(), on_trouble) {
        Ok(recorder) => Some(recorder),
        Err(error) => {
            state.editor.defer(format!("Tandem: nothing is recorded: {error}"));
            None
        }
    }
}

/// The observer through which the recorder sees the requests to models.
pub(super) fn observer(recorder: Option<&Recorder>) -> Option<Arc<dyn Observer>> {
    recorder.map(|it| Arc::new(RequestRecorder(it.clone())) as Arc<dyn Observer>)
}

/// A file that is about to change, with its text before, if recording is on.
pub(super) fn before(state: &ServerState, uri: &str) -> Option<(DocumentId, Option<Arc<Document>>)> {
    state.serving.get().recorder.as_ref()?;
    let id = DocumentId::new(uri);
    let document = state.session.lock().tracked(&id).ok().map(|it| Arc::clone(it.document()));
    Some((id, document))
}

/// Records that a file was opened, or changed since `before`.
pub(super) fn text(state: &ServerState, id: &DocumentId, before: Option<&Document>) {
    let Some(recorder) = state.serving.get().recorder.clone() else { return };
    if is_own(&recorder, id) {
        return;
    }
    let note = {
        let session = state.session.lock();
        let Ok(tracked) = session.tracked(id) else { return };
        Note::Text {
            document: Arc::clone(tracked.document()),
            path: Arc::clone(tracked.path()),
            language: tracked.language_id().into(),
            access: tracked.access().clone(),
            change: before.and_then(|before| Some((before.revision(), tracked.changes_since(before)?))),
        }
    };
    recorder.note(note);
}

/// Whether a document is a file of the recording.
fn is_own(recorder: &Recorder, id: &DocumentId) -> bool {
    convert::file_path(id.as_str()).is_some_and(|path| recorder.owns(&path))
}

/// Records an event that needs no further context.
pub(super) fn event(serving: &CurrentServing, event: Event) {
    if let Some(recorder) = &serving.get().recorder {
        recorder.event(event);
    }
}

/// Records the outcome of a request for suggestions at a cursor, by its code.
pub(super) fn decided(
    state: &ServerState,
    id: &DocumentId,
    cursor: protocol::Position,
    record: PendingOutcome,
    code: &str,
) {
    let Some(recorder) = state.serving.get().recorder.clone() else { return };
    let cursor = with_document(state, id, |document, encoding| {
        let byte = convert::byte(document, cursor, encoding);
        utf16_span(document.text(), &(byte..byte))
    });
    let id = document_number(id);
    if let Some(cursor) = cursor {
        recorder.event(Event::SelectionChanged { id, selection: vec![cursor] });
    }
    let (job, explicit) = (record.job.name().to_owned(), record.is_explicit);
    let began = recorder.time(record.started.into_std());
    recorder.event(Event::Decided { id, job, explicit, code: code.to_owned(), began });
}

/// Records ghost text that is sent to the editor.
pub(super) fn ghost_text_shown(state: &ServerState, document: &Document, items: &[GhostText]) {
    let Some(recorder) = state.serving.get().recorder.clone() else { return };
    for GhostText { id, span, text } in items {
        let source = state.session.lock().feedback().source(*id).unwrap_or_default();
        let (start, end) = utf16_span(document.text(), span);
        recorder.event(shown(Job::Complete, document.id(), *id, (start, end, text.clone()), source));
    }
}

/// Records next edits that are sent to the editor.
pub(super) fn next_edits_shown(state: &ServerState, edits: &[NextEdit], source: &Source) {
    let Some(recorder) = state.serving.get().recorder.clone() else { return };
    for edit in edits {
        let id = DocumentId::new(&edit.text_document.uri);
        let span = with_document(state, &id, |document, encoding| {
            let span = convert::span(document, edit.range, encoding);
            utf16_span(document.text(), &span)
        });
        // An edit offered in an unopened file has no text to compare with.
        if let Some((start, end)) = span {
            let edit_text = (start, end, edit.text.clone());
            recorder.event(shown(Job::NextEdit, &id, edit.id, edit_text, source.clone()));
        }
    }
}

fn shown(job: Job, id: &DocumentId, suggestion: u64, edit: (usize, usize, String), source: Source) -> Event {
    let Source { gear, model } = source;
    let (id, job) = (document_number(id), job.name().to_owned());
    Event::Shown { id, suggestion, job, edit: vec![edit], gear, model }
}

fn with_document<T>(
    state: &ServerState,
    id: &DocumentId,
    read: impl FnOnce(&Document, crate::document::position::Encoding) -> T,
) -> Option<T> {
    let (document, encoding) = {
        let session = state.session.lock();
        (Arc::clone(session.tracked(id).ok()?.document()), session.encoding())
    };
    Some(read(&document, encoding))
}

/// Records the requests to models.
struct RequestRecorder(Recorder);

impl Observer for RequestRecorder {
    fn on_sent(&self, sending: Sending<'_>, model: &str) -> Option<Box<dyn AnswerObserver>> {
        let Sending { job, decision, request, snapshot, at, .. } = sending;
        let document = &snapshot.document;
        if is_own(&self.0, document.id()) {
            return None;
        }
        let number = self.0.next_number();
        let event = Event::Requested {
            request: number,
            id: document_number(document.id()),
            job: job.name().to_owned(),
            gear: decision.gear.to_string(),
            model: model.to_owned(),
            at: utf16_span(document.text(), &(at..at)).0,
            instructions: request.instructions.to_string(),
            input: request.input.clone(),
            fim: request.fim.as_ref().map(|fim| (fim.prefix.clone(), fim.suffix.clone())),
            max_tokens: request.max_output_tokens,
            inputs: inputs(sending).map(Box::new),
        };
        self.0.note(Note::Request(Arc::clone(document), event));
        Some(Box::new(AnswerRecorder {
            recorder: self.0.clone(),
            number,
            began: Instant::now(),
            chunks: Vec::new(),
            end: "abandoned",
            usage: Usage::default(),
            place: (Arc::clone(document), at),
            workspace: Arc::clone(&snapshot.workspace),
        }))
    }

    fn ended(&self, EndedJob { request, outcome, completion, .. }: EndedJob<'_>) {
        let Some(request) = request else { return };
        let code = outcome.map_or_else(|reason| reason.code(), |_| "shown").to_owned();
        let text = completion.map(|it| it.text.clone());
        let shown = completion.map_or(0, |it| it.text[..it.shown].encode_utf16().count());
        let doubtful = completion.is_some_and(|it| it.is_doubtful);
        self.0.event(Event::Ended { request, code, text, shown, doubtful });
    }
}

/// The inputs of a completion, for a replay.
fn inputs(sending: Sending<'_>) -> Option<Inputs> {
    let CompletionParams { eagerness, variant, invoked, .. } = sending.completion?;
    let (settings, pace) = (&sending.snapshot.settings, sending.pace);
    let speeds =
        [pace.start.as_secs_f64(), pace.reading, pace.writing, pace.token_bytes, pace.wait.as_secs_f64()];
    Some(Inputs {
        variant,
        explicit: invoked,
        eagerness: eagerness.name().to_owned(),
        max_lines: settings.max_ghost_lines,
        invisible: settings.allow_invisible_characters,
        style: settings.style.clone(),
        is_redacted: !sending.redaction.is_empty(),
        unread: sending.unread,
        pace: (!pace.is_quick()).then_some(speeds),
        edit: Vec::new(),
        windows: sending
            .windows
            .iter()
            .map(|span| utf16_span(sending.snapshot.document.text(), span))
            .collect(),
    })
}

/// Records an answer once it has ended.
struct AnswerRecorder {
    recorder: Recorder,
    number: u64,
    began: Instant,
    chunks: Vec<(u64, String)>,
    end: &'static str,
    usage: Usage,
    /// The text and the byte offset that it is about.
    place: (Arc<Document>, usize),
    workspace: Arc<Workspace>,
}

impl AnswerRecorder {
    /// The words of the answer that no file of the project has; `None` while the project has not been read.
    fn unknown(&self) -> Option<Vec<String>> {
        let (document, at) = &self.place;
        let grammar = document.grammar().filter(|grammar| self.workspace.is_reliable_for(grammar))?;
        let line = document.slice(document.line_start(*at)..document.next_line_start(*at));
        let (before, after) = line.split_at_checked(at - document.line_start(*at))?;
        let answer: String = self.chunks.iter().map(|(_, text)| text.as_str()).collect();
        // The first and the last word may be completed by the text around them.
        let text = [ident::last_partial(before), &answer, ident::first_partial(after)].concat();
        let mut words: Vec<&str> = ident::words_with_dollars(&text).map(|(_, word)| word).collect();
        words.sort_unstable();
        words.dedup();
        words.retain(|word| !self.workspace.knows(grammar, word));
        Some(words.into_iter().map(str::to_owned).collect())
    }
}

impl AnswerObserver for AnswerRecorder {
    fn number(&self) -> u64 {
        self.number
    }

    fn on_chunk(&mut self, piece: &Result<Chunk, ModelError>) {
        match piece {
            Ok(Chunk::Text(text)) => {
                let at = super::clock::milliseconds(self.began.elapsed());
                self.chunks.push((at, text.clone()));
            }
            Ok(Chunk::Restart) => self.chunks.clear(),
            Ok(Chunk::Dialect(_) | Chunk::Item(_)) => {}
            Ok(Chunk::Done(usage)) => {
                self.end = if usage.truncated { "truncated" } else { "done" };
                self.usage = usage.clone();
            }
            Err(_) => self.end = "failed",
        }
    }
}

impl Drop for AnswerRecorder {
    fn drop(&mut self) {
        let unknown = self.unknown();
        let Usage { model, input_tokens, cached_tokens, cache_write_tokens, output_tokens, .. } =
            std::mem::take(&mut self.usage);
        self.recorder.event(Event::Answered(AnswerEntry {
            request: self.number,
            chunks: std::mem::take(&mut self.chunks),
            end: self.end.to_owned(),
            model,
            input_tokens,
            cached_tokens,
            cache_write_tokens,
            output_tokens,
            took: super::clock::milliseconds(self.began.elapsed()),
            unknown,
        }));
    }
}

#[cfg(test)]
mod tests;
