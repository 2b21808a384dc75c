//! Hostile files in a workspace, and disks that do not answer.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use serde_json::json;
use tandem::assist::Models;
use tandem::disk::{Purpose, Readers};
use tandem::simulate::{self, Options, Script, Simulator};
use tempfile::TempDir;

use super::{Served, config};
use crate::support::{Editor, Setup, uri};

const LINES: &str = "let a1 = f(1);\nlet a2 = f(2);\nlet a3 = ";

async fn simulator() -> Simulator {
    let script = Script::parse(r#"{"reply": "canary"}"#).unwrap();
    simulate::start(Options { script, ..Options::default() }).await.unwrap()
}

/// The peak memory of a process, in bytes; `None` if the system does not report it.
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// More than a server needs after reading a workspace, and less than any of these files would cause without limits.
const MOST: u64 = 256 * 1024 * 1024;

/// Checks three files in a folder with such an ignore file: `why` no model is shown them, or `None` if one is. Files
/// in another folder always get answers.
async fn check(place: &str, make: impl Fn(&Path), why: Option<&str>) {
    let on_disk = TempDir::new().unwrap();
    let folder = std::fs::canonicalize(on_disk.path()).unwrap();
    for name in ["hostile/.git/info", "harmless"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    make(&folder.join("hostile").join(place));
    let simulator = simulator().await;
    std::fs::write(folder.join("config.toml"), config(&simulator.base_url(), "responses-websocket")).unwrap();
    let mut served = Served::start(&folder, None).await;
    for name in ["a.rs", "b.rs", "c.rs"] {
        let shown = served.complete(&folder.join("hostile").join(name)).await;
        assert_eq!(shown, if why.is_some() { "f(3);" } else { "canary" }, "{place}: {why:?}");
        assert_eq!(served.complete(&folder.join("harmless").join(name)).await, "canary", "{place}: {why:?}");
    }
    if let Some(peak) = served.child.id().and_then(peak) {
        assert!(peak < MOST, "{place}: {why:?} took {} MB", peak >> 20);
    }
    let (said, _) = served.finish().await;
    let reasons: Vec<&str> = said
        .iter()
        .filter_map(|message| message["params"]["message"].as_str()?.split_once("Tandem shows no model"))
        .filter_map(|(_, reason)| Some(reason.split_once(": ")?.1))
        .collect();
    assert_eq!(reasons, vec![why; 3].into_iter().flatten().collect::<Vec<_>>(), "{place}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_without_end_is_no_ignore_file() {
    for name in [".gitignore", ".aiignore", ".tandemignore", ".git/info/exclude"] {
        let why = format!("`{name}` cannot be read (it is no regular file)");
        check(name, |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap(), Some(&why)).await;
    }
}

#[cfg(unix)]
fn pipe(path: impl AsRef<Path>) {
    let made = std::process::Command::new("mkfifo").arg(path.as_ref()).status();
    assert!(made.is_ok_and(|it| it.success()));
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_is_no_ignore_file() {
    for name in [".gitignore", ".git/info/exclude"] {
        let why = format!("`{name}` cannot be read (it is no regular file)");
        check(name, |path| pipe(path), Some(&why)).await;
    }
}

#[tokio::test]
async fn a_folder_is_no_ignore_file_and_ignores_nothing() {
    check(".gitignore", |path| std::fs::create_dir(path).unwrap(), None).await;
}

#[tokio::test]
async fn an_ignore_file_of_50_mb_is_not_read() {
    let text = "*\n".repeat(25 * 1024 * 1024);
    let why = "`.gitignore` cannot be read (it has more than 1048576 bytes)";
    check(".gitignore", |path| std::fs::write(path, &text).unwrap(), Some(why)).await;
}

#[tokio::test]
async fn a_hundred_thousand_patterns_are_not_matched() {
    let text: String = (0..100_000).map(|at| format!("{at}\n")).collect();
    let why = "`.gitignore` cannot be read (there are more than 10000 patterns)";
    check(".gitignore", |path| std::fs::write(path, &text).unwrap(), Some(why)).await;
    let text: String = (0..9_000).map(|at| format!("a{at}*.rs\n")).collect();
    let why = "`.gitignore` cannot be read (there are more than 1000 patterns with wildcards)";
    check(".gitignore", |path| std::fs::write(path, &text).unwrap(), Some(why)).await;
}

#[tokio::test]
async fn as_many_patterns_as_are_matched_are_matched() {
    let text: String = (0..8_000)
        .map(|at| format!("name{at}\n"))
        .chain((0..999).map(|at| format!("x{at}*y.rs\n")))
        .collect();
    check(".gitignore", |path| std::fs::write(path, &text).unwrap(), None).await;
}

/// An editor in a workspace of which `lane` is on a disk that does not answer until the sender is dropped.
async fn on_a_stuck_disk(folder: &Path, lane: &Path) -> (Editor, Sender<()>) {
    let readers = Readers::default();
    let release = hang(&readers, lane);
    let script = Script::parse(r#"{"reply": "canary"}"#).unwrap();
    let setup = Setup {
        simulator: Some(Options { script, ..Options::default() }),
        workspace: folder.to_owned(),
        readers,
        models: None::<Models>,
        ..Setup::default()
    };
    (Editor::with(setup).await, release)
}

async fn ghost(editor: &mut Editor, path: &Path) -> serde_json::Value {
    editor.open(&uri(path), "rust", LINES);
    editor.complete(&uri(path), 2, 9).await[0]["insertText"].take()
}

#[tokio::test]
async fn a_disk_that_does_not_answer_stops_its_own_folder_alone_until_it_does() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (mut editor, release) = on_a_stuck_disk(folder.path(), &path("hung")).await;
    // More files than there are threads for other work.
    for name in ["a.rs", "b.rs", "c.rs", "d.rs"] {
        editor.open(&uri(&path("hung").join(name)), "rust", LINES);
    }
    assert_eq!(ghost(&mut editor, &path("well/a.rs")).await, "canary");
    let uri_of = |name: &str| uri(&path("hung").join(name));
    assert_eq!(editor.complete(&uri_of("a.rs"), 2, 9).await[0]["insertText"], "f(3);", "the local engine's");
    assert_eq!(ghost(&mut editor, &path("hung/e.rs")).await, "f(3);", "and nothing waits any more");
    for name in ["a.rs", "b.rs", "c.rs", "d.rs", "e.rs"] {
        let logged = editor.driver.expect("window/logMessage").await.unwrap();
        let said = logged["params"]["message"].as_str().unwrap().to_owned();
        let why = "whether it is ignored is not known: its disk does not answer";
        assert!(said.ends_with(why), "{name}: {said}");
    }
    assert_eq!(ghost(&mut editor, &path("well/b.rs")).await, "canary");
    drop(release);
    // The waiting files are checked as soon as the disk answers; each change sends a new request.
    let mut version = 2;
    while editor.complete(&uri_of("a.rs"), 2, 9).await[0]["insertText"] != "canary" {
        editor.change(&uri_of("a.rs"), version, [2, 8, 2, 9], " ");
        version += 1;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    editor.finish().await;
}

#[tokio::test]
async fn a_project_file_on_a_disk_that_does_not_answer_is_left_out_with_a_word() {
    let folder = TempDir::new().unwrap();
    let (mut editor, _release) = on_a_stuck_disk(folder.path(), folder.path()).await;
    let shown = editor.driver.expect("window/showMessage").await.unwrap();
    let said = shown["params"]["message"].as_str().unwrap();
    assert!(said.ends_with(".tandem.toml: cannot be read: its disk does not answer"), "{said}");
    // Files outside that workspace get answers.
    assert_eq!(ghost(&mut editor, Path::new("/elsewhere/a.rs")).await, "canary");
    let _: Vec<_> = editor.driver.take_unread();
    editor
        .driver
        .notify("textDocument/didSave", json!({ "textDocument": { "uri": "file:///elsewhere/a.rs" } }));
    editor.finish().await;
}

/// Blocks a lane as if its disk did not answer, until the sender is dropped.
fn hang(readers: &Readers, lane: &Path) -> Sender<()> {
    let (release, released) = channel();
    readers.start(lane, move || _ = released.recv()).unwrap();
    release
}

/// An editor with two workspace folders. The disk of the first one does not answer reads for any purpose, nor those
/// that span both folders.
async fn with_a_hung_folder(hung: &Path, well: &Path) -> (Editor, Vec<Sender<()>>) {
    let readers = Readers::default();
    let purposes = [Purpose::Index, Purpose::Related, Purpose::Request, Purpose::Aside];
    let lanes = purposes.map(|purpose| purpose.lane(hung));
    let hung_reads = lanes.iter().map(PathBuf::as_path).chain(["*ask*", "*search*"].map(Path::new));
    let hung_reads = hung_reads.map(|lane| hang(&readers, lane)).collect();
    let script = Script::parse(r#"{"reply": "canary"}"#).unwrap();
    let setup = Setup {
        simulator: Some(Options { script, ..Options::default() }),
        workspace: hung.to_owned(),
        beside: vec![well.to_owned()],
        readers: readers.clone(),
        models: None::<Models>,
        ..Setup::default()
    };
    (Editor::with(setup).await, hung_reads)
}

#[tokio::test]
async fn a_hung_folder_stops_neither_requests_nor_the_index_of_another_one() {
    let (hung, well) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let well_known = "def measure_well(width):\n    return width\n";
    std::fs::write(well.path().join("known.py"), well_known).unwrap();
    let (mut editor, hung_reads) = with_a_hung_folder(hung.path(), well.path()).await;
    let command =
        |command: &str, argument: serde_json::Value| json!({ "command": command, "arguments": [argument] });
    // Four plans for the hung folder, more than the pool has threads, and as many questions.
    let open = uri(&hung.path().join("a.rs"));
    editor.open(&open, "rust", LINES);
    let plan = json!({ "instruction": "do it", "textDocument": { "uri": open }, "show": true });
    let question = json!({ "question": "where is measure_well", "reply": true });
    let asked = [command("tandem.plan", plan), command("tandem.ask", question)];
    let asked = std::iter::repeat_n(asked, 4).flatten();
    let waiting: Vec<i64> =
        asked.map(|params| editor.driver.ask("workspace/executeCommand", params)).collect();
    // The other folder is walked, and its files are read.
    let ask = json!({ "question": "where is measure_well", "quiet": true });
    let found = |answers: &serde_json::Value| answers["answers"].as_array().is_some_and(|it| !it.is_empty());
    loop {
        let asked = command("tandem.ask", ask.clone());
        if found(&editor.driver.request("workspace/executeCommand", asked).await.unwrap()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(ghost(&mut editor, &well.path().join("b.rs")).await, "canary");
    let rewrite = json!({
        "textDocument": { "uri": uri(&well.path().join("b.rs")) }, "instruction": "do it", "preview": true,
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 1, "character": 0 } },
    });
    let asked = command("tandem.rewrite", rewrite);
    // The model's reply breaks the code, and the edit engine must have read it to report that.
    let refused = editor.driver.request("workspace/executeCommand", asked).await.unwrap_err().to_string();
    assert!(refused.contains("syntax errors"), "{refused}");
    for id in waiting {
        editor.driver.notify("$/cancelRequest", json!({ "id": id }));
        let answered = editor.driver.answer(id).await;
        assert_eq!(answered.unwrap()["error"]["code"], -32800);
    }
    drop(hung_reads);
    let _: Vec<_> = editor.driver.take_unread();
    editor.finish().await;
}

#[tokio::test]
async fn what_lies_beside_a_file_on_a_hung_disk_is_left_out_until_the_disk_is_back() {
    let folder = TempDir::new().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    std::fs::create_dir(root.join("src")).unwrap();
    let (area, main) = ("pub fn area() {}\n", "use crate::shape::area;\n\nfn main() {\n    area();\n}\n");
    std::fs::write(root.join("src/shape.rs"), area).unwrap();
    std::fs::write(root.join("src/main.rs"), main).unwrap();
    let shape = uri(&root.join("src/shape.rs"));
    let readers = Readers::default();
    let setup =
        Setup { simulator: None, workspace: root.clone(), readers: readers.clone(), ..Setup::default() };
    let mut editor = Editor::with(setup).await;
    editor.open_only(&shape, "rust", area);
    let known = json!({ "command": "tandem.ask", "arguments": [{ "question": "main", "quiet": true }] });
    while editor.driver.request("workspace/executeCommand", known.clone()).await.unwrap()["answers"]
        == json!([])
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let hung = [root.clone(), root.join("src")].map(|folder| hang(&readers, &Purpose::Aside.lane(&folder)));

    // A rename in this file continues in a file that is not open, which must be read.
    editor.change(&shape, 2, [0, 7, 0, 11], "surface");
    let rename = json!({
        "textDocument": { "uri": shape }, "position": { "line": 0, "character": 14 },
        "context": { "triggerKind": 1 },
    });
    assert_eq!(editor.driver.request("tandem/nextEdit", rename.clone()).await.unwrap()["edits"], json!([]));
    // An import does not resolve to a file, which requires the names in its folder.
    let other = uri(&root.join("src/lib.rs"));
    editor.open_only(&other, "rust", "mod shap;\n");
    let import = json!({
        "textDocument": { "uri": other }, "context": { "diagnostics": [], "triggerKind": 1 },
        "range": { "start": { "line": 0, "character": 4 }, "end": { "line": 0, "character": 4 } },
    });
    assert_eq!(editor.driver.request("textDocument/codeAction", import.clone()).await.unwrap(), json!([]));

    drop(hung);
    while editor.driver.request("tandem/nextEdit", rename.clone()).await.unwrap()["edits"] == json!([]) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let listed = editor.driver.request("textDocument/codeAction", import).await.unwrap();
    assert_eq!(listed[0]["title"], "Tandem: change `shap` to `shape`");
    editor.finish().await;
}
