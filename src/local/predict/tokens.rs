//! Lines as tokens, and tokens as numbers.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

/// What a piece of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, digits, `_` and `$`, beginning with no digit.
    Word,
    /// The same beginning with a digit.
    Number,
    /// One other character.
    Sign,
}

/// A piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'l> {
    pub(super) text: &'l str,
    pub(super) kind: Kind,
    /// Whether white space stands before it; indentation does not count.
    pub(super) blank: bool,
    /// Where it begins in the line (bytes).
    pub(super) start: usize,
}

/// The pieces of one line.
pub(super) fn lex(line: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = line.get(at..)?;
        let text = rest.trim_start();
        let first = text.chars().next()?;
        let start = at + rest.len() - text.len();
        let kind = match first {
            first if first.is_numeric() => Kind::Number,
            first if is_word(first) => Kind::Word,
            _ => Kind::Sign,
        };
        let len = match kind {
            Kind::Sign => first.len_utf8(),
            Kind::Word | Kind::Number => text.find(|letter| !is_word(letter)).unwrap_or(text.len()),
        };
        let blank = at > 0 && start > at;
        at = start + len;
        Some(Piece { text: &text[..len], kind, blank, start })
    })
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter == '$' || letter.is_alphanumeric()
}

/// A token as a number: `id << 2 | is a name << 1 | white space stands before it`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Token(pub(super) u32);

/// The end of a line.
pub(super) const LINE_END: Token = Token(0);
/// The beginning of a piece of learned text; equal to no token of a text.
pub(super) const BREAK: Token = Token(1 << 2);

impl Token {
    pub(super) fn id(self) -> u32 {
        self.0 >> 2
    }

    /// Whether it is a name, which becomes a number in a shape. Keywords are none.
    pub(super) fn is_name(self) -> bool {
        self.0 & 2 != 0
    }

    pub(super) fn has_blank(self) -> bool {
        self.0 & 1 != 0
    }

    /// The same without white space before it.
    pub(super) fn bare(self) -> Self {
        Self(self.0 & !1)
    }

    /// The same with white space before it as another token has it.
    pub(super) fn spaced_like(self, other: Self) -> Self {
        Self(self.0 & !1 | other.0 & 1)
    }
}

/// Words that give code its shape in one language or another; a shape keeps them as they are.
const KEYWORDS: &str = "abstract and as assert async await base bool boolean break byte case catch char chan class \
    const continue crate debugger def default defer del delete do double dyn elif else enum except export extends \
    extern fallthrough false False final finally float fn for foreach from func function global go goto if impl \
    implements import in include inline instanceof int interface is lambda let long loop match mod move mut namespace \
    new nil None nonlocal not null number object or package pass pub private protected public raise range ref return \
    select self Self short signed sizeof static string struct super switch this throw throws trait true True try type \
    typedef typeof union unsafe unsigned use using var void volatile where while with yield";

/// Numbers for the texts of tokens.
pub(super) struct Vocabulary {
    ids: HashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
    names: Vec<bool>,
    /// Words in alphabetical order, for those that begin with what is typed.
    words: BTreeMap<Box<str>, u32>,
    text_bytes: usize,
}

impl Default for Vocabulary {
    fn default() -> Self {
        let mut vocabulary = Self {
            ids: HashMap::new(),
            texts: Vec::new(),
            names: Vec::new(),
            words: BTreeMap::new(),
            text_bytes: 0,
        };
        // The first two are LINE_END and BREAK.
        vocabulary.intern("\n", Kind::Sign);
        vocabulary.intern("\0", Kind::Sign);
        for keyword in KEYWORDS.split_whitespace() {
            let id = vocabulary.intern(keyword, Kind::Word) as usize;
            vocabulary.names[id] = false;
        }
        vocabulary
    }
}

impl Vocabulary {
    /// The token of a text, which is learned if it is new.
    pub(super) fn token(&mut self, text: &str, kind: Kind, blank: bool) -> Token {
        let id = self.intern(text, kind);
        self.numbered(id, blank)
    }

    fn numbered(&self, id: u32, blank: bool) -> Token {
        Token(id << 2 | u32::from(self.names[id as usize]) << 1 | u32::from(blank))
    }

    fn intern(&mut self, text: &str, kind: Kind) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = u32::try_from(self.texts.len()).unwrap_or(u32::MAX >> 2);
        self.texts.push(text.into());
        self.names.push(kind == Kind::Word);
        self.ids.insert(text.into(), id);
        if kind == Kind::Word {
            self.words.insert(text.into(), id);
        }
        self.text_bytes += text.len();
        id
    }

    /// The text of a token without white space.
    pub(super) fn text(&self, token: Token) -> &str {
        &self.texts[token.id() as usize]
    }

    /// Adds the tokens of a line and its end.
    pub(super) fn line(&mut self, line: &str, tokens: &mut Vec<Token>) {
        for piece in lex(line) {
            tokens.push(self.token(piece.text, piece.kind, piece.blank));
        }
        tokens.push(LINE_END);
    }

    /// The words that begin with a text, in alphabetical order.
    pub(super) fn words(&self, stem: &str, blank: bool) -> impl Iterator<Item = Token> {
        self.words
            .range::<str, _>((Bound::Included(stem), Bound::Unbounded))
            .take_while(move |(word, _)| word.starts_with(stem))
            .map(move |(_, id)| self.numbered(*id, blank))
    }

    /// Heap memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        // Two maps and a list hold each text, with 16 bytes of pointer and about 8 of allocation each.
        3 * (self.text_bytes + self.texts.len() * 28)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_cut_into_words_numbers_and_signs() {
        let check = |line: &str, expected: &str| {
            let pieces: Vec<_> =
                lex(line).map(|it| format!("{}{}", if it.blank { "·" } else { "" }, it.text)).collect();
            assert_eq!(pieces.join(" "), expected, "{line:?}");
        };
        check("    let mut größe = 0x1f;", "let ·mut ·größe ·= ·0x1f ;");
        check("a.b(c, d)", "a . b ( c , ·d )");
        check("\t$x->y", "$x - > y");
        check("  \t", "");
    }
}
