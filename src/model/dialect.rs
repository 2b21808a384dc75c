//! One request in the form of each API: the body to send, and the reader of the reply.
//!
//! Strict in writing, lenient in reading: every key that is sent is in the API's public schema, and
//! only the text is required in a reply.

pub(super) mod answer;
mod body;
pub(super) mod chat;
pub(super) mod choice;
mod edit;
pub(super) mod event;
pub(super) mod fim;
pub(super) mod messages;
pub(super) mod responses;

use super::error_kind::{ErrorKind, Refusal};
use super::fields::Fields;
use super::{Request, Usage};
use crate::config::{EditDialect, Endpoint, FimDialect, Wire};
use answer::{Assembly, Output};

/// The API of an HTTP endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Responses,
    Chat,
    Messages,
    Fim(FimDialect),
    Edit(EditDialect),
}

impl Dialect {
    /// The dialect of a wire over HTTP.
    pub(super) fn of(wire: Wire) -> Self {
        match wire {
            Wire::ResponsesWebsocket | Wire::ResponsesSse => Self::Responses,
            Wire::Chat => Self::Chat,
            Wire::Anthropic => Self::Messages,
            Wire::Fim(dialect) => Self::Fim(dialect),
            // A language server is not asked over HTTP.
            Wire::Lsp => Self::Fim(FimDialect::default()),
        }
    }

    /// The edit dialect, for models that were trained to predict edits.
    pub(super) fn of_edits(self) -> Option<EditDialect> {
        if let Self::Edit(dialect) = self { Some(dialect) } else { None }
    }

    /// The URL to post to. It may contain a key.
    pub(super) fn url(self, endpoint: &Endpoint) -> String {
        let path = match self {
            Self::Responses => "/responses",
            Self::Chat => "/chat/completions",
            Self::Messages => "/messages",
            Self::Fim(FimDialect::Completions | FimDialect::Continuation) => "/completions",
            Self::Edit(dialect) => edit::path(dialect),
            Self::Fim(FimDialect::Mistral) => "/fim/completions",
            Self::Fim(FimDialect::Infill) => {
                // llama.cpp serves it beside `/v1`, not below it; both spellings of the base are common.
                let base_url = endpoint.base_url.strip_suffix("/v1").unwrap_or(&endpoint.base_url).to_owned();
                return Endpoint { base_url, ..endpoint.clone() }.url("/infill").expose().to_owned();
            }
        };
        endpoint.url(path).expose().to_owned()
    }

    /// Builds the body of `request`.
    pub(super) fn body(
        self,
        endpoint: &Endpoint,
        fields: &Fields,
        request: &Request,
    ) -> Result<Vec<u8>, Refusal> {
        match self {
            Self::Edit(_) => edit::body(endpoint, fields, request),
            Self::Responses | Self::Chat | Self::Messages if endpoint.edit_dialect.is_some() => {
                Err(Refusal::invalid("this model only predicts edits; list another one behind it".to_owned()))
            }
            Self::Responses => responses::body(endpoint, fields, request),
            Self::Chat => chat::body(endpoint, fields, request),
            Self::Messages => messages::body(endpoint, fields, request),
            Self::Fim(dialect) => match &request.fim {
                Some(fim) => fim::body(dialect, endpoint, fields, request, fim),
                None => Err(Refusal::invalid("this endpoint only completes code at a cursor".to_owned())),
            },
        }
    }

    /// The dialect of fill-in-the-middle requests; `None` for dialects that take instructions.
    pub(super) fn of_code(self) -> Option<FimDialect> {
        if let Self::Fim(dialect) = self { Some(dialect) } else { None }
    }

    /// Creates a reader for one answer.
    pub(super) fn reader(self) -> Reading {
        let answer = match self {
            Self::Responses => Answer::Response(Assembly::default()),
            Self::Messages => Answer::Message(messages::MessagesAnswer::default()),
            Self::Chat | Self::Fim(_) | Self::Edit(_) => Answer::Chunks(chat::Ending::default()),
        };
        Reading { answer, ended: false }
    }
}

