//! Garbled characters must not replace those of the file.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::changed::runs;
use crate::edit::locate::entities;
use crate::edit::{Edit, Refusal, line};
use crate::text::counts;

/// The character that a decoder writes for bytes that it cannot read.
const LOST: char = '\u{fffd}';

/// Refuses edits that write a character of an old line as its bytes in another encoding, as an entity, or as
/// unreadable.
///
/// A line loses a non-ASCII character, and gains U+FFFD, or the two to four characters that the UTF-8 bytes of
/// the lost one are in Windows-1252: `Ã©` for `é`. Or its word has a question mark for each of them.
/// Or it loses one of the signs that HTML [escapes](escaped).
///
/// The error is [`Refusal::Garbled`] with the line.
pub(super) fn garbled(before: &str, edits: &[Edit]) -> Result<(), Refusal> {
    let is_odd = |edit: &Edit| {
        edit.text.contains(|sign| sign == LOST || LEADS.contains(&sign))
            || edit.text.contains(['?', '&']) && !before[edit.span.clone()].is_ascii()
    };
    // An edit may begin behind the `&` of an entity.
    const ENDS: [&str; 7] = ["lt;", "gt;", "amp;", "quot;", "#39;", "#x27;", "apos;"];
    let is_escaped = |edit: &Edit| edit.text.contains(';') && ENDS.iter().any(|end| edit.text.contains(end));
    if !edits.iter().any(|edit| is_odd(edit) || is_escaped(edit)) {
        return Ok(());
    }
    // These look at the whole text, and the edits may have many runs.
    let has_entity = LazyCell::new(|| entity(before).is_some());
    let is_escaped_there = LazyCell::new(|| entities(before).is_some());
    for run in runs(before, edits) {
        if let Some(line) = escaped(run.old, &run.new).filter(|_| !*is_escaped_there) {
            return Err(Refusal::Garbled { line: line.trim().to_owned() });
        }
        let [old, new] = [run.old, &run.new].map(|text| counts(text.chars().filter(|sign| !sign.is_ascii())));
        let times = |of: &HashMap<char, usize>, sign: char| of.get(&sign).copied().unwrap_or_default();
        let more = |sign: char| times(&new, sign) > times(&old, sign);
        let gains = |odd: &String| {
            odd.chars().next().is_some_and(more)
                && run.new.matches(odd.as_str()).count() > run.old.matches(odd.as_str()).count()
        };
        // The misread bytes of a character may contain that character: `Â©`.
        let is_lost = |sign: char| {
            let odd = misread(sign);
            let within = if odd.contains(sign) { run.new.matches(&odd).count() } else { 0 };
            times(&new, sign).saturating_sub(within) < times(&old, sign)
        };
        let lost: Vec<char> = old.keys().copied().filter(|sign| is_lost(*sign)).collect();
        let odd = lost.iter().flat_map(|sign| [misread(*sign), LOST.to_string()]).find(gains);
        let entity = || entity(&run.new).filter(|_| !lost.is_empty() && !*has_entity);
        let odd = odd.or_else(|| entity().map(str::to_owned)).or_else(|| questioned(run.old, &run.new));
        if let Some(odd) = odd {
            let line = line::split_iter(&run.new).find(|line| line.contains(&odd)).unwrap_or_default();
            return Err(Refusal::Garbled { line: line.trim().to_owned() });
        }
    }
    Ok(())
}

/// The first new line that has a sign of an old one as an entity of HTML: `a &lt; b` for `a < b`.
///
/// If nothing else changes, the line is to be escaped.
fn escaped<'n>(old: &str, new: &'n str) -> Option<&'n str> {
    const SIGNS: [char; 5] = ['<', '>', '&', '"', '\''];
    if entities(new)?.trim() == old.trim() {
        return None;
    }
    let counts = |text: &str| SIGNS.map(|sign| text.matches(sign).count());
    let (was, bare) = (counts(old), counts(&without_entities(new)));
    line::split_iter(new).find(|line| {
        let Some(resolved) = entities(line) else { return false };
        let (meant, kept) = (counts(&resolved), counts(&without_entities(line)));
        (0..SIGNS.len()).any(|at| meant[at] > kept[at] && was[at] > bare[at])
    })
}

