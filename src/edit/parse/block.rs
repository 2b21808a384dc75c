//! What every reply format comes down to: blocks of old lines to find.
//!
//! A block says what becomes of them.

use similar::DiffTag;

use crate::edit::{Refusal, diff, line};

/// What a block wants with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is there, and stays.
    Keep,
    /// It is there, and goes.
    Delete,
    /// It comes.
    Add,
}

/// One line of a block, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) role: Role,
    pub(crate) text: String,
    /// The line as it stands in the reply, where the mark before a kept line may be missing.
    pub(crate) raw: Option<String>,
}

impl Line {
    pub(crate) fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), raw: None }
    }

    pub(crate) fn is_old(&self) -> bool {
        self.role != Role::Add
    }
}

/// How many places a block is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Times {
    #[default]
    Once,
    /// As many as the reply says, all of them.
    Exactly(usize),
    All,
}

/// One change that a reply asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Block {
    /// Its number in the reply, from 1.
    pub(crate) number: usize,
    /// Its lines.
    ///
    /// Several readings stand here where the reply's own marks could also be text of the file.
    pub(crate) readings: Vec<Vec<Line>>,
    /// The lines without those at the end that may be talk; for when the whole is not found.
    pub(crate) shorter: Option<Vec<Line>>,
    /// Old and new text as they are, for formats that may replace a part of a line.
    pub(crate) inline: Option<(String, String)>,
    /// Definitions that the place is in or after, outermost first.
    pub(crate) anchors: Vec<String>,
    /// The number of the first old line, from 1, as the reply states it.
    pub(crate) hint: Option<usize>,
    /// The number of the line, from 1, that lines without any old text come before.
    pub(crate) before: Option<usize>,
    /// Whether the old lines are the file's last ones.
    pub(crate) at_end: bool,
    /// Whether it comes from a format whose blocks stand between headers.
    ///
    /// One of them may be missing.
    pub(crate) is_hunk: bool,
    /// Whether one of its new lines may be a second divider.
    ///
    /// That is text only where the file has such a line.
    pub(crate) second_divider: bool,
    /// How many places are meant.
    pub(crate) times: Times,
    /// Whether the file is to end with a line end afterwards, where the reply says so.
    pub(crate) final_newline: Option<bool>,
}

impl Block {
    /// Whether all of the places where it fits are meant, and not one of them.
    ///
    /// # Errors
    ///
    /// [`Refusal::Malformed`] when the reply says that there are more or fewer.
    pub(crate) fn is_for_all(&self, places: usize) -> Result<bool, Refusal> {
        match self.times {
            Times::Once => Ok(false),
            Times::Exactly(times) if times != places => Err(Refusal::Malformed {
                detail: format!("block {} is for {times} places, and fits in {places}", self.number),
            }),
            Times::Exactly(_) | Times::All => Ok(true),
        }
    }
}

/// Turns old and new lines into one list: what both have is kept.
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

/// A block that replaces one text by another, found as it is or by its lines.
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
