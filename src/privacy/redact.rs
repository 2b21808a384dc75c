//! Removes probable keys from the text that is sent, and restores them in the reply.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use zeroize::Zeroizing;

use super::kind::TextKind;
use super::known::Known;
use super::secrets::find_in;
use crate::text::ident;

/// The secrets removed from a request's texts.
///
/// Each secret has the same placeholder, `REDACTED_1` and so on, in all of them.
#[derive(Clone, Default)]
pub struct Redaction {
    stem: String,
    taken: Vec<(&'static str, Zeroizing<String>)>,
    /// Indexes in `taken`, by the hash of the secret.
    places: HashMap<u64, Vec<usize>>,
    hashes: RandomState,
}

/// An answer contains a placeholder that cannot be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the answer garbles something that looks like a key and was withheld from the model")]
pub struct GarbledPlaceholder;

/// Shows kinds only: the secrets must not be printed.
impl std::fmt::Debug for Redaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.kinds()).finish()
    }
}

/// Removes probable keys from all `texts`, and the `known` secrets of the file, of this kind, that they show.
///
/// `mark` is a position in the first text, and is adjusted.
pub fn redact(texts: &mut [&mut String], (known, kind): (&Known, TextKind), mark: &mut usize) -> Redaction {
    let mut redaction = Redaction::default();
    for at in 0..texts.len() {
        let found = known.join(texts[at], find_in(texts[at], kind));
        if found.is_empty() {
            continue;
        }
        if redaction.stem.is_empty() {
            redaction.stem = stem(texts);
        }
        let text = &mut *texts[at];
        let mut redacted = String::with_capacity(text.len());
        let mut kept = 0;
        let mut new_mark = *mark;
        for secret in found {
            let span = secret.span;
            let number = redaction.number(secret.kind, &text[span.clone()]);
            redacted.push_str(&text[kept..span.start]);
            redacted.push_str(&format!("{}{number}", redaction.stem));
            kept = span.end;
            if span.end <= *mark {
                new_mark = redacted.len() + (*mark - kept);
            } else if span.start < *mark {
                new_mark = redacted.len();
            }
        }
        redacted.push_str(&text[kept..]);
        *text = redacted;
        if at == 0 {
            *mark = new_mark;
        }
    }
    redaction
}

/// A prefix of placeholders that occurs in none of the texts.
///
/// Each text is read a fixed number of times, whatever it contains.
fn stem(texts: &[&mut String]) -> String {
    const NUMBERED: &str = "REDACTED_Z";
    let mut stem = "REDACTED_".to_owned();
    for _ in 0..4 {
        if !texts.iter().any(|text| contains(text, &stem)) {
            return stem;
        }
        stem.insert_str("REDACTED".len(), "_X");
    }
    let mut used = HashSet::new();
    for text in texts {
        let bytes = text.as_bytes();
        for (at, _) in bytes
            .windows(NUMBERED.len())
            .enumerate()
            .filter(|(_, it)| it.eq_ignore_ascii_case(NUMBERED.as_bytes()))
        {
            let digits = bytes[at + NUMBERED.len()..].iter().take(9).take_while(|it| it.is_ascii_digit());
            used.insert(digits.fold(0_usize, |number, digit| number * 10 + usize::from(digit - b'0')));
        }
    }
    let free = (1..=used.len() + 1).find(|number| !used.contains(number)).unwrap_or_default();
    format!("{NUMBERED}{free}_")
}

/// Case-insensitive.
fn contains(text: &str, stem: &str) -> bool {
    text.as_bytes().windows(stem.len()).any(|it| it.eq_ignore_ascii_case(stem.as_bytes()))
}

impl Redaction {
    /// The number of a secret, from 1.
    fn number(&mut self, kind: &'static str, secret: &str) -> usize {
        let alike = self.places.entry(self.hashes.hash_one(secret)).or_default();
        let known = alike.iter().copied().find(|at| *self.taken[*at].1 == secret);
        let at = known.unwrap_or_else(|| {
            alike.push(self.taken.len());
            self.taken.push((kind, Zeroizing::new(secret.to_owned())));
            self.taken.len() - 1
        });
        at + 1
    }

