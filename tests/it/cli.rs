//! The commands as a user runs them: output, exit codes, and the resulting files.

mod apply;
mod compare;
mod compare_recording;
mod doctor;
mod fix;
#[cfg(target_os = "linux")]
mod listen;
mod record;
mod setup;
mod trouble;

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::simulate::{self, Options, Script, Simulator};
use tempfile::TempDir;

use crate::support::vendor::{Reply, Vendor};

const TEXT: &str = "fn area(width: u32) -> u32 {\n    width * width\n}\n\nfn width() {} // 猫\n";

struct Shell {
    folder: TempDir,
    _simulator: Option<Simulator>,
}

impl Shell {
    /// A folder that contains `a.rs`, and a model that answers from `script`; `None` means no model.
    async fn new(script: Option<&str>) -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("a.rs"), TEXT).unwrap();
        let mut simulator = None;
        if let Some(script) = script {
            let options = Options { script: Script::parse(script).unwrap(), ..Options::default() };
            let started = simulate::start(options).await.unwrap();
            let config = format!(
                "[providers.test]\nbase_url = \"{}\"\n[fast]\ncandidates = [{{ provider = \"test\", model = \"m\" }}]\n",
                started.base_url()
            );
            std::fs::write(folder.path().join("config.toml"), config).unwrap();
            simulator = Some(started);
        }
        if simulator.is_none() {
            // A configuration file that is named must exist.
            std::fs::write(folder.path().join("config.toml"), "").unwrap();
        }
        Self { folder, _simulator: simulator }
    }

    async fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        command.args(arguments).current_dir(self.folder.path());
        command.env("TANDEM_CONFIG", self.folder.path().join("config.toml")).env_remove("TANDEM_LOG");
        command.env("TANDEM_STATE", self.folder.path().join("state"));
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    }

    fn file(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("a.rs")).unwrap()
    }

    /// Runs a command and shows its exit code, its output, and whether the file changed.
    async fn check(&self, arguments: &[&str], expect: Expect) {
        let before = self.file();
        let output = self.run(arguments).await;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let changed = if self.file() == before { "" } else { "\nthe file has changed" };
        let shown = format!(
            "{}{}exit {}{changed}",
            text(&output.stdout),
            text(&output.stderr),
            output.status.code().unwrap()
        );
        // A trailing space would be lost in the expectations below.
        expect.assert_eq(&shown.replace(" \n", "␣\n"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn edit_prints_a_diff_and_writes_only_when_told() {
    let shell = Shell::new(Some("")).await;
    let diff = expect![[r#"
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
        exit 0"#]];
    shell.check(&["edit", "a.rs:1-3", "rename width to w"], diff).await;
    let output = shell.run(&["edit", "a.rs:1-3", "rename width to w", "--write"]).await;
    assert!(output.status.success());
    assert_eq!(shell.file(), TEXT.replacen("width", "w", 3), "the lines outside keep theirs");
    let mut left: Vec<_> =
        std::fs::read_dir(shell.folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["a.rs", "config.toml", "state"], "no temporary file is left");
}

/// The uses in the rest of the file, and in other files of a repository.
#[tokio::test(flavor = "multi_thread")]
async fn edit_names_the_uses_that_it_leaves() {
    let shell = Shell::new(None).await;
    let write = |path: &str, text: &str| std::fs::write(shell.folder.path().join(path), text).unwrap();
    write("shape.py", "def area(w):\n    return w\n\n\nprint(area(1))\n");
    write("page.py", "from shape import area\n\nprint(area(2))\n");
    let edit = ["edit", "shape.py:1-2", "rename area to size", "--write"];
    shell.check(&edit, expect![[r#"
        --- a/shape.py
        +++ b/shape.py
        @@ -1,4 +1,4 @@
        -def area(w):
        +def size(w):
             return w
        ␣
        ␣
        tandem: by the local engine (local: no model is configured for this)
        tandem: note: 1 line in 1 file no longer fits: shape.py:5; to change the whole file: tandem edit shape.py "rename area to size"
        tandem: 1 file written
        exit 0"#]]).await;
    write("shape.py", "def area(w):\n    return w\n\n\nprint(area(1))\n");
    std::fs::create_dir(shell.folder.path().join(".git")).unwrap();
    shell.check(&edit, expect![[r#"
        --- a/shape.py
        +++ b/shape.py
        @@ -1,4 +1,4 @@
        -def area(w):
        +def size(w):
             return w
        ␣
        ␣
        tandem: by the local engine (local: no model is configured for this)
        tandem: note: 3 lines in 2 files no longer fit: page.py:1,3, shape.py:5; to change the whole file: tandem edit shape.py "rename area to size"
        tandem: 1 file written
        exit 0"#]]).await;
}

/// Whatever becomes of its answer, the day's budget sees what a request took.
#[tokio::test(flavor = "multi_thread")]
async fn requests_of_commands_are_counted_however_they_end() {
    let check = async |reply: Reply, wire: &str, expect: Expect| {
        let vendor = Vendor::start(vec![reply]).await;
        let shell = Shell::new(None).await;
        let config = format!(
            "[providers.test]\nbase_url = \"{}\"\nwire = \"{wire}\"\n[fast]\ncandidates = [{{ provider = \"test\", model = \"m\" }}]\n",
            vendor.base_url
        );
        std::fs::write(shell.folder.path().join("config.toml"), config).unwrap();
        shell.run(&["edit", "a.rs:1-3", "halve it", "--gear", "fast"]).await;
        let usage = std::fs::read_dir(shell.folder.path().join("state/usage")).unwrap();
        let mut sum = [0; 3];
        for file in usage {
            let day: Value = serde_json::from_slice(&std::fs::read(file.unwrap().path()).unwrap()).unwrap();
            for (sum, name) in sum.iter_mut().zip(["requests", "inputTokens", "outputTokens"]) {
                *sum += day[name].as_u64().unwrap();
            }
        }
        let [requests, input, output] = sum;
        // The server's figures, or an estimate by the bytes that were sent.
        let input = match input {
            100..1_000 => "an estimate".to_owned(),
            input => input.to_string(),
        };
        expect.assert_eq(&format!("{requests} requests, input {input}, output {output}"));
    };
    let chat = |choice: Value| format!("data: {}\n\n", json!({ "choices": [choice] }));
    let text = || chat(json!({ "delta": { "content": "```rust\n" } }));
    let refused = Reply::json(400, &json!({ "error": { "message": "no" } }));
    check(refused, "chat", expect!["1 requests, input 0, output 0"]).await;
    check(Reply::stream(text()).broken(), "chat", expect!["1 requests, input an estimate, output 2"]).await;
    let filtered = text() + &chat(json!({ "delta": {}, "finish_reason": "content_filter" }));
    check(Reply::stream(filtered), "chat", expect!["1 requests, input an estimate, output 1"]).await;
    let event = |event: Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    let start = event(json!({"type": "message_start", "message": {"id": "m", "model": "m", "usage":
        {"input_tokens": 50_000, "output_tokens": 1}}}));
    let delta = json!({ "stop_reason": "refusal" });
    let end = event(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 700}}));
    check(Reply::stream(start + &end), "anthropic", expect!["1 requests, input 50000, output 700"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edit_refuses_what_it_cannot_be_sure_of() {
    let broken = r#"{"reply": "```rust\nfn area(width: u32) -> u32 {\n    width * width\n```"}"#;
    let shell = Shell::new(Some(broken)).await;
    shell
        .check(
            &["edit", "a.rs:1-3", "x", "--write"],
            expect![[r#"
        tandem: the result would have 2 syntax errors where there were 0
        exit 3"#]],
        )
        .await;
    let lazy = r#"{"reply": "```rust\nfn volume(side: u32) -> u32 {\n    // ... existing code ...\n    side\n}\n```"}"#;
    let shell = Shell::new(Some(lazy)).await;
    shell
        .check(
            &["edit", "a.rs:1-3", "x", "--write"],
            expect![[r#"
        tandem: `// ... existing code ...` is a placeholder for omitted code
        exit 3"#]],
        )
        .await;
    let shell = Shell::new(Some(r#"{"reply": "NO_EDITS"}"#)).await;
    shell
        .check(
            &["edit", "a.rs", "x", "--write"],
            expect![[r#"
                tandem: the model left the code as it is
                exit 0"#]],
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edit_says_what_is_wrong_with_its_input() {
    let shell = Shell::new(None).await;
    shell
        .check(
            &["edit", "a.rs:9-12", "x"],
            expect![[r#"
        tandem: a.rs has 5 lines, not 12
        exit 2"#]],
        )
        .await;
    shell
        .check(
            &["edit", "a.rs:3-1", "x"],
            expect![[r#"
                tandem: `3-1` is not a range of lines; write FILE:FROM-TO with numbers from 1, such as a.rs:3-9
                exit 2"#]],
        )
        .await;
    shell
        .check(
            &["edit", "b.rs", "x"],
            expect![[r#"
                tandem: cannot read b.rs: there is no such file
                exit 1"#]],
        )
        .await;
    shell
        .check(
            &["edit", "a.rs", "make it beautiful"],
            expect![[r#"
                tandem: no model is configured; `tandem setup` chooses one, or write `rename A to B`
                exit 1"#]],
        )
        .await;
    std::fs::write(shell.folder.path().join("b.rs"), b"\xff\xfe\x00").unwrap();
    shell
        .check(
            &["edit", "b.rs", "x"],
            expect![[r#"
        tandem: b.rs is not UTF-8 text; convert it first
        exit 3"#]],
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_runs_the_main_job() {
    let shell = Shell::new(None).await;
    let output = shell.run(&["demo"]).await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    for words in [
        "a small embedded engine",
        "Status::Sh▏ipped => \"shipped\",",
        "a key, 0 model calls",
        "Status::Shipped => \"shipped\",▏",
        "-// ai: rename amount to cents",
        "+pub fn show(cents: u64) -> String {",
        "-    let rest = cnets % 100\n",
        "+    let rest = cents % 100;",
        "for both, by rules: 0 model calls",
        "+    format!(\"{euros}.{rest:02} €\")",
        "after the change, 0 model calls",
        "+pub fn show(cents: u64, currency: &str) -> String {",
        "+    format!(\"{name}: {}\", show(cents, \"€\"))",
        "2 files in",
        "3 model calls; checked together: 0 findings",
        "      → B keeps ",
        " points less of its text (",
        "  tandem setup ",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn packages_get_pages_and_completions() {
    let shell = Shell::new(None).await;
    let output = shell.run(&["generate", "man", "man"]).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = |name: &str| std::fs::read_to_string(shell.folder.path().join("man").join(name)).unwrap();
    assert!(page("tandem.1").contains(".SH SUBCOMMANDS"));
    assert!(page("tandem-edit.1").contains("unified diff"));
    assert!(!shell.folder.path().join("man/tandem-generate.1").exists(), "it is for packages alone");
    for (shell_name, words) in
        [("bash", "complete -F _tandem"), ("zsh", "#compdef tandem"), ("fish", "complete -c tandem")]
    {
        let output = shell.run(&["generate", "completions", shell_name]).await;
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(words) && text.contains("commit-message"), "{shell_name}");
    }
}

#[test]
fn the_sample_is_sound_code() {
    for name in ["order.rs", "invoice.rs", "lib.rs"] {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sample/src").join(name);
        let text = std::fs::read_to_string(sample).unwrap();
        let tree = tandem::grammar::by_language_id("rust").unwrap().parse_str(&text).unwrap();
        assert!(!tree.root_node().has_error(), "{name}");
    }
}

#[test]
fn a_simulator_ends_with_its_parent_process() {
    let mut simulator = Command::new(env!("CARGO_BIN_EXE_tandem"))
        .args(["simulate", "--until-stdin-closes"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(simulator.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.strip_prefix("listening on http://").and_then(|it| it.trim_end().strip_suffix("/v1"));
    assert!(simulator.try_wait().unwrap().is_none(), "it runs for as long as its input is open");
    TcpStream::connect(address.unwrap()).unwrap();
    drop(simulator.stdin.take());
    assert!(simulator.wait().unwrap().success());
}
