//! Extracts the code from an answer that consists of code.

use std::collections::HashSet;

use super::partial;
use crate::edit::parse::{fence, prose};
use crate::edit::{Refusal, line};
use crate::grammar::Grammar;
use crate::text::occurrences::occurrences;

/// Maximum number of fenced blocks in one answer: each may be compared with the range.
pub(in crate::edit) const MOST_FENCES: usize = 100;

/// The code in an answer.
#[derive(Debug)]
pub(in crate::edit) struct Code {
    pub(in crate::edit) text: String,
    /// Whether the end of the code is marked, so that it cannot be truncated.
    pub(in crate::edit) has_end: bool,
}

/// Extracts the code from a reply, for a range in the language of `grammar`.
///
/// It is an error if there is no code, more than one candidate, or if the code was cut off.
pub(in crate::edit) fn of(answer: &str, range: &str, grammar: Option<&Grammar>) -> Result<Code, Refusal> {
    if let Some(code) = with_own_fences(answer, range) {
        return code;
    }
    let mut fences = fence::blocks(answer);
    if fences.iter().any(|fence| !fence.closed) {
        return Err(Refusal::Truncated { inside: "a code fence" });
    }
    if fences.len() > MOST_FENCES {
        return Err(Refusal::SeveralAnswers { count: fences.len() });
    }
    let any = !fences.is_empty();
    fences = offered(answer, range, grammar);
    if any && fences.is_empty() {
        return Err(Refusal::Prose);
    }
    let is_no_shell = grammar.is_none_or(|it| !it.facts().shell);
    let mut answers: Vec<String> = Vec::new();
    for fence in &fences {
        let text = fence.text(answer);
        let quoted = fences.len() > 1 && is_quoted(&text, range);
        if !quoted && !answers.contains(&text) {
            answers.push(text);
        }
    }
    // A part of the answer, shown once more, unless it is the choice between two.
    if !prose::has_choice(answer) {
        let longest = answers.iter().max_by_key(|text| text.len()).cloned().unwrap_or_default();
        answers.retain(|text| *text == longest || !is_quoted(text, &longest));
    }
    match (answers.pop(), answers.len()) {
        (Some(text), 0) if grammar.is_some_and(|it| !it.is_prose()) && is_only_words(&text, range) => {
            Err(Refusal::Prose)
        }
        (Some(text), 0) if is_no_shell && edits_by_command(&text, range) => Err(Refusal::Prose),
        (Some(text), 0) => {
            partial::check(answer, &fences, &text, range, &|text| is_quoted(text, range))?;
            Ok(Code { text, has_end: true })
        }
        (Some(_), others) => Err(Refusal::SeveralAnswers { count: others + 1 }),
        // The answer only quotes the old code, so the range stays as it is.
        (None, _) if !fences.is_empty() => Ok(Code { text: range.to_owned(), has_end: true }),
        (None, _) if is_no_shell && edits_by_command(answer, range) => Err(Refusal::Prose),
        (None, _) => bare(answer, range),
    }
}

/// The fences of a reply but for those that hold commands, output, or code that the words before them reject.
pub(in crate::edit) fn offered<'r>(
    answer: &'r str,
    range: &str,
    grammar: Option<&Grammar>,
) -> Vec<fence::Fence<'r>> {
    let mut fences = fence::blocks(answer);
    let may_hold_output = fences.len() > 1 && grammar.is_some_and(|grammar| !grammar.is_prose());
    let mut end = 0;
    fences.retain(|fence| {
        let is_first = end == 0;
        let talk = &answer[std::mem::replace(&mut end, fence.span.end)..fence.span.start];
        let is_output = || may_hold_output && !is_first && fence.is_plain() && prose::shows_output(talk);
        !(prose::rejects(talk) || is_output()) || is_quoted(&fence.text(answer), range)
    });
    if grammar.is_some_and(|grammar| !grammar.facts().shell) {
        fences.retain(|fence| !is_commands(fence, answer));
    }
    fences
}

