//! Search/replace blocks.
//!
//! They consist of old lines, a divider and new lines between two marker lines.

use super::block::{Block, lines_of_halves};
use crate::edit::{Refusal, line};

/// Maximum number of possible divider lines in one block.
const MOST_DIVIDERS: usize = 16;

/// A block that is still being read.
#[derive(Debug)]
pub(super) struct Search {
    indent: String,
    /// Whether the opening marker has a word; then the closing one must too.
    worded: bool,
    lines: Vec<String>,
    hint: Option<usize>,
    /// Whether a `-------` line may end the line hints at the start of a block, as written by Roo.
    in_head: bool,
}

/// Opens a block if the line is an opening marker.
///
/// The line number of the first old line may follow the word: `<<<<<<< SEARCH line=12`.
pub(super) fn opens(line: &str) -> Option<Search> {
    let numbered = line.trim_end().rsplit_once(" line=");
    let numbered = numbered.and_then(|(mark, number)| Some((mark, number.parse().ok()?)));
    let (line, hint) = numbered.map_or((line, None), |(mark, number)| (mark, Some(number)));
    let (sign, word) = marker(line)?;
    let opening = match sign {
        '<' => matches!(word.as_str(), "" | "search" | "original" | "old" | "before"),
        '-' => word == "search",
        _ => false,
    };
    opening.then(|| Search {
        indent: line::indent(line).to_owned(),
        worded: !word.is_empty(),
        lines: Vec::new(),
        hint,
        in_head: hint.is_none(),
    })
}

/// Parses a line of five to nine equal characters and an optional word.
///
/// Examples are `<<<<<<< SEARCH` and `>>>>>>> REPLACE`.
fn marker(line: &str) -> Option<(char, String)> {
    let text = line.trim();
    let sign = text.chars().next().filter(|sign| matches!(sign, '<' | '>' | '=' | '-' | '+'))?;
    let rest = text.trim_start_matches(sign);
    let count = text.len() - rest.len();
    // Models also end the opening marker like a tag: `SEARCH>`.
    let word = rest.trim().trim_end_matches(['>', ':']).trim_end();
    ((5..=9).contains(&count) && word.chars().all(|letter| letter.is_ascii_alphabetic()))
        .then(|| (sign, word.to_lowercase()))
}

/// Whether a line can divide the old lines of a block from the new ones.
pub(crate) fn is_divider(line: &str) -> bool {
    matches!(marker(line), Some(('=', word)) if word.is_empty())
}

/// Whether a line can only close a block.
pub(super) fn is_closing(line: &str) -> bool {
    match marker(line) {
        Some(('>', word)) => matches!(word.as_str(), "replace" | "updated"),
        Some(('+', word)) => word == "replace",
        _ => false,
    }
}

/// The effect of a line on a block.
pub(super) enum BlockStep {
    /// The line belongs to the block.
    More,
    /// The line closed the block.
    Closed,
}

impl Search {
    /// Reads the next line.
    ///
    /// It is an error if another block opens before this one is closed.
    pub(super) fn line(&mut self, line: &str) -> Result<BlockStep, Refusal> {
        let text = line::body(line);
        let own_column = line::indent(text) == self.indent;
        if self.in_head {
            if let Some(number) = text.trim().strip_prefix(":start_line:") {
                self.hint = number.trim().parse().ok();
                return Ok(BlockStep::More);
            }
            if text.trim().starts_with(":end_line:") {
                return Ok(BlockStep::More);
            }
            self.in_head = false;
            if self.hint.is_some() && text.trim() == "-------" {
                return Ok(BlockStep::More);
            }
        }
        match marker(text).filter(|_| own_column) {
            Some(('>', word)) if word.is_empty() && !self.worded => return Ok(BlockStep::Closed),
            Some(('>', word)) if matches!(word.as_str(), "replace" | "updated" | "new" | "after") => {
                return Ok(BlockStep::Closed);
            }
            Some(('+', word)) if word == "replace" => return Ok(BlockStep::Closed),
            Some(('<' | '-', word)) if matches!(word.as_str(), "search" | "original") => {
                return Err(Refusal::Truncated { inside: "a search/replace block" });
            }
            _ => {}
        }
        self.lines.push(text.to_owned());
        Ok(BlockStep::More)
    }

    /// Builds the closed block.
    ///
    /// It is an error if there is no divider, or if there are too many candidates.
    pub(super) fn block(self, number: usize) -> Result<Block, Refusal> {
        let divides = |line: &String| is_divider(line) && line::indent(line) == self.indent;
        // A second divider at an edge of the new lines, but not of the old lines, is a mistake.
        let is_text = |at: usize| {
            let (old, new) = (&self.lines[..at], &self.lines[at + 1..]);
            let added = |old: Option<&String>, new: Option<&String>| {
                new.is_some_and(divides) && !old.is_some_and(divides)
            };
            !added(old.first(), new.first()) && !added(old.last(), new.last())
        };
        let all = || (0..self.lines.len()).filter(|&at| divides(&self.lines[at]));
        let dividers: Vec<usize> = all().take(MOST_DIVIDERS + 1).filter(|&at| is_text(at)).collect();
        if dividers.is_empty() || dividers.len() > MOST_DIVIDERS {
            let detail = match all().count() {
                0 => format!("block {number} has no `=======` between its old and new lines"),
                count => format!("block {number} has {count} lines that could be its divider"),
            };
            return Err(Refusal::malformed(detail));
        }
        // In an indented fence, the lines are indented like the markers.
        let unindent = |line: &String| line.strip_prefix(&self.indent).unwrap_or(line).to_owned();
        let lines: Vec<String> = match self.indent.is_empty() {
            true => self.lines,
            false if self.lines.iter().all(|line| line::is_blank(line) || line.starts_with(&self.indent)) => {
                self.lines.iter().map(unindent).collect()
            }
            false => self.lines,
        };
        let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
        let second_divider = texts.iter().filter(|line| is_divider(line)).nth(1).is_some();
        let readings = dividers.iter().map(|&at| lines_of_halves(&texts[..at], &texts[at + 1..])).collect();
        Ok(Block { number, readings, hint: self.hint, second_divider, ..Block::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_of_all_dialects() {
        for line in
            ["<<<<<<< SEARCH", "<<<<< search", "<<<<<<< SEARCH>", "------- SEARCH", "  <<<<<<<<< ORIGINAL"]
        {
            assert!(opens(line).is_some(), "{line}");
        }
        for line in ["<<<<<<< HEAD", "<<<< SEARCH", "a <<<<<<< SEARCH", "-------", "======="] {
            assert!(opens(line).is_none(), "{line}");
        }
    }
}
