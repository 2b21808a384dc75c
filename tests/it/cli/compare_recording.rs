//! `tandem compare --recording`: what a server recorded, replayed by the program.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tandem::record::ring;
use tandem::simulate::{self, Options, Script, Simulator};

use crate::support::{Editor, Setup};

const URI: &str = "file:///no-such-folder/values.py";

/// A folder for state, and what is below it.
struct Desk(tempfile::TempDir);

impl Desk {
    /// Records requests for the lines of a file, each of which is then typed as the model has it.
    async fn new(lines: usize) -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        let script = r#"{"reply": "(number, 1)"}"#;
        let simulator = Options { script: Script::parse(script).unwrap(), ..Options::default() };
        let setup = Setup {
            simulator: Some(simulator),
            settings: "record = true\n".to_owned(),
            state: Some(desk.path().to_owned()),
            ..Setup::default()
        };
        let mut editor = Editor::with(setup).await;
        editor.open(URI, "python", "from compute import compute, number\n\n");
        for at in 0..lines {
            let line = 2 + at as u32;
            let begun = format!("value_{at} = compute");
            let version = 2 + 2 * at as i32;
            editor.change(URI, version, [line, 0, line, 0], &begun);
            let column = begun.len() as u32;
            let shown = editor.complete(URI, line, column).await;
            assert_eq!(shown[0]["insertText"], "(number, 1)", "{shown}");
            editor.change(URI, version + 1, [line, column, line, column], "(number, 1)\n");
        }
        editor.finish().await;
        desk
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// The file of the recording.
    fn file(&self) -> PathBuf {
        ring::files(&ring::folder(self.path())).unwrap()[0].path.clone()
    }

    fn rewrite(&self, edit: impl Fn(&str) -> String) {
        let text = std::fs::read_to_string(self.file()).unwrap();
        std::fs::write(self.file(), edit(&text)).unwrap();
    }

