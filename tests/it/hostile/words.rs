//! Control characters from servers, files and file names: none reaches a terminal, a log or an editor unescaped.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};

use super::{Served, config};

/// Sets the title, clears the screen, hides the following text, and reverses it.
const EVIL: &str = "\u{1b}]0;evil\u{7}\u{1b}[2J\u{1b}[8m\u{202e}\u{9b}live";
/// The same in the name of a file.
const FILE: &str = "\u{1b}[2J\u{202e}live.rs";
/// And in its text.
const TEXT: &str = "let old = \"\u{1b}[2J\u{1b}[8m\u{202e}\";\nlet b = old;\n";

/// A server that refuses with such text, over HTTP or over a socket that it closes; returns its base URL.
async fn hostile() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            tokio::spawn(refuse(tcp));
        }
    });
    base_url
}

async fn refuse(mut tcp: TcpStream) {
    let mut first = [0; 2048];
    let Ok(read) = tcp.peek(&mut first).await else { return };
    let head = String::from_utf8_lossy(&first[..read]).to_lowercase();
    if head.contains("upgrade: websocket") {
        let Ok(mut socket) = tokio_tungstenite::accept_async(tcp).await else { return };
        // The first request is refused by closing the socket.
        drop(socket.next().await);
        let frame = CloseFrame { code: CloseCode::Size, reason: EVIL.into() };
        drop(socket.close(Some(frame)).await);
        while let Some(Ok(_)) = socket.next().await {}
        return;
    }
    let (status, body) = match head.starts_with("get") {
        true => ("200 OK", json!({ "object": "list", "data": [{ "id": "m" }, { "id": EVIL }] })),
        false => {
            let error = json!({ "message": EVIL, "code": EVIL, "type": EVIL, "param": EVIL });
            ("400 Bad Request", json!({ "error": error }))
        }
    };
    let body = body.to_string();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    drop(tcp.write_all(answer.as_bytes()).await);
    // Reads the rest of the request, or the answer would be lost with the connection.
    drop(tcp.shutdown().await);
    while let Ok(1..) = tcp.read(&mut first).await {}
}

struct Place {
    _on_disk: TempDir,
    folder: PathBuf,
}

impl Place {
    fn new(base_url: &str, wire: &str) -> Self {
        let on_disk = TempDir::new().unwrap();
        let folder = std::fs::canonicalize(on_disk.path()).unwrap();
        std::fs::write(folder.join("config.toml"), config(base_url, wire)).unwrap();
        std::fs::write(folder.join(FILE), TEXT).unwrap();
        std::fs::write(folder.join(".gitignore"), "# nothing\n").unwrap();
        Self { _on_disk: on_disk, folder }
    }

    /// Runs a command with a reply on its standard input, with or without colors; returns all output.
    async fn run(&self, arguments: &[&str], input: &str, in_colours: bool) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        command.args(arguments).current_dir(&self.folder).env("TANDEM_LOG", "debug");
        command.env("TANDEM_CONFIG", self.folder.join("config.toml"));
        command.env("TANDEM_STATE", self.folder.join("state")).env("PATH", "");
        if in_colours {
            command.env("CLICOLOR_FORCE", "1");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        drop(stdin.write_all(input.as_bytes()).await);
        drop(stdin);
        let output = child.wait_with_output().await.unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    }
}

/// Asserts that the output has no control sequences except, with colors, the program's own styles.
fn assert_harmless(what: &str, printed: &str, in_colours: bool) {
    let mut rest = printed.to_owned();
    if in_colours {
        for style in ["0", "1", "2", "3", "31", "32", "33", "36"] {
            rest = rest.replace(&format!("\u{1b}[{style}m"), "");
        }
    }
    let wrong =
        rest.chars().find(|it| (it.is_control() && *it != '\n') || ('\u{202a}'..='\u{202e}').contains(it));
    assert_eq!(wrong, None, "{what}: {rest:?}");
}

