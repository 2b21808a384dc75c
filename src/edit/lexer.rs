//! Finds the brackets of code, outside of strings and comments.
//!
//! Not a parser: it makes one pass over a small text.

use crate::grammar::Grammar;

/// A language's string and comment syntax, as far as it matters for brackets.
pub(in crate::edit) struct LexicalSyntax<'a> {
    /// The bytes that can start a token of code.
    starts: [bool; 256],
    /// Tokens that start a line comment.
    comments: Vec<&'a str>,
    /// Tokens around a block comment.
    blocks: Vec<(&'a str, &'a str)>,
    /// Whether `'` opens strings of any length.
    ///
    /// If `'` also marks lifetimes or digits, it encloses one character at most.
    quotes: bool,
}

impl<'a> LexicalSyntax<'a> {
    /// Returns the syntax of a language, or a common default if the language is unknown.
    pub(in crate::edit) fn of(grammar: Option<&'a Grammar>) -> Self {
        match grammar {
            Some(grammar) => Self::new(
                grammar.comments().line.iter().map(String::as_str).collect(),
                grammar.comments().block.iter().map(|(open, close)| (&**open, &**close)).collect(),
                grammar.facts().single_quoted_strings,
            ),
            None => Self::new(vec!["//"], vec![("/*", "*/")], true),
        }
    }

    fn new(comments: Vec<&'a str>, blocks: Vec<(&'a str, &'a str)>, quotes: bool) -> Self {
        let mut starts = [false; 256];
        let tokens = comments.iter().chain(blocks.iter().map(|(open, _)| open));
        for byte in tokens.filter_map(|token| token.bytes().next()).chain(*b"\n()[]{}\"`'") {
            starts[usize::from(byte)] = true;
        }
        Self { starts, comments, blocks, quotes }
    }

    /// Counts the leading bytes of code that cannot start a token, which are most of any text.
    fn plain(&self, rest: &[u8]) -> usize {
        rest.iter().take_while(|byte| !self.starts[usize::from(**byte)]).count()
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

/// What a scan is inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::edit) enum Inside<'a> {
    #[default]
    Code,
    /// A string, which this quote ends.
    String(&'static str),
    LineComment,
    /// A block comment, which this token ends.
    BlockComment(&'a str),
}

/// A scan that can continue from one text to the next.
pub(in crate::edit) struct Scanner<'s, 'a> {
    syntax: &'s LexicalSyntax<'a>,
    inside: Inside<'a>,
    /// Whether the scan has been in code.
    was_in_code: bool,
}

impl<'s, 'a> Scanner<'s, 'a> {
    pub(in crate::edit) fn new(syntax: &'s LexicalSyntax<'a>) -> Self {
        Self::from(syntax, Inside::Code)
    }

    /// A scan that begins inside of something.
    pub(in crate::edit) fn from(syntax: &'s LexicalSyntax<'a>, inside: Inside<'a>) -> Self {
        Self { syntax, inside, was_in_code: false }
    }

    pub(in crate::edit) fn inside(&self) -> Inside<'a> {
        self.inside
    }

    /// Whether the scan is inside a string.
    pub(in crate::edit) fn in_string(&self) -> bool {
        self.quote().is_some()
    }

    /// Whether the scan is inside a string that begins in the scanned text.
    pub(in crate::edit) fn in_own_string(&self) -> bool {
        self.was_in_code && self.in_string()
    }

    /// Returns the quote that ends the current string.
    pub(in crate::edit) fn quote(&self) -> Option<&'static str> {
        match self.inside {
            Inside::String(quote) => Some(quote),
            _ => None,
        }
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
            self.inside = match self.inside {
                // Only long strings and block comments continue past the end of a line.
                Inside::String(quote) if quote.len() != 3 && quote != "`" => Inside::Code,
                Inside::LineComment => Inside::Code,
                inside => inside,
            };
            return (Some(Token::Line), 1);
        }
        match self.inside {
            Inside::LineComment => return (None, memchr::memchr(b'\n', rest).unwrap_or(rest.len())),
            Inside::BlockComment(close) if rest.starts_with(close.as_bytes()) => {
                self.inside = Inside::Code;
                return (None, close.len());
            }
            Inside::BlockComment(close) => return (None, 1 + until(&rest[1..], close)),
            Inside::String(_) if byte == b'\\' => {
                return (None, if rest.get(1) == Some(&b'\n') { 1 } else { 2 });
            }
            Inside::String(quote) if rest.starts_with(quote.as_bytes()) => {
                self.inside = Inside::Code;
                return (Some(Token::Quote(quote.as_bytes()[0] as char)), quote.len());
            }
            Inside::String(quote) => return (None, 1 + until(&rest[1..], quote)),
            Inside::Code => self.was_in_code = true,
        }
        if !self.syntax.starts[usize::from(byte)] {
            return (None, self.syntax.plain(rest));
        }
        let opens = |(open, _): &&(&str, &str)| rest.starts_with(open.as_bytes());
        if let Some((open, close)) = self.syntax.blocks.iter().find(opens) {
            self.inside = Inside::BlockComment(close);
            return (None, open.len());
        }
        if self.syntax.comments.iter().any(|token| rest.starts_with(token.as_bytes())) {
            self.inside = Inside::LineComment;
            return (None, 1);
        }
        match byte {
            b'(' => (Some(Token::Open(')')), 1),
            b'[' => (Some(Token::Open(']')), 1),
            b'{' => (Some(Token::Open('}')), 1),
            b')' | b']' | b'}' => (Some(Token::Close(byte as char)), 1),
            b'"' | b'`' | b'\'' => self.open_string(byte, rest),
            _ => (None, 1 + self.syntax.plain(&rest[1..])),
        }
    }

    fn open_string(&mut self, byte: u8, rest: &[u8]) -> (Option<Token>, usize) {
        if rest.starts_with(b"\"\"\"") {
            self.inside = Inside::String("\"\"\"");
            return (None, 3);
        }
        match byte {
            b'"' => self.inside = Inside::String("\""),
            b'`' => self.inside = Inside::String("`"),
            _ if !self.syntax.quotes => return (None, short_literal(rest)),
            _ if rest.starts_with(b"'''") => {
                self.inside = Inside::String("'''");
                return (None, 3);
            }
            _ => self.inside = Inside::String("'"),
        }
        (None, 1)
    }
}

/// Counts the leading bytes that can neither end a line, nor begin `close` or an escape.
fn until(rest: &[u8], close: &str) -> usize {
    memchr::memchr3(b'\n', b'\\', close.as_bytes()[0], rest).unwrap_or(rest.len())
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
        let syntax = LexicalSyntax::new(vec!["//", "#"], vec![("/*", "*/")], quotes);
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
        check(true, "/* the `foo' (\n * :) */ {", "{");
    }

    #[test]
    fn a_single_quote_may_be_a_lifetime() {
        check(false, "fn f<'a>(x: &'a str) { '(' '\\'' }", "(){}");
    }
}
