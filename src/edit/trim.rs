//! Makes ghost text of what a model streams: a chain of small filters, one file each.
//!
//! A completion model writes too much rather than too little: it repeats what stands around the cursor,
//! closes blocks that are closed already, and goes on into the next function. Each filter knows one such
//! habit and says where the useful text ends. They look at a window around the cursor only, and parse
//! nothing, for they run while the text streams in; [`sound`] asks a parser about what they leave.

mod artifacts;
mod closers;
mod echo;
mod indent;
mod lexer;
mod lines;
mod measure;
mod open_brackets;
mod place;
mod repetition;
mod scope;
mod statement;
mod style;
mod suffix;
mod syntax;
mod view;

use std::ops::ControlFlow;
use std::sync::OnceLock;

use measure::has_word;
pub use place::Place;
pub use syntax::sound;
use view::View;

use crate::text::{floor_boundary, ident};

use super::normalize::NO_EDITS;
use super::{Edit, Refusal, check, line};

/// The most that is read of one suggestion (bytes).
const MAX_BYTES: usize = 16 * 1024;

/// Beginnings of a line that are tried when its end cannot be waited for.
const MOST_BEGINNINGS: usize = 16;

/// How much of a suggestion is to be shown at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Its first statement.
    Statement,
    /// All of it, or all of its statements that are there.
    Whole,
}

/// A suggestion as it streams in.
pub struct Ghost<'a> {
    view: View<'a>,
    text: String,
    /// All of the text, as the filters leave it.
    shaped: OnceLock<Shaped>,
    ended: bool,
    allow_invisible: bool,
}

impl<'a> Ghost<'a> {
    /// Starts an empty suggestion at a place.
    pub fn new(place: Place<'a>) -> Self {
        Self {
            view: View::new(place),
            text: String::new(),
            shaped: OnceLock::new(),
            ended: false,
            allow_invisible: false,
        }
    }

    /// Says whether it may bring in signs that cannot be seen; it may not if nothing is said.
    #[must_use]
    pub fn allowing_invisible(self, allow_invisible: bool) -> Self {
        Self { allow_invisible, ..self }
    }

    /// Refuses a text that brings a sign which cannot be seen.
    ///
    /// The cursor's line and what is below it count.
    fn invisible(&self, text: &str) -> Result<(), Refusal> {
        if self.allow_invisible {
            return Ok(());
        }
        let line = [self.view.prefix, self.view.rest].concat();
        let at = self.view.prefix.len();
        check::invisible(&line, &[Edit::new(at..at, text)])
    }

