//! Maps the words of one line to those of an analogous line.

use std::borrow::Cow;

use super::words::{LinePiece, PieceKind, difference, is_free, same_word};
use crate::text::ident::{Part, parts};

/// The word changes from a line to an analogous line.
#[derive(Debug, Clone, Default)]
pub(super) struct Mapping<'a> {
    pairs: Vec<Pair<'a>>,
}

#[derive(Debug, Clone)]
struct Pair<'a> {
    from: &'a str,
    to: Cow<'a, str>,
}

impl<'a> Mapping<'a> {
    /// Adds the change of `from` to `to`.
    ///
    /// False if `from` already maps to another word, or is a keyword.
    pub(super) fn learn(&mut self, from: &'a str, to: impl Into<Cow<'a, str>>) -> bool {
        let to = to.into();
        if let Some(known) = self.pairs.iter().find(|known| known.from == from) {
            return known.to == to;
        }
        if from != to && !(is_free(from) && is_free(&to)) {
            return false;
        }
        self.pairs.push(Pair { from, to });
        true
    }

    /// The pairs whose words differ.
    pub(super) fn changes(&self) -> impl Iterator<Item = (&'a str, &str)> {
        self.pairs.iter().filter(|pair| pair.from != pair.to).map(|pair| (pair.from, &*pair.to))
    }

    /// Maps a word; `None` if neither it nor its parts are known.
    pub(super) fn apply(&self, word: &str) -> Option<String> {
        self.apply_known(&self.known_changes(), word)
    }

    fn apply_known(&self, changes: &[WordChange<'_>], word: &str) -> Option<String> {
        if let Some(known) = self.pairs.iter().find(|known| known.from == word) {
            return Some(known.to.to_string());
        }
        if changes.is_empty() || !is_free(word) {
            return None;
        }
        let small = word.to_lowercase();
        let may_hold = |change: &&WordChange<'_>| small.contains(&change.stem);
        changes.iter().filter(may_hold).find_map(|change| replace_parts(word, change))
    }

    /// The changes, preprocessed for application to many words.
    fn known_changes(&self) -> Vec<WordChange<'_>> {
        self.changes().filter_map(|(from, to)| WordChange::of(from, to)).collect()
    }

    /// The text of tokens with the mapping applied, and the number of changed words.
    pub(super) fn carry(&self, tokens: &[LinePiece<'_>]) -> (String, usize) {
        let changes = self.known_changes();
        let mut text = String::new();
        let mut changed = 0;
        for token in tokens {
            let new = match token.kind {
                PieceKind::Word => self.apply_known(&changes, token.text),
                PieceKind::Space | PieceKind::Mark => None,
            };
            match new {
                Some(word) => {
                    changed += usize::from(word != token.text);
                    text.push_str(&word);
                }
                None => text.push_str(token.text),
            }
        }
        (text, changed)
    }
}

/// The difference between two words.
struct WordChange<'m> {
    old: Vec<Part<'m>>,
    new: Vec<Part<'m>>,
    to: &'m str,
    /// A word without these lowercase letters cannot contain `old` in any case or number.
    stem: String,
}

impl<'m> WordChange<'m> {
    /// `None` if either word has nothing beyond the common parts.
    fn of(from: &'m str, to: &'m str) -> Option<Self> {
        let (old, new) = difference(from, to);
        let first = old.first().filter(|_| !new.is_empty())?.text.to_lowercase();
        let stem = if old.len() == 1 { first.trim_end_matches('s').to_owned() } else { first };
        Some(Self { old, new, to, stem })
    }
}

/// Applies a change to a word: `red` → `green` makes `DarkRed` `DarkGreen`.
fn replace_parts(word: &str, change: &WordChange<'_>) -> Option<String> {
    let WordChange { old, new, to, .. } = change;
    let (last_old, last_new) = (old.last()?, new.last()?);
    let number = |part: &Part<'_>| Number::of(part.text, last_old.text, last_new.text);
    let all = parts(word);
    let window = all.windows(old.len()).find(|window| {
        let last = window.len() - 1;
        window[..last].iter().zip(old).all(|(a, b)| same_word(a.text, b.text))
            && number(&window[last]).is_some()
    })?;
    let (first, last) = (window.first()?, window.last()?);
    let middle = render(new, number(last)?, Style::of(word, first.text, to));
    Some(format!("{}{middle}{}", &word[..first.start], &word[last.end()..]))
}

/// How a part of a word relates to the changed one: `users` to `user`, or the reverse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Same,
    Plural,
    Singular,
}

