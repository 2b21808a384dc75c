//! Markers of a reply's own format must not end up in the file.

use std::collections::HashSet;

use crate::edit::{Refusal, line};
use crate::grammar::Grammar;

/// Refuses a result with a new marker.
///
/// That is a fence, a conflict or patch marker, a word-diff marker, or a model's special token.
///
/// A file that has such lines already may get more of them. In prose, fences are text.
///
/// The error is [`Refusal::Marker`] with the line.
pub(in crate::edit) fn marker(grammar: Option<&Grammar>, before: &str, after: &str) -> Result<(), Refusal> {
    let is_text = |kind| kind == MarkerKind::Fence && grammar.is_some_and(Grammar::is_prose);
    let kind = |line| kind(line).filter(|kind| !is_text(*kind));
    let mut suspects =
        line::split_iter(after).filter_map(|line| kind(line).map(|kind| (kind, line))).peekable();
    if suspects.peek().is_none() {
        return Ok(());
    }
    let mut known: HashSet<MarkerKind> = line::split_iter(before).filter_map(kind).collect();
    let is_heading = |line: &str| {
        let name = line.trim_end().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        name.is_some_and(|name| name.chars().all(|sign| sign.is_alphanumeric() || "._- ".contains(sign)))
    };
    if line::split_iter(before).any(is_heading) {
        known.insert(MarkerKind::Bracketed);
    }
    match suspects.find(|(kind, _)| !known.contains(kind)) {
        Some((_, line)) => Err(Refusal::Marker { line: line.trim().to_owned() }),
        None => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum MarkerKind {
    Fence,
    Conflict,
    Patch,
    Token,
    /// A token in brackets, which may also be a line of code or a heading of a settings file.
    Bracketed,
    /// The markers of a word diff.
    Words,
}

/// Tokens in square brackets.
const BRACKETED: [&str; 12] = [
    "[PREFIX]",
    "[/PREFIX]",
    "[SUFFIX]",
    "[/SUFFIX]",
    "[MIDDLE]",
    "[/MIDDLE]",
    "[CODE]",
    "[/CODE]",
    "[PYTHON]",
    "[/PYTHON]",
    "[ANSWER]",
    "[/ANSWER]",
];

/// Tokens that end an answer, which a server may leave at the end of its last line.
const ENDS: [&str; 5] = ["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<|cursor|>"];

fn kind(line: &str) -> Option<MarkerKind> {
    let body = line::body(line);
    if body.contains("-]{+") && body.contains("[-") && body.contains("+}") {
        return Some(MarkerKind::Words);
    }
    if body.ends_with("|>") && ENDS.iter().any(|token| body.ends_with(token)) {
        return Some(MarkerKind::Token);
    }
    if body.trim_start().starts_with('[') {
        return BRACKETED.contains(&body.trim()).then_some(MarkerKind::Bracketed);
    }
    // Nearly every line begins with something else.
    if !body.trim_start().starts_with(['`', '<', '>', '*']) {
        return None;
    }
    let run = |sign: char| body.len() - body.trim_start_matches(sign).len();
    let worded = |sign: char, words: &[&str]| {
        (5..=9).contains(&run(sign)) && words.contains(&body.trim_matches(sign).trim())
    };
    if body.starts_with("```") {
        Some(MarkerKind::Fence)
    } else if worded('<', &["SEARCH", "ORIGINAL", "HEAD"]) || worded('>', &["REPLACE", "UPDATED"]) {
        Some(MarkerKind::Conflict)
    } else if ["*** Begin Patch", "*** End Patch", "*** Update File: ", "*** End of File"]
        .iter()
        .any(|mark| body.starts_with(mark))
        || ["<old_text>", "</old_text>", "<new_text>", "</new_text>"].contains(&body.trim_end())
    {
        Some(MarkerKind::Patch)
    } else if is_token(body.trim()) || body.trim_end() == "</think>" {
        Some(MarkerKind::Token)
    } else {
        None
    }
}

/// Whether a line is only a token such as `<|endoftext|>` or one of the prompt's own tags.
fn is_token(text: &str) -> bool {
    let piped = text.starts_with("<|") && text.ends_with("|>") && !text.contains(' ');
    let tag = text.strip_prefix("<@").and_then(|rest| rest.strip_suffix('>'));
    piped || tag.is_some_and(|tag| tag.len() == 4 && tag.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar;

    #[track_caller]
    fn check(before: &str, after: &str, expected: Result<(), &str>) {
        assert_eq!(marker(None, before, after).map_err(|refusal| refusal.code()), expected);
    }

    #[test]
    fn fences_of_prose_are_text() {
        let markdown = grammar::by_language_id("markdown");
        assert!(marker(markdown, "a\n", "a\n```\nb\n```\n").is_ok());
        assert!(marker(markdown, "a\n", "a\n>>>>>>> REPLACE\n").is_err());
        assert!(marker(grammar::by_language_id("rust"), "a\n", "a\n```\n").is_err());
    }

    #[test]
    fn marks_are_no_text() {
        check("a\n", "a\n```\n", Err("marker"));
        check("a\n", "a\n>>>>>>> REPLACE\n", Err("marker"));
        check("a\n", "*** End Patch\na\n", Err("marker"));
        check("a\n", "<@0f3a>\na\n", Err("marker"));
        check("a\n", "a\n<|im_end|>\n", Err("marker"));
        check("a\n", "a\n</think>\n", Err("marker"));
        check("a\n", "a\n<old_text>\n", Err("marker"));
        check("x = 'a'\n", "x = '[-a-]{+b+}'\n", Err("marker"));
        check("def f():\n", "[PREFIX]\ndef f():\n", Err("marker"));
        check("let a =\n[1, 2];\n", "let a =\n    [PREFIX]\n[1, 2];\n", Err("marker"));
    }

    #[test]
    fn what_the_file_has_is_text() {
        check("```\na\n```\n", "```\nb\n```\n\n```\nc\n```\n", Ok(()));
        check("a\n", "/// ```\n/// x\n=======\n", Ok(()));
        check("x = '[-a-]{+b+}'\n", "x = '[-a-]{+c+}'\n", Ok(()));
        check("[DEFAULT]\na = 1\n", "[DEFAULT]\na = 1\n[PREFIX]\n", Ok(()));
        check("a[-1]\n", "a[-1] = b[i-]{+c}\n", Ok(()));
        check("<<<<<<< HEAD\na\n", "<<<<<<< HEAD\nb\n", Ok(()));
    }
}
