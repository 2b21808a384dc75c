//! The indentation style of the window's lines.

use crate::edit::line;

/// The indentation style of the window's lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndentStyle {
    /// Number of lines that start with a tab.
    pub(super) tabs: usize,
    /// Number of lines that start with a space.
    pub(super) spaces: usize,
    /// The smallest indentation by spaces, from two columns up.
    pub(super) step: usize,
}

impl IndentStyle {
    /// The style of the text on both sides of the cursor.
    pub(super) fn of(before: &str, after: &str) -> Self {
        let mut tabs = 0_usize;
        let mut steps = [0_usize; 9];
        for line in line::split_iter(before).chain(line::split_iter(after)) {
            match line.as_bytes().first() {
                Some(b'\t') => tabs += 1,
                Some(b' ') if !line::is_blank(line) => steps[line::width(line).min(8)] += 1,
                _ => {}
            }
        }
        let step = (2..=8).find(|&step| steps[step] > 0).unwrap_or(4);
        Self { tabs, spaces: steps.iter().sum(), step }
    }
}