    /// Whether nothing was removed.
    pub fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }

    /// The kinds of the removed secrets.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> {
        self.taken.iter().map(|(kind, _)| *kind)
    }

    /// Whether a text contains a placeholder, or something similar.
    pub fn is_in(&self, text: &str) -> bool {
        !self.is_empty() && contains(text, self.core())
    }

    /// The common prefix of all placeholders, in upper case.
    fn core(&self) -> &str {
        self.stem.trim_end_matches('_')
    }

    /// Replaces every placeholder by its secret.
    ///
    /// # Errors
    ///
    /// [`GarbledPlaceholder`] if a text resembles a placeholder without being one.
    pub fn restore(&self, reply: String) -> Result<String, GarbledPlaceholder> {
        if !self.is_in(&reply) {
            return Ok(reply);
        }
        let mut restored = String::with_capacity(reply.len());
        let mut rest = &*reply;
        while let Some(at) = rest.find(&self.stem) {
            let (before, after) = (&rest[..at], &rest[at + self.stem.len()..]);
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let number = after[..digits].parse::<usize>().ok().and_then(|it| it.checked_sub(1));
            let (_, secret) = number.and_then(|it| self.taken.get(it)).ok_or(GarbledPlaceholder)?;
            // A placeholder within another word is garbled.
            if before.ends_with(ident::is_part)
                || after[digits..].starts_with(ident::is_part)
                || self.is_in(before)
            {
                return Err(GarbledPlaceholder);
            }
            restored.push_str(before);
            restored.push_str(secret);
            rest = &after[digits..];
        }
        if self.is_in(rest) {
            return Err(GarbledPlaceholder);
        }
        restored.push_str(rest);
        Ok(restored)
    }
}

/// Restores secrets in an answer that arrives in pieces.
#[derive(Debug)]
pub struct Restoring {
    redaction: Redaction,
    held: String,
    /// Whether the text returned so far ends within a word.
    in_word: bool,
}

impl Redaction {
    /// Prepares to restore an answer that arrives in pieces.
    pub fn restoring(self) -> Restoring {
        Restoring { redaction: self, held: String::new(), in_word: false }
    }
}

impl Restoring {
    /// Takes the next piece, and returns the text up to a possible placeholder at its end.
    ///
    /// # Errors
    ///
    /// As [`Redaction::restore`].
    pub fn push(&mut self, piece: &str) -> Result<String, GarbledPlaceholder> {
        self.held.push_str(piece);
        let kept = self.open_end();
        let rest = self.held.split_off(kept);
        let whole = std::mem::replace(&mut self.held, rest);
        self.hand_on(whole)
    }

    /// Returns the text that was held back, at the end of the answer.
    ///
    /// # Errors
    ///
    /// As [`Redaction::restore`].
    pub fn finish(&mut self) -> Result<String, GarbledPlaceholder> {
        let rest = std::mem::take(&mut self.held);
        self.hand_on(rest)
    }

    /// The start of a word at the end of the held text that is or may become a placeholder.
    fn open_end(&self) -> usize {
        let word = self.held.trim_end_matches(ident::is_part).len();
        let last = self.held[word..].to_ascii_uppercase();
        let core = self.redaction.core();
        let begun = (1..core.len()).any(|length| last.ends_with(&core[..length])) || last.contains(core);
        if begun { word } else { self.held.len() }
    }

