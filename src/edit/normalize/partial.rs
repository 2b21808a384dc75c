//! Detects code that is only a part of a range's new text.
//!
//! Fenced code is the whole new text only if nothing suggests otherwise: neither the words before the fence,
//! nor the code itself by keeping too little of the old text. Old text is measured by its words, because a
//! rewritten line keeps them and an added line lacks them.

use std::collections::HashSet;

use crate::edit::check::is_comment;
use crate::edit::parse::fence::Fence;
use crate::edit::runs::{has_word_chars, visible};
use crate::edit::{Refusal, line};
use crate::text::ident;

/// Minimum number of old lines that a single line or a comment cannot replace.
const MANY: usize = 6;

/// Minimum number of words that a rewrite would not replace completely.
const TELLING: usize = 4;

/// Refuses code in one of the `fences` of an answer if the words around it call it a part of the new text.
///
/// `is_quoted` reports whether a fence quotes the range.
///
/// The error is [`Refusal::Malformed`] if the code is only a part.
pub(super) fn check(
    answer: &str,
    fences: &[Fence<'_>],
    code: &str,
    range: &str,
    is_quoted: &dyn Fn(&str) -> bool,
) -> Result<(), Refusal> {
    let refuse = |detail: &str| Err(Refusal::malformed(detail));
    let mut at = 0;
    for fence in fences {
        let talk = &answer[at..fence.span.start];
        at = fence.span.end;
        if line::split_iter(talk).any(labels_part) {
            return refuse("it states that its code is incomplete");
        }
        let text = fence.text(answer);
        if text != code {
            if fences.len() > 1 && is_quoted(&text) && goes_on(&text, code, range) {
                return refuse("its code goes on where the code that it quotes ends");
            }
        } else if !keeps(code, range, asked(talk)) {
            return refuse("its code is to be added to the range, and not to take its place");
        }
    }
    Ok(())
}

/// Refuses a few lines or comments that replace many other lines, and lines from within the range.
///
/// The error is [`Refusal::TooMuchRemoved`], or [`Refusal::Malformed`] if all lines are deeper than the range
/// begins.
pub(super) fn too_little(code: &str, range: &str) -> Result<(), Refusal> {
    let (old, new) = (visible(range), visible(code));
    let (before, after) = (old.len(), new.len());
    let known: HashSet<&str> = old.iter().copied().filter(|it| has_word_chars(it)).collect();
    let is_kept = |most: usize| after <= most && new.iter().any(|it| known.contains(it));
    let remarks =
        || new.iter().all(|it| is_comment(it)) && old.iter().filter(|it| !is_comment(it)).count() >= MANY;
    let is_little = match before >= MANY {
        true if after == 1 || remarks() => !is_kept(1) && !keeps(code, range, Share::Half),
        true if after * 2 <= before => !is_kept(after) && !keeps(code, range, Share::Quarter),
        _ => false,
    };
    if is_little {
        return Err(Refusal::TooMuchRemoved { before, after });
    }
    match after < before && is_deeper(code, range) {
        true => Err(Refusal::malformed("its code is from within the range, and not all of it")),
        false => Ok(()),
    }
}

/// Whether all lines of the code are indented deeper than the range, whose first line is its outermost.
fn is_deeper(code: &str, range: &str) -> bool {
    let indents = |text| line::split_iter(text).filter(|it| !line::is_blank(it)).map(line::indent);
    let least = indents(range).next().unwrap_or_default();
    indents(range).all(|it| it.starts_with(least))
        && indents(code).all(|it| it.len() > least.len() && it.starts_with(least))
}

/// The share of the range's words that the new text must keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    Any,
    Quarter,
    Half,
    Most,
}

