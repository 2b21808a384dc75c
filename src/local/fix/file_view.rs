//! One file as the rules look at it: what many of them read is read once, however much is reported.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use super::certain::Fix;
use super::imports;
use super::other_file::OtherFile;
use crate::document::Document;
use crate::edit::guard::syntax_errors;
use crate::grammar::Match;
use crate::text::ident;

/// Finds the other files that have a name.
type FindOthers<'d> = Box<dyn Fn(&str) -> Vec<Arc<OtherFile>> + 'd>;

/// A document, and what the rules need to know of it.
///
/// What is asked of it waits for the parse.
pub struct FileView<'d> {
    document: &'d Document,
    others: FindOthers<'d>,
    contents: OnceCell<String>,
    errors: OnceCell<Option<usize>>,
    imports: OnceCell<Vec<Match<'d>>>,
    names: OnceCell<HashMap<String, Vec<usize>>>,
    missing_brace: OnceCell<Option<Fix>>,
}

impl<'d> FileView<'d> {
    /// A file beside which there is no other.
    pub fn new(document: &'d Document) -> Self {
        Self::beside(document, |_| Vec::new())
    }

    /// A file beside others; `others` finds those that have a name.
    pub fn beside(document: &'d Document, others: impl Fn(&str) -> Vec<Arc<OtherFile>> + 'd) -> Self {
        Self {
            document,
            others: Box::new(others),
            contents: OnceCell::new(),
            errors: OnceCell::new(),
            imports: OnceCell::new(),
            names: OnceCell::new(),
            missing_brace: OnceCell::new(),
        }
    }

    /// The document itself.
    pub fn document(&self) -> &'d Document {
        self.document
    }

    /// The text in one piece.
    pub(super) fn contents(&self) -> &str {
        self.contents.get_or_init(|| self.document.text().to_string())
    }

    /// How many syntax errors there are; `None` without a grammar.
    pub(super) fn errors(&self) -> Option<usize> {
        *self.errors.get_or_init(|| syntax_errors(self.document))
    }

    /// The imports, in order.
    pub(super) fn imports(&self) -> &[Match<'d>] {
        self.imports.get_or_init(|| imports::imports(self.document))
    }

    /// The names, `$` counted, each with the bytes where it begins.
    pub(super) fn names(&self) -> &HashMap<String, Vec<usize>> {
        self.names.get_or_init(|| {
            let mut names: HashMap<String, Vec<usize>> = HashMap::new();
            for (end, word) in ident::words_with_dollars(self.contents()) {
                if word.starts_with(char::is_numeric) {
                    continue;
                }
                let start = end - word.len();
                match names.get_mut(word) {
                    Some(starts) => starts.push(start),
                    None => _ = names.insert(word.to_owned(), vec![start]),
                }
            }
            names
        })
    }

    /// The fix for the one brace that is missing, whatever is reported of it; `find` looks for it.
    pub(super) fn missing_brace(&self, find: impl FnOnce(&Document) -> Option<Fix>) -> Option<&Fix> {
        self.missing_brace.get_or_init(|| find(self.document)).as_ref()
    }

    /// The other files that have a name.
    pub(super) fn others(&self, name: &str) -> Vec<Arc<OtherFile>> {
        (self.others)(name)
    }
}

impl Deref for FileView<'_> {
    type Target = Document;

    fn deref(&self) -> &Document {
        self.document
    }
}