impl Number {
    /// `None` if `part` is not a form of `old`, or if `new` lacks the required singular.
    fn of(part: &str, old: &str, new: &str) -> Option<Self> {
        let is_plural = |many: &str, one: &str| {
            let stem = many.strip_suffix(['s', 'S']);
            one.len() > 1 && stem.is_some_and(|stem| same_word(stem, one))
        };
        if same_word(part, old) {
            Some(Self::Same)
        } else if is_plural(part, old) {
            Some(Self::Plural)
        } else {
            (is_plural(old, part) && new.len() > 2 && new.ends_with(['s', 'S'])).then_some(Self::Singular)
        }
    }
}

/// How the parts of a word are cased and joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `max_width`
    Snake,
    /// `MAX_WIDTH`
    Screaming,
    /// `maxWidth`
    Camel,
    /// `MaxWidth`
    Pascal,
}

impl Style {
    /// The style for the replacement of `part` in `word`.
    ///
    /// Where the word is too short to show how it joins parts, `example` shows it.
    fn of(word: &str, part: &str, example: &str) -> Self {
        let is_upper = |text: &str| !text.contains(char::is_lowercase) && text.contains(char::is_uppercase);
        if is_upper(word) && word.chars().count() > 1 {
            Self::Screaming
        } else if part.starts_with(char::is_uppercase) {
            Self::Pascal
        } else if word.contains(char::is_uppercase) || (!word.contains('_') && is_camel(example)) {
            Self::Camel
        } else {
            Self::Snake
        }
    }
}

/// Whether a word begins in lowercase and contains a capital.
fn is_camel(word: &str) -> bool {
    word.starts_with(char::is_lowercase) && word.contains(char::is_uppercase)
}

fn render(parts: &[Part<'_>], number: Number, style: Style) -> String {
    let mut rendered = String::new();
    let last = parts.len() - 1;
    for (index, part) in parts.iter().enumerate() {
        let joined = index > 0 && matches!(style, Style::Snake | Style::Screaming);
        if joined {
            rendered.push('_');
        }
        let part = match number {
            Number::Plural if index == last => format!("{}s", part.text),
            Number::Singular if index == last => part.text[..part.text.len() - 1].to_owned(),
            _ => part.text.to_owned(),
        };
        match style {
            Style::Screaming => rendered.push_str(&part.to_uppercase()),
            Style::Snake => rendered.push_str(&part.to_lowercase()),
            Style::Camel if index == 0 => rendered.push_str(&part.to_lowercase()),
            Style::Camel | Style::Pascal => rendered.push_str(&capitalised(&part)),
        }
    }
    rendered
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    let is_upper = !word.contains(char::is_lowercase);
    let rest: String = if is_upper { chars.as_str().to_lowercase() } else { chars.as_str().to_owned() };
    first.chain(rest.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_a_change_over_to_other_words() {
        let check = |from: &str, to: &str, word: &str, expected: Option<&str>| {
            let mut mapping = Mapping::default();
            assert!(mapping.learn(from, to));
            assert_eq!(mapping.apply(word).as_deref(), expected, "{from} → {to}: {word}");
        };
        check("red", "green", "red", Some("green"));
        check("red", "green", "Red", Some("Green"));
        check("red", "green", "RED", Some("GREEN"));
        check("red", "green", "DarkRed", Some("DarkGreen"));
        check("red", "green", "is_red_light", Some("is_green_light"));
        check("red", "green", "reduce", None);
        check("set_width", "set_height", "width", Some("height"));
        check("user", "order", "users", Some("orders"));
        check("user", "order", "UserStore", Some("OrderStore"));
        check("users", "orders", "UserStore", Some("OrderStore"));
        check("users", "staff", "UserStore", None);
        check("width", "max_height", "Width", Some("MaxHeight"));
        check("width", "max_height", "WIDTH", Some("MAX_HEIGHT"));
        check("width", "maxHeight", "setWidth", Some("setMaxHeight"));
        check("width", "maxHeight", "MIN_WIDTH", Some("MIN_MAX_HEIGHT"));
        check("Red", "DarkBlue", "is_red", Some("is_dark_blue"));
        check("item1", "item2", "Item1", Some("Item2"));
        check("get", "get_all", "getter", None);
        check("red", "green", "self", None);
    }

    #[test]
    fn contradictions_and_keywords_are_not_learned() {
        let mut mapping = Mapping::default();
        assert!(mapping.learn("a", "b"));
        assert!(mapping.learn("a", "b"));
        assert!(!mapping.learn("a", "c"));
        assert!(mapping.learn("same", "same"));
        assert!(!mapping.learn("same", "other"));
        assert!(!mapping.learn("let", "b"));
    }
}
