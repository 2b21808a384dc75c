//! Facts about secrets that follow from a single line, cached between scans.
//!
//! Consecutive scanned texts are nearly the same: the window around the cursor before and after a key, and the
//! prompt made of it. The positions of the literals of [`ANCHORS`](super::anchors) that may begin a secret, and the
//! quoted texts that look random, depend only on the line, so they are cached by a hash of the line. Most lines are
//! not even looked up individually: a [`Piece`] is a run of lines, cached by its own hash. The text after a literal
//! may span lines, and is parsed each time.
//!
//! Neither a line nor a part of one is stored.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use super::anchors::Anchors;
use super::memo::{Hashes, Memo};
use super::random::{self, LineKind};
use crate::lock::Mutex;
use crate::privacy::limits::{KEPT_LINES, KEPT_PIECES, KEPT_TEXT_BYTES, PIECE_BYTES};

/// The facts about a line. Positions are bytes from its start.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LineFacts {
    /// The positions of literals that may begin a secret, each with the longest literal there.
    pub(super) hits: Vec<(usize, usize)>,
    pub(super) kind: LineKind,
    /// Quoted texts that look random.
    pub(super) literals: Vec<Range<usize>>,
}

impl LineFacts {
    fn of(anchors: Option<&Anchors>, line: &str) -> Self {
        let mut facts = Self { kind: random::line_kind(line), ..Self::default() };
        if let Some(anchors) = anchors {
            anchors.find(line.as_bytes(), |literal, at| {
                if anchors.may_begin(line, literal, at) {
                    facts.hits.push((at, literal));
                }
            });
        }
        if matches!(facts.kind, LineKind::Plain { .. }) {
            random::quoted_literals(line, |span| facts.literals.push(span));
        }
        facts
    }
}

/// Visits the lines of a text with their positions. Adjacent lines without facts are visited as one.
pub(super) fn each(anchors: Option<&Anchors>, text: &str, mut visit: impl FnMut(Range<usize>, &LineFacts)) {
    // A large text would evict the entries that the next scan needs.
    let kept = if text.len() <= KEPT_TEXT_BYTES { KEPT.try_lock() } else { None };
    let Some(mut kept) = kept else {
        return lines(text).for_each(|line| visit(line.clone(), &LineFacts::of(anchors, &text[line])));
    };
    let mut start = 0;
    while start < text.len() {
        let end = piece_end(text, start);
        match kept.piece(anchors, &text[start..end]) {
            None => visit(start..end, &PLAIN),
            Some(piece) => {
                for (line, facts) in piece.iter() {
                    visit(start + line.start..start + line.end, facts.get());
                }
            }
        }
        start = end;
    }
}

/// The lines of a text, including their terminators.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).chain([text.len()]);
    ends.map(move |end| std::mem::replace(&mut start, end)..end).filter(|line| !line.is_empty())
}

/// The end of the piece that starts at `start`: the end of a line.
fn piece_end(text: &str, start: usize) -> usize {
    let least = start + PIECE_BYTES - 1;
    let rest = text.as_bytes().get(least..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(text.len(), |at| least + at + 1)
}

/// A scan works without it rather than wait for another thread. It is usable after a panic, since whole values are
/// inserted.
static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);

/// The facts of recently scanned lines and pieces.
struct Kept {
    hashes: Hashes,
    lines: Memo<KeptFacts>,
    pieces: Memo<Piece>,
}

/// The facts of a run of lines, with their positions from its start; `None` if there are no facts.
type Piece = Option<Arc<[(Range<usize>, KeptFacts)]>>;

/// The facts of a line. Nearly all lines have none, and these take no memory.
#[derive(Clone)]
enum KeptFacts {
    Short,
    Plain,
    Interesting(Arc<LineFacts>),
}

