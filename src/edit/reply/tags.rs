//! Old and new text between tags: `<old_text>…</old_text><new_text>…</new_text>` and its kin.

use super::block::{Block, replacement};
use crate::edit::Refusal;

/// Names of the tags around old and new text.
const PAIRS: [(&str, &str); 6] = [
    ("old_text", "new_text"),
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("search", "replace"),
    ("old", "new"),
    ("find", "replace"),
];

/// Whether a line opens the old text of some pair.
pub(super) fn opens(line: &str) -> bool {
    let text = line.trim_start();
    PAIRS.iter().any(|(old, _)| opening(text, old).is_some())
}

/// Reads `<name>` or `<name line=12>` at the start of a text: its attributes, and what follows it.
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

/// Reads one pair.
///
/// # Errors
///
/// [`Refusal::Malformed`] when a tag is missing.
pub(super) fn block(text: &str, number: usize) -> Result<Block, Refusal> {
    let start = text.trim_start();
    for (old, new) in PAIRS {
        let Some((attributes, rest)) = opening(start, old) else { continue };
        let parts = || {
            let (old_text, rest) = rest.split_once(&format!("</{old}>"))?;
            let (_, rest) = opening(rest.trim_start(), new)?;
            let (new_text, _) = rest.rsplit_once(&format!("</{new}>"))?;
            Some((trimmed(old_text), trimmed(new_text)))
        };
        let Some((old_text, new_text)) = parts() else { continue };
        let hint = attributes
            .split_once("line=")
            .and_then(|(_, number)| number.trim_matches(['"', '/', ' ']).parse().ok());
        return Ok(Block { hint, ..replacement(number, old_text, new_text) });
    }
    Err(Refusal::Malformed {
        detail: format!("block {number} has no matching tags around its old and new text"),
    })
}

/// The line ends next to the tags belong to them.
fn trimmed(text: &str) -> &str {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_around_texts() {
        let text = "<old_text line=12>\na\n</old_text>\n<new_text>\nb\n</new_text>\n";
        assert!(opens(text) && is_closed(text));
        let block = block(text, 1).unwrap();
        assert_eq!((block.hint, block.inline), (Some(12), Some(("a".to_owned(), "b".to_owned()))));
        assert!(!opens("<oldest>") && !is_closed("<old>a</old>"));
        assert!(super::block("<old>a</old><other>", 1).is_err());
    }
}
