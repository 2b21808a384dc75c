//! A company's policy, from the administrator's file to the settings.

mod kept;

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
        let files = PolicyFiles::at(machine, Some(folder.path().join("state")), now);
        Self { folder, files }
    }

    /// The same files by another clock.
    fn files_at(&self, clock: fn() -> SystemTime) -> PolicyFiles {
        PolicyFiles::at(self.files.machine.clone(), self.files.state.clone(), clock)
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
        let (folders, readers) = ([self.folder.path().to_owned()], Readers::default());
        let sources = Sources { policy: Some(&self.files), folders: &folders, ..of_file(&path, &readers) };
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
[bill]
url = "https://elsewhere.test"
headers = { Authorization = "canary" }
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
bill = "https://bill.corp.test"
[prices.o9]
input = 1
output = 2
"#;

#[test]
fn proxy_is_one_of_the_allowed_urls_over_tls_too() {
    let machine = Machine::new("");
    machine.comes(
        7,
        "2026-11-20",
        "[models]\nurls = [\"http://gw.test/v1\", \"https://tls.test\", \"http://p.test:3128\"]\n",
    );
    let provider = |name: &str, url: &str, proxy: &str| {
        format!("[providers.{name}]\nbase_url = \"{url}\"\nproxy = \"http://{proxy}\"\n")
    };
    let user = [
        provider("own", "http://gw.test/v1", "elsewhere.test:3128"),
        provider("company", "http://gw.test/v1", "me:word@p.test:3128"),
        provider("tls", "https://tls.test/v1", "elsewhere.test:3128"),
        "[fast]\ncandidates = [{ provider = \"own\", model = \"a\" }, { provider = \"company\", model = \"b\" }, \
         { provider = \"tls\", model = \"c\" }]\n"
            .to_owned(),
    ];
    machine.check(
        &user.concat(),
        expect![[r#"
            https://policy.test/p: serial 7, issued 8 days ago, ends 2027-11-20 00:00 UTC; up to date
              fast.candidates: without a of own (`models.urls`)
              fast.candidates: without c of tls (`models.urls`)
            fast: b at http://gw.test/v1
            not a: the company's policy does not allow its proxy (`models.urls`)
            not c: the company's policy does not allow its proxy (`models.urls`)
        "#]],
    );
}

#[test]
fn policy_narrows_and_names_each_rule() {
    let machine = Machine::new("");
    machine.comes(7, "2026-11-20", RULES);
    machine.check(
        USER,
        expect![[r#"
        https://policy.test/p: serial 7, issued 8 days ago, ends 2027-11-20 00:00 UTC; up to date
          prices: those of the policy and of Tandem apply (`budget`)
          bill.url: https://bill.corp.test (`locked.bill`)
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
    let bill = settings.bill.url.as_ref().unwrap();
    assert_eq!((bill.base_url.as_str(), bill.headers.len()), ("https://bill.corp.test", 0));
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
              bill.url: https://bill.corp.test (`locked.bill`)
              telemetry.endpoint: https://otel.corp.test (`locked.telemetry`)
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
bill = { url = "https://bill.corp.test", file = ".bashrc" }
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
          bill.url: offered; what you set yourself comes first (`settings`)
          eagerness: offered; what you set yourself comes first (`settings`)
          fast.candidates: offered; what you set yourself comes first (`settings`)
          max_ghost_lines: offered; what you set yourself comes first (`settings`)
          profiles.quiet: offered; what you set yourself comes first (`settings`)
          providers.gateway: offered; what you set yourself comes first (`settings`)
        fast: m at https://gw.corp.test/v1
        ! https://policy.test/p: providers.running: ignored: `api_key_command` is set in the configuration file alone
        ! https://policy.test/p: profiles.quiet.providers.running: ignored: `token_command` is set in the configuration file alone
        ! https://policy.test/p:21:1: verify: ignored: it is set in the configuration file alone
        ! https://policy.test/p:10:11: verify: ignored: it is set in the configuration file alone
        ! https://policy.test/p:9:42: bill.file: ignored: it is set in the configuration file alone
    "#]]);
    let settings = Arc::clone(machine.load("max_ghost_lines = 5", "").settings.everywhere());
    assert_eq!((settings.eagerness, settings.max_ghost_lines), (Eagerness::Low, 5));
    assert_eq!(settings.verify, None);
    assert_eq!((settings.bill.url.is_some(), &settings.bill.file), (true, &None));
}
