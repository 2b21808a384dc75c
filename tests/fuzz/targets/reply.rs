//! Any reply to any file is read or refused, and its chunking does not matter.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use tandem::edit::{Exceptions, Flag, Reader, Request, Unchecked, accept, apply, in_order};

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    file: &'a str,
    reply: &'a str,
    cuts: Vec<u16>,
    lines: Option<(u8, u8)>,
}

fuzz_target!(|input: Input<'_>| {
    let starts: Vec<usize> =
        [0].into_iter().chain(input.file.match_indices('\n').map(|(at, _)| at + 1)).chain([input.file.len()]).collect();
    let range = input.lines.map(|(from, to)| {
        let (from, to) = (starts[from as usize % starts.len()], starts[to as usize % starts.len()]);
        from.min(to)..from.max(to)
    });
    let request = || Request { text: input.file, path: Some("a.rs"), range: range.clone(), ..Request::default() };
    let mut cuts: Vec<usize> = input.cuts.iter().map(|cut| *cut as usize % (input.reply.len() + 1)).collect();
    cuts.retain(|cut| input.reply.is_char_boundary(*cut));
    cuts.extend([0, input.reply.len()]);
    cuts.sort_unstable();
    let read = |cuts: &[usize]| {
        let mut reader = Reader::new(request());
        let mut yielded = Unchecked::default();
        for pair in cuts.windows(2) {
            yielded.extend(reader.push(&input.reply[pair[0]..pair[1]]));
        }
        (reader.finish(), yielded)
    };
    let (whole, _) = read(&[0, input.reply.len()]);
    let (outcome, yielded) = read(&cuts);
    assert_eq!(outcome, whole);
    if let Ok(outcome) = whole {
        assert!(yielded.without(&outcome.edits).is_empty());
        // There are no edits exactly if the reply repeats existing text or is only talk.
        let idle = outcome.flags.iter().any(|flag| matches!(flag, Flag::Unchanged | Flag::Talk));
        assert_eq!(idle, outcome.edits.is_empty());
    }
    let result = |invisible: bool| {
        let allowed = Exceptions { talk: true, blanks: true, invisible, ..Exceptions::default() };
        let accepted = accept(&Request { allowed, ..request() }, input.reply).ok()?;
        assert!(in_order(input.file, &accepted.edits));
        Some(apply(input.file, &accepted.edits))
    };
    if let Some(result) = result(true) {
        // A byte-order mark stays at the start, and no second one follows it.
        let mark = '\u{feff}';
        assert_eq!(result.starts_with(mark), input.file.starts_with(mark));
        let second = |text: &str| text.strip_prefix(mark).is_some_and(|text| text.starts_with(mark));
        assert!(!second(&result) || second(input.file));
        if let Some(range) = &range {
            // An empty range before the mark counts as one after it.
            let marked = if input.file.starts_with(mark) { mark.len_utf8() } else { 0 };
            let behind = &input.file[range.end.max(marked)..];
            assert!(result.starts_with(&input.file[..range.start]) && result.ends_with(behind));
        }
    }
    if let Some(result) = result(false) {
        for sign in ['\u{202e}', '\u{2066}', '\u{200b}', '\u{1b}', '\u{7}', '\u{e0041}'] {
            assert!(!result.contains(sign) || input.file.contains(sign));
        }
    }
});
