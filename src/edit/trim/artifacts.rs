//! Removes the parts of a reply that belong to the conversation and not to the code.
//!
//! These are thinking, fences and the model's special tokens.

use super::View;
use crate::edit::line;
use crate::edit::normalize::NO_EDITS;

/// Tags around a model's reasoning.
const THINKING: [(&str, &str); 3] =
    [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>")];

/// Special tokens with which a model ends its text.
const TOKENS: [&str; 13] = [
    "<|endoftext|>",
    "<|fim_prefix|>",
    "<|fim_middle|>",
    "<|fim_suffix|>",
    "<|fim_pad|>",
    "<|file_sep|>",
    "<|repo_name|>",
    "<|im_end|>",
    "<|im_start|>",
    "<|eot_id|>",
    "<|cursor|>",
    "<fim_suffix>",
    "<fim_middle>",
];
/// A token that is also a tag of HTML: it ends a text that has no such tag open.
const TOKEN_OR_TAG: [&str; 2] = ["<s>", "</s>"];

/// Returns the code in a reply, and whether its end was found.
pub(super) fn clean<'t>(view: &View<'_>, text: &'t str) -> (&'t str, bool) {
    let text = after_thinking(text);
    let own = |token: &str| view.context.before.contains(token) || view.context.after.contains(token);
    // Few replies contain any of these tokens, so the window is searched last.
    let end = match text.contains('<') {
        true => TOKENS.iter().filter_map(|token| text.find(token).filter(|_| !own(token))).min(),
        false => None,
    };
    let text = &text[..end.unwrap_or(text.len())];
    let [open, close] = TOKEN_OR_TAG;
    let text = match text.trim_end().strip_suffix(close) {
        Some(before) if !text.contains(open) && !own(open) && !own(close) => before,
        _ => text,
    };
    let is_fenced = text.contains("```") && !view.is_in_text();
    let (text, fenced) = if is_fenced { unfence(text, own("```")) } else { (text, false) };
    (text, fenced || end.is_some())
}

/// Whether a reply says that there is nothing to add.
pub(super) fn is_marker(view: &View<'_>, text: &str) -> bool {
    let text = clean(view, text).0;
    // A fence around the marker is never text for the file.
    text.trim() == NO_EDITS || unfence(text, false).0.trim() == NO_EDITS
}

/// Skips a thinking section at the start. If it is still open, there is no code yet.
fn after_thinking(text: &str) -> &str {
    let start = text.trim_start();
    for (open, close) in THINKING {
        if let Some(inside) = start.strip_prefix(open) {
            let after = inside.find(close).map_or("", |at| &inside[at + close.len()..]);
            return after.trim_start_matches(['\n', '\r']);
        }
    }
    text
}

/// Extracts the text from a surrounding fence.
///
/// A closing fence without an opening one ends the text, unless the file itself contains fences.
fn unfence(text: &str, fences_in_file: bool) -> (&str, bool) {
    let start = text.trim_start();
    let (inside, opened) = match start.strip_prefix("```") {
        Some(after) => (&after[line::first_end(after)..], true),
        None => (text, false),
    };
    if !opened && fences_in_file {
        return (text, false);
    }
    let mut at = 0;
    for line in line::split_iter(inside) {
        if line.trim() == "```" {
            return (inside[..at].trim_end_matches(['\n', '\r']), true);
        }
        at += line.len();
    }
    (inside, false)
}

/// Whether a reply addresses the user instead of being text for the file.
pub(super) fn is_talk(view: &View<'_>, text: &str) -> bool {
    const OPENINGS: [&str; 9] = [
        "I'm sorry",
        "I am sorry",
        "Sorry,",
        "I cannot ",
        "I can't ",
        "As an AI",
        "Here is the ",
        "Here's the ",
        "Sure, ",
    ];
    let text = text.trim_start();
    view.prefix.trim().is_empty()
        && OPENINGS.iter().any(|opening| text.starts_with(opening))
        && !view.is_in_text()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, check_in};
    use crate::grammar;

    #[test]
    fn fences() {
        check("fn f() {\n    ˇ\n}", "```rust\nlet a = 1;\n```\nThis sets `a`.", "let a = 1;");
        check("fn f() {\n    ˇ\n}", "let a = 1;\n```\n", "let a = 1;");
        check("/// ```\n/// ˇ\n", "let a = 1;\n/// ```", "let a = 1;\n/// ```");
        let markdown = grammar::by_language_id("markdown");
        let text = "Run this:\n```sh\nmake\n\nmake install\n```";
        check_in(markdown, "# A\n\nˇ", text, text);
        check_in(markdown, "# A\n\nˇ", "```sh\nmake\n```", "```sh\nmake\n```");
        check("/*\n * ˇ\n */", "One.\n * ```\n * a\n * ```", "One.\n * ```\n * a\n * ```");
    }

    #[test]
    fn thinking() {
        check("let a = ˇ", "<think>one?\ntwo?</think>\n22;", "22;");
        check("let a = ˇ", "<think>one?\ntwo?", "refused: empty");
    }

    #[test]
    fn tokens() {
        check("let a = ˇ", "compute();<|endoftext|>fn b() {}", "compute();");
        check("let a = ˇ", "compute();<|fim_suffix|>", "compute();");
        check("STOP = \"</s>\"\nEND = ˇ", "\"</s>\"", "\"</s>\"");
        check("let a = ˇ", "compute();</s>", "compute();");
        check("<p>ˇ</p>", "<s>9.99</s> 8.99", "<s>9.99</s> 8.99");
        check("<p><s>ˇ</p>", "9.99</s>", "9.99</s>");
    }

    #[test]
    fn talk() {
        check("fn f() {\n    ˇ\n}", "I'm sorry, but there is too little context.", "refused: prose");
        check("// ˇ\n", "Sure, this is right.", "Sure, this is right.");
        check_in(grammar::by_language_id("markdown"), "# A\n\nˇ", "Here is the list:", "Here is the list:");
        check("def f():\n    \"\"\"\n    ˇ\n    \"\"\"", "Here is the list:", "Here is the list:");
    }

    #[test]
    fn nothing_to_add() {
        for reply in ["NO_EDITS", "```\nNO_EDITS\n```", "<think>hm</think>NO_EDITS", "NO_EDITS<|im_end|>"] {
            check("x = ˇ\n", reply, "");
        }
    }
}
