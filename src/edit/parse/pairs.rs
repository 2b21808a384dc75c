//! Old and new code in two fences: "Replace: … with: …", "Before: … After: …".

use std::collections::HashSet;

use super::block;
use super::event::Event;
use super::fence::{self, Fence};
use crate::edit::line;
use crate::edit::runs::{has_word_chars, visible};
use crate::text::ident;
use crate::text::occurrences::occurrences;

/// The most words between the two fences of a pair. More may be about other code.
const MOST_WORDS: usize = 8;

/// Words that announce old code.
const BEFORE: [&str; 11] = [
    "before",
    "change",
    "current",
    "currently",
    "existing",
    "find",
    "from",
    "old",
    "original",
    "replace",
    "this",
];

/// Words that announce the code in its place.
const AFTER: [&str; 9] = ["after", "becomes", "by", "into", "new", "should", "to", "updated", "with"];

/// The most pairs in one reply: each is looked for in all of the file.
const MOST_PAIRS: usize = 50;

/// Reads a reply of which all fences are pairs of old code, which `text` has as consecutive lines, and new code.
///
/// `None` if they are not, or if the new code of a pair seems to be all of the text and not the quoted part of it.
pub(super) fn read(answer: &str, text: &str) -> Option<Vec<Event>> {
    let fences = fence::blocks(answer);
    if fences.is_empty() || fences.len() % 2 == 1 || fences.len() / 2 > MOST_PAIRS {
        return None;
    }
    let lines: Vec<&str> = visible(text);
    let mut at = 0;
    let mut blocks = Vec::new();
    for pair in fences.chunks_exact(2) {
        let [old, new] = pair else { return None };
        let above =
            line::split_iter(&answer[at..old.span.start]).filter(|line| !line::is_blank(line)).last()?;
        let between = &answer[old.span.end..new.span.start];
        at = new.span.end;
        let is_pair = old.closed && new.closed && has_any(above, &BEFORE) && has_any(between, &AFTER);
        if !is_pair || ident::words(between).count() > MOST_WORDS || !is_part(&lines, answer, [old, new]) {
            return None;
        }
        blocks.push(Event::Block(block::replacement(blocks.len() + 1, &old.text(answer), &new.text(answer))));
    }
    Some(blocks)
}

/// Whether the lines of a text have the old code in them, and most of the others are not in the new code.
fn is_part(lines: &[&str], answer: &str, pair: [&Fence<'_>; 2]) -> bool {
    let [old, new] = pair.map(|fence| fence.text(answer));
    let (old, new) = (visible(&old), visible(&new));
    let Some(first) = occurrences(lines, &old).first().copied() else { return false };
    let known: HashSet<&str> = new.into_iter().collect();
    let others = lines[..first].iter().chain(&lines[first + old.len()..]);
    let others: Vec<&&str> = others.filter(|line| has_word_chars(line)).collect();
    let shown = others.iter().filter(|line| known.contains(**line)).count();
    !others.is_empty() && shown * 2 < others.len()
}

fn has_any(talk: &str, words: &[&str]) -> bool {
    ident::words(talk).any(|word| words.contains(&word.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use crate::edit::{Request, accept, apply};

    const TEXT: &str = "def f(x):\n    aa(x)\n    bb(x)\n    cc(x)\n\n\ndef g(x):\n    dd(x)\n    ee(x)\n";

    /// Checks the text after a reply, in which `«` opens and `»` closes a fence.
    #[track_caller]
    fn check(range: Option<std::ops::Range<usize>>, reply: &str, expected: Result<(&str, &str), &str>) {
        let reply = reply.replace('«', "\n```python\n").replace('»', "```\n");
        let request = Request { text: TEXT, range, ..Request::default() };
        let judged = accept(&request, &reply).map(|it| apply(TEXT, &it.edits));
        let expected = expected.map(|(old, new)| TEXT.replace(old, new));
        assert_eq!(judged.map_err(|refusal| refusal.code()), expected, "{reply}");
    }

    #[test]
    fn quoted_part_is_replaced() {
        let part = "«def f(x):\n    aa(x)\n» with:«def f(x):\n    a2(x)\n»";
        check(None, &format!("Replace this:{part}"), Ok(("aa", "a2")));
        check(Some(0..40), &format!("**Before:**{part}").replace("with", "**After**"), Ok(("aa", "a2")));
        let two =
            "Change«    aa(x)\n»to«    a2(x)\n»\nand in `g`, replace«    ee(x)\n»by«    e2(x)\n    e3(x)\n»";
        check(
            None,
            two,
            Ok((
                "aa(x)\n    bb(x)\n    cc(x)\n\n\ndef g(x):\n    dd(x)\n    ee(x)",
                "a2(x)\n    bb(x)\n    cc(x)\n\n\ndef g(x):\n    dd(x)\n    e2(x)\n    e3(x)",
            )),
        );
    }

    #[test]
    fn whole_range_is_no_part() {
        let reply = "Before:«    aa(x)\n»After:«def f(x):\n    a2(x)\n    bb(x)\n    cc(x)\n»";
        check(Some(0..40), reply, Ok(("aa", "a2")));
    }

    #[test]
    fn other_fences_are_no_pairs() {
        check(None, "The old code:«    aa(x)\n»Run it:«f(1)\n»", Err("too-much-removed"));
        check(None, "Change«    az(x)\n»to«    a2(x)\n»", Err("several-answers"));
    }
}
