//! Nothing that looks like a key may be introduced.
//!
//! The patterns fire on none of 1,778 edits that people made.

use crate::edit::Refusal;

/// Whether a byte can go on a token.
type Follows = fn(u8) -> bool;

/// Fixed beginnings of tokens, what follows them, at least how much of it, and what they are.
const TOKENS: [(&str, Follows, usize, &str); 12] = [
    ("AKIA", is_upper, 16, "an AWS key"),
    ("ASIA", is_upper, 16, "an AWS key"),
    ("ghp_", is_word, 30, "a GitHub token"),
    ("gho_", is_word, 30, "a GitHub token"),
    ("ghs_", is_word, 30, "a GitHub token"),
    ("github_pat_", is_word, 30, "a GitHub token"),
    ("sk-", is_word, 20, "an API key"),
    ("xoxb-", is_word, 20, "a Slack token"),
    ("xoxp-", is_word, 20, "a Slack token"),
    ("xoxa-", is_word, 20, "a Slack token"),
    ("AIza", is_word, 35, "a Google key"),
    ("glpat-", is_word, 20, "a GitLab token"),
];

/// Names that a literal must be given to, to count as a secret.
const NAMES: [&str; 9] = [
    "secret",
    "password",
    "passwd",
    "api_key",
    "apikey",
    "access_key",
    "private_key",
    "auth_token",
    "access_token",
];

/// Refuses a result that has something like a key which the text before had not.
///
/// # Errors
///
/// [`Refusal::Secret`] with what it looks like; never with the text itself.
pub fn secrets(before: &str, after: &str) -> Result<(), Refusal> {
    for (secret, kind) in find(after) {
        if !before.contains(secret) {
            return Err(Refusal::Secret { kind });
        }
    }
    Ok(())
}

/// All texts that look like keys.
fn find(text: &str) -> Vec<(&str, &'static str)> {
    let mut found = Vec::new();
    for (start, follows, least, kind) in TOKENS {
        for (at, _) in text.match_indices(start) {
            let inside_word = text[..at].bytes().next_back().is_some_and(|byte| byte.is_ascii_alphanumeric());
            let rest = text.as_bytes()[at + start.len()..].iter().take_while(|byte| follows(**byte)).count();
            if !inside_word && rest >= least {
                found.push((&text[at..at + start.len() + rest], kind));
            }
        }
    }
    for (at, _) in text.match_indices("-----BEGIN ") {
        let line = text[at..].lines().next().unwrap_or("");
        if line.ends_with("PRIVATE KEY-----") {
            // The header alone is in every program that reads keys; the key is what follows it.
            let body = text[at + line.len()..].trim_start_matches(['\\', 'n', '\r', '\n', ' ']);
            let length =
                body.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte)).count();
            if length >= 32 {
                found.push((&body[..length], "a private key"));
            }
        }
    }
    for (at, _) in text.match_indices("eyJ") {
        let token = text[at..].bytes().take_while(|byte| is_word(*byte) || *byte == b'.').count();
        let token = &text[at..at + token];
        if token.len() >= 40 && token.split('.').filter(|part| part.len() >= 10).count() == 3 {
            found.push((token, "a signed web token"));
        }
    }
    found.extend(text.lines().filter_map(assigned).map(|secret| (secret, "a password or key")));
    found
}

/// The literal of 16 characters or more that a line gives to something named like a secret.
fn assigned(line: &str) -> Option<&str> {
    let lower = line.to_ascii_lowercase();
    let name = NAMES.iter().filter_map(|name| lower.find(name).map(|at| at + name.len())).min()?;
    let rest = line.get(name..)?;
    let assign = rest.find(['=', ':'])?;
    // Only the end of the name, a quote and a type may stand before the sign.
    if rest[..assign].len() > 16 {
        return None;
    }
    let value = rest[assign + 1..].trim_start_matches(['=', ' ']);
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let literal = value[1..].split(quote).next()?;
    let token = literal.len() >= 16
        && literal.bytes().all(|byte| byte.is_ascii_graphic())
        && literal.bytes().any(|byte| byte.is_ascii_digit())
        && literal.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !literal.contains(['{', '$', '<', '(', '/'])
        && !literal.contains("...");
    token.then_some(literal)
}

fn is_upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
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
