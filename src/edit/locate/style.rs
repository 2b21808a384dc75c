//! Converts the indentation of new lines to the file's tabs.

use std::cell::LazyCell;
use std::collections::HashSet;

use super::FileText;
use crate::edit::{Edit, Refusal, line};

/// The number of lines before and after a change that show the file's style.
const AROUND: usize = 20;

/// Converts the indentation of a block's new lines to tabs.
///
/// It does so if they are indented by spaces, and all lines around by tabs.
///
/// The number of spaces per tab has to follow from the first such line: it is as deep as the line that it
/// replaces, or as the one above requires. New lines that also have tabs are left as they are, and so is prose.
///
/// The error is [`Refusal::Malformed`] when the lines around are indented by tabs alone, and the new ones do
/// not fit their steps.
pub(super) fn of_file(target: &FileText<'_>, block: usize, edits: Vec<Edit>) -> Result<Vec<Edit>, Refusal> {
    let is_prose = target.grammar.is_some_and(|grammar| grammar.is_prose());
    if is_prose || !is_foreign(target, &edits) {
        return Ok(edits);
    }
    let Some(width) = edits.iter().find_map(|edit| width(target, edit)) else { return Ok(edits) };
    let refuse = || {
        Refusal::malformed(format!(
            "the new lines of block {block} are indented by blanks, and the file is by tabs"
        ))
    };
    let width = width.ok_or_else(refuse)?;
    let converted = |edit: Edit| {
        let mut text = String::with_capacity(edit.text.len());
        for (number, line) in line::split_iter(&edit.text).enumerate() {
            let blanks = if starts_line(target, &edit, number) { blanks_of(line) } else { 0 };
            if !blanks.is_multiple_of(width) {
                return Err(refuse());
            }
            text.extend(std::iter::repeat_n('\t', blanks / width));
            text.push_str(&line[blanks..]);
        }
        Ok(Edit { text, ..edit })
    };
    edits.into_iter().map(converted).collect()
}

/// Whether new lines are indented unlike all lines around.
///
/// They have spaces and no tabs, and all lines around have tabs.
fn is_foreign(target: &FileText<'_>, edits: &[Edit]) -> bool {
    let new = || {
        edits.iter().flat_map(|edit| {
            let lines = line::split_iter(&edit.text).enumerate();
            lines.filter(|(number, _)| starts_line(target, edit, *number)).map(|(_, line)| line)
        })
    };
    let gone = LazyCell::new(|| -> HashSet<&str> {
        edits.iter().flat_map(|edit| line::split_iter(&target.text[edit.span.clone()])).collect()
    });
    let has_tab = |line: &str| line::indent(line).contains('\t') && !line::is_blank(line);
    if !new().any(|line| blanks_of(line) > 0) || new().any(|line| has_tab(line) && !gone.contains(line)) {
        return false;
    }
    let mut tabs = 0;
    for edit in edits {
        let first = target.line_at(edit.span.start).saturating_sub(AROUND);
        let end = (target.line_at(edit.span.end) + AROUND).min(target.lines.len());
        for line in target.lines[first..end].iter().filter(|line| !line::is_blank(line)) {
            if blanks_of(line) > 0 {
                return false;
            }
            tabs += usize::from(line.starts_with('\t'));
        }
    }
    tabs > 0
}

/// The number of spaces in an edit's new lines that make one tab.
///
/// It follows from the first one that is indented by spaces; the inner `None` means that no valid width does.
/// The outer one means that there is no such line, or that no indentation is required there.
fn width(target: &FileText<'_>, edit: &Edit) -> Option<Option<usize>> {
    let gone = line::split_iter(&target.text[edit.span.clone()]).find(|line| !line::is_blank(line));
    let above = line::last(&target.text[..edit.span.start], AROUND);
    let mut above = above.into_iter().rev().find(|line| !line::is_blank(line)).unwrap_or_default();
    let mut is_first = true;
    for (number, line) in line::split_iter(&edit.text).enumerate() {
        if line::is_blank(line) {
            continue;
        }
        if !starts_line(target, edit, number) {
            is_first = false;
            continue;
        }
        let blanks = blanks_of(line);
        if blanks == 0 {
            (above, is_first) = (line, false);
            continue;
        }
        let tabs = |line: &str| line.len() - line.trim_start_matches('\t').len();
        let depth = match gone.filter(|_| is_first) {
            Some(gone) => tabs(gone),
            None => tabs(above) + usize::from(above.trim_end().ends_with(['{', '(', '[', ':'])),
        };
        let width = blanks.checked_div(depth).filter(|_| blanks.is_multiple_of(depth));
        return (depth > 0).then_some(width.filter(|width| matches!(width, 2 | 4 | 8)));
    }
    None
}

/// Whether a line of an edit's text begins a line of the file.
fn starts_line(target: &FileText<'_>, edit: &Edit, number: usize) -> bool {
    number > 0 || target.line_around(edit.span.start).0.is_empty()
}

/// The number of spaces that a line is indented by. A single one aligns the lines of a comment.
fn blanks_of(line: &str) -> usize {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    if line::is_blank(line) || blanks < 2 { 0 } else { blanks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::apply;

    /// Checks the text after `new` replaces the part between `«` and `»`.
    #[track_caller]
    fn check(marked: &str, new: &str, expected: &str) {
        let span = marked.find('«').unwrap()..marked.find('»').unwrap() - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        let target = FileText::new(&text, None, None);
        let outcome = match of_file(&target, 1, vec![Edit::new(span, new)]) {
            Ok(edits) => apply(&text, &edits),
            Err(refusal) => format!("refused: {}", refusal.code()),
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn blanks_become_the_files_tabs() {
        check("f {\n\ta()\n«»}\n", "    b()\n", "f {\n\ta()\n\tb()\n}\n");
        check("f {\n«\ta()\n»}\n", "  b {\n    c()\n  }\n", "f {\n\tb {\n\t\tc()\n\t}\n}\n");
        check("f {\n\tg {\n«»\t}\n}\n", "        b()\n", "f {\n\tg {\n\t\tb()\n\t}\n}\n");
        check("f {\n\ta()\n}\n«»", "\ng {\n    b()\n}\n", "f {\n\ta()\n}\n\ng {\n\tb()\n}\n");
        check(
            "f {\n«\ta()\n\tb()\n\tc()\n»}\n",
            "    d()\n\tb()\n    e()\n",
            "f {\n\td()\n\tb()\n\te()\n}\n",
        );
        check("f {\n\ta()«»\n}\n", "\n    b()", "f {\n\ta()\n\tb()\n}\n");
    }

    #[test]
    fn what_fits_no_step_is_refused() {
        check("f {\n\ta()\n«»}\n", "   b()\n", "refused: malformed");
        check("f {\n\ta()\n«»}\n", "    b {\n      c()\n    }\n", "refused: malformed");
    }

    #[test]
    fn other_styles_stay() {
        for (marked, new) in [
            ("f {\n\ta()\n«»}\n", "/*\n * b\n */\n"),
            ("f {\n    a()\n«»}\n", "    b()\n"),
            ("f {\n\ta()\n    b()\n«»}\n", "    c()\n"),
            ("f {\n\ta()\n«»}\n", "\tx = `\n    b`\n"),
            ("all:\n\ta\n\n«»", "ifdef B\n  C = d\nendif\n"),
        ] {
            check(marked, new, &marked.replace("«»", new));
        }
    }
}
