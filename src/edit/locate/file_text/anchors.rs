//! The definitions that a hunk names, such as behind git's `@@`.
//!
//! They decide between several matches.

use super::FileText;
use crate::budget;
use crate::edit::line;

impl<'a> FileText<'a> {
    /// The one of `places` that lies in the named definition, which must be unique in the file.
    ///
    /// If several do, or if the definition has no body that shows its end, it does not decide: git names the
    /// same one above each of them.
    pub(in crate::edit::locate) fn only_inside(&self, anchors: &[String], places: &[usize]) -> Option<usize> {
        let anchor = self.definition(anchors).filter(|at| self.has_body(*at))?;
        let end = self.end_of(anchor);
        let mut inside = places.iter().filter(|place| (anchor..=end).contains(*place));
        inside.next().filter(|_| inside.next().is_none()).copied()
    }

    /// The line behind the body of the definition in a line, by the indentation of the lines below.
    fn end_of(&self, definition: usize) -> usize {
        let depth = line::indent(self.lines[definition]).len();
        let ends = |line: &&str| {
            let text = line.trim();
            !text.is_empty()
                && line::indent(line).len() <= depth
                && !text.starts_with(['{', ')', ']', '(', '#', '@'])
        };
        let below = &self.lines[definition + 1..];
        below.iter().position(ends).map_or(self.lines.len(), |at| definition + 1 + at)
    }

    /// The definition that anchors name, if it is unambiguous.
    ///
    /// It occurs in the file once, has a body, and begins at line `end` or below.
    pub(in crate::edit::locate) fn defined_behind(&self, anchors: &[String], end: usize) -> Option<&'a str> {
        let named = anchors.last()?.trim();
        let at = self.definition(anchors).filter(|at| *at >= end)?;
        let line = self.lines[at].trim();
        (self.has_body(at) && line.starts_with(named)).then_some(line)
    }

    /// Whether the text below a line is indented deeper, or in braces.
    fn has_body(&self, at: usize) -> bool {
        let first = self.lines[at + 1..].iter().find(|line| !line::is_blank(line));
        first.is_some_and(|first| {
            line::indent(first).len() > line::indent(self.lines[at]).len()
                || first.trim_start().starts_with('{')
        })
    }

    /// The first line of the body of the definition that anchors name.
    ///
    /// `None` if lines without old text cannot be inserted there: the definition's line has to open the body,
    /// the lines must be indented like the body, and nothing in it may have to come first.
    pub(in crate::edit::locate) fn body_of(&self, anchors: &[String], added: &[String]) -> Option<usize> {
        const FIRST: [&str; 5] = ["\"", "'", "#!", "//!", "r\""];
        let named = anchors.last()?.trim();
        let at = self.definition(anchors)?;
        let line = self.lines[at];
        let (first, opens) = (self.lines.get(at + 1)?, line.trim().ends_with(['{', ':']));
        let depth = line::indent(first).len();
        let fits =
            |line: &String| line::is_blank(line) || line::indent(line).starts_with(line::indent(first));
        let begins = added.first().is_some_and(|line| line::indent(line) == line::indent(first));
        let comes_first = FIRST.iter().any(|sign| first.trim().starts_with(sign));
        let sound = opens && line.trim().starts_with(named) && depth > line::indent(line).len();
        (sound && begins && added.iter().all(fits) && !comes_first).then_some(at + 1)
    }

    /// The line of the definition that anchors name, outermost first.
    ///
    /// `None` unless the first of them occurs in the file once, and each other one once in the body of the one
    /// before: others of its name elsewhere are not meant. If that one has no body, all lines that follow are
    /// searched.
    fn definition(&self, anchors: &[String]) -> Option<usize> {
        let mut scope = 0..self.lines.len();
        let mut anchor = None;
        for wanted in anchors {
            budget::charge(self.lines.len());
            let wanted = wanted.trim();
            let tests: [fn(&str, &str) -> bool; 3] = [
                |line, wanted| line == wanted,
                |line, wanted| line.starts_with(wanted),
                |line, wanted| line.contains(wanted),
            ];
            let found = tests.iter().find_map(|test| {
                let mut hits = scope.clone().filter(|&at| test(self.lines[at].trim(), wanted));
                let first = hits.next()?;
                Some(hits.next().is_none().then_some(first))
            })??;
            anchor = Some(found);
            let end = if self.has_body(found) { self.end_of(found) } else { self.lines.len() };
            scope = found..end;
        }
        anchor
    }
}
