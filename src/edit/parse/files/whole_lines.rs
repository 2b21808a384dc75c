//! Maps lines to the files whose whole text a reply states.

use std::collections::HashMap;

use super::change::FileChange;
use crate::edit::line;
use crate::text::hash;

/// The lines of all files whose whole text a reply states.
#[derive(Debug, Default)]
pub(in crate::edit) struct WholeLines(HashMap<u64, Owner>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    One(usize),
    Several,
}

impl WholeLines {
    /// Collects the lines of all files whose whole text is in `changes`.
    pub(in crate::edit) fn of(changes: &[FileChange]) -> Self {
        let mut owners: HashMap<u64, Owner> = HashMap::new();
        for (number, change) in changes.iter().enumerate() {
            let Some(text) = change.whole_text() else { continue };
            for line in line::split_iter(text) {
                let own = Owner::One(number);
                let owner = owners.entry(hash::in_process(line.trim())).or_insert(own);
                if *owner != own {
                    *owner = Owner::Several;
                }
            }
        }
        Self(owners)
    }

    /// Whether a file other than that of change `number` contains a line.
    pub(in crate::edit) fn are_beside(&self, number: usize, line: &str) -> bool {
        self.0.get(&hash::in_process(line.trim())).is_some_and(|owner| *owner != Owner::One(number))
    }
}
