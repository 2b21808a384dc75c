//! Minimal edits between two texts: by lines first, then by tokens inside small hunks.
//!
//! Unchanged text is not touched, so a cursor or a mark there stays in place. No edit begins or ends inside a
//! character or inside a `\r\n` pair.

mod bounded;

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use similar::udiff::UnifiedHunkHeader;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use super::{Edit, line, shifted};

/// A hunk with a side longer than this (bytes) is replaced by whole lines.
const HUNK_BYTES: usize = 1024;
/// A hunk with a side of more lines than this is replaced by whole lines.
const HUNK_LINES: usize = 12;
/// Lines above and below a change that a unified diff shows.
const CONTEXT_LINES: usize = 3;
/// Returns the edits that turn a range of `text` into `new`.
pub fn minimal_within(text: &str, range: &Range<usize>, new: &str) -> Vec<Edit> {
    shifted(minimal(&text[range.clone()], new), range.start)
}

/// Returns the edits that turn `old` into `new`.
///
/// They are sorted and disjoint; there are none if the texts are equal.
pub fn minimal(old: &str, new: &str) -> Vec<Edit> {
    let (start, old_end, new_end) = changed_lines(old, new);
    let (old, new) = (&old[start..old_end], &new[start..new_end]);
    let mut edits = Vec::new();
    if old.is_empty() || new.is_empty() {
        refine(old, new, start, &mut edits);
        return edits;
    }
    let (old_lines, new_lines) = (line::split(old), line::split(new));
    if old_lines.len() == 1 || new_lines.len() == 1 {
        refine(old, new, start, &mut edits);
        return edits;
    }
    let (mut old_at, mut new_at) = (0, 0);
    let (mut old_line, mut new_line) = (0, 0);
    for op in by(Algorithm::Patience, &old_lines, &new_lines) {
        let (tag, old_range, new_range) = op.as_tag_tuple();
        debug_assert!(old_range.start == old_line && new_range.start == new_line);
        let old_len: usize = old_lines[old_range.clone()].iter().map(|line| line.len()).sum();
        let new_len: usize = new_lines[new_range.clone()].iter().map(|line| line.len()).sum();
        if tag != DiffTag::Equal {
            refine(
                &old[old_at..old_at + old_len],
                &new[new_at..new_at + new_len],
                start + old_at,
                &mut edits,
            );
        }
        (old_at, new_at) = (old_at + old_len, new_at + new_len);
        (old_line, new_line) = (old_range.end, new_range.end);
    }
    edits
}

/// Returns the diff of two lists.
///
/// The work grows with their lengths alone, however much they differ.
pub(crate) fn ops<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    by(Algorithm::Myers, old, new)
}

/// Returns the diff of two lists of lines, in which lines that are unique on both sides match first.
pub(crate) fn line_ops(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    by(Algorithm::Patience, old, new)
}

/// A hunk of a unified diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'t> {
    /// Its header: `@@ -1,2 +1,3 @@`.
    pub header: String,
    /// Its lines, each with its marker: `+`, `-` or a space.
    pub lines: Vec<(char, &'t str)>,
}

/// The hunks between two texts, with three lines of context.
pub fn hunks<'t>(old: &'t str, new: &'t str) -> Vec<Hunk<'t>> {
    let (old, new) = (line::split(old), line::split(new));
    let hunk = |ops: Vec<DiffOp>| {
        let mut lines = Vec::new();
        for op in &ops {
            match op.tag() {
                DiffTag::Equal => lines.extend(old[op.old_range()].iter().map(|line| (' ', *line))),
                _ => {
                    lines.extend(old[op.old_range()].iter().map(|line| ('-', *line)));
                    lines.extend(new[op.new_range()].iter().map(|line| ('+', *line)));
                }
            }
        }
        Hunk { header: UnifiedHunkHeader::new(&ops).to_string(), lines }
    };
    let groups = group_diff_ops(ops(&old, &new), CONTEXT_LINES);
    groups.into_iter().filter(|ops| !ops.is_empty()).map(hunk).collect()
}

/// As [`ops`], by the given algorithm for short lists.
fn by<T: Eq + Hash>(algorithm: Algorithm, old: &[T], new: &[T]) -> Vec<DiffOp> {
    let (old, new) = intern(old, new);
    if old.len() + new.len() < bounded::FEW_ITEMS {
        return capture_diff_slices(algorithm, &old, &new);
    }
    let few = |old: &[u32], new: &[u32]| {
        let equal =
            capture_diff_slices(algorithm, old, new).into_iter().filter(|it| it.tag() == DiffTag::Equal);
        equal.flat_map(|op| op.old_range().zip(op.new_range())).collect()
    };
    let mut ops = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    let kept = bounded::kept(&old, &new, few);
    for run in kept.chunk_by(|one, next| (one.0 + 1, one.1 + 1) == *next) {
        let (old_index, new_index) = run[0];
        ops.extend(changed(old_at..old_index, new_at..new_index));
        ops.push(DiffOp::Equal { old_index, new_index, len: run.len() });
        (old_at, new_at) = (old_index + run.len(), new_index + run.len());
    }
    ops.extend(changed(old_at..old.len(), new_at..new.len()));
    ops
}

