//! Searches a list within a longer one.

/// The indexes at which `wanted` occurs in `list`, overlaps included.
///
/// Inspects each item a few times at most, however often parts of `wanted` recur (Knuth, Morris and Pratt). An empty
/// list does not occur anywhere.
pub(crate) fn occurrences<T: PartialEq>(list: &[T], wanted: &[T]) -> Vec<usize> {
    let go_on = |begun: &[usize], mut fits: usize, item: &T| {
        while fits > 0 && wanted.get(fits) != Some(item) {
            fits = begun[fits - 1];
        }
        fits + usize::from(wanted.get(fits) == Some(item))
    };
    // For each prefix of `wanted`, the length of its longest proper suffix that is also a prefix.
    let mut begun = vec![0; wanted.len()];
    for at in 1..wanted.len() {
        begun[at] = go_on(&begun, begun[at - 1], &wanted[at]);
    }
    let mut found = Vec::new();
    let mut fits = 0;
    for (at, item) in list.iter().enumerate() {
        fits = go_on(&begun, fits, item);
        if fits == wanted.len() && fits > 0 {
            found.push(at + 1 - fits);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_comparison_of_each_place_finds() {
        for (list, wanted) in [
            ("", "a"),
            ("a", ""),
            ("aaaa", "aa"),
            ("abababa", "aba"),
            ("aabaaabaaac", "aabaaac"),
            ("abcabcabd", "abcabd"),
            ("abcabcabd", "bd"),
            ("ab", "abc"),
        ] {
            let (list, wanted) = (list.as_bytes(), wanted.as_bytes());
            let windows = list.windows(wanted.len().max(1)).enumerate();
            let expected: Vec<usize> = windows.filter(|(_, it)| *it == wanted).map(|(at, _)| at).collect();
            assert_eq!(occurrences(list, wanted), expected, "{wanted:?} in {list:?}");
        }
    }
}
