//! Lines that replace code as a placeholder for it.

use std::collections::HashSet;

use super::elision::{is_comment, words_of};
use crate::edit::runs::{has_word_chars, runs, visible};
use crate::edit::{Refusal, line};
use crate::grammar::{Grammar, Modules};

/// The surplus of deleted over new lines from which a remark with dots or a telling word is a placeholder.
const FEW: usize = 2;

/// The surplus from which any short remark is a placeholder.
const MANY: usize = 5;

/// Words that refer to code rather than to what it does.
const TELLING: [&str; 31] = [
    "above",
    "before",
    "below",
    "brevity",
    "changed",
    "changes",
    "continues",
    "elided",
    "etc",
    "existing",
    "further",
    "identical",
    "modified",
    "omitted",
    "original",
    "other",
    "others",
    "previous",
    "remainder",
    "remaining",
    "remains",
    "rest",
    "same",
    "skipped",
    "snip",
    "snipped",
    "truncated",
    "unchanged",
    "unmodified",
    "untouched",
    "unaltered",
];

/// Refuses a result in which a remark replaces lines of code.
///
/// A remark is a placeholder by its shape, in any language: it is new, and replaces more lines than are added.
/// Dots at its beginning or end show it anywhere, and so do words that only refer to code. A few words of which one
/// refers to code do, and other few words that replace many lines, if no new line follows that they could be about.
///
/// Of the 26,970 changes in 790 commits, one has such a line: a heading, which is not a placeholder. Behind
/// new code, three of 63,000 changes in thirteen projects have one.
///
/// The error is [`Refusal::Elision`] with the line.
pub(super) fn placeholder_comment(
    grammar: Option<&Grammar>,
    before: &str,
    after: &str,
) -> Result<(), Refusal> {
    let may_stand_in = |line| Remark::of(grammar, line).is_some() || says_unchanged(line).is_some();
    if !line::split_iter(after).any(may_stand_in) {
        return Ok(());
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (visible(before), visible(after));
    let known: HashSet<&str> = old.iter().copied().collect();
    for run in runs(&old, &new) {
        let is_code = |line: &&str| has_word_chars(line) && Remark::of(grammar, line).is_none();
        let end = run.new.iter().rposition(is_code).map_or(0, |at| at + 1);
        let gone = run.old.iter().filter(|line| has_word_chars(line)).count();
        let lost = gone.saturating_sub(run.new.iter().filter(|line| is_code(line)).count());
        for (at, line) in run.new.iter().enumerate().filter(|(_, line)| !known.contains(*line)) {
            let is_behind_code = at == end && at > 0;
            let goes_on = || at > 0 && !known.contains(run.new[at - 1]) && is_wrapped(run.new[at - 1]);
            let is_stand_in = says_unchanged(line).is_some_and(|code| !known.contains(code))
                || match Remark::of(grammar, line) {
                    Some(Remark::Bare) if !is_behind_code => lost > 0,
                    Some(Remark::Dots) => lost >= FEW,
                    Some(Remark::Telling | Remark::Short) if goes_on() => false,
                    // Code follows, so it is not the body of a stub.
                    Some(Remark::Telling) if *line == "..." && at < end => lost >= FEW,
                    // Behind new lines, it may replace the end of the old ones, however many are new.
                    Some(Remark::Telling | Remark::Bare) if is_behind_code => gone >= FEW,
                    Some(Remark::Telling) if at >= end => lost >= FEW,
                    Some(Remark::Short) if at >= end => lost >= MANY,
                    _ => false,
                };
            if is_stand_in && !run.old.iter().any(|old| is_same_but_for_blanks(old, line)) {
                return Err(Refusal::Elision { line: (*line).to_owned() });
            }
        }
    }
    Ok(())
}

/// Whether two lines have the same signs and words, with other blanks between.
fn is_same_but_for_blanks(a: &str, b: &str) -> bool {
    a.split_whitespace().flat_map(str::chars).eq(b.split_whitespace().flat_map(str::chars))
}

/// Whether a line is a comment so long that its sentence goes on in the next line.
fn is_wrapped(line: &str) -> bool {
    const LONG: usize = 50;
    is_comment(line) && line.len() >= LONG && !line.ends_with(['.', ':', '!', '?', '/'])
}

/// Returns the code of a line that a comment behind it calls the old code: `return null; // unchanged`.
fn says_unchanged(line: &str) -> Option<&str> {
    const SAYING: [&str; 5] = ["unchanged", "unmodified", "not changed", "same as before", "as before"];
    // Most lines end otherwise, and every line is looked at.
    let bytes = line.as_bytes();
    let end = bytes.iter().rposition(|byte| !b" \t\r\n*/.".contains(byte))?;
    if !matches!(bytes[end].to_ascii_lowercase(), b'd' | b'e') {
        return None;
    }
    let at = [" # ", " // ", " /* "].iter().filter_map(|mark| line.find(mark)).min()?;
    let said = line[at..].trim().trim_matches(|sign: char| "/*#. \t".contains(sign)).to_lowercase();
    let code = line[..at].trim_end();
    (!is_comment(line) && SAYING.contains(&said.as_str())).then_some(code)
}

/// A line that may be a placeholder for code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remark {
    /// It begins or ends in dots, or follows the code on its line that it refers to.
    Dots,
    /// It does nothing but refer to code, in a few words.
    Bare,
    /// It has few words, one of which refers to code.
    Telling,
    /// It has few words.
    Short,
}

