//! Rate limits that servers report in headers, in one or more pools per model.
//!
//! Three families of headers are read: `x-ratelimit-{limit,remaining,reset}-POOL` (OpenAI, Cerebras, Groq and others;
//! the pools are `requests`, `tokens`, `tokens-minute` and so on), `anthropic-ratelimit-POOL-{limit,remaining,reset}`,
//! and `x-codex-{primary,secondary}-{used-percent,window-minutes}` of the Codex back end.

use super::limits::QUOTA_POOLS;

use std::collections::BTreeMap;

/// A pool: its name, and how much of it is left or used.
pub(super) type QuotaPool = (String, String);

/// The headers of one pool.
#[derive(Default)]
struct Said<'a> {
    limit: Option<&'a str>,
    remaining: Option<&'a str>,
    reset: Option<&'a str>,
    used_percent: Option<&'a str>,
    minutes: Option<&'a str>,
}

/// Reads the headers, whose names are in lower case.
pub(super) fn of_headers<'a>(headers: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<QuotaPool> {
    let mut pools: BTreeMap<&str, Said<'_>> = BTreeMap::new();
    for (name, value) in headers {
        let value = value.trim();
        let after = |prefix| name.strip_prefix(prefix);
        let reversed = |(pool, kind)| (kind, pool);
        let named = after("x-ratelimit-").and_then(|rest| rest.split_once('-'));
        let named = named.or_else(|| after("anthropic-ratelimit-")?.rsplit_once('-').map(reversed));
        let named = named.or_else(|| after("x-codex-")?.split_once('-').map(reversed));
        let Some((kind, pool)) = named else { continue };
        let said = pools.entry(pool).or_default();
        match kind {
            "limit" => said.limit = Some(value),
            "remaining" => said.remaining = Some(value),
            "reset" => said.reset = Some(value),
            "used-percent" => said.used_percent = Some(value),
            "window-minutes" => said.minutes = Some(value),
            _ => {}
        }
    }
    pools
        .into_iter()
        .filter_map(|(pool, said)| Some((pool.to_owned(), said.words()?)))
        .take(QUOTA_POOLS)
        .collect()
}

impl Said<'_> {
    /// Formats the pool; `None` if no figure shows how much is left.
    fn words(&self) -> Option<String> {
        let number = |text: Option<&str>| text?.parse::<f64>().ok().filter(|it| it.is_finite());
        if let Some(used) = number(self.used_percent) {
            let window = number(self.minutes).map(|minutes| format!(" of {minutes} minutes"));
            return Some(format!("{used} %{}", window.unwrap_or_default()));
        }
        let left = number(self.remaining)?;
        let of = number(self.limit).map(|limit| format!(" of {limit}")).unwrap_or_default();
        // Seconds, or a span such as `6m0s`. Some servers send a date, which is too long to show.
        let is_span = |it: &&str| {
            it.len() <= 16 && it.bytes().all(|byte| byte.is_ascii_digit() || b".hmsd".contains(&byte))
        };
        let renewed = self.reset.filter(is_span).map(|it| {
            let unit = if it.ends_with(|it: char| it.is_ascii_digit()) { " s" } else { "" };
            format!(", renewed in {it}{unit}")
        });
        Some(format!("{left}{of} left{}", renewed.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(headers: &[(&str, &str)], expect: Expect) {
        let pools = of_headers(headers.iter().copied());
        expect.assert_eq(&pools.iter().map(|(pool, what)| format!("{pool}: {what}\n")).collect::<String>());
    }

    #[test]
    fn reads_the_pools_that_servers_name() {
        check(
            &[
                ("x-ratelimit-limit-requests", "60"),
                ("x-ratelimit-remaining-requests", "59"),
                ("x-ratelimit-reset-requests", "1s"),
                ("x-ratelimit-limit-tokens", "150000"),
                ("x-ratelimit-remaining-tokens", "149984"),
                ("x-ratelimit-reset-tokens", "6m0s"),
                ("x-request-id", "canary"),
            ],
            expect![[r#"
                requests: 59 of 60 left, renewed in 1s
                tokens: 149984 of 150000 left, renewed in 6m0s
            "#]],
        );
        check(
            &[
                ("x-ratelimit-limit-requests-day", "1000"),
                ("x-ratelimit-remaining-requests-day", "12"),
                ("x-ratelimit-reset-requests-day", "33011.38"),
                ("x-ratelimit-remaining-tokens-minute", "5"),
            ],
            expect![[r#"
                requests-day: 12 of 1000 left, renewed in 33011.38 s
                tokens-minute: 5 left
            "#]],
        );
        check(
            &[
                ("x-codex-primary-used-percent", "37.5"),
                ("x-codex-primary-window-minutes", "300"),
                ("x-codex-primary-reset-at", "1795190000"),
                ("x-codex-secondary-used-percent", "4"),
                ("x-codex-turn-state", "canary"),
            ],
            expect![[r#"
                primary: 37.5 % of 300 minutes
                secondary: 4 %
            "#]],
        );
        check(
            &[
                ("anthropic-ratelimit-input-tokens-limit", "400000"),
                ("anthropic-ratelimit-input-tokens-remaining", "399000"),
                ("anthropic-ratelimit-input-tokens-reset", "2026-11-24T12:00:00Z"),
            ],
            expect![[r#"
                input-tokens: 399000 of 400000 left
            "#]],
        );
    }

    #[test]
    fn passes_over_what_is_no_figure() {
        check(
            &[
                ("x-ratelimit-remaining-requests", "Bearer canary"),
                ("x-ratelimit-limit-tokens", "5"),
                ("x-ratelimit-", "1"),
                ("x-codex-primary-used-percent", "inf"),
                ("x-ratelimit-remaining-a", "1"),
                ("x-ratelimit-reset-a", "Bearer canary"),
            ],
            expect![[r#"
                a: 1 left
            "#]],
        );
        let names: Vec<String> = (0..100).map(|at| format!("x-ratelimit-remaining-{at}")).collect();
        assert_eq!(of_headers(names.iter().map(|name| (&**name, "1"))).len(), QUOTA_POOLS);
    }
}