/// Returns how much of the range must remain, given the words before a fence.
///
/// If they say that the code goes somewhere, nothing may be removed. If they only mention an addition, they
/// may also describe what was done.
fn asked(talk: &str) -> Share {
    const VERBS: [&str; 7] = ["add", "insert", "append", "prepend", "put", "place", "paste"];
    const PLACES: [&str; 8] =
        ["after", "before", "above", "below", "beneath", "under", "underneath", "between"];
    // Starts with the line directly above the fence.
    let lines = line::split(talk);
    let above = lines.iter().rev().skip_while(|line| line::is_blank(line));
    let said: String =
        above.take_while(|line| !line::is_blank(line)).map(|line| line.to_lowercase() + "\n").collect();
    let words: Vec<&str> =
        said.split(|sign: char| !sign.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    let is_number = |word: &str| word.starts_with(|first: char| first.is_ascii_digit());
    let number = words.windows(2).any(|pair| matches!(pair[0], "line" | "lines" | "l") && is_number(pair[1]));
    let place = has(&PLACES) || has(&["top", "bottom", "end", "beginning", "start"]);
    let leads = matches!(words.as_slice(), ["just" | "right" | "immediately" | "directly", at, ..] if PLACES.contains(at));
    match has(&VERBS) {
        true if number || has(&["this", "these", "following", "it"]) => Share::Most,
        _ if place && number || leads => Share::Most,
        true => Share::Half,
        false => Share::Any,
    }
}

/// Whether a line names a part: `Part 2 of 3: the loop`, `The second half`.
fn labels_part(line: &str) -> bool {
    const ORDINALS: [&str; 3] = ["first", "second", "third"];
    const LONGEST: usize = 8;
    let said = line.to_lowercase();
    let words: Vec<&str> =
        said.split(|sign: char| !sign.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let is_number =
        |word: &str| word.chars().all(|sign| sign.is_ascii_digit()) || ["one", "two"].contains(&word);
    match words.as_slice() {
        ["the", which, "part" | "half"] | [which, "part" | "half"] => ORDINALS.contains(which),
        ["part", which, ..] => is_number(which) && words.len() <= LONGEST,
        _ => false,
    }
}

/// Whether code continues after a quote of one end of the range and does not replace the quoted lines.
fn goes_on(quote: &str, code: &str, range: &str) -> bool {
    let (quoted, all, new) = (visible(quote), visible(range), visible(code));
    let behind = all.strip_prefix(quoted.as_slice());
    let above = all.strip_suffix(quoted.as_slice());
    let begins = || behind.and_then(<[_]>::first).is_some_and(|line| new.first() == Some(line));
    let ends = || above.and_then(<[_]>::last).is_some_and(|line| new.last() == Some(line));
    let is_end = behind.or(above).is_some() && quoted.len() < all.len();
    // Code that replaces the quote keeps at least some of the words that occur only in it.
    let is_gone = || {
        let rest = words_of(behind.or(above).unwrap_or_default());
        let own: HashSet<&str> = words(quote).difference(&rest).copied().collect();
        own.len() >= TELLING && own.is_disjoint(&words(code))
    };
    is_end && (begins() || ends() || is_gone() || new.len() + quoted.len() <= all.len())
}

/// Whether code keeps the given share of a text's words.
fn keeps(code: &str, text: &str, share: Share) -> bool {
    let percent = match share {
        Share::Any => return true,
        Share::Quarter => 25,
        Share::Half => 50,
        Share::Most => 75,
    };
    let (old, new) = (words(text), words(code));
    old.intersection(&new).count() * 100 >= old.len() * percent
}

fn words_of<'t>(lines: &[&'t str]) -> HashSet<&'t str> {
    lines.iter().flat_map(|line| ident::words(line)).collect()
}

fn words(text: &str) -> HashSet<&str> {
    ident::words(text).collect()
}

#[cfg(test)]
mod tests {
    use crate::edit::Request;
    use crate::edit::parse::read;

    const RANGE: &str = "def total(items):\n    result = 0\n    for item in items:\n        price = item.price\n        \
        result += price * item.count\n    if result > LIMIT:\n        raise TooMuch(result)\n    return result\n";

    /// Checks how an answer for a range is read: `whole`, or the refusal.
    #[track_caller]
    fn check_in(range: &str, answer: &str, expected: &str) {
        let request = Request { text: range, range: Some(0..range.len()), ..Request::default() };
        let outcome = read(request, answer).map_or_else(|refusal| refusal.code(), |_| "whole");
        assert_eq!(outcome, expected, "{answer}");
    }

