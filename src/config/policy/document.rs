//! The document of a policy, as its author writes it in TOML.

use std::collections::BTreeMap;
use std::time::SystemTime;

use globset::Glob;

use super::switches::{OFF, ON};
use super::{moment, urls};
use crate::config::ContextScope;
use crate::config::limits::POLICY_CLOCKS;
use crate::config::node::{self, Node, RawValue};
use crate::config::options::{self, tables};
use crate::config::read::{Merge, Read, Reading};
use crate::privacy::PathRules;
use crate::text::did_you_mean;

/// The format that this version reads.
const VERSION: u64 = 1;

tables! {
    /// The rules, and what identifies them. `version` and `settings` stand beside them.
    PolicyDocument {
        /// A number that rises with each change. One that was lower before is refused.
        serial: Option<u64>,
        /// When it was issued: a time with its zone, or a day.
        issued: Option<String>,
        /// When it ends.
        expires: Option<String>,
        /// What may be asked.
        models: ModelRules,
        /// The highest limits on spending.
        budget: options::Budget,
        /// What may be sent.
        privacy: PrivacyRules,
        /// The switches that users cannot move.
        locked: LockedSettings,
        /// The prices of models, which users cannot change.
        prices: BTreeMap<String, options::Price>,
    }

    /// What may be asked. Both must allow a candidate.
    ModelRules {
        /// Globs of the names of models.
        allow: Option<Vec<String>>,
        /// Base URLs, each with the paths below it.
        urls: Option<Vec<String>>,
    }

    /// What may be sent.
    PrivacyRules {
        /// Globs of files that are never sent to a model, in addition to those of the user.
        deny: Option<Vec<String>>,
        /// Globs of files in which the local engine alone works.
        local_only: Option<Vec<String>>,
        /// The widest scope of what is shown beside a file.
        context: Option<ContextScope>,
    }

    /// The switches that users cannot move.
    LockedSettings {
        /// Settings that are off.
        off: Option<Vec<String>>,
        /// Settings that are on.
        on: Option<Vec<String>>,
        /// The one collector of telemetry, or `none`.
        telemetry: Option<String>,
        /// The one URL that gets the bill, or `none`.
        bill: Option<String>,
    }
}

/// A policy whose signature was checked.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    pub(super) serial: u64,
    pub(super) issued: SystemTime,
    pub(super) expires: SystemTime,
    pub(super) rules: PolicyDocument,
    /// Settings that are offered, as a layer below those of the user, with the text that they are from.
    pub(super) offered: Option<(Node, String)>,
}

impl Policy {
    /// Parses a document.
    ///
    /// A rule that is not understood is no rule that can be left out, so the whole policy is refused for it. The
    /// error is a clause about the policy.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut problems = Vec::new();
        let mut reading = Reading::new("it", text, &mut problems);
        let (mut node, errors) = node::parse(text);
        for (at, what) in errors {
            reading.wrong_text(at, what, None);
        }
        check_version(node.take("version"))?;
        let offered = node.take("settings").map(|node| (node, text.to_owned()));
        let mut rules = PolicyDocument::default();
        rules.merge_from(node, &mut reading);
        if let Some(problem) = problems.first() {
            return Err(problem.to_string());
        }
        let missing = |name: &str| format!("it has no `{name}`");
        let serial = rules.serial.ok_or_else(|| missing("serial"))?;
        let time = |name: &str, written: &Option<String>| {
            let written = written.as_deref().ok_or_else(|| missing(name))?;
            moment::parse(written)
                .ok_or_else(|| format!("its `{name}` is no time, such as \"2026-11-20T12:00:00Z\""))
        };
        let (issued, expires) = (time("issued", &rules.issued)?, time("expires", &rules.expires)?);
        if expires <= issued {
            return Err("it ends before it is issued".to_owned());
        }
        check_rules(&rules)?;
        Ok(Self { serial, issued, expires, rules, offered })
    }

    /// Checks that it is valid at this time, by clocks that may differ by an hour. The error is a clause about the
    /// policy.
    pub(super) fn check_time(&self, now: SystemTime) -> Result<(), String> {
        if self.issued > now + POLICY_CLOCKS {
            let issued = moment::shown(self.issued);
            return Err(format!(
                "it was issued on {issued}, which is in the future: set this machine's clock"
            ));
        }
        if self.expires + POLICY_CLOCKS < now {
            return Err(format!("it ended on {}: it is to be issued anew", moment::shown(self.expires)));
        }
        Ok(())
    }
}

fn check_version(node: Option<Node>) -> Result<(), String> {
    let node = node.ok_or("it has no `version`")?;
    let RawValue::Number(version) = node.value else { return Err("its `version` is no number".to_owned()) };
    match version.as_u64() {
        Some(VERSION) => Ok(()),
        _ => Err(format!("it has version {version}, and this Tandem reads version {VERSION}: update Tandem")),
    }
}

