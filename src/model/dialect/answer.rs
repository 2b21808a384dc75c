//! Selects the text of a response that is its answer.
//!
//! A response has several items: reasoning, and one or more messages. With newer models, a message's `phase` states
//! whether it is `commentary` or the `final_answer`, from the beginning of the message on
//! (`response.output_item.added`), before its first text. Older models and some gateways state no phase. Therefore:
//!
//! * The answer is the last message that is not commentary. Text of commentary is skipped.
//! * A message without a phase counts as the answer as soon as it begins, since it nearly always is the only
//!   one: holding it back would disable streaming for most servers. If another message begins after it, or
//!   its end labels it as commentary, the text passed on so far is retracted ([`Output::Restart`]).
//! * Text of any other message is skipped, whenever it arrives. A message that was partly skipped
//!   or retracted is not streamed any more, even if it becomes the answer after all: only its
//!   repetition at the end is complete.
//! * The end of a response repeats its messages. They decide which message is the answer; the
//!   streamed text takes precedence over its repetition.
//!
//! Events that name another response than the one that began belong to an older response and are
//! skipped. So are events that arrive before the response began, and all later events of the same
//! items: text never begins in the middle of an item. If a second response begins, one of the two
//! was not requested ([`Output::Stray`]).

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher as _};

use super::event::{Event, Frame, ItemKey, MessageItem};
use crate::model::Usage;
use crate::model::error_kind::Refusal;
use crate::model::limits::MESSAGES;
use crate::model::quota::QuotaPool;

/// The effect of an event on the answer.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::model) enum Output {
    /// The response has begun.
    Begun { model: Option<String>, nonce: Option<String> },
    /// More text of the answer.
    Text(String),
    /// The text so far is not the answer.
    Restart,
    /// The regular end.
    Done(Usage),
    /// The request was refused, or failed midway.
    Failed(Refusal),
    /// Another response began than the one being read.
    Stray { nonce: Option<String> },
    /// The server names the model that serves.
    Serves { model: String },
    /// The server reports the usage of its quotas.
    Quotas(Vec<QuotaPool>),
}

/// Assembles one answer from the events of a response, in any order.
#[derive(Debug, Default)]
pub(in crate::model) struct Assembly {
    /// Whether events before `response.created` belong to an older response, as on a socket.
    needs_beginning: bool,
    begun: bool,
    /// The response's id, once it is known.
    id: Option<String>,
    /// The messages in output order.
    messages: Vec<Known>,
    /// The ids of the latest items that were skipped as parts of an older response.
    older: VecDeque<u64>,
    /// Whether text of such an item arrived after the response began.
    has_older_text: bool,
    shown: Shown,
}

/// A message that was seen.
#[derive(Debug)]
struct Known {
    key: ItemKey,
    is_commentary: bool,
    /// Whether some of its text was skipped or retracted.
    is_cut: bool,
}

/// Length and hash of the text passed on as the answer, which itself is not kept.
#[derive(Debug, Clone, Default)]
struct Shown {
    bytes: usize,
    hash: DefaultHasher,
    /// The message that the text belongs to.
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
    /// Creates an assembly for a response on a socket, where older responses may still be ending.
    pub(in crate::model) fn of_socket() -> Self {
        Self { needs_beginning: true, ..Self::default() }
    }

    /// Takes an event and passes its effect on the answer to `out`.
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

    /// Records that a part of another response's item was skipped.
    ///
    /// Items without an id cannot be distinguished from those that follow.
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

    /// The message that currently counts as the answer.
    fn answer(&self) -> Option<&Known> {
        self.messages.iter().rev().find(|it| !it.is_commentary)
    }

    /// Handles the beginning, end or labelling of a message.
    fn message(&mut self, message: MessageItem, out: &mut impl FnMut(Output)) {
        let known = self.messages.iter_mut().rev().find(|it| it.key.fits(message.key));
        let is_taken = match known {
            Some(known) => {
                // Its end may omit the phase that its beginning stated.
                known.is_commentary |= message.is_commentary;
                true
            }
            None => self.push(message, out),
        };
        if is_taken {
            self.take_back(out);
        }
    }

    /// Adds a new message at its position in the output, or after the others if it has none.
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

    /// Retracts the text passed on so far if it is not the answer's.
    fn take_back(&mut self, out: &mut impl FnMut(Output)) {
        let is_answers = self.answer().is_some_and(|answer| answer.key.fits(self.shown.of));
        if !is_answers {
            self.restart(out);
        }
    }

    /// Retracts the text passed on so far.
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
        // An empty key refers to the last message, whatever its phase.
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

    /// Handles the end of the response, which repeats its messages. It is an error if the answer was not passed on
    /// completely, and is not repeated.
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
