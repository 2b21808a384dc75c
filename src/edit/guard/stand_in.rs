//! A comment that stands where code was, and speaks of it.

use std::collections::HashSet;

use similar::DiffTag;

use super::elision::{OPENERS, fits, words_of};
use crate::edit::{Refusal, diff, line};

/// So many lines that are gone make such a comment a stand-in for them.
const FEW: usize = 2;

/// Whole comments that are sound in most places.
///
/// A word may be one of several (`a|b`), may be left out (`a?`), and `*` is up to five words.
const COMMENTS: [&str; 9] = [
    "exactly? the? same as above|below|before|previously|original",
    "as before|above|is",
    "snip|snipped|etc|unmodified|untouched",
    "the? previous|prior|old|original code|body|implementation|logic|lines here?",
    "the? function|method|class|loop? body|implementation|logic|code is|remains|stays? the? same|unchanged|untouched",
    "the|all? remaining|other|following|rest lines|code|body|methods|functions|cases? is|are|remain|stay not? changed|modified|touched|same",
    "the? rest of the|this? * not changed|modified|touched",
    "no further|other|more changes|edits",
    "and so on",
];

/// Refuses a result in which a comment takes the place of lines of code.
///
/// Such is `// same as above`.
///
/// # Errors
///
/// [`Refusal::Elision`] with the comment.
pub fn stand_in(before: &str, after: &str) -> Result<(), Refusal> {
    if !line::split_iter(after).any(speaks_of_code) {
        return Ok(());
    }
    let lines = |text| line::split_iter(text).map(str::trim).filter(|line| !line.is_empty()).collect();
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(before), lines(after));
    let known: HashSet<&str> = old.iter().copied().collect();
    for op in diff::ops(&old, &new) {
        let gone = old[op.old_range()].iter().filter(|line| line.contains(char::is_alphanumeric)).count();
        if op.tag() == DiffTag::Replace
            && gone >= FEW
            && let Some(line) =
                new[op.new_range()].iter().find(|it| speaks_of_code(it) && !known.contains(*it))
        {
            return Err(Refusal::Elision { line: (*line).to_owned() });
        }
    }
    Ok(())
}

fn speaks_of_code(line: &str) -> bool {
    let text = line.trim();
    if !OPENERS.iter().any(|opener| text.starts_with(opener)) {
        return false;
    }
    let said = text.trim_matches(|sign: char| "/*#-<!>;%\"()[]{} \t.".contains(sign)).to_lowercase();
    let said = words_of(&said);
    COMMENTS.iter().any(|pattern| fits(pattern, &said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, is_sound: bool) {
        let judged = stand_in(before, after);
        assert_eq!(judged.is_ok(), is_sound, "{before} to {after}: {judged:?}");
    }

    #[test]
    fn comments_in_the_place_of_code() {
        for words in [
            "same as above",
            "as before",
            "snip",
            "previous code",
            "implementation stays the same",
            "the remaining lines are not changed",
            "the rest of it is not modified",
            "No further changes.",
        ] {
            let after = format!("f {{\n    b();\n    // {words}\n}}\n");
            check("f {\n    a();\n    c();\n    d();\n}\n", &after, false);
            check("f {\n    a();\n}\n", &after, true);
            check("f {\n}\n", &after, true);
        }
    }

    #[test]
    fn comments_that_say_more() {
        let before = "f {\n    a();\n    c();\n    d();\n}\n";
        check(before, "f {\n    // same as above, but slower\n    g();\n}\n", true);
        check(before, "f {\n    // the previous code was slow\n    g();\n}\n", true);
        check(&format!("// snip\n{before}"), "// snip\nf {\n    g();\n    // snip\n}\n", true);
    }
}
