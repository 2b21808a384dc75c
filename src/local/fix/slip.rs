//! Decides whether a name is a typo of another one.
//!
//! Similar spelling alone is not evidence: `items` and `item`, `row` and `col1`, `popped` and `pushed` are
//! names of different things. A slip produces something that is not a word, such as `conut` for `count`.
//!
//! Abbreviations are not words either, and often differ at an end: `lhs` and `rhs`, `argc` and `argv`,
//! `datax` and `datay`. So a slip is accepted only inside a part that is longer than these. A letter doubled
//! inside a part is also a slip in shorter ones. At an end of a part, a wrong letter is a slip if the
//! dictionary has exactly one word that can be meant.

use super::file_view::FileView;
use super::near_names::is_one_letter;
use crate::grammar;
use crate::text::ident::{self, Part};

/// Minimum number of letters of a name in which two may be wrong.
const LONG_NAME: usize = 8;
/// Minimum number of letters of a part with a wrong letter: of `tmp` and `temp`, neither is more likely.
const PART_LETTERS: usize = 5;
/// Minimum number of letters of a part with swapped letters.
const SWAPPED_LETTERS: usize = 4;
/// The minimum number of letters of a word whose first or last letter is wrong.
const WORD_LETTERS: usize = 6;
/// Minimum number of letters of a part with a doubled letter.
const DOUBLED_LETTERS: usize = 3;

/// Whether two names differ only in case, by one letter, or by two in a long name.
pub(super) fn is_near(old: &str, new: &str) -> bool {
    let letters = old.chars().count().min(new.chars().count());
    old.eq_ignore_ascii_case(new) || strsim::osa_distance(old, new) <= if letters < LONG_NAME { 1 } else { 2 }
}

/// Whether `old` is `new` with a slip in it.
pub(super) fn is_likely_typo(file: &FileView<'_>, old: &str, new: &str) -> bool {
    if old == new || !is_near(old, new) {
        return false;
    }
    if old.eq_ignore_ascii_case(new) {
        return true;
    }
    let (first, last) = difference(old, new);
    // `has__next` is the same name as `has_next`, but at an end of a name `_` may have a meaning.
    let is_inside = [old, new].iter().all(|it| !it.starts_with('_') && !it.ends_with('_'));
    if is_inside && old.replacen("__", "_", 1) == new {
        return true;
    }
    let (old_part, new_part) = (part_at(old, first, last), part_at(new, first, last));
    let changed = |name: &str| name[first..name.len() - last].contains(char::is_numeric);
    let is_plural =
        old_part.strip_suffix('s') == Some(new_part) || new_part.strip_suffix('s') == Some(old_part);
    !changed(old)
        && !changed(new)
        && !is_plural
        && !is_made_of_words(file, old_part)
        && (!is_behind_letter(old_part) || has_same_letters(old_part, new_part))
        && (is_within(old_part, new_part)
            || is_doubled(old_part, new_part)
            || is_inside && old.replace('_', "") == new.replace('_', "")
            || is_only_word(old_part, new_part))
}

/// Whether `old` is a slip of the name of a file, and not that of one which is yet to be written.
///
/// Files are told apart at the ends of the parts of their names: `tcp_rx`, `_ctree`.
pub fn is_likely_typo_of_file(file: &FileView<'_>, old: &str, new: &str) -> bool {
    let (first, last) = difference(old, new);
    let (old_part, new_part) = (part_at(old, first, last), part_at(new, first, last));
    is_likely_typo(file, old, new) && (is_within(old_part, new_part) || is_doubled(old_part, new_part))
}

/// Whether a part is a word behind a letter that says of what: `rport`, `sdate`.
fn is_behind_letter(part: &str) -> bool {
    let mut letters = part.chars();
    letters.next().is_some() && grammar::is_word(letters.as_str())
}

