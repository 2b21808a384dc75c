//! The documents that a server is told of: those that it was last asked about.

use std::collections::VecDeque;
use std::ops::Range;

use serde_json::{Value, json};

use super::item::position;
use crate::model::OpenDocument;
use crate::model::limits::OPEN_DOCUMENTS;
use crate::text::difference;

/// The documents that a server knows, the one that it was asked about last first.
#[derive(Debug, Default)]
pub(super) struct Documents {
    known: VecDeque<KnownDocument>,
    /// Whether the server takes parts of a text that changed, and not only whole texts.
    pub(super) takes_changes: bool,
}

#[derive(Debug)]
struct KnownDocument {
    uri: String,
    version: i32,
    text: String,
}

/// A notification: its method and parameters.
pub(super) type Notification = (&'static str, Value);

impl Documents {
    /// The notifications after which the server knows this text, and its version there.
    pub(super) fn update(&mut self, document: &OpenDocument) -> (Vec<Notification>, i32) {
        let OpenDocument { uri, language_id, before, after, .. } = document;
        let text = [before.as_str(), after].concat();
        let mut notifications = Vec::new();
        let had_focus = self.known.front().is_some_and(|it| it.uri == *uri);
        let known = self.known.iter().position(|it| it.uri == *uri).and_then(|at| self.known.remove(at));
        let known = match known {
            Some(known) if known.text == text => known,
            Some(KnownDocument { text: old, version, .. }) => {
                let version = version + 1;
                let changed = json!({
                    "textDocument": { "uri": uri, "version": version },
                    "contentChanges": [if self.takes_changes { change(&old, &text) } else { json!({ "text": text }) }],
                });
                notifications.push(("textDocument/didChange", changed));
                KnownDocument { uri: uri.clone(), version, text }
            }
            None => {
                if self.known.len() >= OPEN_DOCUMENTS
                    && let Some(oldest) = self.known.pop_back()
                {
                    notifications.push(closed(&oldest.uri));
                }
                let opened =
                    json!({ "uri": uri, "languageId": language_id, "version": 1, "text": text.as_str() });
                notifications.push(("textDocument/didOpen", json!({ "textDocument": opened })));
                KnownDocument { uri: uri.clone(), version: 1, text }
            }
        };
        if !had_focus {
            notifications.push(("textDocument/didFocus", json!({ "textDocument": { "uri": uri } })));
        }
        let version = known.version;
        self.known.push_front(known);
        (notifications, version)
    }

    /// The notification that a document was closed, if the server knows it.
    pub(super) fn close(&mut self, uri: &str) -> Option<Notification> {
        let at = self.known.iter().position(|it| it.uri == uri)?;
        self.known.remove(at).map(|it| closed(&it.uri))
    }
}

fn closed(uri: &str) -> Notification {
    ("textDocument/didClose", json!({ "textDocument": { "uri": uri } }))
}

/// The smallest single change from one text to another.
fn change(old: &str, new: &str) -> Value {
    let (Range { mut start, end }, _) = difference(old, new);
    // The two ends of a line are one, so that no change falls between them.
    if old[..start].ends_with('\r') {
        start -= 1;
    }
    let after = old.len() - end - usize::from(old[end..].starts_with('\n'));
    json!({
        "range": { "start": position(old, start), "end": position(old, old.len() - after) },
        "text": &new[start..new.len() - after],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_small_and_in_utf_16() {
        let check = |old: &str, new: &str, expected: &str| {
            let change = change(old, new);
            let at = |end: &str| {
                let position = &change["range"][end];
                format!("{}:{}", position["line"], position["character"])
            };
            assert_eq!(format!("{}-{} {}", at("start"), at("end"), change["text"]), expected, "{old:?}");
        };
        check("", "a", "0:0-0:0 \"a\"");
        check("a", "", "0:0-0:1 \"\"");
        check("ab\ncd", "ab\ncxd", "1:1-1:1 \"x\"");
        check("aaa", "aaaa", "0:3-0:3 \"a\"");
        check("a😀é", "a😀è", "0:3-0:4 \"è\"");
        check("😀", "😁", "0:0-0:2 \"😁\"");
        check("a\r\nb", "a\r\n\r\nb", "1:0-1:0 \"\\r\\n\"");
        check("a\rb", "a\r\nb", "0:1-1:0 \"\\r\\n\"");
        check("a\nb\nc", "x", "0:0-2:1 \"x\"");
    }

    #[test]
    fn server_is_told_of_the_documents_that_it_is_asked_about() {
        let mut documents = Documents { takes_changes: true, ..Documents::default() };
        let mut check = |uri: &str, text: &str, expected: &str| {
            let document = OpenDocument {
                uri: uri.to_owned(),
                language_id: "rust".to_owned(),
                before: text.to_owned(),
                after: String::new(),
                is_variant: false,
            };
            let (told, version) = documents.update(&document);
            let short = |(method, params): &Notification| {
                let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
                format!("{} {uri}", method.rsplit('/').next().unwrap())
            };
            let told: Vec<String> = told.iter().map(short).collect();
            assert_eq!(format!("{}; {version}", told.join(", ")), expected);
        };
        check("a", "1", "didOpen a, didFocus a; 1");
        check("a", "1", "; 1");
        check("a", "12", "didChange a; 2");
        check("b", "", "didOpen b, didFocus b; 1");
        check("a", "12", "didFocus a; 2");
        check("c", "", "didOpen c, didFocus c; 1");
        check("d", "", "didOpen d, didFocus d; 1");
        check("e", "", "didClose b, didOpen e, didFocus e; 1");
        assert_eq!(documents.close("a").map(|it| it.0), Some("textDocument/didClose"));
        assert_eq!(documents.close("a"), None);
    }
}
