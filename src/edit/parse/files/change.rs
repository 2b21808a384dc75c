//! The changes that a reply makes to one file, before they are applied to the file's text.

use crate::edit::check::repetition;
use crate::edit::locate::FileText;
use crate::edit::normalize::extract::Code;
use crate::edit::normalize::whole;
use crate::edit::parse::block::{Block, Role};
use crate::edit::parse::changes::Changes;
use crate::edit::parse::event::Event;
use crate::edit::{Edit, Refusal, diff};
use crate::grammar::Grammar;
use crate::text::fence::fenced;

/// The changes that a reply makes to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::edit) struct FileChange {
    /// The path as stated in the reply, not yet checked.
    pub(in crate::edit) path: String,
    /// The operation on the file.
    pub(in crate::edit) operation: Operation,
}

impl FileChange {
    /// Returns an entry for a file that is named but not yet changed.
    pub(super) fn named(path: String) -> Self {
        Self { path, operation: Operation::Edit { blocks: Blocks::default(), move_to: None } }
    }

    /// Whether the file is named but not changed.
    pub(super) fn is_only_named(&self) -> bool {
        matches!(&self.operation, Operation::Edit { blocks: Blocks(blocks), move_to: None } if blocks.is_empty())
    }

    /// Adds the next event for the file.
    ///
    /// It is an error if it contradicts an earlier event.
    pub(super) fn add(&mut self, event: Event) -> Result<(), Refusal> {
        let untouched = self.is_only_named();
        match (event, &mut self.operation) {
            (Event::Block(block), Operation::Edit { blocks: Blocks(blocks), .. }) => blocks.push(block),
            (Event::Block(block), Operation::Create(text)) if text.is_empty() && only_adds(&block) => {
                let lines = block.readings.iter().flatten().flat_map(|line| [line.text.as_str(), "\n"]);
                *text = new_text(lines.collect())?;
                if block.final_newline == Some(false) {
                    text.pop();
                }
            }
            (Event::MoveTo(to), Operation::Edit { move_to, .. }) if move_to.is_none() => *move_to = Some(to),
            (Event::Block(block), Operation::Copy { blocks: Blocks(blocks), .. }) => blocks.push(block),
            (Event::CopyOf(from), _) if untouched => {
                self.operation = Operation::Copy { from, blocks: Blocks::default() };
            }
            (Event::Write(text), _) if untouched => self.operation = Operation::Write(WholeFile::new(text)),
            (Event::Write(text), Operation::Write(whole)) if whole.0 == text => {}
            (Event::Create, _) if untouched => self.operation = Operation::Create(String::new()),
            (Event::Whole(text), _) if untouched => self.operation = Operation::Create(new_text(text)?),
            (Event::Delete, _) if untouched => self.operation = Operation::Delete(Blocks::default()),
            (Event::Block(block), Operation::Delete(Blocks(blocks))) if !adds(&block) => blocks.push(block),
            (Event::Span(_), _) => {
                return Err(Refusal::malformed("marked spans do not say which file they are for"));
            }
            _ => return Err(self.contradicted()),
        }
        Ok(())
    }

    /// The whole text that the reply states for the file.
    pub(super) fn whole_text(&self) -> Option<&str> {
        match &self.operation {
            Operation::Write(WholeFile(text)) | Operation::Create(text) => Some(text),
            Operation::Edit { .. } | Operation::Copy { .. } | Operation::Delete(_) => None,
        }
    }

    /// Returns the refusal of a second, different operation on this file.
    pub(super) fn contradicted(&self) -> Refusal {
        Refusal::malformed(format!("it wants two different things of `{}`", self.path))
    }
}

