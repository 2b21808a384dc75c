//! Facts about a position that the filters need.

use std::sync::OnceLock;

use super::CursorContext;
use super::open_brackets::{Opened, open_at};
use super::style::IndentStyle;
use crate::edit::lexer::{Inside, LexicalSyntax, Scanner};
use crate::edit::line;
use crate::grammar::Grammar;

/// How many lines back from the cursor a repetition may begin.
const LINES_BACK: usize = 20;

/// Facts about a position that the filters need, besides its [`CursorFacts`](super::CursorFacts).
pub(super) struct View<'a> {
    pub(super) context: CursorContext<'a>,
    /// The cursor's line, left of the cursor.
    pub(super) prefix: &'a str,
    /// The cursor's line, right of the cursor, without surrounding whitespace.
    pub(super) rest: &'a str,
    /// The nearest line below that is not blank.
    pub(super) next: Option<&'a str>,
    /// The nearest line above that is not blank.
    pub(super) above: Option<&'a str>,
    /// The language's string and comment syntax.
    pub(super) syntax: LexicalSyntax<'static>,
    starts: OnceLock<Vec<usize>>,
}

impl<'a> View<'a> {
    pub(super) fn new(context: CursorContext<'a>) -> Self {
        let prefix = line::last_partial(context.before);
        let rest = line::first_partial(context.after);
        let below = &context.after[rest.len()..];
        let next = line::split_iter(below).map(line::body).find(|line| !line::is_blank(line));
        let above = context.before[..context.before.len() - prefix.len()]
            .rsplit(['\n', '\r'])
            .find(|line| !line::is_blank(line));
        let syntax = LexicalSyntax::of(context.grammar);
        Self { context, prefix, rest: rest.trim(), next, above, syntax, starts: OnceLock::new() }
    }

    /// Start offsets of the cursor's line and the lines above it that a suggestion may repeat, nearest first.
    pub(super) fn starts_above(&self) -> &[usize] {
        let before = self.context.before;
        let own_line = before.len() - self.prefix.len();
        let starts = || std::iter::once(own_line).chain(line_starts_above(before, own_line));
        self.starts.get_or_init(|| starts().take(LINES_BACK).collect())
    }

    /// The brackets, string and comment around the cursor.
    fn opened(&self) -> &'a Opened<'static> {
        self.context.facts.opened.get_or_init(|| Opened::by(self.context.before, &self.syntax))
    }

    /// Closers of the brackets that are open at the cursor and not closed below, innermost last.
    pub(super) fn open(&self) -> &'a [char] {
        let CursorContext { before, after, facts, .. } = self.context;
        facts.open.get_or_init(|| open_at(before, after, self.opened(), &self.syntax))
    }

    /// Whether the innermost bracket around the cursor is a brace.
    pub(super) fn is_in_braces(&self) -> bool {
        self.opened().is_in_braces()
    }

    /// A scan that goes on at the cursor.
    pub(super) fn scanner(&self) -> Scanner<'_, 'static> {
        if !self.is_prose() {
            return Scanner::from(&self.syntax, self.opened().inside);
        }
        // An odd quote far above says nothing about prose.
        let mut scanner = Scanner::new(&self.syntax);
        scanner.scan(self.prefix, |_, _| true);
        scanner
    }

    fn is_prose(&self) -> bool {
        self.context.grammar.is_some_and(Grammar::is_prose)
    }

    /// Whether the text around the cursor is for people: prose, a comment or a string.
    pub(super) fn is_in_text(&self) -> bool {
        self.is_prose() || self.opened().inside != Inside::Code
    }

    /// The indentation style of the window's lines.
    pub(super) fn style(&self) -> IndentStyle {
        let CursorContext { before, after, facts, .. } = self.context;
        *facts.style.get_or_init(|| IndentStyle::of(before, after))
    }

    /// Whether code directly follows the cursor, without whitespace between.
    pub(super) fn touches_code(&self) -> bool {
        self.context.after.starts_with(|next: char| !next.is_whitespace())
    }

    /// Whether the cursor is before the first visible character of its line.
    ///
    /// A suggestion may then consist of whole lines above that code.
    pub(super) fn is_before_line(&self) -> bool {
        line::is_blank(self.prefix) && self.touches_code()
    }

    /// Returns the whitespace that a suggestion ends with.
    ///
    /// `blanks` is the trailing whitespace that the filters left. `rest` is everything that the model wrote
    /// after the last visible character that they left.
    ///
    /// Trailing whitespace only matters before code directly at the cursor. There, a suggestion of whole
    /// lines keeps its final line end, and the code keeps its indentation; any other suggestion keeps the
    /// whitespace up to a line end.
    pub(super) fn tail(&self, rest: &str, blanks: &str) -> String {
        let is_own_line = self.is_before_line() && rest.starts_with(['\n', '\r']);
        match blanks.rfind(['\n', '\r']) {
            Some(last) if is_own_line => [&blanks[..=last], self.prefix].concat(),
            None if is_own_line => [&rest[..line::first_end(rest)], self.prefix].concat(),
            _ if self.touches_code() => line::first_partial(blanks).to_owned(),
            _ => String::new(),
        }
    }

    /// Returns the final line end of a suggestion of whole lines, or nothing for other suggestions.
    ///
    /// The line end includes the indentation of the code below.
    pub(super) fn line_end<'t>(&self, text: &'t str) -> &'t str {
        let tail = &text[text.trim_end().len()..];
        if self.is_before_line() && tail.contains(['\n', '\r']) { tail } else { "" }
    }
}

/// Start offsets of the lines above `offset`, nearest first.
fn line_starts_above(text: &str, offset: usize) -> impl Iterator<Item = usize> {
    let mut at = offset;
    std::iter::from_fn(move || {
        let above = text[..at].trim_end_matches(['\n', '\r']);
        if at == 0 {
            return None;
        }
        at = memchr::memrchr2(b'\n', b'\r', above.as_bytes()).map_or(0, |end| end + 1);
        Some(at)
    })
}
