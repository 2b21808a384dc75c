//! A request as an endpoint's model gets it, part by part.
//!
//! It is for users who look before anything is sent.

use super::Request;
use super::dialect::fim;
use super::request::Form;
use crate::config::{Endpoint, FimDialect, Wire};
use crate::text::named;

/// The parts of a request that hold text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedRequest {
    /// What kind of request it is.
    pub form: SentForm,
    /// Each part by the name of its field, in the order in which it is read.
    pub parts: Vec<(String, String)>,
}

named! {
    /// A kind of request.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SentForm {
        /// Instructions, and an input that they are about.
        Instructions = "instructions",
        /// Code around a cursor as it is, to be filled in.
        Code = "code",
        /// The prompt of a model that was trained to predict edits.
        Edits = "edits",
    }
}

impl RenderedRequest {
    /// The request in the form of an endpoint's wire and model; without an endpoint, in words.
    ///
    /// The form that a server is found to take better while it is asked is not known before.
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
            _ => {
                let parts = vec![part("instructions", &request.instructions), part("input", &request.input)];
                Self { form: SentForm::Instructions, parts }
            }
        }
    }

    /// Bytes of all parts.
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|(_, text)| text.len()).sum()
    }

    /// The text of a part; `None` if there is none of this name.
    pub fn part(&self, name: &str) -> Option<&str> {
        self.parts.iter().find(|(it, _)| it == name).map(|(_, text)| text.as_str())
    }
}
