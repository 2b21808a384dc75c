//! The messages of an editor: every request and notification, about a file that grows.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use tandem::assist::Models;
use tandem::lsp::{self, Start};
use tandem::lsp_client::LspClient;
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};

use super::Case;
use crate::Prepared;
use crate::text::{assignments, changed, lines, long_line};

/// A model that gives the same answer to everything.
struct Scripted(String);

impl Model for Scripted {
    fn name(&self) -> String {
        "scripted".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, _: Request) -> ChunkStream {
        let chunks = [Ok(Chunk::Text(self.0.clone())), Ok(Chunk::Done(Usage::default()))];
        stream::iter(chunks).boxed()
    }
}

/// Not a path on disk: the threads that read from disk do not follow the paused clock.
const URI: &str = "untitled:a";

/// A message that an editor sends after it has opened a file.
enum Message {
    Request(&'static str, Value),
    Notification(&'static str, Value),
    /// A request that waits until the server is idle.
    Pause,
}
use Message::{Notification, Pause, Request as Asked};

/// Opens a file, and sends messages; the model answers `reply`.
fn editor(language: &'static str, text: String, reply: String, messages: Vec<Message>) -> Prepared {
    Box::new(move || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let model: Arc<dyn Model> = Arc::new(Scripted(reply));
            let models = Models { fast: Some(Arc::clone(&model)), deep: Some(model) };
            let (ours, theirs) = tokio::io::duplex(1 << 20);
            let (from_us, to_us) = tokio::io::split(theirs);
            tokio::spawn(lsp::serve(from_us, to_us, Start { models: Some(models), ..Start::default() }));
            let (from_server, to_server) = tokio::io::split(ours);
            let mut client = LspClient::new(from_server, to_server);
            let action = json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } });
            let workspace = json!({ "applyEdit": true, "workspaceEdit": { "documentChanges": true } });
            let capabilities = json!({ "textDocument": { "codeAction": action }, "workspace": workspace });
            client.initialize(json!({ "capabilities": capabilities })).await.unwrap();
            let document = json!({ "uri": URI, "languageId": language, "version": 0, "text": text });
            client.notify("textDocument/didOpen", json!({ "textDocument": document }));
            for message in messages {
                match message {
                    Asked(method, params) => drop(client.request(method, params).await),
                    Notification(method, params) => client.notify(method, params),
                    Pause => {
                        client.request("tandem/status", json!({})).await.unwrap();
                        tokio::time::sleep(Duration::from_secs(100)).await;
                    }
                }
            }
            client.request("tandem/status", json!({})).await.unwrap();
        });
    })
}

fn at(line: usize, character: usize) -> Value {
    json!({ "line": line, "character": character })
}

fn change(version: usize, line: usize, character: usize, text: &str) -> Value {
    let range = json!({ "start": at(line, character), "end": at(line, character) });
    json!({
        "textDocument": { "uri": URI, "version": version },
        "contentChanges": [{ "range": range, "text": text }],
    })
}

fn place(line: usize, character: usize) -> Value {
    json!({
        "textDocument": { "uri": URI }, "position": at(line, character), "context": { "triggerKind": 1 },
    })
}

fn command(name: &str, arguments: Value) -> Message {
    Asked("workspace/executeCommand", json!({ "command": name, "arguments": [arguments] }))
}

fn whole(lines: usize) -> Value {
    json!({ "start": at(0, 0), "end": at(lines, 0) })
}

fn rewrite(language: &'static str, text: String, new: &str) -> Prepared {
    let range = whole(text.matches('\n').count());
    let arguments =
        json!({ "textDocument": { "uri": URI }, "range": range, "instruction": "do it", "preview": true });
    editor(language, text, format!("```\n{new}```\n"), vec![command("tandem.rewrite", arguments)])
}

