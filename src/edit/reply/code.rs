//! Takes the code out of an answer that is code, and the answer's wrapping off the code.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{fence, overlap};
use crate::edit::place::{entities, numbered};
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
    if grammar.is_some_and(|grammar| grammar.id() != "bash") {
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

/// Whether a block holds commands to run. One that writes a file by a here-document holds that file.
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

/// Whether an answer without a fence speaks to a person, in part or as a whole. Where the range itself is prose, prose
/// is the answer.
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
    const CODE: [&str; 6] = ["None", "True", "False", "Self", "Nil", "Null"];
    let point = line.trim_start_matches(|letter: char| letter.is_ascii_digit()).strip_prefix(". ");
    let line = point.filter(|_| line.starts_with(|first: char| first.is_ascii_digit())).unwrap_or(line);
    let words: String = line.split('`').step_by(2).collect();
    let plain = |letter: char| letter.is_alphanumeric() || " ,.-:!?'’\"()".contains(letter);
    words.starts_with(char::is_uppercase)
        && words.chars().all(plain)
        && !words.contains("()")
        && !CODE.contains(&words.trim_end_matches([',', '.', ':']))
}

/// Whether a block quotes old code: all of its lines stand in the range in one piece.
fn is_quoted(block: &str, range: &str) -> bool {
    let lines = |text: &str| line::split_iter(text).map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let (block, range) = (lines(block.trim()), lines(range));
    !block.is_empty() && range.windows(block.len()).any(|window| window == block)
}

/// Takes off what belongs to the way that the code was sent: a here-document around it, tags around it, HTML's
/// entities, the prompt's line numbers, blank lines at its ends.
pub(super) fn plain(code: &str, range: &str) -> String {
    let code = without_shell(code);
    let code = without_tags(code, range);
    let code = without_entities(code, range);
    let code = without_numbers(&code, range);
    with_blank_ends_of(&code, range)
}

/// The inside of `cat > path <<'EOF'`.
fn without_shell(code: &str) -> &str {
    let start = code.trim_start();
    let first = line::first_partial(start);
    let Some((command, word)) = first
        .split_once("<<")
        .filter(|(command, _)| command.starts_with("cat ") || command.starts_with("tee "))
    else {
        return code;
    };
    let word = word.trim_start_matches('-').trim().trim_matches(['\'', '"', '\\']);
    let inside = &start[line::first_end(start)..];
    let mut end = 0;
    for line in line::split_iter(inside) {
        if line.trim() == word && !command.is_empty() {
            return &inside[..end];
        }
        end += line.len();
    }
    code
}

/// The inside of a pair of tags that a prompt is likely to have had around the code.
fn without_tags<'c>(code: &'c str, range: &str) -> &'c str {
    const NAMES: [&str; 10] = [
        "code",
        "selection",
        "selected_code",
        "answer",
        "output",
        "result",
        "new_code",
        "updated_code",
        "replacement",
        "file",
    ];
    let text = code.trim();
    for name in NAMES {
        let inside = text
            .strip_prefix('<')
            .and_then(|rest| rest.strip_prefix(name)?.strip_prefix('>'))
            .and_then(|rest| rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</"));
        if let Some(inside) = inside.filter(|_| !range.contains(&format!("<{name}>"))) {
            return inside.strip_prefix("\r\n").or_else(|| inside.strip_prefix('\n')).unwrap_or(inside);
        }
    }
    code
}

/// The code with HTML's entities resolved, if the old text has none and knows more of the lines then.
fn without_entities<'c>(code: &'c str, range: &str) -> Cow<'c, str> {
    let Some(resolved) = entities(code) else { return Cow::Borrowed(code) };
    if entities(range).is_some() {
        return Cow::Borrowed(code);
    }
    let known: HashSet<&str> = line::split_iter(range).map(str::trim).collect();
    let count = |text: &str| line::split_iter(text).filter(|line| known.contains(line.trim())).count();
    if count(&resolved) > count(code) { Cow::Owned(resolved) } else { Cow::Borrowed(code) }
}

/// Leaves no more blank lines at either end than the old text has, where that changes less of it: they come with the
/// wrapping as often as with the code.
fn with_blank_ends_of(code: &str, range: &str) -> String {
    if line::is_blank(code) {
        return code.to_owned();
    }
    let lines: Vec<&str> = line::split(code);
    let own = line::split(range);
    let blank = |line: &&&str| line::is_blank(line);
    let (head, tail) = (lines.iter().take_while(blank).count(), lines.iter().rev().take_while(blank).count());
    let more_head = head.saturating_sub(own.iter().take_while(blank).count());
    let more_tail = tail.saturating_sub(own.iter().rev().take_while(blank).count());
    let bodies = |lines: &[&str]| lines.iter().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let (own, all) = (bodies(&own), bodies(&lines));
    let cuts = [(0, 0), (more_head, 0), (0, more_tail), (more_head, more_tail)];
    let size = |(head, tail): &(usize, usize)| overlap::changed(&own, &all[*head..all.len() - tail]);
    let (head, tail) = match (more_head, more_tail) {
        (0, 0) => (0, 0),
        _ => cuts.into_iter().min_by_key(size).unwrap_or_default(),
    };
    lines[head..lines.len() - tail].concat()
}

/// Drops line numbers that the prompt's lines had, where every line of the answer has one.
fn without_numbers(code: &str, range: &str) -> String {
    let plain = || {
        let lines = line::split_iter(code).filter(|line| !line::is_blank(line));
        lines.map(|line| numbered(line).map(|(number, _)| number)).collect::<Option<Vec<usize>>>()
    };
    let counts_up =
        plain().is_some_and(|numbers| numbers.len() > 1 && numbers.windows(2).all(|pair| pair[0] < pair[1]));
    if !counts_up || line::split_iter(range).all(|line| line::is_blank(line) || numbered(line).is_some()) {
        return code.to_owned();
    }
    line::split_iter(code).map(|line| numbered(line).map_or(line, |(_, text)| text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(range: &str, code: &str, expected: &str) {
        assert_eq!(plain(code, range), expected);
    }

    #[test]
    fn wrappings_come_off() {
        check("a\n", "cat > x.rs <<'EOF'\nb\nEOF\n", "b\n");
        check("a\n", "<code>\nb\n</code>\n", "b\n");
        check("a\nif x < y\n", "b\nif x &lt; y\n", "b\nif x < y\n");
        check("a\nb\n", "1 | a\n2 | c\n", "a\nc\n");
        check("a\n", "\n\nb\n\n", "b\n");
        check("\na\n", "\n\nb\n\n", "\nb\n");
        check("a\n\nb\n", "\nb\n", "\nb\n");
    }

    #[test]
    fn what_is_code_stays() {
        check("<code>\n", "<code>\nb\n</code>\n", "<code>\nb\n</code>\n");
        check("a\n", "x = \"&lt;\"\n", "x = \"&lt;\"\n");
        check("1: a\n2: b\n", "1: x\n2: y\n", "1: x\n2: y\n");
    }

    #[test]
    fn wording_and_code() {
        for line in [
            "Sure",
            "Here is the new text of `f(x)`",
            "I'll rename it. It is used twice.",
            "Done!",
            "2. Open `x`",
        ] {
            assert!(is_wording(line), "{line}");
        }
        for line in
            ["return total", "None", "Foo::bar()", "X = 1", "let a;", "Vec<u8>", "main()", "1.0", ". Foo"]
        {
            assert!(!is_wording(line), "{line}");
        }
    }
}
