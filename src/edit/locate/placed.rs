//! What becomes of a block at its place: edits of the file's lines.

use std::ops::Range;

use super::respell::{self, Part};
use super::{FileText, Level, indent};
use crate::edit::parse::block::{Block, Line, Role};
use crate::edit::{Edit, Refusal};

/// What became of one block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Placed {
    /// Edits of the target's text, by whole lines as a rule.
    ///
    /// There are none if the block's change is in the file already.
    pub(crate) edits: Vec<Edit>,
    pub(crate) level: Level,
    /// The lines that the block's old ones were found at as one piece, from 0.
    pub(crate) lines: Option<Range<usize>>,
    pub(crate) number: Number,
}

/// What the line that a block names has to do with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Number {
    /// Nothing, or it is that of the only place.
    #[default]
    Agrees,
    /// The only place is at another line.
    IsOff,
    /// It tells the place from others that are like it.
    Decides,
}

impl Number {
    /// For a block that was put at line `at` (from 0), one of so many places.
    pub(super) fn of(block: &Block, at: usize, places: usize) -> Self {
        match (block.hint, places) {
            (Some(hint), 1) if hint != at + 1 => Self::IsOff,
            (Some(hint), 2..) if hint == at + 1 && !block.at_end => Self::Decides,
            _ => Self::Agrees,
        }
    }
}

/// Writes a block's change down as edits; `at` holds the file's line for each old line.
pub(super) fn write(
    target: &FileText<'_>,
    block: &Block,
    lines: &[Line],
    level: Level,
    at: &[usize],
) -> Result<Vec<Edit>, Refusal> {
    let added = match level {
        Level::Folded => respell::added(target, lines, at, Part::Line),
        Level::Indentation => {
            let start = at.first().copied().unwrap_or(0);
            let mapping = indent::mapping(target, lines, start);
            let spelled = mapping.and_then(|mapping| mapping.added(target, lines, at));
            spelled.ok_or_else(|| target.not_found(block, lines))?
        }
        _ => lines.iter().filter(|line| line.role == Role::Add).map(|line| line.text.clone()).collect(),
    };
    Ok(target.edits(lines, at, added, block.final_newline))
}
