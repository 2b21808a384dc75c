//! Names that an answer calls, and that nobody here has heard of.

use crate::document::Document;
use crate::edit::Edit;
use crate::edit::guard::unknown_names;
use crate::index::Index;

/// What is known of the names that an answer calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unknown {
    /// No file of the workspace has these.
    Anywhere(Vec<String>),
    /// This file does not have these; of the workspace too little is known to say more.
    Here(Vec<String>),
}

impl Unknown {
    /// The names.
    pub(super) fn names(self) -> Vec<String> {
        let (Self::Anywhere(names) | Self::Here(names)) = self;
        names
    }
}

/// The names that `edits` of `shown`, a part of the file, call and that neither the file nor the workspace nor `words`
/// have. Parses `shown`.
pub(super) fn unknown(
    index: &Index,
    document: &Document,
    shown: &str,
    edits: &[Edit],
    words: &dyn Fn(&str) -> bool,
) -> Option<Unknown> {
    let grammar = document.grammar()?;
    let speaks = index.speaks_for(grammar);
    let text = std::cell::OnceCell::new();
    let known = |name: &str| {
        words(name)
            || speaks && index.knows(grammar, name)
            // A name may lie across two pieces of the rope.
            || text.get_or_init(|| document.text().to_string()).contains(name)
    };
    let names = unknown_names(grammar, shown, edits, &known);
    let unknown = if speaks { Unknown::Anywhere } else { Unknown::Here };
    (!names.is_empty()).then(|| unknown(names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    #[test]
    fn the_workspace_speaks_once_it_was_read() {
        let text = "fn f() {\n}\n\nfn helper() {}\n";
        let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, text);
        let edits = [Edit::new(9..9, "    helper(); there(); stepped(); nobody();\n")];
        let index = Index::default();
        let ask = |index: &Index| unknown(index, &document, &text[..11], &edits, &|name| name == "stepped");
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(ask(&index), Some(Unknown::Here(list(&["there", "nobody"]))));
        let many: String = (0..5_000).map(|n| format!("name_{n} ")).collect();
        let grammar = document.grammar().unwrap();
        index.put(std::path::Path::new("b.rs"), grammar, &format!("fn there() {{}} {many}"));
        index.complete();
        assert_eq!(ask(&index), Some(Unknown::Anywhere(list(&["nobody"]))));
    }
}
