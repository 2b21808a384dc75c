//! What of a notebook's cell the parser reads.
//!
//! IPython takes lines that begin with `%` or `!` for commands, and a first line that begins with `%%` for one
//! about the whole cell (its *magics*). Neither is code, so the parser gets blanks in their place.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use ropey::Rope;

use crate::grammar::{self, Grammar, Modules};

/// Cell magics whose cell runs as the notebook's own code.
const OWN_CODE: &[&str] =
    &["capture", "debug", "lprun", "memit", "mprun", "prun", "snakeviz", "time", "timeit"];

/// Which notebook a document is a cell of.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    notebook: Arc<str>,
    /// The editor's word for its language.
    language_id: Arc<str>,
    /// The grammar of that language, whatever a magic says.
    grammar: Option<&'static Grammar>,
    /// Whether a magic hands its text to something else.
    is_foreign: bool,
}

impl Cell {
    pub(super) fn new(notebook: &str, language_id: &str, grammar: Option<&'static Grammar>) -> Self {
        Self { notebook: notebook.into(), language_id: language_id.into(), grammar, is_foreign: false }
    }

    pub(super) fn language_id(&self) -> &str {
        &self.language_id
    }

    /// Whether it is code of the same notebook and language as another one.
    pub(super) fn shares_names_with(&self, other: &Self) -> bool {
        !self.is_foreign
            && !other.is_foreign
            && self.notebook == other.notebook
            && self.language_id == other.language_id
    }

    /// Reads the first line, which may name another language; returns the grammar of this text.
    pub(super) fn settle(&mut self, text: &Rope) -> Option<&'static Grammar> {
        let magic = if has_magics(self.grammar) { cell_magic(text) } else { None };
        self.is_foreign = magic.as_deref().is_some_and(|it| !OWN_CODE.contains(&name_of(it)));
        match magic {
            Some(magic) if self.is_foreign => foreign_grammar(&magic),
            _ => self.grammar,
        }
    }

    /// A text as the parser is to read it, byte for byte; `None` for a language without magics.
    pub(super) fn parsed(&self, text: &Rope) -> Option<String> {
        if !has_magics(self.grammar) {
            return None;
        }
        let text = text.to_string();
        if !self.is_foreign {
            return Some(text.split_inclusive('\n').map(without_magic).collect());
        }
        let start = text.find("%%")?;
        let end = text[start..].find(['\r', '\n']).map_or(text.len(), |at| start + at);
        Some([&text[..start], &" ".repeat(end - start), &text[end..]].concat())
    }
}

fn has_magics(grammar: Option<&Grammar>) -> bool {
    grammar.is_some_and(|grammar| grammar.facts().modules == Some(Modules::Python))
}

/// The first line with text, without its `%%`, if it has that.
fn cell_magic(text: &Rope) -> Option<String> {
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
        name => {
            let by_extension = || grammar::by_path(Path::new(&format!("cell.{name}")));
            grammar::by_language_id(name).or_else(by_extension)
        }
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
    // Only what is assigned to may stand before it: not `print("a = %d" % a)`.
    let is_target = |it: &str| it.chars().all(|it| it.is_alphanumeric() || "_.,[] ".contains(it));
    let assigned = body.split_once("= ").filter(|(target, _)| is_target(target));
    let assigned = assigned.map(|(target, _)| target.len() + "= ".len());
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

/// Whether a statement is for IPython.
///
/// A blank behind `%` makes that an operator on a line that goes on; so does a bracket that the line alone closes.
fn is_magic(statement: &str) -> bool {
    let count = |bracket: char| statement.matches(bracket).count();
    if count(')') > count('(') {
        return false;
    }
    let mut letters = statement.chars();
    match letters.next() {
        Some('%') => letters.next().is_some_and(|it| it.is_alphabetic() || it == '%'),
        Some('!') => letters.next() != Some('='),
        Some('?') => true,
        _ => false,
    }
}
