//! The chunking of a suggestion does not matter, and no input makes the filters panic.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use tandem::edit::trim::{CursorContext, CursorFacts, Ghost};

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    before: &'a str,
    after: &'a str,
    reply: &'a str,
    cut: u16,
    max_lines: u8,
}

fuzz_target!(|input: Input<'_>| {
    let Input { before, after, max_lines, .. } = input;
    let context = CursorContext { before, after, grammar: None, max_lines: max_lines as usize, facts: &CursorFacts::default() };
    let run = |pieces: &[&str]| {
        let mut ghost = Ghost::new(context);
        for piece in pieces {
            if ghost.push(piece).is_break() {
                break;
            }
        }
        ghost.finish(true)
    };
    let mut cut = input.cut as usize % (input.reply.len() + 1);
    while !input.reply.is_char_boundary(cut) {
        cut -= 1;
    }
    let whole = run(&[input.reply]);
    assert_eq!(whole, run(&[&input.reply[..cut], &input.reply[cut..]]));
    let known = [input.before, input.after].concat();
    for sign in ['\u{202e}', '\u{2066}', '\u{200b}', '\u{1b}', '\u{7}', '\u{e0041}'] {
        assert!(whole.as_ref().is_ok_and(|text| !text.contains(sign) || known.contains(sign)) || whole.is_err());
    }
});
