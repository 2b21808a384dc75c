//! An open file as its messages have it.

use serde_json::{Value, json};

use crate::document::position::Encoding;
use crate::document::{Document, DocumentId};
use crate::lsp::convert;
use crate::lsp::protocol::{DidChange, DidOpen, OpenedDocument};
use crate::lsp::window::message::{message, params};

/// The size of the changes in bytes from which they are applied to the text, so that they do not pile up.
pub(super) const CHANGES_BYTES: usize = 256 * 1024;

/// A text that was opened, and the messages that changed it since.
///
/// The changes are kept as they came, since a key press would cost more if it were applied here, too.
#[derive(Debug)]
pub(super) struct OpenText {
    uri: String,
    language_id: String,
    text: Document,
    changes: Vec<Vec<u8>>,
    changes_bytes: usize,
    /// The number of its last change, among the changes of all files.
    changed_at: u64,
}

impl OpenText {
    /// Reads `textDocument/didOpen`. Also returns the URI; `None` if the message cannot be read.
    ///
    /// `changed_at` is the number of the last change of any file.
    pub(super) fn read(body: &[u8], changed_at: u64) -> Option<(String, Self)> {
        let opened = params::<DidOpen>(body)?.text_document;
        Some((opened.uri.clone(), Self::new(opened, changed_at)))
    }

    pub(super) fn new(opened: OpenedDocument, changed_at: u64) -> Self {
        let OpenedDocument { uri, language_id, version, text } = opened;
        // Without a language no tree is built.
        let text = Document::new(DocumentId::new(&uri), "", version.unwrap_or(0), &text);
        Self { uri, language_id, text, changes: Vec::new(), changes_bytes: 0, changed_at }
    }

    pub(super) fn uri(&self) -> &str {
        &self.uri
    }

    /// The size of the changes that are not applied yet, in bytes.
    pub(super) fn changes_bytes(&self) -> usize {
        self.changes_bytes
    }

    /// Notes `textDocument/didChange`.
    pub(super) fn change(&mut self, body: &[u8], encoding: Encoding, number: u64) {
        self.changed_at = number;
        self.changes_bytes += body.len();
        self.changes.push(body.to_vec());
        if self.changes_bytes >= CHANGES_BYTES {
            self.settle(encoding);
        }
    }

    /// Applies the changes. One that does not fit stays, so that a new server rejects it like the lost one.
    pub(super) fn settle(&mut self, encoding: Encoding) {
        let changes = std::mem::take(&mut self.changes);
        self.changes_bytes = 0;
        for body in changes {
            let Some(change) = params::<DidChange>(&body) else { continue };
            let version = change.text_document.version.unwrap_or(self.text.version() + 1);
            let is_whole = change.content_changes.iter().any(|it| it.range.is_none());
            if !self.changes.is_empty() && !is_whole {
                // Nothing but a whole text follows a change that does not fit.
                continue;
            }
            match self.text.edited(&convert::changes(change.content_changes), encoding, version) {
                Ok((text, _)) => {
                    self.text = text;
                    self.changes.clear();
                }
                Err(_) => self.changes.push(body),
            }
        }
    }

    /// The number of its last change, among the changes of all files.
    pub(super) fn changed_at(&self) -> u64 {
        self.changed_at
    }

    /// The messages that open it with its current text.
    pub(super) fn messages(&self) -> Vec<Vec<u8>> {
        let params = json!({ "textDocument": self.item() });
        let open = message(json!({ "method": "textDocument/didOpen", "params": params }));
        std::iter::once(open).chain(self.changes.iter().cloned()).collect()
    }

    /// Its text as `TextDocumentItem`, to which [`Self::changes`] are to be applied.
    pub(super) fn item(&self) -> Value {
        json!({
            "uri": self.uri,
            "languageId": self.language_id,
            "version": self.text.version(),
            "text": self.text.text().to_string(),
        })
    }

    /// The messages that change the text.
    pub(super) fn changes(&self) -> &[Vec<u8>] {
        &self.changes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const URI: &str = "file:///a.rs";

    /// `textDocument/didOpen` or `didChange` with these parameters.
    fn body(method: &str, params: &Value) -> Vec<u8> {
        message(json!({ "method": method, "params": params }))
    }

    fn change(version: i32, changes: &[Value]) -> Vec<u8> {
        let document = json!({ "uri": URI, "version": version });
        body("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": changes }))
    }

    fn opened(text: &str) -> OpenText {
        let item = json!({ "uri": URI, "languageId": "rust", "version": 1, "text": text });
        OpenText::read(&body("textDocument/didOpen", &json!({ "textDocument": item })), 0).unwrap().1
    }

    /// The text and version that a server has after these messages; `None` if it cannot follow.
    fn read(messages: &[Vec<u8>]) -> Option<(String, i32)> {
        let (_, mut text) = OpenText::read(&messages[0], 0).unwrap();
        messages[1..].iter().for_each(|it| text.change(it, Encoding::Utf16, 0));
        text.settle(Encoding::Utf16);
        text.changes.is_empty().then(|| (text.text.text().to_string(), text.text.version()))
    }

    proptest! {
        #[test]
        fn a_new_server_gets_the_text_of_the_lost_one(
            edits in proptest::collection::vec((0u32..4, 0u32..6, 0u32..3, "[a🙂\n\r]{0,3}"), 0..20),
            settled in any::<proptest::sample::Index>(),
        ) {
            let mut text = opened("ab\r\nc🙂d\n\ne");
            let mut messages = text.messages();
            for (at, (line, column, length, new)) in edits.iter().enumerate() {
                let start = json!({ "line": line, "character": column });
                let end = json!({ "line": line, "character": column + length });
                let one = json!({ "range": { "start": start, "end": end }, "text": new });
                let one = change(2 + at as i32, &[one]);
                text.change(&one, Encoding::Utf16, 0);
                messages.push(one);
                if settled.index(edits.len()) == at {
                    text.settle(Encoding::Utf16);
                }
            }
            prop_assert_eq!(read(&text.messages()), read(&messages));
        }
    }

    #[test]
    fn changes_do_not_pile_up() {
        let mut text = opened("");
        let at = json!({ "line": 0, "character": 0 });
        for version in 2..3_000 {
            let letter = json!({ "range": { "start": at, "end": at }, "text": "x".repeat(100) });
            text.change(&change(version, &[letter]), Encoding::Utf16, 0);
            assert!(text.changes_bytes < CHANGES_BYTES);
        }
        assert_eq!(read(&text.messages()), Some(("x".repeat(100 * 2_998), 2_999)));
    }

    #[test]
    fn a_change_that_does_not_fit_is_passed_on_as_it_is() {
        let mut text = opened("a");
        let far = json!({ "line": 9, "character": 0 });
        let unfit = change(2, &[json!({ "range": { "start": far, "end": far }, "text": "b" })]);
        text.change(&unfit, Encoding::Utf16, 0);
        text.change(
            &change(3, &[json!({ "range": { "start": far, "end": far }, "text": "c" })]),
            Encoding::Utf16,
            0,
        );
        text.settle(Encoding::Utf16);
        assert_eq!(text.messages()[1..], [unfit]);
        text.change(&change(4, &[json!({ "text": "whole" })]), Encoding::Utf16, 0);
        text.settle(Encoding::Utf16);
        assert_eq!(read(&text.messages()), Some(("whole".to_owned(), 4)));
    }
}
