//! The output of `tandem doctor` for models with several faults.

use std::process::Command;

use expect_test::{Expect, expect};
use serde_json::Value;
use tandem::simulate::{self, Fault, Options, Simulator};
use tempfile::TempDir;

async fn simulator(options: Options) -> Simulator {
    simulate::start(options).await.unwrap()
}

/// A model that answers, and a retired one.
async fn sound() -> Simulator {
    let models = vec!["good".to_owned()];
    simulator(Options { models, retired: vec!["gone".to_owned()], ..Options::default() }).await
}

fn faulty(fault: Fault) -> Options {
    Options { faults: vec![fault], models: vec!["thinker".to_owned()], ..Options::default() }
}

/// Runs `doctor` on a configuration in which `$0`, `$1` … are the simulators' base URLs; shows its output, with the
/// parts that vary between runs masked, and its exit code.
async fn run(config: &str, simulators: &[&Simulator], arguments: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("config.toml");
    let mut config = config.to_owned();
    for (at, simulator) in simulators.iter().enumerate() {
        config = config.replace(&format!("${at}"), &simulator.base_url());
    }
    std::fs::write(&path, &config).unwrap();
    let first = simulators.first().map_or("1", |it| it.base_url().leak());
    let port = first.trim_end_matches("/v1").rsplit(':').next().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    command.args(["doctor", "--local", &format!("Ollama={port},LM Studio=1")]).args(arguments);
    command.current_dir(folder.path()).env("TANDEM_CONFIG", &path).env("TANDEM_STATE", folder.path());
    command.env("KEY", "sk-canary").env("PATH", "").env_remove("TANDEM_LOG");
    // The editors of this machine must not affect the test.
    command.env("HOME", folder.path()).env_remove("XDG_CONFIG_HOME").env_remove("XDG_DATA_HOME");
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let mut shown = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(!shown.contains("canary"), "a key was printed");
    for (at, simulator) in simulators.iter().enumerate() {
        shown = shown.replace(&simulator.base_url(), &format!("URL{at}"));
    }
    shown = shown.replace(&folder.path().display().to_string(), "");
    let lines: Vec<String> = shown.lines().map(masked).collect();
    format!("{}\nexit {}", lines.join("\n"), output.status.code().unwrap())
}

