//! A diff of two long lists whose work grows with their length alone.
//!
//! Items that are unique in both lists split them (the patience diff). Between two such items, a greedy search
//! for the shortest edit path (Myers) runs for a bounded number of differences, keeps its result, and restarts
//! there. So the diff is always correct, and minimal where the lists differ little.

use std::ops::Range;

use crate::budget;

/// Lists with fewer items than this together are compared exhaustively.
///
/// That takes a few milliseconds at worst.
pub(super) const FEW_ITEMS: usize = 1000;

/// Differences that one search may find before it stops and keeps its result.
const MOST_DIFFERENCES: usize = 128;
/// The maximum depth of splitting by unique items.
const MOST_LEVELS: usize = 6;

/// A kept item: its index in the old and in the new list.
type Pair = (usize, usize);

/// The kept items, in order.
///
/// `few` compares short lists exhaustively.
pub(super) fn kept(old: &[u32], new: &[u32], few: impl Fn(&[u32], &[u32]) -> Vec<Pair>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut open = vec![(0..old.len(), 0..new.len(), 0)];
    while let Some((mut a, mut b, level)) = open.pop() {
        budget::charge(a.len() + b.len());
        while !a.is_empty() && !b.is_empty() && old[a.start] == new[b.start] {
            pairs.push((a.start, b.start));
            (a.start, b.start) = (a.start + 1, b.start + 1);
        }
        while !a.is_empty() && !b.is_empty() && old[a.end - 1] == new[b.end - 1] {
            (a.end, b.end) = (a.end - 1, b.end - 1);
            pairs.push((a.end, b.end));
        }
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let (x, y) = (a.start, b.start);
        let of_part = |(at, to): Pair| (x + at, y + to);
        if a.len() + b.len() < FEW_ITEMS {
            pairs.extend(few(&old[a], &new[b]).into_iter().map(of_part));
            continue;
        }
        let anchors = if level < MOST_LEVELS { unique(old, new, &a, &b) } else { Vec::new() };
        if anchors.is_empty() {
            pairs.extend(greedy(&old[a], &new[b]).into_iter().map(of_part));
            continue;
        }
        for (at, to) in anchors {
            pairs.push((at, to));
            open.push((a.start..at, b.start..to, level + 1));
            (a.start, b.start) = (at + 1, to + 1);
        }
        open.push((a, b, level + 1));
    }
    pairs.sort_unstable();
    pairs
}

/// The longest sequence of items that are unique on both sides and in the same order there.
fn unique(old: &[u32], new: &[u32], a: &Range<usize>, b: &Range<usize>) -> Vec<Pair> {
    let once = |list: &[u32], range: &Range<usize>| {
        let mut items: Vec<(u32, usize)> = range.clone().map(|at| (list[at], at)).collect();
        items.sort_unstable();
        let mut single = Vec::new();
        for same in items.chunk_by(|one, next| one.0 == next.0) {
            if let [item] = same {
                single.push(*item);
            }
        }
        single
    };
    let (ours, theirs) = (once(old, a), once(new, b));
    let place = |item: u32| theirs.binary_search_by_key(&item, |it| it.0).ok().map(|at| theirs[at].1);
    let mut both: Vec<Pair> = ours.iter().filter_map(|(item, at)| Some((*at, place(*item)?))).collect();
    both.sort_unstable();
    // The last pair of the best sequence of each length, and the predecessor of each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(both.len());
    for (number, (_, to)) in both.iter().enumerate() {
        let length = ends.partition_point(|end| both[*end].1 < *to);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    let mut row: Vec<Pair> =
        std::iter::successors(ends.last().copied(), |at| before[*at]).map(|at| both[at]).collect();
    row.reverse();
    row
}

/// The kept items on a short edit path from one list to the other.
fn greedy(old: &[u32], new: &[u32]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let (mut x, mut y) = (0, 0);
    while x < old.len() && y < new.len() {
        let (way, end) = stretch(&old[x..], &new[y..]);
        pairs.extend(way.into_iter().map(|(at, to)| (x + at, y + to)));
        (x, y) = (x + end.0, y + end.1);
    }
    pairs
}

/// The edit path to the end, or as far as [`MOST_DIFFERENCES`] lead: its kept items and its end.
fn stretch(old: &[u32], new: &[u32]) -> (Vec<Pair>, Pair) {
    // For each number of differences, the furthest index in the old list on each diagonal: `x - y + middle`.
    let middle = MOST_DIFFERENCES + 1;
    let mut furthest: Vec<Option<usize>> = vec![None; 2 * middle + 1];
    let mut rounds: Vec<Vec<Option<usize>>> = Vec::new();
    let on = |diagonal: usize, x: usize| (x + middle).checked_sub(diagonal).filter(|y| *y <= new.len());
    let mut best = (0, middle);
    for differences in 0..=MOST_DIFFERENCES {
        budget::charge(middle);
        rounds.push(furthest.clone());
        for diagonal in (middle - differences..=middle + differences).step_by(2) {
            let start = match differences {
                0 => Some(0),
                _ => begin(&furthest, diagonal, old.len()),
            };
            let Some((from, y)) = start.and_then(|x| Some((x, on(diagonal, x)?))) else {
                furthest[diagonal] = None;
                continue;
            };
            let same = old[from..].iter().zip(&new[y..]).take_while(|(old, new)| old == new).count();
            budget::charge(1 + same);
            let (x, y) = (from + same, y + same);
            furthest[diagonal] = Some(x);
            if x + y >= best.0 {
                best = (x + y, diagonal);
            }
            if x == old.len() && y == new.len() {
                return back(&rounds, differences, diagonal, (x, y), old.len());
            }
        }
    }
    let (sum, diagonal) = best;
    let x = (sum + diagonal - middle) / 2;
    let last = (0..=MOST_DIFFERENCES).find(|it| {
        let after = rounds.get(it + 1).unwrap_or(&furthest);
        after[diagonal] == Some(x)
    });
    back(&rounds, last.unwrap_or(MOST_DIFFERENCES), diagonal, (x, sum - x), old.len())
}

/// Where a diagonal is entered with one more difference: an old item is deleted, or a new one inserted.
fn begin(furthest: &[Option<usize>], diagonal: usize, most: usize) -> Option<usize> {
    let gone = furthest[diagonal - 1].map(|x| x + 1).filter(|x| *x <= most);
    gone.max(furthest[diagonal + 1])
}

/// Follows an edit path back from its end.
fn back(
    rounds: &[Vec<Option<usize>>],
    differences: usize,
    mut diagonal: usize,
    end: Pair,
    most: usize,
) -> (Vec<Pair>, Pair) {
    let mut pairs = Vec::new();
    let (mut x, mut y) = end;
    for round in (0..=differences).rev() {
        let from = if round == 0 { 0 } else { begin(&rounds[round], diagonal, most).unwrap_or(0) };
        while x > from {
            (x, y) = (x - 1, y - 1);
            pairs.push((x, y));
        }
        if round > 0 {
            match rounds[round][diagonal - 1].is_some_and(|it| it + 1 == from) {
                true => (x, diagonal) = (x - 1, diagonal - 1),
                false => (y, diagonal) = (y - 1, diagonal + 1),
            }
        }
    }
    pairs.reverse();
    (pairs, end)
}