/// Extracts the code from an answer with fences, for a range that itself contains fences.
///
/// `None` if the range or the answer has no fences.
///
/// Code gains or loses fence markers in pairs, and a fence around it is a pair too. So if only one of answer
/// and range has an odd number of markers, the answer was cut (the class `cut: region with fences`). Text
/// outside of the outermost pair is talk, unless it contains a line of the range: then the code has no fence
/// around it.
fn with_own_fences(answer: &str, range: &str) -> Option<Result<Code, Refusal>> {
    if !line::split_iter(range).any(|line| fence::Mark::of(line).is_some()) {
        return None;
    }
    let (open, outer) = fence::outermost(answer)?;
    let marks = |text| -> Vec<&str> {
        let is_like = |line: &&str| fence::Mark::of(line).is_some_and(|mark| mark.is_like(&open));
        line::split_iter(text).filter(is_like).map(str::trim).collect()
    };
    let (own, came) = (marks(range), marks(answer));
    let truncated = || Some(Err(Refusal::Truncated { inside: "a code fence" }));
    if own.len() % 2 != came.len() % 2 {
        return truncated();
    }
    let visible = |text| line::split_iter(text).map(str::trim).filter(|line: &&str| !line.is_empty());
    let known: HashSet<&str> = visible(range).collect();
    let outside = || visible(&answer[..outer.span.start]).chain(visible(&answer[outer.span.end..]));
    let is_range_fenced = || visible(range).next().is_some_and(|line| fence::Mark::of(line).is_some());
    match own == came {
        _ if outside().any(|line| known.contains(line)) => Some(bare(answer, range)),
        true if outside().next().is_some() => {
            Some(Err(Refusal::malformed("its fences may belong to the code or surround it")))
        }
        true if is_range_fenced() => Some(bare(answer, range)),
        _ if !outer.closed => truncated(),
        _ => Some(Ok(Code { text: outer.text(answer), has_end: true })),
    }
}

/// Whether a block contains commands to run, as in the class `odd: region and other`.
///
/// A block that writes a file through a here-document contains that file instead.
fn is_commands(fence: &fence::Fence<'_>, answer: &str) -> bool {
    const SHELLS: [&str; 7] = ["bash", "sh", "shell", "zsh", "console", "powershell", "shell-session"];
    let language = fence.info.split_whitespace().next().unwrap_or_default();
    let code = &answer[fence.inside.clone()];
    let has_prompt = || fence.is_plain() && code.trim_start().starts_with("$ ");
    (SHELLS.contains(&language) || has_prompt()) && !code.contains("<<")
}

/// Whether code consists only of file-changing shell commands.
fn edits_by_command(text: &str, range: &str) -> bool {
    const COMMANDS: [&str; 7] =
        ["sed -i", "sed --in-place", "perl -i", "perl -pi", "git apply", "patch -p", "apply_patch "];
    let visible = |text| line::split_iter(text).map(str::trim_end).filter(|line: &&str| !line.is_empty());
    let is_one = |line: &str| {
        let command = line.strip_prefix("$ ").unwrap_or(line);
        COMMANDS.iter().any(|it| command.starts_with(it))
    };
    visible(text).next().is_some() && visible(text).all(is_one) && !visible(range).map(str::trim).any(is_one)
}

/// Takes a reply without a fence as code, unless it is talk.
fn bare(answer: &str, range: &str) -> Result<Code, Refusal> {
    let text = answer.trim_start_matches(['\n', '\r']);
    if text.trim().is_empty() {
        return Err(Refusal::Empty);
    }
    if text.trim().chars().all(|sign| matches!(sign, '`' | '~')) {
        return Err(Refusal::Truncated { inside: "a code fence" });
    }
    if talks(text, range) {
        return Err(Refusal::Prose);
    }
    if let Some(code) = in_backticks(text, range) {
        return Ok(Code { text: code.to_owned(), has_end: true });
    }
    // Blank lines at the ends are easily lost or added in transit. If those at the end were stripped, those
    // at the start were too.
    let stripped = !text.ends_with(['\n', '\r']);
    let own = |lines: &mut dyn Iterator<Item = &str>| lines.take_while(|line| line::is_blank(line)).count();
    let leading = own(&mut line::split_iter(range));
    let came = own(&mut line::split_iter(answer));
    let mut code = "\n".repeat(if stripped { leading } else { came.min(leading) }) + text;
    if stripped {
        let trailing = own(&mut line::split(range).into_iter().rev());
        code.extend((0..trailing).map(|_| "\n").chain((trailing > 0).then_some("\n")));
    }
    Ok(Code { text: code, has_end: false })
}