    async fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        command.arg("compare").args(arguments).current_dir(self.path());
        command.env("TANDEM_CONFIG", self.path().join("config.toml")).env("TANDEM_STATE", self.path());
        command.env_remove("TANDEM_LOG");
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    }

    /// The exit code and the JSON of a replay, and what it said.
    async fn replay(&self) -> (i32, Value, String) {
        std::fs::write(self.path().join("config.toml"), "").unwrap();
        let output = self.run(&["--recording", "--json"]).await;
        let json = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code().unwrap(), json, String::from_utf8(output.stderr).unwrap())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn recording_of_a_server_replays_equal() {
    let desk = Desk::new(3).await;
    let (code, json, said) = desk.replay().await;
    let replay = &json["replay"];
    assert_eq!((code, said.as_str()), (0, ""), "{json}");
    assert_eq!((&replay["completions"], &replay["different"]), (&json!(3), &json!(0)), "{json}");
    assert_eq!(json["difference"]["pairs"], 3, "{json}");
    assert_eq!((&json["a"]["kept"], &json["b"]["kept"]), (&json!(30), &json!(30)), "{json}");
    let output = desk.run(&["--recording", "--html", "page.html"]).await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("3 completions came out as recorded"), "{text}");
    let page = std::fs::read_to_string(desk.path().join("page.html")).unwrap();
    assert!(page.contains("3 completions came out as recorded"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn difference_is_listed_by_its_place_with_both_texts() {
    let desk = Desk::new(1).await;
    // The rules that made this recording showed something else.
    desk.rewrite(|text| text.replace("\"text\":\"(number, 1)\"", "\"text\":\"(number)\""));
    let (code, json, _) = desk.replay().await;
    assert_eq!(code, 6, "{json}");
    let difference = &json["replay"]["differences"][0];
    assert!(difference["place"].as_str().unwrap().ends_with(" values.py:3:18"), "{json}");
    assert_eq!(difference["recorded"], "shown, 11 units first:\n(number)", "{json}");
    assert_eq!(difference["now"], "shown, 11 units first:\n(number, 1)", "{json}");
    // Another prompt.
    desk.rewrite(|text| text.replace("You complete code", "You write code"));
    let (_, json, _) = desk.replay().await;
    let difference = &json["replay"]["differences"][0];
    assert_eq!(difference["what"], "another prompt");
    assert!(difference["recorded"].as_str().unwrap().starts_with("You write code"), "{json}");
}

/// Checks what a replay of an edited recording says and leaves out.
async fn check(edit: impl Fn(&str) -> String, completions: u64, left_out: Value, note: &str) {
    let desk = Desk::new(2).await;
    desk.rewrite(edit);
    let (code, json, said) = desk.replay().await;
    assert_eq!(said.matches(note).count(), 1, "{said}");
    if completions == 0 {
        let reasons =
            left_out.as_object().unwrap().iter().map(|(why, count)| format!("{count} requests {why}"));
        assert!(said.contains("nothing recorded can be replayed"), "{said}");
        reasons.for_each(|it| assert!(said.contains(&it), "{it}: {said}"));
        assert_eq!(code, 1);
        return;
    }
    assert_eq!((code, &json["replay"]["completions"]), (0, &json!(completions)), "{json} {said}");
    assert_eq!(json["replay"]["leftOut"], left_out, "{json}");
}

fn without(text: &str, kind: &str, most: usize) -> String {
    let (kind, mut left) = (format!("\"kind\":\"{kind}\""), most);
    let keeps = |line: &&str| {
        let is_meant = line.contains(&kind) && left > 0;
        left -= usize::from(is_meant);
        !is_meant
    };
    text.split_inclusive('\n').filter(keeps).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_recordings_are_reported_once_and_the_rest_is_replayed() {
    // Cut in the last line that matters.
    let cut = |text: &str| {
        let at = text.rfind("\"kind\":\"answered\"").unwrap();
        text[..at].to_owned()
    };
    check(cut, 1, json!({ "whose answer is missing": 1 }), "1 line of").await;
    check(|text| without(text, "ended", 1), 1, json!({ "abandoned, since the text changed": 1 }), "").await;
    // Once an edit is missing, the text is not known. The recording may begin behind the first edit.
    let desk = Desk::new(2).await;
    desk.rewrite(|text| without(text, "changed", usize::MAX));
    let (code, json, said) = desk.replay().await;
    let why = "in a text that is not known";
    match code {
        0 => assert_eq!(json["replay"]["leftOut"], json!({ why: 1 }), "{json}"),
        _ => assert!(code == 1 && said.contains(&format!("2 requests {why}")), "{code} {said}"),
    }
    let by_version = |text: &str, version: &str| text.replace("\"tandem\":2", version);
    check(|text| by_version(text, "\"tandem\":9"), 0, json!({}), "is of another version").await;
    // A recording of version 1 has none of what version 2 added.
    let first = |text: &str| {
        let lines = without(&by_version(text, "\"tandem\":1"), "ended", usize::MAX);
        let lines = lines.lines().map(|line| {
            let mut entry: Value = serde_json::from_str(line).unwrap();
            let fields = entry.as_object_mut().unwrap();
            ["inputs", "took", "unknown"].iter().for_each(|field| drop(fields.remove(*field)));
            entry.to_string() + "\n"
        });
        lines.collect()
    };
    let why = "of version 1, which has neither their settings nor their results";
    check(first, 0, json!({ why: 2 }), why).await;
    // The clock jumped ahead by a year, and back by two.
    let year = 365 * 24 * 3_600_000_i64;
    let jumps = |text: &str| {
        let mut jumps = [0, year, -year].into_iter().cycle();
        let lines = text.lines().map(|line| {
            let mut entry: Value = serde_json::from_str(line).unwrap();
            let time = entry["time"].as_i64().unwrap();
            if entry["kind"] == "requested" {
                jumps.next();
            }
            entry["time"] = json!(time + jumps.clone().next().unwrap());
            entry.to_string() + "\n"
        });
        lines.collect()
    };
    check(jumps, 2, json!({}), "").await;
    let not_one = |text: &str| format!("{text}{}\n", "x".repeat(70 << 20));
    check(not_one, 2, json!({}), "2 lines of").await;
}

/// A model whose answers are wrong is asked for all places, the recorded one for none.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_model_that_was_not_recorded_is_asked_and_only_once() {
    let desk = Desk::new(2).await;
    let script = Script::parse(r#"{"reply": "(nothing_of_it)"}"#).unwrap();
    let models = vec!["other".to_owned()];
    let simulator: Simulator =
        simulate::start(Options { script, models, ..Options::default() }).await.unwrap();
    let config = format!(
        "[providers.a]\nbase_url = \"http://127.0.0.1:9\"\nwire = \"chat\"\n\
         [providers.b]\nbase_url = \"{}\"\nwire = \"chat\"\n[fast]\n\
         candidates = [{{ provider = \"a\", model = \"test-model\" }}, {{ provider = \"b\", model = \"other\" }}]\n",
        simulator.base_url()
    );
    std::fs::write(desk.path().join("config.toml"), config).unwrap();
    for first in ["2 places in 1 session", "all 2 places are answered already"] {
        let output = desk.run(&["test-model", "other", "--recording", "--yes", "--json"]).await;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!((&json["a"]["kept"], &json["b"]["kept"]), (&json!(20), &json!(4)), "{json}");
        assert!(said.contains(first), "{said}");
        assert_eq!(simulator.stats().requests, 2, "{said}");
    }
}
