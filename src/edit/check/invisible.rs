//! Invisible characters must not be added: they can make code read otherwise than it runs.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

use super::changed::runs;
use crate::budget;
use crate::edit::{Edit, Refusal, apply, diff, line};

/// The number of bytes that are compared at the cost of one unit.
const BYTES_A_UNIT: usize = 64;

/// Refuses edits that add an invisible character to a line.
///
/// Each new line must occur in the old text, or one of the old lines that it replaces must have all its
/// invisible characters and change the text direction by the same ones.
///
/// # Errors
///
/// [`Refusal::Invisible`] with the first such character.
pub fn invisible(before: &str, edits: &[Edit]) -> Result<(), Refusal> {
    // Nearly every edit involves no such character.
    let is_plain =
        |edit: &Edit| signs(&edit.text).next().is_none() && !before[edit.span.clone()].contains(turns);
    if edits.iter().all(is_plain) {
        return Ok(());
    }
    let lines = LazyCell::new(|| line::split_iter(before).map(line::body).collect::<HashSet<_>>());
    // The fewer old lines a new one replaces, the fewer characters count as known.
    for run in runs(before, &diff::minimal(before, &apply(before, edits))) {
        // Lines with the same invisible characters get the same result.
        let mut judged: HashMap<String, Option<char>> = HashMap::new();
        for new in line::split_iter(&run.new) {
            let of_new: String = signs(new).collect();
            let Some(first) = of_new.chars().next() else { continue };
            let judge = || {
                budget::charge(run.old.len() / BYTES_A_UNIT);
                let mut unknown = line::split_iter(run.old).map(|old| unknown_sign(&of_new, old));
                let first_old = unknown.next();
                let is_known = first_old == Some(None) || unknown.any(|unknown| unknown.is_none());
                if is_known { None } else { Some(first_old.flatten().unwrap_or(first)) }
            };
            let unknown = *judged.entry(of_new.clone()).or_insert_with(judge);
            if let Some(sign) = unknown.filter(|_| !lines.contains(line::body(new))) {
                return Err(Refusal::Invisible { sign });
            }
        }
    }
    Ok(())
}

/// The first invisible character of a new line that an old line lacks, or that turns its text otherwise.
fn unknown_sign(new: &str, old: &str) -> Option<char> {
    let turning = |line: &str| signs(line).filter(|sign| turns(*sign)).collect::<Vec<_>>();
    let of_new: Vec<char> = new.chars().filter(|sign| turns(*sign)).collect();
    let unknown = new.chars().find(|sign| !old.contains(*sign));
    unknown.or_else(|| of_new.first().copied().filter(|_| of_new != turning(old)))
}

/// The invisible characters of a text.
pub(crate) fn signs(text: &str) -> impl Iterator<Item = char> {
    let mut above = ' ';
    text.chars().filter(move |sign| {
        let on = std::mem::replace(&mut above, *sign);
        // A variation selector is visible in the style of the character before it: `⚠️`.
        let is_style = matches!(sign, '\u{fe0e}' | '\u{fe0f}') && !on.is_whitespace() && !is_invisible(on);
        is_invisible(*sign) && !is_style
    })
}

/// Whether a character is invisible.
///
/// These are Unicode's control and format characters except for tabs, line ends, and the few format characters
/// that are drawn (U+0600 to U+0605 and similar); also characters of other categories that are drawn as
/// nothing.
fn is_invisible(sign: char) -> bool {
    match sign {
        '\t' | '\n' | '\r' => false,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        // Tags, and variation selectors: text can be hidden in either.
        '\u{e0000}'..='\u{e0fff}' | '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180f}' => true,
        // Joiners and fillers that count as letters, and line ends that editors do not show as such.
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' => true,
        '\u{2028}' | '\u{2029}' => true,
        _ => sign.is_control(),
    }
}

/// Whether a character changes the direction of the text behind it.
fn turns(sign: char) -> bool {
    matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: Option<char>) {
        let refused = invisible(before, &diff::minimal(before, after)).err();
        assert_eq!(refused, expected.map(|sign| Refusal::Invisible { sign }), "{before:?} to {after:?}");
        let whole = invisible(before, &[Edit::new(0..before.len(), after)]).is_err();
        assert_eq!(whole, expected.is_some(), "{before:?} to {after:?} as a whole");
    }

    #[test]
    fn signs_that_come_in() {
        for sign in [
            '\u{202e}',
            '\u{2066}',
            '\u{200f}',
            '\u{200b}',
            '\u{200d}',
            '\u{feff}',
            '\u{ad}',
            '\u{1b}',
            '\u{7}',
            '\0',
            '\u{c}',
            '\u{7f}',
            '\u{9b}',
            '\u{2028}',
            '\u{3164}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{fe01}',
            '\u{2060}',
            '\u{206a}',
        ] {
            check("a = 1\nb = 2\n", &format!("a = 1\nb = \"{sign}x\"\n"), Some(sign));
            check("a\n", &format!("a\n{sign}b\n"), Some(sign));
            check("", &format!("b{sign}\n"), Some(sign));
        }
    }

    #[test]
    fn signs_that_were_there() {
        for (before, after) in [
            ("\u{feff}a = 1\n", "\u{feff}a = 2\n"),
            ("f(\"👨\u{200d}👩\")\n", "g(\"👨\u{200d}👩\")\n"),
            ("f(\"👨\u{200d}👩\")\n", "f(\"👨\u{200d}👩\", \"👩\u{200d}👧\")\n"),
            ("f('\u{1b}[1m')\n", "f('\u{1b}[1m', '\u{1b}[0m')\n"),
            ("x\u{c}\na\n", "a\nx\u{c}\n"),
            ("// \u{2067}שלום\u{2069}\nx\n", "// \u{2067}שלום\u{2069}!\ny\n"),
            ("a\u{200b}b\n", "ab\n"),
        ] {
            check(before, after, None);
        }
    }

    #[test]
    fn signs_of_another_line_or_turned_otherwise() {
        check("a\u{200b}\nb\nc\n", "a\u{200b}\nb\nc\u{200b}\n", Some('\u{200b}'));
        check("\"\u{2067}x\u{2069}\"\n", "\"\u{2067}x\"\n", Some('\u{2067}'));
        check("\"\u{2067}x\u{2069}\"\n", "\"x\u{2069}\u{2067}\"\n", Some('\u{2069}'));
    }

    #[test]
    fn what_can_be_seen() {
        for text in
            ["\ta\r\nb\rc\n", "“é” – …\n", "⚠️ ❤︎\n", "\u{a0}\u{3000}\n", "سلام ۱۲\u{600}\n", "e\u{301}\n"]
        {
            check("a\n", text, None);
        }
        check("a\n", "a\u{fe0f}\u{fe0f}\n", Some('\u{fe0f}'));
        check("a\n", "\u{fe0f}a\n", Some('\u{fe0f}'));
    }
}
