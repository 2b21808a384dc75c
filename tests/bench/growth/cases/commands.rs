//! The commands of a terminal, each on files, reports, histories and streams that grow.
//!
//! A command runs as its own process in a repository of the case. Where it asks a model, the program's own simulator
//! answers; the simulator is not counted.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::Case;
use crate::count::Call;
use crate::text::{assignments, changed};

/// Writes files below the root.
fn write(root: &Path, files: impl IntoIterator<Item = (String, String)>) {
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn git(root: &Path, arguments: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").current_dir(root).args(who).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Commits all files.
fn commit(root: &Path) {
    if !root.join(".git").exists() {
        git(root, &["init", "-q"]);
    }
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "a"]);
}

/// A project of `count` small files that import each other.
fn project(root: &Path, count: usize) {
    let file = |n: usize| {
        let before = n.saturating_sub(1);
        let text = format!(
            "from module_{before} import compute_{before}\n\n\ndef compute_{n}(value):\n    return compute_{before}(value)\n"
        );
        (format!("module_{n}.py"), text)
    };
    write(root, (0..count).map(file));
    commit(root);
}

/// One file of `lines` lines, of which every second one has an uncommitted change.
fn uncommitted(root: &Path, lines: usize) {
    write(root, [("a.py".to_owned(), assignments(lines))]);
    commit(root);
    write(root, [("a.py".to_owned(), changed(&assignments(lines), 2))]);
}

/// Pyright's report on a file in which every second line has a misspelt name.
fn reports(root: &Path, count: usize) -> String {
    let text = (0..count).map(|n| format!("total_{n} = {n}\nprint(totla_{n})\n")).collect();
    write(root, [("a.py".to_owned(), text)]);
    (0..count).fold(String::new(), |mut all, n| {
        writeln!(all, "{}/a.py:{}:7 - error: \"totla_{n}\" is not defined", root.display(), 2 * n + 2)
            .unwrap();
        all
    })
}

fn search_and_replace(count: usize) -> String {
    (0..count).fold(String::new(), |mut all, n| {
        let (old, new) = (format!("value_{n} = compute({n})"), format!("value_{n} = other({n})"));
        write!(all, "a.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n\n").unwrap();
        all
    })
}

/// JSON-RPC messages, one per line.
fn messages(all: impl IntoIterator<Item = (&'static str, Value)>) -> String {
    let message = |(at, (method, params)): (usize, (&str, Value))| {
        json!({ "jsonrpc": "2.0", "id": at, "method": method, "params": params }).to_string() + "\n"
    };
    all.into_iter().enumerate().map(message).collect()
}

fn mcp(calls: impl IntoIterator<Item = Value>) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let call = |mut params: Value| {
        params["_meta"] = meta.clone();
        ("tools/call", params)
    };
    messages(calls.into_iter().map(call))
}

/// A plan with a step for each of `count` files.
fn plan(count: usize) -> String {
    (0..count).fold(String::new(), |mut all, n| {
        write!(all, "{}. edit `module_{n}.py`\n\n   Rename `value` to `number`.\n\n", n + 1).unwrap();
        all
    })
}

/// A recording of `count` suggestions that were shown and accepted.
fn recording(root: &Path, count: usize) {
    let mut lines = vec![
        json!({ "time": 0, "kind": "header", "documentType": "workspaceRecording@1.0", "repoRootUri": "file:///w", "uuid": "u", "tandem": 1 }),
        json!({ "time": 0, "kind": "documentEncountered", "id": 1, "relativePath": "a.rs", "language": "rust" }),
        json!({ "time": 0, "kind": "setContent", "id": 1, "v": 1, "content": "" }),
    ];
    for n in 0..count {
        let (time, at) = (n * 20_000, n * 7);
        lines.extend([
            json!({ "time": time, "kind": "requested", "request": n, "id": 1, "job": "completion", "gear": "fast", "model": "m", "at": at, "instructions": "", "input": "let a", "fim": null, "maxTokens": 9 }),
            json!({ "time": time + 100, "kind": "answered", "request": n, "chunks": [[100, "let a;\n"]], "end": "done", "model": null, "inputTokens": 9, "cachedTokens": 0, "cacheWriteTokens": 0, "outputTokens": 3 }),
            json!({ "time": time + 100, "kind": "shown", "id": 1, "suggestion": n, "job": "completion", "edit": [[at, at, "let a;\n"]], "gear": "fast", "model": "m" }),
            json!({ "time": time + 200, "kind": "accepted", "suggestion": n, "units": null }),
            json!({ "time": time + 200, "kind": "changed", "id": 1, "v": n + 2, "edit": [[at, at, "let a;\n"]] }),
        ]);
    }
    let lines: String = lines.iter().map(|it| format!("{it}\n")).collect();
    write(root, [("state/recording/0-1.jsonl".to_owned(), lines)]);
}

