//! Splits lines into tokens, and interns tokens as numbers.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use crate::local::limits::LINE_BYTES;
use crate::text::ident::is_part_or_dollar;

/// The lines of a text that are learned.
pub(super) fn learnable(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines().filter(|line| line.len() <= LINE_BYTES && !line.trim().is_empty())
}

/// The kind of a piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Letters, digits, `_` and `$`, not beginning with a digit.
    Word,
    /// The same characters, beginning with a digit.
    Number,
    /// One other character.
    Sign,
}

/// A piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'l> {
    pub(super) text: &'l str,
    pub(super) kind: TokenKind,
    /// Whether white space precedes it, except indentation.
    pub(super) blank: bool,
    /// Its start in the line (bytes).
    pub(super) start: usize,
}

pub(super) fn lex(line: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = line.get(at..)?;
        let text = rest.trim_start();
        let first = text.chars().next()?;
        let start = at + rest.len() - text.len();
        let kind = match first {
            first if first.is_numeric() => TokenKind::Number,
            first if is_part_or_dollar(first) => TokenKind::Word,
            _ => TokenKind::Sign,
        };
        let len = match kind {
            TokenKind::Sign => first.len_utf8(),
            TokenKind::Word | TokenKind::Number => {
                text.find(|letter| !is_part_or_dollar(letter)).unwrap_or(text.len())
            }
        };
        let blank = at > 0 && start > at;
        at = start + len;
        Some(Piece { text: &text[..len], kind, blank, start })
    })
}

/// A token as a number: `id << 2 | is a name << 1 | is preceded by white space`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Token(pub(super) u32);

/// The end of a line.
pub(super) const LINE_END: Token = Token(0);
/// The start of a piece of learned text; unequal to any token of a text.
pub(super) const BREAK: Token = Token(1 << 2);

impl Token {
    pub(super) fn id(self) -> u32 {
        self.0 >> 2
    }

    /// Whether it is a name, which a shape replaces by a number. Keywords are not names.
    pub(super) fn is_name(self) -> bool {
        self.0 & 2 != 0
    }

    pub(super) fn has_blank(self) -> bool {
        self.0 & 1 != 0
    }

    /// The same token without preceding white space.
    pub(super) fn bare(self) -> Self {
        Self(self.0 & !1)
    }

    /// The same token with the white space of another one.
    pub(super) fn spaced_like(self, other: Self) -> Self {
        Self(self.0 & !1 | other.0 & 1)
    }
}

/// Keywords of any language; a shape keeps them as they are.
const KEYWORDS: &str = "abstract and as assert async await base bool boolean break byte case catch char chan class \
    const continue crate debugger def default defer del delete do double dyn elif else enum except export extends \
    extern fallthrough false False final finally float fn for foreach from func function global go goto if impl \
    implements import in include inline instanceof int interface is lambda let long loop match mod move mut namespace \
    new nil None nonlocal not null number object or package pass pub private protected public raise range ref return \
    select self Self short signed sizeof static string struct super switch this throw throws trait true True try type \
    typedef typeof union unsafe unsigned use using var void volatile where while with yield";

/// How often a token was learned, and when it was last.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Uses {
    pub(super) count: u32,
    /// Number of tokens learned before its last use.
    pub(super) last: u32,
}

/// An interner for the texts of tokens, shared by all files.
pub(super) struct Vocabulary {
    ids: HashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
    names: Vec<bool>,
    /// Uses in all files.
    uses: Vec<Uses>,
    /// Words in alphabetical order, for lookups by prefix.
    words: BTreeMap<Arc<str>, u32>,
    text_bytes: usize,
    /// Number of tokens learned so far.
    learned: u32,
}

impl Default for Vocabulary {
    fn default() -> Self {
        let mut vocabulary = Self {
            ids: HashMap::new(),
            texts: Vec::new(),
            names: Vec::new(),
            uses: Vec::new(),
            words: BTreeMap::new(),
            text_bytes: 0,
            learned: 0,
        };
        // The first two are LINE_END and BREAK.
        vocabulary.intern("\n", TokenKind::Sign);
        vocabulary.intern("\0", TokenKind::Sign);
        for keyword in KEYWORDS.split_whitespace() {
            let id = vocabulary.intern(keyword, TokenKind::Word) as usize;
            vocabulary.names[id] = false;
        }
        vocabulary
    }
}

impl Vocabulary {
    pub(super) fn token(&mut self, text: &str, kind: TokenKind, blank: bool) -> Token {
        let id = self.intern(text, kind);
        self.numbered(id, blank)
    }

    fn numbered(&self, id: u32, blank: bool) -> Token {
        Token(id << 2 | u32::from(self.names[id as usize]) << 1 | u32::from(blank))
    }

    fn intern(&mut self, text: &str, kind: TokenKind) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = u32::try_from(self.texts.len()).unwrap_or(u32::MAX >> 2);
        let text: Arc<str> = text.into();
        self.text_bytes += text.len();
        self.texts.push(Arc::clone(&text));
        self.names.push(kind == TokenKind::Word);
        self.uses.push(Uses::default());
        if kind == TokenKind::Word {
            self.words.insert(Arc::clone(&text), id);
        }
        self.ids.insert(text, id);
        id
    }

    /// The text of a token, without white space.
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

    /// Counts a use of a token, also in `uses`, which are of one file.
    pub(super) fn learn(&mut self, token: Token, uses: &mut HashMap<u32, Uses>) {
        self.learned = self.learned.saturating_add(1);
        for uses in [&mut self.uses[token.id() as usize], uses.entry(token.id()).or_default()] {
            *uses = Uses { count: uses.count + 1, last: self.learned };
        }
    }

    /// Subtracts the uses of a forgotten file.
    pub(super) fn forget(&mut self, uses: &HashMap<u32, Uses>) {
        for (id, gone) in uses {
            self.uses[*id as usize].count -= gone.count;
        }
    }

    pub(super) fn uses(&self, token: Token) -> Uses {
        self.uses[token.id() as usize]
    }

    /// Whether a text was learned as a whole token.
    pub(super) fn has_learned(&self, text: &str) -> bool {
        self.ids.get(text).is_some_and(|id| self.uses[*id as usize].count > 0)
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
        // A text is stored once, with a header of 16 bytes and about 8 bytes of overhead; three pointers of 16
        // bytes refer to it.
        self.text_bytes + self.texts.len() * (24 + 3 * 16 + 3 * size_of::<u32>() + size_of::<Uses>())
    }
}

/// The typed part of the token at the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stem<'t> {
    /// Whether white space precedes it.
    pub blank: bool,
    /// Its letters so far.
    pub text: &'t str,
}

impl Stem<'_> {
    /// 0: nothing typed; 1: white space; 2: one or two letters; 3: more.
    pub(super) fn kind(&self) -> usize {
        match (self.blank, self.text.chars().count()) {
            (false, 0) => 0,
            (true, 0) => 1,
            (_, 1..=2) => 2,
            _ => 3,
        }
    }

    /// Whether a token continues it. An equal word does: it may end here.
    pub(super) fn takes(&self, token: Token, vocabulary: &Vocabulary) -> bool {
        match self.kind() {
            0 => true,
            1 => token.has_blank(),
            _ => {
                token != LINE_END
                    && token.has_blank() == self.blank
                    && vocabulary.text(token).starts_with(self.text)
            }
        }
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
