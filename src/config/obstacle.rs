//! Reasons why a candidate cannot be asked.

use crate::privacy::find;

/// Why a candidate cannot be asked.
pub(super) struct Obstacle {
    pub(super) why: String,
    pub(super) kind: Kind,
    /// The environment variable to set.
    pub(super) variable: Option<String>,
}

/// The kind of obstacle, which determines the remedy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The configuration must be corrected.
    Mistake,
    /// A key is currently missing.
    Absence,
    /// A key is being fetched.
    Pending,
}

impl Obstacle {
    pub(super) fn mistake(why: impl Into<String>) -> Self {
        Self { why: why.into(), kind: Kind::Mistake, variable: None }
    }

    pub(super) fn absence(why: impl Into<String>) -> Self {
        Self { why: why.into(), kind: Kind::Absence, variable: None }
    }

    /// The environment variable that `setting` names is unset; it should hold a `what`, as the setting may do instead.
    pub(super) fn unset(setting: &str, name: &str, what: &str) -> Self {
        if !is_variable_name(name) {
            return Self::mistake(holds_itself(setting, what, "the variable that holds it"));
        }
        let why = format!("the environment variable {name} holds no {what}");
        Self { variable: Some(name.to_owned()), ..Self::absence(why) }
    }
}

/// Whether a text can name an environment variable, and is no secret.
pub fn is_variable_name(text: &str) -> bool {
    let is_name = text.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric());
    is_name && !text.starts_with(|first: char| first.is_ascii_digit()) && !is_secret(text)
}

/// Whether a text in place of a name seems to be a secret.
pub(super) fn is_secret(text: &str) -> bool {
    !find(&format!("key = \"{text}\"")).is_empty()
}

/// A message about a secret in place of a name, without the secret.
pub(super) fn holds_itself(setting: &str, what: &str, name: &str) -> String {
    format!("`{setting}` seems to hold the {what} itself; name {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_in_place_of_a_name_is_not_shown() {
        let check = |name: &str, is_shown: bool| {
            let Obstacle { why, variable, .. } = Obstacle::unset("api_key_env", name, "key");
            assert_eq!((why.contains(name), variable.is_some()), (is_shown, is_shown), "{why}");
        };
        for name in
            ["OPENAI_API_KEY", "GITHUB_TOKEN", "my_key_2", "COMPANY_LLM_GATEWAY_KEY", "KEY", "NO_SUCH_KEY"]
        {
            check(name, true);
        }
        for key in [
            concat!("sk-", "proj-Zk3vQ8pLr2TnX7yWb5MdJh9CsWe4GfAa"),
            concat!("ghp_", "Zk3vQ8pLr2TnX7yWb5MdJh9CsWe4GfAa0011"),
            concat!("gsk_", "Zk3vQ8pLr2TnX7yWb5MdJh9CsWe4GfAaZk3vQ8pLr2TnX7yWb5"),
            concat!("AKIA", "Z3VQ8PLR2TNX7YWB"),
            concat!("9f86d081884c7d65", "9a2feaa0c55ad015"),
            "Bearer abc",
        ] {
            check(key, false);
        }
        for program in
            ["pass", "op", "get-openai-key", "/usr/local/bin/llm-key-helper", "secret-tool", "aws-vault"]
        {
            assert!(!is_secret(program), "{program}");
        }
    }
}
