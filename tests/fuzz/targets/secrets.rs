//! Secrets found in any bytes, cut at any offset, are ordered, disjoint, and made of whole characters.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tandem::privacy::find;

fuzz_target!(|input: (&[u8], u16)| {
    let (bytes, cut) = input;
    let text = String::from_utf8_lossy(&bytes[(cut as usize).min(bytes.len())..]);
    let mut end = 0;
    for secret in find(&text) {
        assert!(secret.span.start >= end && !secret.span.is_empty());
        assert!(text.get(secret.span.clone()).is_some());
        end = secret.span.end;
    }
});
