//! Reads a reply that concerns one file, chunk by chunk.
//!
//! Converts it to edits of the request's text.

use std::collections::HashSet;

use super::changes::Changes;
use super::event::Event;
use super::outcome::{Format, Outcome, Unchecked};
use super::parser::{OldText, Parser};
use super::quote::QuotedFile;
use super::{call, fence, here_document, json, pairs, path, prose, thinking, vocabulary};
use crate::edit::check::{cut, repetition};
use crate::edit::locate::{FileText, Level};
use crate::edit::normalize::extract::{self, Code};
use crate::edit::normalize::region::{self, NO_EDITS};
use crate::edit::normalize::surroundings::Surroundings;
use crate::edit::normalize::{label, preserve, whole, wrapping};
use crate::edit::{Edit, Flag, Refusal, Request, apply, check, line};

/// Maximum size of a reply (bytes).
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Reads a whole reply at once.
///
/// It is an error if the meaning of the reply is ambiguous.
pub(in crate::edit) fn read(request: Request<'_>, reply: &str) -> Result<Outcome, Refusal> {
    let reply = thinking::without_end_token(reply, request.text);
    let mut reader = Reader::new(request);
    reader.push(reply);
    reader.finish()
}

/// Reads a reply as it streams in. The chunk boundaries do not matter.
pub struct Reader<'a> {
    request: Request<'a>,
    target: FileText<'a>,
    text: String,
    parser: Parser<'a>,
    /// The events of a reply that looks like JSON or contains tool calls.
    ///
    /// They are held until the end: only then is it known whether JSON contains edits at all, and a string
    /// may be replaced in the result of an earlier edit.
    waiting: Vec<Event>,
    changes: Changes,
    /// Whether the reply has no end marker.
    open_end: bool,
    refusal: Option<Refusal>,
}

impl<'a> Reader<'a> {
    /// Creates a reader for the reply to a request.
    pub fn new(mut request: Request<'a>) -> Self {
        request.range = request.range.map(|range| line::without_mark(request.text, range));
        let target = FileText::new(request.text, request.range.as_ref(), request.grammar);
        let asked = request.range.clone().map_or(request.text, |range| &request.text[range]);
        let old = OldText::new(request.text, asked);
        Self {
            request,
            target,
            text: String::new(),
            parser: Parser::with_calls(call::read).instead_of(old),
            waiting: Vec::new(),
            changes: Changes::default(),
            open_end: false,
            refusal: None,
        }
    }

    /// Reads the next chunk of the reply.
    ///
    /// Returns the edits completed by it. [`Reader::finish`] returns all of them again, sorted, unless it
    /// refuses the reply.
    ///
    /// Formats without an end marker per edit (a region, a whole file, a wrapped patch), JSON and tool calls
    /// yield nothing before the end.
    pub fn push(&mut self, chunk: &str) -> Unchecked {
        if self.text.len() + chunk.len() > MOST_BYTES {
            self.refusal
                .get_or_insert(Refusal::TooLarge { what: "the reply has more bytes", limit: MOST_BYTES });
        }
        if self.refusal.is_some() {
            return Unchecked::default();
        }
        // A byte-order mark comes from the transport.
        let chunk = if self.text.is_empty() { chunk.trim_start_matches('\u{feff}') } else { chunk };
        self.text.push_str(chunk);
        let known = self.changes.len();
        let mut events = Vec::new();
        self.parser.push(chunk, &mut events);
        if self.parser.format.is_some() {
            // Indexes the file while the rest of the first block streams in.
            self.target.prepare();
        }
        if self.waits() {
            self.waiting.append(&mut events);
        }
        for event in events {
            if let Err(refusal) = self.changes.take(&self.request, &self.target, event) {
                self.refusal.get_or_insert(refusal);
                break;
            }
        }
        self.changes.since(known, &self.target).into()
    }

