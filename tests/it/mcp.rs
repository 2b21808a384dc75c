//! `tandem mcp` as another agent uses it: a line in each direction.

use std::fs;
use std::process::Command;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::process::output_of;

/// Sends lines to a server in a folder of two files; returns the answers.
fn answers(arguments: &[&str], lines: &[String]) -> (TempDir, Vec<Value>) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("price.py"), "def price_of(item):\n    return 1\n").unwrap();
    fs::write(folder.path().join("cart.py"), "from price import price_of\n\nprice_of(2)\n").unwrap();
    fs::write(folder.path().join(".env"), "KEY=x\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    command.arg("mcp").args(arguments).current_dir(folder.path()).env_remove("TANDEM_LOG");
    let none = folder.path().join(".none");
    command.env("TANDEM_CONFIG", "").env("XDG_CONFIG_HOME", &none).env("XDG_STATE_HOME", &none);
    let output = output_of(&mut command, lines.concat().as_bytes());
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    (folder, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn line(message: &Value) -> String {
    format!("{message}\n")
}

/// The metadata of a request since revision 2026-07-28.
fn stated() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

fn request(id: impl Into<Value>, method: &str, params: Value) -> String {
    line(&json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params }))
}

/// Calls one tool; shows whether it failed, and its text.
fn check(arguments: &[&str], tool: &str, argument: Value, expect: Expect) -> TempDir {
    let call = request(7, "tools/call", json!({ "name": tool, "arguments": argument, "_meta": stated() }));
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

/// Sends lines to one server; shows for each answer its id, and the relevant part of its result or error.
#[track_caller]
fn check_answers(lines: &[String], expect: Expect) {
    let (_folder, answers) = answers(&[], lines);
    let shown = |answer: &Value| -> String {
        let (result, error) = (&answer["result"], &answer["error"]);
        let said = match error {
            Value::Null => {
                let names: Vec<&str> = result["tools"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|tool| tool["name"].as_str())
                    .collect();
                let keys: Vec<&str> =
                    result.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
                let version = &result["protocolVersion"];
                let version = version.as_str().map_or_else(String::new, |it| format!(" {it}"));
                format!("[{}]{version} {}", keys.join(" "), names.join(" "))
            }
            error => format!("{error}"),
        };
        format!("{}: {}", answer["id"], said.trim_end())
    };
    let lines: Vec<String> = answers
        .iter()
        .map(|answer| match answer.as_array() {
            Some(batch) => batch.iter().map(shown).collect::<Vec<_>>().join(" | "),
            None => shown(answer),
        })
        .collect();
    expect.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn handshake_settles_the_revision() {
    let initialize = |id: i64, version: &str| {
        request(id, "initialize", json!({ "protocolVersion": version, "capabilities": {} }))
    };
    check_answers(
        &[
            request(1, "ping", json!({})),
            request(2, "tools/list", json!({})),
            initialize(3, "2025-03-26"),
            line(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })),
            "\n".to_owned(),
            request(4, "tools/list", json!({})),
            request(45, "tools/call", json!({ "name": "context" })),
            request(5, "resources/list", json!({})),
            request(6, "server/discover", json!({})),
            request("seven", "tools/call", json!({ "name": "rm" })),
            initialize(8, "2025-11-25"),
            initialize(9, "2026-07-28"),
            "no json\n".to_owned(),
            request(Value::Null, "ping", json!({})),
            request(json!([1]), "ping", json!({})),
            format!("[{},{}]\n", request(10, "ping", json!({})).trim(), request(11, "rm", json!({})).trim()),
            "[]\n".to_owned(),
        ],
        expect![[r#"
            1: []
            2: {"code":-32602,"message":"`_meta` needs `io.modelcontextprotocol/protocolVersion`, the protocol's version; or begin with `initialize`"}
            3: [capabilities instructions protocolVersion serverInfo] 2025-03-26
            4: [tools] apply_edit check context
            45: [content isError]
            5: {"code":-32601,"message":"there is no method `resources/list`"}
            6: {"code":-32601,"message":"there is no method `server/discover`"}
            "seven": {"code":-32602,"message":"there is no tool `rm`"}
            8: [capabilities instructions protocolVersion serverInfo] 2025-11-25
            9: [capabilities instructions protocolVersion serverInfo] 2025-11-25
            null: {"code":-32700,"message":"expected ident at line 1 column 2"}
            null: {"code":-32600,"message":"the `id` of a request is text or a number"}
            null: {"code":-32600,"message":"the `id` of a request is text or a number"}
            10: [] | 11: {"code":-32601,"message":"there is no method `rm`"}
            null: {"code":-32600,"message":"invalid length 1, expected struct Message with 5 elements at line 1 column 2"}
        "#]],
    );
}

#[test]
fn request_that_states_its_revision_needs_no_handshake() {
    const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    let without = |key: &str| {
        let mut meta = stated();
        meta.as_object_mut().unwrap().remove(key);
        json!({ "_meta": meta })
    };
    let version = |version: Value| {
        let mut meta = stated();
        meta[VERSION] = version;
        json!({ "_meta": meta })
    };
    let meta = json!({ "_meta": stated() });
    check_answers(
        &[
            request(1, "server/discover", meta.clone()),
            request(2, "tools/list", meta.clone()),
            request(3, "tools/call", json!({ "_meta": stated(), "name": "context" })),
            request(4, "ping", meta.clone()),
            request(5, "initialize", meta.clone()),
            request(6, "server/discover", without(VERSION)),
            request(7, "server/discover", without("io.modelcontextprotocol/clientCapabilities")),
            request(8, "server/discover", version(json!("2025-11-25"))),
            request(9, "server/discover", version(json!(1))),
            request(10, "tools/call", json!({ "_meta": stated(), "name": "context", "arguments": "price" })),
            request(11, "tools/call", meta),
        ],
        expect![[r#"
            1: [_meta cacheScope capabilities instructions resultType supportedVersions ttlMs]
            2: [_meta cacheScope resultType tools ttlMs] apply_edit check context
            3: [_meta content isError resultType]
            4: {"code":-32601,"message":"there is no method `ping`"}
            5: {"code":-32601,"message":"there is no method `initialize`"}
            6: {"code":-32602,"message":"`_meta` needs `io.modelcontextprotocol/protocolVersion`, the protocol's version; or begin with `initialize`"}
            7: {"code":-32602,"message":"`_meta` needs `io.modelcontextprotocol/clientCapabilities`, an object; or begin with `initialize`"}
            8: {"code":-32022,"data":{"requested":"2025-11-25","supported":["2026-07-28"]},"message":"the version `2025-11-25` is not supported"}
            9: {"code":-32602,"message":"`_meta` needs `io.modelcontextprotocol/protocolVersion`, the protocol's version; or begin with `initialize`"}
            10: {"code":-32602,"message":"the `arguments` of a call are an object"}
            11: {"code":-32602,"message":"a call has the `name` of a tool"}
        "#]],
    );
}

#[test]
fn tools_are_listed_with_what_they_take() {
    let (_folder, answers) = answers(&[], &[request(1, "tools/list", json!({ "_meta": stated() }))]);
    let shown: String = answers[0]["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            let schema = &tool["inputSchema"];
            assert_eq!(schema["additionalProperties"], false);
            let taken: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
            format!(
                "{} ({}): {taken:?}, needs {}, reads only: {}\n",
                tool["name"], tool["title"], schema["required"], tool["annotations"]["readOnlyHint"]
            )
        })
        .collect();
    expect![[r#"
        "apply_edit" ("Apply an edit"): ["edit", "write"], needs ["edit"], reads only: true
        "check" ("Check an edit"): ["edit"], needs ["edit"], reads only: true
        "context" ("Show the project"): ["words"], needs [], reads only: true
    "#]]
    .assert_eq(&shown);
}

#[test]
fn wrong_arguments_are_named_for_the_model_to_correct() {
    check(
        &[],
        "apply_edit",
        json!({ "write": "yes", "patch": EDIT }),
        expect![[r#"
        error
        `edit` is missing
        there is no argument `patch`; there are: `edit`, `write`
        `write` is of type boolean, not string
    "#]],
    );
    check(
        &[],
        "check",
        json!({ "edit": [EDIT], "write": false }),
        expect![[r#"
        error
        `edit` is of type string, not array
        there is no argument `write`; there are: `edit`
    "#]],
    );
    check(
        &[],
        "context",
        json!({ "words": null }),
        expect![[r#"
        error
        `words` is of type string, not null
    "#]],
    );
}

#[test]
fn edit_is_shown_and_written_only_if_that_is_allowed() {
    let shown = check(
        &[],
        "apply_edit",
        json!({ "edit": EDIT }),
        expect![[r#"
            nothing is written yet; this is what `write` would do

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
            1 file written

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
    // One file of two is missing.
    let missing = "*** Update File: gone.py\n@@\n-a\n+b\n*** End Patch\n";
    check(
        &["--write"],
        "apply_edit",
        json!({ "edit": EDIT.replace("*** End Patch\n", missing), "write": true }),
        expect![[r#"
            error
            refused (no-file): there is no file `gone.py`
        "#]],
    );
}

#[test]
fn check_reports_callers_that_are_left() {
    check(
        &[],
        "check",
        json!({ "edit": EDIT }),
        expect![[r#"
        cart.py:3: it still uses `price_of` in the old way; it is now `def price_of(item, day):`
    "#]],
    );
}

#[test]
fn check_reports_names_that_it_cannot_judge() {
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
