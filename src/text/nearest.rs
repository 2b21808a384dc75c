//! What a person probably meant by a name that does not exist.
//!
//! It is the one guess for all names that users write.

/// The one of `names` that `name` is likely to be a slip for, in whatever case it is written.
pub fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let written = name.to_lowercase();
    let distance = |it: &str| strsim::damerau_levenshtein(&written, &it.to_lowercase());
    let (best, slips) = names.into_iter().map(|it| (it, distance(it))).min_by_key(|(_, slips)| *slips)?;
    // In one or two characters, one slip leaves nothing to tell it by.
    let allowed = (name.chars().count() / 3).min(3);
    (slips <= allowed).then_some(best)
}

/// The question that ends a message about a name that does not exist.
///
/// It is `; did you mean `x`?`, or nothing.
pub fn did_you_mean<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(name, names).map_or_else(String::new, |it| format!("; did you mean `{it}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
