//! A notebook's cell: whose code it is, and what of it the parser reads.
//!
//! IPython takes lines that begin with `%` or `!` for commands, and a first line that begins with `%%` for one
//! about the whole cell (its *magics*). Neither is code, so the parser gets blanks in their place.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::{CarriedTree, Document, DocumentId};
use crate::grammar::{self, Grammar};

/// Cell magics whose cell runs as the notebook's own code.
const OWN_CODE: &[&str] =
    &["capture", "debug", "lprun", "memit", "mprun", "prun", "snakeviz", "time", "timeit"];

/// Which notebook a document is a cell of.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    notebook: DocumentId,
    /// The editor's word for its language.
    language_id: Arc<str>,
    /// The grammar of that language, whatever a magic says.
    grammar: Option<&'static Grammar>,
    /// Whether a magic hands its text to something else.
    is_foreign: bool,
}

impl DocumentId {
    /// Whether it names a whole notebook: a cell has a fragment behind that name.
    pub fn is_notebook_file(&self) -> bool {
        let path = self.0.split('?').next().unwrap_or_default();
        path.len()
            .checked_sub(6)
            .and_then(|at| path.get(at..))
            .is_some_and(|it| it.eq_ignore_ascii_case(".ipynb"))
    }
}

impl Document {
    /// The same document as a cell of a notebook.
    #[must_use]
    pub fn in_notebook(mut self, notebook: DocumentId, language_id: &str) -> Self {
        let language_id = language_id.into();
        self.cell = Some(Cell { notebook, language_id, grammar: self.grammar, is_foreign: false });
        self.settle_language();
        self
    }

    /// Whether it is code that shares its names with another cell of its notebook.
    pub fn shares_names_with(&self, other: &Self) -> bool {
        let (Some(cell), Some(other)) = (&self.cell, &other.cell) else { return false };
        !cell.is_foreign
            && !other.is_foreign
            && cell.notebook == other.notebook
            && cell.language_id == other.language_id
    }

    /// Whether it is a cell of a notebook.
    pub fn is_cell(&self) -> bool {
        self.cell.is_some()
    }

    /// Another text in place of this cell's: that of several cells, for one.
    #[must_use]
    pub fn with_text(&self, text: &str) -> Self {
        let language_id = self.cell.as_ref().map_or("", |cell| &cell.language_id);
        let document = Self::new(self.id.clone(), language_id, self.version, text);
        Self { cell: self.cell.clone(), grammar: self.grammar, ..document }
    }

    /// Reads the cell's first line again, which may name another language.
    pub(super) fn settle_language(&mut self) {
        let Some(cell) = &mut self.cell else { return };
        let magic = if has_magics(cell.grammar) { cell_magic(&self.text) } else { None };
        cell.is_foreign = magic.as_deref().is_some_and(|it| !OWN_CODE.contains(&name_of(it)));
        let grammar = match magic {
            Some(magic) if cell.is_foreign => foreign_grammar(&magic),
            _ => cell.grammar,
        };
        if grammar != self.grammar {
            self.grammar = grammar;
            self.carried = CarriedTree::default();
        }
    }

    /// The text as the parser is to read it, byte for byte; `None` for one without magics.
    pub(super) fn parsed_text(&self) -> Option<String> {
        let cell = self.cell.as_ref().filter(|cell| has_magics(cell.grammar))?;
        let text = self.text.to_string();
        if !cell.is_foreign {
            return Some(text.split_inclusive('\n').map(without_magic).collect());
        }
        let start = text.find("%%")?;
        let end = text[start..].find(['\r', '\n']).map_or(text.len(), |at| start + at);
        Some([&text[..start], &" ".repeat(end - start), &text[end..]].concat())
    }
}

fn has_magics(grammar: Option<&Grammar>) -> bool {
    grammar.is_some_and(|grammar| grammar.id() == "python")
}

/// The first line with text, without its `%%`, if it has that.
fn cell_magic(text: &ropey::Rope) -> Option<String> {
    let first = text.lines().find(|line| line.chars().any(|it| !it.is_whitespace()))?;
    first.to_string().strip_prefix("%%").map(|magic| magic.trim().to_owned())
}

fn name_of(magic: &str) -> &str {
    magic.split_whitespace().next().unwrap_or_default()
}

/// The language that a magic names: `%%bash`, `%%script ruby`, or that of the file that `%%writefile` writes.
fn foreign_grammar(magic: &str) -> Option<&'static Grammar> {
    let last = magic.split_whitespace().last().unwrap_or_default();
    match name_of(magic) {
        "script" => grammar::by_language_id(last),
        "file" | "writefile" => grammar::by_path(Path::new(last)),
        "js" => grammar::by_language_id("javascript"),
        name => grammar::by_language_id(name),
    }
}

/// A line with blanks in place of a magic, and a number where a statement has to be.
fn without_magic(line: &str) -> Cow<'_, str> {
    let body = line.trim_end();
    // A string may end on the line.
    if body.contains("\"\"\"") || body.contains("'''") {
        return line.into();
    }
    let start = line.len() - line.trim_start().len();
    let assigned = body.find("= ").map(|at| at + "= ".len());
    let found =
        [Some(start), assigned].into_iter().flatten().find(|at| is_magic(&body[(*at).min(body.len())..]));
    let (at, value) = match found {
        Some(at) => (at, "0"),
        // `frame.head?` asks for help.
        None if body.ends_with('?') => (body.trim_end_matches('?').len(), " "),
        None => return line.into(),
    };
    [&line[..at], value, &" ".repeat(body.len() - at - 1), &line[body.len()..]].concat().into()
}

/// Whether a statement is for IPython. A blank behind `%` makes that an operator on a line that goes on.
fn is_magic(statement: &str) -> bool {
    let mut letters = statement.chars();
    match letters.next() {
        Some('%') => letters.next().is_some_and(|it| it.is_alphabetic() || it == '%'),
        Some('!') => letters.next() != Some('='),
        Some('?') => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Python cell's grammar, how many syntax errors it has, and what the parser reads.
    #[track_caller]
    fn check(text: &str, grammar: Option<&str>, read: &str) {
        let document = Document::new(DocumentId::new("cell:a#1"), "python", 0, text);
        let document = document.in_notebook(DocumentId::new("file:///a.ipynb"), "python");
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
        let document = document.in_notebook(DocumentId::new("file:///a.ipynb"), "python");
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
