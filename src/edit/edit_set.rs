//! Edits of several files that are applied together or not at all.

use std::borrow::Cow;

use super::{Edit, Flag, apply, diff};
use crate::text::hash;

/// The state of a file that an edit was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Revision {
    /// The version that an editor gave an open document.
    Version(i32),
    /// The hash of a file's bytes on disk.
    Hash(u64),
}

impl Revision {
    /// The revision of a file with these bytes. It is valid only within this process.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::Hash(hash::in_process(bytes))
    }
}

/// A file's text at the time when an edit of it was planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The text that the edits' spans refer to.
    pub text: String,
    /// The state of the file that has this text.
    pub revision: Revision,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Creates the file.
    Create {
        /// Its text.
        text: String,
    },
    /// Changes the file's text.
    Edit {
        /// Its text before.
        base: Base,
        /// Sorted and disjoint.
        edits: Vec<Edit>,
    },
    /// Moves the file, and may change its text.
    Rename {
        /// Its text before.
        base: Base,
        /// Sorted and disjoint.
        edits: Vec<Edit>,
        /// Its path afterwards, where nothing exists yet.
        to: String,
    },
    /// Deletes the file.
    Delete {
        /// Its text before.
        base: Base,
    },
}

impl Change {
    /// The file's text before and its revision; `None` for a new file.
    pub fn base(&self) -> Option<&Base> {
        match self {
            Self::Create { .. } => None,
            Self::Edit { base, .. } | Self::Rename { base, .. } | Self::Delete { base } => Some(base),
        }
    }
}

/// One file of an [`EditSet`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The file's real path below the root, with `/` between its parts.
    pub path: String,
    /// The change itself.
    pub change: Change,
    /// Warnings about the change for the user.
    pub flags: Vec<Flag>,
}

impl FileEdit {
    /// The file's text before; `None` for a new file.
    pub fn old_text(&self) -> Option<&str> {
        self.change.base().map(|base| base.text.as_str())
    }

    /// The file's text afterwards; `None` for a deleted file.
    pub fn new_text(&self) -> Option<Cow<'_, str>> {
        match &self.change {
            Change::Create { text } => Some(text.into()),
            Change::Edit { base, edits } | Change::Rename { base, edits, .. } => {
                Some(apply(&base.text, edits).into())
            }
            Change::Delete { .. } => None,
        }
    }

    /// The file's path afterwards; `None` for a deleted file.
    pub fn new_path(&self) -> Option<&str> {
        match &self.change {
            Change::Create { .. } | Change::Edit { .. } => Some(&self.path),
            Change::Rename { to, .. } => Some(to),
            Change::Delete { .. } => None,
        }
    }

    /// Moves the change to another state of the file that has the same text.
    pub fn on(mut self, now: Base) -> Self {
        if let Change::Edit { base, .. } | Change::Rename { base, .. } | Change::Delete { base } =
            &mut self.change
        {
            *base = now;
        }
        self
    }

    /// Whether nothing changes.
    pub fn is_unchanged(&self) -> bool {
        matches!(&self.change, Change::Edit { edits, .. } if edits.is_empty())
    }
}

/// Merges two successive changes of a file; `None` if they cancel out.
fn joined(first: FileEdit, next: FileEdit) -> Option<FileEdit> {
    let after = next.new_path().map(str::to_owned).zip(next.new_text().map(Cow::into_owned));
    let FileEdit { path, change, flags: _ } = first;
    let (path, change) = match (change, after) {
        (Change::Create { .. }, None) => return None,
        (Change::Create { .. }, Some((to, text))) => (to, Change::Create { text }),
        (Change::Edit { base, .. } | Change::Rename { base, .. } | Change::Delete { base }, None) => {
            (path, Change::Delete { base })
        }
        (
            Change::Edit { base, .. } | Change::Rename { base, .. } | Change::Delete { base },
            Some((to, text)),
        ) => {
            let edits = diff::minimal(&base.text, &text);
            let change =
                if to == path { Change::Edit { base, edits } } else { Change::Rename { base, edits, to } };
            (path, change)
        }
    };
    Some(FileEdit { path, change, flags: next.flags })
}

/// Edits of several files, sorted by path. No file appears twice, even under different names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditSet {
    files: Vec<FileEdit>,
}

