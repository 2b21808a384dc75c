//! The instructions that the index takes for a file that was changed: when it is saved, or typing pauses.

use std::path::Path;

use tandem::document::position::{Encoding, Position};
use tandem::document::{Change, Document, DocumentId};
use tandem::workspace::Workspace;

use super::source::{Language, Source};
use super::{ROUNDS, mark};

/// Few enough that valgrind does not reach the time limit of the search.
const LINES: usize = 2_000;

pub(super) fn count() {
    for language in [Language::Rust, Language::Python] {
        let source = Source::new(language, LINES);
        let (workspace, path) = (Workspace::default(), Path::new(source.uri()));
        let place = Position { line: source.line, column: source.column };
        let typed = |document: &Document, text: &str| {
            let change = Change { range: Some(place..place), text: text.to_owned() };
            document.edited(&[change], Encoding::Utf8, document.version() + 1).unwrap().0
        };
        let opened = Document::new(DocumentId::new(source.uri()), language.id(), 0, &source.text);
        let mut document = typed(&opened, "w;");
        for round in 0..=ROUNDS {
            document.syntax();
            mark("-", language, LINES);
            workspace.open(path, &document, || false);
            mark(if round > 0 { "index-after-key" } else { "-" }, language, LINES);
            document = typed(&document, "w");
        }
    }
}