/// The operation that replaces the items of one range by those of the other.
fn changed(old: Range<usize>, new: Range<usize>) -> Option<DiffOp> {
    let (old_index, old_len, new_index, new_len) = (old.start, old.len(), new.start, new.len());
    match (old_len, new_len) {
        (0, 0) => None,
        (_, 0) => Some(DiffOp::Delete { old_index, old_len, new_index }),
        (0, _) => Some(DiffOp::Insert { old_index, new_index, new_len }),
        _ => Some(DiffOp::Replace { old_index, old_len, new_index, new_len }),
    }
}

/// Narrows two texts to the whole lines that differ: `(start, end in old, end in new)`.
fn changed_lines(old: &str, new: &str) -> (usize, usize, usize) {
    let (prefix, suffix) = common_affixes(old, new);
    let start = old[..prefix].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    // The suffix begins at a line only where both texts have a line end right before it.
    let tail = &old[old.len() - suffix..];
    let starts_line = |text: &str| {
        let before = &text[..text.len() - suffix];
        before.is_empty() || before.ends_with(['\n', '\r'])
    };
    let cut = if starts_line(old) && starts_line(new) { 0 } else { line::first_end(tail) };
    (start, old.len() - suffix + cut, new.len() - suffix + cut)
}

/// How many bytes two texts share at the start and, apart from those, at the end.
fn common_affixes(old: &str, new: &str) -> (usize, usize) {
    let (a, b) = (old.as_bytes(), new.as_bytes());
    let mut prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    while !is_boundary(old, prefix) || !is_boundary(new, prefix) {
        prefix -= 1;
    }
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let mut suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    while !is_boundary(old, old.len() - suffix) || !is_boundary(new, new.len() - suffix) {
        suffix -= 1;
    }
    (prefix, suffix)
}

/// Whether an edit may begin or end here: between characters, and not inside a `\r\n` pair.
fn is_boundary(text: &str, at: usize) -> bool {
    text.is_char_boundary(at) && !(text[..at].ends_with('\r') && text[at..].starts_with('\n'))
}

/// Maps equal items to equal numbers, which are faster to compare.
fn intern<T: Eq + Hash>(old: &[T], new: &[T]) -> (Vec<u32>, Vec<u32>) {
    let mut seen: HashMap<&T, u32> = HashMap::with_capacity(old.len());
    let mut number = |item| {
        let next = seen.len() as u32;
        *seen.entry(item).or_insert(next)
    };
    (old.iter().map(&mut number).collect(), new.iter().map(&mut number).collect())
}

/// Adds the edits of one hunk, whose old text begins at byte `at`.
fn refine(old: &str, new: &str, at: usize, edits: &mut Vec<Edit>) {
    let (prefix, suffix) = common_affixes(old, new);
    let (old_rest, new_rest) = (&old[prefix..old.len() - suffix], &new[prefix..new.len() - suffix]);
    if old_rest.is_empty() && new_rest.is_empty() {
        return;
    }
    let small = |text: &str| text.len() <= HUNK_BYTES && line::split_iter(text).nth(HUNK_LINES).is_none();
    if old_rest.is_empty() || new_rest.is_empty() {
        edits.push(Edit::new(at + prefix..at + old.len() - suffix, new_rest));
    } else if !small(old) || !small(new) {
        edits.push(Edit::new(at..at + old.len(), new));
    } else {
        by_tokens(old, new, at, edits);
    }
}

/// Adds one edit for each run of differing tokens, or a single one around them all.
///
/// It is a single one if the texts share too little for the parts to make sense to a reader.
fn by_tokens(old: &str, new: &str, at: usize, edits: &mut Vec<Edit>) {
    let (old_tokens, new_tokens) = (tokens(old), tokens(new));
    let bytes = |tokens: &[&str]| -> usize { tokens.iter().map(|token| token.len()).sum() };
    let visible = |tokens: &[&str]| -> usize { tokens.iter().map(|token| token.trim().len()).sum() };
    let first = edits.len();
    let mut shared = 0;
    let (mut old_at, mut new_at) = (0, 0);
    for op in ops(&old_tokens, &new_tokens) {
        let old_end = old_at + bytes(&old_tokens[op.old_range()]);
        let new_end = new_at + bytes(&new_tokens[op.new_range()]);
        if op.tag() == DiffTag::Equal {
            shared += visible(&old_tokens[op.old_range()]);
        } else {
            edits.push(narrowed(&old[old_at..old_end], &new[new_at..new_end], at + old_at));
        }
        (old_at, new_at) = (old_end, new_end);
    }
    if let [head, .., tail] = &edits[first..]
        && shared * 3 < visible(&old_tokens).min(visible(&new_tokens))
    {
        let (start, end) = (head.span.start, tail.span.end);
        let new_start = start - at;
        let new_end = new.len() - (at + old.len() - end);
        edits.truncate(first);
        edits.push(Edit::new(start..end, &new[new_start..new_end]));
    }
}

