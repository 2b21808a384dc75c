//! What a person asks for in words.

/// Reads words of an instruction or a question.
///
/// # Errors
///
/// There are none: a model would only guess, and be paid for it.
pub(super) fn words(written: &str) -> Result<String, &'static str> {
    match written.trim() {
        "" => Err("it is empty: say what is wanted"),
        _ => Ok(written.to_owned()),
    }
}
