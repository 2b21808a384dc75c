//! A plan as plain data: steps, each about one file.

use crate::route::Gear;
use crate::text::line;

/// Steps of a plan at most: five stages.
pub const MOST_STEPS: usize = 60;

/// What is to be done, file by file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// What the user asked for. [Tidy](tidy).
    pub instruction: String,
    /// The steps, in the order in which they are shown.
    pub steps: Vec<Step>,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Names the step. Unique in a [checked](Plan::check) plan.
    pub number: u32,
    /// The file, below the root, with `/` between its parts.
    pub path: String,
    /// What becomes of the file.
    pub action: Action,
    /// What is to be done in it, in words.
    ///
    /// It is [tidy](tidy), and may be empty where the action says all.
    pub intent: String,
    /// Who does it, and why; `None` until the [rule](super::tag) chooses.
    pub tag: Option<Tag>,
    /// The steps that come before it, by number.
    pub after: Vec<u32>,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Its text changes.
    Edit,
    /// It is new.
    Create,
    /// It gets another path, and perhaps another text.
    Rename {
        /// The path afterwards.
        to: String,
    },
    /// It goes.
    Delete,
}

/// Who does a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The gear.
    pub gear: Gear,
    /// Why that gear: one line without blanks at its ends, for the user.
    pub why: String,
}

impl Action {
    /// The verb for it.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Create => "create",
            Self::Rename { .. } => "rename",
            Self::Delete => "delete",
        }
    }

    /// The action that a verb names, or one of its usual synonyms.
    ///
    /// `to` is used by a rename alone.
    pub(super) fn of_verb(verb: &str, to: Option<String>) -> Option<Self> {
        match verb.to_ascii_lowercase().as_str() {
            "edit" | "modify" | "update" | "change" => Some(Self::Edit),
            "create" | "add" | "new" => Some(Self::Create),
            "rename" | "move" => Some(Self::Rename { to: to.unwrap_or_default() }),
            "delete" | "remove" => Some(Self::Delete),
            _ => None,
        }
    }
}

impl Step {
    /// The paths that the step lays claim to: its file's, and the new one of a rename.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let to = match &self.action {
            Action::Rename { to } => Some(to.as_str()),
            _ => None,
        };
        std::iter::once(self.path.as_str()).chain(to)
    }

    /// Whether a model has to write something for it.
    pub fn needs_model(&self) -> bool {
        match self.action {
            Action::Edit | Action::Create => true,
            // Where only the path changes, there is nothing to say.
            Action::Rename { .. } => !self.intent.is_empty(),
            Action::Delete => false,
        }
    }
}

impl Plan {
    /// The step with a number.
    pub fn step(&self, number: u32) -> Option<&Step> {
        self.steps.iter().find(|step| step.number == number)
    }
}

/// A text without blanks at the ends of its lines or blank lines at its ends.
///
/// Between its lines stands `\n`.
pub(super) fn tidy(text: &str) -> String {
    let lines: Vec<&str> = line::split_iter(text).map(|it| line::body(it).trim_end()).collect();
    let first = lines.iter().position(|it| !it.is_empty()).unwrap_or(lines.len());
    let last = lines.iter().rposition(|it| !it.is_empty()).map_or(first, |it| it + 1);
    lines[first..last].join("\n")
}
