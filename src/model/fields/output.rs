//! The number of output tokens that a server allows, as learned from refusals.

/// The lower bound of halving, for refusals that name no number.
///
/// Every model can write this much.
const FLOOR: u32 = 4_096;
/// A smaller number is not a model's limit, but a status or the length of a short prompt.
const LEAST: u32 = 512;

/// The output tokens to ask for after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum Fewer {
    /// The model never writes more than this.
    Always(u32),
    /// The window has room for this much beside the prompt.
    Here(u32),
}

/// The names that servers use for the token limit.
const CAPS: &[&str] = &[
    "max_tokens",
    "max_output_tokens",
    "max_completion_tokens",
    "maxoutputtokens",
    "max_new_tokens",
    "output tokens",
    "completion tokens",
];

/// Phrases about a number that is too large, as opposed to an unknown field.
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

/// Reads the refusal of a request that asked for `asked` tokens.
///
/// `param` is the field that the server named. Returns `None` if the refusal is about something
/// else, or fewer tokens would be too few.
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

/// The room that a window leaves for an answer. The refusal quotes the window, the prompt, the
/// tokens asked for, and possibly the sum of the last two, or its status.
fn room(numbers: &[u32], asked: u32) -> Option<u32> {
    // A window of twice the tokens asked for is not their sum with a prompt.
    let prompt_of = |sum: u32| sum.checked_sub(asked).filter(|it| *it != asked && numbers.contains(it));
    let others = || numbers.iter().copied().filter(|it| *it != asked && prompt_of(*it).is_none());
    let largest = others().max()?;
    let (window, prompt) = match numbers.iter().copied().find_map(prompt_of) {
        // The window is exactly as large as the tokens asked for.
        Some(prompt) if prompt == largest => (asked, prompt),
        _ => (largest, others().filter(|it| *it != largest).max()?),
    };
    window.checked_sub(prompt).filter(|room| (LEAST..asked).contains(room))
}

/// Parses the numbers in a text, such as `8,192`, except for those within names and dates.
fn numbers(text: &str) -> Vec<u32> {
    let words = text.split(|it: char| !it.is_ascii_alphanumeric() && !"_,.-".contains(it));
    let number = |word: &str| {
        let word = word.trim_matches(['_', ',', '.', '-']);
        let digits: String = word.chars().filter(|it| !matches!(it, ',' | '_')).collect();
        digits.parse().ok()
    };
    words.filter_map(number).collect()
}