    fn hand_on(&mut self, text: String) -> Result<String, GarbledPlaceholder> {
        let joined = self.in_word && text.starts_with(ident::is_part);
        if joined && self.redaction.is_in(text.split(|it| !ident::is_part(it)).next().unwrap_or_default()) {
            return Err(GarbledPlaceholder);
        }
        if !text.is_empty() {
            self.in_word = text.ends_with(ident::is_part);
        }
        self.redaction.restore(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn key(start: &str) -> String {
        format!("{start}{}", "A1b2C3d4E5f6G7h8Zy9".repeat(2))
    }

    fn check(texts: &[&str], mark: usize, reply: &str, expect: Expect) {
        let mut owned: Vec<String> = texts.iter().map(|it| (*it).to_owned()).collect();
        let mut mark = mark;
        let redaction =
            redact(&mut owned.iter_mut().collect::<Vec<_>>(), (&Known::default(), TextKind::Code), &mut mark);
        let mut shown = format!("{:?}, mark before {:?}\n", redaction, &owned[0][mark..]);
        for text in &owned {
            shown.push_str(&format!("{text}\n"));
            // The removed secrets are restored unchanged.
            let again = redaction.restore(text.clone()).unwrap();
            assert!(texts.contains(&&*again), "{again}");
        }
        let restored = redaction.restore(reply.to_owned()).unwrap_or_else(|error| error.to_string());
        shown.push_str(&restored.replace(&key("sk-"), "<the key>"));
        expect.assert_eq(&shown);
    }

    #[test]
    fn takes_out_and_puts_back() {
        let (a, b) = (key("sk-"), key("ghp_"));
        let text = format!("let a = \"{a}\"; let b = \"{b}\"; // {a}\nrest");
        let mark = text.find("rest").unwrap();
        check(
            &[&text, &format!("use {b}")],
            mark,
            "let x = f(\"REDACTED_1\");",
            expect![[r#"
            ["an API key", "a GitHub token"], mark before "rest"
            let a = "REDACTED_1"; let b = "REDACTED_2"; // REDACTED_1
            rest
            use REDACTED_2
            let x = f("<the key>");"#]],
        );
    }

    #[test]
    fn takes_other_placeholders_where_the_text_has_some() {
        let text = format!("REDACTED_1 {} redacted_x_1", key("sk-"));
        check(
            &[&text],
            0,
            "REDACTED_1",
            expect![[r#"
            ["an API key"], mark before "REDACTED_1 REDACTED_X_X_1 redacted_x_1"
            REDACTED_1 REDACTED_X_X_1 redacted_x_1
            REDACTED_1"#]],
        );
    }

    #[test]
    fn refuses_what_it_cannot_put_back() {
        let mut text = format!("a = {}", key("sk-"));
        let redaction = redact(&mut [&mut text], (&Known::default(), TextKind::Code), &mut 0);
        assert_eq!(text, "a = REDACTED_1");
        for reply in [
            "REDACTED_2",
            "REDACTED_",
            "redacted_1",
            "REDACTED_1a",
            "REDACTED-1",
            "x_REDACTED_1",
            "REDACTED_1 Redacted",
        ] {
            assert_eq!(redaction.restore(reply.to_owned()), Err(GarbledPlaceholder), "{reply}");
        }
        check(
            &["nothing"],
            3,
            "REDACTED_1",
            expect![[r#"
            [], mark before "hing"
            nothing
            REDACTED_1"#]],
        );
    }

    #[test]
    fn stems_are_found_in_texts_full_of_stems() {
        let mut text = format!("REDACTED{}_ redacted_z1_ REDACTED_Z2_1 {}", "_x".repeat(1 << 19), key("sk-"));
        redact(&mut [&mut text], (&Known::default(), TextKind::Code), &mut 0);
        assert!(text.ends_with("REDACTED_Z3_1"), "{}", &text[text.len() - 40..]);
    }

    #[test]
    fn secrets_are_compared_with_few_others() {
        let text: String = (0..2_000).map(|at| format!("\"{}{at:05}\"\n", key("sk-"))).collect();
        let redaction = redact(&mut [&mut text.clone()], (&Known::default(), TextKind::Code), &mut 0);
        assert_eq!(redaction.taken.len(), 2_000);
        assert!(redaction.places.values().all(|alike| alike.len() <= 2));
    }

    proptest::proptest! {
        #![proptest_config(crate::properties::config())]

        #[test]
        fn nothing_that_was_found_is_left_and_all_comes_back(
            parts in proptest::collection::vec(proptest::sample::select(vec![
                "password = \"hunter2x\"", "sk-A1b2C3d4E5f6G7h8Zy9A1b2C3d4", "é", "\n", " ", "REDACTED_1", "x", "postgres://a:hunter2x@h/", "\"", "token: ",
            ]), 0..30),
        ) {
            let before = parts.concat();
            let mut text = before.clone();
            let mut mark = 0;
            let redaction = redact(&mut [&mut text], (&Known::default(), TextKind::Code), &mut mark);
            for secret in super::super::secrets::find(&before) {
                let of = &before[secret.span.clone()];
                let elsewhere = before.matches(of).count() > super::super::secrets::find(&before).iter().filter(|it| &before[it.span.clone()] == of).count();
                proptest::prop_assert!(elsewhere || !text.contains(of), "{of:?} in {text:?}");
            }
            if let Ok(again) = redaction.restore(text) {
                proptest::prop_assert_eq!(again, before);
            }
        }
    }
}
