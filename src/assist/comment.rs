//! Comments that hold an instruction, such as `// ai: return a Result`.

use std::ops::Range;

use tree_sitter::Node;

use crate::document::Document;

/// The markers that begin an instruction, case-insensitive: one for the code at the comment, one for the whole
/// project.
pub(super) const MARKS: [&[u8]; 2] = [b"ai:", b"ai!:"];

/// Comment openers to try in a language without a grammar.
const COMMON_LINE: [&str; 5] = ["//", "#", "--", ";", "%"];
const COMMON_BLOCK: [(&str, &str); 2] = [("/*", "*/"), ("<!--", "-->")];

/// Bytes of an instruction that are searched for the end of its comment.
const INSTRUCTION_LIMIT: usize = 4 * 1024;

/// Line endings that mark a line as continued.
const OPEN_ENDS: [char; 2] = [',', ':'];

/// Minimum extra indentation, in columns, of a line that continues an instruction, compared with its `ai:`.
///
/// A doc comment may differ by one column.
const CONTINUATION_COLUMNS: usize = 2;

/// The width of a tab in columns.
const TAB_COLUMNS: usize = 4;

/// A comment as written in the text.
pub(super) struct Comment {
    /// Its byte range.
    pub(super) span: Range<usize>,
    /// The words after `ai:`, not yet joined to one line.
    pub(super) words: String,
    /// Whether code precedes it on its line.
    pub(super) trailing: bool,
    /// Whether it is about the whole project.
    pub(super) is_for_project: bool,
}

/// The comment with `ai:` on the line that starts at the byte `line`, including its continuation lines.
pub(super) fn instruction_on(document: &Document, line: usize) -> Option<Comment> {
    let text = document.slice(line..document.next_line_start(line));
    let (line_tokens, block_tokens) = tokens(document);
    block_tokens
        .into_iter()
        .find_map(|(open, close)| block_comment(document, line, &text, open, close))
        .or_else(|| line_tokens.into_iter().find_map(|token| line_comment(document, line, &text, token)))
}

fn block_comment(document: &Document, line: usize, text: &str, open: &str, close: &str) -> Option<Comment> {
    let Marked { at, words, is_for_project } = marked(document, line, text, open)?;
    let limit = (line + words + INSTRUCTION_LIMIT).min(document.text().len_bytes());
    let rest = document.slice(line + words..document.next_line_start(limit));
    let closing = rest.find(close)?;
    let lines: Vec<&str> = rest[..closing].lines().map(|it| it.trim().trim_start_matches('*')).collect();
    Some(Comment {
        span: line + at..line + words + closing + close.len(),
        words: lines.join(" "),
        trailing: !text[..at].trim().is_empty(),
        is_for_project,
    })
}

fn line_comment(document: &Document, line: usize, text: &str, token: &str) -> Option<Comment> {
    let Marked { at, words, is_for_project } = marked(document, line, text, token)?;
    let mut comment = Comment {
        span: line + at..line + text.trim_end().len(),
        words: text[words..].trim().to_owned(),
        trailing: !text[..at].trim().is_empty(),
        is_for_project,
    };
    if comment.trailing {
        return Some(comment);
    }
    // A comment below an instruction is about the code, unless it is clearly a continuation.
    let sign = opener(&text[at..], token);
    let deep = indentation(&text[at + sign.len()..]) + CONTINUATION_COLUMNS;
    let mut start = document.next_line_start(line);
    loop {
        let next = document.next_line_start(start);
        let more = document.slice(start..next);
        let below = more.trim_start();
        let is_alike = below.starts_with(token) && opener(below, token) == sign;
        if !is_alike || after_marker(&below[token.len()..]).is_some() {
            return Some(comment);
        }
        let more_words = &below[sign.len()..];
        let is_open = comment.words.is_empty() || comment.words.ends_with(OPEN_ENDS);
        if more_words.trim().is_empty() || !is_open && indentation(more_words) < deep {
            return Some(comment);
        }
        comment.words.push(' ');
        comment.words.push_str(more_words.trim());
        comment.span.end = start + more.trim_end().len();
        start = next;
    }
}

