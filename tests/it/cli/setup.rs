//! `tandem setup` and `tandem profile` without a terminal, in front of a simulated provider.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};
use tandem::simulate::{self, Fault, Options, Simulator};
use tempfile::TempDir;

async fn provider(options: Options) -> Simulator {
    simulate::start(options).await.unwrap()
}

/// Runs the program and shows what it prints, without what differs from run to run, its exit code and the file.
async fn run(folder: &Path, arguments: &[&str], input: &str, simulator: &Simulator) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    command.args(arguments).current_dir(folder).env("TANDEM_CONFIG", folder.join("config.toml"));
    // No keychain of this machine is used, only what lies in the folder.
    command.env("PATH", folder).env("KEY", "sk-canary").env_remove("OPENAI_API_KEY").env_remove("TANDEM_LOG");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let input = input.to_owned();
    let output = tokio::task::spawn_blocking(move || {
        let mut child = command.spawn().unwrap();
        // It may end without having read.
        child.stdin.take().unwrap().write_all(input.as_bytes()).ok();
        child.wait_with_output().unwrap()
    });
    let output = output.await.unwrap();
    let mut shown = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let file = std::fs::read_to_string(folder.join("config.toml")).unwrap_or_else(|_| "(none)\n".to_owned());
    assert!(!shown.contains("canary") && !file.contains("canary"), "a key was printed or written");
    shown += &format!("exit {}\n--\n{file}", output.status.code().unwrap());
    let shown = shown.replace(&simulator.base_url(), "URL").replace(&folder.display().to_string(), "");
    let figure = |word: &str| word.chars().all(|it| it.is_ascii_digit());
    let lines = shown.lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let masked = words.iter().enumerate().map(|(at, word)| {
            let is_time = figure(word) && words.get(at + 1).is_some_and(|it| it.starts_with("ms"));
            if is_time { "N" } else { word }
        });
        masked.collect::<Vec<_>>().join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

async fn check(before: Option<&str>, arguments: &[&str], input: &str, options: Options, expect: Expect) {
    let folder = TempDir::new().unwrap();
    let simulator = provider(options).await;
    let url = simulator.base_url();
    if let Some(before) = before {
        std::fs::write(folder.path().join("config.toml"), before.replace("URL", &url)).unwrap();
    }
    let arguments: Vec<&str> = arguments.iter().map(|it| if *it == "URL" { &url } else { *it }).collect();
    expect.assert_eq(&run(folder.path(), &arguments, input, &simulator).await);
}