/// Checks the values that are not checked by being read.
fn check_rules(rules: &PolicyDocument) -> Result<(), String> {
    let PolicyDocument { models, privacy, locked, budget, .. } = rules;
    if budget.lease.password_command.is_some() {
        return Err("budget.lease.password_command: a policy runs no program; use `password_env`".to_owned());
    }
    for glob in models.allow.iter().flatten() {
        Glob::new(glob).map_err(|error| format!("models.allow: `{glob}` is no glob: {}", error.kind()))?;
    }
    if let Some(url) = models.urls.iter().flatten().find(|url| !urls::is_rule(url)) {
        return Err(format!("models.urls: `{url}` is no URL"));
    }
    let globs = |globs: &Option<Vec<String>>| PathRules::new(globs.as_deref().unwrap_or_default(), &[]).1;
    if let Some(bad) = globs(&privacy.deny).into_iter().chain(globs(&privacy.local_only)).next() {
        return Err(format!("privacy: {bad}"));
    }
    let switches = [("off", &locked.off, OFF), ("on", &locked.on, ON)];
    for (list, written, known) in switches {
        let names = || known.iter().map(|(name, _)| *name);
        if let Some(name) = written.iter().flatten().find(|name| names().all(|it| it != *name)) {
            let guess = did_you_mean(name, names());
            return Err(format!("locked.{list}: there is no switch `{name}`{guess}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expect: Expect) {
        let head =
            "version = 1\nserial = 7\nissued = \"2026-11-20\"\nexpires = \"2027-02-01T00:00:00+01:00\"\n";
        let text = text.replace("HEAD\n", head);
        let shown = Policy::parse(&text)
            .map(|it| format!("{} {} {}", it.serial, moment::shown(it.issued), moment::shown(it.expires)));
        expect.assert_eq(&shown.unwrap_or_else(|why| why));
    }

    #[test]
    fn document_is_read_whole_or_refused() {
        check("HEAD\n", expect!["7 2026-11-20 00:00 UTC 2027-01-31 23:00 UTC"]);
        check(
            "HEAD\n[models]\nallow = [\"gpt-*\"]\nurls = [\"https://*.corp.test/v1\"]\n[budget]\nday_dollars = 5\n\
             [privacy]\ndeny = [\"hsm/\"]\ncontext = \"open\"\n[locked]\noff = [\"record\"]\non = [\"privacy.redact\"]\n\
             [prices.\"gpt-6\"]\ninput = 1\noutput = 2\n[settings]\neagernes = \"low\"\n",
            expect!["7 2026-11-20 00:00 UTC 2027-01-31 23:00 UTC"],
        );
        check(
            "version = 2\nnew = true",
            expect![[r#"it has version 2, and this Tandem reads version 1: update Tandem"#]],
        );
        check("version = \"1\"", expect!["its `version` is no number"]);
        check("", expect!["it has no `version`"]);
        check("version = 1", expect!["it has no `serial`"]);
        check(
            "version = 1\nserial = -1",
            expect!["it:2:1: serial: expected a whole number from 0, found -1"],
        );
        check(
            "version = 1\nserial = 1\nissued = 2026-11-20",
            expect!["it:3:1: issued: expected a string, found a date"],
        );
        check(
            "version = 1\nserial = 1\nissued = \"20 November\"\nexpires = \"2027-01-01\"",
            expect![[r#"its `issued` is no time, such as "2026-11-20T12:00:00Z""#]],
        );
        check(
            "version = 1\nserial = 1\nissued = \"2027-01-01\"\nexpires = \"2026-01-01\"",
            expect!["it ends before it is issued"],
        );
    }

    #[test]
    fn rule_that_is_not_understood_is_not_left_out() {
        check(
            "HEAD\n[budget]\nday_dolars = 5",
            expect!["it:6:1: budget.day_dolars: no such setting; did you mean `day_dollars`?"],
        );
        check(
            "HEAD\n[budget]\nday_dollars = nan",
            expect![[r#"it:6:1: budget.day_dollars: expected a number from 0, found a date"#]],
        );
        check("HEAD\n[models]\nallow = \"gpt\"\ndeny = []", expect!["it:7:1: models.deny: no such setting"]);
        check(
            "HEAD\n[models]\nallow = [\"[\"]",
            expect!["models.allow: `[` is no glob: unclosed character class; missing ']'"],
        );
        check("HEAD\n[models]\nurls = [\"gw.corp.test\"]", expect!["models.urls: `gw.corp.test` is no URL"]);
        check(
            "HEAD\n[privacy]\nlocal_only = [\"{\"]",
            expect![
                "privacy: `{` is no glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"
            ],
        );
        check(
            "HEAD\n[locked]\noff = [\"recrd\"]",
            expect!["locked.off: there is no switch `recrd`; did you mean `record`?"],
        );
        check("HEAD\n[locked", expect!["it:5:8: unclosed table, expected `]`"]);
    }

    #[test]
    fn clocks_may_differ_by_an_hour() {
        let text = "version = 1\nserial = 1\nissued = \"2026-11-20\"\nexpires = \"2026-11-21\"";
        let policy = Policy::parse(text).unwrap();
        let check = |at: &str, expected: bool| {
            assert_eq!(policy.check_time(moment::parse(at).unwrap()).is_ok(), expected, "{at}");
        };
        check("2026-11-19T22:59:59Z", false);
        check("2026-11-19T23:00:00Z", true);
        check("2026-11-21T01:00:00Z", true);
        check("2026-11-21T01:00:01Z", false);
    }
}
