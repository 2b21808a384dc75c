//! Notebook cells: IPython magics are hidden from the parser.
//!
//! IPython treats lines that begin with `%` or `!` as commands, and a first line that begins with `%%` as one
//! for the whole cell (its *magics*). Neither is code, so the parser sees blanks instead.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use ropey::Rope;

use crate::grammar::{self, Grammar, Modules};

/// Cell magics whose cell still runs as the notebook's own code.
const OWN_CODE: &[&str] =
    &["capture", "debug", "lprun", "memit", "mprun", "prun", "snakeviz", "time", "timeit"];

/// The notebook and language of a cell.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    notebook: Arc<str>,
    /// The editor's name for its language.
    language_id: Arc<str>,
    /// The grammar of that language, regardless of magics.
    grammar: Option<&'static Grammar>,
    /// The language that its magic names, if that passes the cell to another program.
    foreign: Option<Arc<str>>,
}

impl Cell {
    pub(super) fn new(notebook: &str, language_id: &str, grammar: Option<&'static Grammar>) -> Self {
        Self { notebook: notebook.into(), language_id: language_id.into(), grammar, foreign: None }
    }

    pub(super) fn language_id(&self) -> &str {
        &self.language_id
    }

    /// The language of its text, as the magic or the editor names it.
    pub(super) fn language_name(&self) -> &str {
        self.foreign.as_deref().unwrap_or(&self.language_id)
    }

    /// Whether both cells are code of the same notebook and language.
    pub(super) fn shares_names_with(&self, other: &Self) -> bool {
        self.foreign.is_none()
            && other.foreign.is_none()
            && self.notebook == other.notebook
            && self.language_id == other.language_id
    }

    /// Detects a cell magic, which may name another language; returns the grammar of this text.
    pub(super) fn settle(&mut self, text: &Rope) -> Option<&'static Grammar> {
        let magic = if has_magics(self.grammar) { cell_magic(text) } else { None };
        let magic = magic.filter(|it| !OWN_CODE.contains(&name_of(it)));
        self.foreign = magic.as_deref().map(|it| foreign_name(it).into());
        match magic {
            Some(magic) => foreign_grammar(&magic),
            None => self.grammar,
        }
    }

    /// The parser's view of a text, with equal byte offsets; `None` for a language without magics.
    pub(super) fn parsed(&self, text: &Rope) -> Option<String> {
        if !has_magics(self.grammar) {
            return None;
        }
        let text = text.to_string();
        if self.foreign.is_none() {
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

/// The first non-blank line without its `%%`, if it is a cell magic.
fn cell_magic(text: &Rope) -> Option<String> {
    let first = text.lines().find(|line| line.chars().any(|it| !it.is_whitespace()))?;
    first.to_string().strip_prefix("%%").map(|magic| magic.trim().to_owned())
}

fn name_of(magic: &str) -> &str {
    magic.split_whitespace().next().unwrap_or_default()
}

/// The language of a magic where no grammar is: `%%R`, `%%script octave`. The file of `%%writefile` may be of any.
fn foreign_name(magic: &str) -> &str {
    match name_of(magic) {
        "script" => magic.split_whitespace().last().unwrap_or_default(),
        "file" | "writefile" => "",
        name => name,
    }
}

/// The language of a magic: `%%bash`, `%%script ruby`, or that of the file written by `%%writefile`.
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

/// Replaces a magic in a line with blanks, and a required expression with a number.
fn without_magic(line: &str) -> Cow<'_, str> {
    let body = line.trim_end();
    // A string may end on the line.
    if body.contains("\"\"\"") || body.contains("'''") {
        return line.into();
    }
    let start = line.len() - line.trim_start().len();
    // Only an assignment target may precede it: not `print("a = %d" % a)`.
    let is_target = |it: &str| it.chars().all(|it| it.is_alphanumeric() || "_.,[] ".contains(it));
    let assigned = body.split_once("= ").filter(|(target, _)| is_target(target));
    let assigned = assigned.map(|(target, _)| target.len() + "= ".len());
    let found =
        [Some(start), assigned].into_iter().flatten().find(|at| is_magic(&body[(*at).min(body.len())..]));
    let (at, value) = match found {
        Some(at) => (at, "0"),
        // `frame.head?` shows help.
        None if body.ends_with('?') => (body.trim_end_matches('?').len(), " "),
        None => return line.into(),
    };
    [&line[..at], value, &" ".repeat(body.len() - at - 1), &line[body.len()..]].concat().into()
}

/// Whether a statement is an IPython command.
///
/// A space after `%` makes it an operator of a continuation line; so does an unmatched closing bracket.
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
