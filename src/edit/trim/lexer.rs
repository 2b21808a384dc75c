//! Finds the brackets of code, outside its strings and comments.
//!
//! No parser: one pass over a small text.

use crate::grammar::Grammar;

/// How a language writes strings and comments, as far as brackets are concerned.
pub(super) struct Lexis<'a> {
    /// What starts a comment that ends with its line.
    comments: Vec<&'a str>,
    /// Whether `'` opens strings of any length.
    ///
    /// Where it also marks lifetimes or digits it holds one character at most.
    quotes: bool,
}

impl<'a> Lexis<'a> {
    /// Looks a language up; without one, what most languages have in common.
    pub(super) fn of(grammar: Option<&'a Grammar>) -> Self {
        match grammar {
            Some(grammar) => Self {
                comments: grammar.comments().line.iter().map(String::as_str).collect(),
                quotes: grammar.facts().single_quoted_strings,
            },
            None => Self { comments: vec!["//"], quotes: true },
        }
    }
}

/// What a scan meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// An opening bracket; holds the closer that it waits for.
    Open(char),
    /// A closing bracket.
    Close(char),
    /// The end of a string: the quote that closes it.
    Quote(char),
    /// A line end.
    Line,
}

/// A scan that can go on from one text to the next.
pub(super) struct Scanner<'a> {
    lexis: &'a Lexis<'a>,
    /// The quote that ends the string in which the scan stands.
    string: Option<&'static str>,
    comment: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(lexis: &'a Lexis<'a>) -> Self {
        Self { lexis, string: None, comment: false }
    }

    /// Whether the scan stands inside a string.
    pub(super) fn in_string(&self) -> bool {
        self.string.is_some()
    }

    /// The quote that ends the string in which the scan stands.
    pub(super) fn quote(&self) -> Option<&'static str> {
        self.string
    }

    /// Walks over `text` until `visit` returns `false`.
    ///
    /// It reports each sign with its byte offset.
    pub(super) fn scan(&mut self, text: &str, mut visit: impl FnMut(usize, Sign) -> bool) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let (sign, step) = self.step(&text.as_bytes()[at..]);
            if let Some(sign) = sign
                && !visit(at, sign)
            {
                return;
            }
            at += step;
        }
    }

    /// Reads one sign or skips some bytes.
    ///
    /// Every byte that it looks at is ASCII, so no character is halved.
    fn step(&mut self, rest: &[u8]) -> (Option<Sign>, usize) {
        let byte = rest[0];
        if byte == b'\n' {
            self.comment = false;
            // Only long strings go over the end of a line.
            self.string = self.string.filter(|quote| quote.len() == 3 || *quote == "`");
            return (Some(Sign::Line), 1);
        }
        if self.comment {
            return (None, rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()));
        }
        if let Some(quote) = self.string {
            if byte == b'\\' {
                return (None, if rest.get(1) == Some(&b'\n') { 1 } else { 2 });
            }
            if rest.starts_with(quote.as_bytes()) {
                self.string = None;
                return (Some(Sign::Quote(quote.as_bytes()[0] as char)), quote.len());
            }
            return (None, 1 + plain(&rest[1..]));
        }
        if self.lexis.comments.iter().any(|token| rest.starts_with(token.as_bytes())) {
            self.comment = true;
            return (None, 1);
        }
        match byte {
            b'(' => (Some(Sign::Open(')')), 1),
            b'[' => (Some(Sign::Open(']')), 1),
            b'{' => (Some(Sign::Open('}')), 1),
            b')' | b']' | b'}' => (Some(Sign::Close(byte as char)), 1),
            b'"' | b'`' | b'\'' => self.open_string(byte, rest),
            _ => (None, 1 + plain(&rest[1..])),
        }
    }

    fn open_string(&mut self, byte: u8, rest: &[u8]) -> (Option<Sign>, usize) {
        if rest.starts_with(b"\"\"\"") {
            self.string = Some("\"\"\"");
            return (None, 3);
        }
        match byte {
            b'"' => self.string = Some("\""),
            b'`' => self.string = Some("`"),
            _ if !self.lexis.quotes => return (None, short_literal(rest)),
            _ if rest.starts_with(b"'''") => {
                self.string = Some("'''");
                return (None, 3);
            }
            _ => self.string = Some("'"),
        }
        (None, 1)
    }
}

/// How many bytes at the start can be no sign: words and blanks, which is most of any text.
fn plain(rest: &[u8]) -> usize {
    let is_plain =
        |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'\t') || !byte.is_ascii();
    rest.iter().take_while(is_plain).count()
}

/// The length of a character literal, or one for a quote that opens none.
fn short_literal(rest: &[u8]) -> usize {
    match rest {
        [_, b'\\', _, b'\'', ..] => 4,
        [_, letter, b'\'', ..] if *letter != b'\'' => 3,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(quotes: bool, text: &str, expected: &str) {
        let lexis = Lexis { comments: vec!["//", "#"], quotes };
        let mut found = String::new();
        Scanner::new(&lexis).scan(text, |at, sign| {
            match sign {
                Sign::Open(_) | Sign::Close(_) => found.push_str(&text[at..=at]),
                Sign::Quote(_) => found.push('q'),
                Sign::Line => {}
            }
            true
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn strings_and_comments_hide_brackets() {
        check(true, "f(\")\", '(') // )", "(qq)");
        check(true, "f(\"\\\"(\") # (\n[é]", "(q)[]");
        check(true, "\"\"\"(\n(\"\"\" {", "q{");
        check(true, "`(\n(` {", "q{");
        check(true, "'( unfinished\n)", ")");
    }

    #[test]
    fn a_single_quote_may_be_a_lifetime() {
        check(false, "fn f<'a>(x: &'a str) { '(' '\\'' }", "(){}");
    }
}
