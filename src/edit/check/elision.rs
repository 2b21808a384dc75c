//! A placeholder comment for left-out code must never become code.

use std::collections::HashSet;

use crate::edit::{Refusal, line};
use crate::grammar::Grammar;

/// Refuses a result with a new line such as `// ... rest unchanged`.
///
/// Of 6.7 million lines in the sources of 426 crates and in Python's own library, 1.36 million of them
/// comments, the pattern matches 45, all but 4 of them a lone `// ...` in an example. Do not extend the lists
/// below without such a count.
///
/// # Errors
///
/// [`Refusal::Elision`] with the line.
pub(in crate::edit) fn elision(before: &str, after: &str) -> Result<(), Refusal> {
    let mut suspects = line::split_iter(after).filter(|line| is_elision(line)).peekable();
    if suspects.peek().is_none() {
        return Ok(());
    }
    let known: HashSet<&str> = line::split_iter(before).map(str::trim).collect();
    match suspects.find(|line| !known.contains(line.trim())) {
        Some(line) => Err(Refusal::Elision { line: line.trim().to_owned() }),
        None => Ok(()),
    }
}

/// Refuses a result with a new line of nothing but dots.
///
/// It does so in languages where dots are code only behind a comma; in a `broken` text, not even there.
///
/// # Errors
///
/// [`Refusal::Elision`] with the line.
pub(super) fn ellipsis_line(
    grammar: &Grammar,
    before: &str,
    after: &str,
    broken: bool,
) -> Result<(), Refusal> {
    if grammar.facts().dots_are_code {
        return Ok(());
    }
    let dots = |text| {
        let mut above = "";
        line::split_iter(text).map(str::trim).filter(|line| !line.is_empty()).any(|line| {
            let lone = matches!(line, "..." | "…") && (broken || !above.ends_with(','));
            above = line;
            lone
        })
    };
    if dots(after) && !dots(before) { Err(Refusal::Elision { line: "...".to_owned() }) } else { Ok(()) }
}

/// Tokens that open a comment in any language.
const OPENERS: [&str; 9] = ["//", "/*", "#", "--", "<!--", ";", "%", "\"\"\"", "(*"];

