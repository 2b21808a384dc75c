//! `tandem mcp` as another agent talks to it: a line each way.

use std::fs;
use std::process::Command;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::process::output_of;

/// Sends lines to a server in a folder of two files; gives the answers.
fn answers(arguments: &[&str], lines: &[String]) -> (TempDir, Vec<Value>) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("price.py"), "def price_of(item):\n    return 1\n").unwrap();
    fs::write(folder.path().join("cart.py"), "from price import price_of\n\nprice_of(2)\n").unwrap();
    fs::write(folder.path().join(".env"), "KEY=x\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    command.arg("mcp").args(arguments).current_dir(folder.path()).env_remove("TANDEM_LOG");
    command.env("TANDEM_CONFIG", "").env("XDG_CONFIG_HOME", folder.path().join(".none"));
    let output = output_of(&mut command, lines.concat().as_bytes());
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    (folder, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn line(message: &Value) -> String {
    format!("{message}\n")
}

/// Calls one tool; shows whether it failed, and its text.
fn check(arguments: &[&str], tool: &str, argument: Value, expect: Expect) -> TempDir {
    let params = json!({ "name": tool, "arguments": argument });
    let call = line(&json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params }));
    let (folder, answers) = answers(arguments, &[call]);
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0]["id"], 7);
    let result = &answers[0]["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let text = if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    let problem = answers[0]["error"]["message"].as_str().unwrap_or_default();
    let failed = if result["isError"] == true { "error\n" } else { "" };
    expect.assert_eq(&format!("{failed}{problem}{text}"));
    folder
}

const EDIT: &str = "*** Begin Patch\n*** Update File: price.py\n@@\n-def price_of(item):\n+def price_of(item, day):\n*** End Patch\n";

#[test]
fn handshake_and_list_are_answered() {
    let request = |id: i64, method: &str, params: Value| {
        line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    };
    let (_folder, answers) = answers(
        &[],
        &[
            request(1, "initialize", json!({ "protocolVersion": "2025-03-26", "capabilities": {} })),
            line(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })),
            "\n".to_owned(),
            request(2, "tools/list", json!({})),
            request(3, "ping", json!({})),
            request(4, "resources/list", json!({})),
            "no json\n".to_owned(),
            request(5, "tools/call", json!({ "name": "rm" })),
            line(&json!({ "jsonrpc": "2.0", "id": null, "method": "ping" })),
        ],
    );
    assert_eq!(answers.len(), 7, "a notification has no answer: {answers:?}");
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-03-26");
    let tools = answers[1]["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["apply_edit", "check", "context"]);
    assert_eq!(answers[2], json!({ "jsonrpc": "2.0", "id": 3, "result": {} }));
    assert_eq!(answers[3]["error"]["code"], -32601);
    assert_eq!(answers[4]["error"]["code"], -32700);
    assert_eq!(answers[5]["error"], json!({ "code": -32602, "message": "there is no tool `rm`" }));
    assert_eq!((&answers[6]["id"], &answers[6]["error"]["code"]), (&Value::Null, &json!(-32600)));
}

#[test]
fn edit_is_shown_and_written_only_if_that_is_allowed() {
    let shown = check(
        &[],
        "apply_edit",
        json!({ "edit": EDIT }),
        expect![[r#"
        --- a/price.py
        +++ b/price.py
        @@ -1,2 +1,2 @@
        -def price_of(item):
        +def price_of(item, day):
             return 1
    "#]],
    );
    assert!(fs::read_to_string(shown.path().join("price.py")).unwrap().contains("(item):"));
    let refused = check(
        &[],
        "apply_edit",
        json!({ "edit": EDIT, "write": true }),
        expect![[r#"
        error
        nothing is written: the server was started without --write
    "#]],
    );
    assert!(fs::read_to_string(refused.path().join("price.py")).unwrap().contains("(item):"));
    let written = check(
        &["--write"],
        "apply_edit",
        json!({ "edit": EDIT, "write": true }),
        expect![[r#"
        --- a/price.py
        +++ b/price.py
        @@ -1,2 +1,2 @@
        -def price_of(item):
        +def price_of(item, day):
             return 1
    "#]],
    );
    assert!(fs::read_to_string(written.path().join("price.py")).unwrap().contains("(item, day):"));
}

#[test]
fn edit_that_is_not_certain_or_reaches_out_is_refused() {
    let edit = |path: &str| json!({ "edit": EDIT.replace("price.py", path), "write": true });
    check(
        &["--write"],
        "apply_edit",
        edit("../price.py"),
        expect![[r#"
        error
        refused (outside-root): the path `../price.py` leads out of the workspace
    "#]],
    );
    check(
        &["--write"],
        "apply_edit",
        edit(".env"),
        expect![[r#"
        error
        refused (protected): `.env` is not changed: files called `.env` hold secrets
    "#]],
    );
    check(
        &["--write"],
        "apply_edit",
        edit("cart.py"),
        expect![[r#"
        error
        refused (not-found): block 1 looks for `def price_of(item):`, which is not in the file
    "#]],
    );
    check(
        &[],
        "apply_edit",
        json!({}),
        expect![[r#"
        `edit` is missing
    "#]],
    );
}

#[test]
fn check_tells_of_callers_that_are_left() {
    check(
        &[],
        "check",
        json!({ "edit": EDIT }),
        expect![[r#"
        cart.py:3: it uses `price_of` as before, which is now `def price_of(item, day):`
    "#]],
    );
}

#[test]
fn check_tells_of_names_that_it_cannot_judge() {
    check(
        &[],
        "check",
        json!({ "edit": EDIT.replace("(item, day):\n", "(item):\n+    lookup(item)\n") }),
        expect![[r#"
            price.py:2: it uses `lookup`, which nothing declares
        "#]],
    );
}

#[test]
fn context_shows_what_the_files_define_and_no_secrets() {
    check(
        &[],
        "context",
        json!({ "words": "price" }),
        expect![[r#"
            ./: cart.py price.py

            price.py
                def price_of(item):

            price.py:1
            def price_of(item):
                return 1
        "#]],
    );
}