impl Remark {
    fn of(grammar: Option<&Grammar>, line: &str) -> Option<Self> {
        const MOST_TELLING: usize = 8;
        const MOST: usize = 6;
        const MOST_BARE: usize = 4;
        let text = line.trim();
        // Documentation leaves things out on purpose, and a `#` in prose is a heading.
        let is_prose = grammar.is_some_and(Grammar::is_prose);
        if text.starts_with("///") || text.starts_with("//!") || is_prose && text.starts_with('#') {
            return None;
        }
        let dots = |text: &str| text.starts_with("..") || text.starts_with('…');
        let is_code = grammar.is_some_and(|it| it.facts().dots_are_code && !it.is_prose());
        let is_python = grammar.is_some_and(|it| it.facts().modules == Some(Modules::Python));
        // A body of dots alone is that of a stub.
        if is_python && text == "..." {
            return Some(Self::Telling);
        }
        if dots(text) {
            let behind = text.trim_start_matches(['.', '…']);
            // Dots directly followed by text are a spread operator, or a path.
            // `.. note::` is a directive of reStructuredText.
            let is_directive = behind.contains("::");
            return (if behind.is_empty() { !is_code } else { behind.starts_with(' ') && !is_directive })
                .then_some(Self::Dots);
        }
        // `db: ...` in YAML, `"...": "..."` in JSON; in Python, the first is the body of a stub.
        let value = text.trim_end_matches([',', ' ', '}']);
        let is_value = !is_python && [": ...", ": …", ": \"...\""].iter().any(|it| value.ends_with(it));
        let is_mark = |sign: char| "\"'.…:,".contains(sign) || sign.is_whitespace();
        if is_value || text.contains("..") && text.chars().all(is_mark) {
            return Some(Self::Dots);
        }
        let remark = if is_prose { text.trim_matches(['*', '_']) } else { remark_behind(text) };
        let is_behind_code = !is_prose && remark.len() < text.len();
        let text = remark;
        // JSON has no comments: `"// ...": "unchanged"`.
        let quoted = text.strip_prefix('"').filter(|inner| inner.starts_with("//"));
        let inner = text.strip_prefix('{').filter(|inner| inner.starts_with("/*")).or(quoted).unwrap_or(text);
        let failure = said_on_failure(text);
        // A shell's `:` does nothing with its words.
        let is_idle = text.starts_with(": \"");
        let is_comment = is_comment(inner) || failure.is_some() || is_idle;
        let is_in = |open: char, close: char| text.starts_with(open) && text.ends_with(close);
        if !(is_comment || is_in('[', ']') || is_prose && is_in('(', ')')) {
            return None;
        }
        let bare = failure.unwrap_or(inner);
        let bare = bare.trim_matches(|sign: char| "/*#-<!>;:%\"()[]{} \t".contains(sign));
        let has_dots = dots(bare) || bare.ends_with("..") || bare.ends_with('…');
        let bare = bare.trim_matches(['.', '…', ' ']);
        let said = bare.to_lowercase();
        let words = words_of(&said);
        let last = words.last().copied().unwrap_or_default();
        let is_telling = |word: &&str| TELLING.contains(word);
        let is_bare = words.len() <= MOST_BARE && !is_behind_code && failure.is_none();
        if has_dots {
            return Some(if is_bare && words.iter().any(is_telling) { Self::Bare } else { Self::Dots });
        }
        // `name, email and age unchanged`, `main content here`
        let ends_telling = is_telling(&last) || last == "here" && words.len() <= MOST;
        let is_plain = !bare.contains(['=', '(', '@', '_', '.']) && (ends_telling || !bare.contains(','));
        match words.len() {
            0 => None,
            1..=MOST_TELLING
                if is_plain && (ends_telling || failure.is_none() && words.iter().any(is_telling)) =>
            {
                // Behind a key, it can only be about the value.
                let is_bare = is_bare && (is_idle || ends_telling || words.len() * 2 <= MOST_BARE);
                Some(if is_behind_code {
                    Self::Dots
                } else if is_bare {
                    Self::Bare
                } else {
                    Self::Telling
                })
            }
            1..=MOST if is_comment && !is_behind_code && failure.is_none() => Some(Self::Short),
            _ => None,
        }
    }
}

/// Returns the comment behind at most two words of code, where it alone says what was there: `pass  # unchanged`.
fn remark_behind(text: &str) -> &str {
    const MOST_WORDS: usize = 2;
    let comment = [" #", " //", " /*"].iter().filter_map(|mark| text.find(mark)).min();
    match comment {
        Some(at) if text[..at].split_whitespace().count() <= MOST_WORDS && !is_comment(text) => {
            text[at..].trim_start()
        }
        _ => text,
    }
}

/// Returns the only string of a statement that fails with it: `panic!("unchanged")`.
fn said_on_failure(text: &str) -> Option<&str> {
    const FAILING: [&str; 9] = [
        "todo!(",
        "unimplemented!(",
        "unreachable!(",
        "panic!(",
        "panic(",
        "throw new ",
        "raise ",
        "fatalError(",
        "TODO(",
    ];
    FAILING.iter().find(|it| text.starts_with(**it))?;
    let (_, rest) = text.split_once('"')?;
    let (said, rest) = rest.split_once('"')?;
    (!rest.contains(['"', ','])).then_some(said)
}

#[cfg(test)]
mod tests;
