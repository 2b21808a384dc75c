//! Mistakes that leave open what may be sent to models, or spent on them.
//!
//! A rule that cannot be read must not be ignored: a file that it was meant to hide would be sent. Therefore no
//! model is asked until such a mistake is corrected. The intended value is never guessed.

use crate::text::nearest;

/// Settings for the data that models may be shown. A profile may contain any of them.
const OF_SHOWN: [&str; 6] = ["privacy", "profile", "deny", "allow", "redact", "context"];
/// Settings for spending.
const OF_SPENT: [&str; 6] =
    ["budget", "session_dollars", "day_dollars", "session_tokens", "day_tokens", "lease"];

/// The kind of limit that a mistake leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailClosed {
    /// The data that models may be shown.
    Shown,
    /// The money or tokens that models may cost.
    Spent,
}

/// The limit left open if the value at this path of names cannot be read.
///
/// An unknown key counts as the setting it resembles, at any depth.
pub(super) fn of(path: &[String]) -> Option<FailClosed> {
    let path = match path {
        [profiles, _, rest @ ..] if profiles == "profiles" => rest,
        path => path,
    };
    let names = OF_SHOWN.into_iter().chain(OF_SPENT);
    let meant = nearest(path.first()?, names)?;
    Some(if OF_SHOWN.contains(&meant) { FailClosed::Shown } else { FailClosed::Spent })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::options::{Budget, Options, Privacy};

    #[test]
    fn what_may_be_sent_or_spent_is_told_from_the_rest() {
        let check = |path: &str, expected: Option<FailClosed>| {
            let path: Vec<String> = path.split('.').filter(|it| !it.is_empty()).map(str::to_owned).collect();
            assert_eq!(of(&path), expected, "{path:?}");
        };
        for path in
            ["privacy.deny", "privacy.denied", "privac", "deny", "profile", "profiles.x.privacy.context"]
        {
            check(path, Some(FailClosed::Shown));
        }
        for path in ["budget", "budget.day_dolars", "budgets", "day_dollars", "profiles.x.budget.day_tokens"]
        {
            check(path, Some(FailClosed::Spent));
        }
        for path in
            ["eagerness", "providers.a.proxy", "languages.deny.x", "elsewhere", "profiles.budget.fats"]
        {
            check(path, None);
        }
        let own = ["privacy", "profile", "profiles", "budget"];
        for name in Options::NAMES.iter().filter(|name| !own.contains(name)) {
            check(name, None);
        }
        assert_eq!(OF_SHOWN[2..], *Privacy::NAMES);
        assert_eq!(OF_SPENT[1..], *Budget::NAMES);
    }
}
