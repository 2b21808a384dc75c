//! The target of a rewrite: `ai: …` comments, and the code beside or below them.

use std::ops::Range;

use tree_sitter::Node;

use super::comment::{Comment, MARKS, first_letter, instruction_on, is_comment_or_attribute};
use crate::document::Document;
use crate::grammar::{Match, QueryKind};

/// Largest function around the cursor that is taken as a whole (bytes).
///
/// Of a larger function, only the statement is taken.
const FUNCTION_BYTES: usize = 8 * 1024;
/// Longest heading that is shown (bytes).
const HEADING_BYTES: usize = 80;

/// Code to be rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewriteTarget {
    /// The whole lines to replace, including the instruction's comment.
    pub span: Range<usize>,
    /// The code in them, without that comment.
    pub code: String,
}

/// An instruction found in a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// The text of the instruction, on one line.
    pub text: String,
    /// The code to change.
    pub target: RewriteTarget,
    /// Whether it is about the whole project; then `target` is where the change begins.
    pub is_for_project: bool,
}

/// The target for the lines that `span` touches. Waits for the parse.
///
/// An empty span selects the first that exists: the definition that begins on its line, the enclosing
/// function, the statement that begins on its line, or that line.
pub fn of_range(document: &Document, span: Range<usize>) -> RewriteTarget {
    let lines = if span.is_empty() { at_cursor(document, span.start) } else { document.whole_lines(span) };
    RewriteTarget { code: document.slice(lines.clone()), span: lines }
}

/// The lines that an empty span selects.
fn at_cursor(document: &Document, cursor: usize) -> Range<usize> {
    let line = document.line_start(cursor);
    let begins = beginning_on(document, line);
    if let Some(begins) = &begins
        && heading(document, begins).is_some()
    {
        return begins.clone();
    }
    let first = first_letter(document, line).unwrap_or(cursor);
    let around = |span: &Range<usize>| span.start <= first && cursor <= span.end;
    let functions = document.matches(QueryKind::Definitions, cursor..cursor + 1).into_iter().filter(|it| {
        let is_function = matches!(it.kind, "function" | "method" | "constructor") && it.body.is_some();
        is_function && around(&it.node.byte_range())
    });
    let function = functions.map(|it| document.whole_lines(it.node.byte_range())).min_by_key(Range::len);
    let function = function.filter(|it| it.len() <= FUNCTION_BYTES);
    function.or(begins).unwrap_or_else(|| document.whole_lines(cursor..cursor))
}

/// The beginning of the definition on these lines, such as `fn first` or `class Shape`.
///
/// `None` if the lines are not exactly one definition with the attributes and comments above it.
pub fn heading(document: &Document, lines: &Range<usize>) -> Option<String> {
    let holds = |it: &Match<'_>| {
        let whole = document.whole_lines(it.node.byte_range());
        let first = document.line_start(it.node.start_byte());
        let above = || document.slice(lines.start..first);
        lines.start <= whole.start
            && whole.end == lines.end
            && (lines.start == whole.start || above().lines().all(is_above_a_definition))
    };
    let all = document.matches(QueryKind::Definitions, lines.clone());
    // The outermost definition; a field or a variable counts as a statement only.
    let it = all.into_iter().filter(|it| it.body.is_some() || it.kind == "function").find(holds)?;
    let text = document.slice(it.node.start_byte()..it.name?.end_byte());
    let words: Vec<&str> = text.lines().filter(|it| !is_above_a_definition(it)).collect();
    let words = words.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty() && words.len() <= HEADING_BYTES).then_some(words)
}

/// Whether a line is an attribute, a decorator, a comment or empty.
fn is_above_a_definition(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || ["#", "@", "//", "/*", "*", "--", "["].iter().any(|it| line.starts_with(it))
}

