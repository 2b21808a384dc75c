//! Takes the code out of an answer that is code.

use std::collections::HashSet;

use super::fence;
use crate::edit::{Refusal, line};
use crate::grammar::Grammar;

/// The most blocks of code that one answer is looked for in.
const MOST_FENCES: usize = 100;

/// Takes the code out of a reply, for a range in some language.
pub(super) fn of(answer: &str, range: &str, grammar: Option<&Grammar>) -> Result<String, Refusal> {
    // Code that has fences itself is bounded by the outermost pair.
    if line::split_iter(range).any(|line| fence::Mark::of(line).is_some())
        && let Some(outer) = fence::outermost(answer)
    {
        return if outer.closed {
            Ok(outer.text(answer))
        } else {
            Err(Refusal::Truncated { inside: "a code fence" })
        };
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

/// Whether a block holds commands to run, as in the class `odd: region and other`. One that writes a file by a
/// here-document holds that file.
fn is_commands(fence: &fence::Fence<'_>, answer: &str) -> bool {
    const SHELLS: [&str; 7] = ["bash", "sh", "shell", "zsh", "console", "powershell", "shell-session"];
    let language = fence.info.split_whitespace().next().unwrap_or_default();
    SHELLS.contains(&language) && !answer[fence.inside.clone()].contains("<<")
}

/// A reply without a fence is code as it stands, unless it talks.
fn bare(answer: &str, range: &str) -> Result<String, Refusal> {
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
    // Blank lines at the ends are easily lost on the way, and easily won. Where the end is cut off, both ends are.
    let stripped = !text.ends_with(['\n', '\r']);
    let own = |lines: &mut dyn Iterator<Item = &str>| lines.take_while(|line| line::is_blank(line)).count();
    let leading = own(&mut line::split_iter(range));
    let came = own(&mut line::split_iter(answer));
    let mut code = "\n".repeat(if stripped { leading } else { came.min(leading) }) + text;
    if stripped {
        let trailing = own(&mut line::split(range).into_iter().rev());
        code.extend((0..trailing).map(|_| "\n").chain((trailing > 0).then_some("\n")));
    }
    Ok(code)
}

/// Whether an answer without a fence speaks to a person, in part or as a whole (the classes `talk`, `odd: region and
/// remarks`, `cut region prose` and `guard: talk for a region`). Where the range itself is prose, prose is the answer.
fn talks(text: &str, range: &str) -> bool {
    let visible = |text| line::split_iter(text).map(str::trim).filter(|line: &&str| !line.is_empty());
    let known: HashSet<&str> = visible(range).collect();
    if known.iter().filter(|line| is_wording(line)).count() * 2 > known.len() {
        return !shares_words(text, range);
    }
    let is_new = |line: &&str| !known.contains(line);
    let sentence = |line: &str| {
        is_wording(line) && line.ends_with(['.', ':', '!', '?']) && line.split_whitespace().nth(3).is_some()
    };
    let ends = [visible(text).next(), visible(text).last()];
    let mut new = visible(text).filter(is_new).peekable();
    ends.into_iter().flatten().filter(is_new).any(sentence) || (new.peek().is_some() && new.all(is_wording))
}

/// Whether two texts of prose speak of the same thing: a new wording keeps a third of the longer words.
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

/// Whether a line is made of words for people: it starts with a capital, be it behind the number of a list's point, and
/// has no sign of code, quoted code aside.
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

/// Whether a block quotes old code, as in the classes `region quoted first` and `odd: region after prompt`: all of its
/// lines stand in the range in one piece.
fn is_quoted(block: &str, range: &str) -> bool {
    let lines = |text: &str| line::split_iter(text).map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let (block, range) = (lines(block.trim()), lines(range));
    !block.is_empty() && range.windows(block.len()).any(|window| window == block)
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