    /// Ends the reply.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the meaning of the reply is ambiguous.
    pub fn finish(self) -> Result<Outcome, Refusal> {
        let may_be_text = match self.parser.json() {
            Some(start) => !self.is_text_in_json(start) && self.has_keys_of_records(start),
            None => self.parser.may_be_text,
        };
        let text = || Reader { text: self.text.clone(), ..Reader::new(self.request.clone()) }.plain();
        let text = if may_be_text { text().ok().filter(|it| it.format != Format::NoEdits) } else { None };
        match (text, self.edits()) {
            (Some(_), Ok(edits)) if !edits.edits.is_empty() => {
                Err(Refusal::malformed("it may be edits, or the new text itself, which holds such edits"))
            }
            (Some(text), _) => Ok(text),
            (None, edits) => edits,
        }
    }

    fn edits(mut self) -> Result<Outcome, Refusal> {
        if let Some(refusal) = self.refusal.take() {
            return Err(refusal);
        }
        if let Some(start) = self.parser.json()
            && !self.is_text_in_json(start)
            && let Some(answer) = json::read(&self.text[start..])
            && (answer != Err(Refusal::Truncated { inside: json::INSIDE }) || self.is_cut_json(start))
        {
            match answer? {
                json::Answer::Events(events) => {
                    if self.parser.format.is_some() || self.parser.has_other_json {
                        return Err(Refusal::malformed("it holds edits in JSON, and others beside them"));
                    }
                    return self.conclude(events, Format::Json);
                }
                json::Answer::Wrapped(inner) => {
                    let mut parser = Parser::with_calls(call::read);
                    let mut events = Vec::new();
                    parser.push(&inner, &mut events);
                    if !inner.ends_with('\n') {
                        parser.push("\n", &mut events);
                    }
                    parser.finish(&mut events)?;
                    self.open_end = parser.open_end;
                    if let Some(format) = parser.format {
                        return self.conclude(events, format);
                    }
                }
            }
        }
        let mut events = std::mem::take(&mut self.waiting);
        let waited = self.waits();
        self.parser.finish(&mut events)?;
        self.open_end = self.parser.open_end;
        match self.parser.format {
            Some(format) if waited || self.waits() => self.conclude(events, format),
            Some(format) => {
                for event in events {
                    self.changes.take(&self.request, &self.target, event)?;
                }
                self.outcome(format)
            }
            None => self.plain(),
        }
    }

    /// Whether events are held until the end of the reply.
    fn waits(&self) -> bool {
        self.parser.json().is_some() || self.parser.format == Some(Format::Json) || self.parser.may_be_text
    }

    /// Whether unterminated JSON was meant to contain edits.
    ///
    /// Otherwise it is code for a range that ends inside a literal.
    fn is_cut_json(&self, start: usize) -> bool {
        let range = self.request.range.clone().unwrap_or(0..self.request.text.len());
        let code = self.request.text.get(range).unwrap_or_default().trim_start().starts_with(['{', '[']);
        let mut before = line::split_iter(&self.text[..start]);
        let leads = before.all(|line| line::is_blank(line) || fence::Mark::of(line).is_some());
        json::mentions_edits(&self.text[start..]) || (leads && !code)
    }

    /// Whether JSON is the new text, not edits: it has the same keys as the JSON file, or half of the lines with keys of
    /// edits are in the old text.
    fn is_text_in_json(&self, start: usize) -> bool {
        let json = &self.text[start..];
        let own = json::keys(self.request.text).filter(|_| self.request.range.is_none());
        let is_record = |line: &&str| edit_keys(line).next().is_some();
        let records = || line::split_iter(json).filter(is_record);
        let known = records().filter(|line| self.parser.old.has(line)).count();
        own.is_some_and(|own| json::keys(json) == Some(own)) || known > 0 && known * 2 >= records().count()
    }

    /// Whether records of the old text have the keys of the edits in JSON.
    fn has_keys_of_records(&self, start: usize) -> bool {
        let range = self.request.range.clone().unwrap_or(0..self.request.text.len());
        let old = self.request.text.get(range).unwrap_or_default();
        let known: HashSet<&str> = edit_keys(old).collect();
        let mut own = edit_keys(&self.text[start..]).peekable();
        old.trim_start().starts_with(['{', '[']) && own.peek().is_some() && own.all(|key| known.contains(key))
    }

