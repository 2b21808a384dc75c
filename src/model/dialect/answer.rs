//! Which text of a response is its answer.
//!
//! A response has several items: thoughts, and one message or more. Newer models say in a message's `phase`
//! whether it is `commentary` or the `final_answer`, and they say so when the message begins
//! (`response.output_item.added`), before its first text. Older models and some gateways name no phase. So:
//!
//! * The answer is the last message that is not commentary. Text of commentary is passed over.
//! * A message without a phase counts as the answer as soon as it begins, since it nearly always is the only
//!   one: holding it back would cost every request of most servers its streaming. If another message begins
//!   after it, or its end labels it as commentary, what was handed on is taken back ([`Output::Restart`]).
//! * Text of any other message is passed over, whenever it comes. A message of which some was passed over, or
//!   taken back, is not streamed any more, should it become the answer after all: only its repetition at the
//!   end is whole.
//! * The end of a response repeats its messages. They settle which one is the answer; the text that was
//!   streamed of it is trusted over its repetition.
//!
//! Events that name another response than the one that began belong to an older one, and are passed over. So are
//! those that come before it began, and from then on all that is said of the same items: text never begins in the
//! middle of an item. A second response that begins means that one of the two was not asked for
//! ([`Output::Stray`]).

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher as _};

use super::event::{Event, Frame, ItemKey, MessageItem};
use crate::model::Usage;
use crate::model::error_kind::Refusal;
use crate::model::limits::MESSAGES;
use crate::model::quota::QuotaPool;

/// What an event means for the answer.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::model) enum Output {
    /// The response has begun.
    Begun { model: Option<String>, nonce: Option<String> },
    /// More text of the answer.
    Text(String),
    /// The text so far is not the answer.
    Restart,
    /// The natural end.
    Done(Usage),
    /// The request was refused, or failed on the way.
    Failed(Refusal),
    /// Another response began than the one that is being read.
    Stray { nonce: Option<String> },
    /// The server names the model that serves.
    Serves { model: String },
    /// The server says how much of its quotas is used.
    Quotas(Vec<QuotaPool>),
}

/// Puts one answer together from the events of a response, in whatever order they come.
#[derive(Debug, Default)]
pub(in crate::model) struct Assembly {
    /// Whether what comes before `response.created` is the tail of an older response, as
    /// on a socket.
    needs_beginning: bool,
    begun: bool,
    /// The response's id, once it is known.
    id: Option<String>,
    /// The messages in the order of the output.
    messages: Vec<Known>,
    /// The ids of the last items of which something was passed over as an older response's.
    older: VecDeque<u64>,
    /// Whether text of such an item came after the response began.
    has_older_text: bool,
    shown: Shown,
}

/// A message that was seen.
#[derive(Debug)]
struct Known {
    key: ItemKey,
    is_commentary: bool,
    /// Whether some of its text was passed over, or taken back.
    is_cut: bool,
}

/// What was handed on as the answer's text, without keeping it.
#[derive(Debug, Clone, Default)]
struct Shown {
    bytes: usize,
    hash: DefaultHasher,
    /// The message that it belongs to.
    of: ItemKey,
}

impl Shown {
    fn is(&self, text: &str) -> bool {
        let mut hash = DefaultHasher::new();
        hash.write(text.as_bytes());
        self.bytes == text.len() && self.hash.finish() == hash.finish()
    }
}

impl Assembly {
    /// For a response on a socket, where older ones may still be ending.
    pub(in crate::model) fn of_socket() -> Self {
        Self { needs_beginning: true, ..Self::default() }
    }

    /// Takes an event, and gives `out` what it means for the answer.
    pub(in crate::model) fn take(&mut self, frame: Frame, mut out: impl FnMut(Output)) {
        let Frame { response, event, .. } = frame;
        let is_other = matches!((&response, &self.id), (Some(it), Some(ours)) if it != ours);
        let is_early = self.needs_beginning && !self.begun;
        let item = match &event {
            Event::Message(MessageItem { key, .. }) | Event::Delta { of: key, .. } => key.id,
            _ => None,
        };
        let is_older = is_early || is_other || item.is_some_and(|id| self.older.contains(&id));
        match event {
            Event::Created { model, nonce } if !self.begun => {
                (self.begun, self.id) = (true, response);
                out(Output::Begun { model, nonce });
            }
            Event::Created { .. } if response.is_some() && response == self.id => {}
            Event::Created { nonce, .. } => out(Output::Stray { nonce }),
            Event::Message(_) | Event::Delta { .. } | Event::Completed { .. } if is_older => {
                tracing::trace!("an event of an older response");
                self.has_older_text |= !is_early && !is_other && matches!(event, Event::Delta { .. });
                item.into_iter().for_each(|id| self.pass_over(id));
            }
            Event::Failed(_) if is_other => tracing::trace!("the failure of an older response"),
            Event::Message(message) => self.message(message, &mut out),
            Event::Delta { of, text } => self.delta(of, text, &mut out),
            Event::Completed { usage, messages } => match self.settle(messages, &mut out) {
                Ok(()) => out(Output::Done(usage)),
                Err(refusal) => out(Output::Failed(refusal)),
            },
            Event::Failed(refusal) => out(Output::Failed(refusal)),
            Event::Serves { model } => out(Output::Serves { model }),
            Event::Quotas(pools) => out(Output::Quotas(pools)),
            Event::Other => tracing::trace!("an event passed over"),
        }
    }

