//! The learned tokens in order, with chains of positions that share a context.

use super::tokens::{BREAK, Token};

/// Number of tokens before a position that form its shape.
pub(super) const WINDOW_TOKENS: usize = 14;
/// Contexts by which positions are chained: the last token, the last two, the last four, the shape of the last
/// three.
pub(super) const CHAINS: usize = 4;
pub(super) const SHAPE_CHAIN: usize = CHAINS - 1;
/// Number of tokens of a shape that key a chain.
const SHAPE_TOKENS: usize = 3;
/// Tokens per head of each chain: at least this many, and less than twice as many.
const TOKENS_PER_HEAD: usize = 4;
/// Number of heads of each chain, as powers of two: minimum and maximum.
const HEAD_BITS: std::ops::RangeInclusive<u32> = 10..=16;

/// Learned tokens, latest last. About 15 bytes each.
#[derive(Debug)]
pub(super) struct TokenLog {
    pub(super) tokens: Vec<Token>,
    /// The distance to the previous position with the same key; zero at the end of a chain. A chain ends where
    /// the distance exceeds a link's range: so old a position carries little information.
    links: Vec<[u16; CHAINS]>,
    /// The newest position of each chain, plus one. Contexts that share a head share a chain; positions that do
    /// not match are skipped.
    heads: Vec<[u32; CHAINS]>,
}

impl TokenLog {
    /// An empty log with capacity for a number of tokens.
    pub(super) fn with_room(tokens: usize) -> Self {
        let bits = (tokens / TOKENS_PER_HEAD).max(1).ilog2();
        let heads = 1 << bits.clamp(*HEAD_BITS.start(), *HEAD_BITS.end());
        Self {
            tokens: Vec::with_capacity(tokens),
            links: Vec::with_capacity(tokens),
            heads: vec![[0; CHAINS]; heads],
        }
    }

    /// The index of the heads of a key's chains.
    fn head(&self, key: u32) -> usize {
        (key >> (u32::BITS - self.heads.len().ilog2())) as usize
    }

    /// Learns a token as the continuation of the previous ones.
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

    /// Adds a token as context only, without learning it.
    pub(super) fn push_context(&mut self, token: Token) {
        self.tokens.push(token);
        self.links.push([0; CHAINS]);
    }

    /// Ends a piece of text: later tokens have no context in it.
    pub(super) fn separate(&mut self) {
        self.push_context(BREAK);
    }

    /// Positions on a key's chain, newest first; some may have another context.
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

    /// Whether it holds many more tokens than planned, so that its chains have become long.
    pub(super) fn is_outgrown(&self) -> bool {
        self.tokens.len() > 8 * TOKENS_PER_HEAD * self.heads.len()
    }

    /// Releases unused capacity, except for a few lines.
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

/// The last tokens of a text, with each name replaced by a number: 0 for the latest name.
pub(super) struct Shape {
    codes: [u32; WINDOW_TOKENS],
    len: usize,
    /// The names, indexed by number.
    names: [Token; WINDOW_TOKENS],
    count: usize,
}

/// Distinguishes the code of a name from those of other tokens.
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

    /// The names, indexed by number.
    pub(super) fn names(&self) -> &[Token] {
        &self.names[..self.count]
    }

    /// The number of tokens at the end of another text that match this shape, up to `most`, and the names among them.
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
