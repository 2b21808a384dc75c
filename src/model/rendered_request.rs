//! A request as an endpoint's model receives it, part by part.
//!
//! For users who inspect requests before they are sent.

use super::Request;
use super::dialect::fim;
use super::request::Form;
use crate::config::{Endpoint, FimDialect, Wire};
use crate::text::named;

/// The text parts of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedRequest {
    /// The kind of request.
    pub form: SentForm,
    /// Each part with the name of its field, in reading order.
    pub parts: Vec<(String, String)>,
}

named! {
    /// A kind of request.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SentForm {
        /// Instructions, and the input that they refer to.
        Instructions = "instructions",
        /// Code around a cursor, to be filled in.
        Code = "code",
        /// The whole document, for a language server.
        Document = "document",
        /// The prompt of a model trained to predict edits.
        Edits = "edits",
    }
}

impl RenderedRequest {
    /// Renders a request for an endpoint's wire and model; without an endpoint, as instructions.
    ///
    /// The dialect that a server is only later found to support better is not known here.
    pub fn new(request: &Request, endpoint: Option<&Endpoint>) -> Self {
        let part = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let form = endpoint.map_or(Form::Text, |endpoint| {
            let dialect = if let Wire::Fim(dialect) = endpoint.wire { Some(dialect) } else { None };
            request.form(endpoint, dialect)
        });
        match (form, endpoint) {
            (Form::Edit(edit), _) => {
                Self { form: SentForm::Edits, parts: vec![("prompt".to_owned(), edit.text())] }
            }
            (Form::Fim(fim, FimDialect::Infill), _) => {
                let extra =
                    fim.extra.iter().map(|(path, text)| (format!("input_extra: {path}"), text.clone()));
                let around = [part("input_prefix", &fim.prefix), part("input_suffix", &fim.suffix)];
                Self { form: SentForm::Code, parts: extra.chain(around).collect() }
            }
            (Form::Fim(fim, dialect), Some(endpoint)) => {
                let mut parts = vec![("prompt".to_owned(), fim::prompt(dialect, endpoint, fim))];
                if dialect != FimDialect::Continuation {
                    parts.push(part("suffix", &fim.suffix));
                }
                Self { form: SentForm::Code, parts }
            }
            (Form::Document(document), _) => Self {
                form: SentForm::Document,
                parts: vec![
                    part("uri", &document.uri),
                    part("before", &document.before),
                    part("after", &document.after),
                ],
            },
            _ => {
                let parts = vec![part("instructions", &request.instructions), part("input", &request.input)];
                Self { form: SentForm::Instructions, parts }
            }
        }
    }

    /// Total size of all parts, in bytes.
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|(_, text)| text.len()).sum()
    }

    /// The text of the part with this name, if any.
    pub fn part(&self, name: &str) -> Option<&str> {
        self.parts.iter().find(|(it, _)| it == name).map(|(_, text)| text.as_str())
    }
}
