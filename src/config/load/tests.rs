//! Tests of complete configurations, text in and text out.

mod again;
mod bill;
mod fail_closed;
mod policy;
mod project;
mod token;

use super::*;
use expect_test::{Expect, expect};
use serde_json::json;

/// Renders a loaded configuration: settings that differ from the defaults, then errors.
///
/// For a project, the settings of [`OPENAI`] are abbreviated to one line.
struct Setup<'a> {
    file: &'a str,
    editor: Vec<Value>,
    project: Option<&'a str>,
}

impl Setup<'_> {
    fn check(self, expect: Expect) {
        let folder = tempfile::tempdir().unwrap();
        let loaded = self.load(folder.path());
        let mut text = changed(&loaded, folder.path());
        if self.project.is_some() {
            let folder = tempfile::tempdir().unwrap();
            let own = Setup { file: OPENAI, editor: Vec::new(), project: None }.load(folder.path());
            text = text.replace(&changed(&own, folder.path()), "    what `OPENAI` sets\n");
        }
        // An expectation must have at least one line without indentation.
        if text.starts_with(' ') {
            text.insert_str(0, "Settings\n");
        }
        for problem in &loaded.problems {
            let problem = problem.to_string().replace(&format!("{}/", folder.path().display()), "");
            text.push_str(&format!("! {problem}\n"));
        }
        if !loaded.pending.is_empty() {
            text.push_str("pending\n");
        }
        assert!(!text.contains("canary"), "a key was printed: {text}");
        expect.assert_eq(&text);
    }

    fn load(&self, folder: &Path) -> Loaded {
        let path = folder.join("config.toml");
        std::fs::write(&path, self.file).unwrap();
        if let Some(project) = self.project {
            std::fs::write(folder.join(PROJECT_FILE), project).unwrap();
        }
        let variable = |name: &str| (name == "KEY").then(|| "sk-canary".to_owned());
        let folders = [folder.to_owned()];
        let readers = Readers::default();
        let sources = Sources {
            editor: &self.editor,
            folders: &folders,
            variable: &variable,
            ..of_file(&path, &readers)
        };
        load(&sources, &mut Keys::default(), false)
    }
}

/// The sources of a user's file alone, without variables.
fn of_file<'a>(file: &'a Path, readers: &'a Readers) -> Sources<'a> {
    Sources { policy: None, file: Some(file), editor: &[], folders: &[], variable: &|_| None, readers }
}

/// The settings of a file in a folder that differ from the defaults.
fn changed(loaded: &Loaded, folder: &Path) -> String {
    let defaults = format!("{:#?}", crate::config::Settings::default());
    let defaults: Vec<&str> = defaults.lines().collect();
    // The problems name the same place.
    let settings = loaded.settings.of(Some(&folder.join("src/a.rs")));
    let settings = format!("{:#?}", crate::config::Settings { correction: None, ..(**settings).clone() });
    let own = settings.lines().filter(|line| !defaults.contains(line));
    own.map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect()
}

fn check(file: &str, editor: Value, expect: Expect) {
    Setup { file, editor: vec![editor], project: None }.check(expect);
}

fn check_project(file: &str, project: &str, expect: Expect) {
    Setup { file, editor: Vec::new(), project: Some(project) }.check(expect);
}

const OPENAI: &str = r#"
[providers.openai]
base_url = "https://me:canary@api.openai.com/v1/?key=canary"
api_key_env = "KEY"
headers = { x-team = "canary" }
[fast]
candidates = [{ provider = "openai", model = "gpt-5.3-codex-spark", reasoning_effort = "low" }]
hedge_ms = 300
"#;

