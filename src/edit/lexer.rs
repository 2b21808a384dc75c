//! Finds the brackets of code, outside of strings and comments.
//!
//! Not a parser: it makes one pass over a small text.

use crate::grammar::Grammar;

/// A language's string and comment syntax, as far as it matters for brackets.
pub(in crate::edit) struct LexicalSyntax<'a> {
    /// Tokens that start a line comment.
    comments: Vec<&'a str>,
    /// Whether `'` opens strings of any length.
    ///
    /// If `'` also marks lifetimes or digits, it encloses one character at most.
    quotes: bool,
}

impl<'a> LexicalSyntax<'a> {
    /// Returns the syntax of a language, or a common default if the language is unknown.
    pub(in crate::edit) fn of(grammar: Option<&'a Grammar>) -> Self {
        match grammar {
            Some(grammar) => Self {
                comments: grammar.comments().line.iter().map(String::as_str).collect(),
                quotes: grammar.facts().single_quoted_strings,
            },
            None => Self { comments: vec!["//"], quotes: true },
        }
    }
}

/// A token that the scan reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::edit) enum Token {
    /// An opening bracket, with the closer that matches it.
    Open(char),
    /// A closing bracket.
    Close(char),
    /// The end of a string, with its closing quote.
    Quote(char),
    /// A line end.
    Line,
}

/// A scan that can continue from one text to the next.
pub(in crate::edit) struct Scanner<'a> {
    syntax: &'a LexicalSyntax<'a>,
    /// The quote that ends the current string.
    string: Option<&'static str>,
    comment: bool,
}

impl<'a> Scanner<'a> {
    pub(in crate::edit) fn new(syntax: &'a LexicalSyntax<'a>) -> Self {
        Self { syntax, string: None, comment: false }
    }

    /// Whether the scan is inside a string.
    pub(in crate::edit) fn in_string(&self) -> bool {
        self.string.is_some()
    }

    /// Returns the quote that ends the current string.
    pub(in crate::edit) fn quote(&self) -> Option<&'static str> {
        self.string
    }

    /// Scans `text` until `visit` returns `false`.
    ///
    /// Passes each token and its byte offset to `visit`.
    pub(in crate::edit) fn scan(&mut self, text: &str, mut visit: impl FnMut(usize, Token) -> bool) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let (token, step) = self.step(&text.as_bytes()[at..]);
            if let Some(token) = token
                && !visit(at, token)
            {
                return;
            }
            at += step;
        }
    }

    /// Reads one token or skips some bytes.
    ///
    /// It only ever matches ASCII bytes, so it never splits a character.
    fn step(&mut self, rest: &[u8]) -> (Option<Token>, usize) {
        let byte = rest[0];
        if byte == b'\n' {
            self.comment = false;
            // Only long strings continue past the end of a line.
            self.string = self.string.filter(|quote| quote.len() == 3 || *quote == "`");
            return (Some(Token::Line), 1);
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
                return (Some(Token::Quote(quote.as_bytes()[0] as char)), quote.len());
            }
            return (None, 1 + plain(&rest[1..]));
        }
        if self.syntax.comments.iter().any(|token| rest.starts_with(token.as_bytes())) {
            self.comment = true;
            return (None, 1);
        }
        match byte {
            b'(' => (Some(Token::Open(')')), 1),
            b'[' => (Some(Token::Open(']')), 1),
            b'{' => (Some(Token::Open('}')), 1),
            b')' | b']' | b'}' => (Some(Token::Close(byte as char)), 1),
            b'"' | b'`' | b'\'' => self.open_string(byte, rest),
            _ => (None, 1 + plain(&rest[1..])),
        }
    }

    fn open_string(&mut self, byte: u8, rest: &[u8]) -> (Option<Token>, usize) {
        if rest.starts_with(b"\"\"\"") {
            self.string = Some("\"\"\"");
            return (None, 3);
        }
        match byte {
            b'"' => self.string = Some("\""),
            b'`' => self.string = Some("`"),
            _ if !self.syntax.quotes => return (None, short_literal(rest)),
            _ if rest.starts_with(b"'''") => {
                self.string = Some("'''");
                return (None, 3);
            }
            _ => self.string = Some("'"),
        }
        (None, 1)
    }
}

/// Counts the leading bytes that cannot start a token: words and spaces, which are most of any text.
fn plain(rest: &[u8]) -> usize {
    let is_plain =
        |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'\t') || !byte.is_ascii();
    rest.iter().take_while(is_plain).count()
}

/// The length of a character literal, or 1 if the quote does not open one.
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
        let syntax = LexicalSyntax { comments: vec!["//", "#"], quotes };
        let mut found = String::new();
        Scanner::new(&syntax).scan(text, |at, token| {
            match token {
                Token::Open(_) | Token::Close(_) => found.push_str(&text[at..=at]),
                Token::Quote(_) => found.push('q'),
                Token::Line => {}
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