fn models(names: &[&str]) -> Options {
    Options { models: names.iter().map(ToString::to_string).collect(), ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_with_a_key_is_tested_and_written() {
    let arguments = ["setup", "--provider", "openai", "--base-url", "URL", "--key-variable", "KEY", "--deep"];
    check(None, &arguments, "", models(&["gpt-6-luna", "gpt-6-sol"]), expect![[r#"
        The key is in KEY.
        Sending one small request to gpt-6-luna at openai …
        ✓ gpt-6-luna at openai answered in N ms, first token N ms.
        ✓ /config.toml was written.

        Its price is not known here: name it in `prices."gpt-6-luna"`, or cap it with `budget.day_tokens`.
        Code around the cursor is sent to URL while you type; `tandem context FILE:LINE:COL` shows exactly what.

        Running servers follow at once. Next: README, "Editors"; `tandem doctor` checks everything.
        exit 0
        --
        # Tandem's configuration. `tandem doctor` checks it; the README explains every setting.
        # Changes apply at once.

        [providers.openai]
        base_url = "URL"
        wire = "responses-websocket"
        api_key_env = "KEY"

        [fast]
        candidates = [{ provider = "openai", model = "gpt-6-luna" }]

        [deep]
        candidates = [{ provider = "openai", model = "gpt-6-luna" }]"#]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn key_from_standard_input_without_a_keychain_leads_to_a_line_for_the_profile() {
    let arguments =
        ["setup", "--provider", "openai", "--base-url", "URL", "--model", "tandem-simulator", "--key-stdin"];
    check(Some("eagerness = \"low\"\n"), &arguments, "sk-canary\n", Options::default(), expect![[r#"
        Sending one small request to tandem-simulator at openai …
        ✓ tandem-simulator at openai answered in N ms, first token N ms.
        ✓ /config.toml was changed.

        Add to your shell's profile, and start the editor from a new shell:

          export OPENAI_API_KEY=…    # your key

        Its price is not known here: name it in `prices."tandem-simulator"`, or cap it with `budget.day_tokens`.
        Code around the cursor is sent to URL while you type; `tandem context FILE:LINE:COL` shows exactly what.

        Running servers follow at once. Next: README, "Editors"; `tandem doctor` checks everything.
        exit 0
        --
        eagerness = "low"

        [providers.openai]
        base_url = "URL"
        wire = "responses-websocket"
        api_key_env = "OPENAI_API_KEY"

        [fast]
        candidates = [{ provider = "openai", model = "tandem-simulator" }]"#]]).await;
}

/// With a store of secrets on the search path, the key goes there by standard input, and the file has the command that
/// prints it.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn key_goes_to_the_keychain_where_there_is_one() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let kept = folder.path().join("kept");
    let program = folder.path().join("secret-tool");
    let script = format!(
        "#!/bin/sh\ncase $1 in\nstore) /bin/cat >'{0}' ;;\nlookup) /bin/cat '{0}' ;;\nesac\n",
        kept.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let simulator = provider(Options::default()).await;
    let url = simulator.base_url();
    let arguments = ["setup", "--provider", "openai", "--base-url", &url, "--model", "m", "--key-stdin"];
    let shown = run(folder.path(), &arguments, "sk-canary\n", &simulator).await;
    expect![[r#"
        Sending one small request to m at openai …
        ✓ m at openai answered in N ms, first token N ms.
        The key is in the system's keychain.
        ✓ /config.toml was written.

        Its price is not known here: name it in `prices."m"`, or cap it with `budget.day_tokens`.
        Code around the cursor is sent to URL while you type; `tandem context FILE:LINE:COL` shows exactly what.

        Running servers follow at once. Next: README, "Editors"; `tandem doctor` checks everything.
        exit 0
        --
        # Tandem's configuration. `tandem doctor` checks it; the README explains every setting.
        # Changes apply at once.

        [providers.openai]
        base_url = "URL"
        wire = "responses-websocket"
        api_key_command = ["secret-tool", "lookup", "service", "tandem", "provider", "openai"]

        [fast]
        candidates = [{ provider = "openai", model = "m" }]"#]].assert_eq(&shown);
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "sk-canary");
    // The key that is configured by now is used as it is.
    let again = run(folder.path(), &arguments[..7], "", &simulator).await;
    expect![[r#"
        Sending one small request to m at openai …
        ✓ m at openai answered in N ms, first token N ms.
        ✓ /config.toml was changed.

        Its price is not known here: name it in `prices."m"`, or cap it with `budget.day_tokens`.
        Code around the cursor is sent to URL while you type; `tandem context FILE:LINE:COL` shows exactly what.

        Running servers follow at once. Next: README, "Editors"; `tandem doctor` checks everything.
        exit 0
        --
        # Tandem's configuration. `tandem doctor` checks it; the README explains every setting.
        # Changes apply at once.

        [providers.openai]
        base_url = "URL"
        wire = "responses-websocket"
        api_key_command = ["secret-tool", "lookup", "service", "tandem", "provider", "openai"]

        [fast]
        candidates = [{ provider = "openai", model = "m" }]"#]].assert_eq(&again);
}

#[tokio::test(flavor = "multi_thread")]
async fn model_that_does_not_answer_is_not_written() {
    let options = || Options { faults: vec![Fault::Refuse401], ..Options::default() };
    let arguments =
        ["setup", "--provider", "openai", "--base-url", "URL", "--key-variable", "KEY", "--model", "m"];
    check(
        None,
        &arguments,
        "",
        options(),
        expect![[r#"
        The key is in KEY.
        Sending one small request to m at openai …
        ✗ openai refused (status 401): Incorrect API key provided. (invalid_api_key)
          → check the key: the one that `providers.openai` takes it from is not accepted
        tandem: nothing was written; --no-test writes it all the same
        exit 1
        --
        (none)"#]],
    )
    .await;
    let untested = [&arguments[..], &["--no-test"]].concat();
    check(None, &untested, "", options(), expect![[r#"
        The key is in KEY.
        ✓ /config.toml was written.

        Its price is not known here: name it in `prices."m"`, or cap it with `budget.day_tokens`.
        Code around the cursor is sent to URL while you type; `tandem context FILE:LINE:COL` shows exactly what.

        Running servers follow at once. Next: README, "Editors"; `tandem doctor` checks everything.
        exit 0
        --
        # Tandem's configuration. `tandem doctor` checks it; the README explains every setting.
        # Changes apply at once.

        [providers.openai]
        base_url = "URL"
        wire = "responses-websocket"
        api_key_env = "KEY"

        [fast]
        candidates = [{ provider = "openai", model = "m" }]"#]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_is_said() {
    check(None, &["setup"], "", Options::default(), expect![[r#"
        tandem: standard input is not a terminal: name a provider with --provider (ollama, llama-cpp, lm-studio, vllm, openai, cerebras, mistral, deepseek)
        exit 2
        --
        (none)"#]]).await;
    check(None, &["setup", "--provider", "acme"], "", Options::default(), expect![[r#"
        tandem: there is no provider `acme`; there are: ollama, llama-cpp, lm-studio, vllm, openai, cerebras, mistral, deepseek
        exit 2
        --
        (none)"#]]).await;
    check(None, &["setup", "--provider", "openai"], "", Options::default(), expect![[r#"
        tandem: the variable OPENAI_API_KEY holds no key; set it, or pass the key with --key-stdin. A key can be had at https://platform.openai.com/api-keys
        exit 1
        --
        (none)"#]]).await;
    check(
        Some("fast = ["),
        &["setup", "--provider", "ollama"],
        "",
        Options::default(),
        expect![[r#"
            tandem: /config.toml was left as it is: it is not valid TOML: TOML parse error at line 1, column 9
              |
            1 | fast = [
              |         ^
            unclosed array, expected `]`
            exit 1
            --
            fast = ["#]],
    )
    .await;
    check(
        None,
        &["setup", "--provider", "mistral", "--deep"],
        "",
        Options::default(),
        expect![[r#"
            tandem: Mistral serves ghost text only: leave out --deep
            exit 2
            --
            (none)"#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn profiles_are_listed_and_switched() {
    let config = "eagerness = \"low\"\n\n[profiles.offline]\nfast = { candidates = [] }\n";
    check(
        Some(config),
        &["profile"],
        "",
        Options::default(),
        expect![[r#"
          offline
        exit 0
        --
        eagerness = "low"

        [profiles.offline]
        fast = { candidates = [] }"#]],
    )
    .await;
    check(
        Some(config),
        &["profile", "offline"],
        "",
        Options::default(),
        expect![[r#"
        The profile `offline` is active.
        exit 0
        --
        profile = "offline"
        eagerness = "low"

        [profiles.offline]
        fast = { candidates = [] }"#]],
    )
    .await;
    check(
        Some(config),
        &["profile", "online"],
        "",
        Options::default(),
        expect![[r#"
        tandem: there is no profile `online`; there are: offline
        exit 2
        --
        eagerness = "low"

        [profiles.offline]
        fast = { candidates = [] }"#]],
    )
    .await;
}
