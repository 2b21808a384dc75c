//! The items of language servers that a suggestion is made of, so that the servers can be told what became of them.

use std::ops::Range;

/// How much of an item was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AcceptedItem {
    /// The number of the item.
    pub item: u64,
    /// The UTF-16 units of its text that were accepted so far.
    pub units: usize,
    /// Whether nothing of it is left.
    pub is_whole: bool,
}

/// The items behind the text of one suggestion.
#[derive(Debug, Default)]
pub(super) struct Items {
    /// Each with the byte of the suggestion where its text begins; it ends where the next one begins.
    begin: Vec<(usize, u64)>,
    /// The end of the text whose acceptance was reported.
    reported: usize,
}

impl Items {
    /// Records that the text from a byte on is that of an item.
    pub(super) fn add(&mut self, start: usize, item: u64) {
        self.begin.push((start, item));
    }

    /// The items in a part of the suggestion, each with its span.
    fn within(&self, range: Range<usize>, end: usize) -> impl Iterator<Item = (u64, Range<usize>)> {
        let next = self.begin.iter().skip(1).map(|(start, _)| *start).chain([end]);
        let spans = self.begin.iter().zip(next).map(|((start, item), end)| (*item, *start..end));
        spans.filter(move |(_, span)| span.start < range.end && range.start < span.end)
    }

    /// The items in a part of the suggestion's text.
    pub(super) fn shown(&self, text: &str, range: Range<usize>) -> Vec<u64> {
        self.within(range, text.len()).map(|(item, _)| item).collect()
    }

    /// The items of which more was accepted since the last call, now that the text is accepted up to a byte.
    pub(super) fn accepted(&mut self, text: &str, to: usize) -> Vec<AcceptedItem> {
        let from = self.reported;
        if to <= from {
            return Vec::new();
        }
        self.reported = to;
        let accepted = |(item, span): (u64, Range<usize>)| {
            let units = text[span.start..to.min(span.end)].encode_utf16().count();
            AcceptedItem { item, units, is_whole: span.end <= to }
        };
        self.within(from..to, text.len()).map(accepted).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_reported_with_what_is_accepted_of_it() {
        let (text, mut items) = ("a😀b\ncd", Items::default());
        assert_eq!((items.shown(text, 0..8), items.accepted(text, 3)), (Vec::new(), Vec::new()));
        let mut items = Items { reported: 0, ..items };
        items.add(0, 1);
        items.add(6, 2);
        assert_eq!((items.shown(text, 0..6), items.shown(text, 3..8)), (vec![1], vec![1, 2]));
        let mut check = |to, expected: &[(u64, usize, bool)]| {
            let accepted = items.accepted(text, to);
            let accepted: Vec<_> = accepted.iter().map(|it| (it.item, it.units, it.is_whole)).collect();
            assert_eq!(accepted, expected, "{to}");
        };
        check(5, &[(1, 3, false)]);
        check(5, &[]);
        check(7, &[(1, 4, true), (2, 1, false)]);
        check(9, &[(2, 3, true)]);
        check(9, &[]);
    }
}