/// A line with its durations masked.
fn masked(line: &str) -> String {
    if line.contains("faster to the first token") {
        return "    (which of the two is faster)".to_owned();
    }
    if !line.contains(" ms ") {
        return line.to_owned();
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_figure = |at: usize| words.get(at + 1) == Some(&"ms");
    let words = words.iter().enumerate().map(|(at, word)| if is_figure(at) { "N" } else { word });
    format!("    {}", words.collect::<Vec<_>>().join(" "))
}

async fn check(config: &str, simulators: &[&Simulator], arguments: &[&str], expect: Expect) {
    expect.assert_eq(&run(config, simulators, arguments).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn says_what_is_wrong_and_what_to_do() {
    let (sound, refusing) = (sound().await, simulator(faulty(Fault::Refuse401)).await);
    let old = Options { serve_as: Some("gpt-5.2".to_owned()), ..faulty(Fault::Refuse426) };
    let old = simulator(old).await;
    check(
        r#"
            typo = 1
            providers.a.base_url = "$0"
            providers.b = { base_url = "$1", api_key_env = "KEY" }
            providers.c.base_url = "$2"
            providers.d = { base_url = "http://127.0.0.1:1/v1", api_key_env = "NO_SUCH_KEY" }
            fast.candidates = [
                { provider = "a", model = "gone" },
                { provider = "b", model = "locked" },
                { provider = "d", model = "keyless" },
                { provider = "a", model = "good" },
            ]
            deep.candidates = [{ provider = "c", model = "thinker", reasoning_effort = "high" }]
            budget.day_dollars = 2.5
        "#,
        &[&sound, &refusing, &old],
        &["--requests", "2"],
        expect![[r#"
            Sending 14 requests for one word each: about 644 tokens, free.

            Configuration
              ! /config.toml
              ✗ /config.toml:2:13: typo: no such setting
                → correct this; all other settings apply

            Fast gear: ghost text, next edits, rewrites
              ✗ gone at a: a refused (status 400): The model 'gone' does not exist or you do not have access to it. (model_not_found)
                → choose another model in `candidates`; a lists tandem-simulator, good
                URL0, no TLS, no key needed, not listed by the provider
              ✗ locked at b: b refused (status 401): Incorrect API key provided. (invalid_api_key)
                → check the key that `providers.b` names, or name one with its `api_key_env`
                URL1, no TLS, key present, no model list available
              ✓ good at a answers
                URL0, no TLS, no key needed, listed by the provider
                WebSocket connect N ms first token N ms total N ms (median of 2)
                HTTP/1.1 connect N ms first token N ms total N ms (median of 2)
                (which of the two is faster)
              ✗ keyless at d: the environment variable NO_SUCH_KEY holds no key
                → export NO_SUCH_KEY=…    in your shell's profile; then start the editor from a new shell

            Deep gear: work that needs reasoning
              ✓ thinker at c answers
                URL2, no TLS, no key needed, listed by the provider
              ! thinker was asked, gpt-5.2 answers: what you pay for is not what you get
                WebSocket          over HTTP for now, since sockets do not work there: c refused (status 426): This endpoint takes HTTP requests only. (websocket_unsupported)
                HTTP/1.1 connect N ms first token N ms total N ms (median of 1)

            Models on this machine
              ✓ Ollama at URL0, configured: tandem-simulator, good

            Budget
              this check: 10 requests, 54 tokens in (0 cached), 96 out, $0.0000
              today (UTC): 10 requests, 54 tokens in (0 cached), 96 out, $0.0000
              caps: day_dollars $2.5

            Every configured gear answers. 4 problems need attention, see ✗ above.
            exit 1"#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fails_if_a_gear_does_not_answer() {
    let overloaded = simulator(faulty(Fault::Refuse503)).await;
    check(
        "providers.a.base_url = \"$0\"\nfast.candidates = [{ provider = \"a\", model = \"m\" }]\n",
        &[&overloaded],
        &["--requests", "1"],
        expect![[r#"
            Sending 2 requests for one word each: about 92 tokens, free.

            Configuration
              ✓ /config.toml

            Fast gear: ghost text, next edits, rewrites
              ✗ m at a: a failed (status 503): The server is overloaded; try again later. (server_is_overloaded)
                → try again later, or add a second candidate as a fallback
                URL0, no TLS, no key needed, no model list available

            Deep gear: work that needs reasoning
              off: no model is configured for it

            Budget
              this check: 2 requests, 0 tokens in (0 cached), 0 out, $0.0000
              today (UTC): 2 requests, 0 tokens in (0 cached), 0 out, $0.0000
              no cap is set; `day_dollars` under `[budget]` sets one

            Not every configured gear answers. 1 problem needs attention, see ✗ above.
            exit 1"#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn offers_a_server_on_this_machine_and_uses_none_unasked() {
    let sound = sound().await;
    check(
        "",
        &[&sound],
        &[],
        expect![[r#"

            Configuration
              ✓ /config.toml

            Fast gear: ghost text, next edits, rewrites
              off: no model is configured for it

            Deep gear: work that needs reasoning
              off: no model is configured for it

            Models on this machine
              ! Ollama at URL0 is not used: tandem-simulator, good
                to use it: tandem setup --provider ollama

            Budget
              this check: 0 requests, 0 tokens in (0 cached), 0 out, $0.0000
              today (UTC): 0 requests, 0 tokens in (0 cached), 0 out, $0.0000
              no cap is set; `day_dollars` under `[budget]` sets one

            No model is configured: the local engine answers. `tandem setup` chooses one.
            exit 0"#]],
    )
    .await;
    assert_eq!(sound.stats().requests, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn name_with_a_slip_is_told_once_with_a_guess() {
    check(
        r#"
            providers.sim = { base_url = "http://127.0.0.1:1/v1", api_key_env = "NO_SUCH_KEY" }
            fast.candidates = [
                { provider = "sim", model = "m" },
                { provider = "simm", model = "m" },
                { provider = "simm" },
                { model = "m" },
            ]
            languages.pyhton.enabled = false
        "#,
        &[],
        &[],
        expect![[r#"

            Configuration
              ✓ /config.toml
              ! languages.pyhton: no grammar has this `languageId`; did you mean `python`?

            Fast gear: ghost text, next edits, rewrites
              ✗ m at sim: the environment variable NO_SUCH_KEY holds no key
                → export NO_SUCH_KEY=…    in your shell's profile; then start the editor from a new shell
              ✗ m at simm: there is no provider `simm`; did you mean `sim`?
                → correct it in the configuration, or remove the candidate
              ✗ a candidate at simm: it has no `model`
                → correct it in the configuration, or remove the candidate
              ✗ m: it has no `provider`
                → correct it in the configuration, or remove the candidate

            Deep gear: work that needs reasoning
              off: no model is configured for it

            Budget
              this check: 0 requests, 0 tokens in (0 cached), 0 out, $0.0000
              today (UTC): 0 requests, 0 tokens in (0 cached), 0 out, $0.0000
              no cap is set; `day_dollars` under `[budget]` sets one

            Not every configured gear answers. 4 problems need attention, see ✗ above.
            exit 1"#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn speaks_json_to_machines() {
    let sound = sound().await;
    let config =
        "providers.a.base_url = \"$0\"\nfast.candidates = [{ provider = \"a\", model = \"good\" }]\n";
    let shown = run(config, &[&sound], &["--json", "--requests", "1"]).await;
    let (json, exit) = shown.rsplit_once('\n').unwrap();
    let found: Value = serde_json::from_str(json).unwrap();
    assert_eq!(exit, "exit 0");
    let candidate = &found["gears"][0]["candidates"][0];
    assert_eq!((&candidate["answers"], &candidate["listed"]), (&Value::Bool(true), &Value::from("yes")));
    assert_eq!(candidate["wires"].as_array().unwrap().len(), 2);
    assert!(candidate["wires"][0]["totalMs"].as_f64().unwrap() > 0.0);
    let provider = sound.stats();
    assert_eq!(found["budget"]["here"]["requests"], provider.requests);
    assert_eq!(found["budget"]["here"]["outputTokens"], provider.output_tokens_generated);
}

/// The problems, and the advice, in a report of `doctor`.
async fn advice(config: &str, simulators: &[&Simulator], arguments: &[&str]) -> String {
    let shown = run(config, simulators, arguments).await;
    let is_told = |line: &&str| ["✗ ", "→ ", "asked"].iter().any(|sign| line.contains(sign));
    shown.lines().filter(is_told).map(|line| format!("{}\n", line.trim())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_asked_is_not_said_to_answer() {
    let sound = sound().await;
    let config = "providers.a = { base_url = '$0', wire = 'chat' }\nfast.candidates = [{ provider = 'a', model = 'good' }]";
    expect![[r#"
        ✓ good at a: listed, not asked
        Every configured gear can be reached; no model was asked.
    "#]]
    .assert_eq(&advice(config, &[&sound], &["--requests", "0"]).await);
    assert_eq!(sound.stats().requests, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_key_is_one_problem_of_two_gears() {
    let refusing = simulator(faulty(Fault::Refuse401)).await;
    let config = "providers.a = { base_url = '$0', wire = 'chat' }\nfast.candidates = [{ provider = 'a', model = 'm' }]\n\
                  deep.candidates = [{ provider = 'a', model = 'm' }]";
    let shown = run(config, &[&refusing], &["--requests", "1"]).await;
    let is_told =
        |line: &&str| ["✗", "m at a", "→", "URL0", "problem"].iter().any(|sign| line.contains(sign));
    let lines: String = shown.lines().filter(is_told).map(|line| format!("{}\n", line.trim())).collect();
    expect![[r#"
        ✗ m at a: a refused (status 401): Incorrect API key provided. (invalid_api_key)
        → check the key that `providers.a` names, or name one with its `api_key_env`
        URL0, no TLS, no key configured, no model list available
        ! m at a: a refused (status 401): Incorrect API key provided. (invalid_api_key)
        URL0, no TLS, no key configured, no model list available
        Not every configured gear answers. 1 problem needs attention, see ✗ above.
    "#]]
    .assert_eq(&lines);
}

#[tokio::test(flavor = "multi_thread")]
async fn advice_fits_what_is_wrong() {
    let sound = sound().await;
    let model = "fast.candidates = [{ provider = 'a', model = 'good' }]\n";
    let with = |provider: &str| format!("{model}[providers.a]\n{provider}");
    let tls = sound.base_url().replace("http://", "https://");
    let at = sound.base_url();
    let said = async |provider: String| {
        advice(&with(&provider), &[&sound], &["--requests", "1"]).await.replace(&tls, "URL")
    };
    expect![[r#"
        ✗ good at a: a cannot be reached at URL: received corrupt message of type InvalidContentType
        → this server probably speaks no TLS: begin `providers.a.base_url` with http:// instead of https://
        Not every configured gear answers. 1 problem needs attention, see ✗ above.
    "#]]
    .assert_eq(&said(format!("base_url = '{tls}'\nwire = 'chat'")).await);
    expect![[r#"
        ✗ good at a: a cannot be reached at URL: `ca_file` /none.pem: I/O error: there is no such file or folder
        → correct the path: it leads to a file of PEM certificates
        Not every configured gear answers. 1 problem needs attention, see ✗ above.
    "#]]
    .assert_eq(&said(format!("base_url = '{tls}'\nca_file = '/none.pem'\nwire = 'chat'")).await);
    expect![[r#"
        ✗ good at a: `no-such-program` was not found on the PATH; install it, or write its whole path
        → correct it in the configuration, or remove the candidate
        Not every configured gear answers. 1 problem needs attention, see ✗ above.
    "#]]
    .assert_eq(&said(format!("base_url = '{at}'\napi_key_command = 'no-such-program x'")).await);
    expect![[r#"
        ✗ good at a: `budget.session_tokens` is reached (0 of 0 tokens in this session)
        → raise it under `[budget]`, it applies to each run separately
        Not every configured gear answers. 1 problem needs attention, see ✗ above.
    "#]]
    .assert_eq(&said(format!("base_url = '{at}'\nwire = 'chat'\n[budget]\nsession_tokens = 0")).await);
    expect![[r#"
        ✗ `verify.command` names `no-such-program`, and there is no such program
        → correct `verify.command`, or install the program
        Every configured gear answers. 1 problem needs attention, see ✗ above.
    "#]]
    .assert_eq(
        &said(format!("base_url = '{at}'\nwire = 'chat'\n[verify]\ncommand = 'no-such-program test'")).await,
    );
    expect![[r#"
        ✗ /config.toml:5:1: privacy.denied: no such setting
        → correct this; until then no model is asked
        Not every configured gear answers. 1 problem needs attention, see ✗ above.
    "#]]
    .assert_eq(&said(format!("base_url = '{at}'\n[privacy]\ndenied = 1")).await);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn says_what_is_wrong_with_a_token() {
    let locked = simulator(Options { api_key: Some("sound".to_owned()), ..Options::default() }).await;
    let provider = |name: &str, script: &str| {
        format!(
            "providers.{name} = {{ base_url = \"$0\", wire = \"chat\", token_command = [\"/bin/sh\", \"-c\", '{script}'] }}\n"
        )
    };
    let config = [
        provider("sound", r#"echo "{\"token\": \"sound\", \"expires_in\": 3600}""#),
        provider("late", r#"echo "{\"token\": \"sound\", \"expires_at\": 1}""#),
        provider("other", "echo canary-of-another-audience"),
        provider("fails", "echo canary >&2; exit 3"),
        provider("rubbish", r#"echo Password:; echo "canary""#),
        provider("long", "while :; do echo canary canary canary canary; done"),
    ]
    .concat();
    let names = ["sound", "late", "other", "fails", "rubbish", "long"];
    let candidates: Vec<String> =
        names.iter().map(|name| format!("{{ provider = \"{name}\", model = \"m\" }}")).collect();
    let config = format!("{config}fast.candidates = [{}]\n", candidates.join(", "));
    check(&config, &[&locked], &["--requests", "1"], expect![[r#"
        Sending 6 requests for one word each: about 276 tokens, free.

        Configuration
          ✓ /config.toml

        Fast gear: ghost text, next edits, rewrites
          ✓ m at sound answers
            URL0, no TLS, with a token that is renewed, not listed by the provider
            HTTP/1.1, chat connect N ms first token N ms total N ms (median of 1)
          ✓ m at late answers, as a fallback
            URL0, no TLS, with a token that is renewed, not listed by the provider
          ! the token had ended when it came, by this machine's clock, which may be wrong
            HTTP/1.1, chat connect N ms first token N ms total N ms (median of 1)
          ✗ m at other: other refused (status 401): Incorrect API key provided. (invalid_api_key)
            → check that the token is one for `providers.other.base_url` (its audience and scope); sign in again, and check this machine's clock
            URL0, no TLS, with a token that is renewed, no model list available
          ✗ m at fails: there is no token for fails: `/bin/sh` failed (exit status: 3); run it in a terminal to see why
            → mend what `providers.fails` has its token from, then try again; no restart is needed
            URL0, no TLS, with a token that is renewed
          ✗ m at rubbish: there is no token for rubbish: `/bin/sh` gave several lines, which are no JSON; a token is one line; run it in a terminal to see what it prints
            → mend what `providers.rubbish` has its token from, then try again; no restart is needed
            URL0, no TLS, with a token that is renewed
          ✗ m at long: there is no token for long: `/bin/sh` printed more than 64 KiB; run it in a terminal to see why
            → mend what `providers.long` has its token from, then try again; no restart is needed
            URL0, no TLS, with a token that is renewed

        Deep gear: work that needs reasoning
          off: no model is configured for it

        Budget
          this check: 6 requests, 18 tokens in (0 cached), 32 out, $0.0000
          today (UTC): 6 requests, 18 tokens in (0 cached), 32 out, $0.0000
          no cap is set; `day_dollars` under `[budget]` sets one

        Every configured gear answers. 4 problems need attention, see ✗ above.
        exit 1"#]]).await;
}