/// An answer that is being read.
#[derive(Debug)]
pub(super) struct Reading {
    answer: Answer,
    ended: bool,
}

/// The state of an answer, by the kind of its events.
#[derive(Debug)]
enum Answer {
    Response(Assembly),
    Message(messages::MessagesAnswer),
    Chunks(chat::Ending),
}

impl Reading {
    /// Reads the data of one event and passes its outputs to `out`.
    pub(super) fn take(&mut self, data: &[u8], mut out: impl FnMut(Output)) {
        let text = String::from_utf8_lossy(data);
        let text = text.trim();
        if self.ended || text.is_empty() {
            return;
        }
        let ended = &mut self.ended;
        let mut emit = |output: Output| {
            if !*ended {
                *ended = matches!(output, Output::Done(_) | Output::Failed(_));
                out(output);
            }
        };
        if text == "[DONE]" {
            match &mut self.answer {
                // It adds nothing to the events of a response.
                Answer::Response(_) => {}
                Answer::Message(message) => message.marked().into_iter().for_each(emit),
                Answer::Chunks(chunks) => chunks.done().into_iter().for_each(emit),
            }
            return;
        }
        let read = match &mut self.answer {
            Answer::Response(response) => event::read(text).map(|frame| response.take(frame, &mut emit)),
            Answer::Message(message) => {
                serde_json::from_str(text).map(|event| message.read(&event, &mut emit))
            }
            Answer::Chunks(chunks) => serde_json::from_str(text)
                .map(|value| chunks.read(&value).into_iter().flatten().for_each(&mut emit)),
        };
        if let Err(error) = read {
            tracing::debug!(%error, bytes = text.len(), "data that is no event");
            // A damaged event may have had text, without which the rest is another answer.
            if text.starts_with('{') {
                let why = "the server sent an event that cannot be read".to_owned();
                emit(Output::Failed(Refusal::of(ErrorKind::ServerError, why)));
            }
        }
    }

    /// The tokens, as far as the server has reported them yet.
    pub(super) fn so_far(&self) -> Usage {
        match &self.answer {
            Answer::Response(_) => Usage::default(),
            Answer::Message(message) => message.so_far(),
            Answer::Chunks(chunks) => chunks.so_far(),
        }
    }

    /// Whether the end of the answer was announced: what may still come is no text.
    pub(super) fn is_announced(&self) -> bool {
        match &self.answer {
            Answer::Response(_) => false,
            Answer::Message(message) => message.is_announced(),
            Answer::Chunks(chunks) => chunks.is_announced(),
        }
    }

    /// Handles the end of the body. Returns the end of the answer if it was announced before.
    pub(super) fn end(mut self) -> Option<Output> {
        match &mut self.answer {
            _ if self.ended => None,
            Answer::Response(_) => None,
            Answer::Message(message) => message.take(),
            Answer::Chunks(chunks) => chunks.take(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_when_the_server_says_so() {
        let check = |chunks: &[&str], expected: &str| {
            let mut reading = Dialect::Chat.reader();
            let mut words = Vec::new();
            let word = |output: Output| match output {
                Output::Text(text) => text,
                Output::Done(usage) if usage.truncated => "cut".to_owned(),
                Output::Done(_) => "end".to_owned(),
                Output::Failed(_) => "failed".to_owned(),
                _ => "other".to_owned(),
            };
            for chunk in chunks {
                reading.take(chunk.as_bytes(), |event| words.push(word(event)));
            }
            words.extend(reading.end().map(word));
            assert_eq!(words.join(" "), expected, "{chunks:?}");
        };
        let text = r#"{"choices":[{"delta":{"content":"a"},"finish_reason":""}]}"#;
        let end = |reason: &str| format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#);
        check(&[text, &end("stop"), "[DONE]"], "a end");
        check(&[text, &end("length")], "a cut");
        check(&[text, "[DONE]"], "a end");
        check(&[text], "a");
        check(&[text, "a comment", "[DONE]"], "a end");
        check(&[text, "{\"choices\":[", text, "[DONE]"], "a failed");
    }
}
