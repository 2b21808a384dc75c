//! A reply about several files is read or refused, and its blocks are placed or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tandem::edit::in_order;
use tandem::edit::reply::{Operation, files};

fuzz_target!(|input: (&str, &str)| {
    let (file, reply) = input;
    for change in files(reply, &|path| path.len() % 2 == 0).into_iter().flat_map(|read| read.changes) {
        if let Operation::Edit { blocks, .. } = change.operation
            && let Ok(edits) = blocks.place(file, None)
        {
            assert!(in_order(file, &edits));
        }
    }
});
