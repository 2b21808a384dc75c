//! Reads the new text of a range of whole lines.

use super::{fence, thinking};
use crate::edit::guard::is_elision;
use crate::edit::{Refusal, line};

/// The word that says that nothing is to be changed.
pub(crate) const NO_EDITS: &str = "NO_EDITS";

/// Returns the new text of a range of whole lines from a reply that was asked for nothing else.
///
/// Takes a fence or bare code, with talk around a fence and thinking before it. The result has the range's line ends,
/// and ends with one if the range does.
///
/// # Errors
///
/// [`Refusal`] when the reply is cut off, is talk only, holds several answers, or leaves lines out.
pub fn region(reply: &str, range: &str) -> Result<String, Refusal> {
    let answer = thinking::skip(reply)?;
    if answer.trim() == NO_EDITS {
        return Ok(range.to_owned());
    }
    let code = code(answer, range)?;
    if line::is_blank(&code) && !line::is_blank(range) {
        return Err(Refusal::Empty);
    }
    if let Some(line) = line::split_iter(&code).find(|line| is_elision(line) && !has_line(range, line)) {
        return Err(Refusal::Elision { line: line.trim().to_owned() });
    }
    if loops(&code) {
        return Err(Refusal::Repetition);
    }
    Ok(with_ends_of(&code, range))
}

/// Takes the code out of a reply.
fn code(answer: &str, range: &str) -> Result<String, Refusal> {
    // Code that has fences itself is bounded by the outermost pair.
    if line::split_iter(range).any(|line| fence::Mark::of(line).is_some())
        && let Some(outer) =
            fence::outermost(answer).filter(|outer| outer.span.start == 0 || !outer.info.is_empty())
    {
        return if outer.closed {
            Ok(outer.text(answer))
        } else {
            Err(Refusal::Truncated { inside: "a code fence" })
        };
    }
    let fences = fence::blocks(answer);
    if fences.iter().any(|fence| !fence.closed) {
        return Err(Refusal::Truncated { inside: "a code fence" });
    }
    let mut answers: Vec<String> = Vec::new();
    for fence in &fences {
        let text = fence.text(answer);
        let quoted = fences.len() > 1 && is_quoted(&text, range);
        if !quoted && !answers.contains(&text) {
            answers.push(text);
        }
    }
    match (answers.pop(), answers.len()) {
        (Some(text), 0) => Ok(text),
        (Some(_), others) => Err(Refusal::SeveralAnswers { count: others + 1 }),
        // Nothing but the old code: the answer is that it stays.
        (None, _) if !fences.is_empty() => Ok(range.to_owned()),
        (None, _) => bare(answer, range),
    }
}

/// A reply without a fence is code as it stands, unless it talks.
fn bare(answer: &str, range: &str) -> Result<String, Refusal> {
    let text = answer.trim_start_matches(['\n', '\r']);
    if text.trim().is_empty() {
        return Err(Refusal::Empty);
    }
    let talks = |line: &str| is_talk(line) && !line::split_iter(range).any(is_talk);
    let mut visible = line::split_iter(text).filter(|line| !line::is_blank(line));
    let first = visible.next();
    let last = visible.last().or(first);
    if first.is_some_and(talks) || last.is_some_and(talks) {
        return Err(Refusal::Prose);
    }
    Ok(text.to_owned())
}

/// Whether a line is a sentence for people: starts with a capital, has four words or more, and no sign of code.
fn is_talk(line: &str) -> bool {
    let line = line.trim();
    let sentence = line.starts_with(char::is_uppercase) && line.ends_with(['.', ':', '!', '?']);
    let words = line.split_whitespace().count();
    sentence && words >= 4 && !line.contains(['{', '}', ';', '=', '(', ')', '[', ']', '<', '>', '|'])
}

/// Whether a block quotes old code: all of its lines stand in the range in one piece.
fn is_quoted(block: &str, range: &str) -> bool {
    let lines = |text: &str| line::split_iter(text).map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let (block, range) = (lines(block.trim()), lines(range));
    !block.is_empty() && range.windows(block.len()).any(|window| window == block)
}

fn has_line(text: &str, wanted: &str) -> bool {
    line::split_iter(text).any(|line| line.trim() == wanted.trim())
}

/// Whether a model fell into a loop: a run of equal lines, or a long text of few different lines.
fn loops(text: &str) -> bool {
    const RUN: usize = 12;
    const LONG: usize = 60;
    let lines: Vec<&str> = line::split_iter(text).map(str::trim).filter(|line| !line.is_empty()).collect();
    let run = lines.chunk_by(|a, b| a == b).any(|run| run.len() >= RUN);
    let distinct = || lines.iter().collect::<std::collections::HashSet<_>>().len();
    run || (lines.len() > LONG && distinct() * 4 < lines.len())
}

/// Gives a text the line ends of another, and a last line end if that one has it.
fn with_ends_of(text: &str, range: &str) -> String {
    let ending = line::usual_ending(range);
    let mut result = String::with_capacity(text.len() + 16);
    for line in line::split_iter(text) {
        result.push_str(line::body(line));
        result.push_str(if line::ending(line).is_empty() { "" } else { ending });
    }
    let kept = result.trim_end_matches(['\n', '\r']).len();
    let blank_tail = !line::body(range).is_empty() && result.len() > kept;
    if range.ends_with(['\n', '\r']) || range.is_empty() {
        if !result.is_empty() && !result.ends_with(['\n', '\r']) {
            result.push_str(ending);
        }
    } else if blank_tail {
        result.truncate(kept);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(range: &str, reply: &str, expected: &str) {
        let outcome = region(reply, range).unwrap_or_else(|refusal| format!("refused: {}", refusal.code()));
        assert_eq!(outcome, expected);
    }

    #[test]
    fn fenced_and_bare_code() {
        check("a\n", "```rust\nb\n```\n", "b\n");
        check("a\n", "Here you go:\n\n```\nb\n```\nThat is all.", "b\n");
        check("a\n", "b\n", "b\n");
        check("a\n", "b", "b\n");
        check("a", "```\nb\n```", "b");
        check("a\r\n", "```\nb\nc\n```", "b\r\nc\r\n");
        check("a\n", "<think>\n```\nno\n```\n</think>\n```\nb\n```", "b\n");
    }

    #[test]
    fn quoted_code_is_not_the_answer() {
        check("a\nb\n", "This line:\n```\na\n```\nbecomes:\n```\nA\nb\n```\n", "A\nb\n");
        check("a\n", "```\nx\n```\nor\n```\ny\n```", "refused: several-answers");
        check("a\n", "```\nx\n```\nagain\n```\nx\n```", "x\n");
    }

    #[test]
    fn fences_inside_the_code() {
        check("# T\n```\nls\n```\n", "```markdown\n# U\n```\nls\n```\n```\n", "# U\n```\nls\n```\n");
    }

    #[test]
    fn what_is_no_answer() {
        check("a\n", "", "refused: empty");
        check("a\n", "```\n```", "refused: empty");
        check("a\n", "NO_EDITS\n", "a\n");
        check("a\n", "```\nb\n", "refused: truncated");
        check("a\n", "I am not sure what you mean.", "refused: prose");
        check("a\nb\n", "```\n// ... existing code ...\nb\n```", "refused: elision");
        check("a\n", &"loop();\n".repeat(12), "refused: repetition");
    }
}