    /// Notes that something was passed over of an item that is not this response's.
    ///
    /// An item without an id cannot be told from those that follow.
    fn pass_over(&mut self, id: u64) {
        let is_ours = self.messages.iter().any(|it| it.key.id == Some(id));
        if is_ours || self.older.contains(&id) {
            return;
        }
        if self.older.len() == MESSAGES {
            self.older.pop_front();
        }
        self.older.push_back(id);
    }

    /// The message that counts as the answer for now.
    fn answer(&self) -> Option<&Known> {
        self.messages.iter().rev().find(|it| !it.is_commentary)
    }

    /// A message began, ended, or was labelled.
    fn message(&mut self, message: MessageItem, out: &mut impl FnMut(Output)) {
        let known = self.messages.iter_mut().rev().find(|it| it.key.fits(message.key));
        let is_taken = match known {
            Some(known) => {
                // Its end may leave out what its beginning said.
                known.is_commentary |= message.is_commentary;
                true
            }
            None => self.push(message, out),
        };
        if is_taken {
            self.take_back(out);
        }
    }

    /// Adds a message that was not seen before: where its place in the output says, else
    /// behind the others.
    fn push(&mut self, message: MessageItem, out: &mut impl FnMut(Output)) -> bool {
        if self.messages.len() >= MESSAGES {
            out(Output::Failed(Refusal::invalid("the response has too many messages".to_owned())));
            return false;
        }
        let is_behind =
            |it: &Known| matches!((it.key.index, message.key.index), (Some(it), Some(new)) if it > new);
        let at = self.messages.iter().position(is_behind).unwrap_or(self.messages.len());
        let MessageItem { key, is_commentary } = message;
        self.messages.insert(at, Known { key, is_commentary, is_cut: false });
        true
    }

    /// Takes back what was handed on if it is not the answer's.
    fn take_back(&mut self, out: &mut impl FnMut(Output)) {
        let is_answers = self.answer().is_some_and(|answer| answer.key.fits(self.shown.of));
        if !is_answers {
            self.restart(out);
        }
    }

    /// Takes back what was handed on.
    fn restart(&mut self, out: &mut impl FnMut(Output)) {
        let shown = std::mem::take(&mut self.shown);
        if shown.bytes > 0 {
            self.messages.iter_mut().filter(|it| it.key.fits(shown.of)).for_each(|it| it.is_cut = true);
            out(Output::Restart);
        }
    }

    fn delta(&mut self, of: ItemKey, text: String, out: &mut impl FnMut(Output)) {
        if text.is_empty() {
            return;
        }
        // A key that says nothing means the last message, whatever its phase.
        let of = if of == ItemKey::default() { self.messages.last().map_or(of, |it| it.key) } else { of };
        if !self.messages.iter().any(|it| it.key.fits(of)) {
            // Some servers do not announce their messages.
            if !self.push(MessageItem { key: of, is_commentary: false }, out) {
                return;
            }
            self.take_back(out);
        }
        match self.answer() {
            Some(answer) if answer.key.fits(of) && !answer.is_cut => self.show(answer.key, text, out),
            _ => {
                tracing::trace!(bytes = text.len(), "text that is not the answer");
                self.messages.iter_mut().filter(|it| it.key.fits(of)).for_each(|it| it.is_cut = true);
            }
        }
    }

    fn show(&mut self, of: ItemKey, text: String, out: &mut impl FnMut(Output)) {
        self.shown.bytes += text.len();
        self.shown.hash.write(text.as_bytes());
        self.shown.of = of;
        out(Output::Text(text));
    }

    /// The response has ended, and repeats its messages.
    ///
    /// # Errors
    ///
    /// The answer was not handed on as a whole, and it is not repeated.
    fn settle(
        &mut self,
        messages: Vec<(MessageItem, String)>,
        out: &mut impl FnMut(Output),
    ) -> Result<(), Refusal> {
        if !messages.is_empty() && messages.iter().all(|(message, _)| message.is_commentary) {
            self.restart(out);
            return Ok(());
        }
        let answers =
            messages.into_iter().filter(|(message, text)| !message.is_commentary && !text.is_empty());
        let mut answers: Vec<_> = answers.collect();
        let is_only = answers.len() == 1 && self.messages.iter().filter(|it| !it.is_commentary).count() == 1;
        match answers.pop() {
            Some((message, text)) => {
                let is_shown = is_only || message.key.fits(self.shown.of) || self.shown.is(&text);
                if self.shown.bytes == 0 || !is_shown {
                    self.restart(out);
                    self.show(message.key, text, out);
                }
                Ok(())
            }
            None if self.answer().map_or(self.has_older_text, |answer| answer.is_cut) => {
                Err(Refusal::invalid("the beginning of its answer came out of order".to_owned()))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
