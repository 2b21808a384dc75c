//! Marked spans: a window of the file with a tag line before each block of lines.
//!
//! The answer has the form `tag, new lines, tag`.
//!
//! A tag is a hash of the block after it, so an answer that names it proves knowledge of exactly these lines.

use std::collections::HashSet;
use std::ops::Range;

use crate::edit::{Refusal, line};
use crate::text::bracket::closes_block;
use crate::text::hash;

/// Minimum number of lines in a block.
const LEAST_LINES: usize = 4;
/// Number of lines after which a block is cut anywhere.
const MOST_LINES: usize = 16;

/// A window cut into tagged blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Each tag with its byte offset in the text.
    ///
    /// The last tag of each part marks the end of the part.
    pub tags: Vec<(String, usize)>,
    /// Indices of the tags that end a part, except the last; the text between two parts is not shown.
    pub gaps: Vec<usize>,
}

/// New text between two tags of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    from: String,
    to: String,
    /// The new lines as written in the reply.
    pub(crate) text: String,
}

/// A span without its second tag yet.
#[derive(Debug)]
pub(super) struct Open {
    from: String,
    text: String,
}

/// Cuts a window at blank lines; blocks that grow too long are cut too.
///
/// `range` is in bytes of `text` and should begin and end at line boundaries.
pub fn cut(text: &str, range: Range<usize>) -> Window {
    cut_parts(text, &[range])
}

/// Cuts a window of several parts: sorted, disjoint ranges as in [`cut`].
///
/// An answer cannot span two parts.
pub fn cut_parts(text: &str, parts: &[Range<usize>]) -> Window {
    let mut seen = HashSet::new();
    let mut tags: Vec<(String, usize)> = Vec::new();
    let mut gaps = Vec::new();
    for (number, range) in parts.iter().enumerate() {
        let window = &text[range.clone()];
        let cuts = cuts(window);
        for (number, start) in cuts.iter().enumerate() {
            let end = cuts.get(number + 1).copied().unwrap_or(window.len());
            tags.push((tag(&window[*start..end], &mut seen), range.start + start));
        }
        if number + 1 < parts.len() {
            gaps.push(tags.len());
        }
        tags.push((tag("", &mut seen), range.end));
    }
    Window { tags, gaps }
}

/// Returns the offsets at which the blocks of a window begin.
fn cuts(window: &str) -> Vec<usize> {
    let mut cuts = vec![0];
    let (mut at, mut lines, mut blank_before) = (0, 0, false);
    for line in line::split_iter(window) {
        let blank = line::is_blank(line);
        // A lone closing bracket does not begin a block.
        let closer = closes_block(line);
        let gap = blank_before && !blank && lines >= LEAST_LINES;
        if at > 0 && !closer && (gap || lines >= MOST_LINES) {
            cuts.push(at);
            lines = 0;
        }
        at += line.len();
        lines += 1;
        blank_before = blank;
    }
    cuts
}

/// Returns a tag for a block that differs from all tags before it.
fn tag(block: &str, seen: &mut HashSet<String>) -> String {
    // The hash is stable across runs and versions.
    let mut hash = hash::fnv64(block);
    loop {
        let folded = (hash ^ (hash >> 32) ^ (hash >> 16)) & 0xffff;
        let tag = format!("{folded:04x}");
        if seen.insert(tag.clone()) {
            return tag;
        }
        hash = hash::fnv64_add(hash, 1);
    }
}

impl Window {
    /// Renders the window's text with a tag line before each block and one at the end of each part.
    ///
    /// A line of dots marks text that is not shown.
    pub fn render(&self, text: &str) -> String {
        let mut result = String::new();
        for (number, (tag, start)) in self.tags.iter().enumerate() {
            result.push_str(&format!("<@{tag}>\n"));
            if self.gaps.contains(&number) {
                result.push_str("...\n");
            } else if let Some((_, end)) = self.tags.get(number + 1) {
                result.push_str(&text[*start..*end]);
                if !result.ends_with('\n') {
                    result.push('\n');
                }
            }
        }
        result
    }

    /// Returns the tag of the block that contains a byte offset, if any.
    pub fn tag_at(&self, byte: usize) -> Option<&str> {
        let last = self.tags.iter().rposition(|(_, at)| *at <= byte)?;
        let ends_part = self.gaps.contains(&last) || last + 1 == self.tags.len();
        let block = if ends_part && self.tags[last].1 == byte { last.checked_sub(1)? } else { last };
        (!ends_part || self.tags[last].1 == byte).then(|| self.tags[block].0.as_str())
    }