/// The edit of one run of tokens; narrowed to letters if it is a pure insertion or deletion.
fn narrowed(old: &str, new: &str, at: usize) -> Edit {
    let (prefix, suffix) = common_affixes(old, new);
    if prefix + suffix == old.len().min(new.len()) {
        Edit::new(at + prefix..at + old.len() - suffix, &new[prefix..new.len() - suffix])
    } else {
        Edit::new(at..at + old.len(), new)
    }
}

/// Splits a text into words, runs of spaces and tabs, line ends and single punctuation characters.
fn tokens(text: &str) -> Vec<&str> {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        Word,
        Blank,
        Sign,
    }
    // Non-ASCII characters count as letters, so that a combining mark or a joined emoji is never split from its
    // base.
    let class = |letter: char| match letter {
        ' ' | '\t' => Class::Blank,
        '_' => Class::Word,
        letter if letter.is_ascii_alphanumeric() || !letter.is_ascii() => Class::Word,
        _ => Class::Sign,
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, letter) in text.char_indices() {
        let this = class(letter);
        let pair = letter == '\n' && text[..at].ends_with('\r');
        if last.is_some_and(|last| last != this || this == Class::Sign) && !pair {
            tokens.push(&text[start..at]);
            start = at;
        }
        last = Some(this);
    }
    if start < text.len() {
        tokens.push(&text[start..]);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{apply, in_order};

    /// `marked` is the old text with its edits written into it: `«old|new»`.
    #[track_caller]
    fn check(marked: &str) {
        let (mut old, mut expected) = (String::new(), Vec::new());
        let mut rest = marked;
        while let Some((before, after)) = rest.split_once('«') {
            let (inner, after) = after.split_once('»').unwrap();
            let (gone, come) = inner.split_once('|').unwrap();
            old.push_str(before);
            expected.push(Edit::new(old.len()..old.len() + gone.len(), come));
            old.push_str(gone);
            rest = after;
        }
        old.push_str(rest);
        let new = apply(&old, &expected);
        let edits = minimal(&old, &new);
        assert!(in_order(&old, &edits));
        assert_eq!(apply(&old, &edits), new);
        assert_eq!(edits, expected);
    }

    #[test]
    fn equal_texts_have_no_edits() {
        check("");
        check("a\nb\r\n");
    }

    #[test]
    fn tokens_inside_a_line() {
        check("let «total|sum» = price * «count|amount»;\n");
        check("a\nfn f(a: u8«|, b: u8») {}\nb\n");
        check("«naïve_é|naïve_è» = «1|2» + compute()\n");
        check("foo«|bar»(x)\n");
    }

    #[test]
    fn lines_that_come_and_go() {
        check("a\n«|b\n»c\n");
        check("a\n«b\n|»c\n");
        check("«|first\n»a\n");
        check("a«|\nlast»");
        check("a«\n|»");
        check("one\n«|new\n»two\nthree\n«four\n|»five\nsix\n");
    }

    #[test]
    fn line_ends_are_never_halved() {
        check("a«\n|\r\n»b");
        check("a«\r\n|\n»b\r\n");
        check("a«\r|\r\n»b");
        check("«|\n»\r\n");
    }

    #[test]
    fn unlike_lines_are_replaced_whole() {
        check("x\n«return alpha;|while (beta) { gamma() }»\ny\n");
    }

    #[test]
    fn marks_outside_small_hunks_stay() {
        let old = (0..200).map(|n| format!("line {n}\n")).collect::<String>();
        let new = old.replace("line 3\n", "line three\n").replace("line 150\n", "");
        let edits = minimal(&old, &new);
        assert_eq!(apply(&old, &edits), new);
        assert!(edits.iter().map(|edit| edit.span.len() + edit.text.len()).sum::<usize>() < 20, "{edits:?}");
    }

    #[test]
    fn hostile_texts_do_not_hang() {
        let old = (0..60_000).map(|n| format!("{}\n", n % 7)).collect::<String>();
        let new = (0..60_000_u64).map(|n| format!("{}\n", n * n % 11)).collect::<String>();
        assert_eq!(apply(&old, &minimal(&old, &new)), new);
        let (old, new) = ("ab".repeat(200_000), "ba ".repeat(200_000));
        assert_eq!(apply(&old, &minimal(&old, &new)), new);
    }
}
