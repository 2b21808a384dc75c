//! The definitions that a hunk names, such as behind git's `@@`.
//!
//! They decide between several matches. A block with the name of a definition that the file lacks has no place.

use super::FileText;
use crate::budget;
use crate::edit::line;
use crate::edit::parse::block::Block;
use crate::text::ident;

/// Words before the name of a definition.
const DEFINING: [&str; 14] = [
    "class",
    "def",
    "enum",
    "fn",
    "func",
    "function",
    "interface",
    "module",
    "namespace",
    "object",
    "record",
    "struct",
    "trait",
    "type",
];

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

    /// The first definition that a block names and neither the file nor the block has.
    ///
    /// Text that names none is no definition, whatever the file has.
    pub(in crate::edit::locate) fn undefined<'b>(&self, block: &'b Block) -> Option<&'b str> {
        self.grammar.filter(|it| !it.is_prose())?;
        let lacks = |anchor: &&str| {
            defined_name(anchor).is_some_and(|name| {
                budget::charge(self.lines.len());
                let mut own = block.readings.iter().flatten().map(|line| line.text.as_str());
                let is_there = |line: &str| line.contains(anchor) || defines(line, name);
                !self.lines.iter().any(|line| is_there(line)) && !own.any(is_there)
            })
        };
        block.anchors.iter().map(|anchor| anchor.trim()).find(lacks)
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

/// The name in the first line of a definition, or in a part of it up to its name.
///
/// `None` if other words are around it: it may be a sentence.
fn defined_name(line: &str) -> Option<&str> {
    const LEADING: [&str; 23] = [
        "abstract",
        "async",
        "const",
        "crate",
        "data",
        "declare",
        "default",
        "export",
        "extern",
        "final",
        "inline",
        "internal",
        "local",
        "open",
        "override",
        "partial",
        "private",
        "protected",
        "pub",
        "public",
        "sealed",
        "static",
        "unsafe",
    ];
    const FOLLOWING: [&str; 7] = ["extends", "for", "implements", "interface", "struct", "where", "with"];
    let behind = |word: &&str| Some(ident::occurrences(line, word).next()? + word.len());
    let at = DEFINING.iter().filter_map(behind).min()?;
    let mut leading = ident::words(&line[..at]).rev().skip(1);
    let rest = line[at..].strip_prefix([' ', '*'])?.trim_start();
    // The receiver of a method in Go.
    let rest = if rest.starts_with('(') { rest.split_once(')')?.1.trim_start() } else { rest };
    let name = ident::words(rest).next().filter(|name| rest.starts_with(name))?;
    let next = rest[name.len()..].trim_start();
    let is_end = !next.starts_with(ident::is_part)
        || ident::words(next).next().is_some_and(|it| FOLLOWING.contains(&it));
    (is_end && leading.all(|word| LEADING.contains(&word))).then_some(name)
}

/// Whether a line may be the first of a definition of a name: one with a word that says so, an assignment, or a function
/// with its body.
fn defines(line: &str, name: &str) -> bool {
    let is_head = |before: &str, behind: &str| {
        let is_open = behind.ends_with(['{', ',', '(']) || behind.ends_with(')') && !before.trim().is_empty();
        is_open && !before.contains(['=', '(', '.'])
    };
    ident::occurrences(line, name).any(|at| {
        let (before, behind) = (&line[..at], line[at + name.len()..].trim());
        !before.ends_with('.') && ident::words(before).any(|word| DEFINING.contains(&word))
            || behind.starts_with(['=', ':', '<'])
            || behind.starts_with('(') && is_head(before, behind)
    })
}
