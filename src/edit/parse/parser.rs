//! Reads a reply line by line.
//!
//! Finds the start of a format and passes the lines to that format.
//!
//! No line of a format is dropped: text outside of all blocks is talk, and a part of a format there means
//! that a block was not recognized, so the reply is malformed.

mod json_start;
mod old_text;
mod open_fence;
mod outside;

use super::context::{self, Context};
use super::event::Event;
use super::line_kind::begins_to_open;
use super::patch::Patch;
use super::prose::Prose;
use super::quote::Quote;
use super::search::{BlockStep, Search};
use super::unified::Unified;
use super::{Format, call_tags, span, tags};
use crate::edit::{Refusal, line};
use json_start::JsonStart;
pub(super) use old_text::OldText;
use open_fence::OpenFence;

/// Maximum number of blocks in a reply.
const MOST_BLOCKS: usize = 5_000;

/// Reads a tool call in tags.
type ReadCall = fn(&str) -> Result<Vec<Event>, Refusal>;

/// A line-based parser. It accepts chunks of any size; the result depends only on whole lines.
#[derive(Debug, Default)]
pub(super) struct Parser<'t> {
    state: State,
    /// The last line, not terminated yet.
    partial: String,
    /// The closing tag of the current thinking section.
    thinking: Option<String>,
    /// The fence around the lines.
    fence: Option<OpenFence>,
    /// The word that ends the current here-document.
    heredoc: Option<String>,
    /// The file name on the previous line.
    path: Option<String>,
    /// A `---` line outside of any format, which begins a diff if `+++` follows.
    minus: Option<String>,
    /// The first line outside of all blocks that belongs to a format.
    stray: Option<String>,
    /// The line that closed the last block; it may be repeated before the next block.
    closer: Option<String>,
    /// The closing tag after a file's last text; if another one follows, the tag may be text of the file.
    file_closer: Option<&'static str>,
    /// Whether the reply ended without an end marker.
    pub(super) open_end: bool,
    /// Whether text follows a span: another tag would then be ambiguous.
    after_span: bool,
    /// What the lines outside of blocks and fences say.
    pub(super) prose: Prose,
    /// Whether a line of prose holds an edit in JSON.
    pub(super) has_other_json: bool,
    /// The last line of prose.
    above: String,
    /// Fenced code without edits.
    pub(super) quotes: Vec<Quote>,
    blocks: usize,
    /// The number of bytes read as lines.
    consumed: usize,
    json: JsonStart,
    /// Reads a tool call in tags; `None` where there cannot be one.
    calls: Option<ReadCall>,
    pub(super) format: Option<Format>,
    refusal: Option<Refusal>,
    /// The text that plain code would replace.
    pub(super) old: OldText<'t>,
    /// Whether the first visible line is that of the old text.
    begins_like_old: Option<bool>,
    /// Whether the lines outside of fences are the new text, up to the end.
    is_text: bool,
    /// Whether the first edit is where the old text has the same line.
    pub(super) may_be_text: bool,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Outside,
    Search(Search),
    Patch(Patch),
    Unified(Unified),
    Context(Context),
    Tags(String),
    /// A call and its closing tag.
    Call(String, &'static str),
    Span(span::Open),
}

impl<'t> Parser<'t> {
    /// Returns a parser that also recognizes tool calls in tags, which `read` reads.
    ///
    /// A patch that is an argument of a call contains no calls.
    pub(super) fn with_calls(read: ReadCall) -> Self {
        Self { calls: Some(read), ..Self::default() }
    }

    /// Returns the parser for a reply that may also be the new version of a text.
    pub(super) fn instead_of(self, old: OldText<'t>) -> Self {
        Self { old, ..self }
    }

    /// Whether the next line is outside of any change and of thinking.
    pub(super) fn is_outside(&self) -> bool {
        matches!(self.state, State::Outside) && self.thinking.is_none()
    }

    /// Whether the next line is in a code fence.
    pub(super) fn is_in_fence(&self) -> bool {
        self.fence.is_some()
    }

    /// Returns the offset at which the reply starts to look like edits in JSON (bytes).
    pub(super) fn json(&self) -> Option<usize> {
        self.json.at
    }

