//! What becomes of a block at its place: edits of the file's lines.

use std::ops::Range;

use super::respell::{self, Part};
use super::{FileText, Level, indent};
use crate::edit::reply::block::{Block, Line, Role};
use crate::edit::{Edit, Refusal};

/// What became of one block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Placed {
    /// Edits of the target's text, by whole lines as a rule; none if the block's change is in the file already.
    pub(crate) edits: Vec<Edit>,
    pub(crate) level: Level,
    /// The lines that the block's old ones were found at as one piece, from 0.
    pub(crate) lines: Option<Range<usize>>,
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
