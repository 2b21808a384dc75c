//! Nothing that looks like a key may be introduced.

use crate::edit::Refusal;
use crate::privacy;

/// Refuses a result that has something like a key which the text before had not.
///
/// # Errors
///
/// [`Refusal::Secret`] with what it looks like; never with the text itself.
pub fn secrets(before: &str, after: &str) -> Result<(), Refusal> {
    for secret in privacy::find(after).into_iter().filter(|it| it.sure) {
        if !before.contains(&after[secret.span]) {
            return Err(Refusal::Secret { kind: secret.kind });
        }
    }
    Ok(())
}
#[cfg(test)]
mod tests {
    use super::*;

    // The keys are put together here, so that this file has none.
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
}