    /// Reads the next chunk of the reply and adds the events completed by it.
    pub(super) fn push(&mut self, chunk: &str, out: &mut Vec<Event>) {
        let mut rest = chunk;
        while let Some(at) = rest.find('\n') {
            let (head, tail) = rest.split_at(at + 1);
            if self.partial.is_empty() {
                self.line(head, out);
            } else {
                self.partial.push_str(head);
                let line = std::mem::take(&mut self.partial);
                self.line(&line, out);
            }
            rest = tail;
        }
        self.partial.push_str(rest);
        // JSON without line ends consists only of this line.
        if self.is_looking_for_json() && self.refusal.is_none() {
            self.json.look(&self.partial, self.consumed);
        }
    }

    /// Ends the reply.
    ///
    /// It is an error if a construct is still open, or if an error occurred before.
    pub(super) fn finish(&mut self, out: &mut Vec<Event>) -> Result<(), Refusal> {
        let line = std::mem::take(&mut self.partial);
        let ended_line = line.is_empty();
        if !ended_line {
            self.line(&line, out);
        }
        if let Some(refusal) = self.refusal.take() {
            return Err(refusal);
        }
        if self.thinking.is_some() {
            return Err(Refusal::Truncated { inside: "its thinking" });
        }
        let mut events = Vec::new();
        if let State::Patch(patch) = &mut self.state
            && let Some(rest) = patch.end_of_reply(&mut events)?
        {
            self.state = State::Outside;
            self.emit(std::mem::take(&mut events), out);
            rest.iter().for_each(|line| self.line(line, out));
        }
        if let Some(refusal) = self.refusal.take() {
            return Err(refusal);
        }
        let truncated = |inside| Err(Refusal::Truncated { inside });
        match std::mem::take(&mut self.state) {
            State::Outside => {
                // The beginning of an opening line may be the next edit.
                if begins_to_open(&line, self.format.is_some()) {
                    return truncated("a marker");
                }
                let fence = self.fence.as_ref().filter(|_| self.format.is_some());
                if fence.is_some_and(|fence| fence.is_cut_in(&line)) {
                    return truncated("a code fence");
                }
                self.open_end = fence.is_some();
            }
            State::Search(_) => return truncated("a search/replace block"),
            State::Patch(_) => return truncated("a patch"),
            State::Tags(_) => return truncated("a pair of tags"),
            State::Call(..) => return truncated(call_tags::INSIDE),
            State::Span(_) => return truncated("a marked span"),
            State::Unified(_) if self.fence.is_some() => return truncated("a code fence"),
            State::Unified(_) if self.heredoc.is_some() => return truncated("a here-document"),
            State::Context(mut hunk) => events.push(Event::Block(hunk.block()?)),
            State::Unified(diff) => self.open_end = !diff.close_at_end_of_reply(ended_line, &mut events)?,
        }
        self.emit(events, out);
        if self.format.is_some() {
            self.prose.finish()?;
        }
        if let (Some(_), Some(line)) = (self.format, self.stray.take()) {
            self.refusal.get_or_insert(Refusal::malformed(format!(
                "`{}` belongs to no block that can be read",
                line.trim()
            )));
        }
        self.refusal.take().map_or(Ok(()), Err)
    }

    fn line(&mut self, whole: &str, out: &mut Vec<Event>) {
        if self.refusal.is_some() {
            return;
        }
        if self.is_looking_for_json() {
            self.json.look(whole, self.consumed);
        }
        let mut events = Vec::new();
        if let Err(refusal) = self.read(whole, &mut events) {
            self.refusal = Some(refusal);
        }
        self.consumed += whole.len();
        self.emit(events, out);
    }

    /// Whether the next line may be the first of a JSON reply.
    ///
    /// JSON further down in a fence is data in code.
    fn is_looking_for_json(&self) -> bool {
        let begins = |fence: &OpenFence| fence.is_empty || self.json.bracket.is_some();
        self.is_outside() && !self.is_text && self.format.is_none() && self.fence.as_ref().is_none_or(begins)
    }

    /// Numbers the blocks and appends the events to `out`.
    fn emit(&mut self, events: Vec<Event>, out: &mut Vec<Event>) {
        for mut event in events {
            if let Event::Block(block) = &mut event {
                self.blocks += 1;
                block.number = self.blocks;
            }
            if self.blocks > MOST_BLOCKS {
                self.refusal =
                    Some(Refusal::TooLarge { what: "the reply has more blocks", limit: MOST_BLOCKS });
                return;
            }
            out.push(event);
        }
    }

