//! A company's policy, from the administrator's file to the settings.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

use super::*;
use crate::config::policy::{PolicyAnswer, PolicyFiles, sign};
use crate::config::{ContextScope, Eagerness};
use crate::privacy::Verdict;

/// The key of the first test vector of RFC 8032 §7.1, and its public key.
const KEY: &str = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
const PUBLIC: &str = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
/// That of the second one.
const OTHER_KEY: &str = "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7";

/// The clock of these tests.
fn now() -> SystemTime {
    at("2026-11-28")
}

fn at(day: &str) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(crate::text::Day::parse(day).unwrap().0 * 24 * 60 * 60)
}

/// A machine whose administrator wrote this, besides the URL and the key.
struct Machine {
    folder: TempDir,
    files: PolicyFiles,
}

impl Machine {
    fn new(more: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let machine = folder.path().join("machine.toml");
        let text = format!("url = \"https://policy.test/p\"\npublic_key = \"{PUBLIC}\"\n{more}");
        std::fs::write(&machine, text).unwrap();
        let files = PolicyFiles { machine, state: Some(folder.path().join("state")), clock: now };
        Self { folder, files }
    }

    fn answered(&self, answer: PolicyAnswer) {
        let question = self.files.question(Duration::ZERO, &|_| None).unwrap();
        self.files.note(&question, answer).unwrap();
    }

    /// A policy with this serial, from this day for a month, comes with these rules.
    fn comes(&self, serial: u64, issued: &str, rules: &str) {
        self.answered(new(serial, issued, rules, KEY));
    }

    fn load(&self, user: &str, project: &str) -> Loaded {
        let path = self.folder.path().join("config.toml");
        std::fs::write(&path, user).unwrap();
        std::fs::write(self.folder.path().join(PROJECT_FILE), project).unwrap();
        let (folders, variable) = ([self.folder.path().to_owned()], |_: &str| None);
        let (policy, readers) = (Some(&self.files), &Readers::default());
        let sources = Sources {
            policy,
            file: Some(&path),
            editor: &[],
            folders: &folders,
            variable: &variable,
            readers,
        };
        load(&sources, &mut Keys::default(), false)
    }

    /// The policy, the settings that it changes, the candidates, and the problems.
    fn check(&self, user: &str, expect: Expect) {
        let loaded = self.load(user, "");
        let settings = loaded.settings.everywhere();
        let report = settings.policy.as_ref().unwrap();
        let mut shown = report.line((self.files.clock)()) + "\n";
        shown.extend(report.rules().map(|it| format!("  {it}\n")));
        for it in &settings.fast.candidates {
            shown += &format!("fast: {} at {}\n", it.model, it.base_url);
        }
        for it in &settings.fast.left_out {
            shown += &format!("not {}: {}\n", it.model, it.why);
        }
        shown.extend(loaded.problems.iter().map(|it| format!("! {it}\n")));
        expect.assert_eq(&shown.replace(&format!("{}/", self.folder.path().display()), ""));
    }
}

fn new(serial: u64, issued: &str, rules: &str, key: &str) -> PolicyAnswer {
    let (year, rest) = issued.split_at(4);
    let ends = format!("{}{rest}", year.parse::<u64>().unwrap() + 1);
    let head = format!("version = 1\nserial = {serial}\nissued = \"{issued}\"\nexpires = \"{ends}\"\n");
    PolicyAnswer::New(sign(&format!("{head}{rules}"), key).unwrap().0, Some("\"tag\"".to_owned()))
}

const USER: &str = r#"
record = true
[providers.openai]
base_url = "https://api.openai.com/v1"
[providers.own]
base_url = "https://own.test/v1"
[fast]
candidates = [
  { provider = "openai", model = "gpt-6-luna" },
  { provider = "openai", model = "o9" },
  { provider = "openai", model = "gpt-mystery" },
  { provider = "own", model = "gpt-6-luna" },
]
[budget]
day_dollars = 20
session_dollars = 1
[prices.gpt-6-luna]
input = 0
output = 0
[privacy]
allow = ["*.pem"]
redact = false
[verify]
command = "make check"
network = true
[telemetry]
endpoint = "https://elsewhere.test"
"#;

