//! Redacted secrets occur in no text where they were found, and are restored to their original position.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tandem::privacy::{Known, TextKind, find, redact};

fuzz_target!(|input: (&str, &str, u16)| {
    let (first, second, mark) = input;
    let mut mark = (mark as usize).min(first.len());
    while !first.is_char_boundary(mark) {
        mark -= 1;
    }
    let (mut one, mut two) = (first.to_owned(), second.to_owned());
    let redaction = redact(&mut [&mut one, &mut two], (&Known::default(), TextKind::Code), &mut mark);
    assert!(one.is_char_boundary(mark));
    // Whether a secret's text also occurs unflagged in either input.
    let inputs = [first, second].map(|text| (text, find(text)));
    let unflagged = |secret: &str| {
        inputs.iter().any(|(text, found)| {
            text.match_indices(secret).any(|(at, _)| {
                let end = at + secret.len();
                !found.iter().any(|it| it.span.start < end && at < it.span.end)
            })
        })
    };
    for ((before, found), after) in inputs.iter().zip([&one, &two]) {
        for secret in found {
            let secret = &before[secret.span.clone()];
            // A short secret may arise where the text around another one meets its placeholder.
            assert!(secret.len() < 16 || unflagged(secret) || !after.contains(secret));
        }
        if let Ok(again) = redaction.restore(after.clone()) {
            assert_eq!(again, *before);
        }
    }
});
