//! Git changes as a model may see them, and a model's text about them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use tokio::sync::watch;

use super::{settings, spinner, terminal};
use crate::assist::pair::{self, PairJob, PairSubject};
use crate::assist::{Origin, visible_changes};
use crate::config::Scoped;
use crate::job::Reason;
use crate::snapshot::Snapshot;
use crate::workspace::git::{self, Compared};

/// The changes of a repository, without the files that no model may see.
pub(super) struct Changes {
    /// The repository's folder.
    pub(super) root: PathBuf,
    /// The changed paths below it that a model may see.
    pub(super) paths: Vec<String>,
    pub(super) diff: String,
    /// The other changed paths, each with why no model may see it.
    pub(super) left_out: Vec<(String, String)>,
    pub(super) settings: Scoped,
}

impl Changes {
    /// The changes in the repository around the current folder. Reports the files that are left out.
    pub(super) fn here(compared: Compared<'_>, config: Option<&Path>) -> anyhow::Result<Self> {
        let here = std::fs::canonicalize(std::env::current_dir()?)?;
        let root = git::repository(&here)
            .context("this folder is not in a git repository; run the command inside one")?
            .to_owned();
        let settings = settings::load(config, std::slice::from_ref(&root)).settings;
        let git::Changes { paths, diff, left_out } = visible_changes(&root, compared, &settings)?;
        for (path, why) in &left_out {
            terminal::say(format_args!("note: {path} is left out: {why}"));
        }
        Ok(Self { root, paths, diff, left_out, settings })
    }

    /// Asks a model for a text about the changes. `code` is the part of them that the prompt shows, and `earlier` holds
    /// texts of the same kind from the project's history.
    pub(super) async fn answer(
        &self,
        job: &'static PairJob,
        code: String,
        earlier: String,
    ) -> Result<(String, Origin), Reason> {
        let settings = self.settings.of(Some(&self.root));
        let assist = settings::assist(&settings::gears(self.settings.everywhere()), settings);
        let snapshot = Snapshot::of_no_file("tandem-diff:", settings, &Arc::default());
        let subject = PairSubject { what: "a diff".to_owned(), code, earlier, ..PairSubject::default() };
        let (say, said) = watch::channel(String::new());
        let answer = assist.answer(&snapshot, job, subject, Some(&say));
        spinner::beside("reading the changes", said, answer).await
    }
}

/// Looks up the job of a command.
pub(super) fn job(name: &str) -> anyhow::Result<&'static PairJob> {
    pair::job(name).with_context(|| format!("there is no job `{name}`"))
}
