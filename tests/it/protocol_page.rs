//! Plugins are written against `editors/protocol.md`: the page names exactly the methods that the server answers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Editor, capabilities};

const PAGE: &str = include_str!("../../editors/protocol.md");
const TABLE: &str = include_str!("../../src/lsp/server.rs");

/// The items that describe each of our methods and commands.
const BLOCK: [&str; 5] = ["*direction*", "*params*", "*result*", "*errors*", "*when*"];

/// The page's examples in JSON, and its text without any code.
fn parts() -> (Vec<String>, String) {
    let (mut examples, mut text) = (Vec::new(), String::new());
    let mut code: Option<(&str, String)> = None;
    for line in PAGE.lines() {
        match (code.take(), line.trim_start().strip_prefix("```")) {
            (None, Some(language)) => code = Some((language, String::new())),
            (Some((language, lines)), Some(_)) => examples.extend((language == "json").then_some(lines)),
            (Some((language, lines)), None) => code = Some((language, lines + line + "\n")),
            (None, None) => text.extend([line, "\n"]),
        }
    }
    (examples, text)
}

/// Whether a method or command is ours, rather than another server's that we answer as well.
fn is_own(name: &str) -> bool {
    let theirs = ["copilotInlineEdit", "didFocus"];
    let rest = name.strip_prefix("textDocument/").unwrap_or_default();
    name.starts_with("tandem/")
        || name.starts_with("tandem.")
        || theirs.contains(&rest)
        || rest.starts_with("didShow")
        || rest.starts_with("didPartiallyAccept")
}

/// The texts between quotes or backticks, every other piece.
fn quoted(text: &str, quote: char) -> impl Iterator<Item = &str> {
    text.split(quote).skip(1).step_by(2)
}

fn documented() -> BTreeSet<String> {
    let (_, text) = parts();
    quoted(&text, '`').filter(|name| is_own(name) && !name.contains([' ', '{'])).map(str::to_owned).collect()
}

/// The methods in the server's table, the commands that it announces, and the notifications that it sends.
async fn served() -> BTreeSet<String> {
    let mut editor = Editor::bare();
    let answer = editor.driver.initialize(json!({ "capabilities": capabilities("utf-8") })).await.unwrap();
    let commands = answer["capabilities"]["executeCommandProvider"]["commands"].as_array().unwrap().clone();
    editor.driver.expect("window/logMessage").await.unwrap();
    editor.finish().await;

    let methods = TABLE.split("custom_method(").skip(1).filter_map(|row| quoted(row, '"').next());
    let lsp = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lsp");
    let files = fs::read_dir(lsp).unwrap();
    let sources: Vec<String> =
        files.filter_map(|file| fs::read_to_string(file.unwrap().path()).ok()).collect();
    let is_sent = |name: &&str| sources.iter().any(|source| source.contains(&format!("\"{name}\"")));
    let sent = ["tandem/statusChanged", "tandem/ghostTextChanged"].into_iter().filter(is_sent);
    methods
        .chain(commands.iter().filter_map(Value::as_str))
        .chain(sent)
        .filter(|name| is_own(name))
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn names_all_that_is_served_and_nothing_else() {
    assert_eq!(documented(), served().await);
}

#[test]
fn has_examples_that_can_be_read() {
    let (examples, _) = parts();
    assert!(examples.len() > 15, "{}", examples.len());
    for example in examples {
        if let Err(error) = serde_json::from_str::<Value>(&example) {
            panic!("{error} in\n{example}");
        }
    }
}

#[test]
fn describes_each_method_and_command_by_the_same_block() {
    let sections = PAGE.split("\n### `").skip(1).filter(|section| is_own(section));
    let mut missing = Vec::new();
    let mut count = 0;
    for section in sections {
        let (name, _) = section.split_once('`').unwrap();
        let block = section.split("\n## ").next().unwrap();
        missing.extend(BLOCK.iter().filter(|part| !block.contains(**part)).map(|part| (name, *part)));
        count += 1;
    }
    assert_eq!(missing, [], "the parts that are missing");
    assert!(count >= 15, "{count}");
}
