//! The result of placing a block: edits of the file's lines.

use std::ops::Range;

use super::respell::{self, Part};
use super::{FileText, Level, column, indent};
use crate::edit::parse::block::{Block, Line, Role};
use crate::edit::{Edit, Refusal};

/// The result of placing one block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Placed {
    /// Edits of the target's text, usually of whole lines.
    ///
    /// There are none if the block's change is in the file already.
    pub(crate) edits: Vec<Edit>,
    pub(crate) level: Level,
    /// The lines that the block's old ones matched in one piece, from 0.
    pub(crate) lines: Option<Range<usize>>,
    pub(crate) number: Number,
}

/// The relation of the line number that a block states to its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Number {
    /// It is irrelevant, or that of the only match.
    #[default]
    Agrees,
    /// The only match is at another line.
    IsOff,
    /// It distinguishes the match from similar ones.
    Decides,
}

impl Number {
    /// Classifies a block that was placed at line `at` (from 0), one of `places` matches.
    pub(super) fn of(block: &Block, at: usize, places: usize) -> Self {
        match (block.hint, places) {
            (Some(hint), 1) if hint != at + 1 => Self::IsOff,
            (Some(hint), 2..) if hint == at + 1 && !block.at_end => Self::Decides,
            _ => Self::Agrees,
        }
    }
}

/// Writes a block's change as edits; `at` holds the file's line for each old line.
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
        _ => {
            let restored = column::restored(target, block, lines, at)?;
            let lines = restored.as_deref().unwrap_or(lines);
            let added = lines.iter().filter(|line| line.role == Role::Add).map(|line| line.text.clone());
            return Ok(target.edits(lines, at, added.collect(), block.final_newline));
        }
    };
    Ok(target.edits(lines, at, added, block.final_newline))
}
