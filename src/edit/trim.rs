//! Turns a model's streamed reply into ghost text through a chain of small filters, one per file.
//!
//! A completion model writes too much rather than too little: it repeats code around the cursor, closes
//! blocks that are already closed, and continues into the next function. Each filter handles one such habit
//! and reports where the useful text ends. The filters see only a window around the cursor and parse nothing,
//! because they run while the text streams in; [`sound`] then checks the result with a parser. Where only a parser
//! can tell whether a sign closes a bracket, the text [as it is written](Ghost::as_written) is an alternative.

mod artifacts;
mod closers;
mod cursor_context;
mod echo;
mod indent;
mod lines;
mod open_brackets;
mod repetition;
mod scope;
mod statement;
mod style;
mod suffix;
mod syntax;
mod view;

use std::ops::ControlFlow;
use std::sync::OnceLock;

pub use cursor_context::{CursorContext, CursorFacts};
pub use syntax::{Errors, sound};
use view::View;

use crate::text::{floor_boundary, ident};

use super::{Edit, Refusal, check, line};

/// Maximum length of a suggestion (bytes); the rest is dropped.
const MAX_BYTES: usize = 16 * 1024;

/// Maximum number of prefixes tried for a line whose end cannot be awaited.
const MOST_BEGINNINGS: usize = 16;

/// How much of a suggestion to show at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The first statement.
    Statement,
    /// The whole suggestion, or all statements received so far.
    Whole,
}

/// A suggestion as it streams in.
pub struct Ghost<'a> {
    view: View<'a>,
    text: String,
    /// The whole text after filtering.
    shaped: OnceLock<Shaped>,
    ended: bool,
    allow_invisible: bool,
}

impl<'a> Ghost<'a> {
    /// Starts an empty suggestion at `context`.
    pub fn new(context: CursorContext<'a>) -> Self {
        Self {
            view: View::new(context),
            text: String::new(),
            shaped: OnceLock::new(),
            ended: false,
            allow_invisible: false,
        }
    }

    /// Finds the facts about the position that nearly all suggestions need, before there is a suggestion.
    pub fn prepare(&self) {
        self.view.open();
    }

    /// Sets whether the suggestion may add invisible characters. The default is no.
    #[must_use]
    pub fn allowing_invisible(self, allow_invisible: bool) -> Self {
        Self { allow_invisible, ..self }
    }

    /// Refuses a text that adds an invisible character.
    ///
    /// Those that the cursor's line already has are allowed.
    fn invisible(&self, text: &str) -> Result<(), Refusal> {
        if self.allow_invisible {
            return Ok(());
        }
        let line = [self.view.prefix, self.view.rest].concat();
        let at = self.view.prefix.len();
        check::invisible(&line, &[Edit::new(at..at, text)])
    }