    #[test]
    fn lines_to_be_added_are_not_the_range() {
        for words in [
            "Add this line right after line 6:",
            "Insert the following before the `return`:",
            "After line 6:",
            "Right before the return statement:",
            "Put this below the loop.",
            "You can add a check:",
        ] {
            for code in ["    # Checked.\n", "    check(result)\n    log(result)\n"] {
                check_in(RANGE, &format!("{words}\n\n```python\n{code}```\n"), "malformed");
                let whole = RANGE.replace("    return", &format!("{code}    return"));
                check_in(RANGE, &format!("{words}\n\n```python\n{whole}```\n"), "whole");
            }
        }
        // Descriptions of a completed change.
        for words in
            ["I added a check after the loop:", "After the change:", "Here it is, with a check added:"]
        {
            check_in("x = a\ny = b\n", &format!("{words}\n```\nz = f(c, d)\n```\n"), "whole");
        }
    }

    #[test]
    fn parts_are_not_the_range() {
        let lines: Vec<&str> = RANGE.split_inclusive('\n').collect();
        let (head, tail) = (lines[..4].concat(), lines[4..].concat().replace("LIMIT", "MOST"));
        for (one, other) in
            [("Part 1:", "Part 2:"), ("First half", "Second half"), ("**Part 1 of 2**", "Rest:")]
        {
            check_in(RANGE, &format!("{one}\n```\n{head}```\n{other}\n```\n{tail}```\n"), "malformed");
        }
        check_in(RANGE, &format!("```\n{head}```\n\n```\n{tail}```\n"), "malformed");
        check_in(RANGE, &format!("Part 2:\n```\n{tail}```\n"), "malformed");
        let longer = format!("    log(result)\n    log(LIMIT)\n    log()\n    send()\n    wait()\n{tail}");
        check_in(RANGE, &format!("```\n{head}```\n\n```\n{longer}```\n"), "malformed");
        // The quoted code is changed or removed.
        let new = RANGE.replace("total", "sum_of");
        check_in(RANGE, &format!("This:\n```\n{}```\nbecomes:\n```\n{new}```\n", lines[0]), "whole");
        let less = RANGE.replace(lines[5], "").replace(lines[6], "");
        let dead = lines[5..7].concat();
        check_in(RANGE, &format!("Never true:\n```\n{dead}```\nWithout it:\n```\n{less}```\n"), "whole");
    }

    #[test]
    fn lines_from_within_the_range_are_not_the_range() {
        let lines: Vec<&str> = RANGE.split_inclusive('\n').collect();
        let inner = lines[2..5].concat().replace("item.price", "item.cost");
        check_in(RANGE, &format!("```\n{inner}```\n"), "malformed");
        check_in(RANGE, "```\n    if not items:\n        raise Empty(items)\n```\n", "too-much-removed");
        check_in("  a:\n    b: 1\n    c: 2\n", "```\n    b: 2\n```\n", "malformed");
        // A range that ends less indented than it begins, and one that covers all lines.
        check_in("    b: 1\n    c: 2\nd: 3\n", "```\n    b: 1\n    c: 2\n```\n", "whole");
        check_in("if a:\n    b()\n", "```\n    c()\n    d()\n```\n", "whole");
    }

    #[test]
    fn a_line_or_remarks_for_many_lines() {
        for code in ["    # Sums it up.\n", "# The sum\n# of all.\n", "pass_it_on()\n"] {
            check_in(RANGE, &format!("```\n{code}```\n"), "too-much-removed");
            check_in("a = 1\nb = 2\n", &format!("```\n{}```\n", code.trim_start()), "whole");
        }
        let commented: String = RANGE.lines().map(|line| format!("# {line}\n")).collect();
        check_in(RANGE, &format!("```\n{commented}```\n"), "whole");
        check_in(RANGE, "```\ndef total(items):\n```\n", "whole");
        check_in(RANGE, "```\n    return result\n```\n", "malformed");
        for code in ["check(a)\nlog(b)\n", "if a:\n    stop(b)\nelse:\n    go()\n"] {
            check_in(RANGE, &format!("```\n{code}```\n"), "too-much-removed");
        }
        check_in(RANGE, "```\ndef total(items):\n    return add_up(them)\n```\n", "whole");
        let rows: Vec<String> = (0..8).map(|at| format!("    field_{at},\n")).collect();
        let joined: Vec<&str> = rows.iter().map(|row| row.trim()).collect();
        check_in(&rows.concat(), &format!("```\n    {}\n```\n", joined.join(" ")), "whole");
    }
}
