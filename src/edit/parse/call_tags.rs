//! The lines that open and close calls of tools in tags.

use super::path;
use super::vocabulary::{CALLS, FILES};

/// Where a call is said to have been cut.
pub(super) const INSIDE: &str = "a call of a tool";

/// The tag that closes the call which a line opens; `None` if it opens none.
pub(super) fn opens(line: &str) -> Option<&'static str> {
    let rest = name_of_tag(line.trim_start())?;
    CALLS.iter().find(|(open, _)| rest.starts_with(open)).map(|(_, close)| *close)
}

/// The tag that closes the whole text of a file which a line opens, and names; `None` if it opens none.
///
/// Such a line may be text of a file itself, so it counts only where nothing else comes before it.
pub(super) fn opens_file(line: &str) -> Option<&'static str> {
    let rest = line.strip_prefix('<').filter(|_| path::of_tag(line).is_some())?;
    FILES.iter().find(|(open, _)| rest.starts_with(open)).map(|(_, close)| *close)
}

/// Whether a line ends in a closing tag, which may have a prefix.
pub(super) fn closes(line: &str, closer: &str) -> bool {
    let tag = line.trim_end().rsplit_once("</").map_or("", |(_, tag)| tag);
    Some(without_prefix(tag)) == closer.strip_prefix("</")
}

/// Whether a tag closes the whole text of a file.
pub(super) fn closes_file(closer: &str) -> bool {
    FILES.iter().any(|(_, it)| *it == closer)
}

/// Whether a line is a tag that only has a meaning inside a call.
pub(super) fn is_inner(line: &str) -> bool {
    let text = line.trim();
    let closes = CALLS[..2].iter().any(|(_, closer)| text == *closer);
    closes
        || name_of_tag(text)
            .is_some_and(|rest| rest.starts_with("parameter name=") || rest.starts_with("parameter="))
}

/// What follows `<`, and the prefix that the names of tags may have: `<x:invoke …>`.
pub(super) fn name_of_tag(text: &str) -> Option<&str> {
    text.strip_prefix('<').map(without_prefix)
}

/// The name that a tag begins with, less its prefix, and all that follows.
pub(super) fn without_prefix(tag: &str) -> &str {
    let end = tag.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(tag.len());
    tag[end..].strip_prefix(':').unwrap_or(tag)
}