/// Whether a line is only a comment, or begins one, in any language.
///
/// Some tokens that open one also begin attributes, directives, names and numbers; a space behind them decides.
pub(crate) fn is_comment(line: &str) -> bool {
    let text = line.trim();
    OPENERS.iter().any(|opener| {
        let behind = text.strip_prefix(opener).map(|rest| rest.trim_start_matches(['#', '-', ';', '%']));
        let is_parted = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t', '.', '…', '(']);
        behind.is_some_and(|rest| match *opener {
            "#" | "--" | "%" => is_parted(rest),
            // It ends the statement before: `;(await f()).g()`.
            ";" => !rest.starts_with(['(', '[', '`']),
            _ => true,
        })
    })
}

/// Words that, behind dots, refer to code that is not shown.
const BEHIND_DOTS: [&str; 21] = [
    "existing",
    "rest of",
    "the rest",
    "rest unchanged",
    "rest is",
    "rest remains",
    "remaining",
    "remainder",
    "unchanged",
    "omitted",
    "elided",
    "same as",
    "as before",
    "stays the same",
    "stay the same",
    "previous code",
    "original code",
    "other code",
    "other methods",
    "other functions",
    "no changes",
];

/// Whole comments that mean the same without dots before them, each with a line that it matches.
///
/// A word may have alternatives (`a|b`) or be optional (`a?`), and `*` matches up to five words.
const WITHOUT_DOTS: [(&str, &str); 24] = [
    (
        "the? rest of * unchanged|same|here|omitted|remains|untouched|intact *",
        "// rest of the code remains the same",
    ),
    ("the? rest of * as before|is|above", "# the rest of this method as before"),
    (
        "the? rest of the|this|your? code|file|function|method|class|body|implementation|logic",
        "[rest of function]",
    ),
    ("the? rest unchanged|omitted|remains|stays|is *", "// rest is unchanged"),
    ("the? rest as before|is", "// the rest as is"),
    ("keep|leave|retain the|all|your? rest of? * as before|is|was", "// keep the rest as is"),
    (
        "keep|leave|retain the|all|your? rest of? * unchanged|same|intact|untouched",
        "# leave the rest of it unchanged",
    ),
    ("keep|retain the|your? rest", "// TODO: keep rest"),
    (
        "keep|leave|retain the|all|your? existing|original|current|remaining code|body|implementation|logic *",
        "// keep existing logic",
    ),
    ("the? remaining * unchanged|same|omitted|untouched *", "// remaining methods are unchanged"),
    ("the? remaining * as before|is", "# remaining cases as before"),
    ("the? remaining code|body|implementation|logic here?", "// remaining code here"),
    ("the|your? existing|original code|implementation|logic|body goes? here?", "# your existing code here"),
    (
        "the? existing|original|current code|implementation|logic|body|methods|functions is|are? unchanged|remains|stays|same|omitted *",
        "// existing code remains as it was",
    ),
    (
        "the? function|method|class|loop? body|implementation|logic|code is|remains|stays? unchanged|same|omitted|untouched",
        "// function body unchanged",
    ),
    ("same body|implementation|logic|code as? before|above|here?", "// same body"),
    ("same as before", "// Same as before"),
    ("unchanged", "// (unchanged)"),
    (
        "unchanged code|body|lines|part|parts|section|methods|functions|implementation",
        "/* unchanged lines */",
    ),
    ("code|body|implementation|lines|rest|content omitted", "// code omitted"),
    ("* omitted|elided|left out? for brevity", "# left out for brevity"),
    ("no change|changes here|below|above", "// no changes here"),
    ("the? rest|remaining|existing * ...", "// remaining handlers ..."),
    ("nothing changes|changed here|below", "# nothing changed below"),
];

/// Whether words match a pattern.
fn fits(pattern: &str, words: &[&str]) -> bool {
    const MOST: usize = 5;
    let (first, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
    match first {
        "" => words.is_empty(),
        "*" => (0..=words.len().min(MOST)).any(|count| fits(rest, &words[count..])),
        _ => {
            let (any, is_optional) = first.strip_suffix('?').map_or((first, false), |any| (any, true));
            let is_there = words.first().is_some_and(|word| any.split('|').any(|it| it == *word));
            is_there && fits(rest, &words[1..]) || is_optional && fits(rest, words)
        }
    }
}

/// The words of a remark, including the dots at its end.
pub(super) fn words_of(remark: &str) -> Vec<&str> {
    let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '\'' | '.' | '`' | '…');
    let whole = remark.split(|sign| !is_part(sign)).filter(|word| !word.is_empty());
    let mut words: Vec<&str> = whole
        .flat_map(|word| {
            let kept = word.trim_end_matches(['.', '…']);
            let dots = word[kept.len()..].len() > 1;
            [kept, if dots { "..." } else { "" }]
        })
        .filter(|word| !word.is_empty())
        .collect();
    if matches!(words.first(), Some(&("todo" | "note"))) {
        words.remove(0);
    }
    words
}

/// Whether a line only states that code was left out here.
pub(crate) fn is_elision(line: &str) -> bool {
    let text = line.trim();
    // Nearly every line begins with a word or a closer, unlike comments and dots.
    if text.starts_with(|first: char| first.is_alphanumeric() || matches!(first, '_' | '}' | ')' | '@' | '&'))
    {
        return false;
    }
    // Examples in documentation leave things out on purpose.
    if text.starts_with("///") || text.starts_with("//!") {
        return false;
    }
    // A stub body in Python, with or without a remark: only the remark decides.
    let (text, stub) = match text.strip_prefix("...").map(str::trim_start) {
        Some("") => return false,
        Some(after) if after.starts_with('#') => (after, true),
        _ => (text, false),
    };
    let text = text.strip_prefix('{').filter(|inner| inner.starts_with("/*")).unwrap_or(text);
    let comment = OPENERS.iter().any(|opener| text.starts_with(opener));
    let bare = text.trim_matches(|sign: char| "/*#-<!>;%\"()[]{} \t".contains(sign)).trim();
    let dots = bare.starts_with("...") || bare.starts_with('…');
    // Without a comment around it, the line must begin with the dots, or with a bracket around them.
    let begins_with_dots = dots && text.starts_with(['.', '…', '[', '(', '<']);
    let is_bracketed =
        text.starts_with('[') && text.ends_with(']') || text.starts_with('<') && text.ends_with('>');
    if !comment && !begins_with_dots && !is_bracketed {
        return false;
    }
    let words = bare.trim_matches(['.', '…', ' ']).to_lowercase();
    if words.is_empty() {
        // Indented dots belong to an example that a comment shows.
        let alone = text.trim_matches(|sign: char| "/*#-<!>;%{}".contains(sign));
        let alone = alone.strip_prefix(' ').unwrap_or(alone).trim_end();
        return comment && matches!(alone, "..." | "...." | "…" | "[...]" | "[…]");
    }
    if dots || stub {
        return BEHIND_DOTS.iter().any(|word| words.contains(word));
    }
    let said = bare.to_lowercase();
    let mut said = words_of(&said);
    let fits_one = |said: &[&str]| WITHOUT_DOTS.iter().any(|(pattern, _)| fits(pattern, said));
    if is_bracketed && !comment && (said.len() < 2 || bare.contains([',', '(', '.', '_'])) {
        return false;
    }
    fits_one(&said) || said.pop() == Some("...") && fits_one(&said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_out_code() {
        for line in [
            "    // ... existing code ...",
            "# ... rest of the function unchanged ...",
            "// ...",
            "/* … */",
            "{/* ... existing code ... */}",
            "<!-- ... rest of the page ... -->",
            "-- ... (remaining columns)",
            "...  # rest unchanged",
            "[... rest of file unchanged ...]",
            "... existing code ...",
            "// rest of the code remains the same",
            "# existing code here",
            "// (unchanged)",
            "// Same as before",
            "; ... keep the remaining handlers ...",
            "# TODO: keep rest",
            "    // keep the rest as is",
            "/* body unchanged */",
            "# same body as before",
            "// existing logic",
            "[rest of function]",
            "<!-- rest of the file unchanged -->",
            "// the rest of the function stays the same",
            "// Rest of the code...",
            "// remaining code ...",
        ] {
            assert!(is_elision(line), "{line}");
        }
    }

    #[test]
    fn patterns_take_their_samples() {
        for (pattern, sample) in WITHOUT_DOTS {
            let words = sample.to_lowercase();
            assert!(fits(pattern, &words_of(&words)), "{sample}");
            assert!(is_elision(sample), "{sample}");
            assert!(!is_elision(&format!("{sample} which is why it stays so")), "{sample}");
        }
    }

    #[test]
    fn dots_that_are_code_or_prose() {
        for line in [
            "...",
            "    ...",
            "def f(self) -> None: ...",
            "let all = [...first, ...rest];",
            "f(...args)",
            "// Waits a little... then tries again.",
            "// ... which is why the cache is cleared first.",
            "// The rest of the line is a comment.",
            "// Existing files are kept.",
            "case 1...5:",
            "fmt.Println(\"...\")",
            "# remaining seats, never negative",
            "void log(const char *format, ...);",
            "x = 1  # unchanged",
            " * ...",
            "0..rest.len()",
            "// unchanged files are skipped",
            "// keep the rest of the bits",
            "# TODO: keep",
            "[rest, of, function]",
            "[unchanged.len()]",
            "// same as above",
            "// Existing logic errors are kept",
            "// leave room for the rest",
            "// The remaining lines are read one by one",
        ] {
            assert!(!is_elision(line), "{line}");
        }
    }

    #[test]
    fn only_new_lines_count() {
        assert!(elision("// ...\na\n", "    // ...\nb\n").is_ok());
        assert!(elision("a\n", "a\n// ... rest\n").is_ok());
        assert_eq!(elision("a\n", "// ...\na\n").map_err(|refusal| refusal.code()), Err("elision"));
    }
}
