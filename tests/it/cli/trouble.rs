//! Messages of commands about something missing or undone: reported once, with its location and the remedy.

use std::fs;
use std::net::TcpListener;
use std::process::Command;

use expect_test::{Expect, expect};

use super::{Shell, TEXT};

/// A shell with these lines of configuration, and no model.
async fn shell(config: &str) -> Shell {
    let shell = Shell::new(None).await;
    fs::write(shell.folder.path().join("config.toml"), config).unwrap();
    shell
}

/// A shell whose model is at a port without a server, and that address.
async fn unserved() -> (Shell, String) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/v1");
    let config = format!(
        "providers.test.base_url = \"{url}\"\nfast.candidates = [{{ provider = \"test\", model = \"m\" }}]\n"
    );
    (shell(&config).await, url)
}

/// Turns a shell's folder into a repository that contains `a.rs`, then changed and staged.
fn repository(shell: &Shell) {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments);
        assert!(command.current_dir(shell.folder.path()).status().unwrap().success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "a.rs"]);
    git(&["commit", "-qm", "x"]);
    fs::write(shell.folder.path().join("a.rs"), TEXT.replace("width * width", "width")).unwrap();
    git(&["add", "a.rs"]);
}

/// The output of a command, without the system's error text for a connection.
async fn said(shell: &Shell, url: &str, arguments: &[&str]) -> String {
    let output = shell.run(arguments).await;
    let shown = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let mut lines: Vec<String> = Vec::new();
    for line in shown.lines() {
        lines.push(match line.split_once(&format!("{url}: ")) {
            Some((before, after)) => {
                format!("{before}URL: …{}", after.find(';').map_or("", |at| &after[at..]))
            }
            None => line.to_owned(),
        });
    }
    format!("{}\nexit {}", lines.join("\n"), output.status.code().unwrap())
}

