//! Settings by location: a project's settings apply to its files only.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Endpoint, Privacy, Role, Settings};
use crate::disk::IgnoreFiles;
use crate::privacy::Verdict;
use crate::text::words::slashed;

/// The user's settings, and those of workspace folders that have their own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scoped {
    everywhere: Arc<Settings>,
    folders: Vec<(PathBuf, Arc<Settings>)>,
}

impl Scoped {
    /// The user's settings: for jobs without a file, and for files outside of all folders.
    pub fn everywhere(&self) -> &Arc<Settings> {
        &self.everywhere
    }

    /// The settings for a file.
    pub fn of(&self, file: Option<&Path>) -> &Arc<Settings> {
        let within = |(folder, _): &&(PathBuf, _)| file.is_some_and(|file| file.starts_with(folder));
        // Folders may be nested; the innermost one counts.
        let innermost =
            self.folders.iter().filter(within).max_by_key(|(folder, _)| folder.components().count());
        innermost.map_or(&self.everywhere, |(_, settings)| settings)
    }

    /// Judges a path by the rules of the innermost folder that contains it.
    pub fn verdict(&self, path: &Path) -> Verdict {
        self.of(Some(path)).privacy.path_rules.verdict(&slashed(path))
    }

    /// Judges files by these rules, and by the ignore files in `folders`.
    pub fn access(&self, folders: Vec<PathBuf>) -> Arc<dyn Fn(&Path) -> Verdict + Send + Sync> {
        let (ignore_files, rules) = (IgnoreFiles::default(), self.clone());
        Arc::new(move |path| ignore_files.judge(path, &folders, &rules.of(Some(path)).privacy.path_rules))
    }

    /// Whether both allow the same data to leave the machine, for all files.
    pub fn has_same_privacy(&self, other: &Self) -> bool {
        fn privacies(it: &Scoped) -> impl Iterator<Item = (&Path, &Privacy)> {
            it.folders.iter().map(|(folder, settings)| (folder.as_path(), &settings.privacy))
        }
        self.everywhere.privacy == other.everywhere.privacy && privacies(self).eq(privacies(other))
    }

    /// Moves a candidate of a role to the front; the others become its fallbacks. False if there is no such candidate.
    pub fn prefer(
        &mut self,
        role: fn(&mut Settings) -> &mut Role,
        is_it: &dyn Fn(&Endpoint) -> bool,
    ) -> bool {
        let candidates = &mut role(Arc::make_mut(&mut self.everywhere)).candidates;
        let Some(at) = candidates.iter().position(is_it) else { return false };
        candidates[..=at].rotate_right(1);
        true
    }

    pub(super) fn add(&mut self, folder: PathBuf, settings: Arc<Settings>) {
        self.folders.push((folder, settings));
    }
}

impl From<Arc<Settings>> for Scoped {
    fn from(everywhere: Arc<Settings>) -> Self {
        Self { everywhere, folders: Vec::new() }
    }
}
