//! The column of new lines that were written in another one than the old lines.

use super::FileText;
use super::indent::{self, Lost, Mapping, with_fixed_strings};
use crate::edit::check::is_comment;
use crate::edit::parse::block::{Block, Line, Role};
use crate::edit::{Refusal, line};
use crate::text::bracket::closes_block;
use crate::text::ident;

/// Returns the lines of a block with the indentation of the file, if the new ones lost it.
///
/// The old lines were found in their own column.
/// New lines in column zero move to the column of the old lines if the file goes on in a block there. Lines that only
/// change their indentation stay, and so does a hunk, whose lines share one column. `at` holds the file's line for each
/// old line.
///
/// The error is [`Refusal::Malformed`] if either the first new line or all of them may have lost their
/// indentation.
pub(super) fn restored(
    target: &FileText<'_>,
    block: &Block,
    lines: &[Line],
    at: &[usize],
) -> Result<Option<Vec<Line>>, Refusal> {
    let is_flush =
        |line: &Line| line.role == Role::Add && line.text.starts_with(|sign| sign != ' ' && sign != '\t');
    if block.is_hunk || !lines.iter().any(is_flush) || !goes_on_deeper(target, at) {
        return Ok(None);
    }
    let lines = &*with_fixed_strings(target, lines, at.first().copied().unwrap_or(0));
    let code: Vec<Line> = lines.iter().filter(|line| !line.is_fixed).cloned().collect();
    let Some(column) = lost_column(&code) else { return Ok(None) };
    let is_kept = |line: &Line| line.role == Role::Keep && !line::is_blank(&line.text);
    let opens = lines.iter().any(|line| line.role == Role::Add && line.text.ends_with(['{', '(', '[', ':']));
    let (mut lines, mapping) = match indent::lost(&code, column) {
        Lost::First => (lines.to_vec(), Mapping::of_first(column)),
        // A kept line is in the file's column only by chance, as the body of a block around it.
        Lost::All if opens || !lines.iter().any(is_kept) => {
            let anew = lines.iter().flat_map(|line| match is_kept(line) {
                true => [Role::Delete, Role::Add].map(|role| Line { role, ..line.clone() }).to_vec(),
                false => vec![line.clone()],
            });
            let mapping = Mapping::of_all(target, &code, column);
            (anew.collect(), mapping.unwrap_or_else(|| Mapping::of_first(column)))
        }
        Lost::All | Lost::Unclear => {
            return Err(Refusal::malformed(format!(
                "the new lines of block {} begin in another column than the old ones",
                block.number
            )));
        }
    };
    let Some(added) = mapping.added(target, &lines, at) else { return Ok(None) };
    for (line, text) in lines.iter_mut().filter(|line| line.role == Role::Add).zip(added) {
        line.text = text;
    }
    Ok(Some(lines))
}

/// The column of the old lines, if the new ones begin in column zero instead.
fn lost_column(lines: &[Line]) -> Option<&str> {
    let visible = |is_gone: Role| {
        let lines = lines.iter().filter(move |line| line.role != is_gone && !line::is_blank(&line.text));
        lines.map(|line| line.text.as_str())
    };
    let (old, new) = (|| visible(Role::Add), || visible(Role::Delete));
    let column = old().next().map(line::indent).filter(|column| !column.is_empty())?;
    let first = new().next()?;
    // Directives, labels and remarks are often in column zero.
    let is_label = first.strip_suffix(':').is_some_and(|label| label.chars().all(ident::is_part));
    let is_apart = closes_block(first) || is_comment(first) || first.starts_with('#') || is_label;
    let is_flush = line::indent(first).is_empty() && !is_apart;
    let is_other_text = || !old().map(str::trim).eq(new().map(str::trim));
    (is_flush && old().all(|line| line.starts_with(column)) && is_other_text()).then_some(column)
}

/// Whether the lines behind the old ones belong to a block that surrounds both.
fn goes_on_deeper(target: &FileText<'_>, at: &[usize]) -> bool {
    let behind = at.last().map_or(0, |last| last + 1);
    let next = target.lines[behind..].iter().find(|line| !line::is_blank(line));
    next.is_some_and(|line| !line::indent(line).is_empty() || closes_block(line))
}
