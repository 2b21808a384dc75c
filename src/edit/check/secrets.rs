//! Edits must not add anything that looks like a key.

use std::collections::HashSet;

use crate::edit::Refusal;
use crate::privacy;

/// The maximum number of keys that are searched for in the old text.
///
/// It bounds the work by the size of the texts.
const SEARCHES: usize = 64;

/// Refuses a result with something like a key that the old text does not have.
///
/// A key that was found in the old text is known. Others are searched for, since an existing value may look
/// like a key only by its new name. With more than [`SEARCHES`] of those the result is refused.
///
/// The error is [`Refusal::Secret`] with the kind of key; never with the text itself.
pub(super) fn secrets(before: &str, after: &str) -> Result<(), Refusal> {
    let mut secrets = privacy::find(after).into_iter().filter(|it| it.high_confidence).peekable();
    if secrets.peek().is_none() {
        return Ok(());
    }
    let mut known: HashSet<&str> = privacy::find(before).into_iter().map(|it| &before[it.span]).collect();
    let mut searches = 0;
    for secret in secrets {
        let text = &after[secret.span];
        if !known.insert(text) {
            continue;
        }
        searches += 1;
        if searches > SEARCHES || !before.contains(text) {
            return Err(Refusal::Secret { kind: secret.kind });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // The keys are assembled here, so that this file does not contain any.
    fn key(start: &str, length: usize) -> String {
        format!("{start}{}", "A1b2C3d4E5f6G7h8".repeat(8).chars().take(length).collect::<String>())
    }

    #[test]
    fn keys_of_all_kinds() {
        let upper = key("AKIA", 16).to_uppercase();
        let jwt = format!("{}.{}.{}", key("eyJ", 20), key("eyJ", 20), key("", 30));
        for text in [
            format!("let k = \"{upper}\";"),
            format!("token: {}", key("ghp_", 36)),
            format!("OpenAI({})", key("sk-", 40)),
            format!("h = \"Bearer {jwt}\""),
            format!("password = \"{}\"", key("", 20)),
            format!("{{\"api_key\": \"{}\"}}", key("", 24)),
            format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n", key("", 64)),
        ] {
            assert!(secrets("", &text).is_err(), "{text}");
            assert!(secrets(&text, &text).is_ok(), "what was there is no leak");
        }
    }

    #[test]
    fn what_only_looks_like_one() {
        for text in [
            "password = input(\"your password here please\")",
            "let secret = \"${SECRET_FROM_ENVIRONMENT_1}\";",
            "api_key = os.environ[\"API_KEY_FOR_TESTS_1\"]",
            "task-A1b2C3d4E5f6G7h8A1b2C3d4",
            "const HEADER: &str = \"-----BEGIN PRIVATE KEY-----\";",
            "secret_name = \"short1\"",
        ] {
            assert!(secrets("", text).is_ok(), "{text}");
        }
    }

    #[test]
    fn many_keys_that_were_there_are_known_and_those_new_by_name_are_searched_for() {
        let values = |count: usize, name: &str| -> String {
            (0..count).map(|at| format!("{name} = \"{}{at:04}\"\n", key("", 16))).collect()
        };
        let keys = values(1_000, "api_key");
        assert!(secrets(&keys, &keys).is_ok());
        let named = |count: usize| secrets(&values(count, "id"), &values(count, "api_key"));
        assert!(named(SEARCHES).is_ok());
        assert!(named(SEARCHES + 1).is_err());
    }
}