fn typed(text: String, line: usize, character: usize) -> Prepared {
    let mut messages = vec![Pause];
    for (number, key) in ["v", "a", "l", "u", "e", "_"].into_iter().enumerate() {
        messages
            .push(Notification("textDocument/didChange", change(number + 1, line, character + number, key)));
        messages.push(Asked("textDocument/inlineCompletion", place(line, character + number + 1)));
    }
    messages.push(Asked("tandem/nextEdit", place(line, character)));
    messages.push(Asked("textDocument/copilotInlineEdit", place(line, character)));
    editor("rust", text, "value_7.compute();".to_owned(), messages)
}

/// A file with a wrong name in every second line, and a tool's diagnostics for it.
fn reported(count: usize) -> (String, Value) {
    let text = (0..count).map(|n| format!("total = {n}\nprint(totl)\n")).collect();
    let one = |n: usize| {
        json!({
            "range": { "start": at(2 * n + 1, 6), "end": at(2 * n + 1, 10) },
            "severity": 1, "source": "pyright", "message": "\"totl\" is not defined",
        })
    };
    (text, (0..count).map(one).collect())
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("didOpen", 1_000, |n| editor("rust", lines(n), String::new(), vec![Pause])),
        Case::new("didOpen: a long line", 20_000, |n| {
            editor("javascript", long_line(n), String::new(), vec![Pause])
        }),
        Case::new("didChange: the whole text", 1_000, |n| {
            let changes = json!([{ "text": changed(&lines(n), 2) }]);
            let params = json!({ "textDocument": { "uri": URI, "version": 1 }, "contentChanges": changes });
            let messages = vec![Pause, Notification("textDocument/didChange", params), Pause];
            editor("rust", lines(n), String::new(), messages)
        }),
        Case::new("didChange: many changes at once", 250, |n| {
            let one =
                |line: usize| json!({ "range": { "start": at(line, 0), "end": at(line, 0) }, "text": "x" });
            let changes: Vec<Value> = (0..n).map(one).collect();
            let params = json!({ "textDocument": { "uri": URI, "version": 1 }, "contentChanges": changes });
            let messages = vec![Pause, Notification("textDocument/didChange", params), Pause];
            editor("rust", lines(n), String::new(), messages)
        }),
        Case::new("didChange: many in one line", 250, |n| {
            let one =
                |at_: usize| json!({ "range": { "start": at(0, at_), "end": at(0, at_) }, "text": "x" });
            let changes: Vec<Value> = (0..n).map(one).collect();
            let params = json!({ "textDocument": { "uri": URI, "version": 1 }, "contentChanges": changes });
            let messages = vec![Pause, Notification("textDocument/didChange", params), Pause];
            editor("javascript", long_line(20 * n), String::new(), messages)
        }),
        Case::new("didChange: one by one", 100, |n| {
            let one = |n: usize| Notification("textDocument/didChange", change(n + 1, n, 0, "x"));
            let mut messages: Vec<Message> = (0..n).map(one).collect();
            messages.push(Pause);
            editor("rust", lines(n), String::new(), messages)
        }),
        Case::new("typing and inlineCompletion", 1_000, |n| typed(lines(n), n / 2, 0)),
        Case::new("typing in a long line", 20_000, |n| typed(long_line(n), 0, n / 2)),
        Case::new("nextEdit after a rename", 250, |n| {
            let text: String = "def compute(a):\n    return a\n\n".to_owned()
                + &(0..n).map(|n| format!("value_{n} = compute({n})\n")).collect::<String>();
            let messages = vec![
                Pause,
                Notification("textDocument/didChange", change(1, 0, 11, "d")),
                Pause,
                Asked("tandem/nextEdit", place(0, 12)),
            ];
            editor("python", text, "NO_EDITS".to_owned(), messages)
        }),
        Case::new("tandem.rewrite", 500, |n| rewrite("python", assignments(n), &changed(&assignments(n), 2))),
        Case::new("tandem.rewrite: a long line", 8_000, |n| {
            let text = format!("{}let a = 1;\n", long_line(n));
            rewrite("javascript", text.clone(), &text.replace("a = 1", "a = 2"))
        }),
        Case::new("tandem.fix", 250, |n| {
            let (text, reports) = reported(n);
            let arguments = json!({ "textDocument": { "uri": URI }, "diagnostic": reports[n / 2] });
            editor(
                "python",
                text,
                "```\nprint(total)\n```\n".to_owned(),
                vec![command("tandem.fix", arguments)],
            )
        }),
        Case::new("codeAction/resolve: a fix, and all of a kind", 25, |n| {
            let (text, reports) = reported(n);
            let one = json!({ "uri": URI, "version": 0, "fix": reports[n / 2] });
            let all = json!({ "uri": URI, "version": 0, "allOf": "misspelt name" });
            let resolve = |data: Value| Asked("codeAction/resolve", json!({ "title": "fix", "data": data }));
            let sent = json!({ "uri": URI, "version": 0, "diagnostics": reports });
            let messages = vec![Notification("tandem/diagnostics", sent), Pause, resolve(one), resolve(all)];
            editor("python", text, "```\nprint(total)\n```\n".to_owned(), messages)
        }),
        Case::new("codeAction/resolve: a comment for a model", 250, |n| {
            let text: String = (0..n).map(|n| format!("# ai: rename it {n}\nvalue_{n} = 1\n")).collect();
            let data =
                json!({ "uri": URI, "version": 0, "instruction": format!("rename it {}", n / 2), "line": n });
            let messages = vec![Asked("codeAction/resolve", json!({ "title": "do it", "data": data }))];
            editor("python", text, "```\nvalue = 1\n```\n".to_owned(), messages)
        }),
        Case::new("didChangeWatchedFiles", 250, |n| {
            let one = |n: usize| json!({ "uri": format!("file:///w/{n}.py"), "type": 2 });
            let changes: Vec<Value> = (0..n).map(one).collect();
            let sent = Notification("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
            editor("python", assignments(20), String::new(), vec![sent, Pause])
        }),
        Case::new("tandem.plan: steps, and what they are about", 5, |n| {
            let step = |n: usize| format!("{}. edit `src/f{n}.py`\n\n   Rename `value_{n}`.\n\n", n + 1);
            let plan: String = (0..n).map(step).collect();
            let arguments = json!({
                "instruction": "rename it ".repeat(n), "textDocument": { "uri": URI }, "range": whole(20),
                "plan": plan, "preview": true,
            });
            let asked = json!({ "instruction": "rename it ".repeat(n), "textDocument": { "uri": URI }, "show": true });
            let messages = vec![Pause, command("tandem.plan", arguments), command("tandem.plan", asked)];
            editor("python", assignments(20), plan, messages)
        }),
        Case::new("tandem.checkPlan: edits of one file", 100, |n| {
            let edit = |n: usize| {
                let place = json!({ "line": n, "character": 0 });
                json!({ "range": { "start": place, "end": place }, "newText": "# one\n" })
            };
            let edits: Vec<Value> = (0..n).map(edit).collect();
            let change = json!({ "textDocument": { "uri": URI, "version": 0 }, "edits": edits });
            let whole = json!({ "documentChanges": [change] });
            let messages =
                vec![Pause, command("tandem.checkPlan", json!({ "edit": whole, "leaveOut": [URI] }))];
            editor("python", assignments(n), String::new(), messages)
        }),
        Case::new("tandem.job", 250, |n| {
            let job = |job| json!({ "job": job, "textDocument": { "uri": URI }, "range": whole(n) });
            let messages =
                ["explain", "review", "document", "simplify"].map(|it| command("tandem.job", job(it)));
            editor("python", assignments(n), "12: value_3 is wrong\n".to_owned(), messages.into())
        }),
        Case::new("tandem.ask", 1_000, |n| {
            let words = "where is it computed ".repeat(n / 4);
            editor(
                "python",
                assignments(10),
                String::new(),
                vec![command("tandem.ask", json!({ "question": words }))],
            )
        }),
        Case::new("tandem.ask: a place", 250, |n| {
            let arguments = json!({ "textDocument": { "uri": URI }, "position": at(n / 2, 12) });
            editor("python", assignments(n), String::new(), vec![Pause, command("tandem.ask", arguments)])
        }),
        Case::new("diagnostics, codeAction and a save", 100, |n| {
            let (text, reports) = reported(n);
            let range = json!({ "start": at(1, 6), "end": at(1, 10) });
            let listed = json!({ "diagnostics": [reports[0]] });
            let all = json!({ "diagnostics": reports, "only": ["source.fixAll.tandem"] });
            let action = |range: &Value, context: Value| {
                let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": context });
                Asked("textDocument/codeAction", params)
            };
            let messages = vec![
                Notification(
                    "tandem/diagnostics",
                    json!({ "uri": URI, "version": 0, "diagnostics": reports }),
                ),
                Pause,
                action(&range, listed),
                action(&whole(2 * n), all),
                Asked(
                    "textDocument/willSaveWaitUntil",
                    json!({ "textDocument": { "uri": URI }, "reason": 1 }),
                ),
                Notification("textDocument/didSave", json!({ "textDocument": { "uri": URI } })),
                Pause,
            ];
            editor("python", text, "NO_EDITS".to_owned(), messages)
        }),
        Case::new("codeAction over comments for a model", 250, |n| {
            let text: String = (0..n).map(|n| format!("# ai: rename it\nvalue_{n} = 1\n")).collect();
            let context = json!({ "diagnostics": [] });
            let params = json!({ "textDocument": { "uri": URI }, "range": whole(2 * n), "context": context });
            editor("python", text, String::new(), vec![Asked("textDocument/codeAction", params)])
        }),
        Case::new("many files", 25, |n| {
            let mut messages = Vec::new();
            for n in 0..n {
                let uri = format!("untitled:{n}");
                let document =
                    json!({ "uri": uri, "languageId": "python", "version": 0, "text": assignments(20) });
                messages.push(Notification("textDocument/didOpen", json!({ "textDocument": document })));
            }
            messages.push(Pause);
            for n in 0..n {
                let uri = format!("untitled:{n}");
                for focused in ["tandem/didFocus", "textDocument/didFocus"] {
                    messages.push(Notification(focused, json!({ "textDocument": { "uri": uri } })));
                }
                messages.push(Asked(
                    "workspace/executeCommand",
                    json!({ "command": "tandem.why", "arguments": [{ "textDocument": { "uri": uri } }] }),
                ));
                messages
                    .push(Notification("textDocument/didClose", json!({ "textDocument": { "uri": uri } })));
            }
            editor("python", assignments(20), String::new(), messages)
        }),
        Case::new("cells of a notebook", 100, |n| {
            let name = |n: usize| format!("untitled:n#{n}");
            let notebook = json!({ "uri": "untitled:n", "version": 1 });
            let cells: Vec<Value> = (0..n).map(|n| json!({ "kind": 2, "document": name(n) })).collect();
            let text = |n: usize| json!({ "uri": name(n), "languageId": "python", "version": 1, "text": format!("value_{n} = {n}\n") });
            let texts: Vec<Value> = (0..n).map(text).collect();
            let opened = json!({ "uri": "untitled:n", "version": 1, "cells": cells });
            let opened = json!({ "notebookDocument": opened, "cellTextDocuments": texts });
            let changed = |cells: Value| {
                let params = json!({ "notebookDocument": notebook, "change": { "cells": cells } });
                Notification("notebookDocument/didChange", params)
            };
            let array = json!({ "start": 0, "deleteCount": n, "cells": cells });
            let document = json!({ "uri": name(n / 2), "version": 2 });
            let typed = json!({ "document": document, "changes": [{ "text": "value_" }] });
            let asked = json!({
                "textDocument": { "uri": name(n / 2) }, "position": at(0, 6), "context": { "triggerKind": 1 },
            });
            let messages = vec![
                Notification("notebookDocument/didOpen", opened),
                Pause,
                changed(json!({ "structure": { "array": array } })),
                changed(json!({ "textContent": [typed] })),
                Asked("textDocument/inlineCompletion", asked),
                Notification("notebookDocument/didSave", json!({ "notebookDocument": notebook })),
                Notification(
                    "notebookDocument/didClose",
                    json!({ "notebookDocument": notebook, "cellTextDocuments": texts }),
                ),
            ];
            editor("python", assignments(20), "value_1".to_owned(), messages)
        }),
        Case::new("suggestions shown, taken and refused", 10, |n| {
            let mut messages = vec![Pause];
            for n in 0..n {
                let shown = json!({ "item": { "command": { "arguments": [n + 1] } } });
                let part = json!({ "item": shown["item"], "acceptedLength": 1 });
                messages.extend([
                    Notification("textDocument/didChange", change(n + 1, n, 0, "v")),
                    Asked("textDocument/inlineCompletion", place(n, 1)),
                    Notification("tandem/didShow", shown.clone()),
                    Notification("textDocument/didShowCompletion", shown.clone()),
                    Notification("textDocument/didShowInlineEdit", shown),
                    Notification("tandem/didPartiallyAccept", part.clone()),
                    Notification("textDocument/didPartiallyAcceptCompletion", part),
                    command(if n % 2 == 0 { "tandem.accept" } else { "tandem.reject" }, json!(n + 1)),
                    command("tandem.why", json!({ "textDocument": { "uri": URI } })),
                ]);
            }
            messages.push(command("tandem.snooze", json!({ "minutes": 1 })));
            messages.push(command("tandem.raiseBudget", json!({})));
            editor("python", assignments(100), "value_7".to_owned(), messages)
        }),
        Case::new("folders that come and go", 10, |n| {
            let folder = |n: usize| json!({ "uri": format!("file:///w/{n}"), "name": "a" });
            let folders: Vec<Value> = (0..n).map(folder).collect();
            let changed = |added: &[Value], removed: &[Value]| {
                let event = json!({ "added": added, "removed": removed });
                Notification("workspace/didChangeWorkspaceFolders", json!({ "event": event }))
            };
            let messages = vec![changed(&folders, &[]), Pause, changed(&[], &folders), Pause];
            editor("python", assignments(20), String::new(), messages)
        }),
        Case::new("settings with many models", 25, |n| {
            let candidate = |n: usize| json!({ "provider": "openai", "model": format!("m{n}") });
            let candidates: Vec<Value> = (0..n).map(candidate).collect();
            let settings = json!({ "settings": { "tandem": { "fast": { "candidates": candidates } } } });
            let cancelled = json!({ "token": "a".repeat(n) });
            let messages = vec![
                Notification("workspace/didChangeConfiguration", settings),
                Pause,
                command("tandem.models", json!({})),
                command("tandem.useModel", json!({ "gear": "fast", "provider": "openai", "model": "m7" })),
                command("tandem.status", json!({ "textDocument": { "uri": URI } })),
                Notification("window/workDoneProgress/cancel", cancelled),
            ];
            editor("python", assignments(20), String::new(), messages)
        }),
        Case::new("secret names in many files", 25, |n| {
            let open = |n: usize| {
                let document = json!({ "uri": format!("file:///w/{n}.pem"), "languageId": "plain", "version": 0, "text": "a" });
                Notification("textDocument/didOpen", json!({ "textDocument": document }))
            };
            editor("python", assignments(20), String::new(), (0..n).map(open).collect())
        }),
    ]
}