/// Candidates of a gear, each of its own provider.
fn candidates(count: usize) -> String {
    let providers: String = (0..count)
        .map(|n| format!("[providers.p{n}]\nbase_url = \"http://127.0.0.1:1/v1\"\nwire = \"chat\"\n"))
        .collect();
    let all: Vec<String> = (0..count).map(|n| format!("{{ provider = \"p{n}\", model = \"m\" }}")).collect();
    format!("{providers}[fast]\ncandidates = [{}]\n", all.join(", "))
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::command("tandem apply: blocks of one file", 400, |n, root| {
            write(root, [("a.py".to_owned(), assignments(n))]);
            Call::of(&["apply", "--root", "."]).input(search_and_replace(n))
        }),
        Case::command("tandem ask: many files", 200, |n, root| {
            project(root, n);
            Call::of(&["ask", "--gear", "local", "where is compute_7 defined"])
        }),
        Case::command("tandem context: lines", 1_000, |n, root| {
            write(root, [("a.py".to_owned(), assignments(n))]);
            Call::of(&["context", &format!("a.py:{}", n / 2)])
        }),
        Case::command("tandem context: many files", 200, |n, root| {
            project(root, n);
            Call::of(&["context", "module_7.py:4"])
        }),
        Case::command("tandem fix: reports", 50, |n, root| {
            let reports = reports(root, n);
            Call::of(&["fix", "--diagnostics", "-"]).input(reports)
        }),
        Case::command("tandem fix: files", 50, |n, root| {
            let files: Vec<String> = (0..n).map(|n| format!("a{n}.js")).collect();
            write(root, files.iter().map(|it| (it.clone(), "let a = (1;\n".to_owned())));
            Call::of(&["fix"]).and(files)
        }),
        Case::command("tandem mcp: calls", 20, |n, root| {
            write(root, [("a.py".to_owned(), assignments(100))]);
            let arguments = json!({ "edit": search_and_replace(1) });
            let call = json!({ "name": "apply_edit", "arguments": arguments });
            Call::of(&["mcp"]).input(mcp((0..n).map(|_| call.clone())))
        }),
        Case::command("tandem mcp: a long call", 400, |n, root| {
            write(root, [("a.py".to_owned(), assignments(n))]);
            let arguments = json!({ "edit": search_and_replace(n) });
            Call::of(&["mcp"]).input(mcp([json!({ "name": "apply_edit", "arguments": arguments })]))
        }),
        Case::command("tandem acp: sessions", 50, |n, root| {
            let session = json!({ "cwd": root, "mcpServers": [] });
            let first = ("initialize", json!({ "protocolVersion": 1, "clientCapabilities": {} }));
            let all = [first].into_iter().chain((0..n).map(|_| ("session/new", session.clone())));
            Call::of(&["acp"]).input(messages(all))
        }),
        Case::command("tandem edit: lines", 100, |n, root| {
            write(root, [("a.py".to_owned(), assignments(n))]);
            let new = changed(&assignments(n), 2);
            Call::of(&["edit", "a.py", "rename them"]).reply(&format!("```\n{new}```\n"))
        }),
        Case::command("tandem plan: steps", 5, |n, root| {
            project(root, n);
            write(root, [("plan.md".to_owned(), plan(n))]);
            Call::of(&["plan", "--plan", "plan.md"]).reply("NO_EDITS")
        }),
        Case::command("tandem plan: what a planner sees", 50, |n, root| {
            project(root, n);
            Call::of(&["plan", "--show", "rename compute_7"]).reply(&plan(2))
        }),
        Case::command("tandem review: changed lines", 100, |n, root| {
            uncommitted(root, n);
            Call::of(&["review"]).reply("NO_FINDINGS")
        }),
        Case::command("tandem commit-message: staged lines", 100, |n, root| {
            uncommitted(root, n);
            git(root, &["add", "."]);
            Call::of(&["commit-message"]).reply("Rename values")
        }),
        Case::command("tandem compare: commits", 5, |n, root| {
            for at in 0..=n {
                let text = assignments(20) + &format!("number_{at} = compute({at})\n");
                write(root, [("a.py".to_owned(), text)]);
                commit(root);
            }
            Call::of(&["compare", "simulator/m", "simulator/n", "--yes", "--pairs", "1000"])
                .reply("compute(1)")
        }),
        Case::command("tandem record bundle", 100, |n, root| {
            recording(root, n);
            Call::of(&["record", "bundle", "out.json", "--yes"])
        }),
        Case::command("tandem record show", 100, |n, root| {
            recording(root, n);
            Call::of(&["record", "show"])
        }),
        Case::command("tandem status: candidates", 25, |n, _| Call::of(&["status"]).config(candidates(n))),
        Case::command("tandem usage", 100, |n, root| {
            recording(root, n);
            Call::of(&["usage"])
        }),
        Case::command("tandem model: candidates", 25, |n, _| {
            Call::of(&["model", "p1", "m"]).config(candidates(n))
        }),
        Case::command("tandem profile: profiles", 100, |n, _| {
            let profiles = (0..n).map(|n| format!("[profiles.p{n}]\n")).collect::<String>();
            Call::of(&["profile"]).config(profiles)
        }),
        Case::command("tandem doctor: candidates", 5, |n, _| {
            Call::of(&["doctor", "--requests", "1"]).config(candidates(n))
        }),
        Case::command("tandem simulate: a script", 100, |n, root| {
            let line = |n: usize| json!({ "when": format!("word_{n}"), "reply": "a" }).to_string() + "\n";
            write(root, [("script".to_owned(), (0..n).map(line).collect())]);
            // A documentation address (RFC 5737), so binding fails and the command ends.
            Call::of(&["simulate", "--script", "script", "--listen", "192.0.2.1:0", "--allow-remote"])
        }),
    ]
}
