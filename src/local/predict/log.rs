//! The tokens that were learned, in order, with chains of places that have a context in common.

use super::tokens::{BREAK, Token};

/// Tokens before a place that its shape is made of.
pub(super) const WINDOW_TOKENS: usize = 14;
/// Contexts by which places are chained: the last token, the last two, the last four, the shape of the last
/// three.
pub(super) const CHAINS: usize = 4;
pub(super) const SHAPE_CHAIN: usize = CHAINS - 1;
/// Tokens of a shape that a chain is keyed by.
const SHAPE_TOKENS: usize = 3;
/// Tokens for one head of each chain: at least so many, and less than twice as many.
const TOKENS_PER_HEAD: usize = 4;
/// Heads of each chain, as powers of two: the fewest and the most.
const HEAD_BITS: std::ops::RangeInclusive<u32> = 10..=16;

/// Tokens that were learned, the latest last. About 15 bytes each.
#[derive(Debug)]
pub(super) struct TokenLog {
    pub(super) tokens: Vec<Token>,
    /// How far back the place before with the same key is; zero at the end of a chain. A chain ends where
    /// that place is further away than a link can say: so old a place says little.
    links: Vec<[u16; CHAINS]>,
    /// The newest place of each chain, plus one. Contexts that share a head share a chain; what does not
    /// agree is passed over.
    heads: Vec<[u32; CHAINS]>,
}

impl TokenLog {
    /// An empty log that is about to take so many tokens.
    pub(super) fn with_room(tokens: usize) -> Self {
        let bits = (tokens / TOKENS_PER_HEAD).max(1).ilog2();
        let heads = 1 << bits.clamp(*HEAD_BITS.start(), *HEAD_BITS.end());
        Self {
            tokens: Vec::with_capacity(tokens),
            links: Vec::with_capacity(tokens),
            heads: vec![[0; CHAINS]; heads],
        }
    }

    /// Where the heads of a key's chains are.
    fn head(&self, key: u32) -> usize {
        (key >> (u32::BITS - self.heads.len().ilog2())) as usize
    }

    /// Learns a token as what follows those before it.
    pub(super) fn push(&mut self, token: Token) {
        let place = self.tokens.len();
        let keys = keys(&self.tokens, &Shape::of(&self.tokens));
        let next = u32::try_from(place + 1).unwrap_or(u32::MAX);
        let mut links = [0; CHAINS];
        for (chain, key) in keys.into_iter().enumerate() {
            if let Some(key) = key {
                let head = self.head(key);
                let last = std::mem::replace(&mut self.heads[head][chain], next);
                links[chain] = if last == 0 { 0 } else { u16::try_from(next - last).unwrap_or(0) };
            }
        }
        self.tokens.push(token);
        self.links.push(links);
    }

    /// Adds a token that is a context and nothing to learn.
    pub(super) fn push_context(&mut self, token: Token) {
        self.tokens.push(token);
        self.links.push([0; CHAINS]);
    }

    /// Ends a piece of text: what comes next has no context in it.
    pub(super) fn separate(&mut self) {
        self.push_context(BREAK);
    }

    /// Places whose chain has a key, the newest first; some may have another context.
    pub(super) fn places(&self, chain: usize, key: u32) -> impl Iterator<Item = usize> {
        let mut at = self.heads[self.head(key)][chain];
        std::iter::from_fn(move || {
            let place = (at as usize).checked_sub(1)?;
            at = match u32::from(self.links[place][chain]) {
                0 => 0,
                distance => at - distance,
            };
            Some(place)
        })
    }

    /// Whether it holds many more tokens than it was made for: its chains have become long.
    pub(super) fn is_outgrown(&self) -> bool {
        self.tokens.len() > 8 * TOKENS_PER_HEAD * self.heads.len()
    }

    /// Gives back the room that was not needed, but for some lines.
    pub(super) fn shrink(&mut self) {
        let room = self.tokens.len() + self.tokens.len() / 16;
        self.tokens.shrink_to(room);
        self.links.shrink_to(room);
    }

    /// Heap memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.tokens.capacity() * size_of::<Token>()
            + self.links.capacity() * size_of::<[u16; CHAINS]>()
            + self.heads.len() * size_of::<[u32; CHAINS]>()
    }
}

/// The last tokens of a text with each name as a number, 0 for the latest name.
pub(super) struct Shape {
    codes: [u32; WINDOW_TOKENS],
    len: usize,
    /// The names by their numbers.
    names: [Token; WINDOW_TOKENS],
    count: usize,
}

/// Marks the code of a name among those of other tokens.
const NAME: u32 = 1 << 31;

impl Shape {
    /// The shape of the end of a text.
    pub(super) fn of(tokens: &[Token]) -> Self {
        let mut shape = Self { codes: [0; WINDOW_TOKENS], len: 0, names: [BREAK; WINDOW_TOKENS], count: 0 };
        for token in tokens.iter().rev().take(WINDOW_TOKENS) {
            if *token == BREAK {
                break;
            }
            let code = shape.code(token.bare());
            shape.codes[shape.len] = code;
            shape.len += 1;
        }
        shape
    }

    fn code(&mut self, token: Token) -> u32 {
        if !token.is_name() {
            return token.0;
        }
        let number = self.names().iter().position(|name| *name == token).unwrap_or_else(|| {
            self.names[self.count] = token;
            self.count += 1;
            self.count - 1
        });
        NAME | number as u32
    }

    /// The names by their numbers.
    pub(super) fn names(&self) -> &[Token] {
        &self.names[..self.count]
    }

    /// How many tokens at the end of another text have this shape, up to `most`, and the names among those.
    pub(super) fn agreement(&self, tokens: &[Token], most: usize) -> (usize, Self) {
        let mut other = Self { codes: [0; WINDOW_TOKENS], len: 0, names: [BREAK; WINDOW_TOKENS], count: 0 };
        for token in tokens.iter().rev().take(most.min(self.len)) {
            let count = other.count;
            if *token == BREAK || other.code(token.bare()) != self.codes[other.len] {
                other.count = count;
                break;
            }
            other.len += 1;
        }
        (other.len, other)
    }
}

/// The keys of the chains at the end of a text.
pub(super) fn keys(tokens: &[Token], shape: &Shape) -> [Option<u32>; CHAINS] {
    let mix = |hash: u32, value: u32| (hash.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B1);
    let mut keys = [None; CHAINS];
    let mut hash = 0x1234_5678;
    for (n, token) in tokens.iter().rev().take(4).take_while(|token| **token != BREAK).enumerate() {
        hash = mix(hash, token.bare().0);
        match n {
            0 => keys[0] = Some(hash),
            1 => keys[1] = Some(hash),
            3 => keys[2] = Some(hash),
            _ => {}
        }
    }
    if shape.len >= SHAPE_TOKENS {
        let codes = shape.codes[..SHAPE_TOKENS].iter();
        keys[SHAPE_CHAIN] = Some(codes.fold(0x8765_4321, |hash, code| mix(hash, *code)));
    }
    keys
}