/// A comment with a marker on a line.
struct Marked {
    /// Offset of its opener.
    at: usize,
    /// Offset of its words.
    words: usize,
    is_for_project: bool,
}

/// The comment with a marker on the line `text`.
fn marked(document: &Document, line: usize, text: &str, token: &str) -> Option<Marked> {
    text.match_indices(token).find_map(|(at, _)| {
        let behind = at + token.len();
        let (words, is_for_project) = after_marker(&text[behind..])?;
        let marked = Marked { at, words: behind + words, is_for_project };
        is_in_comment(document, line + at).then_some(marked)
    })
}

/// Whether the line that starts at the byte `line` begins with a comment or an attribute.
pub(super) fn is_comment_or_attribute(document: &Document, line: usize) -> bool {
    let Some(first) = first_letter(document, line) else { return false };
    match document.syntax() {
        Some(tree) => {
            let node = tree.root_node().descendant_for_byte_range(first, first + 1);
            is_within(node, &["comment", "attribute", "decorator", "annotation"])
        }
        None => {
            let text = document.slice(first..document.next_line_start(line));
            COMMON_LINE.iter().any(|token| text.starts_with(token))
                || COMMON_BLOCK.iter().any(|(open, _)| text.starts_with(open))
        }
    }
}

/// The byte of the first non-blank character on the line that starts at `line`; `None` if it is blank.
pub(super) fn first_letter(document: &Document, line: usize) -> Option<usize> {
    let text = document.slice(line..document.next_line_start(line));
    let blanks = text.len() - text.trim_start().len();
    (blanks < text.len()).then_some(line + blanks)
}

/// A line comment's token with the characters attached to it: `//`, `///`, `//!`, `##`.
fn opener<'a>(comment: &'a str, token: &str) -> &'a str {
    let signs = comment[token.len()..].find(|it| !matches!(it, '/' | '!' | '#' | '-' | ';' | '%'));
    &comment[..signs.map_or(comment.len(), |signs| token.len() + signs)]
}

/// The width of a text's leading blanks in columns.
fn indentation(text: &str) -> usize {
    let blanks = text.chars().take_while(|it| matches!(it, ' ' | '\t'));
    blanks.map(|it| if it == '\t' { TAB_COLUMNS } else { 1 }).sum()
}

/// The offset of the words in the text after a comment's opener, and whether the marker is for the whole
/// project. `None` if no marker begins the text.
fn after_marker(text: &str) -> Option<(usize, bool)> {
    let trimmed = text.trim_start_matches(['/', '!', '*', '#', '-', ';', '%', ' ', '\t']);
    let is_mark =
        |mark: &&[u8]| trimmed.as_bytes().get(..mark.len()).is_some_and(|it| it.eq_ignore_ascii_case(mark));
    let mark = MARKS.into_iter().find(is_mark)?;
    Some((text.len() - trimmed.len() + mark.len(), mark == MARKS[1]))
}

/// Whether a comment begins here. Without a parser, any text that looks like a comment counts.
fn is_in_comment(document: &Document, byte: usize) -> bool {
    document.syntax().is_none_or(|tree| {
        is_within(tree.root_node().descendant_for_byte_range(byte, byte + 1), &["comment"])
    })
}

/// Whether a node or one of its ancestors has a kind whose name contains one of `kinds`.
fn is_within(mut node: Option<Node<'_>>, kinds: &[&str]) -> bool {
    while let Some(it) = node {
        if kinds.iter().any(|kind| it.kind().contains(kind)) {
            return true;
        }
        node = it.parent();
    }
    false
}

fn tokens(document: &Document) -> (Vec<&str>, Vec<(&str, &str)>) {
    match document.grammar() {
        Some(grammar) => {
            let comments = grammar.comments();
            let line = comments.line.iter().map(String::as_str).collect();
            let block = comments.block.iter().map(|(open, close)| (open.as_str(), close.as_str())).collect();
            (line, block)
        }
        None => (COMMON_LINE.to_vec(), COMMON_BLOCK.to_vec()),
    }
}
