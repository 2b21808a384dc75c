//! The uses that a change leaves as they were, although it renames or changes what they use.

use std::collections::BTreeSet;
use std::fmt;

use super::finding::Finding;
use super::findings;
use super::part::assembled;
use super::project::Project;
use crate::edit::edit_set::FileEdit;
use crate::job::Reason;
use crate::text::words::counted;

/// Limit on the named files, and on the named lines of each.
const MOST_NAMED: usize = 5;

/// Uses that no longer fit what they use. Displayed as one clause that counts and names them.
#[derive(Debug)]
pub struct StaleUses {
    /// The file that was changed.
    file: String,
    /// At least one: each use, in the order of files and lines.
    uses: Vec<Finding>,
}

impl StaleUses {
    /// The uses that a change of one file leaves; `None` if there are none.
    ///
    /// Reads files and parses, which [`may_leave_uses`](super::may_leave_uses) spares most changes.
    ///
    /// # Errors
    ///
    /// The change does not fit its file as it is now.
    pub fn of(project: &Project, change: FileEdit) -> Result<Option<Self>, Reason> {
        let file = change.path.clone();
        let uses = findings::uses_left(project, &assembled(project, vec![change])?);
        Ok((!uses.is_empty()).then_some(Self { file, uses }))
    }

    /// The files and lines of the uses; lines are counted from 1.
    pub fn places(&self) -> impl Iterator<Item = (&str, usize)> {
        self.uses.iter().filter_map(|it| Some((it.path.as_str(), it.line?)))
    }

    /// Whether some are in the changed file itself.
    pub fn is_in_changed_file(&self) -> bool {
        self.uses.iter().any(|it| it.path == self.file)
    }

    /// The instruction that adapts the uses.
    pub fn instruction(&self) -> String {
        let names: BTreeSet<&str> = self.uses.iter().filter_map(|it| it.problem.changed_name()).collect();
        let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
        format!("Adapt the uses of {} to what {} defines now", names.join(", "), self.file)
    }
}

impl fmt::Display for StaleUses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: BTreeSet<&str> = self.uses.iter().map(|it| it.path.as_str()).collect();
        let fit = if self.uses.len() == 1 { "no longer fits" } else { "no longer fit" };
        let (lines, in_files) = (counted(self.uses.len(), "line"), counted(files.len(), "file"));
        let lines_of = |path: &str| {
            let lines = self.places().filter(|(of, _)| *of == path).map(|(_, line)| line.to_string());
            format!("{path}:{}", shortened(lines.collect(), ","))
        };
        let places = shortened(files.into_iter().map(lines_of).collect(), ", ");
        write!(f, "{lines} in {in_files} {fit}: {places}")
    }
}

fn shortened(mut all: Vec<String>, between: &str) -> String {
    if all.len() > MOST_NAMED {
        all.truncate(MOST_NAMED);
        all.push("…".to_owned());
    }
    all.join(between)
}