/// Returns the code of an answer that is one line between backticks, for a range without any.
fn in_backticks<'a>(answer: &'a str, range: &str) -> Option<&'a str> {
    let text = answer.trim();
    let mark = &text[..text.len() - text.trim_start_matches('`').len()];
    let code = text.strip_prefix(mark).filter(|_| !mark.is_empty())?.strip_suffix(mark)?;
    (!code.is_empty() && !code.contains(['`', '\n']) && !range.contains('`')).then_some(code)
}

/// Whether an answer without a fence addresses the user, in part or as a whole.
///
/// The classes are `talk`, `odd: region and remarks`, `cut region prose` and `guard: talk for a region`. If
/// the range itself is prose, the answer may be prose.
pub(in crate::edit) fn talks(text: &str, range: &str) -> bool {
    let visible = |text| line::split_iter(text).map(str::trim).filter(|line: &&str| !line.is_empty());
    let known: HashSet<&str> = visible(range).collect();
    if known.iter().filter(|line| is_wording(line)).count() * 2 > known.len() {
        return !shares_words(text, range);
    }
    let is_new = |line: &&str| !known.contains(line);
    let ends = [visible(text).next(), visible(text).last()];
    let mut new = visible(text).filter(is_new).peekable();
    ends.into_iter().flatten().filter(is_new).any(is_sentence)
        || (new.peek().is_some() && new.all(is_wording))
}

/// Whether text that should be code only addresses the user.
///
/// The class is `guard: talk in a fence`.
pub(in crate::edit) fn is_only_words(text: &str, range: &str) -> bool {
    let visible = |text| line::split_iter(text).map(str::trim).filter(|line: &&str| !line.is_empty());
    let is_prose = visible(range).filter(|line| is_wording(line)).count() * 2 > visible(range).count();
    let is_point = |line: &str| line.starts_with(|first: char| first.is_ascii_digit());
    !is_prose
        && visible(text).all(is_wording)
        && visible(text).any(|line| is_sentence(line) || is_point(line))
}

/// Whether a line is a sentence of at least four words.
fn is_sentence(line: &str) -> bool {
    is_wording(line) && line.ends_with(['.', ':', '!', '?']) && line.split_whitespace().nth(3).is_some()
}

/// Whether two prose texts are about the same subject.
///
/// A rewording keeps at least a third of the longer words.
fn shares_words(text: &str, range: &str) -> bool {
    const LONG: usize = 5;
    let words = |text: &str| -> HashSet<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        words.filter(|word| word.chars().count() >= LONG).map(str::to_lowercase).collect()
    };
    let (known, new) = (words(range), words(text));
    let shared = new.intersection(&known).count();
    known.is_empty() || (shared > 0 && shared * 3 >= new.len())
}

/// Whether a line consists of natural-language words.
///
/// It starts with a capital letter, possibly after a list number, and has no character typical of code
/// outside of quoted code.
fn is_wording(line: &str) -> bool {
    let point = line.trim_start_matches(|letter: char| letter.is_ascii_digit()).strip_prefix(". ");
    let line = point.filter(|_| line.starts_with(|first: char| first.is_ascii_digit())).unwrap_or(line);
    let words: String = line.split('`').step_by(2).collect();
    // At the end of a line, a semicolon would end a statement.
    let words = words.replace("; ", ", ");
    let plain = |letter: char| letter.is_alphanumeric() || " ,.-–—:!?'’\"()".contains(letter);
    // A call without arguments has no other character typical of code.
    words.starts_with(char::is_uppercase) && words.chars().all(plain) && !words.contains("()")
}

/// Whether a block quotes old code, that is, appears in the range as consecutive lines.
///
/// The classes are `region quoted first` and `odd: region after prompt`.
fn is_quoted(block: &str, range: &str) -> bool {
    let lines = |text: &str| line::split_iter(text).map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let (block, range) = (lines(block.trim()), lines(range));
    !occurrences(&range, &block).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wording_and_code() {
        for line in [
            "Sure",
            "Here is the new text of `f(x)`",
            "I'll rename it. It is used twice.",
            "Done!",
            "2. Open `x`",
            "It is right; no change is needed.",
        ] {
            assert!(is_wording(line), "{line}");
        }
        for line in ["return total", "Foo::bar()", "X = 1", "let a;", "Vec<u8>", "main()", "1.0", ". Foo"] {
            assert!(!is_wording(line), "{line}");
        }
    }
}
