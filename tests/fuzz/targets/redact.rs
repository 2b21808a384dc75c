//! What is taken out of texts is in none of them where it was found, and comes back where it stood.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tandem::privacy::{find, redact};

fuzz_target!(|input: (&str, &str, u16)| {
    let (first, second, mark) = input;
    let mut mark = (mark as usize).min(first.len());
    while !first.is_char_boundary(mark) {
        mark -= 1;
    }
    let (mut one, mut two) = (first.to_owned(), second.to_owned());
    let redaction = redact(&mut [&mut one, &mut two], &mut mark);
    assert!(one.is_char_boundary(mark));
    for (before, after) in [(first, &one), (second, &two)] {
        let found = find(before);
        for secret in &found {
            let text = &before[secret.span.clone()];
            // Each place where it was found is gone; the same text may stand where it is no secret.
            let places = found.iter().filter(|it| &before[it.span.clone()] == text).count();
            assert!(after.matches(text).count() + places <= before.matches(text).count() || after.is_empty() || text.len() < 16);
        }
        if let Ok(again) = redaction.restore(after.clone()) {
            assert_eq!(again, before);
        }
    }
});