static SHORT: LineFacts = LineFacts { hits: Vec::new(), kind: LineKind::Short, literals: Vec::new() };
static PLAIN: LineFacts =
    LineFacts { hits: Vec::new(), kind: LineKind::Plain { begins: None, ends: false }, literals: Vec::new() };

impl KeptFacts {
    fn new(facts: LineFacts) -> Self {
        match facts {
            facts if facts == SHORT => Self::Short,
            facts if facts == PLAIN => Self::Plain,
            facts => Self::Interesting(Arc::new(facts)),
        }
    }

    fn get(&self) -> &LineFacts {
        match self {
            Self::Short => &SHORT,
            Self::Plain => &PLAIN,
            Self::Interesting(facts) => facts,
        }
    }

    /// Whether the line affects neither secrets nor key blocks: short lines count as plain ones here.
    fn is_irrelevant(&self) -> bool {
        matches!(self, Self::Short | Self::Plain)
    }
}

impl Default for Kept {
    fn default() -> Self {
        Self { hashes: Hashes::default(), lines: Memo::new(KEPT_LINES), pieces: Memo::new(KEPT_PIECES) }
    }
}

impl Kept {
    fn piece(&mut self, anchors: Option<&Anchors>, text: &str) -> Piece {
        let key = self.hashes.of(text);
        if let Some(piece) = self.pieces.get(key) {
            return piece;
        }
        let mut facts: Vec<(Range<usize>, KeptFacts)> = Vec::new();
        for line in lines(text) {
            let next = self.line(anchors, &text[line.clone()]);
            match facts.last_mut() {
                Some((run, last)) if last.is_irrelevant() && next.is_irrelevant() => run.end = line.end,
                _ if next.is_irrelevant() => facts.push((line, KeptFacts::Plain)),
                _ => facts.push((line, next)),
            }
        }
        let piece = facts.iter().any(|(_, it)| !it.is_irrelevant()).then(|| facts.into());
        self.pieces.insert(key, Piece::clone(&piece));
        piece
    }

    fn line(&mut self, anchors: Option<&Anchors>, line: &str) -> KeptFacts {
        let key = self.hashes.of(line);
        self.lines.get(key).unwrap_or_else(|| {
            let facts = KeptFacts::new(LineFacts::of(anchors, line));
            self.lines.insert(key, facts.clone());
            facts
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_facts_are_those_of_the_line() {
        let anchors = super::super::ANCHORS.as_ref();
        let mut kept = Kept::default();
        let line = |number: usize| format!("let key_{number} = password(\"{number}\");\n");
        for number in (0..3 * KEPT_LINES).chain(0..9).chain(0..9) {
            let line = line(number);
            assert_eq!(*kept.line(anchors, &line).get(), LineFacts::of(anchors, &line));
            assert!(kept.lines.len() <= 2 * KEPT_LINES);
        }
    }

    /// The facts of the lines of a text that have any.
    fn told(look: impl FnOnce(&mut dyn FnMut(Range<usize>, &LineFacts))) -> Vec<(Range<usize>, String)> {
        let mut told = Vec::new();
        look(&mut |line, facts| {
            if *facts != PLAIN && *facts != SHORT {
                told.push((line, format!("{facts:?}")));
            }
        });
        told
    }

    #[test]
    fn pieces_say_what_their_lines_say() {
        let anchors = super::super::ANCHORS.as_ref();
        let kinds = ["}\n", "let area = width * height;\n", "password = \"x\"\n", "\n", "a = 'b'\r\n"];
        let mut text = String::new();
        for number in 0..400 {
            text.push_str(kinds[(number * number + number / 5) % kinds.len()]);
            if number % 50 == 0 {
                text.push_str(&"k".repeat(number * 4));
            }
            let alone =
                told(|tell| lines(&text).for_each(|it| tell(it.clone(), &LineFacts::of(anchors, &text[it]))));
            assert!(number < 9 || alone.len() > number / 9, "{number}");
            assert_eq!(told(|tell| each(anchors, &text, tell)), alone);
        }
    }
}
