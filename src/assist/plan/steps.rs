//! A plan as plain data: steps, each about one file.

use crate::route::Gear;
use crate::text::line;

/// Limit on the steps of a plan: five stages.
pub const MOST_STEPS: usize = 60;

/// A change of several files, as steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The user's instruction, [tidied](tidy).
    pub instruction: String,
    /// The steps, in the order in which they are shown.
    pub steps: Vec<Step>,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Identifies the step. Unique in a [checked](Plan::check) plan.
    pub number: u32,
    /// The file, relative to the root, with `/` as the separator.
    pub path: String,
    /// The kind of change.
    pub action: Action,
    /// The work to be done in the file, in words.
    ///
    /// It is [tidied](tidy), and may be empty if the action says everything.
    pub intent: String,
    /// The gear that does it, and why; `None` until the [rule](super::tag) chooses.
    pub tag: Option<Tag>,
    /// The steps that it depends on, by number.
    pub after: Vec<u32>,
}

/// The kind of change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Its text changes.
    Edit,
    /// It is created.
    Create,
    /// It is moved to this path, possibly with another text.
    Rename(String),
    /// It is deleted.
    Delete,
}

/// The choice of a step's gear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The gear.
    pub gear: Gear,
    /// The reason for that gear: one line, trimmed, for the user.
    pub why: String,
}

impl Action {
    /// Its verb.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Create => "create",
            Self::Rename { .. } => "rename",
            Self::Delete => "delete",
        }
    }

    /// The action for a verb or one of its usual synonyms.
    ///
    /// Only a rename uses `to`.
    pub(super) fn of_verb(verb: &str, to: Option<String>) -> Option<Self> {
        match verb.to_ascii_lowercase().as_str() {
            "edit" | "modify" | "update" | "change" => Some(Self::Edit),
            "create" | "add" | "new" => Some(Self::Create),
            "rename" | "move" => Some(Self::Rename(to.unwrap_or_default())),
            "delete" | "remove" => Some(Self::Delete),
            _ => None,
        }
    }
}

impl Step {
    /// The paths that the step claims: its file's, and the new path of a rename.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let to = match &self.action {
            Action::Rename(to) => Some(to.as_str()),
            _ => None,
        };
        std::iter::once(self.path.as_str()).chain(to)
    }

    /// Whether a model has to write text for it.
    pub fn needs_model(&self) -> bool {
        match self.action {
            Action::Edit | Action::Create => true,
            // If only the path changes, there is no text to write.
            Action::Rename { .. } => !self.intent.is_empty(),
            Action::Delete => false,
        }
    }
}

impl Plan {
    /// The step with this number.
    pub fn step(&self, number: u32) -> Option<&Step> {
        self.steps.iter().find(|step| step.number == number)
    }
}

/// A text without blanks at line ends or blank lines at its start and end.
///
/// Its lines are separated by `\n`.
pub(super) fn tidy(text: &str) -> String {
    let lines: Vec<&str> = line::split_iter(text).map(|it| line::body(it).trim_end()).collect();
    let first = lines.iter().position(|it| !it.is_empty()).unwrap_or(lines.len());
    let last = lines.iter().rposition(|it| !it.is_empty()).map_or(first, |it| it + 1);
    lines[first..last].join("\n")
}
