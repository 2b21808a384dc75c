//! The choice of a request's dialect, from what its server has turned out to support.
//!
//! An endpoint has the dialect of its wire. Code at a cursor may use another dialect if the server
//! is llama.cpp: its `/completions` ignores the code after the cursor, its `/infill` takes it, and
//! a model that was not trained to fill in the middle can still continue the code before the
//! cursor. Small models do that far better than they follow instructions about it.

use reqwest::header::{HeaderMap, SERVER};

use super::Dialect;
use crate::config::FimDialect;
use crate::lock::Mutex;
use crate::model::Request;
use crate::model::error_kind::ErrorKind;

const INFILL: Dialect = Dialect::Fim(FimDialect::Infill);
const CONTINUATION: Dialect = Dialect::Fim(FimDialect::Continuation);

/// The dialects of one endpoint.
#[derive(Debug)]
pub(in crate::model) struct DialectChoice {
    own: Dialect,
    code: Mutex<Code>,
}

/// The dialect for code at a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    /// The endpoint's own dialect, as far as known.
    Own,
    /// Another dialect, which the server supports.
    Other(Dialect),
    /// The endpoint's own dialect: the server supports no other.
    OnlyOwn,
}

impl DialectChoice {
    pub(in crate::model) fn new(own: Dialect) -> Self {
        Self { own, code: Mutex::new(Code::Own) }
    }

    pub(in crate::model) fn of(&self, request: &Request) -> Dialect {
        match self.code() {
            Code::Other(dialect) if request.fim.is_some() => dialect,
            _ => self.own,
        }
    }

    /// Learns from the headers of an answer.
    ///
    /// Returns the dialect to use for code from now on, if it changed.
    pub(in crate::model) fn heard(&self, headers: &HeaderMap) -> Option<FimDialect> {
        let server = headers.get(SERVER).and_then(|server| server.to_str().ok()).unwrap_or_default();
        let has_better = matches!(self.own, Dialect::Chat | Dialect::Fim(FimDialect::Completions));
        if !server.starts_with("llama.cpp") || !has_better {
            return None;
        }
        let mut code = self.code.lock();
        (*code == Code::Own).then(|| {
            *code = Code::Other(INFILL);
            FimDialect::Infill
        })
    }

    /// Whether the answer to a request in this dialect is useless, because another dialect is used
    /// by now.
    ///
    /// An answer from `/completions` of llama.cpp does not consider the code after the cursor.
    pub(in crate::model) fn is_outdated(&self, dialect: Dialect) -> bool {
        dialect == Dialect::Fim(FimDialect::Completions) && matches!(self.code(), Code::Other(_))
    }

    /// Learns that a request in this dialect was refused.
    ///
    /// Returns the dialect to use instead.
    pub(in crate::model) fn refused(&self, dialect: Dialect, kind: ErrorKind) -> Option<Dialect> {
        use ErrorKind::{Invalid, NotFound, UnsupportedField, UnsupportedModel};
        let is_for_good = matches!(kind, Invalid | NotFound | UnsupportedField | UnsupportedModel);
        let (next, learned) = match dialect {
            INFILL => (CONTINUATION, Code::Other(CONTINUATION)),
            CONTINUATION if self.own == Dialect::Chat => (self.own, Code::OnlyOwn),
            _ => return None,
        };
        is_for_good.then(|| {
            *self.code.lock() = learned;
            next
        })
    }

    fn code(&self) -> Code {
        *self.code.lock()
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    const COMPLETIONS: Dialect = Dialect::Fim(FimDialect::Completions);

    fn choice(own: Dialect, server: &'static str) -> DialectChoice {
        let choice = DialectChoice::new(own);
        choice.heard(&HeaderMap::from_iter([(SERVER, HeaderValue::from_static(server))]));
        choice
    }

    #[test]
    fn llama_cpp_is_asked_for_code_where_it_sees_both_sides() {
        let check =
            |own, server, expected| assert_eq!(choice(own, server).code(), expected, "{own:?} {server}");
        check(COMPLETIONS, "llama.cpp", Code::Other(INFILL));
        check(Dialect::Chat, "llama.cpp", Code::Other(INFILL));
        check(COMPLETIONS, "uvicorn", Code::Own);
        check(Dialect::Chat, "uvicorn", Code::Own);
        check(INFILL, "llama.cpp", Code::Own);
        check(Dialect::Responses, "llama.cpp", Code::Own);
        assert!(choice(COMPLETIONS, "llama.cpp").is_outdated(COMPLETIONS));
        assert!(!choice(Dialect::Chat, "llama.cpp").is_outdated(Dialect::Chat));
    }

    #[test]
    fn refusal_for_good_leads_to_the_next_dialect() {
        let check = |own, kinds: &[ErrorKind], expected: &[Option<Dialect>]| {
            let choice = choice(own, "llama.cpp");
            let mut dialect = INFILL;
            let mut seen = Vec::new();
            for kind in kinds {
                let next = choice.refused(dialect, *kind);
                dialect = next.unwrap_or(dialect);
                seen.push(next);
            }
            assert_eq!(seen, expected, "{own:?} {kinds:?}");
        };
        let unsupported = ErrorKind::UnsupportedModel;
        check(Dialect::Chat, &[ErrorKind::Overloaded], &[None]);
        check(Dialect::Chat, &[unsupported], &[Some(CONTINUATION)]);
        check(Dialect::Chat, &[unsupported, ErrorKind::NotFound], &[Some(CONTINUATION), Some(Dialect::Chat)]);
        check(COMPLETIONS, &[unsupported, ErrorKind::NotFound], &[Some(CONTINUATION), None]);
        // Other dialects are not tried again once they were refused.
        let choice = choice(Dialect::Chat, "llama.cpp");
        choice.refused(CONTINUATION, ErrorKind::NotFound);
        assert_eq!(
            choice.heard(&HeaderMap::from_iter([(SERVER, HeaderValue::from_static("llama.cpp"))])),
            None
        );
    }
}
