//! What an instruction is about: `ai: …` comments and the code they stand on or above.

use std::ops::Range;

use tree_sitter::Node;

use super::comment::{Comment, MARK, first_letter, instruction_on, is_comment_or_attribute};
use crate::document::Document;

/// Code to be rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The whole lines that are replaced, the instruction's comment among them.
    pub span: Range<usize>,
    /// The code in them, without that comment.
    pub code: String,
}

/// An instruction found in a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What is asked, on one line.
    pub instruction: String,
    /// What it is about.
    pub target: Target,
}

/// The lines that `span` touches, as they are. An empty span means the statement or definition that begins on its
/// line.
pub fn of_range(document: &Document, span: Range<usize>) -> Target {
    let lines = if span.is_empty() {
        let line = document.line_start(span.start);
        beginning_on(document, line).unwrap_or_else(|| document.whole_lines(span))
    } else {
        document.whole_lines(span)
    };
    Target { code: document.slice(lines.clone()), span: lines }
}

/// The instructions in comments on the lines that `span` touches, right above them, or above a definition around
/// them. Waits for the parse, but for no model.
pub fn offers(document: &Document, span: Range<usize>) -> Vec<Offer> {
    let mut lines = vec![];
    let mut line = document.line_start(span.start);
    loop {
        lines.push(line);
        let next = document.next_line_start(line);
        if next >= span.end || next == line || lines.len() > 200 {
            break;
        }
        line = next;
    }
    // The lines on which the code around begins, since their comments are about what is inside, too.
    if let Some(tree) = document.syntax() {
        let first = first_letter(document, document.line_start(span.start)).unwrap_or(span.start);
        let mut node = tree.root_node().descendant_for_byte_range(first, first);
        while let Some(around) = node.filter(|node| node.parent().is_some()) {
            lines.push(document.line_start(around.start_byte()));
            node = around.parent();
        }
    }
    // A comment of several lines above any of them begins further up, and attributes may stand between.
    for line in lines.clone() {
        let mut line = line;
        while line > 0 {
            line = document.line_start(line - 1);
            if !is_comment_or_attribute(document, line) {
                break;
            }
            lines.push(line);
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines.into_iter().filter_map(|line| offer_on(document, line)).collect()
}

/// Whether the text holds the mark of an instruction anywhere. Reads it once and parses nothing.
pub fn may_have_offers(document: &Document) -> bool {
    // A rope's chunks may part the mark: the last two bytes of one are looked at with the next.
    let mut tail = [0_u8; 2];
    document.text().chunks().any(|chunk| {
        let bytes = chunk.as_bytes();
        let head: Vec<u8> = tail.iter().chain(bytes.iter().take(2)).copied().collect();
        let is_mark = |window: &[u8]| window.eq_ignore_ascii_case(MARK);
        let found = head.windows(MARK.len()).any(is_mark) || bytes.windows(MARK.len()).any(is_mark);
        for byte in bytes.iter().rev().take(2).rev() {
            tail = [tail[1], *byte];
        }
        found
    })
}

/// Every instruction in the file, in its order. Waits for the parse.
pub fn all_offers(document: &Document) -> Vec<Offer> {
    let mut offers: Vec<Offer> = Vec::new();
    let mut start = 0;
    for line in document.text().lines() {
        // Cheap, and true for nearly no line; a rope's chunks may part the words, but not the colon from itself.
        let may_be_one = line.chunks().any(|chunk| chunk.contains(':'));
        if may_be_one && let Some(offer) = offer_on(document, start) {
            offers.push(offer);
        }
        start += line.len_bytes();
    }
    offers
}

fn offer_on(document: &Document, line: usize) -> Option<Offer> {
    let comment = instruction_on(document, line)?;
    let instruction = comment.words.split_whitespace().collect::<Vec<_>>().join(" ");
    if instruction.is_empty() {
        return None;
    }
    let target =
        if comment.trailing { target_around(document, &comment) } else { target_below(document, &comment) };
    Some(Offer { instruction, target })
}

/// The code that begins on the line that the comment ends.
fn target_around(document: &Document, comment: &Comment) -> Target {
    let line = document.line_start(comment.span.start);
    let span = beginning_on(document, line).unwrap_or(line..document.next_line_start(line));
    let span = span.start.min(line)..span.end.max(document.next_line_start(line));
    let code = document.slice(span.start..comment.span.start);
    let code = code.trim_end_matches([' ', '\t']).to_owned() + &document.slice(comment.span.end..span.end);
    Target { span, code }
}

/// The code that begins below the comment; none if a blank line or the end of the file follows: then the comment
/// asks for something new in its place.
fn target_below(document: &Document, comment: &Comment) -> Target {
    let start = document.line_start(comment.span.start);
    let below = document.next_line_start(comment.span.end.saturating_sub(1).max(start));
    let blank = document.slice(below..document.next_line_start(below)).trim().is_empty();
    let end = if blank {
        below
    } else {
        beginning_on(document, below).map_or_else(|| paragraph_end(document, below), |code| code.end)
    };
    Target { span: start..end, code: document.slice(below..end) }
}

/// The whole lines of the largest statement or definition that begins on the line at the byte `line`.
fn beginning_on(document: &Document, line: usize) -> Option<Range<usize>> {
    let first = first_letter(document, line)?;
    let root = document.syntax()?.root_node();
    let mut node = root.descendant_for_byte_range(first, first + 1)?;
    while let Some(parent) = node.parent() {
        if parent.start_byte() != first || parent.parent().is_none() || is_sequence(parent) {
            break;
        }
        node = parent;
    }
    if node == root || node.start_byte() != first {
        return None;
    }
    let mut last = node;
    // An attribute or a comment may be a sibling of what it is about, which then begins on the next line.
    while ["attribute", "comment"].iter().any(|kind| last.kind().contains(kind)) {
        let below = document.next_line_start(last.end_byte().saturating_sub(1));
        match last.next_named_sibling() {
            Some(next) if document.line_start(next.start_byte()) <= below => last = next,
            _ => break,
        }
    }
    Some(document.whole_lines(node.start_byte()..last.end_byte()))
}

/// Whether a node is nothing but its children one after the other, such as the statements of a Python block. Its
/// first child begins where it does, yet is a thing of its own.
fn is_sequence(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let mut children = node.children(&mut cursor);
    let Some(first) = children.next() else { return false };
    let mut last_row = first.end_position().row;
    let mut several = false;
    for child in children {
        if !child.is_named() || child.start_position().row <= last_row {
            return false;
        }
        several = true;
        last_row = child.end_position().row;
    }
    several && first.is_named()
}

fn paragraph_end(document: &Document, start: usize) -> usize {
    let mut end = start;
    loop {
        let next = document.next_line_start(end);
        if next == end || document.slice(end..next).trim().is_empty() {
            return end;
        }
        end = next;
    }
}

#[cfg(test)]
mod tests;