/// The instructions in comments for the lines that `span` touches. Waits for the parse.
///
/// The comments are on those lines, directly above them, or above an enclosing definition.
pub fn instructions(document: &Document, span: Range<usize>) -> Vec<Instruction> {
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
    // The first lines of the enclosing code: their comments are about the code inside, too.
    if let Some(tree) = document.syntax() {
        let first = first_letter(document, document.line_start(span.start)).unwrap_or(span.start);
        let mut node = tree.root_node().descendant_for_byte_range(first, first);
        while let Some(around) = node.filter(|node| node.parent().is_some()) {
            lines.push(document.line_start(around.start_byte()));
            node = around.parent();
        }
    }
    // A comment above any of these lines may begin further up, with attributes between.
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
    lines.into_iter().filter_map(|line| instruction_on_line(document, line)).collect()
}

/// Whether the text contains an instruction marker anywhere. Does not parse.
pub fn may_have_instructions(document: &Document) -> bool {
    // A marker may span two chunks of the rope, so the last three bytes are checked with the next chunk.
    let mut tail = [0_u8; 3];
    document.text().chunks().any(|chunk| {
        let bytes = chunk.as_bytes();
        let head: Vec<u8> = tail.iter().chain(bytes.iter().take(3)).copied().collect();
        let has =
            |bytes: &[u8], mark: &[u8]| bytes.windows(mark.len()).any(|it| it.eq_ignore_ascii_case(mark));
        let found = MARKS.into_iter().any(|mark| has(&head, mark) || has(bytes, mark));
        for byte in bytes.iter().rev().take(3).rev() {
            tail = [tail[1], tail[2], *byte];
        }
        found
    })
}

/// Every instruction in the file, in file order. Waits for the parse.
pub fn all_instructions(document: &Document) -> Vec<Instruction> {
    let mut instructions: Vec<Instruction> = Vec::new();
    let mut start = 0;
    for line in document.text().lines() {
        // A cheap check that excludes most lines.
        let may_be_one = line.chunks().any(|chunk| chunk.contains(':'));
        if may_be_one && let Some(instruction) = instruction_on_line(document, start) {
            instructions.push(instruction);
        }
        start += line.len_bytes();
    }
    instructions
}

fn instruction_on_line(document: &Document, line: usize) -> Option<Instruction> {
    let comment = instruction_on(document, line)?;
    let text = comment.words.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return None;
    }
    let target =
        if comment.trailing { target_around(document, &comment) } else { target_below(document, &comment) };
    Some(Instruction { text, target, is_for_project: comment.is_for_project })
}

/// The code that begins on the line on which the comment ends.
fn target_around(document: &Document, comment: &Comment) -> RewriteTarget {
    let line = document.line_start(comment.span.start);
    let span = beginning_on(document, line).unwrap_or(line..document.next_line_start(line));
    let span = span.start.min(line)..span.end.max(document.next_line_start(line));
    let code = document.slice(span.start..comment.span.start);
    let code = code.trim_end_matches([' ', '\t']).to_owned() + &document.slice(comment.span.end..span.end);
    RewriteTarget { span, code }
}

/// The code that begins below the comment.
///
/// It is empty if a blank line or the end of the file follows: the comment asks for new code at its position.
fn target_below(document: &Document, comment: &Comment) -> RewriteTarget {
    let start = document.line_start(comment.span.start);
    let below = document.next_line_start(comment.span.end.saturating_sub(1).max(start));
    let blank = document.slice(below..document.next_line_start(below)).trim().is_empty();
    let end = if blank {
        below
    } else {
        beginning_on(document, below).map_or_else(|| paragraph_end(document, below), |code| code.end)
    };
    RewriteTarget { span: start..end, code: document.slice(below..end) }
}

/// The lines of the largest statement or definition that begins on the line at `line` (byte).
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
    // An attribute or a comment may be a sibling of its item, which then begins on the next line.
    while ["attribute", "comment"].iter().any(|kind| last.kind().contains(kind)) {
        let below = document.next_line_start(last.end_byte().saturating_sub(1));
        match last.next_named_sibling() {
            Some(next) if document.line_start(next.start_byte()) <= below => last = next,
            _ => break,
        }
    }
    Some(document.whole_lines(node.start_byte()..last.end_byte()))
}

/// Whether a node is a sequence of its children, such as the statements of a Python block.
///
/// Its first child begins at the same byte, yet is separate code.
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