#[test]
fn configuration_is_never_below_the_current_folder() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/tandem");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), "").unwrap();
    for set in ["", "relative"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        command.env("HOME", home.path()).env_remove("TANDEM_CONFIG").env("XDG_CONFIG_HOME", set);
        let output = command.current_dir(home.path()).arg("status").output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains(".config/tandem/config.toml"), "{set:?}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn status_names_the_models_and_the_days_spending_without_a_request() {
    let expected = expect![[r#"
        configuration: CONFIG
        fast: no model; the local engine answers
        deep: no model
        today: 0 requests, 0 tokens, $0.00
        recorder: off
        reports: none
        exit 0"#]];
    let shown = |shell: &Shell, text: String| text.replace(shell.folder.path().to_str().unwrap(), "");
    let empty = shell("").await;
    let text = said(&empty, "none", &["status"]).await;
    expected.assert_eq(&shown(&empty, text).replace("/config.toml", "CONFIG"));
    let (unserved, url) = unserved().await;
    let config = unserved.folder.path().join("config.toml");
    let more = "deep.candidates = [{ provider = \"tset\", model = \"m\" }]\n[telemetry]\nendpoint = \"http://a:1\"\n";
    fs::write(&config, fs::read_to_string(&config).unwrap() + more).unwrap();
    let text = said(&unserved, &url, &["status"]).await;
    expect![[r#"
        configuration: /config.toml
        fast: m of test
        deep: no model
          m of tset: not used: there is no provider `tset`; did you mean `test`?
        today: 0 requests, 0 tokens, $0.00
        recorder: off
        reports: http://a:1
        exit 0"#]]
    .assert_eq(&shown(&unserved, text));
    let json: serde_json::Value =
        serde_json::from_slice(&unserved.run(&["status", "--json"]).await.stdout).unwrap();
    assert_eq!(json["candidates"]["fast"][0]["model"], "m");
    assert_eq!(json["today"]["requests"], 0);
    assert_eq!(json["collector"], "http://a:1");
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_does_not_run_is_told_once() {
    let (shell, url) = unserved().await;
    repository(&shell);
    let failure = "tandem: test cannot be reached at URL: …; start the server, or choose another model with `tandem setup`\nexit 1";
    for arguments in [&["edit", "a.rs", "make it async"][..], &["review"], &["commit-message"]] {
        assert_eq!(said(&shell, &url, arguments).await, failure, "{arguments:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn local_engine_says_for_whom_it_answers() {
    let (shell, url) = unserved().await;
    let shown = said(&shell, &url, &["edit", "a.rs:1-3", "rename width to w"]).await;
    let (_, told) = shown.split_once(" fn width() {} // 猫\n").unwrap();
    expect![[r#"
        tandem: by the local engine (local: no model answers)
        tandem: note: test cannot be reached at URL: …; run `tandem doctor`
        exit 0"#]]
    .assert_eq(told);
}

#[tokio::test(flavor = "multi_thread")]
async fn local_engine_answers_when_the_budget_is_spent() {
    let config = "providers.p.base_url = \"http://127.0.0.1:1/v1\"\nfast.candidates = [{ provider = \"p\", model = \"m\" }]\nbudget.session_tokens = 0\n";
    let shell = shell(config).await;
    let shown = said(&shell, "no address", &["edit", "a.rs:1-3", "rename width to w"]).await;
    assert!(shown.ends_with("tandem: by the local engine (local: the budget is spent)\nexit 0"), "{shown}");
    let shown = said(&shell, "no address", &["edit", "a.rs:1-3", "make it async"]).await;
    assert!(
        shown.starts_with("tandem: `budget.session_tokens` is reached") && shown.ends_with("exit 1"),
        "{shown}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn configuration_that_cannot_be_read_is_told_once() {
    let broken =
        "fast.candidates = [{ provider = \"p\"\n[providers.p]\nbase_url = \"http://127.0.0.1:1/v1\"\n";
    let shell = shell(broken).await;
    let folder = format!("{}/", shell.folder.path().display());
    let check = async |instruction: &str, expect: Expect| {
        let shown = said(&shell, "no address", &["edit", "a.rs:1-3", instruction]).await;
        let told: Vec<&str> =
            shown.lines().filter(|it| it.starts_with("tandem: ") || it.starts_with("exit ")).collect();
        expect.assert_eq(&told.join("\n").replace(&folder, ""));
    };
    check(
        "rename width to w",
        expect![[r#"
        tandem: config.toml:2:1: missing key for inline table element, expected `,`
        tandem: config.toml:3:1: missing comma between key-value pairs, expected `,`
        tandem: config.toml:3:35: unclosed inline table, expected `}`
        tandem: config.toml:3:35: unclosed array, expected `]`
        tandem: by the local engine (local: no model is asked until config.toml:2:1 is corrected)
        exit 0"#]],
    )
    .await;
    check("make it async", expect![[r#"
        tandem: config.toml:2:1: missing key for inline table element, expected `,`
        tandem: config.toml:3:1: missing comma between key-value pairs, expected `,`
        tandem: config.toml:3:35: unclosed inline table, expected `}`
        tandem: config.toml:3:35: unclosed array, expected `]`
        tandem: no model is shown this file: correct this first: config.toml:2:1: missing key for inline table element, expected `,`
        exit 3"#]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn models_are_listed_with_what_is_known_of_them() {
    let shell = shell("").await;
    let shown = said(&shell, "no address", &["model"]).await;
    assert_eq!(shown, "tandem: no model is configured; `tandem setup` adds one\nexit 1");
    let config = "providers.p.base_url = \"http://127.0.0.1:1/v1\"\nproviders.q = { base_url = \"https://api.openai.com/v1\", api_key_env = \"NO_SUCH_KEY\" }\nfast.candidates = [{ provider = \"p\", model = \"m\" }, { provider = \"q\", model = \"n\" }]\n";
    fs::write(shell.folder.path().join("config.toml"), config).unwrap();
    let shown = said(&shell, "no address", &["model"]).await;
    for line in [
        "  m of p — speed not measured yet; free",
        "  n of q — not used: the environment variable NO_SUCH_KEY holds no key",
        "  none; `tandem setup --deep` adds one",
    ] {
        assert!(shown.lines().any(|it| it == line), "{shown}");
    }
    assert_eq!(shown.matches("NO_SUCH_KEY").count(), 1, "{shown}");
    let shown = said(&shell, "no address", &["model", "p", "m", "--deep"]).await;
    assert!(shown.ends_with("and `tandem setup --deep` adds one for hard tasks\nexit 1"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mistake_in_the_rules_of_a_project_ends_what_would_read_it() {
    let shell = shell("").await;
    repository(&shell);
    let root = shell.folder.path().canonicalize().unwrap();
    fs::write(root.join(".tandem.toml"), "[privacy]\ndenied = ['x']\n").unwrap();
    let mut told = String::new();
    for arguments in [&["plan", "rename area"][..], &["ask", "area"], &["commit-message"]] {
        told += &said(&shell, "no address", arguments).await.replace(&format!("{}/", root.display()), "");
        told += "\n";
    }
    expect![[r#"
        tandem: .tandem.toml:2:1: privacy.denied: no such setting
        tandem: no model is asked until .tandem.toml:2:1 is corrected
        exit 1
        tandem: .tandem.toml:2:1: privacy.denied: no such setting
        exit 1
        tandem: .tandem.toml:2:1: privacy.denied: no such setting
        tandem: note: a.rs is left out: correct this first: .tandem.toml:2:1: privacy.denied: no such setting
        tandem: the staged file is withheld: correct this first: .tandem.toml:2:1: privacy.denied: no such setting
        exit 3
    "#]].assert_eq(&told);
}

#[tokio::test(flavor = "multi_thread")]
async fn folder_that_is_not_there_is_named() {
    let shell = shell("").await;
    let shown = said(&shell, "no address", &["ask", "--root", "/nonexist", "x"]).await;
    assert!(shown.starts_with("tandem: cannot open /nonexist: ") && shown.ends_with("exit 1"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn model_that_cannot_do_this_is_not_reported_as_missing() {
    let check = async |config: &str, arguments: &[&str], expect: Expect| {
        shell(config).await.check(arguments, expect).await;
    };
    let with = |model: &str, more: &str| {
        format!(
            "providers.p = {{ base_url = \"http://127.0.0.1:1/v1\"{more} }}\nfast.candidates = [{{ provider = \"p\", model = \"{model}\" }}]\n"
        )
    };
    let rewrite = ["edit", "a.rs", "make it async"];
    check(&with("zeta-2", ""), &rewrite, expect![[r#"
        tandem: the configured model writes next edits only, and this needs one that takes instructions; `tandem setup` adds one
        exit 1"#]]).await;
    check(&with("codestral", ", wire = \"fim\""), &rewrite, expect![[r#"
        tandem: the configured model writes ghost text only, and this needs one that takes instructions; `tandem setup` adds one
        exit 1"#]]).await;
    check(
        &with("m", ""),
        &["edit", "a.rs", "make it async", "--gear", "local"],
        expect![[r#"
        tandem: the local engine understands `rename A to B` and no other instruction; choose another gear
        exit 1"#]],
    )
    .await;
    check(
        &with("m", ", api_key_env = \"NO_SUCH_KEY\""),
        &rewrite,
        expect![[r#"
        tandem: fast.candidates.0: left out: the environment variable NO_SUCH_KEY holds no key
        tandem: no configured model can be asked; `tandem doctor` shows why
        exit 1"#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edit_within_a_function_leaves_no_uses() {
    let shell = Shell::new(Some("")).await;
    fs::create_dir(shell.folder.path().join(".git")).unwrap();
    fs::write(shell.folder.path().join("b.rs"), "fn f(width: u32) {\n    width();\n}\n").unwrap();
    shell
        .check(
            &["edit", "a.rs:1-3", "rename width to w"],
            expect![[r#"
        --- a/a.rs
        +++ b/a.rs
        @@ -1,5 +1,5 @@
        -fn area(width: u32) -> u32 {
        -    width * width
        +fn area(w: u32) -> u32 {
        +    w * w
         }
        ␣
         fn width() {} // 猫
        tandem: by m (fast: nothing here calls for the deep gear)
        exit 0"#]],
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn context_shows_code_that_is_to_be_filled_in() {
    let check = async |wire: &str, before: &str, after: &str| {
        let config = format!(
            "providers.p = {{ base_url = \"http://127.0.0.1:1/v1\", {wire} }}\nfast.candidates = [{{ provider = \"p\", model = \"m\" }}]\n"
        );
        let said = said(&shell(&config).await, "no address", &["context", "a.rs:2:9"]).await;
        let part = |name: &str| format!("== {name}\n");
        expect![[r#"
        To m at http://127.0.0.1:1/v1, provider p.
        fast gear: suggestions while you type must be fast.
        71 bytes, about 18 tokens: the code around the cursor as it is, without instructions.

        == other files: 0 of 1500 tokens
        none: none of the project's files is related to this place

        == BEFORE
        fn area(width: u32) -> u32 {
            widt

        == AFTER
        h * width
        }

        fn width() {} // 猫


        == withheld
        nothing: nothing looks like a key
        exit 0"#]]
        .assert_eq(&said.replace(&part(before), &part("BEFORE")).replace(&part(after), &part("AFTER")));
    };
    check("wire = \"fim\"", "prompt", "suffix").await;
    check("wire = \"fim\", fim_dialect = \"infill\"", "input_prefix", "input_suffix").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_words_are_wrong_usage() {
    let shell = shell("").await;
    for arguments in [&["edit", "a.rs", " "][..], &["plan", ""], &["ask", ""]] {
        let said = said(&shell, "no address", arguments).await;
        assert!(said.contains("it is empty: say what is wanted") && said.ends_with("exit 2"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn named_configuration_that_is_not_there_is_an_error() {
    let shell = shell("").await;
    let error = "error: invalid value 'none.toml' for '--config <CONFIG>': there is no such file; `tandem setup` writes it";
    for command in [
        "context a.rs:1",
        "ask x",
        "edit a.rs x",
        "plan x",
        "fix a.rs",
        "apply --file a.rs",
        "mcp",
        "doctor",
        "profile",
    ] {
        let arguments: Vec<&str> = command.split(' ').chain(["--config", "none.toml"]).collect();
        let output = shell.run(&arguments).await;
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((said.lines().next(), output.status.code()), (Some(error), Some(2)), "{command}");
    }
}

/// The exit status and messages of a command whose output goes to `to`.
#[cfg(target_os = "linux")]
fn printed_to(shell: &Shell, arguments: &[&str], to: fs::File) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    command.args(arguments).current_dir(shell.folder.path()).stdout(to);
    command.env("TANDEM_CONFIG", shell.folder.path().join("config.toml")).env_remove("TANDEM_LOG");
    let output = command.env("TANDEM_STATE", shell.folder.path().join("state")).output().unwrap();
    format!("{} {}", output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn closed_pipe_is_quiet_and_a_full_disk_an_error() {
    let shell = shell("").await;
    for command in [
        "context a.rs:1",
        "context --json a.rs:1",
        "ask area",
        "ask --json area",
        "doctor --local none=1",
        "doctor --json --local none=1",
        "profile",
        "setup --list --local none=1",
        "edit a.rs rename\u{a0}area\u{a0}to\u{a0}side",
        "fix --json a.rs",
    ] {
        let arguments: Vec<String> = command.split(' ').map(|it| it.replace('\u{a0}', " ")).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let closed = printed_to(&shell, &arguments, std::os::fd::OwnedFd::from(writer).into());
        assert!(closed.starts_with("0 ") && !closed.contains("pipe"), "{command}: {closed}");
        let full = printed_to(&shell, &arguments, fs::File::create("/dev/full").unwrap());
        assert!(
            full.starts_with("1 ") && full.contains("cannot print the result: No space left on device"),
            "{command}: {full}"
        );
        assert!(!full.contains("panicked"), "{command}: {full}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fix_says_where_it_cannot_look_and_why() {
    let shell = shell("privacy.deny = 'mine.rs'\n").await;
    let write = |name: &str, text: &[u8]| fs::write(shell.folder.path().join(name), text).unwrap();
    write("a.c", b"int main(void) {\n    return 0\n}\n");
    write("notes.xyz", b"(\n");
    write("latin.rs", b"// caf\xe9\n");
    write("mine.rs", b"fn a() {}\n");
    fs::create_dir(shell.folder.path().join("folder")).unwrap();
    shell
        .check(
            &["fix", "a.c"],
            expect![[r#"
                tandem: a.c: in C, only errors in a compiler's report are fixed; pass one with --diagnostics
                tandem: no fixes to make
                exit 0"#]],
        )
        .await;
    shell.check(&["fix", "notes.xyz"], expect![[r#"
        tandem: notes.xyz: its language is not known, so only errors in a tool's report are fixed; pass one with --diagnostics
        tandem: no fixes to make
        exit 0"#]]).await;
    shell
        .check(
            &["fix", "latin.rs"],
            expect![[r#"
                tandem: latin.rs: it is not UTF-8 text; it is passed over
                tandem: no fixes to make
                exit 0"#]],
        )
        .await;
    shell
        .check(
            &["fix", "mine.rs"],
            expect![[r#"
                tandem: mine.rs: `privacy.deny` has `mine.rs`; it is passed over
                tandem: no fixes to make
                exit 0"#]],
        )
        .await;
    shell
        .check(
            &["fix", "folder"],
            expect![[r#"
                tandem: folder: it is a folder; it is passed over
                tandem: no fixes to make
                exit 0"#]],
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn small_slips_are_named() {
    let shell = shell("").await;
    shell
        .check(
            &["apply"],
            expect![[r#"
        tandem: --file or --root is needed
        exit 2"#]],
        )
        .await;
    shell.check(&["context", "a.rs:0:1"], expect![[r#"
        tandem: `a.rs:0:1` is not a place; write FILE:LINE or FILE:LINE:COL with numbers from 1, such as a.rs:3:9
        exit 2"#]]).await;
    shell
        .check(
            &["edit", "a.rs", "rename area to side", "--write"],
            expect![[r#"
                --- a/a.rs
                +++ b/a.rs
                @@ -1,4 +1,4 @@
                -fn area(width: u32) -> u32 {
                +fn side(width: u32) -> u32 {
                     width * width
                 }
                ␣
                tandem: by the local engine (local: no model is configured for this)
                tandem: 1 file written
                exit 0
                the file has changed"#]],
        )
        .await;
}