    /// Appends the next chunk of the stream.
    ///
    /// `Break` means that no later chunk can change the result, so the stream may be dropped. Later chunks
    /// are ignored.
    pub fn push(&mut self, chunk: &str) -> ControlFlow<()> {
        if self.ended {
            return ControlFlow::Break(());
        }
        // The filters run only on whole lines, one at a time, so that the verdict does not depend on the
        // chunk boundaries.
        for piece in chunk.split_inclusive('\n') {
            self.text.push_str(piece);
            self.shaped.take();
            self.ended = self.text.len() > MAX_BYTES || (piece.ends_with('\n') && self.shaped().is_ended);
            if self.ended {
                if self.text.len() > MAX_BYTES {
                    self.text.truncate(floor_boundary(&self.text, MAX_BYTES));
                    self.shaped.take();
                }
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns the whole statements that can be shown before the reply is complete.
    ///
    /// `None` if the rest of the reply may still change all of them.
    pub fn complete_statements(&self, reach: Reach) -> Option<String> {
        // The final line end is not known until the reply is complete.
        if self.view.is_before_line() {
            return None;
        }
        let whole = self.text.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let (lines, ahead) = self.text.split_at(whole);
        if line::is_blank(lines) || artifacts::is_talk(&self.view, lines) {
            return None;
        }
        let Shaped { text: mut shaped, as_written: None, .. } = shape(&self.view, lines) else { return None };
        // If the filters cut something off, `ahead` does not follow these lines directly.
        let is_cut = shaped.trim_end().len() < lines.trim_end().len();
        shaped.push('\n');
        let (first, last) = statement::ends(&self.view, &shaped, if is_cut { "" } else { ahead })?;
        shaped.truncate(if reach == Reach::Statement { first } else { last });
        let is_shown =
            !repetition::is_loop(&shaped) && ident::has_part(&shaped) && self.invisible(&shaped).is_ok();
        is_shown.then_some(shaped)
    }

    /// Returns the offset at which the first statement of a complete suggestion ends.
    ///
    /// This is `text.len()` if there is only one statement, or if code follows on the cursor's line.
    pub fn first_statement(&self, text: &str) -> usize {
        if self.view.is_before_line() {
            return text.len();
        }
        let lines = format!("{text}\n");
        statement::ends(&self.view, &lines, "").map_or(text.len(), |(first, _)| first.min(text.len()))
    }

    /// Returns how much of a suggestion is expected at the cursor.
    pub fn reach(&self) -> Reach {
        if statement::opens_block(&self.view) { Reach::Whole } else { Reach::Statement }
    }

    /// Whether nothing has been received yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the text received so far as it would be shown if the reply ended here.
    pub fn so_far(&self) -> &str {
        let Shaped { text, as_written, .. } = self.shaped();
        as_written.as_deref().unwrap_or(text)
    }

    fn shaped(&self) -> &Shaped {
        self.shaped.get_or_init(|| shape(&self.view, &self.text))
    }

    /// Ends the stream and returns the text unfiltered.
    ///
    /// For a text made for this position, which has none of a model's habits.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the text adds an invisible character.
    pub fn finish_as_is(&self) -> Result<&str, Refusal> {
        self.invisible(&self.text)?;
        Ok(&self.text)
    }

    /// Returns the prefixes of an unfinished first line that can be shown, longest first.
    ///
    /// For when the line's end cannot be awaited. Each prefix ends after a whole word or a punctuation
    /// character. The prefixes have not been parsed.
    pub fn beginnings(&self) -> Vec<String> {
        let text = self.text.as_str();
        // A prefix of prose or of a loop is one too, even if it does not look like it.
        let is_of_use = !self.view.is_before_line()
            && !artifacts::is_talk(&self.view, text)
            && !repetition::is_loop(text.trim_end());
        if !is_of_use {
            return Vec::new();
        }
        let is_part = |at: usize| text[at..].starts_with(ident::is_part);
        // A word at the very end may be incomplete.
        let is_end = |at: &usize| {
            let last = text[..*at].chars().next_back().filter(|last| !last.is_whitespace());
            last.is_some_and(|last| !ident::is_part(last) || *at < text.len() && !is_part(*at))
        };
        let ends = (1..=text.len()).rev().filter(|at| text.is_char_boundary(*at)).filter(is_end);
        let shaped = ends.take(MOST_BEGINNINGS).map(|end| shape(&self.view, &text[..end]).longest());
        let mut beginnings: Vec<String> =
            shaped.filter(|text| ident::has_part(text) && self.invisible(text).is_ok()).collect();
        beginnings.dedup();
        beginnings
    }

    /// Ends the stream and returns the text to show, empty if the model replied that there is nothing to add.
    ///
    /// `complete` distinguishes a model's natural stop from an interrupted stream, whose half-written last
    /// line is left out.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if nothing worth showing is left.
    pub fn finish(&self, complete: bool) -> Result<String, Refusal> {
        let text = self.received(complete);
        // The marker with which a model reports that it has nothing to add.
        if artifacts::is_marker(&self.view, text) {
            return Ok(String::new());
        }
        if text.trim().is_empty() {
            return Err(match self.text.trim() {
                "" => Refusal::Empty,
                line if repetition::is_loop(line) => Refusal::Repetition,
                _ => Refusal::Truncated { inside: "its first line" },
            });
        }
        if artifacts::is_talk(&self.view, text) {
            return Err(Refusal::Prose);
        }
        let shaped = match text.len() == self.text.len() {
            true => self.shaped().text.clone(),
            false => shape(&self.view, text).text,
        };
        if repetition::is_loop(&shaped) {
            return Err(Refusal::Repetition);
        }
        if !is_worth_showing(&shaped) {
            return Err(nothing_left(&self.view, text));
        }
        self.invisible(&shaped)?;
        Ok(shaped)
    }

    /// Returns the longer text that [`Self::finish`] cut at a sign which may close no bracket, if it did.
    ///
    /// It is right if it leaves no syntax error.
    pub fn as_written(&self, complete: bool) -> Option<String> {
        let text = self.received(complete);
        let as_written = match text.len() == self.text.len() {
            true => self.shaped().as_written.clone(),
            false => shape(&self.view, text).as_written,
        };
        as_written.filter(|text| {
            !artifacts::is_talk(&self.view, text)
                && !repetition::is_loop(text)
                && is_worth_showing(text)
                && self.invisible(text).is_ok()
        })
    }

    /// Whether the limit of lines cut the text, which may thus end inside of a construct.
    pub fn is_capped(&self) -> bool {
        self.shaped().is_capped
    }

    /// The part of the text that counts when the stream has ended.
    fn received(&self, complete: bool) -> &str {
        match complete || self.ended {
            true => &self.text,
            false => &self.text[..self.text.rfind('\n').unwrap_or(0)],
        }
    }
}

/// Whether a text has a letter or a digit, or more than one visible character: editors add single brackets themselves.
fn is_worth_showing(text: &str) -> bool {
    ident::has_part(text) || text.chars().filter(|letter| !letter.is_whitespace()).nth(1).is_some()
}

/// Returns the reason why the filters leave nothing of a reply.
fn nothing_left(view: &View<'_>, text: &str) -> Refusal {
    let (text, _) = artifacts::clean(view, text);
    let fitted = indent::fit(view, echo::skip(view, text));
    let is_cut = |end: usize| !is_worth_showing(&fitted[..end]);
    let closes = || closers::first(view, &fitted, true).is_some_and(|it| is_cut(it.at));
    match () {
        () if !is_worth_showing(text) => Refusal::Empty,
        () if is_worth_showing(&fitted) && (closes() || is_cut(scope::end(view, &fitted))) => {
            Refusal::ClosesAgain
        }
        () => Refusal::NothingNew,
    }
}

/// A text after filtering.
struct Shaped {
    text: String,
    /// Whether a filter found the end.
    is_ended: bool,
    /// The text beyond a sign at which it is cut although that may close no bracket.
    as_written: Option<String>,
    /// Whether the limit of lines cut it.
    is_capped: bool,
}

impl Shaped {
    fn longest(self) -> String {
        self.as_written.unwrap_or(self.text)
    }
}

/// Runs the filters over the text received so far.
fn shape(view: &View<'_>, text: &str) -> Shaped {
    let (text, is_ended) = artifacts::clean(view, text);
    let text = echo::skip(view, text);
    let whole = indent::fit(view, text);
    let cut_at = |closer: Option<usize>| {
        let mut text = whole[..closer.unwrap_or(whole.len())].to_owned();
        let (mut is_ended, mut is_capped) = (closer.is_some(), false);
        for end in [scope::end, suffix::end, repetition::end, lines::end] {
            let at = end(view, &text);
            is_capped = at < text.len();
            is_ended |= is_capped;
            text.truncate(at);
        }
        let kept = text.trim_end().len();
        let tail = view.tail(&whole[kept..], &text[kept..]);
        text.truncate(kept);
        Shaped { text: text + &tail, is_ended, is_capped, as_written: None }
    };
    let closer = closers::first(view, &whole, true);
    let mut shaped = cut_at(closer.as_ref().map(|it| it.at));
    if closer.is_some_and(|it| it.is_doubtful) {
        let as_written = cut_at(closers::first(view, &whole, false).map(|it| it.at));
        // What was cut may not be the end.
        (shaped.is_ended, shaped.is_capped) = (as_written.is_ended, as_written.is_capped);
        shaped.as_written = Some(as_written.text).filter(|it| *it != shaped.text);
    }
    shaped.is_ended |= is_ended;
    shaped
}

#[cfg(test)]
mod tests;
