//! Unopened files that may have to follow a change.
//!
//! These are the files of the workspace that contain its name.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::params::{NextEditParams, UnopenedFile, UnopenedFiles};
use crate::config::ContextScope;
use crate::disk::Purpose;
use crate::document::Document;
use crate::grammar::Grammar;
use crate::privacy::Verdict;
use crate::snapshot::Snapshot;
use crate::text::folders::innermost;

/// Limit on the files that are read for one change.
const MOST_FILES: usize = 64;
/// Time limit for the files of one folder, since the user types on meanwhile.
const DISK_TIMEOUT: Duration = Duration::from_secs(2);

/// The unopened files that contain a name. They are indexed, so models may be shown them.
pub(super) struct Unopened {
    name: String,
    files: Vec<(Arc<Path>, &'static Grammar)>,
}

impl Unopened {
    /// Importers of `source` come first; `None` if there are no files. Does not read them.
    pub(super) fn with_name(params: &NextEditParams, source: &Snapshot, name: String) -> Option<Self> {
        let (unopened, grammar) = params.unopened.as_ref().zip(source.document.grammar())?;
        let workspace = &params.snapshot.workspace;
        let mut files = workspace.files_with(grammar, &name);
        files.retain(|(path, _)| unopened.open.iter().all(|(_, open)| **path != **open));
        let source = unopened.open.iter().find(|(id, _)| id == source.document.id());
        let importers = source.map(|(_, path)| workspace.importers(path)).unwrap_or_default();
        files.sort_by_key(|(path, _)| !importers.contains(path));
        files.truncate(MOST_FILES);
        (!files.is_empty()).then_some(Self { name, files })
    }

    /// The result for the first file that has one; files are read lazily.
    ///
    /// Each folder has its own lane, and a folder whose disk does not respond is skipped.
    pub(super) async fn first<T: Send + 'static>(
        self,
        params: &Arc<NextEditParams>,
        find: fn(&NextEditParams, &mut dyn Iterator<Item = Snapshot>) -> Option<T>,
    ) -> Option<T> {
        for (folder, files) in self.by_folder(&params.unopened.as_ref()?.folders) {
            let found = files.look(params, &folder, find).await;
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The results for all files, folder by folder.
    pub(super) async fn all<T: Send + 'static>(
        self,
        params: &Arc<NextEditParams>,
        find: fn(&NextEditParams, &mut dyn Iterator<Item = Snapshot>) -> Vec<T>,
    ) -> Vec<T> {
        let mut found = Vec::new();
        let folders = params.unopened.as_ref().map_or(&[][..], |it| &it.folders);
        for (folder, files) in self.by_folder(folders) {
            let look = move |params: &NextEditParams, files: &mut dyn Iterator<Item = Snapshot>| {
                Some(find(params, files))
            };
            found.extend(files.look(params, &folder, look).await.unwrap_or_default());
        }
        found
    }

    /// The result for the files of one folder.
    async fn look<T: Send + 'static>(
        self,
        params: &Arc<NextEditParams>,
        folder: &Path,
        find: impl Fn(&NextEditParams, &mut dyn Iterator<Item = Snapshot>) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let (these, readers) = (Arc::clone(params), &params.unopened.as_ref()?.readers);
        let look = move || {
            let unopened = these.unopened.as_ref()?;
            find(&these, &mut self.snapshots(&these, unopened))
        };
        match readers.run_within(&Purpose::Aside.lane(folder), DISK_TIMEOUT, look).await {
            Ok(found) => found,
            Err(stuck) => {
                tracing::debug!(%stuck, folder = %folder.display(), "no next edit there");
                None
            }
        }
    }

    /// The files by folder, ordered by the first file of each folder.
    fn by_folder(self, folders: &[PathBuf]) -> Vec<(PathBuf, Self)> {
        let mut by_folder: Vec<(PathBuf, Self)> = Vec::new();
        for file in self.files {
            let Some(folder) = innermost(folders, &file.0) else { continue };
            match by_folder.iter_mut().find(|(known, _)| known == folder) {
                Some((_, its)) => its.files.push(file),
                None => by_folder.push((folder.clone(), Self { name: self.name.clone(), files: vec![file] })),
            }
        }
        by_folder
    }

    fn snapshots<'a>(
        &'a self,
        params: &'a NextEditParams,
        unopened: &'a UnopenedFiles,
    ) -> impl Iterator<Item = Snapshot> + 'a {
        let workspace = &params.snapshot.workspace;
        self.files.iter().filter_map(move |(path, grammar)| {
            let text = workspace.text(path).ok().filter(|text| text.contains(&self.name))?;
            let UnopenedFile { id, shown, settings } = (unopened.describe)(path, grammar.id())?;
            let document = Document::new(id, grammar.id(), 0, &text);
            let file = Snapshot::of_file(document, shown, settings, Verdict::Open, Arc::clone(workspace));
            Some(Snapshot { language_id: grammar.id().into(), ..file })
        })
    }
}

/// Whether a model may be shown a file that the user has not opened.
pub(super) fn may_be_shown(file: &Snapshot) -> bool {
    file.settings.privacy.context == ContextScope::Workspace
}
