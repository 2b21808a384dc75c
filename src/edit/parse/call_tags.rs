//! Recognizes the lines that open and close tool calls in tags.

use super::path;
use super::vocabulary::{CALLS, FILES};
use crate::edit::line;

/// The name of the construct when a call was cut.
pub(super) const INSIDE: &str = "a call of a tool";

/// Returns the closing tag of the call that a line opens; `None` if it opens no call.
pub(super) fn opens(line: &str) -> Option<&'static str> {
    let rest = name_of_tag(line.trim_start())?;
    CALLS.iter().find(|(open, _)| rest.starts_with(open)).map(|(_, close)| *close)
}

/// Returns the closing tag if a line opens the whole text of a named file; `None` otherwise.
///
/// A file may contain such a line, so it counts only if nothing precedes it.
pub(super) fn opens_file(line: &str) -> Option<&'static str> {
    let rest = line.strip_prefix('<').filter(|_| path::of_tag(line).is_some())?;
    FILES.iter().find(|(open, _)| rest.starts_with(open)).map(|(_, close)| *close)
}

/// Whether a line ends with the closing tag, which may have a prefix.
pub(super) fn closes(line: &str, closer: &str) -> bool {
    let tag = line.trim_end().rsplit_once("</").map_or("", |(_, tag)| tag);
    Some(without_prefix(tag)) == closer.strip_prefix("</")
}

/// Returns the end of a call's closing tag if something that is no text of the call follows it on the line: another
/// call, or a token such as `<|end|>`.
pub(super) fn end_of_call(line: &str, closer: &str) -> Option<usize> {
    let name = closer.strip_prefix("</")?;
    let ends = line.match_indices("</").filter_map(|(at, _)| {
        let tag = without_prefix(&line[at + 2..]);
        tag.starts_with(name).then(|| line.len() - tag.len() + name.len())
    });
    ends.into_iter().find(|end| {
        let rest = line[*end..].trim();
        rest.starts_with("<|") || opens(rest).is_some() || is_wrapper_end(rest)
    })
}

/// Whether a text closes the element around some calls.
fn is_wrapper_end(text: &str) -> bool {
    text.strip_prefix("</").map(without_prefix) == Some("function_calls>")
}

/// Returns the start of a call behind other text of its line, such as prose or the tag around it.
pub(super) fn amid(line: &str) -> Option<usize> {
    let is_call = |at: &usize| {
        let (before, call) = line.split_at(*at);
        let is_wrapped = before.ends_with([' ', '>']) && !line::is_blank(before);
        is_wrapped && opens(call).is_some_and(|closer| call.contains(&closer[2..]))
    };
    line.match_indices('<').map(|(at, _)| at).find(is_call)
}

/// Whether a tag closes the whole text of a file.
pub(super) fn closes_file(closer: &str) -> bool {
    FILES.iter().any(|(_, it)| *it == closer)
}

/// Whether a line is a tag that has a meaning only inside a call.
pub(super) fn is_inner(line: &str) -> bool {
    let text = line.trim();
    let closes = CALLS[..2].iter().any(|(_, closer)| text == *closer);
    closes || opens_parameter(text)
}

/// Whether a text begins with the tag of a named parameter.
pub(super) fn opens_parameter(text: &str) -> bool {
    name_of_tag(text)
        .is_some_and(|rest| rest.starts_with("parameter name=") || rest.starts_with("parameter="))
}

/// Returns the text after `<` and an optional prefix of the tag's name: `<x:invoke …>`.
pub(super) fn name_of_tag(text: &str) -> Option<&str> {
    text.strip_prefix('<').map(without_prefix)
}

/// Returns a tag from its name on, without the name's prefix.
pub(super) fn without_prefix(tag: &str) -> &str {
    let end = tag.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(tag.len());
    tag[end..].strip_prefix(':').unwrap_or(tag)
}
