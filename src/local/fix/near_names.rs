//! An index of names that finds those one letter away without comparing them all.

use std::collections::HashMap;
use std::rc::Rc;

use crate::text::hash::Fnv32;

/// Maximum number of letters of a name; a longer one is probably generated.
const NAME_LETTERS: usize = 64;

/// Names, each indexed by itself and by what is left of it without any one letter.
///
/// Two names that differ by one inserted, deleted, replaced or swapped letter have one of these keys in
/// common.
#[derive(Default)]
pub(super) struct NearNames(HashMap<u32, Vec<Rc<str>>>);

impl NearNames {
    pub(super) fn of(names: impl Iterator<Item = Rc<str>>) -> Self {
        let mut near = Self::default();
        for name in names {
            for rest in rests(&name) {
                near.0.entry(rest).or_default().push(Rc::clone(&name));
            }
        }
        near
    }

    /// The other names that are one letter away, sorted.
    pub(super) fn near(&self, name: &str) -> Vec<&str> {
        let known = rests(name).into_iter().filter_map(|rest| self.0.get(&rest)).flatten();
        let mut found: Vec<&str> = known.map(|it| &**it).filter(|it| is_one_letter(name, it)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Whether two names consist of the same letters.
pub(super) fn has_same_letters(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|name| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    });
    one == other
}

/// Whether two names are one letter apart.
pub(super) fn is_one_letter(one: &str, other: &str) -> bool {
    one.len().abs_diff(other.len()) <= 4 && strsim::osa_distance(one, other) == 1
}

/// The hashes of a name and of what is left of it without each of its letters.
fn rests(name: &str) -> Vec<u32> {
    if name.chars().nth(NAME_LETTERS).is_some() {
        return Vec::new();
    }
    let without =
        |(at, letter): (usize, char)| Fnv32::of(&[&name[..at], &name[at + letter.len_utf8()..]].concat());
    let mut rests: Vec<u32> = name.char_indices().map(without).chain([Fnv32::of(name)]).collect();
    rests.sort_unstable();
    rests.dedup();
    rests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_one_letter_away_are_found() {
        let names = ["count", "cont", "mount", "counts", "größe", "a", "total", "totals_of_all"];
        let near = NearNames::of(names.into_iter().map(Rc::from));
        let check = |name: &str, expected: &[&str]| assert_eq!(near.near(name), expected, "{name}");
        check("count", &["cont", "counts", "mount"]);
        check("conut", &["cont", "count"]);
        check("grösse", &[]);
        check("größ", &["größe"]);
        check("totals", &["total"]);
        check("", &["a"]);
        check("totals_of_lal", &["totals_of_all"]);
    }
}
