//! A tool's report in the form that the rules use.

use std::ops::Range;

use crate::document::Document;
use crate::edit::Edit;
use crate::text::ident;

/// What a type or a module lacks follows these words.
const LACKING: [&str; 2] = ["has no attribute ", "no member named "];

/// One report and its range in a document.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    /// The range (bytes).
    pub span: Range<usize>,
    /// The message.
    pub message: &'a str,
    /// The message and the notes below it.
    pub said: String,
    /// A fix that the tool suggests.
    pub suggestions: &'a [Suggestion],
}

/// A fix that a tool suggests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What it does, in the tool's words.
    pub title: String,
    /// Whether the tool would apply it without asking.
    pub is_safe: bool,
    /// The edits (bytes).
    pub edits: Vec<Edit>,
}

impl<'a> Problem<'a> {
    /// A report without notes and suggestions.
    pub fn new(span: Range<usize>, message: &'a str) -> Self {
        Self { span, message, said: message.to_owned(), suggestions: &[] }
    }

    /// The same report with notes and suggestions.
    #[must_use]
    pub fn with(self, notes: &[String], suggestions: &'a [Suggestion]) -> Self {
        let said = notes.iter().fold(self.said, |said, note| said + "\n" + note);
        Self { said, suggestions, ..self }
    }
}

/// The name that a report is about, and its range.
pub(super) fn unknown_name(document: &Document, problem: &Problem<'_>) -> Option<(String, Range<usize>)> {
    let end = document.text().len_bytes();
    let span = problem.span.start.min(end)..problem.span.end.min(end);
    if let Some(member) = lacking(problem.message) {
        return Some((member.to_owned(), only_place(document, &span, member)?));
    }
    let marked = document.slice(span.clone());
    let first = ident::first_partial(&marked);
    if ident::is_name(first)
        && ident::has_word(&problem.said, first)
        && !marked[first.len()..].starts_with('.')
    {
        return Some((first.to_owned(), span.start..span.start + first.len()));
    }
    // Some tools mark more than the name, or just its line.
    let name = match problem.said.split_once("symbol:") {
        Some((_, symbol)) => ident::first_partial(symbol.split_whitespace().nth(1)?),
        None => quoted(problem.message).find(|it| ident::is_name(it))?,
    };
    Some((name.to_owned(), only_place(document, &span, name)?))
}

/// The member that a message calls missing: `b` of `"A" has no attribute "b"`, where `A` is known.
fn lacking(message: &str) -> Option<&str> {
    let behind = LACKING.iter().find_map(|words| message.split_once(words))?.1;
    quoted(behind).next().filter(|it| ident::is_name(it))
}

/// The position of a name in a range, else on its line; `None` if it occurs twice there.
pub(super) fn only_place(document: &Document, span: &Range<usize>, name: &str) -> Option<Range<usize>> {
    let line = document.line_start(span.start)..document.next_line_start(span.start);
    [span.clone(), line].into_iter().find_map(|range| {
        let text = document.slice(range.start..range.end.max(range.start));
        let mut places = ident::occurrences(&text, name);
        let at = range.start + places.next()?;
        places.next().is_none().then(|| at..at + name.len())
    })
}

/// The text of the lines that a range touches.
pub(super) fn lines_of(document: &Document, span: &Range<usize>) -> String {
    let end = document.text().len_bytes();
    document.slice(document.whole_lines(span.start.min(end)..span.end.min(end)))
}

/// The names that a message can be about: javac's `symbol:`, else quoted names, else those of its first line.
pub(super) fn subjects(said: &str) -> Vec<&str> {
    if let Some((_, symbol)) = said.split_once("symbol:") {
        return symbol.split_whitespace().nth(1).map(ident::first_partial).into_iter().collect();
    }
    let quoted: Vec<&str> = quoted(said).flat_map(ident::names).collect();
    match quoted.as_slice() {
        // Go does not quote names.
        [] => said.lines().next().into_iter().flat_map(ident::names).collect(),
        _ => quoted,
    }
}

/// The quoted parts of a message: `'a'`, `"a"`, `` `a` ``, `‘a’`.
pub(super) fn quoted(message: &str) -> impl Iterator<Item = &str> {
    quoted_ranges(message).map(|range| &message[range])
}

/// The ranges of the quoted parts of a message (bytes), without the quotation marks.
pub(super) fn quoted_ranges(message: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let open = from + message[from..].find(['\'', '"', '`', '‘', '“'])?;
            let sign = message[open..].chars().next()?;
            let close = match sign {
                '‘' => '’',
                '“' => '”',
                other => other,
            };
            let start = open + sign.len_utf8();
            // An apostrophe within a word is not a quotation mark.
            if sign == '\'' && message[from..open].ends_with(char::is_alphanumeric) {
                from = start;
                continue;
            }
            let end = start + message[start..].find(close)?;
            from = end + close.len_utf8();
            return Some(start..end);
        }
    })
}
