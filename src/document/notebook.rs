//! Documents that are notebook cells.

use super::cell::Cell;
use super::{Document, DocumentId, PendingTree};

impl DocumentId {
    /// Whether it names a whole notebook: a cell's URI has a fragment after that path.
    pub fn is_notebook_file(&self) -> bool {
        let path = self.0.split('?').next().unwrap_or_default();
        path.len()
            .checked_sub(6)
            .and_then(|at| path.get(at..))
            .is_some_and(|it| it.eq_ignore_ascii_case(".ipynb"))
    }
}

impl Document {
    /// Marks the document as a cell of a notebook.
    #[must_use]
    pub fn in_notebook(mut self, notebook: &DocumentId, language_id: &str) -> Self {
        self.cell = Some(Cell::new(notebook.as_str(), language_id, self.grammar));
        self.settle_language();
        self
    }

    /// Whether it is a cell of a notebook.
    pub fn is_cell(&self) -> bool {
        self.cell.is_some()
    }

    /// The name of its language: the grammar's, or for a cell without one that which the editor or a magic gives it.
    ///
    /// The path of a notebook does not tell it, unlike that of a file.
    pub fn language_name(&self) -> &str {
        match (self.grammar, &self.cell) {
            (Some(grammar), _) => grammar.id(),
            (None, Some(cell)) => cell.language_name(),
            (None, None) => "",
        }
    }

    /// Whether it shares its names with another cell of its notebook.
    pub fn shares_names_with(&self, other: &Self) -> bool {
        self.cell.as_ref().zip(other.cell.as_ref()).is_some_and(|(cell, other)| cell.shares_names_with(other))
    }

    /// This cell with another text, such as that of several cells.
    #[must_use]
    pub fn with_text(&self, text: &str) -> Self {
        let language_id = self.cell.as_ref().map_or("", Cell::language_id);
        let document = Self::new(self.id.clone(), language_id, self.version, text);
        Self { cell: self.cell.clone(), grammar: self.grammar, ..document }
    }

    /// Rereads the cell's first line, which may name another language.
    pub(super) fn settle_language(&mut self) {
        let Some(cell) = &mut self.cell else { return };
        let grammar = cell.settle(&self.text);
        if grammar != self.grammar {
            self.grammar = grammar;
            self.pending_tree = PendingTree::default();
        }
    }

    /// The parser's view of the text, with equal byte offsets; `None` without magics.
    pub(super) fn parsed_text(&self) -> Option<String> {
        self.cell.as_ref()?.parsed(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::Grammar;

    /// A Python cell's grammar, number of syntax errors, and text as parsed.
    #[track_caller]
    fn check(text: &str, grammar: Option<&str>, read: &str) {
        let document = Document::new(DocumentId::new("cell:a#1"), "python", 0, text);
        let document = document.in_notebook(&DocumentId::new("file:///a.ipynb"), "python");
        assert_eq!(document.grammar().map(Grammar::id), grammar);
        assert_eq!(document.parsed_text().as_deref(), Some(read));
        assert!(document.syntax().is_none_or(|tree| !tree.root_node().has_error()), "{read}");
    }

    #[test]
    fn lines_for_ipython_are_blanks_for_the_parser() {
        let python = Some("python");
        check("%matplotlib inline\nx = 1\n", python, "0                 \nx = 1\n");
        check("if x:\n    !pip install é\n", python, "if x:\n    0              \n");
        check("a = !ls\r\nb = %time f()\r\na?", python, "a = 0  \r\nb = 0        \r\na ");
        check("%%time\nx = (1\n  % 2)\n", python, "0     \nx = (1\n  % 2)\n");
        check("s = '''\n%d, or is it?''' % 1\n", python, "s = '''\n%d, or is it?''' % 1\n");
        check("x != 1\n?x\n", python, "x != 1\n0 \n");
        let formatted = "print(\"a = %d\" % a)\nf(b=1, s=\"x= %s\" % b)\nlog(\"c\"\n    %c)\n";
        check(formatted, python, formatted);
        check("a.b, c[0] = %time f()\n", python, "a.b, c[0] = 0        \n");
    }

    #[test]
    fn a_cell_magic_may_name_another_language() {
        check("\n%%bash\nls -l\n", Some("bash"), "\n      \nls -l\n");
        check("%%script node\nx", None, "             \nx");
        check("%%writefile a.rs\nfn f() {}\n", Some("rust"), "                \nfn f() {}\n");
        check("%%sql\nselect 1", None, "     \nselect 1");
        check("%%", None, "  ");
    }

    #[test]
    fn a_cell_changes_its_language_with_its_first_line() {
        use crate::document::position::Encoding;
        let document = Document::new(DocumentId::new("cell:a#1"), "python", 0, "ls");
        let document = document.in_notebook(&DocumentId::new("file:///a.ipynb"), "python");
        document.syntax();
        let change = |text: &str| super::super::Change { range: None, text: text.to_owned() };
        let edited =
            |document: &Document, text| document.edited(&[change(text)], Encoding::Utf8, 1).unwrap().0;
        let bash = edited(&document, "%%bash\nls\n");
        assert!(bash.grammar().is_some_and(|it| it.id() == "bash") && !bash.shares_names_with(&document));
        let python = edited(&bash, "ls = 1\n");
        assert!(
            python.grammar().is_some_and(|it| it.id() == "python") && python.shares_names_with(&document)
        );
    }
}
