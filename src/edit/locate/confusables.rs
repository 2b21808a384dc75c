//! Folds look-alike characters, for searching only: folded text is never written.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

/// Returns the text with look-alike characters replaced by plain ones.
///
/// Typographic quotes, dashes and spaces become plain ones, zero-width characters are dropped, and letters are
/// composed.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(text);
    let mut folded = String::with_capacity(composed.len());
    for letter in composed.chars() {
        match plain(letter) {
            Some(plain) => folded.push_str(plain),
            None => folded.push(letter),
        }
    }
    Cow::Owned(folded)
}

/// The plain form of a character, if it has another one.
pub(crate) fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' => "'",
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => "-",
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => " ",
        '\u{2026}' => "...",
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => "",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_look_alike() {
        assert_eq!(fold("“don’t” – a\u{a0}b\u{200b}…"), "\"don't\" - a b...");
        assert_eq!(fold("e\u{301}"), "é");
        assert!(matches!(fold("plain"), Cow::Borrowed("plain")));
    }
}
