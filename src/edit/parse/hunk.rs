//! The lines of one hunk of a unified diff or a patch.

use super::block::{Block, Line, Role};
use crate::edit::{Refusal, line};

/// A hunk that is still being read.
#[derive(Debug, Default)]
pub(super) struct OpenHunk {
    lines: Vec<Line>,
    anchors: Vec<String>,
    hint: Option<usize>,
    pub(super) at_end: bool,
    final_newline: Option<bool>,
}

impl OpenHunk {
    /// Adds a line with its marker. A line without one is context, because models omit the space.
    pub(super) fn line(&mut self, text: &str) {
        let text = line::body(text);
        let line = match text.as_bytes().first() {
            Some(b'+') => Line::new(Role::Add, &text[1..]),
            Some(b'-') => Line::new(Role::Delete, &text[1..]),
            Some(b' ') => Line { raw: Some(text.to_owned()), ..Line::new(Role::Keep, &text[1..]) },
            _ => Line::new(Role::Keep, text),
        };
        self.lines.push(line);
    }

    /// Applies the remark that the line before has no line end.
    pub(super) fn no_newline(&mut self) {
        match self.lines.last().map(|line| line.role) {
            Some(Role::Delete) => self.final_newline = Some(self.final_newline.unwrap_or(true)),
            Some(_) => self.final_newline = Some(false),
            None => {}
        }
    }

    /// Continues after a header, which may be one of several in a row.
    pub(super) fn next(&mut self, hint: Option<usize>, definition: &str) {
        self.lines.clear();
        self.hint = hint;
        self.anchors.extend((!definition.is_empty()).then(|| definition.to_owned()));
    }

    /// Whether there are only blank lines so far.
    pub(super) fn is_blank(&self) -> bool {
        self.lines.iter().all(|line| line.role == Role::Keep && line::is_blank(&line.text))
    }

    /// The last line, if it has no marker.
    pub(super) fn last_line(&self) -> Option<&str> {
        let unmarked = |line: &&Line| line.role == Role::Keep && line.raw.is_none();
        self.lines.last().filter(unmarked).map(|line| line.text.as_str())
    }

    /// Whether the last line has a marker with only whitespace after it.
    pub(super) fn ends_in_blanks(&self) -> bool {
        let is_marked = |line: &&Line| line.role != Role::Keep || line.raw.is_some();
        self.lines
            .last()
            .filter(is_marked)
            .is_some_and(|line| !line.text.is_empty() && line::is_blank(&line.text))
    }

    /// Whether the hunk has any changes so far.
    pub(super) fn has_changes(&self) -> bool {
        self.lines.iter().any(|line| line.role != Role::Keep)
    }

    /// Whether the last line is marked as context, or there is no line.
    pub(super) fn ends_in_context(&self) -> bool {
        self.lines.last().is_none_or(|line| line.role == Role::Keep && line.raw.is_some())
    }

    /// Counts the old and the new lines.
    pub(super) fn counts(&self) -> (usize, usize) {
        let count = |gone: Role| self.lines.iter().filter(|line| line.role != gone).count();
        (count(Role::Add), count(Role::Delete))
    }

    /// Counts the context lines at the beginning and at the end of the hunk.
    pub(super) fn context(&self) -> (usize, usize) {
        let kept = |line: &&Line| line.role == Role::Keep;
        (self.lines.iter().take_while(kept).count(), self.lines.iter().rev().take_while(kept).count())
    }

    /// Ends the hunk where the format continues. `None` if there are only blank lines between two headers.
    ///
    /// The error is [`Refusal::Malformed`] if a definition is named and no line follows.
    pub(super) fn close(self) -> Result<Option<Block>, Refusal> {
        if !self.is_blank() {
            return Ok(Some(self.block()));
        }
        match self.anchors.last() {
            Some(anchor) => Err(Refusal::malformed(format!("no lines follow its header `@@ {anchor}`"))),
            None => Ok(None),
        }
    }

    /// Ends the hunk where text outside of the format may follow.
    ///
    /// Unmarked lines after the last change are not part of the hunk, unless `is_part` finds a part of a
    /// format among them.
    ///
    /// Fails as [`OpenHunk::close`] does.
    pub(super) fn close_before_talk(self, is_part: fn(&str) -> bool) -> Result<Option<Block>, Refusal> {
        let block = self.close()?;
        Ok(block.map(|mut block| {
            let lines = block.readings.first().map_or(&[][..], Vec::as_slice);
            let changed = lines.iter().rposition(|line| line.role != Role::Keep).map_or(0, |at| at + 1);
            let marked = lines[changed..].iter().take_while(|line| line.raw.is_some()).count();
            let end = changed + marked;
            let talks = !lines[end..].iter().any(|line| is_part(&line.text));
            block.shorter = (0 < changed && end < lines.len() && talks).then(|| lines[..end].to_vec());
            block
        }))
    }

    /// Builds the block.
    ///
    /// Empty, unmarked lines at the end separate hunks and do not belong to this one.
    fn block(mut self) -> Block {
        while self
            .lines
            .last()
            .is_some_and(|line| line.role == Role::Keep && line.raw.is_none() && line.text.is_empty())
        {
            self.lines.pop();
        }
        Block {
            readings: vec![self.lines],
            anchors: self.anchors,
            hint: self.hint,
            at_end: self.at_end,
            is_hunk: true,
            final_newline: self.final_newline,
            ..Block::default()
        }
    }
}

/// A hunk header `@@ -12,3 +12,4 @@ definition`.
///
/// It consists of the number of the first old line, both counts, and the definition.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Header<'a> {
    pub(super) old: Option<(usize, usize)>,
    pub(super) new_count: Option<usize>,
    pub(super) definition: &'a str,
}

/// Reads a line that starts with `@@`.
pub(super) fn header(line: &str) -> Option<Header<'_>> {
    let rest = line::body(line).strip_prefix("@@")?.trim_start_matches('@');
    let text = rest.trim();
    if let Some(numbers) = text.strip_prefix('-') {
        let (range, definition) = numbers.split_once("@@").unwrap_or((numbers, ""));
        let mut parts = range.split_whitespace();
        let old = parts.next().and_then(range_of);
        let new = parts.next().and_then(|part| range_of(part.strip_prefix('+')?));
        if old.is_some() {
            return Some(Header {
                old,
                new_count: new.map(|(_, count)| count),
                definition: definition.trim(),
            });
        }
    }
    let definition = text.strip_suffix("@@").map_or(text, str::trim_end);
    let definition =
        if definition.chars().any(char::is_alphanumeric) && definition != "..." { definition } else { "" };
    Some(Header { definition, ..Header::default() })
}

/// Reads `12,3` or `12`.
fn range_of(text: &str) -> Option<(usize, usize)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let read = |line| header(line).unwrap();
        assert_eq!(
            read("@@ -12,3 +14,4 @@ fn f()"),
            Header { old: Some((12, 3)), new_count: Some(4), definition: "fn f()" }
        );
        assert_eq!(read("@@ -1 +1 @@").old, Some((1, 1)));
        assert_eq!(read("@@ class A"), Header { definition: "class A", ..Header::default() });
        assert_eq!(read("@@ ... @@"), Header::default());
        assert_eq!(read("@@"), Header::default());
        assert_eq!(read("@@ def f(): @@").definition, "def f():");
        assert_eq!(header("x @@"), None);
    }
}
