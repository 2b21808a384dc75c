//! Guesses which existing name was meant by one that does not exist.
//!
//! The same guess is used for all names that users write.

/// The entry of `names` of which `name` is likely a misspelling, regardless of case.
pub fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let written = name.to_lowercase();
    let distance = |it: &str| strsim::damerau_levenshtein(&written, &it.to_lowercase());
    let (best, slips) = names.into_iter().map(|it| (it, distance(it))).min_by_key(|(_, slips)| *slips)?;
    // With one or two characters, a single typo leaves too little to match.
    let allowed = (name.chars().count() / 3).min(3);
    (slips <= allowed).then_some(best)
}

/// Whether a name may be another one with a slip: one typo, or two in a name of ten or more characters.
pub(crate) fn is_typo(name: &str, other: &str) -> bool {
    const LONG: usize = 10;
    let most = if name.chars().count().min(other.chars().count()) < LONG { 1 } else { 2 };
    strsim::damerau_levenshtein(name, other) <= most
}

/// The question at the end of a message about a name that does not exist.
///
/// It is `; did you mean `x`?`, or empty.
pub fn did_you_mean<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(name, names).map_or_else(String::new, |it| format!("; did you mean `{it}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_one_or_two_typos() {
        for (name, other, expected) in [
            ("parecls", "parcels", true),
            ("parcels", "parcel", true),
            ("paecrls", "parcels", false),
            ("parcel_ordres", "pacrel_orders", true),
            ("import", "report", false),
        ] {
            assert_eq!(is_typo(name, other), expected, "{name}, {other}");
        }
    }

    #[test]
    fn name_with_few_slips_is_guessed() {
        let check = |name: &str, names: &[&'static str], expected: Option<&str>| {
            assert_eq!(nearest(name, names.iter().copied()), expected, "{name}");
        };
        check("simm", &["ollama", "sim"], Some("sim"));
        check("OpenAI", &["ollama", "openai"], Some("openai"));
        check("typescrpt", &["python", "typescript"], Some("typescript"));
        check("mistral", &["ollama", "openai"], None);
        check("x", &["y"], None);
        check("x", &[], None);
        assert_eq!(did_you_mean("simm", ["sim"]), "; did you mean `sim`?");
        assert_eq!(did_you_mean("elsewhere", ["sim"]), "");
    }
}