#[tokio::test]
async fn the_commands_print_nothing_that_acts() {
    let base_url = hostile().await;
    let name = Path::new(FILE);
    assert_eq!(name.as_os_str().as_bytes(), FILE.as_bytes());
    let at = format!("{FILE}:1:5");
    for wire in ["chat", "responses-websocket", "responses-sse"] {
        let place = Place::new(&base_url, wire);
        for in_colours in [false, true] {
            for (arguments, shows_file, shows_words) in [
                (&["edit", FILE, "explain the meaning of this", "--gear", "fast"][..], false, true),
                (&["edit", "no\u{1b}[2Jne.rs", "explain"], true, false),
                (&["doctor", "--requests", "1"], false, true),
                (&["doctor", "--requests", "1", "--json"], false, true),
                (&["context", &at], true, false),
                (&["context", &at, "--json"], true, false),
                (&["apply", "--root", ".", "--json"], true, false),
            ] {
                let input = format!("*** Begin Patch\n*** Delete File: {FILE}\n*** End Patch\n");
                let printed = place.run(arguments, &input, in_colours).await;
                let what = format!("{wire}: {}", arguments.join(" "));
                assert_harmless(&what, &printed, in_colours);
                let shown = printed.contains(r"\u{1b}[2J") || printed.contains(r"\u001b[2J");
                assert!(shown || !(shows_file || shows_words), "{what} shows it: {printed}");
            }
        }
    }
}

/// Output for people is harmless, and output for programs is exact.
#[tokio::test]
async fn a_diff_and_a_result_act_on_nothing_but_a_program() {
    let place = Place::new("http://127.0.0.1:9", "chat");
    let rename = ["edit", FILE, "rename old to new", "--gear", "local"];
    let seen = place.run(&rename, "", true).await;
    assert_harmless("edit", &seen, true);
    assert!(seen.contains(r#"-let old = "\u{1b}[2J\u{1b}[8m\u{202e}";"#), "{seen}");
    let piped = place.run(&rename, "", false).await;
    let line = TEXT.lines().next().unwrap();
    let change = format!("-{line}\n-let b = old;\n+{}\n", line.replace("old", "new"));
    assert!(piped.contains(&change), "{piped:?}");
    let reply = "<<<<<<< SEARCH\nlet b = old;\n=======\nlet b = 7;\n>>>>>>> REPLACE\n";
    let result = TEXT.replace("b = old", "b = 7");
    let apply = ["apply", "--file", FILE];
    let seen = place.run(&apply, reply, true).await;
    assert_harmless("apply", &seen, true);
    assert!(seen.starts_with(r#"let old = "\u{1b}[2J"#), "{seen}");
    let piped = place.run(&apply, reply, false).await;
    assert!(piped.starts_with(&result), "{piped}");
}

#[tokio::test]
async fn the_server_says_and_logs_nothing_that_acts() {
    let base_url = hostile().await;
    for wire in ["chat", "responses-websocket"] {
        let place = Place::new(&base_url, wire);
        std::fs::write(place.folder.join(".gitignore"), format!("*{}*\n", "\u{1b}[2J")).unwrap();
        let project = place.folder.join(".tandem.toml");
        std::fs::write(&project, "\"\\u001b[2J\" = 1\n").unwrap();
        let mut served = Served::start(&place.folder, None).await;
        served.complete(&place.folder.join("a.rs")).await;
        let argument = json!({
            "textDocument": { "uri": crate::support::uri(&place.folder.join("a.rs")) },
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } },
            "instruction": "explain the meaning of this",
        });
        let command = json!({ "command": "tandem.rewrite", "arguments": [argument] });
        let id = served.driver.ask("workspace/executeCommand", command);
        let answer = served.driver.answer(id).await.unwrap();
        // Written late, since an incomplete project file would have disabled the models.
        std::fs::write(&project, "\"\\u001b[2J\" = 2\n\u{1b}\n").unwrap();
        let status = served.driver.request("tandem/status", Value::Null).await.unwrap();
        let (said, log) = served.finish().await;
        assert!(answer["error"]["message"].as_str().unwrap().contains(r"\u{1b}[2J"), "{answer}");
        let shown = said.iter().filter(|it| it["method"] == "window/showMessage").count();
        assert!(shown > 0, "{said:?}");
        for message in said.iter().chain([&answer, &status]) {
            for text in strings(message) {
                assert_harmless(wire, text, false);
            }
        }
        assert_harmless("the log", &log, false);
        assert!(log.contains(r"\u{1b}"), "{log}");
    }
}

/// All texts in a message.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(entries) => entries.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
