//! Disjoint edits commute; rebased edits fit their text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tandem::edit::{Edit, apply, in_order, rebase};

/// Builds sorted, disjoint edits of a text from arbitrary numbers.
fn edits(text: &str, parts: &[(u8, u8, String)]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut at = 0;
    for (skip, length, new) in parts {
        let boundary = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at += 1;
            }
            at
        };
        let start = boundary((at + *skip as usize).min(text.len()));
        let end = boundary((start + *length as usize).min(text.len()));
        edits.push(Edit::new(start..end, new.as_str()));
        at = end;
    }
    edits
}

fuzz_target!(|input: (&str, Vec<(u8, u8, String)>, Vec<(u8, u8, String)>)| {
    let (text, mine, theirs) = input;
    let (mine, theirs) = (edits(text, &mine), edits(text, &theirs));
    if let Ok(after) = rebase::over(&mine, &theirs) {
        let changed = apply(text, &theirs);
        assert!(in_order(&changed, &after));
        if let Ok(before) = rebase::over(&theirs, &mine) {
            assert_eq!(apply(&changed, &after), apply(&apply(text, &mine), &before));
        }
    }
});
