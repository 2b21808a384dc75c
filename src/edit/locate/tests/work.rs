//! The work that a reply may take.

use super::*;

/// The work budget of a reply in these tests, in comparisons of lines.
const PATIENCE: usize = 1_000_000;

/// Places blocks in a file until one is refused, within [`PATIENCE`].
#[track_caller]
fn check_work(file: &str, blocks: impl Iterator<Item = Block>, expected: Result<(), &str>) {
    let target = FileText::new(file, None, None).with_most_work(PATIENCE);
    let mut outcome = Ok(());
    for block in blocks {
        if let Err(refusal) = place(&target, &block) {
            outcome = Err(refusal.code());
            break;
        }
    }
    assert_eq!(outcome, expected);
}

#[test]
fn hostile_replies_take_bounded_work() {
    let times = |count: usize, block: Block| std::iter::repeat_n(block, count);
    let equal = "same line\n".repeat(20_000);
    let one = || block("same line", "other");
    check_work(&equal, times(10_000, one()), Err("ambiguous"));
    let at_number = |n: usize| Block { hint: Some(n % 20_000 + 1), ..one() };
    check_work(&equal, (0..10_000).map(at_number), Err("too-much-work"));
    check_work(&equal, (0..20).map(at_number), Ok(()));
    check_work(&equal, times(10_000, Block { at_end: true, ..one() }), Err("too-much-work"));
    let anchors = vec!["same line".to_owned(), "same line".to_owned()];
    check_work(&equal, times(10_000, Block { anchors, ..one() }), Err("ambiguous"));
    // Long runs of lines that nearly match at many positions.
    let long = "same line\n".repeat(10_000);
    check_work(&equal, times(1, block(&format!("{long}end"), "x")), Err("not-found"));
    let pairs = "one\ntwo\n".repeat(20_000);
    let nearly = "one\ntwo\n".repeat(500) + "one\none";
    check_work(&pairs, times(1, block(&nearly, "x")), Err("too-much-work"));
    check_work(&format!("{pairs}one\none\n"), times(100, block(&nearly, "x")), Err("too-much-work"));
    // Parts of lines: a frequent one, and ones with no word, or only the most frequent one, to index them by.
    let inline = |old: &str| {
        let inline = Some((old.to_owned(), "x".to_owned()));
        Block { inline, hint: Some(7), ..block("", "") }
    };
    check_work(&equal, times(10_000, inline(" li")), Err("too-much-work"));
    check_work(&equal, times(10_000, inline("line\nsame line\nsame\n")), Err("too-much-work"));
    check_work(&"x".repeat(4 * 1024 * 1024), times(10_000, inline("xxxy")), Err("too-much-work"));
}
