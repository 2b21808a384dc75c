mod assignments;
mod imports;
mod mutation;
mod names;
mod needed_imports;
mod one_of_many;
mod open_quote;
mod removals;
mod rivals;
mod second_witness;
mod together;
mod tokens;
mod unlikely;

use std::sync::Arc;

use super::*;
use crate::document::Document;
use crate::document::DocumentId;
use crate::edit::apply;

/// Checks the fix of a problem at `«…»`.
///
/// `expected` is its title and the resulting text; `None` if no fix is certain.
#[track_caller]
fn check(language: &str, marked: &str, message: &str, others: &[&str], expected: Option<(&str, &str)>) {
    let start = marked.find('«').expect("a place");
    let end = marked.find('»').expect("a place") - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    let document = Document::new(DocumentId::new("file:///a/one"), language, 0, &text);
    let read = |text: &&str| {
        Arc::new(OtherFile::read(&Document::new(DocumentId::new("file:///b/two"), language, 0, text)))
    };
    let read: Vec<Arc<OtherFile>> = others.iter().map(read).collect();
    let file = FileView::beside(&document, |name: &str| {
        let has_name = |(text, _): &(&&str, &Arc<OtherFile>)| ident::has_word(text, name);
        others.iter().zip(&read).filter(has_name).map(|(_, it)| Arc::clone(it)).collect()
    });
    let found = fix(&file, &Problem::new(start..end, message));
    let found = found.map(|fix| (fix.title, apply(&text, &fix.edits)));
    let found = found.as_ref().map(|(title, text)| (title.as_str(), text.as_str()));
    assert_eq!(found, expected, "{message}\n{marked}");
}