    /// Returns the byte range that a span replaces.
    ///
    /// The error is [`Refusal::Malformed`] if a tag is not in this window, or if the two are in the wrong
    /// order.
    pub(crate) fn bytes_of(&self, span: &Span) -> Result<Range<usize>, Refusal> {
        let place = |wanted: &str| {
            let found = self.tags.iter().position(|(tag, _)| tag == wanted);
            found.ok_or_else(|| Refusal::malformed(format!("its tag <@{wanted}> is not in the window")))
        };
        let (from, to) = (place(&span.from)?, place(&span.to)?);
        if from >= to {
            return Err(Refusal::malformed(format!(
                "its tag <@{}> does not follow <@{}>",
                span.to, span.from
            )));
        }
        if self.gaps.iter().any(|gap| (from..to).contains(gap)) {
            return Err(Refusal::malformed(format!(
                "its tags <@{}> and <@{}> are in two parts",
                span.from, span.to
            )));
        }
        Ok(self.tags[from].1..self.tags[to].1)
    }
}

/// Returns the tag if the line consists of one.
pub fn of_line(line: &str) -> Option<&str> {
    let tag = line.trim().strip_prefix("<@")?.strip_suffix('>')?;
    (tag.len() == 4 && tag.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(tag)
}

/// Begins a span if the line is a tag.
pub(super) fn opens(line: &str) -> Option<Open> {
    of_line(line).map(|tag| Open { from: tag.to_lowercase(), text: String::new() })
}

impl Open {
    /// Reads the next line; returns the span if the line is its second tag.
    pub(super) fn line(&mut self, line: &str) -> Option<Span> {
        match of_line(line) {
            Some(tag) => Some(Span {
                from: std::mem::take(&mut self.from),
                to: tag.to_lowercase(),
                text: std::mem::take(&mut self.text),
            }),
            None => {
                self.text.push_str(line);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_cut_at_blank_lines() {
        let text = "fn a() {\n    one();\n    two();\n}\n\nfn b() {\n}\n";
        let window = cut(text, 0..text.len());
        assert_eq!(window.tags.iter().map(|(_, at)| *at).collect::<Vec<_>>(), [0, 34, text.len()]);
        let shown = window.render(text);
        assert_eq!(shown.lines().filter(|line| of_line(line).is_some()).count(), 3);
        assert_eq!(cut(text, 0..text.len()), window, "tags are stable");
    }

    #[test]
    fn equal_blocks_have_unlike_tags() {
        let text = "a\nb\nc\nd\n\n".repeat(50);
        let window = cut(&text, 0..text.len());
        let tags: HashSet<&String> = window.tags.iter().map(|(tag, _)| tag).collect();
        assert_eq!(tags.len(), window.tags.len());
        assert_eq!(window.tags.len(), 51);
    }

    #[test]
    fn parts_are_apart() {
        let text = "a\nb\nc\nd\ne\n";
        let window = cut_parts(text, &[0..4, 6..10]);
        let tags: Vec<&str> = window.tags.iter().map(|(tag, _)| tag.as_str()).collect();
        let shown = window.render(text);
        assert_eq!(
            shown,
            format!("<@{}>\na\nb\n<@{}>\n...\n<@{}>\nd\ne\n<@{}>\n", tags[0], tags[1], tags[2], tags[3])
        );
        let bytes = |from: usize, to: usize| {
            window
                .bytes_of(&Span { from: tags[from].to_owned(), to: tags[to].to_owned(), text: String::new() })
                .ok()
        };
        assert_eq!([bytes(0, 1), bytes(2, 3)], [Some(0..4), Some(6..10)]);
        assert_eq!([bytes(0, 2), bytes(0, 3), bytes(1, 2)], [None, None, None], "what is not shown stays");
        let at = |byte| window.tag_at(byte);
        assert_eq!(
            [at(0), at(4), at(5), at(6), at(10)],
            [Some(tags[0]), Some(tags[0]), None, Some(tags[2]), Some(tags[2])]
        );
    }

    #[test]
    fn spans_name_known_tags_in_order() {
        let text = "a\nb\nc\nd\n\ne\n";
        let window = cut(text, 0..text.len());
        let (first, last) = (window.tags[0].0.clone(), window.tags[2].0.clone());
        let span =
            |from: &str, to: &str| Span { from: from.to_owned(), to: to.to_owned(), text: String::new() };
        assert_eq!(window.bytes_of(&span(&first, &last)), Ok(0..text.len()));
        assert!(window.bytes_of(&span(&last, &first)).is_err());
        assert!(window.bytes_of(&span(&first, "zzzz")).is_err());
    }
}
