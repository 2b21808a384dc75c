//! Fill in the middle: the text around the cursor, for models trained on it ([other
//! dialects](crate::model#other-dialects)).

use serde::Serialize;

use super::body::{take, write};
use super::chat::{ChatStreamOptions, stops};
use crate::config::{Endpoint, FimDialect};
use crate::model::capability;
use crate::model::error_kind::Refusal;
use crate::model::fields::{Field, Fields};
use crate::model::{Fim, Request};

/// `/completions`, with or without a suffix, and `/fim/completions`.
#[derive(Serialize)]
pub(super) struct Completion<'a> {
    pub(super) model: &'a str,
    pub(super) prompt: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) suffix: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop: Option<&'a [String]>,
    pub(super) stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stream_options: Option<ChatStreamOptions>,
}

/// `/infill` of llama.cpp's server.
#[derive(Serialize)]
struct Infill<'a> {
    /// For a proxy in front of several such servers; a server with a single model ignores it.
    model: &'a str,
    input_prefix: &'a str,
    input_suffix: &'a str,
    input_extra: Vec<Extra<'a>>,
    /// Text right before the cursor could go here, but the prefix already contains it.
    prompt: &'static str,
    n_predict: u32,
    cache_prompt: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<&'a [String]>,
    stream: bool,
}

/// Lines of another file.
#[derive(Serialize)]
struct Extra<'a> {
    filename: &'a str,
    text: &'a str,
}

/// The text before the cursor, after the lines of other files.
///
/// Other files have the form that the dialect's models know.
pub(in crate::model) fn prompt(dialect: FimDialect, endpoint: &Endpoint, fim: &Fim) -> String {
    let heading = match dialect {
        FimDialect::Infill | FimDialect::Continuation => return fim.prefix.clone(),
        // The heading that Codestral knows for the files of a repository.
        FimDialect::Mistral => "+++++ ",
        FimDialect::Completions => match capability::file_separator(&endpoint.model) {
            Some(separator) => separator,
            None => return fim.prefix.clone(),
        },
    };
    if fim.extra.is_empty() {
        return fim.prefix.clone();
    }
    let mut prompt = String::new();
    for (path, text) in &fim.extra {
        prompt += &format!("{heading}{path}\n{text}\n");
    }
    prompt + heading + &fim.path + "\n" + &fim.prefix
}

/// The temperature at which llama.cpp returns the likeliest answer.
///
/// Its default is 0.8, which is meant for conversations.
fn likeliest(fields: &Fields, fim: &Fim) -> Option<u8> {
    take(fields, Field::Temperature, 0).filter(|_| !fim.is_variant)
}

/// Builds the body that asks to fill `fim`.
pub(super) fn body(
    dialect: FimDialect,
    endpoint: &Endpoint,
    fields: &Fields,
    request: &Request,
    fim: &Fim,
) -> Result<Vec<u8>, Refusal> {
    let (prefix, suffix, tokens) =
        (&*fim.prefix, &*fim.suffix, fields.output_tokens(request.max_output_tokens));
    let stop = stops(fields, request);
    match dialect {
        FimDialect::Infill => write(
            request,
            &Infill {
                model: &endpoint.model,
                input_prefix: prefix,
                input_suffix: suffix,
                input_extra: fim.extra.iter().map(|(filename, text)| Extra { filename, text }).collect(),
                prompt: "",
                n_predict: tokens,
                cache_prompt: true,
                temperature: likeliest(fields, fim),
                stop,
                stream: true,
            },
        ),
        FimDialect::Completions | FimDialect::Mistral | FimDialect::Continuation => {
            let options = ChatStreamOptions { include_usage: true };
            // Mistral always reports usage, and refuses unknown fields.
            let takes_options = dialect != FimDialect::Mistral;
            write(
                request,
                &Completion {
                    model: &endpoint.model,
                    prompt: &prompt(dialect, endpoint, fim),
                    suffix: (dialect != FimDialect::Continuation).then_some(suffix),
                    temperature: likeliest(fields, fim).filter(|_| dialect == FimDialect::Continuation),
                    max_tokens: take(fields, Field::MaxTokens, tokens),
                    stop,
                    stream: true,
                    stream_options: take(fields, Field::StreamOptions, options).filter(|_| takes_options),
                },
            )
        }
    }
}
