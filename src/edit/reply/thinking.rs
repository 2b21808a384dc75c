//! Drops what a model says to itself before it answers.

use crate::edit::Refusal;

/// Names of the tags that thinking stands in.
pub(super) const TAGS: [&str; 5] = ["think", "thinking", "reasoning", "thought", "scratchpad"];

/// Returns the answer after the thinking at the start of a reply.
///
/// Only thinking that starts a line is dropped, for code may speak of such tags too.
///
/// # Errors
///
/// [`Refusal::Truncated`] when the thinking never ends.
pub(crate) fn skip(reply: &str) -> Result<&str, Refusal> {
    let start = reply.trim_start();
    for tag in TAGS {
        let Some(inside) = start.strip_prefix('<').and_then(|rest| rest.strip_prefix(tag)?.strip_prefix('>'))
        else {
            continue;
        };
        let close = format!("</{tag}>");
        return match inside.find(&close) {
            Some(at) => skip(&inside[at + close.len()..]),
            None => Err(Refusal::Truncated { inside: "its thinking" }),
        };
    }
    // Some endpoints swallow the opening tag.
    for tag in TAGS {
        let close = format!("</{tag}>");
        if let Some((before, after)) = reply.split_once(&close)
            && !before.contains(&format!("<{tag}>"))
            && after.starts_with(['\n', '\r'])
            && (before.is_empty() || before.ends_with(['\n', '\r']))
        {
            return Ok(after);
        }
    }
    Ok(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_is_dropped() {
        assert_eq!(skip("<think>a\n```\nb\n```\n</think>\ncode"), Ok("\ncode"));
        assert_eq!(skip("<think></think><thinking>x</thinking>code"), Ok("code"));
        assert_eq!(skip("perhaps so\n</think>\ncode"), Ok("\ncode"));
        assert_eq!(skip("let a = \"<think>\";"), Ok("let a = \"<think>\";"));
        assert_eq!(skip("<think>still").map_err(|refusal| refusal.code()), Err("truncated"));
    }
}