const RULES: &str = r#"
[models]
allow = ["GPT-*"]
urls = ["https://api.openai.com"]
[budget]
day_dollars = 5
session_dollars = 2
session_tokens = 1000
[privacy]
deny = ["hsm/"]
local_only = ["crypto/"]
context = "open"
[locked]
off = ["record", "privacy.allow", "verify.network", "speculate"]
on = ["privacy.redact", "verify.sandbox"]
telemetry = "https://otel.corp.test"
[prices.o9]
input = 1
output = 2
"#;

#[test]
fn policy_narrows_and_names_each_rule() {
    let machine = Machine::new("");
    machine.comes(7, "2026-11-20", RULES);
    machine.check(
        USER,
        expect![[r#"
        https://policy.test/p: serial 7, issued 8 days ago, ends 2027-11-20 00:00 UTC; up to date
          prices: those of the policy and of Tandem apply (`budget`)
          telemetry.endpoint: https://otel.corp.test (`locked.telemetry`)
          fast.candidates: without o9 of openai (`models.allow`)
          fast.candidates: without gpt-mystery of openai (`budget`)
          fast.candidates: without gpt-6-luna of own (`models.urls`)
          budget.day_dollars: 5 instead of 20 (`budget.day_dollars`)
          budget.session_tokens: 1000 instead of no limit (`budget.session_tokens`)
          privacy.deny: adds hsm/ (`privacy.deny`)
          privacy: no model sees crypto/ (`privacy.local_only`)
          privacy.context: `open` instead of `workspace` (`privacy.context`)
          record: off (`locked.off`)
          verify.network: off (`locked.off`)
          privacy.allow: off (`locked.off`)
          privacy.redact: on (`locked.on`)
        fast: gpt-6-luna at https://api.openai.com/v1
        not o9: the company's policy does not allow it (`models.allow`)
        not gpt-mystery: the company's policy limits dollars and has no price for it (`budget`)
        not gpt-6-luna: the company's policy does not allow its URL (`models.urls`)
    "#]],
    );
    let settings = Arc::clone(machine.load(USER, "").settings.everywhere());
    assert_eq!((settings.record, settings.privacy.redact), (false, true));
    assert_eq!((settings.budget.day_dollars, settings.budget.session_dollars), (Some(5.0), Some(1.0)));
    assert_eq!(settings.prices.keys().collect::<Vec<_>>(), ["o9"]);
    assert_eq!(settings.telemetry.as_ref().unwrap().base_url, "https://otel.corp.test");
    assert!(!settings.verify.as_ref().unwrap().network);
}

#[test]
fn neither_user_nor_project_widens_a_policy() {
    let machine = Machine::new("");
    machine.comes(7, "2026-11-20", RULES);
    let project = "[privacy]\ndeny = [\"mine/\"]\ncontext = \"workspace\"\nallow = [\"hsm/\"]\n[budget]\nday_dollars = 9";
    let user =
        "[privacy]\nallow = [\"hsm/\", \"crypto/\"]\ncontext = \"workspace\"\n[budget]\nday_dollars = 9\n";
    let loaded = machine.load(user, project);
    let verdicts = |file: &str| match loaded.settings.verdict(&machine.folder.path().join(file)) {
        Verdict::Open => "open".to_owned(),
        other => format!("{}: {other}", other.code()),
    };
    let shown: Vec<String> =
        ["hsm/a.rs", "crypto/a.rs", "mine/a.rs", "src/a.rs", "a.pem"].map(verdicts).into();
    expect![[r#"
        secret: `privacy.deny` has `hsm/`
        ignored: the company's policy keeps `crypto/` local
        secret: `privacy.deny` has `mine/`
        open
        secret: files called `*.pem` hold secrets"#]]
    .assert_eq(&shown.join("\n"));
    let project = loaded.settings.of(Some(&machine.folder.path().join("a.rs")));
    assert_eq!((project.privacy.context, project.budget.day_dollars), (ContextScope::Open, Some(5.0)));
}

#[test]
fn narrower_settings_of_the_user_stay() {
    let machine = Machine::new("");
    machine.comes(7, "2026-11-20", RULES);
    let user = "[budget]\nday_dollars = 1\nsession_dollars = 1\nsession_tokens = 10\n[privacy]\ncontext = \"file\"\n";
    machine.check(
        user,
        expect![[r#"
        https://policy.test/p: serial 7, issued 8 days ago, ends 2027-11-20 00:00 UTC; up to date
          privacy.deny: adds hsm/ (`privacy.deny`)
          privacy: no model sees crypto/ (`privacy.local_only`)
    "#]],
    );
    assert_eq!(machine.load(user, "").settings.everywhere().privacy.context, ContextScope::File);
}

#[test]
fn policy_offers_settings_below_those_of_the_user_and_runs_nothing() {
    let machine = Machine::new("");
    let offered = r#"
[settings]
eagerness = "low"
max_ghost_lines = 3
[settings.verify]
command = "rm -r"
[settings.providers.gateway]
base_url = "https://gw.corp.test/v1"
[settings.providers.running]
base_url = "https://gw.corp.test/v1"
api_key_command = "rm -r"
[settings.fast]
candidates = [{ provider = "gateway", model = "m" }]
[settings.profiles.quiet]
eagerness = "low"
verify = { command = "rm" }
[settings.profiles.quiet.providers.running]
base_url = "https://gw.corp.test/v1"
token_command = "rm -r"
"#;
    machine.comes(7, "2026-11-20", offered);
    machine.check("max_ghost_lines = 5\nprofile = \"quiet\"", expect![[r#"
        https://policy.test/p: serial 7, issued 8 days ago, ends 2027-11-20 00:00 UTC; up to date
        fast: m at https://gw.corp.test/v1
        ! https://policy.test/p: providers.running: ignored: `api_key_command` is set in the configuration file alone
        ! https://policy.test/p: profiles.quiet.providers.running: ignored: `token_command` is set in the configuration file alone
        ! https://policy.test/p:20:1: verify: ignored: it is set in the configuration file alone
        ! https://policy.test/p:9:11: verify: ignored: it is set in the configuration file alone
    "#]]);
    let settings = Arc::clone(machine.load("max_ghost_lines = 5", "").settings.everywhere());
    assert_eq!((settings.eagerness, settings.max_ghost_lines), (Eagerness::Low, 5));
    assert_eq!(settings.verify, None);
}

#[test]
fn without_a_valid_policy_no_model_is_asked_unless_that_is_allowed() {
    let [strict, lax] = ["", "required = false"].map(Machine::new);
    let user = "[providers.p]\nbase_url = \"https://p.test\"\n[fast]\ncandidates = [{ provider = \"p\", model = \"m\" }]";
    strict.check(
        user,
        expect![[r#"
        https://policy.test/p: none applies; it is yet to be fetched
        not m: no model is asked without the company's policy: it is yet to be fetched
    "#]],
    );
    lax.check(
        user,
        expect![[r#"
        https://policy.test/p: none applies; it is yet to be fetched
        fast: m at https://p.test
    "#]],
    );
    for machine in [&strict, &lax] {
        machine.answered(PolicyAnswer::Away("its server answers 404 Not Found".to_owned()));
    }
    strict.check(user, expect![[r#"
        https://policy.test/p: none applies; its server answers 404 Not Found
        not m: no model is asked without the company's policy: its server answers 404 Not Found
        ! https://policy.test/p: no model is asked without the company's policy: its server answers 404 Not Found
    "#]]);
    lax.check(user, expect![[r#"
        https://policy.test/p: none applies; its server answers 404 Not Found
        fast: m at https://p.test
        ! https://policy.test/p: there is no policy: its server answers 404 Not Found; no rule applies
    "#]]);
    for machine in [&strict, &lax] {
        machine.comes(7, "2026-11-20", "");
    }
    strict.check(
        user,
        expect![[r#"
        https://policy.test/p: serial 7, issued 8 days ago, ends 2027-11-20 00:00 UTC; up to date
        fast: m at https://p.test
    "#]],
    );
    lax.check(
        user,
        expect![[r#"
        https://policy.test/p: serial 7, issued 8 days ago, ends 2027-11-20 00:00 UTC; up to date
        fast: m at https://p.test
    "#]],
    );
    std::fs::write(&lax.files.machine, "url = 1").unwrap();
    lax.check(user, expect![[r#"
        machine.toml: none applies; line 1: invalid type: integer `1`, expected a string
        not m: no model is asked without the company's policy: line 1: invalid type: integer `1`, expected a string
        ! machine.toml: no model is asked without the company's policy: line 1: invalid type: integer `1`, expected a string
    "#]]);
}

#[test]
fn what_is_refused_leaves_the_last_good_policy() {
    let machine = Machine::new("");
    machine.comes(7, "2026-11-20", "[budget]\nday_dollars = 5");
    let check = |answer: PolicyAnswer, expect: Expect| {
        machine.answered(answer);
        let loaded = machine.load("", "");
        let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
        assert_eq!(loaded.settings.everywhere().budget.day_dollars, Some(5.0));
        expect.assert_eq(&problems.join("\n"));
    };
    check(
        new(8, "2026-11-21", "", OTHER_KEY),
        expect![
            "https://policy.test/p: the policy is refused: its signature is wrong: it was changed, or signed with another key; the one with serial 7 applies"
        ],
    );
    check(
        new(6, "2026-11-21", "", KEY),
        expect![
            "https://policy.test/p: the policy is refused: it has serial 6, and serial 7 was there before it; the one with serial 7 applies"
        ],
    );
    check(
        new(7, "2026-11-21", "", KEY),
        expect![
            "https://policy.test/p: the policy is refused: it has the serial 7 of another one: count it up; the one with serial 7 applies"
        ],
    );
    check(
        new(8, "2025-11-01", "", KEY),
        expect![
            "https://policy.test/p: the policy is refused: it ended on 2026-11-01 00:00 UTC: it is to be issued anew; the one with serial 7 applies"
        ],
    );
    check(
        new(8, "2026-11-29", "", KEY),
        expect![
            "https://policy.test/p: the policy is refused: it was issued on 2026-11-29 00:00 UTC, which is in the future: set this machine's clock; the one with serial 7 applies"
        ],
    );
    check(
        new(8, "2026-11-21", "[budgets]", KEY),
        expect![
            "https://policy.test/p: the policy is refused: it:5:2: budgets: no such setting; did you mean `budget`?; the one with serial 7 applies"
        ],
    );
    let version = sign("version = 2", KEY).unwrap().0;
    check(
        PolicyAnswer::New(version, None),
        expect![
            "https://policy.test/p: the policy is refused: it has version 2, and this Tandem reads version 1: update Tandem; the one with serial 7 applies"
        ],
    );
    check(
        PolicyAnswer::New("<html>".to_owned(), None),
        expect![
            "https://policy.test/p: the policy is refused: it does not begin with `# signature: BASE64`: sign it; the one with serial 7 applies"
        ],
    );
    check(
        PolicyAnswer::Unfit("it has more than 1024 KiB".to_owned()),
        expect![
            "https://policy.test/p: the policy is refused: it has more than 1024 KiB; the one with serial 7 applies"
        ],
    );
    check(PolicyAnswer::Away("its server did not answer within 10 s".to_owned()), expect![[""]]);
    check(PolicyAnswer::Same, expect![[""]]);
    machine.comes(8, "2026-11-28", "[budget]\nday_dollars = 6");
    machine.check(
        "",
        expect![[r#"
        https://policy.test/p: serial 8, issued today, ends 2027-11-28 00:00 UTC; up to date
          budget.day_dollars: 6 instead of no limit (`budget.day_dollars`)
    "#]],
    );
}

#[test]
fn policy_that_has_ended_narrows_on() {
    for (more, expect) in [
        (
            "",
            expect![[r#"
                https://policy.test/p: serial 7, issued 366 days ago, ends 2027-11-20 00:00 UTC; it ended on 2027-11-20 00:00 UTC: it is to be issued anew
                  budget.day_dollars: 5 instead of 9 (`budget.day_dollars`)
                ! https://policy.test/p: no model is asked without the company's policy: it ended on 2027-11-20 00:00 UTC: it is to be issued anew
            "#]],
        ),
        (
            "required = false",
            expect![[r#"
                https://policy.test/p: serial 7, issued 366 days ago, ends 2027-11-20 00:00 UTC; it ended on 2027-11-20 00:00 UTC: it is to be issued anew
                  budget.day_dollars: 5 instead of 9 (`budget.day_dollars`)
                ! https://policy.test/p: the policy is not valid: it ended on 2027-11-20 00:00 UTC: it is to be issued anew; the one with serial 7 applies
            "#]],
        ),
    ] {
        let mut machine = Machine::new(more);
        machine.comes(7, "2026-11-20", "[budget]\nday_dollars = 5");
        machine.files.clock = || at("2027-11-21");
        machine.check("[budget]\nday_dollars = 9", expect);
    }
}

#[test]
fn server_that_is_away_is_told_with_the_time_and_without_a_problem() {
    let mut machine = Machine::new("");
    machine.comes(7, "2026-11-20", "");
    machine.files.clock = || at("2026-11-30");
    machine.check("", expect![[r#"
        https://policy.test/p: serial 7, issued 10 days ago, ends 2027-11-20 00:00 UTC; kept since 2026-11-28 00:00 UTC: nobody has asked since
    "#]]);
    machine.answered(PolicyAnswer::Away("its server answers 503 Service Unavailable".to_owned()));
    machine.check("", expect![[r#"
        https://policy.test/p: serial 7, issued 10 days ago, ends 2027-11-20 00:00 UTC; kept since 2026-11-28 00:00 UTC: its server answers 503 Service Unavailable
    "#]]);
}

#[test]
fn kept_policy_that_was_changed_counts_for_nothing() {
    let machine = Machine::new("");
    machine.comes(7, "2026-11-20", "[budget]\nday_dollars = 5");
    let note = machine.folder.path().join("state/policy.json");
    let text = std::fs::read_to_string(&note).unwrap();
    std::fs::write(&note, text.replace("day_dollars = 5", "day_dollars = 9")).unwrap();
    machine.check(
        "",
        expect![[r#"
        https://policy.test/p: none applies; it is yet to be fetched
    "#]],
    );
    // It is fetched whole again, and a downgrade is still one.
    assert_eq!(machine.files.question(Duration::ZERO, &|_| None).unwrap().etag, None);
    machine.comes(6, "2026-11-20", "");
    machine.check("", expect![[r#"
        https://policy.test/p: none applies; it has serial 6, and serial 7 was there before it
        ! https://policy.test/p: no model is asked without the company's policy: it has serial 6, and serial 7 was there before it
    "#]]);
    for wrong in ["", "{", "[]", &format!("{{\"tried\": {}}}", u64::MAX)] {
        std::fs::write(&note, wrong).unwrap();
        machine.comes(6, "2026-11-20", "");
        assert!(machine.load("", "").problems.is_empty(), "{wrong}");
    }
}

#[test]
fn fetches_of_several_servers_are_one() {
    let machine = Machine::new("");
    let is_due =
        |minutes: u64| machine.files.question(Duration::from_secs(60 * minutes), &|_| None).is_some();
    assert!(is_due(60), "nothing was fetched");
    machine.comes(7, "2026-11-20", "");
    assert!(!is_due(60) && is_due(0));
    machine.answered(PolicyAnswer::Away("no".to_owned()));
    assert!(!is_due(60));
    let later =
        PolicyFiles { clock: || at("2026-11-28") + Duration::from_secs(6 * 60), ..machine.files.clone() };
    assert!(
        later.question(Duration::from_secs(60 * 60), &|_| None).is_some(),
        "a failure is tried again soon"
    );
    let earlier = PolicyFiles { clock: || at("2026-11-27"), ..machine.files.clone() };
    assert!(earlier.question(Duration::from_secs(60 * 60), &|_| None).is_some(), "the clock was set back");
}