#[test]
fn resolves_candidates_without_showing_a_key() {
    check(
        OPENAI,
        json!({}),
        expect![[r#"
            Settings
                candidates: [
                    Endpoint {
                        provider: "openai",
                        wire: ResponsesWebsocket,
                        base_url: "https://api.openai.com/v1",
                        command: None,
                        query: Some(
                            ***,
                        ),
                        key: Some(
                            ***,
                        ),
                        token: None,
                        headers: [
                            (
                                "x-team",
                                ***,
                            ),
                        ],
                        requester: RequesterInfo {
                            headers: [],
                            metadata: [],
                            cache_key: None,
                            team: None,
                            team_claim: None,
                        },
                        proxy: None,
                        ca_file: None,
                        deflate: true,
                        model: "gpt-5.3-codex-spark",
                        reasoning_effort: Some(
                            "low",
                        ),
                        service_tier: None,
                        window: None,
                        cache_ttl: None,
                        wait: None,
                        edit_dialect: None,
                    },
                ],
                hedge: Some(
                    300ms,
                ),
        "#]],
    );
}

#[test]
fn keeps_good_values_and_names_bad_ones_with_their_place() {
    let file = r#"
max_file_byte = 1
eagerness = "hihg"
max_ghost_lines = 0
disable_in = ["comment", "strings", 3]
style = 'short'
speculate = "canary"
[providers.a]
base_url = "https://a"
api_key = "canary"
style = "short"
[budget]
day_dollars = -1
session_tokens = 1000
[languages.rust]
enabled = false
eagrness = "low"
[prices."x-1.5"]
input = 1
[profiles.offline]
fats = {}
"#;
    check(
        file,
        json!({ "max_file_bytes": "canary", "max_ghost_lines": 3, "providers": [] }),
        expect![[r#"
            max_ghost_lines: 3,
            languages: {
                "rust": Language {
                    enabled: false,
                    eagerness: None,
                    next_edit: None,
                },
            disable_in: {
                Comment,
                session_tokens: Some(
                    1000,
                ),
            style: Some(
                "short",
            ),
            ! config.toml:2:1: max_file_byte: no such setting; did you mean `max_file_bytes`?
            ! config.toml:3:1: eagerness: expected one of low, medium, high; did you mean `high`?
            ! config.toml:4:1: max_ghost_lines: expected a whole number from 1, found 0
            ! config.toml:5:26: disable_in.1: expected one of comment, string; did you mean `string`?
            ! config.toml:5:37: disable_in.2: expected one of comment, string, found a number
            ! config.toml:7:1: speculate: expected true or false, found a string
            ! config.toml:10:1: providers.a.api_key: no such setting; a key is never written down here: name the variable that holds it, `api_key_env = "OPENAI_API_KEY"`, or a command that prints it, `api_key_command = "pass show openai"`
            ! config.toml:11:1: providers.a.style: no such setting; it is a top-level setting: move it above the first `[table]`
            ! config.toml:13:1: budget.day_dollars: expected a number from 0, found -1
            ! config.toml:17:1: languages.rust.eagrness: no such setting; did you mean `eagerness`?
            ! config.toml:21:1: profiles.offline.fats: no such setting; did you mean `fast`?
            ! initializationOptions: max_file_bytes: expected a whole number from 0, found a string
            ! initializationOptions: providers: expected a table, found a list
            ! prices."x-1.5": a price needs both `input` and `output`
        "#]],
    );
}

#[test]
fn keeps_what_stands_beside_a_mistake_in_the_syntax() {
    check(
        "max_ghost_lines = 3\nkey = sk-canary\neagerness = \"low\"\n[fast\n",
        json!({}),
        expect![[r#"
        max_ghost_lines: 3,
        eagerness: Low,
        ! config.toml:4:6: unclosed table, expected `]`
        ! config.toml:2:7: string values must be quoted, expected literal string
    "#]],
    );
}

#[test]
fn leaves_out_candidates_with_a_reason() {
    let file = r#"
[providers]
a = { base_url = "ftp://canary" }
b = { base_url = "http://b", api_key_env = "NO_SUCH_KEY" }
c = { base_url = "http://c", api_key_command = "pass show 'canary" }
d = { base_url = "http://d", api_key_command = ["pass", "show", "canary"] }
e = { base_url = "http://e", wire = "fim", fim_dialect = "infill", proxy = "socks5://canary" }
f = { base_url = "http://f", headers = { "a b" = "x" } }
g = {}
[deep]
candidates = [
  { provider = "a", model = "m" }, { provider = "b", model = "m" }, { provider = "c", model = "m" },
  { provider = "d", model = "m" }, { provider = "e", model = "m" }, { provider = "f", model = "m" },
  { provider = "g", model = "m" }, { provider = "h", model = "m" }, { model = "m" },
]
"#;
    check(
        file,
        json!({}),
        expect![[r#"
            Settings
                left_out: [
                    UnavailableCandidate {
                        provider: "a",
                        model: "m",
                        why: "providers.a.base_url must begin with http:// or https://",
                        variable: None,
                    },
                    UnavailableCandidate {
                        provider: "b",
                        model: "m",
                        why: "the environment variable NO_SUCH_KEY holds no key",
                        variable: Some(
                            "NO_SUCH_KEY",
                        ),
                    },
                    UnavailableCandidate {
                        provider: "c",
                        model: "m",
                        why: "there is a mistake in providers.c",
                        variable: None,
                    },
                    UnavailableCandidate {
                        provider: "d",
                        model: "m",
                        why: "the command for its key has not answered yet",
                        variable: None,
                    },
                    UnavailableCandidate {
                        provider: "e",
                        model: "m",
                        why: "its `proxy` is not an http:// proxy; set `proxy = \"none\"` to go without",
                        variable: None,
                    },
                    UnavailableCandidate {
                        provider: "f",
                        model: "m",
                        why: "providers.f.headers contains an invalid name",
                        variable: None,
                    },
                    UnavailableCandidate {
                        provider: "g",
                        model: "m",
                        why: "providers.g has no `base_url`",
                        variable: None,
                    },
                    UnavailableCandidate {
                        provider: "h",
                        model: "m",
                        why: "there is no provider `h`",
                        variable: None,
                    },
                    UnavailableCandidate {
                        provider: "",
                        model: "m",
                        why: "it has no `provider`",
                        variable: None,
                    },
                ],
            ! config.toml:5:30: providers.c.api_key_command: expected a command; is there a quote without its end?
            ! deep.candidates.0: left out: providers.a.base_url must begin with http:// or https://
            ! deep.candidates.1: left out: the environment variable NO_SUCH_KEY holds no key
            ! deep.candidates.2: left out: there is a mistake in providers.c
            ! deep.candidates.4: left out: its `proxy` is not an http:// proxy; set `proxy = "none"` to go without
            ! deep.candidates.5: left out: providers.f.headers contains an invalid name
            ! deep.candidates.6: left out: providers.g has no `base_url`
            ! deep.candidates.7: left out: there is no provider `h`
            ! deep.candidates.8: left out: it has no `provider`
            pending
        "#]],
    );
}

#[test]
fn key_that_both_roles_lack_is_missed_once() {
    let file = r#"
providers.a = { base_url = "http://a", api_key_env = "NO_SUCH_KEY" }
fast.candidates = [{ provider = "a", model = "m" }]
deep.candidates = [{ provider = "a", model = "m" }]
"#;
    check(
        file,
        json!({}),
        expect![[r#"
            Settings
                left_out: [
                    UnavailableCandidate {
                        provider: "a",
                        model: "m",
                        why: "the environment variable NO_SUCH_KEY holds no key",
                        variable: Some(
                            "NO_SUCH_KEY",
                        ),
                    },
                ],
                left_out: [
                    UnavailableCandidate {
                        provider: "a",
                        model: "m",
                        why: "the environment variable NO_SUCH_KEY holds no key",
                        variable: Some(
                            "NO_SUCH_KEY",
                        ),
                    },
                ],
            ! fast.candidates.0: left out: the environment variable NO_SUCH_KEY holds no key
        "#]],
    );
}

#[test]
fn lays_profile_and_editor_over_the_file() {
    let file = r#"
profile = "quiet"
max_file_bytes = 10
max_ghost_lines = 5
[privacy]
deny = ["a"]
[fast]
hedge_ms = 1
[profiles.quiet]
eagerness = "low"
max_ghost_lines = 2
privacy = { deny = ["b"] }
[profiles.loud]
eagerness = "high"
"#;
    check(
        file,
        json!({ "max_file_bytes": 20, "privacy": { "deny": ["c"], "redact": null } }),
        expect![[r#"
            Settings
                hedge: Some(
                    1ms,
                ),
            max_file_bytes: 20,
            max_ghost_lines: 2,
            eagerness: Low,
                deny: [
                    "a",
                    "b",
                    "c",
                ],
        "#]],
    );
    check(
        file,
        json!({ "profile": "loud" }),
        expect![[r#"
            Settings
                hedge: Some(
                    1ms,
                ),
            max_file_bytes: 10,
            max_ghost_lines: 5,
            eagerness: High,
                deny: [
                    "a",
                ],
        "#]],
    );
    check(
        file,
        json!({ "profile": "lound", "profiles": { "mine": { "speculate": true } } }),
        expect![[r#"
            Settings
                hedge: Some(
                    1ms,
                ),
            max_file_bytes: 10,
            max_ghost_lines: 5,
                deny: [
                    "a",
                ],
            ! profile: there is no `[profiles.lound]`; did you mean `loud`?
        "#]],
    );
    let twice = vec![
        json!({ "profile": "mine", "profiles": { "mine": { "speculate": true } } }),
        json!({ "eagerness": "high" }),
    ];
    Setup { file, editor: twice, project: None }.check(expect![[r#"
        Settings
            hedge: Some(
                1ms,
            ),
        max_file_bytes: 10,
        max_ghost_lines: 5,
        eagerness: High,
        speculate: true,
            deny: [
                "a",
            ],
    "#]]);
}
