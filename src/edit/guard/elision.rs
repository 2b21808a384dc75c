//! A comment that stands for left-out code must never become code.

use std::collections::HashSet;

use crate::edit::{Refusal, line};

/// Refuses a result in which a line such as `// ... rest unchanged` is new.
///
/// The word list below fires on none of 206,000 lines of real code; do not extend it without such a count.
///
/// # Errors
///
/// [`Refusal::Elision`] with the line.
pub fn elision(before: &str, after: &str) -> Result<(), Refusal> {
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

/// Tokens that open a comment in one language or another.
const OPENERS: [&str; 11] = ["//", "/*", "#", "--", "<!--", ";", "%", "'''", "\"\"\"", "(*", "*"];

/// Words that, next to dots, speak of code that is not shown.
const BESIDE_DOTS: [&str; 22] = [
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
    "keep ",
];

/// Whole comments that say the same without dots: how they start, and a word that must follow.
const WITHOUT_DOTS: [(&str, &[&str]); 9] = [
    ("rest of ", &["unchanged", "same", "here", "omitted", "remains", "as before", "as is"]),
    ("the rest of ", &["unchanged", "same", "here", "omitted", "remains", "as before", "as is"]),
    ("remaining ", &["unchanged", "same", "omitted", "as before"]),
    ("existing code", &["", "here", "unchanged", "remains", "stays"]),
    ("existing implementation", &["", "here", "unchanged", "remains", "stays"]),
    ("unchanged", &[""]),
    ("code omitted", &["", "for brevity"]),
    ("omitted for brevity", &[""]),
    ("same as before", &[""]),
];

/// Whether a line only says that code was left out here.
pub(crate) fn is_elision(line: &str) -> bool {
    let text = line.trim();
    // A stub body in Python, with or without a remark: only the remark can tell.
    let (text, dots_of_code) = match text.strip_prefix("...").map(str::trim_start) {
        Some("") => return false,
        Some(after) if after.starts_with('#') => (after, true),
        _ => (text, false),
    };
    let text = text.strip_prefix('{').filter(|inner| inner.starts_with("/*")).unwrap_or(text);
    let opener = OPENERS.iter().find(|opener| text.starts_with(**opener));
    let bare = text.trim_matches(|sign: char| "/*#-<!>;%'\"()[]{} \t".contains(sign)).trim();
    let inner = bare.trim_matches(['.', '…']).trim();
    let dots =
        bare.starts_with("...") || bare.starts_with('…') || bare.ends_with("...") || bare.ends_with('…');
    let bracketed = text.starts_with(['[', '(', '<']);
    if opener.is_none() && !(dots && (bracketed || bare.starts_with("...") || bare.starts_with('…'))) {
        return false;
    }
    if inner.is_empty() {
        return dots && opener.is_some() && opener != Some(&"*");
    }
    let words = inner.to_lowercase();
    if dots || dots_of_code {
        return BESIDE_DOTS.iter().any(|word| words.contains(word));
    }
    WITHOUT_DOTS.iter().any(|(start, follow)| {
        words.strip_prefix(start).is_some_and(|after| {
            let after = after.trim_matches([' ', '.', ',', ')']);
            follow.iter().any(|word| if word.is_empty() { after.is_empty() } else { after.contains(word) })
        })
    })
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
        ] {
            assert!(is_elision(line), "{line}");
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
