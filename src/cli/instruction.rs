//! Parses instructions and questions on the command line.

/// Parses an argument of an instruction or a question. A blank one is an error: a model could only guess, and would
/// cost money.
pub(super) fn words(written: &str) -> Result<String, &'static str> {
    match written.trim() {
        "" => Err("it is empty: say what is wanted"),
        _ => Ok(written.to_owned()),
    }
}
