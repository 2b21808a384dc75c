//! What the filters ask about a place, looked up once.
//!
//! What takes a look at all of the window waits until it is asked for.

use std::sync::OnceLock;

use super::Place;
use super::lexer::Lexis;
use super::open_brackets::open_at;
use super::style::IndentStyle;
use crate::edit::line;

/// How many lines above the cursor a repetition may begin.
const LINES_BACK: usize = 20;

/// What the filters ask about a place, looked up once.
pub(super) struct View<'a> {
    pub(super) place: Place<'a>,
    /// The cursor's line, left of the cursor.
    pub(super) prefix: &'a str,
    /// The cursor's line, right of the cursor, without blanks around.
    pub(super) rest: &'a str,
    /// The next line below that is not blank.
    pub(super) next: Option<&'a str>,
    /// The next line above that is not blank.
    pub(super) above: Option<&'a str>,
    /// What the language's code is scanned by.
    pub(super) lexis: Lexis<'a>,
    starts: OnceLock<Vec<usize>>,
    open: OnceLock<Vec<char>>,
    style: OnceLock<IndentStyle>,
}

impl<'a> View<'a> {
    pub(super) fn new(place: Place<'a>) -> Self {
        let prefix = line::last_partial(place.before);
        let rest = line::first_partial(place.after);
        let below = &place.after[rest.len()..];
        let next = line::split_iter(below).map(line::body).find(|line| !line::is_blank(line));
        let above = place.before[..place.before.len() - prefix.len()]
            .rsplit(['\n', '\r'])
            .find(|line| !line::is_blank(line));
        let lexis = Lexis::of(place.grammar);
        let (starts, open, style) = <(OnceLock<_>, OnceLock<_>, OnceLock<_>)>::default();
        Self { place, prefix, rest: rest.trim(), next, above, lexis, starts, open, style }
    }

    /// Starts of the cursor's line and of those above it that a suggestion may repeat, nearest first.
    pub(super) fn starts_above(&self) -> &[usize] {
        let before = self.place.before;
        let own_line = before.len() - self.prefix.len();
        let starts = || std::iter::once(own_line).chain(line_starts_above(before, own_line));
        self.starts.get_or_init(|| starts().take(LINES_BACK).collect())
    }

    /// Closers of the brackets open at the cursor that nothing below closes, innermost last.
    pub(super) fn open(&self) -> &[char] {
        self.open.get_or_init(|| open_at(self.place.before, self.place.after, &self.lexis))
    }

    /// How the window's lines are indented.
    pub(super) fn style(&self) -> IndentStyle {
        *self.style.get_or_init(|| IndentStyle::of(&self.place))
    }

    /// Whether code stands right of the cursor, without a blank between.
    pub(super) fn touches_code(&self) -> bool {
        self.place.after.starts_with(|next: char| !next.is_whitespace())
    }

    /// Whether the cursor stands before the first sign of its line.
    ///
    /// A suggestion can be whole lines above that one.
    pub(super) fn is_before_line(&self) -> bool {
        line::is_blank(self.prefix) && self.touches_code()
    }

    /// The blanks at the end of a suggestion.
    ///
    /// `blanks` are those that the filters left, `rest` is all that the model wrote behind the last sign that
    /// they left.
    ///
    /// A blank tail says nothing, except before code that stands right at the cursor. There a suggestion that
    /// ends with its line keeps the line end, and the code its indentation; another one keeps the blanks up
    /// to a line end.
    pub(super) fn tail(&self, rest: &str, blanks: &str) -> String {
        let is_own_line = self.is_before_line() && rest.starts_with(['\n', '\r']);
        match blanks.rfind(['\n', '\r']) {
            Some(last) if is_own_line => [&blanks[..=last], self.prefix].concat(),
            None if is_own_line => [&rest[..line::first_end(rest)], self.prefix].concat(),
            _ if self.touches_code() => line::first_partial(blanks).to_owned(),
            _ => String::new(),
        }
    }

    /// The line end that ends a suggestion of whole lines; else nothing.
    ///
    /// It has the indentation of the code below.
    pub(super) fn line_end<'t>(&self, text: &'t str) -> &'t str {
        let tail = &text[text.trim_end().len()..];
        if self.is_before_line() && tail.contains(['\n', '\r']) { tail } else { "" }
    }
}

/// Starts of the lines above an offset, nearest first.
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
