//! How many tokens an answer may have, as far as a server says.

/// The least that is tried where a refusal names no number, by halves.
///
/// Every model writes so much.
const FLOOR: u32 = 4_096;
/// Fewer are no limit of a model, but a status or the length of a short prompt.
const LEAST: u32 = 512;

/// What a refusal says about the tokens that were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum Fewer {
    /// The model never writes more than these.
    Always(u32),
    /// Beside this prompt, its window has room for these.
    Here(u32),
}

/// The names by which servers speak of the cap.
const CAPS: &[&str] = &[
    "max_tokens",
    "max_output_tokens",
    "max_completion_tokens",
    "maxoutputtokens",
    "max_new_tokens",
    "output tokens",
    "completion tokens",
];

/// What servers say of a number that is too large, and not of a field that they do not know.
const SIZES: &[&str] = &[
    "too large",
    "too high",
    "too big",
    "too many",
    "at most",
    "maximum",
    "less than",
    "greater than",
    "range",
    "between",
    "exceed",
    "above",
    "limit",
    "<=",
    " > ",
];

/// Reads the refusal of a request that asked for so many tokens.
///
/// `param` is the field that the server named. `None` if the refusal is about something else, or fewer would
/// be too few.
pub(super) fn fewer(param: Option<&str>, message: &str, asked: u32) -> Option<Fewer> {
    let message = message.to_lowercase();
    let has_any = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let numbers = numbers(&message);
    if message.contains("context") && numbers.contains(&asked) {
        return room(&numbers, asked).map(Fewer::Here);
    }
    let is_named = param.is_some_and(|param| CAPS.contains(&param)) || has_any(CAPS);
    if !is_named || !has_any(SIZES) {
        return None;
    }
    let named = numbers.into_iter().filter(|number| (LEAST..asked).contains(number)).max();
    let halved = || (asked > FLOOR).then(|| (asked / 2).max(FLOOR));
    named.or_else(halved).map(Fewer::Always)
}

/// What a window leaves for an answer: the refusal quotes the window, the prompt, what was asked for, and
/// perhaps the sum of the last two, or its own status.
fn room(numbers: &[u32], asked: u32) -> Option<u32> {
    // A window twice as large is no sum of what was asked for and a prompt.
    let prompt_of = |sum: u32| sum.checked_sub(asked).filter(|it| *it != asked && numbers.contains(it));
    let others = || numbers.iter().copied().filter(|it| *it != asked && prompt_of(*it).is_none());
    let largest = others().max()?;
    let (window, prompt) = match numbers.iter().copied().find_map(prompt_of) {
        // The window is as large as what was asked for.
        Some(prompt) if prompt == largest => (asked, prompt),
        _ => (largest, others().filter(|it| *it != largest).max()?),
    };
    window.checked_sub(prompt).filter(|room| (LEAST..asked).contains(room))
}

/// The numbers of a text, which may be written as `8,192`; not those within names and dates.
fn numbers(text: &str) -> Vec<u32> {
    let words = text.split(|it: char| !it.is_ascii_alphanumeric() && !"_,.-".contains(it));
    let number = |word: &str| {
        let word = word.trim_matches(['_', ',', '.', '-']);
        let digits: String = word.chars().filter(|it| !matches!(it, ',' | '_')).collect();
        digits.parse().ok()
    };
    words.filter_map(number).collect()
}
