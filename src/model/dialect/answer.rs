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
//! Events that name another response than the one that began belong to an older one, and are passed over. A
//! second response that begins means that one of the two was not asked for ([`Output::Stray`]).

use std::hash::{DefaultHasher, Hasher as _};

use super::event::{Event, Frame, ItemKey, Message};
use crate::model::Usage;
use crate::model::error_kind::Refusal;
use crate::model::limits::MESSAGES;
use crate::model::quota::Pool;

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
    Quotas(Vec<Pool>),
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
        match event {
            Event::Created { model, nonce } if !self.begun => {
                (self.begun, self.id) = (true, response);
                out(Output::Begun { model, nonce });
            }
            Event::Created { .. } if response.is_some() && response == self.id => {}
            Event::Created { nonce, .. } => out(Output::Stray { nonce }),
            Event::Message(_) | Event::Delta { .. } | Event::Completed { .. } if is_early || is_other => {
                tracing::trace!("an event of an older response");
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
            Event::Other => {}
        }
    }

    /// The message that counts as the answer for now.
    fn answer(&self) -> Option<&Known> {
        self.messages.iter().rev().find(|it| !it.is_commentary)
    }

    /// A message began, ended, or was labelled.
    fn message(&mut self, message: Message, out: &mut impl FnMut(Output)) {
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
    fn push(&mut self, message: Message, out: &mut impl FnMut(Output)) -> bool {
        if self.messages.len() >= MESSAGES {
            out(Output::Failed(Refusal::invalid("the response has too many messages".to_owned())));
            return false;
        }
        let is_behind =
            |it: &Known| matches!((it.key.index, message.key.index), (Some(it), Some(new)) if it > new);
        let at = self.messages.iter().position(is_behind).unwrap_or(self.messages.len());
        let Message { key, is_commentary } = message;
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
            if !self.push(Message { key: of, is_commentary: false }, out) {
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
        messages: Vec<(Message, String)>,
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
            None if self.answer().is_some_and(|answer| answer.is_cut) => {
                Err(Refusal::invalid("the beginning of its answer came out of order".to_owned()))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::event;
    use super::*;

    /// The events of a response, one a line, and what is shown of them: text as it is,
    /// `<` where it is taken back.
    fn check(events: &[&str], expected: &str) {
        for of_socket in [true, false] {
            let mut assembly = if of_socket { Assembly::of_socket() } else { Assembly::default() };
            let mut shown = String::new();
            for text in events {
                let frame = event::read(&expand(text)).unwrap();
                assembly.take(frame, |output| match output {
                    Output::Text(text) => shown.push_str(&text),
                    Output::Restart => shown.push('<'),
                    Output::Done(_) => shown.push('|'),
                    Output::Failed(refusal) => shown.push_str(&format!("!{}", refusal.message)),
                    Output::Stray { .. } => shown.push('?'),
                    Output::Begun { .. } | Output::Serves { .. } | Output::Quotas(_) => {}
                });
            }
            assert_eq!(shown, expected, "{events:#?}");
        }
    }

    /// Short forms of events: `created r`, `added 0 a commentary`, `delta 0 a text`,
    /// `done …`, `completed r a:text b:…`.
    fn expand(text: &str) -> String {
        let mut words = text.split(' ');
        let mut word = || words.next().unwrap_or_default();
        let kind = word();
        let index = |word: &str| word.parse::<u64>().map_or("null".to_owned(), |it| it.to_string());
        match kind {
            "created" => format!(r#"{{"type":"response.created","response":{{"id":"{}"}}}}"#, word()),
            "added" | "done" => {
                let (at, id, phase) = (index(word()), word(), word());
                let phase = if phase.is_empty() { "null".to_owned() } else { format!("\"{phase}\"") };
                format!(
                    r#"{{"type":"response.output_item.{kind}","output_index":{at},"item":{{"type":"message","id":"{id}","phase":{phase}}}}}"#
                )
            }
            "thought" => format!(
                r#"{{"type":"response.output_item.added","output_index":{},"item":{{"type":"reasoning","id":"{}"}}}}"#,
                word(),
                word()
            ),
            "delta" => match (index(word()), word(), word()) {
                (at, "-", text) => {
                    format!(r#"{{"type":"response.output_text.delta","output_index":{at},"delta":"{text}"}}"#)
                }
                (at, id, text) => format!(
                    r#"{{"type":"response.output_text.delta","output_index":{at},"item_id":"{id}","delta":"{text}"}}"#
                ),
            },
            "completed" => {
                let id = word();
                let items = words.map(|item| {
                    let (name, text) = item.split_once(':').unwrap();
                    let (name, phase) = match name.strip_suffix('*') {
                        Some(name) => (name, "\"commentary\""),
                        None => (name, "null"),
                    };
                    format!(
                        r#"{{"type":"message","id":"{name}","phase":{phase},"content":[{{"type":"output_text","text":"{text}"}}]}}"#
                    )
                });
                let items = items.collect::<Vec<_>>().join(",");
                format!(r#"{{"type":"response.completed","response":{{"id":"{id}","output":[{items}]}}}}"#)
            }
            _ => panic!("{text}"),
        }
    }

    #[test]
    fn one_message_is_the_answer() {
        check(
            &["created r", "added 0 a", "delta 0 a x", "delta 0 a y", "done 0 a", "completed r a:xy"],
            "xy|",
        );
        check(&["created r", "delta - - x", "delta - - y", "completed r"], "xy|");
        check(&["created r", "completed r a:xy"], "xy|");
        check(&["created r", "thought 0 t", "added 1 a", "delta 1 a x", "completed r a:x"], "x|");
        // What was streamed is trusted over its repetition, and ids that change with each event mean nothing.
        check(&["created r", "added 0 a", "delta 0 b x", "delta 0 c y", "completed r d:xyz"], "xy|");
    }

    #[test]
    fn commentary_is_passed_over() {
        let said = ["created r", "added 0 c commentary", "delta 0 c no"];
        check(
            &[&said[..], &["added 1 a final_answer", "delta 1 a x", "completed r c*:no a:x"]].concat(),
            "x|",
        );
        check(&[&said[..], &["added 1 a", "delta 1 a x", "delta 0 c no", "completed r"]].concat(), "x|");
        // After the answer, and between its pieces.
        check(
            &[
                "created r",
                "added 0 a final_answer",
                "delta 0 a x",
                "added 1 c commentary",
                "delta 1 c no",
                "delta 0 a y",
            ],
            "xy",
        );
        check(&[&said[..], &["completed r c*:no"]].concat(), "|");
        // A phase of tomorrow.
        check(&["created r", "added 0 p plan", "delta 0 p no", "added 1 a", "delta 1 a x"], "x");
    }

    #[test]
    fn a_message_before_the_last_is_taken_back() {
        check(
            &[
                "created r",
                "added 0 a",
                "delta 0 a no",
                "added 1 b",
                "delta 1 b x",
                "delta 0 a no",
                "completed r a:no b:x",
            ],
            "no<x|",
        );
        check(&["created r", "delta 0 a no", "delta 1 b x", "delta 0 a no", "delta 1 b y"], "no<xy");
        check(
            &["created r", "added - a", "delta - a no", "added - b", "delta - a no", "delta - b x"],
            "no<x",
        );
        check(&["created r", "added 0 a", "delta 0 a no", "completed r a:no b:x"], "no<x|");
        check(&["created r", "completed r a:no b:x"], "x|");
    }

    #[test]
    fn a_message_that_turns_out_to_be_commentary_is_taken_back() {
        check(&["created r", "added 0 a", "delta 0 a no", "done 0 a commentary"], "no<");
        check(
            &["created r", "added 0 a", "delta 0 a no", "done 0 a commentary", "added 1 b", "delta 1 b x"],
            "no<x",
        );
        check(&["created r", "delta 0 a no", "completed r a*:no"], "no<|");
    }

    #[test]
    fn a_message_that_comes_late_keeps_its_place() {
        check(&["created r", "added 1 b", "delta 1 b x", "added 0 a", "delta 0 a no", "delta 1 b y"], "xy");
    }

    #[test]
    fn events_of_an_older_response_are_passed_over() {
        check(&["created r", "delta 0 a x", "completed old z:no", "completed r a:x"], "x|");
        check(&["created r", "delta 0 a x", "created other"], "x?");
        check(&["created r", "created r", "delta 0 a x"], "x");
    }

    #[test]
    fn messages_without_bound_are_refused() {
        let mut events = vec!["created r".to_owned()];
        events.extend((0..=MESSAGES).map(|at| format!("added {at} m{at} commentary")));
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        check(&events, "!the response has too many messages");
    }

    /// Events of messages whose every piece of text is told apart: `a0a1a2` are the
    /// pieces of message 0.
    fn events() -> impl Strategy<Value = Vec<String>> {
        let step = (0..10_u8, 0..4_usize, 0..3_usize);
        (prop::collection::vec(step, 0..40), 0..3_u8).prop_map(|(steps, form)| {
            let mut said = [0; 4];
            let step = |(kind, at, phase): (u8, usize, usize)| {
                let name = ["a", "b", "c", "d"][at];
                let phase = ["", " commentary", " final_answer"][phase];
                let (index, id) = match form {
                    0 => (at.to_string(), name),
                    1 => (at.to_string(), "-"),
                    _ => ("-".to_owned(), name),
                };
                match kind {
                    0 | 1 => format!("added {at} {name}{phase}"),
                    2 => format!("done {at} {name}{phase}"),
                    3 => format!("thought {at} t"),
                    4 => "created r".to_owned(),
                    5 => "completed old d:no".to_owned(),
                    _ => {
                        said[at] += 1;
                        format!("delta {index} {id} {name}{}", said[at] - 1)
                    }
                }
            };
            steps.into_iter().map(step).collect()
        })
    }

    proptest! {
        #[test]
        fn the_answer_is_the_text_of_one_message_from_its_beginning(events in events(), repeats in any::<bool>()) {
            let mut assembly = Assembly::of_socket();
            let (mut shown, mut is_done, mut longest) = (String::new(), false, 0);
            let end = if repeats { "completed r a:a* b:b* c:c* d:d*" } else { "completed r" };
            let begin = "created r".to_owned();
            for text in [&begin].into_iter().chain(&events).map(String::as_str).chain([end]) {
                assembly.take(event::read(&expand(text)).unwrap(), |output| match output {
                    Output::Text(text) => shown.push_str(&text),
                    Output::Restart => shown.clear(),
                    Output::Done(_) => is_done = true,
                    _ => {}
                });
                longest = longest.max(assembly.messages.len());
                // At any time, and not at the end alone.
                let name = shown.chars().next();
                let pieces: String = (0..).map_while(|at| name.map(|name| format!("{name}{at}"))).take(50).collect();
                let is_whole = name.is_some_and(|name| shown == format!("{name}*"));
                prop_assert!(pieces.starts_with(&shown) || is_whole, "{shown:?} after {text} of {events:#?}");
            }
            prop_assert!(longest <= MESSAGES);
            prop_assert!(is_done || !repeats);
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200), mut text in ".{0,40}") {
            text.insert_str(0, "{\"type\":\"response.");
            for text in [String::from_utf8_lossy(&bytes).into_owned(), text] {
                let mut assembly = Assembly::default();
                if let Ok(frame) = event::read(&text) {
                    assembly.take(frame, |_| ());
                }
            }
        }
    }
}
