//! Information about the requester for those who route, count and trace requests. By default, none is sent.
//!
//! Placeholders such as `{user}` and `{job}` in its texts are filled in when a request is made.

use super::secret::Secret;
use crate::text::did_you_mean;

/// The information about the requester that a provider's requests contain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequesterInfo {
    /// Headers, by name.
    pub headers: Vec<(String, Template)>,
    /// Entries of the field `metadata`, by name.
    pub metadata: Vec<(String, Template)>,
    /// The field `prompt_cache_key`.
    pub cache_key: Option<Template>,
    /// The user's team.
    pub team: Option<String>,
    /// The claim of the provider's token that names the team; it precedes [`Self::team`].
    pub team_claim: Option<String>,
}

/// The meaning of a name in braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder {
    /// The name of the user's account on this machine.
    User,
    /// The user's team.
    Team,
    /// A random id of one editor's session, or of this run of the program.
    Session,
    /// The kind of work, such as `completion`.
    Job,
    /// An id of the request's file that reveals nothing about it.
    File,
    /// The request's `traceparent` (W3C Trace Context).
    Traceparent,
}

const NAMES: [(&str, Placeholder); 6] = [
    ("user", Placeholder::User),
    ("team", Placeholder::Team),
    ("session", Placeholder::Session),
    ("job", Placeholder::Job),
    ("file", Placeholder::File),
    ("traceparent", Placeholder::Traceparent),
];

/// A text with placeholders. It may contain a key, so it is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Secret);

impl Template {
    /// Checks that each name in braces is known; other braces are literal. The error is a clause.
    pub(super) fn new(text: Secret) -> Result<Self, String> {
        let unknown = pieces(text.expose()).into_iter().find_map(|piece| match piece {
            Piece::Named(name) if placeholder(name).is_none() => Some(name.to_owned()),
            _ => None,
        });
        match unknown {
            None => Ok(Self(text)),
            Some(name) => {
                let guess = did_you_mean(&name, NAMES.map(|(name, _)| name));
                Err(format!("has the unknown placeholder {{{name}}}{guess}"))
            }
        }
    }

    /// A text from the environment, in which unknown names are kept as they are.
    pub(crate) fn verbatim(text: Secret) -> Self {
        Self(text)
    }

    /// Whether a text contains a name in braces, known or not.
    pub(super) fn is_one(text: &Secret) -> bool {
        pieces(text.expose()).iter().any(|it| matches!(it, Piece::Named(_)))
    }

    /// Fills in a placeholder whose value is known early.
    pub(super) fn with(&self, what: Placeholder, value: &str) -> Self {
        let filled = |it| if it == what { value.to_owned() } else { format!("{{{}}}", name(it)) };
        Self(Secret::new(self.filled(|it| Some(filled(it))).unwrap_or_default()))
    }

    /// Its placeholders.
    pub fn placeholders(&self) -> Vec<Placeholder> {
        let pieces = pieces(self.0.expose()).into_iter();
        pieces.filter_map(|it| if let Piece::Named(name) = it { placeholder(name) } else { None }).collect()
    }

    /// The text with all placeholders filled in; `None` if one of them has no value.
    pub fn filled(&self, value: impl Fn(Placeholder) -> Option<String>) -> Option<String> {
        let mut filled = String::new();
        for piece in pieces(self.0.expose()) {
            match piece {
                Piece::Text(text) => filled += text,
                Piece::Named(name) => match placeholder(name) {
                    Some(it) => filled += &value(it)?,
                    None => filled += &format!("{{{name}}}"),
                },
            }
        }
        Some(filled)
    }
}

fn placeholder(name: &str) -> Option<Placeholder> {
    NAMES.iter().find(|(it, _)| *it == name).map(|(_, placeholder)| *placeholder)
}

fn name(placeholder: Placeholder) -> &'static str {
    NAMES.iter().find(|(_, it)| *it == placeholder).map_or("", |(name, _)| name)
}

enum Piece<'a> {
    Text(&'a str),
    /// A word in braces.
    Named(&'a str),
}

fn pieces(mut text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find('{').map(|it| it + from) {
        let rest = &text[at + 1..];
        let length = rest.bytes().take_while(|it| it.is_ascii_lowercase() || *it == b'_').count();
        if length == 0 || !rest[length..].starts_with('}') {
            from = at + 1;
            continue;
        }
        pieces.extend([Piece::Text(&text[..at]), Piece::Named(&rest[..length])]);
        (text, from) = (&rest[length + 1..], 0);
    }
    pieces.push(Piece::Text(text));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_filled_and_others_are_refused() {
        let check = |text: &str, expected: &str| {
            let shown = match Template::new(Secret::new(text.to_owned())) {
                Err(why) => why,
                Ok(template) => {
                    let template = template.with(Placeholder::User, "me {job}");
                    let value = |it| (it == Placeholder::Job).then(|| "fix".to_owned());
                    template.filled(value).unwrap_or_else(|| "nothing".to_owned())
                }
            };
            assert_eq!(shown, expected, "{text}");
        };
        check("plain", "plain");
        check("a{job}b{job}", "afixbfix");
        check("{job}-{session}", "nothing");
        check(
            "{\"a\": {}, \"b\": {\"c\": 1}} {A} {a b} { {{job}}",
            "{\"a\": {}, \"b\": {\"c\": 1}} {A} {a b} { {fix}",
        );
        check("{usr}", "has the unknown placeholder {usr}; did you mean `user`?");
        check("{group}", "has the unknown placeholder {group}");
    }
}
