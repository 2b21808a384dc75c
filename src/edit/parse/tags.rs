//! Old and new text between tags: `<old_text>…</old_text><new_text>…</new_text>` and similar.
//!
//! Text on separate lines means whole lines.

use super::block::{Block, replacement};
use super::vocabulary::PAIRS;
use crate::edit::Refusal;

/// Whether a line opens the old text of a pair.
pub(super) fn opens(line: &str) -> bool {
    let text = line.trim_start();
    PAIRS.iter().any(|(old, _)| opening(text, old).is_some())
}

/// Parses `<name>` or `<name line=12>` at the start of a text.
///
/// Returns the tag's attributes and the text after the tag.
fn opening<'t>(text: &'t str, name: &str) -> Option<(&'t str, &'t str)> {
    let rest = text.strip_prefix('<')?.strip_prefix(name)?;
    if !rest.starts_with(['>', ' ']) {
        return None;
    }
    rest.split_once('>')
}

/// Whether the lines so far close a pair.
pub(super) fn is_closed(text: &str) -> bool {
    let last = text.trim_end();
    PAIRS
        .iter()
        .any(|(old, new)| last.ends_with(&format!("</{new}>")) && opening(text.trim_start(), old).is_some())
}

/// Whether a line is a tag that has a meaning only after the opening tag of a pair, in a reply with edits.
///
/// Without edits, it counts only if it has no meaning in code either.
pub(super) fn is_inner(line: &str, has_edits: bool) -> bool {
    let text = line.trim();
    let tags = |name: &str| [format!("<{name}>"), format!("</{name}>")].contains(&text.to_owned());
    let mut pairs = PAIRS.iter().filter(|(old, _)| has_edits || old.contains('_'));
    pairs.any(|(old, new)| tags(new) || text == format!("</{old}>"))
}

/// Reads all pairs of a text.
///
/// The error is [`Refusal::Malformed`] if a tag is missing, or if there is other text between the pairs.
pub(super) fn blocks(text: &str, first: usize) -> Result<Vec<Block>, Refusal> {
    let mut blocks = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (block, behind) = pair(rest, first + blocks.len())?;
        blocks.push(block);
        rest = behind.trim_start();
    }
    Ok(blocks)
}

/// Reads the pair at the start of a text and returns the text after it.
fn pair(start: &str, number: usize) -> Result<(Block, &str), Refusal> {
    for (old, new) in PAIRS {
        let Some((attributes, rest)) = opening(start, old) else { continue };
        let parts = || {
            let (old_text, rest) = rest.split_once(&format!("</{old}>"))?;
            let (_, rest) = opening(rest.trim_start(), new)?;
            let (new_text, behind) = rest.split_once(&format!("</{new}>"))?;
            Some((old_text, new_text, behind))
        };
        let Some((old_text, new_text, behind)) = parts() else { continue };
        // Text on the same line as its tags may be part of a line.
        let is_lines = old_text.starts_with(['\n', '\r']) && old_text.ends_with('\n');
        let hint = attributes
            .split_once("line=")
            .and_then(|(_, number)| number.trim_matches(['"', '/', ' ']).parse().ok());
        let block = replacement(number, trimmed(old_text), trimmed(new_text));
        let inline = block.inline.filter(|_| !is_lines);
        return Ok((Block { hint, inline, ..block }, behind));
    }
    Err(Refusal::malformed(format!("block {number} has no matching tags around its old and new text")))
}

/// The line ends next to the tags belong to them.
fn trimmed(text: &str) -> &str {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::super::block::{Line, Role};
    use super::*;

    #[test]
    fn tags_around_texts() {
        let text = "<old_text line=12>\na\n</old_text>\n<new_text>\nb\n</new_text>\n";
        assert!(opens(text) && is_closed(text));
        let [block] = blocks(text, 1).unwrap().try_into().unwrap();
        assert_eq!((block.hint, block.inline), (Some(12), None));
        assert_eq!(block.readings, [[Line::new(Role::Delete, "a"), Line::new(Role::Add, "b")]]);
        let pair = |old: &str, new: &str| format!("<old>{old}</old><new>{new}</new>");
        let both = blocks(&(pair("a", "b") + &pair("c", "d")), 1).unwrap();
        let texts = both.into_iter().filter_map(|block| block.inline);
        let known = [("a", "b"), ("c", "d")].map(|(old, new)| (old.to_owned(), new.to_owned()));
        assert_eq!(texts.collect::<Vec<_>>(), known);
        assert!(blocks(&format!("{}x{}", pair("a", "b"), pair("c", "d")), 1).is_err());
        assert!(!opens("<oldest>") && !is_closed("<old>a</old>"));
        assert!(blocks("<old>a</old><other>", 1).is_err());
    }
}
