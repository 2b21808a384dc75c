//! A reply about several files is read or refused, and its blocks are placed or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tandem::edit::edit_set::{Base, Change, Revision};
use tandem::edit::plan::{Entry, Files, Identity, Kind, Permissions, plan};
use tandem::edit::{Refusal, in_order};
use tandem::privacy::Verdict;

/// A folder in which every path of an even length is a file with this text.
struct Folder<'a>(&'a str);

impl Files for Folder<'_> {
    type Error = Refusal;

    fn entry(&self, path: &str) -> Result<Option<Entry>, Refusal> {
        let kind = if path.is_empty() { Kind::Folder } else { Kind::File };
        let number = path.bytes().fold(1, |sum, byte| sum * 31 % 0xffff_fffb + u64::from(byte));
        let entry =
            Entry { real: path.to_owned(), kind, identity: Identity(0, number), is_link: false };
        Ok((path.len() % 2 == 0).then_some(entry))
    }

    fn names(&self, _: &str) -> Result<Vec<String>, Refusal> {
        Ok(Vec::new())
    }

    fn open(&self, _: &Entry) -> Result<Base, Refusal> {
        Ok(Base { text: self.0.to_owned(), revision: Revision::Version(0) })
    }
}

fuzz_target!(|input: (&str, &str)| {
    let (file, reply) = input;
    let permissions = Permissions { access: &|_| Verdict::Open, instruction: "", allow_invisible: true };
    for file in plan(reply, &Folder(file), permissions).into_iter().flat_map(|set| set.into_files()) {
        if let Change::Edit { base, edits } | Change::Rename { base, edits, .. } = &file.change {
            assert!(in_order(&base.text, edits));
        }
    }
});