/// A text without its HTML entities.
fn without_entities(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('&') {
        let end = at + entity_at(&rest[at..]).map_or(0, str::len);
        kept.push_str(&rest[..at]);
        if end == at {
            kept.push('&');
        }
        rest = &rest[end.max(at + 1)..];
    }
    kept + rest
}

/// The first HTML entity of a text: `&szlig;`, `&#223;`.
fn entity(text: &str) -> Option<&str> {
    text.match_indices('&').find_map(|(at, _)| entity_at(&text[at..]))
}

/// The HTML entity that a text with `&` at its start begins with.
fn entity_at(text: &str) -> Option<&str> {
    let rest = &text[1..];
    let end = rest.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '#')?;
    (end > 1 && rest[end..].starts_with(';')).then(|| &text[..end + 2])
}

/// The first word of an old text that its new text has with question marks for the non-ASCII characters.
///
/// A word of only such characters may have one for each of its bytes.
fn questioned(old: &str, new: &str) -> Option<String> {
    let words = |text| -> Vec<String> {
        let words = str::split(text, |sign: char| !sign.is_alphanumeric() && sign != '?');
        words.map(shortened).collect()
    };
    let (all, new) = (words(old), words(new));
    let (was, is) = (counts(&all), counts(&new));
    let gains = |word: &String| is.get(word) > was.get(word);
    let loses = |word: &String| is.get(word) < was.get(word);
    all.iter().filter(|word| !word.is_ascii() && loses(word)).find_map(|word| {
        let odd: String = word.chars().map(|sign| if sign.is_ascii() { sign } else { '?' }).collect();
        let odd = shortened(&odd);
        (odd.len() > 1 && gains(&odd)).then_some(odd)
    })
}

/// A word, with several question marks and nothing else shortened to two.
fn shortened(word: &str) -> String {
    if word.len() > 1 && word.bytes().all(|byte| byte == b'?') { "??".to_owned() } else { word.to_owned() }
}

/// The first UTF-8 bytes of non-ASCII characters, as Windows-1252 decodes them.
const LEADS: RangeInclusive<char> = '\u{c2}'..='\u{f4}';

/// The UTF-8 bytes of a character, decoded as Windows-1252.
fn misread(sign: char) -> String {
    /// That encoding from 0x80 to 0x9F; unassigned bytes are Latin-1's control characters.
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
    fn signs_that_are_their_own_last_byte() {
        check("// © me\na()\n", "// Â© me\nb()\n", false);
        check("// © me\n", "// © you\n", true);
    }

    #[test]
    fn signs_as_entities_and_questions() {
        check("x = \"groß\"\n", "x = \"gro&szlig;\"\n", false);
        check("x = \"groß\"\n", "x = \"gro&#223;\"\n", false);
        check("<p>groß &amp; klein</p>\n", "<p>gro&szlig; &amp; klein</p>\n", true);
        check("x = \"groß\"\n", "x = a & b;\n", true);
        check("x = \"日本語\"\n", "x = \"???\"\n", false);
        check("x = \"Größe\"\n", "y = \"Gr??e\"\n", false);
        check("x = \"日本語\"\n", "x = \"?????????\"\n", false);
        check("x = \"é\"\n", "x = a ? b : c\n", true);
        check("x = \"日本語?\"\n", "x = \"why?\"\n", true);
    }

    #[test]
    fn signs_that_html_escapes() {
        check("ok = n < m;\n", "ok = n &lt; m - 1;\n", false);
        check("if (a && b) {\n", "if (a &amp;&amp; c) {\n", false);
        check("a: List<Int>\nb()\n", "a: List&lt;Long&gt;\nb()\n", false);
        check("x = \"a\";\n", "x = &quot;b&quot;;\n", false);
        // What is escaped on purpose, or is in a file that has entities.
        check("x = \"<b>\"\n", "x = \"&lt;b&gt;\"\n", true);
        check("<p>a &lt; b</p>\n<p>a > c</p>\n", "<p>a &lt; b</p>\n<p>a &gt; d</p>\n", true);
        check("x = a & y;\n", "x = a & lt; z;\n", true);
        // A reference is not an entity of HTML.
        check("p = &a;\nok = n < m;\n", "p = &a;\nok = n &lt; k;\n", false);
        check("a < b\n", "a < b\nreplace(\"<\", \"&lt;\")\n", true);
        check("f(a)\n", "f(\"&lt;\")\n", true);
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
