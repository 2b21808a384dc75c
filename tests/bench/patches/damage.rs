//! Damaged replies, and files that changed after they were shown.

use std::collections::BTreeMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::after;
use super::git::Commit;
use super::render::Format;

/// A kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Damage {
    /// A line that the reply deletes has changed in the file.
    StaleDeleted,
    /// A line beside a change has changed in the file.
    StaleContext,
    /// The reply is cut off within a line.
    Cut,
    /// The line numbers of the hunks are wrong.
    Numbers,
}

/// A damaged case.
pub(crate) struct Case {
    pub(crate) reply: String,
    /// The files that differ from the parent.
    pub(crate) changed: Vec<(String, String)>,
    /// The correct result, if the reply is applied at all.
    ///
    /// A reply with a path that is missing here must be refused.
    pub(crate) after: BTreeMap<String, Option<String>>,
}

impl Damage {
    pub(crate) const ALL: [Self; 4] = [Self::StaleDeleted, Self::StaleContext, Self::Cut, Self::Numbers];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::StaleDeleted => "deleted line stale",
            Self::StaleContext => "context stale",
            Self::Cut => "cut",
            Self::Numbers => "wrong numbers",
        }
    }

    /// The damaged case of a reply, if there is one.
    pub(crate) fn of(self, commit: &Commit, format: Format, reply: &str) -> Option<Case> {
        let chance = u64::from_str_radix(&commit.hash[..12], 16).unwrap();
        let after = after(commit);
        match self {
            // A whole file does not show which lines it replaces.
            Self::StaleDeleted | Self::StaleContext if format == Format::Whole => None,
            Self::StaleDeleted | Self::StaleContext => {
                let (path, old, new) = commit.files.iter().find_map(|file| {
                    let ((old_path, old), (path, new)) = (file.old.as_ref()?, file.new.as_ref()?);
                    let stale = stale(old, new, self == Self::StaleDeleted)?;
                    (old_path == path).then_some((path, stale.0, stale.1))
                })?;
                let mut after = after;
                after.insert(path.clone(), Some(new));
                Some(Case { reply: reply.to_owned(), changed: vec![(path.clone(), old)], after })
            }
            Self::Cut => {
                let from = reply.len() / 5;
                let start = from + (chance % (reply.len() - from).max(1) as u64) as usize;
                let at = (start..reply.len()).find(|&at| within_line(reply, at))?;
                Some(Case { reply: reply[..at].to_owned(), changed: Vec::new(), after })
            }
            Self::Numbers if format == Format::Git => {
                let by = 1 + (chance % 40) as usize;
                Some(Case { reply: renumbered(reply, by), changed: Vec::new(), after })
            }
            Self::Numbers => None,
        }
    }
}

/// Whether an offset is within the text of a line.
fn within_line(reply: &str, at: usize) -> bool {
    if !reply.is_char_boundary(at) {
        return false;
    }
    let start = reply[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = reply[at..].find('\n').map_or(reply.len(), |end| at + end);
    let (head, tail) = (reply[start..at].trim(), reply[at..end].trim());
    head.len() > 2 && !tail.is_empty()
}

/// The text with one line changed, and the new text with that change kept.
///
/// A changed line that the reply deletes has no correct result, so the second text is one that no reply produces.
fn stale(old: &str, new: &str, deleted: bool) -> Option<(String, String)> {
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let ops = capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines);
    let at = ops.windows(2).find_map(|pair| match pair {
        [DiffOp::Equal { .. }, change] if deleted => {
            change.old_range().find(|&at| old_lines[at].trim().len() > 3)
        }
        [equal @ DiffOp::Equal { .. }, _] => {
            equal.old_range().last().filter(|&at| old_lines[at].trim().len() > 3)
        }
        _ => None,
    })?;
    let changed = |lines: &[&str], at: usize| {
        let body = lines[at].trim_end_matches('\n');
        let line = format!("{body} stale{}", &lines[at][body.len()..]);
        [lines[..at].concat(), line, lines[at + 1..].concat()].concat()
    };
    let stale = changed(&old_lines, at);
    if deleted {
        return Some((stale, "\0".to_owned()));
    }
    let op = ops.iter().find(|op| op.old_range().contains(&at))?;
    let new_at = op.new_range().start + (at - op.old_range().start);
    Some((stale, changed(&new_lines, new_at)))
}

/// A diff with wrong line numbers in its hunk headers.
fn renumbered(diff: &str, by: usize) -> String {
    let line = |line: &str| {
        let Some((numbers, rest)) = line.strip_prefix("@@ -").and_then(|rest| rest.split_once(" @@")) else {
            return line.to_owned();
        };
        let shifted: Vec<String> = numbers
            .split(" +")
            .map(|range| {
                let (start, count) = range.split_once(',').unwrap_or((range, "1"));
                let start: usize = start.parse().unwrap_or(0);
                // The start 0 of a created or deleted file is kept.
                if start == 0 { range.to_owned() } else { format!("{},{count}", start + by) }
            })
            .collect();
        format!("@@ -{} @@{rest}", shifted.join(" +"))
    };
    diff.split_inclusive('\n').map(line).collect()
}