    /// Takes the next piece of the stream.
    ///
    /// `Break` says that nothing after it can matter, so the stream may be dropped; what is pushed later is
    /// ignored.
    pub fn push(&mut self, chunk: &str) -> ControlFlow<()> {
        if self.ended {
            return ControlFlow::Break(());
        }
        // Only whole lines are judged, one after the other, so that the verdict does not depend on where the
        // stream was split.
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

    /// What can be shown of it before the rest has come: whole statements.
    ///
    /// `None` if what is still to come can change them all.
    pub fn unit(&self, reach: Reach) -> Option<String> {
        // Its last line end is not known before its end.
        if self.view.is_before_line() {
            return None;
        }
        let whole = self.text.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let (lines, ahead) = self.text.split_at(whole);
        if line::is_blank(lines) || artifacts::is_talk(&self.view, lines) {
            return None;
        }
        let mut shaped = shape(&self.view, lines).text;
        // What was cut off stood between these lines and what is ahead.
        let is_cut = shaped.trim_end().len() < lines.trim_end().len();
        shaped.push('\n');
        let (first, last) = statement::ends(&self.view, &shaped, if is_cut { "" } else { ahead })?;
        shaped.truncate(if reach == Reach::Statement { first } else { last });
        let is_shown = !repetition::is_loop(&shaped) && has_word(&shaped) && self.invisible(&shaped).is_ok();
        is_shown.then_some(shaped)
    }

    /// Where the first statement ends of a suggestion that is whole.
    ///
    /// Its end if it has only one, or if code follows that its last line end keeps apart.
    pub fn first_statement(&self, text: &str) -> usize {
        if self.view.is_before_line() {
            return text.len();
        }
        let lines = format!("{text}\n");
        statement::ends(&self.view, &lines, "").map_or(text.len(), |(first, _)| first.min(text.len()))
    }

    /// How much of a suggestion is expected here.
    pub fn reach(&self) -> Reach {
        if statement::opens_block(&self.view) { Reach::Whole } else { Reach::Statement }
    }

    /// Whether nothing has come yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Everything that has come, as it would be shown if this were all.
    pub fn so_far(&self) -> &str {
        &self.shaped().text
    }

    fn shaped(&self) -> &Shaped {
        self.shaped.get_or_init(|| shape(&self.view, &self.text))
    }

    /// Ends the stream and returns the text as it came.
    ///
    /// It is for a text that was made for the place, and has no model's habits.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when it brings in what cannot be seen.
    pub fn finish_as_is(self) -> Result<String, Refusal> {
        self.invisible(&self.text)?;
        Ok(self.text)
    }

    /// What can be shown of a first line that is being written, the longest first.
    ///
    /// It is for when the line's end cannot be waited for: beginnings that end behind a whole word or
    /// sign. They were not parsed.
    pub fn beginnings(&self) -> Vec<String> {
        let text = self.text.as_str();
        // What the whole is, its beginnings are, though they may not show it.
        let is_of_use = !self.view.is_before_line()
            && !artifacts::is_talk(&self.view, text)
            && !repetition::is_loop(text.trim_end());
        if !is_of_use {
            return Vec::new();
        }
        let is_part = |at: usize| text[at..].starts_with(ident::is_part);
        // A word at the very end may be half of one.
        let is_end = |at: &usize| {
            let last = text[..*at].chars().next_back().filter(|last| !last.is_whitespace());
            last.is_some_and(|last| !ident::is_part(last) || *at < text.len() && !is_part(*at))
        };
        let ends = (1..=text.len()).rev().filter(|at| text.is_char_boundary(*at)).filter(is_end);
        let shaped = ends.take(MOST_BEGINNINGS).map(|end| shape(&self.view, &text[..end]).text);
        let mut beginnings: Vec<String> =
            shaped.filter(|text| has_word(text) && self.invisible(text).is_ok()).collect();
        beginnings.dedup();
        beginnings
    }

    /// Ends the stream and returns the text to show, empty if the model said that there is none.
    ///
    /// `complete` tells a model's natural stop from a stream that was cut: then the last line is half
    /// written, and is left out.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when nothing worth showing is left.
    pub fn finish(&self, complete: bool) -> Result<String, Refusal> {
        let text = if complete || self.ended {
            self.text.as_str()
        } else {
            &self.text[..self.text.rfind('\n').unwrap_or(0)]
        };
        // The word by which a model says that it has nothing to add.
        if text.trim() == NO_EDITS {
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
            true => self.so_far().to_owned(),
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
}

/// Whether a text has more than one sign.
fn is_worth_showing(text: &str) -> bool {
    text.chars().filter(|letter| !letter.is_whitespace()).nth(1).is_some()
}

/// Why the chain leaves nothing of a reply.
fn nothing_left(view: &View<'_>, text: &str) -> Refusal {
    let (text, _) = artifacts::clean(view, text);
    let fitted = indent::fit(view, echo::skip(view, text));
    let cut = |end: fn(&View<'_>, &str) -> usize| !is_worth_showing(&fitted[..end(view, &fitted)]);
    match () {
        () if !is_worth_showing(text) => Refusal::Empty,
        () if is_worth_showing(&fitted) && (cut(closers::end) || cut(scope::end)) => Refusal::ClosesAgain,
        () => Refusal::NothingNew,
    }
}

/// A text as the filters leave it.
struct Shaped {
    text: String,
    /// Whether one of them found the end.
    is_ended: bool,
}

/// Runs the chain over what has come so far.
fn shape(view: &View<'_>, text: &str) -> Shaped {
    let (text, mut is_ended) = artifacts::clean(view, text);
    let text = echo::skip(view, text);
    let whole = indent::fit(view, text);
    let mut text = whole.clone();
    for end in [closers::end, scope::end, suffix::end, repetition::end, lines::end] {
        let at = end(view, &text);
        is_ended |= at < text.len();
        text.truncate(at);
    }
    let kept = text.trim_end().len();
    let tail = view.tail(&whole[kept..], &text[kept..]);
    text.truncate(kept);
    text.push_str(&tail);
    Shaped { text, is_ended }
}

#[cfg(test)]
mod tests;
