//! Applying a diff gives the new text; no edit splits a character or a line end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tandem::edit::{apply, diff, in_order};

fuzz_target!(|input: (&str, &str)| {
    let (old, new) = input;
    let edits = diff::minimal(old, new);
    assert!(in_order(old, &edits));
    assert_eq!(apply(old, &edits), new);
    for at in edits.iter().flat_map(|edit| [edit.span.start, edit.span.end]) {
        assert!(!(old[..at].ends_with('\r') && old[at..].starts_with('\n')));
    }
});
