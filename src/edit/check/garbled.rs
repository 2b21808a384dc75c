//! Signs that were lost on the way must not take the place of those that the file has.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::changed::runs;
use crate::edit::{Edit, Refusal, line};

/// What a decoder writes for bytes that it cannot read.
const LOST: char = '\u{fffd}';

/// Refuses edits that write a sign of an old line as its bytes in another encoding, or as unreadable.
///
/// A line loses a sign outside of ASCII, and gains U+FFFD, or the two to four signs that the bytes of the
/// lost one are in Windows' Latin code page: `Ã©` for `é`.
///
/// # Errors
///
/// [`Refusal::Garbled`] with the line.
pub(super) fn garbled(before: &str, edits: &[Edit]) -> Result<(), Refusal> {
    if !edits.iter().any(|edit| edit.text.contains(|sign| sign == LOST || LEADS.contains(&sign))) {
        return Ok(());
    }
    for run in runs(before, edits) {
        let (old, new) = (counts(run.old), counts(&run.new));
        let times = |of: &HashMap<char, usize>, sign: char| of.get(&sign).copied().unwrap_or_default();
        let more = |sign: char| times(&new, sign) > times(&old, sign);
        let gains = |odd: &String| {
            odd.chars().next().is_some_and(more)
                && run.new.matches(odd.as_str()).count() > run.old.matches(odd.as_str()).count()
        };
        let lost = old.keys().filter(|sign| times(&new, **sign) < times(&old, **sign));
        let odd = lost.flat_map(|sign| [misread(*sign), LOST.to_string()]).find(gains);
        if let Some(odd) = odd {
            let line = line::split_iter(&run.new).find(|line| line.contains(&odd)).unwrap_or_default();
            return Err(Refusal::Garbled { line: line.trim().to_owned() });
        }
    }
    Ok(())
}

/// How often a text has each sign outside of ASCII.
fn counts(text: &str) -> HashMap<char, usize> {
    let mut counts = HashMap::new();
    text.chars().filter(|sign| !sign.is_ascii()).for_each(|sign| *counts.entry(sign).or_default() += 1);
    counts
}

/// The first bytes of signs outside of ASCII, as Windows' Latin code page has them.
const LEADS: RangeInclusive<char> = '\u{c2}'..='\u{f4}';

/// The bytes of a sign as a reader of Windows' Latin code page has them.
fn misread(sign: char) -> String {
    /// What that page has from 0x80 to 0x9F; where it has nothing, the control that Latin-1 has there.
    const PAGE: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    let mut bytes = [0; 4];
    let bytes = sign.encode_utf8(&mut bytes).bytes();
    bytes
        .map(|byte| if (0x80..0xa0).contains(&byte) { PAGE[usize::from(byte) - 0x80] } else { byte.into() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::diff;

    #[track_caller]
    fn check(before: &str, after: &str, is_sound: bool) {
        let judged = garbled(before, &diff::minimal(before, after));
        assert_eq!(judged.is_ok(), is_sound, "{before} to {after}: {judged:?}");
    }

    #[test]
    fn signs_in_another_encoding() {
        for (sign, odd) in
            [('é', "Ã©"), ('–', "â€“"), ('’', "â€™"), ('ß', "ÃŸ"), ('𝄞', "ð\u{9d}„ž"), ('ж', "Ð¶")]
        {
            assert_eq!(misread(sign), odd);
            for odd in [odd, "\u{fffd}"] {
                let (old, new) = (format!("x = \"a{sign}b\"\ny\n"), format!("x = \"a{odd}b\"\nz\n"));
                check(&old, &new, false);
                check(&new, &old, true);
                check(&new, &new.replace('x', "w"), true);
            }
        }
    }

    #[test]
    fn signs_that_are_meant() {
        check("x = \"é\"\n", "x = \"è\"\n", true);
        check("x = \"a\"\n", "x = \"Ã©\"\n", true);
        check("x = \"a\"\n", "x = \"\u{fffd}\"\n", true);
        check("x = \"é\"\n", "x = \"é\"\ny = \"\u{fffd}\"\n", true);
        check("ü\n", "Übung\n", true);
    }
}