/// An operation on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::edit) enum Operation {
    /// Change the file's text, and its path if there is a new one.
    Edit {
        /// The blocks to locate in its text.
        blocks: Blocks,
        /// The new path.
        move_to: Option<String>,
    },
    /// Create the file as a copy of another file in its original state, with blocks to apply.
    Copy {
        /// The other file's path.
        from: String,
        /// The blocks to locate in the copy.
        blocks: Blocks,
    },
    /// Set the file's text, whether or not it exists.
    Write(WholeFile),
    /// Create the file with this text.
    Create(String),
    /// Delete the file. The reply may show lines of it, which must exist, but may add none.
    Delete(Blocks),
}

/// Changes to one file that are not located yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::edit) struct Blocks(Vec<Block>);

impl Blocks {
    /// Locates all blocks in a file's text, whose language may be known.
    ///
    /// It is an error if the position of a block is ambiguous, or if two blocks contradict each other.
    pub(in crate::edit) fn place(&self, text: &str, grammar: Option<&Grammar>) -> Result<Vec<Edit>, Refusal> {
        let target = FileText::new(text, None, grammar);
        let mut changes = Changes::default();
        let placed = self.0.iter().try_for_each(|block| changes.place(&target, block));
        let edits = match placed {
            Ok(()) => changes.sorted(&target)?,
            Err(refusal @ Refusal::NotFound { .. }) => {
                Changes::in_turn(text, grammar, &self.0).ok_or(refusal)?
            }
            Err(refusal) => return Err(refusal),
        };
        if edits.iter().any(|edit| repetition::loops(&edit.text)) && !repetition::loops(text) {
            return Err(Refusal::Repetition);
        }
        Ok(edits)
    }

    /// Returns the text of the file if it does not exist yet.
    ///
    /// A single search/replace block with an empty search creates it.
    ///
    /// The error is [`Refusal::Repetition`] if the text is a loop.
    pub(in crate::edit) fn new_file(&self) -> Result<Option<String>, Refusal> {
        let [block] = self.0.as_slice() else { return Ok(None) };
        let [lines] = block.readings.as_slice() else { return Ok(None) };
        if block.is_hunk || lines.is_empty() || !only_adds(block) {
            return Ok(None);
        }
        new_text(lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()).map(Some)
    }
}

/// The whole text of a file as stated in the reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::edit) struct WholeFile(String);

impl WholeFile {
    pub(super) fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the edits that turn a file's text into this one.
    ///
    /// `is_elsewhere` reports whether the reply moves a line to another file.
    ///
    /// It is an error if it is only a part of the file, or leaves out lines that cannot be restored.
    pub(in crate::edit) fn edits(
        &self,
        old: &str,
        is_elsewhere: &dyn Fn(&str) -> bool,
        grammar: Option<&Grammar>,
    ) -> Result<Vec<Edit>, Refusal> {
        // A byte-order mark stays and is not part of the text.
        let text = old.trim_start_matches('\u{feff}');
        let new = whole::file(&Code { text: self.0.clone(), has_end: true }, text, is_elsewhere, grammar)?;
        let mark = old.len() - text.len();
        let shifted = |edit: Edit| Edit::new(edit.span.start + mark..edit.span.end + mark, edit.text);
        Ok(diff::minimal(text, &new).into_iter().map(shifted).collect())
    }

    /// The text as a reply with nothing else.
    pub(in crate::edit) fn as_fence(&self) -> String {
        fenced("", &self.0)
    }

    /// Returns the text for a file that does not exist yet.
    ///
    /// The error is [`Refusal::Repetition`] if the text is a loop.
    pub(in crate::edit) fn new_file(self) -> Result<String, Refusal> {
        new_text(self.0)
    }
}

fn only_adds(block: &Block) -> bool {
    block.readings.iter().flatten().all(|line| line.role == Role::Add)
}

fn adds(block: &Block) -> bool {
    block.readings.iter().flatten().any(|line| line.role == Role::Add)
}

fn new_text(text: String) -> Result<String, Refusal> {
    if repetition::loops(&text) { Err(Refusal::Repetition) } else { Ok(text) }
}
