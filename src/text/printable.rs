//! Makes foreign texts (of servers, models, files, file names) safe to show to users.
//!
//! A terminal obeys escape sequences, and every display obeys bidirectional controls: shown raw, such a text can
//! hide its content or the text around it. Here such characters are made visible, as `\u{1b}`.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

/// Text on one line without control, line-end, bidirectional or invisible characters.
///
/// It is made by [`printable`] alone, so the type guarantees this.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Printable(String);

impl Printable {
    /// Truncates the text to at most so many characters.
    #[must_use]
    pub fn shortened(mut self, characters: usize) -> Self {
        if let Some((end, _)) = self.0.char_indices().nth(characters) {
            self.0.truncate(end);
        }
        self
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<&str> for Printable {
    fn from(text: &str) -> Self {
        Self(printable(text).into_owned())
    }
}

impl From<String> for Printable {
    fn from(text: String) -> Self {
        match printable(&text) {
            Cow::Borrowed(_) => Self(text),
            Cow::Owned(shown) => Self(shown),
        }
    }
}

impl Deref for Printable {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Printable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Printable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// Makes a text printable on one line: line ends are escaped as well.
pub fn printable(text: &str) -> Cow<'_, str> {
    shown(text, |it, _| it != '\t' && hides(it))
}

/// Makes a text printable, keeping its lines.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    shown(text, |it, rest| match it {
        '\t' | '\n' => false,
        '\r' => !rest.starts_with('\n'),
        it => hides(it),
    })
}

/// Escapes the characters for which `is_wrong` holds, given the text behind each.
fn shown(text: &str, is_wrong: impl Fn(char, &str) -> bool) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut done = 0;
    for (at, it) in text.char_indices() {
        let next = at + it.len_utf8();
        if is_wrong(it, &text[next..]) {
            shown.push_str(&text[done..at]);
            shown.extend(it.escape_default());
            done = next;
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[done..]);
    Cow::Owned(shown)
}

/// Whether a character has an effect instead of a glyph: C0 and C1 controls, bidirectional controls, Unicode line
/// ends, and zero-width characters. Joiners are not included: scripts and emoji need them.
fn hides(it: char) -> bool {
    it.is_control()
        || matches!(it,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_acts_is_made_visible_and_the_rest_stays() {
        for (text, line, lines) in [
            ("plain, ü, 你好, 👩‍💻\tfour", "plain, ü, 你好, 👩‍💻\tfour", "plain, ü, 你好, 👩‍💻\tfour"),
            ("\x1b]0;title\x07", r"\u{1b}]0;title\u{7}", r"\u{1b}]0;title\u{7}"),
            ("\u{9b}2J\x7f", r"\u{9b}2J\u{7f}", r"\u{9b}2J\u{7f}"),
            ("a\u{202e}b\u{2066}c", r"a\u{202e}b\u{2066}c", r"a\u{202e}b\u{2066}c"),
            ("a\r\nb\nc\rd\u{2028}e", r"a\r\nb\nc\rd\u{2028}e", "a\r\nb\nc\\rd\\u{2028}e"),
            ("\u{feff}a\u{200b}", r"\u{feff}a\u{200b}", r"\u{feff}a\u{200b}"),
        ] {
            assert_eq!(printable(text), line);
            assert_eq!(printable_lines(text), lines);
        }
    }

    #[test]
    fn a_shortened_text_is_cut_between_characters() {
        assert_eq!(&*Printable::from("äöü").shortened(2), "äö");
        assert_eq!(&*Printable::from("äöü").shortened(3), "äöü");
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        #[test]
        fn nothing_that_acts_is_left(text in any::<String>()) {
            let line = printable(&text);
            prop_assert!(line.chars().all(|it| it == '\t' || !hides(it)));
            prop_assert_eq!(printable(&line), line.as_ref(), "what is shown shows as it is");
            let lines = printable_lines(&text);
            prop_assert!(lines.replace("\r\n", "\n").chars().all(|it| matches!(it, '\t' | '\n') || !hides(it)));
        }
    }
}