impl EditSet {
    /// The edits of one file whose text is known.
    pub fn of_file(path: impl Into<String>, base: Base, edits: Vec<Edit>) -> Self {
        let change = Change::Edit { base, edits };
        Self { files: vec![FileEdit { path: path.into(), change, flags: Vec::new() }] }
    }

    /// Creates a set of files that are known to be distinct.
    pub(super) fn of_distinct(mut files: Vec<FileEdit>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { files }
    }

    /// The files, sorted by path.
    pub fn files(&self) -> &[FileEdit] {
        &self.files
    }

    /// Replaces the change of every file.
    ///
    /// # Errors
    ///
    /// The first error of `change`.
    pub fn map<E>(self, change: impl FnMut(FileEdit) -> Result<FileEdit, E>) -> Result<Self, E> {
        Ok(Self { files: self.files.into_iter().map(change).collect::<Result<_, E>>()? })
    }

    /// Combines this set with a later one that was made from its result.
    ///
    /// The changes start from the original files, and have yet to be [assembled](super::plan::assemble).
    pub fn followed_by(self, later: Self) -> Vec<FileEdit> {
        let mut files = self.files;
        for next in later.files {
            let at = files.iter().position(|it| it.new_path() == Some(&next.path));
            // A deleted file may have been created again.
            let again = || files.iter().position(|it| it.new_path().is_none() && it.path == next.path);
            match at.or_else(again) {
                Some(at) => {
                    let first = files.remove(at);
                    files.extend(joined(first, next));
                }
                None => files.push(next),
            }
        }
        files
    }

    /// The files themselves, sorted by path.
    pub fn into_files(self) -> Vec<FileEdit> {
        self.files
    }

    /// Adds a warning about a file of the set.
    pub fn flag(&mut self, path: &str, flag: Flag) {
        if let Some(file) = self.files.iter_mut().find(|file| file.path == path) {
            file.flags.push(flag);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, change: Change) -> EditSet {
        EditSet::of_distinct(vec![FileEdit { path: path.to_owned(), change, flags: Vec::new() }])
    }

    fn base(text: &str) -> Base {
        Base { text: text.to_owned(), revision: Revision::of_bytes(text.as_bytes()) }
    }

    /// Creates a change from words such as `edit a.rs` or `rename a.rs b.rs`.
    ///
    /// The text afterwards is `new`.
    fn change(words: &str, old: &str, new: &str) -> EditSet {
        let words: Vec<&str> = words.split(' ').collect();
        let edits = || diff::minimal(old, new);
        match words[..] {
            ["create", path] => of(path, Change::Create { text: new.to_owned() }),
            ["edit", path] => of(path, Change::Edit { base: base(old), edits: edits() }),
            ["rename", path, to] => {
                of(path, Change::Rename { base: base(old), edits: edits(), to: to.to_owned() })
            }
            ["delete", path] => of(path, Change::Delete { base: base(old) }),
            _ => panic!("{words:?}"),
        }
    }

    fn shown(files: &[FileEdit]) -> String {
        let one = |file: &FileEdit| {
            let (old, new) = (file.old_text().unwrap_or("-"), file.new_text());
            format!(
                "{} {} -> {} {}",
                file.path,
                old,
                file.new_path().unwrap_or("-"),
                new.as_deref().unwrap_or("-")
            )
        };
        files.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn two_sets_one_after_the_other_are_one() {
        for (first, next, expected) in [
            ("create a", "edit a", "a - -> a 3"),
            ("create a", "rename a b", "b - -> b 3"),
            ("create a", "delete a", ""),
            ("edit a", "edit a", "a 1 -> a 3"),
            ("edit a", "rename a b", "a 1 -> b 3"),
            ("edit a", "delete a", "a 1 -> - -"),
            ("rename a b", "edit b", "a 1 -> b 3"),
            ("rename a b", "rename b c", "a 1 -> c 3"),
            ("rename a b", "rename b a", "a 1 -> a 3"),
            ("rename a b", "delete b", "a 1 -> - -"),
            ("delete a", "create a", "a 1 -> a 3"),
            ("edit a", "edit b", "a 1 -> a 2; b 2 -> b 3"),
            ("rename a b", "create a", "a 1 -> b 2; a - -> a 3"),
        ] {
            let joined = change(first, "1", "2").followed_by(change(next, "2", "3"));
            assert_eq!(shown(&joined), expected, "{first}, {next}");
        }
    }
}