    /// Starts over with all events of a reply.
    ///
    /// A list without edits means that there are none.
    fn conclude(mut self, events: Vec<Event>, format: Format) -> Result<Outcome, Refusal> {
        self.changes = Changes::default();
        self.changes.asked = format == Format::Json;
        for event in &events {
            match self.changes.take(&self.request, &self.target, event.clone()) {
                Ok(()) => {}
                Err(refusal @ Refusal::NotFound { .. }) => {
                    return self.in_turn(events, format).ok_or(refusal)?;
                }
                Err(refusal) => return Err(refusal),
            }
        }
        self.outcome(format)
    }

    /// Applies blocks that were each made for the previous block's result; `None` if they were not.
    fn in_turn(mut self, events: Vec<Event>, format: Format) -> Option<Result<Outcome, Refusal>> {
        self.changes = Changes::default();
        let mut blocks = Vec::new();
        for event in events {
            match event {
                Event::Block(block) => blocks.push(block),
                Event::File(_) => self.changes.take(&self.request, &self.target, event).ok()?,
                _ => return None,
            }
        }
        let edits = Changes::in_turn(self.request.text, self.request.grammar, &blocks)?;
        edits.into_iter().try_for_each(|edit| self.changes.add_edit(edit)).ok()?;
        Some(self.outcome(format))
    }

    /// Reads a reply without any format: code for the range, code for the whole file, or talk.
    fn plain(mut self) -> Result<Outcome, Refusal> {
        let answer = thinking::skip(&self.text)?;
        let is_code = self.request.grammar.is_some_and(|grammar| !grammar.is_prose());
        let page = if is_code { fence::page(answer) } else { None };
        let answer = page.as_deref().unwrap_or(answer);
        if line::is_blank(answer) {
            return Err(Refusal::Empty);
        }
        let nothing = |flag| {
            Ok(Outcome {
                edits: Unchecked::default(),
                format: Format::NoEdits,
                level: Level::Exact,
                flags: vec![flag],
            })
        };
        let fences = fence::blocks(answer);
        let inside = |fence: &fence::Fence<'_>| answer[fence.inside.clone()].trim() == NO_EDITS;
        let says_none = |line: &str| line.trim().trim_matches(['*', '`', '.']) == NO_EDITS;
        if fences.iter().any(inside) || (fences.is_empty() && line::split_iter(answer).any(says_none)) {
            return nothing(Flag::Unchanged);
        }
        if let Some(path) = self.request.path
            && let Some(other) =
                named_file(answer, &fences, self.request.text).filter(|named| !path::means(named, path))
        {
            return Err(Refusal::OtherFile { path: other.to_owned() });
        }
        retracted(answer, &fences)?;
        let text = self.request.text;
        let (span, format) = match &self.request.range {
            Some(range) => (range.clone(), Format::Region),
            None => (line::without_mark(text, 0..text.len()), Format::Whole),
        };
        let old = &text[span.clone()];
        if let Some(blocks) = pairs::read(answer, old) {
            return self.conclude(blocks, Format::SearchReplace);
        }
        // A fence marks the end, and so does a wrapper around the whole answer. Code without either may be
        // incomplete.
        let inside = wrapping::inside(answer, old)?;
        let is_held = inside.is_some();
        let code = match inside {
            Some(inside) if fence::blocks(&inside).is_empty() => {
                Ok(Code { text: inside.into_owned(), has_end: true })
            }
            Some(inside) => extract::of(&inside, old, self.request.grammar),
            None => extract::of(answer, old, self.request.grammar),
        };
        let code = code.map(|code| Code { has_end: code.has_end || is_held, ..code });
        self.open_end = !code.as_ref().is_ok_and(|code| code.has_end);
        let code = code.and_then(|code| label::strip_label(code, &self.request));
        let new = code.and_then(|code| {
            let new = match &self.request.range {
                Some(range) => region::fit(&code.text, Surroundings::of(text, range), self.request.grammar)?,
                None => whole::file(&code, old, &|_| false, self.request.grammar)?,
            };
            let asked = || preserve::stripped(old, &code.text, self.request.instruction);
            Ok(if new == old { asked().unwrap_or(new) } else { new })
        });
        if self.open_end && new.is_ok() && cut::is_cut(answer, old, self.request.grammar) {
            return Err(Refusal::Truncated { inside: "the code" });
        }
        match new {
            Ok(new) => {
                self.changes.add_edit(Edit::new(span, new))?;
                self.outcome(format)
            }
            Err(Refusal::Prose) => nothing(Flag::Talk),
            Err(refusal) => Err(refusal),
        }
    }

