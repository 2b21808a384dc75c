//! Drops a model's thinking before its answer, and the token that ends it.

use crate::edit::Refusal;

/// Names of the tags around thinking.
pub(super) const TAGS: [&str; 5] = ["think", "thinking", "reasoning", "thought", "scratchpad"];

/// Returns the name of the thinking tag that a text starts with, if any.
pub(super) fn opened(text: &str) -> Option<&'static str> {
    let rest = text.trim_start().strip_prefix('<')?;
    TAGS.into_iter().find(|tag| rest.strip_prefix(tag).is_some_and(|rest| rest.starts_with('>')))
}

/// Whether a line is just the end of thinking.
pub(super) fn closes(line: &str) -> bool {
    let name = line.trim_end().strip_prefix("</").and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| TAGS.contains(&name))
}

/// Returns the answer after the thinking at the start of a reply.
///
/// Thinking is dropped only at the start of a line, because code may mention such tags too.
///
/// The error is [`Refusal::Truncated`] if the thinking never ends.
pub(crate) fn skip(reply: &str) -> Result<&str, Refusal> {
    let mut reply = reply;
    while let Some(tag) = opened(reply) {
        let close = format!("</{tag}>");
        reply = reply.split_once(&close).ok_or(Refusal::Truncated { inside: "its thinking" })?.1;
    }
    // Some endpoints drop the opening tag.
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

/// Returns a reply without the special token at its end: `<|im_end|>`, `</s>`.
///
/// Servers with a wrong template for their model send it as text. A file that has the token may be about it.
pub(super) fn without_end_token<'r>(reply: &'r str, file: &str) -> &'r str {
    const TOKENS: [&str; 12] = [
        "<|im_end|>",
        "<|endoftext|>",
        "<|end_of_text|>",
        "<|end|>",
        "<|eot_id|>",
        "<|return|>",
        "<|file_separator|>",
        "<｜end▁of▁sentence｜>",
        "<end_of_turn>",
        "<eos>",
        "</s>",
        "[/INST]",
    ];
    let text = reply.trim_end();
    match TOKENS.iter().find_map(|token| Some((token, text.strip_suffix(token)?))) {
        Some((token, rest)) if !file.contains(token) => rest,
        _ => reply,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_is_dropped() {
        assert_eq!(skip("<think>a\n```\nb\n```\n</think>\ncode"), Ok("\ncode"));
        assert_eq!(skip("<think></think><thinking>x</thinking>code"), Ok("code"));
        assert_eq!(skip(&"<think></think>".repeat(100_000)), Ok(""));
        assert_eq!(skip("perhaps so\n</think>\ncode"), Ok("\ncode"));
        assert_eq!(skip("let a = \"<think>\";"), Ok("let a = \"<think>\";"));
        assert_eq!(skip("<think>still").map_err(|refusal| refusal.code()), Err("truncated"));
    }

    #[test]
    fn end_token_is_dropped() {
        assert_eq!(without_end_token("```\na\n```<|im_end|>\n", "a"), "```\na\n```");
        assert_eq!(without_end_token("a</s>", "b"), "a");
        assert_eq!(without_end_token("a</s>", "b</s>"), "a</s>");
        assert_eq!(without_end_token("<|im_end|> a", ""), "<|im_end|> a");
    }
}
