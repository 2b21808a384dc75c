//! The common representation of all reply formats: blocks of old lines to find.
//!
//! A block also states the change to each line.

use similar::DiffTag;

use crate::edit::{Refusal, diff, line};

/// The role of a line in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The line exists and stays.
    Keep,
    /// The line exists and is deleted.
    Delete,
    /// The line is new.
    Add,
}

/// One line of a block, without its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) role: Role,
    pub(crate) text: String,
    /// The line as written in the reply, for a kept line whose marker may be missing.
    pub(crate) raw: Option<String>,
    /// Whether it begins inside of a string that [keeps its blanks](crate::edit::strings) when the code moves.
    pub(crate) is_fixed: bool,
}

impl Line {
    pub(crate) fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), raw: None, is_fixed: false }
    }

    pub(crate) fn is_old(&self) -> bool {
        self.role != Role::Add
    }
}

/// The number of positions that a block applies to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Times {
    #[default]
    Once,
    /// Exactly as many positions as the reply states.
    Exactly(usize),
    All,
}

/// One change in a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Block {
    /// The block's number in the reply, counted from 1.
    pub(crate) number: usize,
    /// The lines of the block.
    ///
    /// There are several readings if the reply's own markers could also be text of the file.
    pub(crate) readings: Vec<Vec<Line>>,
    /// The lines without trailing ones that may be talk, used if the whole block is not found.
    pub(crate) shorter: Option<Vec<Line>>,
    /// The old and new text verbatim, for formats that may replace part of a line.
    pub(crate) inline: Option<(String, String)>,
    /// Definitions that contain or precede the position, outermost first.
    pub(crate) anchors: Vec<String>,
    /// The line number (from 1) of the first old line, as stated in the reply.
    pub(crate) hint: Option<usize>,
    /// The line number (from 1) before which lines without old text are inserted.
    pub(crate) before: Option<usize>,
    /// Whether the old lines are the last lines of the file.
    pub(crate) at_end: bool,
    /// Whether the block is from a format with hunk headers between blocks.
    ///
    /// One of the headers may be missing.
    pub(crate) is_hunk: bool,
    /// Whether one of the new lines may be a second divider.
    ///
    /// Such a line is text only if the file has one like it.
    pub(crate) second_divider: bool,
    /// How many positions the block applies to.
    pub(crate) times: Times,
    /// Whether the file must end with a line end afterwards, if the reply states it.
    pub(crate) final_newline: Option<bool>,
}

impl Block {
    /// Whether the new lines of a hunk all begin in the first column, and the lines that they replace do not.
    ///
    /// A parser notices that only where blocks end by indentation. One new line may be a label, and a directive of a
    /// preprocessor begins there.
    pub(super) fn lost_indentation(&self) -> bool {
        const SEVERAL: usize = 2;
        let [lines] = self.readings.as_slice() else { return false };
        let is_code = |line: &&Line| !line::is_blank(&line.text) && !line.text.starts_with('#');
        let is_flush = |line: &Line| !line.text.starts_with([' ', '\t']);
        let (old, new): (Vec<&Line>, Vec<&Line>) = lines.iter().filter(is_code).partition(|it| it.is_old());
        self.is_hunk
            && old.len() >= SEVERAL
            && old.iter().any(|line| line.role == Role::Delete)
            && new.len() >= SEVERAL
            && !old.iter().any(|line| is_flush(line))
            && new.iter().all(|line| is_flush(line))
    }

    /// Whether the block applies to all matching positions instead of a single one.
    ///
    /// The error is [`Refusal::Malformed`] if the reply states a different number of positions.
    pub(crate) fn is_for_all(&self, places: usize) -> Result<bool, Refusal> {
        match self.times {
            Times::Once => Ok(false),
            Times::Exactly(times) if times != places => Err(Refusal::malformed(format!(
                "block {} is for {times} places, and fits in {places}",
                self.number
            ))),
            Times::Exactly(_) | Times::All => Ok(true),
        }
    }
}

/// Merges old and new lines into one list that keeps the common lines.
pub(crate) fn lines_of_halves(old: &[&str], new: &[&str]) -> Vec<Line> {
    let mut lines = Vec::with_capacity(old.len() + new.len());
    for op in diff::ops(old, new) {
        let (tag, old_range, new_range) = op.as_tag_tuple();
        if tag == DiffTag::Equal {
            lines.extend(old[old_range].iter().map(|text| Line::new(Role::Keep, *text)));
        } else {
            lines.extend(old[old_range].iter().map(|text| Line::new(Role::Delete, *text)));
            lines.extend(new[new_range].iter().map(|text| Line::new(Role::Add, *text)));
        }
    }
    lines
}

/// Returns a block that replaces one text with another, found verbatim or by its lines.
pub(crate) fn replacement(number: usize, old: &str, new: &str) -> Block {
    let bodies = |text| line::split_iter(text).map(line::body).collect::<Vec<_>>();
    let (old_lines, new_lines) = (bodies(old), bodies(new));
    Block {
        number,
        readings: vec![lines_of_halves(&old_lines, &new_lines)],
        inline: Some((old.to_owned(), new.to_owned())),
        ..Block::default()
    }
}
