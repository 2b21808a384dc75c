//! Takes the code out of an answer that is code.

use std::collections::HashSet;

use super::partial;
use crate::edit::parse::fence;
use crate::edit::{Refusal, line};
use crate::grammar::Grammar;
use crate::text::occurrences::occurrences;

/// The most blocks of code that one answer is looked for in.
const MOST_FENCES: usize = 100;

/// The code of an answer.
#[derive(Debug)]
pub(in crate::edit) struct Code {
    pub(in crate::edit) text: String,
    /// Whether something marks its end, so that it cannot be the beginning of more.
    pub(in crate::edit) has_end: bool,
}

/// Takes the code out of a reply, for a range in some language.
///
/// # Errors
///
/// [`Refusal`] when there is none, more than one, or it was cut off.
pub(in crate::edit) fn of(answer: &str, range: &str, grammar: Option<&Grammar>) -> Result<Code, Refusal> {
    if let Some(code) = with_own_fences(answer, range) {
        return code;
    }
    let mut fences = fence::blocks(answer);
    if fences.iter().any(|fence| !fence.closed) {
        return Err(Refusal::Truncated { inside: "a code fence" });
    }
    let any = !fences.is_empty();
    if grammar.is_some_and(|grammar| !grammar.facts().shell) {
        fences.retain(|fence| !is_commands(fence, answer));
    }
    if any && fences.is_empty() {
        return Err(Refusal::Prose);
    }
    if fences.len() > MOST_FENCES {
        return Err(Refusal::SeveralAnswers { count: fences.len() });
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
        // Nothing but the old code: the answer is that it stays.
        (None, _) if !fences.is_empty() => Ok(Code { text: range.to_owned(), has_end: true }),
        (None, _) if is_no_shell && edits_by_command(answer, range) => Err(Refusal::Prose),
        (None, _) => bare(answer, range),
    }
}

/// The code of an answer that has fences, for a range that has fences itself.
///
/// `None` if one of them has none.
///
/// Code gains or loses fences as pairs of marks, and the fence around it is a pair too. So an answer whose
/// marks are odd in number where the range's are even, or the reverse, was cut (the class
/// `cut: region with fences`). What stands outside of the outermost pair is talk, unless the range has a line
/// of it: then no fence is around the code.
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
            let detail = "its fences may be those of the code, or stand around it".to_owned();
            Some(Err(Refusal::Malformed { detail }))
        }
        true if is_range_fenced() => Some(bare(answer, range)),
        _ if !outer.closed => truncated(),
        _ => Some(Ok(Code { text: outer.text(answer), has_end: true })),
    }
}

/// Whether a block holds commands to run, as in the class `odd: region and other`.
///
/// One that writes a file by a here-document holds that file.
fn is_commands(fence: &fence::Fence<'_>, answer: &str) -> bool {
    const SHELLS: [&str; 7] = ["bash", "sh", "shell", "zsh", "console", "powershell", "shell-session"];
    let language = fence.info.split_whitespace().next().unwrap_or_default();
    SHELLS.contains(&language) && !answer[fence.inside.clone()].contains("<<")
}

/// Whether code is nothing but commands that change files, which only a shell runs.
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

/// A reply without a fence is code as it stands, unless it talks.
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
    // Blank lines at the ends are easily lost on the way, and easily won. Where the end is cut off, both ends
    // are.
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

/// Whether an answer without a fence speaks to a person, in part or as a whole.
///
/// The classes are `talk`, `odd: region and remarks`, `cut region prose` and `guard: talk for a region`.
/// Where the range itself is prose, prose is the answer.
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

/// Whether what stands in the place of code speaks to a person, and has nothing else.
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

/// Whether a line is a sentence of some words.
fn is_sentence(line: &str) -> bool {
    is_wording(line) && line.ends_with(['.', ':', '!', '?']) && line.split_whitespace().nth(3).is_some()
}

/// Whether two texts of prose speak of the same thing.
///
/// A new wording keeps a third of the longer words.
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

/// Whether a line is made of words for people.
///
/// It starts with a capital, be it behind the number of a list's point, and has no sign of code, quoted code
/// aside.
fn is_wording(line: &str) -> bool {
    let point = line.trim_start_matches(|letter: char| letter.is_ascii_digit()).strip_prefix(". ");
    let line = point.filter(|_| line.starts_with(|first: char| first.is_ascii_digit())).unwrap_or(line);
    let words: String = line.split('`').step_by(2).collect();
    // At the end of a line it would be a statement's.
    let words = words.replace("; ", ", ");
    let plain = |letter: char| letter.is_alphanumeric() || " ,.-–—:!?'’\"()".contains(letter);
    // A call without arguments has no other sign of code.
    words.starts_with(char::is_uppercase) && words.chars().all(plain) && !words.contains("()")
}

/// Whether a block quotes old code: all of its lines stand in the range in one piece.
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
