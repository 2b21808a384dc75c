//! Requests to models trained to predict edits.
//!
//! They are sent as a text to continue, or to Inception's endpoint for edits.

use serde::Serialize;

use super::body::{take, write};
use super::chat::{ChatMessage, ChatStreamOptions};
use super::fim::Completion;
use crate::config::{EditDialect, Endpoint};
use crate::model::Request;
use crate::model::error_kind::Refusal;
use crate::model::fields::{Field, Fields};
use crate::model::request::Form;

/// `/edit/completions`, which takes a single user message and does not stream.
#[derive(Serialize)]
struct Edit<'a> {
    model: &'a str,
    messages: [ChatMessage<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
}

/// The path below the API's base URL.
pub(super) fn path(dialect: EditDialect) -> &'static str {
    match dialect {
        EditDialect::Zeta2 | EditDialect::Zeta21 | EditDialect::Sweep => "/completions",
        EditDialect::Mercury => "/edit/completions",
    }
}

/// Builds the body of `request` in the dialect of the endpoint's model.
pub(super) fn body(endpoint: &Endpoint, fields: &Fields, request: &Request) -> Result<Vec<u8>, Refusal> {
    let Form::Edit(edit) = request.form(endpoint, None) else {
        return Err(Refusal::invalid("this model only predicts edits".to_owned()));
    };
    let (model, text) = (endpoint.model.as_str(), edit.text());
    let max_tokens = take(fields, Field::MaxTokens, fields.output_tokens(request.max_output_tokens));
    match edit.dialect {
        EditDialect::Zeta2 | EditDialect::Zeta21 | EditDialect::Sweep => {
            let stop = (!edit.stop.is_empty()).then_some(edit.stop.as_slice());
            write(
                request,
                &Completion {
                    model,
                    prompt: &text,
                    suffix: None,
                    max_tokens,
                    // Deterministic output: the reply mostly repeats the region.
                    temperature: take(fields, Field::Temperature, 0),
                    stop: stop.and_then(|stop| take(fields, Field::Stop, stop)),
                    stream: true,
                    stream_options: take(
                        fields,
                        Field::StreamOptions,
                        ChatStreamOptions { include_usage: true },
                    ),
                },
            )
        }
        EditDialect::Mercury => write(
            request,
            &Edit { model, messages: [ChatMessage { role: "user", content: &text }], max_tokens },
        ),
    }
}