    fn read(&mut self, whole: &str, out: &mut Vec<Event>) -> Result<(), Refusal> {
        // A call may follow another one without a line break.
        if let State::Call(_, closer) = &self.state
            && let Some(at) = call_tags::end_of_call(whole, closer)
        {
            let (call, rest) = whole.split_at(at);
            self.read(call, out)?;
            return self.read(rest, out);
        }
        // Lines of a diff have a marker, which this line lacks: the text before it was a draft.
        if matches!(self.state, State::Unified(_) | State::Patch(_)) && super::thinking::closes(whole) {
            return Err(draft());
        }
        match &mut self.state {
            State::Outside => self.outside(whole, out),
            State::Search(block) => {
                if matches!(block.line(whole)?, BlockStep::Closed)
                    && let State::Search(block) = std::mem::take(&mut self.state)
                {
                    self.closer = Some(whole.trim().to_owned());
                    out.push(Event::Block(block.block(self.blocks + 1)?));
                }
                Ok(())
            }
            State::Patch(patch) => {
                if patch.line(whole, out)? {
                    self.closer = Some(whole.trim().to_owned());
                    self.state = State::Outside;
                }
                Ok(())
            }
            State::Tags(text) => {
                text.push_str(whole);
                self.close_tags(out)
            }
            State::Call(text, closer) => {
                text.push_str(whole);
                if call_tags::closes(whole, closer) {
                    self.file_closer = Some(*closer).filter(|closer| call_tags::closes_file(closer));
                    if let Some(read) = self.calls {
                        out.extend(read(text)?);
                    }
                    self.state = State::Outside;
                }
                Ok(())
            }
            State::Span(open) => {
                if let Some(span) = open.line(whole) {
                    self.state = State::Outside;
                    self.after_span = false;
                    out.push(Event::Span(span));
                }
                Ok(())
            }
            State::Context(hunk) => {
                let (block, is_behind) = match hunk.line(whole)? {
                    context::HunkStep::More => return Ok(()),
                    context::HunkStep::Closed(block) => (block, false),
                    context::HunkStep::Behind(block) => (block, true),
                };
                out.push(Event::Block(block));
                self.state = State::Outside;
                if is_behind { self.outside(whole, out) } else { Ok(()) }
            }
            State::Unified(diff) => {
                let ends_fence = self.fence.as_ref().is_some_and(|fence| fence.is_closed_by(whole));
                if self.fence.is_none() && self.heredoc.is_none() && diff.is_behind(whole) {
                    std::mem::take(diff).close(out)?;
                    self.state = State::Outside;
                    return self.outside(whole, out);
                }
                if !line::is_blank(whole) {
                    whole.trim().clone_into(&mut self.above);
                }
                if !ends_fence && self.heredoc.as_deref() != Some(whole.trim()) {
                    if diff.line(whole, out)? {
                        self.state = State::Outside;
                    }
                } else if let State::Unified(diff) = std::mem::take(&mut self.state) {
                    diff.close(out)?;
                    self.heredoc = None;
                    // The here-document is inside the fence.
                    if ends_fence {
                        self.fence = None;
                    }
                }
                Ok(())
            }
        }
    }

    fn close_tags(&mut self, out: &mut Vec<Event>) -> Result<(), Refusal> {
        if let State::Tags(text) = &self.state
            && tags::is_closed(text)
        {
            out.extend(tags::blocks(text, self.blocks + 1)?.into_iter().map(Event::Block));
            self.state = State::Outside;
        }
        Ok(())
    }

    /// Begins a block.
    ///
    /// It is an error if the prose above says that it is not to be applied.
    fn begin(&mut self, state: State, format: Format) -> Result<(), Refusal> {
        self.prose.block(self.format.is_none())?;
        self.closer = None;
        self.state = state;
        self.format.get_or_insert(format);
        if let Some(fence) = &mut self.fence {
            (fence.diff, fence.code) = (None, None);
        }
        Ok(())
    }
}

/// Returns the refusal of a reply whose thinking began without a tag and was read as the answer.
fn draft() -> Refusal {
    Refusal::malformed("its thinking contains edits")
}