    fn outcome(self, format: Format) -> Result<Outcome, Refusal> {
        let Self { request, target, parser, changes, open_end, .. } = self;
        let level = changes.level;
        if !changes.asked {
            return Err(Refusal::malformed("there is no change in it"));
        }
        let edits = changes.sorted(&target)?;
        if let Some(range) = &request.range
            && let Some(edit) =
                edits.iter().find(|edit| edit.span.start < range.start || edit.span.end > range.end)
        {
            return Err(Refusal::OutOfScope { line: target.line_at(edit.span.start) + 1 });
        }
        let result = apply(request.text, &edits);
        if !parser.quotes.is_empty() && !matches!(format, Format::Region | Format::Whole) {
            let file = QuotedFile::new(request.text, &result);
            if let Some(code) = parser.quotes.iter().find(|it| file.is_changed_by(it)) {
                return Err(code.refusal());
            }
        }
        if edits.iter().any(|edit| repetition::loops(&edit.text)) && !repetition::loops(request.text) {
            return Err(Refusal::Repetition);
        }
        check::elision(request.text, &result)?;
        check::marker(request.grammar, request.text, &result)?;
        let flags = match edits.is_empty() {
            true => vec![Flag::Unchanged],
            false => open_end.then_some(Flag::MayBeCut).into_iter().collect(),
        };
        Ok(Outcome { edits: edits.into(), format, level, flags })
    }
}

/// The keys of old and new texts that some JSON has.
fn edit_keys(json: &str) -> impl Iterator<Item = &'static str> {
    let has =
        move |name: &&str| json.contains(&format!("\"{name}\":")) || json.contains(&format!("\"{name}\" :"));
    vocabulary::OLD.into_iter().chain(vocabulary::NEW).filter(has)
}

/// Returns the file that an answer without a format says it is for.
///
/// The file is named in the fence's info string, on the line above, or by the command that would write it, unless the
/// old text has that command itself.
fn named_file<'a>(answer: &'a str, fences: &[fence::Fence<'a>], old: &str) -> Option<&'a str> {
    let content = match fences {
        [] => answer,
        [only] => &answer[only.inside.clone()],
        _ => return None,
    };
    let only = fences.first();
    let info = only.and_then(|only| path::of_info(only.info));
    let above = || {
        let talk = &answer[..only?.span.start];
        let above = line::split_iter(talk).filter(|line| !line::is_blank(line)).last()?;
        path::of_line(above).or_else(|| prose::file_below(above))
    };
    let first = || line::split_iter(content).find(|line| !line::is_blank(line));
    let command = || first().filter(|line| !here_document::has_command(old, line));
    info.or_else(above).or_else(|| here_document::target(command()?))
}

/// Refuses a fenced answer whose prose takes it back.
fn retracted(answer: &str, fences: &[fence::Fence<'_>]) -> Result<(), Refusal> {
    let mut at = 0;
    for fence in fences {
        prose::retraction(line::split_iter(&answer[at..fence.span.start]))?;
        at = fence.span.end;
    }
    if fences.is_empty() { Ok(()) } else { prose::retraction(line::split_iter(&answer[at..])) }
}