/// Whether the parts have the same letters, of which some changed places: `cnets`, `cents`.
fn has_same_letters(old: &str, new: &str) -> bool {
    let sorted = |part: &str| {
        let mut letters: Vec<char> = part.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(old) == sorted(new)
}

/// Whether `new` is the only word of the dictionary at a distance of one letter from `old`.
///
/// A letter added before or after a word is not a typo: `npoints` counts points, `datax` is one of several.
fn is_only_word(old: &str, new: &str) -> bool {
    let (old, new) = (old.to_lowercase(), new.to_lowercase());
    if new.len() < WORD_LETTERS || !old.is_ascii() || !is_one_letter(&old, &new) || !grammar::is_word(&new) {
        return false;
    }
    !grammar::is_word(&old[..old.len() - 1])
        && variants(&old).all(|it| it == new || it == old || !grammar::is_word(&it))
}

/// All texts one letter away from an ASCII word: one removed, two swapped, one replaced or one added.
fn variants(word: &str) -> impl Iterator<Item = String> {
    let letters = || 'a'..='z';
    let ends = |at: usize, from: usize| (&word[..at], &word[from..]);
    let places = 0..word.len();
    let fewer = places.clone().map(move |at| ends(at, at + 1)).map(|(head, tail)| [head, tail].concat());
    let exchanged = places
        .clone()
        .skip(1)
        .map(move |at| [&word[..at - 1], &word[at..=at], &word[at - 1..at], &word[at + 1..]].concat());
    let with = move |(head, tail): (&str, &str), letter: char| format!("{head}{letter}{tail}");
    let others = places.clone().flat_map(move |at| letters().map(move |it| with(ends(at, at + 1), it)));
    let more = (0..=word.len()).flat_map(move |at| letters().map(move |it| with(ends(at, at), it)));
    fewer.chain(exchanged).chain(others).chain(more)
}

/// Whether `old` is `new` with a letter doubled that is neither the first nor the last.
fn is_doubled(old: &str, new: &str) -> bool {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let Some(at) = (0..new.len()).find(|at| old.get(*at) != Some(&new[*at])) else { return false };
    let is_inside = new.first() != old.get(1) && new.last() != new.get(at.saturating_sub(1));
    let is_long = new.len() >= DOUBLED_LETTERS && old.len() == new.len() + 1;
    is_long && is_inside && at > 0 && old[at] == old[at - 1] && old[at + 1..] == new[at..]
}

/// Whether two names are slips of each other, and `new` may be the misspelt one.
///
/// It has at least as many parts that are not words.
pub(super) fn is_reverse(file: &FileView<'_>, old: &str, new: &str) -> bool {
    is_likely_typo(file, new, old) && strange_parts(file, new) >= strange_parts(file, old)
}

/// The number of parts of a name that are not words.
pub(super) fn strange_parts(file: &FileView<'_>, name: &str) -> usize {
    ident::parts(name).iter().filter(|part| !is_known(file, part.text)).count()
}

fn is_made_of_words(file: &FileView<'_>, name: &str) -> bool {
    is_known(file, name) || ident::parts(name).iter().all(|part| is_known(file, part.text))
}

fn is_known(file: &FileView<'_>, part: &str) -> bool {
    part.starts_with(char::is_numeric) || grammar::is_word(part) || file.has_word(part)
}

/// Whether two parts of names differ by a slip: by swapped letters, or between the first and the last letter.
///
/// The last letter may also be missing.
fn is_within(old: &str, new: &str) -> bool {
    let letters = |part: &str| part.to_lowercase().chars().collect::<Vec<_>>();
    let (mut old, mut new) = (letters(old), letters(new));
    let is_end = old.last() == new.last() || new.starts_with(&old);
    if old.first() == new.first() && is_end && new.len() >= PART_LETTERS {
        return true;
    }
    old.sort_unstable();
    new.sort_unstable();
    old == new && new.len() >= SWAPPED_LETTERS
}

/// The number of bytes that two names have in common at their starts and at their ends.
fn difference(old: &str, new: &str) -> (usize, usize) {
    let common = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(|(a, b)| a == b).map(|(letter, _)| letter.len_utf8()).sum()
    };
    let first = common(&mut old.chars().zip(new.chars()));
    let last = common(&mut old[first..].chars().rev().zip(new[first..].chars().rev()));
    (first, last)
}

/// The part of a name that contains the difference; the whole name if the difference spans several parts.
fn part_at(name: &str, first: usize, last: usize) -> &str {
    let end = name.len() - last;
    let holds = |part: &Part<'_>| part.start <= first && end <= part.end();
    ident::parts(name).into_iter().find(holds).map_or(name, |part| part.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, DocumentId};

    #[track_caller]
    fn check(old: &str, new: &str, expected: bool) {
        let text = format!("{old} {new} colCount rowCount # depth");
        let document = Document::new(DocumentId::new("file:///a.py"), "python", 0, &text);
        assert_eq!(is_likely_typo(&FileView::new(&document), old, new), expected, "{old} {new}");
    }

    #[test]
    fn slip_does_not_produce_a_word() {
        for (old, new) in [
            ("subtotl", "subtotal"),
            ("conut", "count"),
            ("load_usres", "load_users"),
            ("maxWdith", "maxWidth"),
            ("subTotal", "subtotal"),
            ("appcontext_poped", "appcontext_popped"),
            ("heigth", "height"),
            ("nmae", "name"),
            ("responce", "response"),
            ("respons", "response"),
            ("cur_chhr", "cur_chr"),
            ("has__leading", "has_leading"),
            ("print_dotgraph", "print_dot_graph"),
            ("ncheduler", "scheduler"),
            ("rbservableInput", "ObservableInput"),
            ("cnets", "cents"),
        ] {
            check(old, new, true);
        }
        for (old, new) in [
            ("silent", "fileno"),
            ("account", "count"),
            ("width", "with"),
            ("items", "item"),
            ("user", "users"),
            ("get_node", "set_node"),
            ("maxX", "maxY"),
            ("x1", "x2"),
            ("port1", "port"),
            ("appcontext_popped", "appcontext_pushed"),
            ("ts_node_new", "ts_node_eq"),
            ("rowCount", "cowCount"),
            ("depth", "depht"),
            // Other words, abbreviations, and parts with a letter more at an end.
            ("height", "weight"),
            ("basket", "casket"),
            ("layer", "player"),
            ("invoice", "invoke"),
            ("lhs", "rhs"),
            ("argc", "argv"),
            ("tmp", "temp"),
            ("usr", "user"),
            ("prev_id", "prev_idx"),
            ("qpush", "lpush"),
            ("datax", "datay"),
            ("printq", "print"),
            ("llst", "lst"),
            ("colll", "coll"),
            ("__leading", "_leading"),
            ("filename", "file_name"),
            ("npoints", "points"),
            ("pointsx", "points"),
            ("vertexa", "vertex"),
            ("xlabels", "labels"),
            ("elementz", "elements"),
            ("casket", "basket"),
            ("bight", "light"),
            ("rnable", "enable"),
            ("rport", "report"),
            ("rcount", "recount"),
            ("ptime", "prime"),
            ("sdate", "state"),
            ("stmts", "stats"),
            ("chans", "chars"),
            ("strat", "start"),
        ] {
            check(old, new, false);
        }
    }
}
