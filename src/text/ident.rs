//! Identifiers: the characters they consist of, and the words of a text.
//!
//! These functions are independent of the language: a word is a run of letters, digits and `_`, of any script. A `$`
//! belongs to names in some languages but not in others, so functions that include it have it in their name.

use std::ops::Range;

/// Whether a character can be part of a word: a letter, a digit or `_`.
#[inline]
pub fn is_part(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

/// As [`is_part`], with `$`.
#[inline]
pub fn is_part_or_dollar(letter: char) -> bool {
    letter == '$' || is_part(letter)
}

/// Whether a text is one word that does not begin with a digit.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(char::is_numeric) && text.chars().all(is_part)
}

/// The words of a text, including numbers.
pub fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|letter| !is_part(letter)).filter(|word| !word.is_empty())
}

/// The words of a text that do not begin with a digit.
pub fn names(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    words(text).filter(|word| !word.starts_with(char::is_numeric))
}

/// The words of a text, including `$`, each with the byte offset of its end.
pub fn words_with_dollars(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = find_part_or_dollar(text, at, true)?;
        at = find_part_or_dollar(text, start, false).unwrap_or(text.len());
        Some((at, &text[start..at]))
    })
}

/// [`is_part_or_dollar`] of each ASCII character.
const ASCII_PARTS: [bool; 0x80] = {
    let (mut parts, mut byte) = ([false; 0x80], 0);
    while byte < parts.len() {
        let letter = byte as u8;
        parts[byte] = letter.is_ascii_alphanumeric() || letter == b'_' || letter == b'$';
        byte += 1;
    }
    parts
};

/// The byte offset of the first character from `at` on for which [`is_part_or_dollar`] is `wanted`.
///
/// The index reads all words of a file after each pause, so ASCII is not decoded.
#[inline]
fn find_part_or_dollar(text: &str, mut at: usize, wanted: bool) -> Option<usize> {
    while let Some(&byte) = text.as_bytes().get(at) {
        let (is_part, bytes) = match ASCII_PARTS.get(usize::from(byte)) {
            Some(is_part) => (*is_part, 1),
            None => {
                let letter = text[at..].chars().next()?;
                (is_part_or_dollar(letter), letter.len_utf8())
            }
        };
        if is_part == wanted {
            return Some(at);
        }
        at += bytes;
    }
    None
}

/// The partial word at the end of a text.
pub fn last_partial(text: &str) -> &str {
    &text[text.trim_end_matches(is_part).len()..]
}

/// The partial word at the beginning of a text.
pub fn first_partial(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(is_part).len()]
}

/// The byte range of the word around a byte of a text; empty if there is none.
pub fn around(text: &str, byte: usize) -> Range<usize> {
    let (before, after) = text.split_at_checked(byte).unwrap_or((text, ""));
    before.len() - last_partial(before).len()..before.len() + first_partial(after).len()
}

/// The byte offsets at which `words` occurs in a text, except as part of longer words.
pub fn occurrences<'a>(text: &'a str, words: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(words).map(|(at, _)| at).filter(move |at| {
        let (before, after) = (&text[..*at], &text[at + words.len()..]);
        let open = words.starts_with(is_part) && before.ends_with(is_part);
        let close = words.ends_with(is_part) && after.starts_with(is_part);
        !open && !close
    })
}

/// Whether a text has a letter, a digit or an underscore.
pub fn has_part(text: &str) -> bool {
    text.contains(is_part)
}

/// Whether `words` occurs in a text, except as part of longer words.
pub fn has_word(text: &str, words: &str) -> bool {
    occurrences(text, words).next().is_some()
}

/// The byte ranges of the tokens of a text: words, and single other characters that are not white space.
pub fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut tokens: Vec<Range<usize>> = Vec::new();
    let mut is_in_word = false;
    for (at, letter) in text.char_indices() {
        let end = at + letter.len_utf8();
        match tokens.last_mut() {
            Some(last) if is_in_word && is_part(letter) => last.end = end,
            _ if letter.is_whitespace() => {}
            _ => tokens.push(at..end),
        }
        is_in_word = is_part(letter);
    }
    tokens
}

/// A part of a word, and its byte offset in the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    /// The byte offset of the part in the word.
    pub start: usize,
    /// The part itself.
    pub text: &'a str,
}

impl Part<'_> {
    /// The byte offset of the part's end in the word.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Splits a word at underscores, capitals and digits.
///
/// `set_maxWidth2` has the parts `set`, `max`, `Width` and `2`.
pub fn parts(word: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut previous = '_';
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let before_small = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
        let begins = previous == '_'
            || c == '_'
            || (c.is_uppercase() && (!previous.is_uppercase() || before_small))
            || c.is_numeric() != previous.is_numeric();
        if begins {
            if previous != '_' {
                parts.push(Part { start, text: &word[start..at] });
            }
            start = at;
        }
        previous = c;
    }
    if previous != '_' {
        parts.push(Part { start, text: &word[start..] });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_digits_and_underscores() {
        let text = "größe_1(x2, 3 + $y) 猫";
        assert_eq!(words(text).collect::<Vec<_>>(), ["größe_1", "x2", "3", "y", "猫"]);
        assert_eq!(names(text).collect::<Vec<_>>(), ["größe_1", "x2", "y", "猫"]);
        let with_dollars: Vec<_> = words_with_dollars(text).collect();
        assert_eq!(with_dollars, [(9, "größe_1"), (12, "x2"), (15, "3"), (20, "$y"), (25, "猫")]);
    }

    #[test]
    fn table_of_ascii_is_right() {
        for byte in 0..0x80_u8 {
            assert_eq!(ASCII_PARTS[usize::from(byte)], is_part_or_dollar(char::from(byte)), "{byte}");
        }
    }

    #[test]
    fn names_are_one_word_without_a_digit_first() {
        assert!(is_name("_a1") && is_name("été"));
        assert!(!is_name("") && !is_name("1a") && !is_name("a b") && !is_name("a.b"));
    }

    #[test]
    fn word_around_a_byte_reaches_both_ways() {
        let check = |byte: usize, expected: &str| assert_eq!(&"é.föö(x)"[around("é.föö(x)", byte)], expected);
        check(3, "föö");
        check(6, "föö");
        check(8, "föö");
        check(9, "x");
        check(11, "");
        assert_eq!(around("é", 1), 0..2, "a byte inside a character counts as the end");
    }

    #[test]
    fn occurrences_are_whole_words() {
        let found = |words: &str| occurrences("a ab a.b(a) a_", words).collect::<Vec<_>>();
        assert_eq!(found("a"), [0, 5, 9]);
        assert_eq!(found("a.b"), [5]);
        assert_eq!(found("(a"), [8]);
    }

    #[test]
    fn parts_follow_case_digits_and_underscores() {
        let check = |word: &str, expected: &[&str]| {
            let found = parts(word);
            assert_eq!(found.iter().map(|part| part.text).collect::<Vec<_>>(), expected);
            assert!(found.iter().all(|part| &word[part.start..part.end()] == part.text));
        };
        check("set_maxWidth2", &["set", "max", "Width", "2"]);
        check("HTTPServer", &["HTTP", "Server"]);
        check("__x__", &["x"]);
        check("_", &[]);
    }
}
