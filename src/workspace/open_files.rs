//! The files that a plan of edits is made for, as the editor has them where they are open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::store::Workspace;
use crate::edit::edit_set::{Base, Revision};
use crate::edit::plan::{Entry, Files};

/// Files below a root: what the editor has open is read from there, the rest by `below`.
#[derive(Debug)]
pub struct WithOpen<F> {
    workspace: Arc<Workspace>,
    root: PathBuf,
    below: F,
}

impl<F: Files> WithOpen<F> {
    /// The files of `below`, whose root is this folder with its links followed.
    pub fn new(workspace: Arc<Workspace>, root: &Path, below: F) -> Self {
        Self { workspace, root: root.to_owned(), below }
    }
}

impl<F: Files> Files for WithOpen<F> {
    type Error = F::Error;

    fn entry(&self, path: &str) -> Result<Option<Entry>, F::Error> {
        self.below.entry(path)
    }

    fn open(&self, entry: &Entry) -> Result<Base, F::Error> {
        match self.workspace.open_text(&self.root.join(&entry.real)) {
            Some((version, text)) => {
                Ok(Base { text: text.to_string(), revision: Revision::Version(version) })
            }
            None => self.below.open(entry),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, DocumentId};
    use crate::edit::Refusal;
    use crate::edit::plan::{Identity, Kind};

    /// A disk on which every file has the same text.
    struct Disk;

    impl Files for Disk {
        type Error = Refusal;

        fn entry(&self, path: &str) -> Result<Option<Entry>, Refusal> {
            let entry =
                Entry { real: path.to_owned(), kind: Kind::File, identity: Identity(0, 0), is_link: false };
            Ok(Some(entry))
        }

        fn open(&self, _: &Entry) -> Result<Base, Refusal> {
            Ok(Base { text: "on disk".to_owned(), revision: Revision::Hash(1) })
        }
    }

    #[test]
    fn an_open_file_is_read_from_the_editor_until_it_is_closed() {
        let workspace = Arc::new(Workspace::default());
        let files = WithOpen::new(Arc::clone(&workspace), Path::new("/w"), Disk);
        let read = |path: &str| {
            let entry = files.entry(path).unwrap().unwrap();
            let Base { text, revision } = files.open(&entry).unwrap();
            (text, revision)
        };
        let document = Document::new(DocumentId::new("file:///w/a.rs"), "rust", 7, "in the editor");
        workspace.open(Path::new("/w/a.rs"), &document);
        assert_eq!(read("a.rs"), ("in the editor".to_owned(), Revision::Version(7)));
        assert_eq!(read("b.rs").0, "on disk");
        workspace.close(Path::new("/w/a.rs"));
        assert_eq!(read("a.rs").0, "on disk");
    }
}
