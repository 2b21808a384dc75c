//! Names that edits call and that are defined neither in the file nor in the workspace.

use tree_sitter::Tree;

use crate::document::Document;
use crate::edit::{Edit, Refusal, names};
use crate::workspace::Workspace;

/// Unknown names; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::assist) enum UnknownNames {
    /// No file of the workspace contains them.
    InWorkspace(Vec<String>),
    /// The file does not contain them; the workspace has not been read yet.
    InFile(Vec<String>),
}

impl UnknownNames {
    pub(in crate::assist) fn names(self) -> Vec<String> {
        let (Self::InWorkspace(names) | Self::InFile(names)) = self;
        names
    }

    /// The refusal of an edit because of the first name.
    pub(in crate::assist) fn refusal(self) -> Refusal {
        Refusal::UnknownName { name: self.names().swap_remove(0) }
    }
}

/// The unknown names that `edits` of `shown`, a part of the file, call.
///
/// `parsed` is the tree of `shown` after the edits, if there is one; else the text is parsed if necessary.
///
/// Names that `is_expected` accepts count as known.
pub(in crate::assist) fn unknown_names(
    index: &Workspace,
    document: &Document,
    shown: &str,
    edits: &[Edit],
    parsed: Option<&Tree>,
    is_expected: &dyn Fn(&str) -> bool,
) -> Option<UnknownNames> {
    let grammar = document.grammar()?;
    let is_complete = index.is_reliable_for(grammar);
    let known = |name: &str| {
        is_expected(name) || is_complete && index.knows(grammar, name) || document.may_have_name(name)
    };
    let names = names::unknown_names(grammar, shown, edits, parsed, &known);
    let unknown = if is_complete { UnknownNames::InWorkspace } else { UnknownNames::InFile };
    (!names.is_empty()).then(|| unknown(names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    #[test]
    fn names_are_unknown_in_the_workspace_once_it_was_read() {
        let text = "fn f() {\n}\n\nfn helper() {}\n";
        let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, text);
        let edits = [Edit::new(9..9, "    helper(); there(); stepped(); missing();\n")];
        let index = Workspace::default();
        let ask = |index: &Workspace| {
            unknown_names(index, &document, &text[..11], &edits, None, &|name| name == "stepped")
        };
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(ask(&index), Some(UnknownNames::InFile(list(&["there", "missing"]))));
        let many: String = (0..5_000).map(|n| format!("name_{n} ")).collect();
        let grammar = document.grammar().unwrap();
        index.put(std::path::Path::new("b.rs"), grammar, &format!("fn there() {{}} {many}"));
        index.complete();
        assert_eq!(ask(&index), Some(UnknownNames::InWorkspace(list(&["missing"]))));
    }
}
