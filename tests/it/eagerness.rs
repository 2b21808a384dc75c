//! The uncertain suggestions that each level of eagerness shows.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use tandem::assist::{Assist, CompletionParams, Models, NextEditParams, Partial};
use tandem::config::{Eagerness, Privacy, Scoped, Settings};
use tandem::document::position::{Encoding, position_at};
use tandem::document::{Change, DocumentId};
use tandem::edit::apply;
use tandem::grammar;
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tandem::session::Session;
use tandem::workspace::Workspace;

use crate::support::answering::Answering;
use crate::support::answering::Reply::{self, Blocks};

const KNOBS: [Eagerness; 3] = [Eagerness::Low, Eagerness::Medium, Eagerness::High];

/// Adds names to a workspace, `known` among them.
fn fill(workspace: &Workspace) {
    let many: String = (0..5_000).map(|n| format!("name_{n} ")).collect();
    let rust = grammar::by_language_id("rust").unwrap();
    workspace.put(Path::new("b.rs"), rust, &format!("fn known() {{}} {many}"));
    workspace.complete();
}

fn session(text: &str) -> (Session, DocumentId) {
    let id = DocumentId::new("file:///no-such-folder/src/a.rs");
    let mut session = Session::new(Encoding::Utf8, Vec::new(), Scoped::from(Arc::new(Settings::default())));
    session.open(id.clone(), "rust", 0, text, "src/a.rs");
    (session, id)
}

/// A model that gives this reply to every request.
#[derive(Debug)]
struct Says(&'static str);

impl Model for Says {
    fn name(&self) -> String {
        "says".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, _: Request) -> ChunkStream {
        stream::iter([Ok(Chunk::Text(self.0.to_owned())), Ok(Chunk::Done(Usage::default()))]).boxed()
    }
}

/// The ghost text at `ˇ` with eagerness low, medium and high, and on request.
async fn ghosts(marked: &str, reply: &'static str, speaks: bool) -> Vec<String> {
    let (session, id) = session(&marked.replace('ˇ', ""));
    let assist = Assist::new(Models { fast: Some(Arc::new(Says(reply))), deep: None }, &Privacy::default());
    if speaks {
        fill(session.workspace());
    }
    let cursor = marked.find('ˇ').unwrap();
    let mut shown = Vec::new();
    for (eagerness, invoked) in KNOBS.map(|it| (it, false)).into_iter().chain([(Eagerness::Low, true)]) {
        let params = CompletionParams { cursor, eagerness, variant: 0, invoked, not_before: None };
        let mut early = String::new();
        let mut progress = |partial: Partial<'_>| {
            early = partial.ready.to_owned();
            ControlFlow::Continue(())
        };
        shown.push(match assist.complete(&session.snapshot(&id).unwrap(), params, &mut progress).await {
            Ok((suggestion, _)) => suggestion.text,
            Err(reason) => {
                assert_eq!(early, "", "it was shown before it was validated");
                reason.code().to_owned()
            }
        });
    }
    shown
}

#[tokio::test]
async fn ghost_text_that_calls_unknown_names() {
    let file = "fn f(a: A) {\n    ˇ\n}\n\nfn here() {}\n";
    assert_eq!(ghosts(file, "here();", true).await, ["here();"; 4]);
    assert_eq!(ghosts(file, "known();", true).await, ["known();"; 4]);
    let made_up = "frobnicate(a);";
    assert_eq!(ghosts(file, made_up, true).await, ["unknown-name", "unknown-name", made_up, made_up]);
    // Without any names of the workspace, the name may exist.
    assert_eq!(ghosts(file, made_up, false).await, ["unknown-name", made_up, made_up, made_up]);
}

#[tokio::test]
async fn what_is_sure_is_shown_without_the_rest() {
    let shown = ghosts("fn f(a: A) {\n    ˇ\n}\n", "known();\n    frobnicate(a);", true).await;
    let all = "known();\n    frobnicate(a);";
    assert_eq!(shown, ["known();", "unknown-name", all, all]);
}

/// The suggestions after `(old, new)` was exchanged, with eagerness low, medium and high, and on request.
async fn next_edits(text: &str, done: (&str, &str), reply: Reply, speaks: bool) -> Vec<String> {
    let mut shown = Vec::new();
    for (eagerness, is_invoked) in KNOBS.map(|it| (it, false)).into_iter().chain([(Eagerness::Low, true)]) {
        let (mut session, id) = session(text);
        let start = text.find(done.0).unwrap();
        let document = Arc::clone(session.tracked(&id).unwrap().document());
        let position = |byte| position_at(document.text(), byte, Encoding::Utf8);
        let range = position(start)..position(start + done.0.len());
        let change = Change { range: Some(range), text: done.1.to_owned() };
        session.change(&id, Some(1), &[change], Instant::now() + Duration::from_secs(1));
        let snapshot = session.snapshot(&id).unwrap();
        let now = snapshot.document.text().to_string();
        let cursor = start + done.1.len();
        let params = NextEditParams {
            snapshot,
            cursor,
            recent_edits: session.recent_edits(&id),
            withheld: Vec::new(),
            diagnostics: Vec::new(),
            eagerness,
            is_invoked,
            other_files: Vec::new(),
            unopened: None,
        };
        let assist =
            Assist::new(Models { fast: Some(Arc::new(Answering(reply))), deep: None }, &Privacy::default());
        if speaks {
            fill(session.workspace());
        }
        let mut edits = Vec::new();
        let outcome = assist
            .next_edit(Arc::new(params), |hunks| {
                edits.extend(hunks.into_iter().map(|hunk| hunk.edit));
                true
            })
            .await;
        shown.push(match outcome {
            Ok(_) => {
                let after = apply(&now, &edits);
                let line = after.lines().find(|line| !now.lines().any(|it| it == *line)).unwrap();
                line.trim().to_owned()
            }
            Err(reason) => reason.code().to_owned(),
        });
    }
    shown
}

const AREA: &str = "fn area(width: u32, height: u32) -> u32 {\n    width * height\n}\n\nfn main() {\n    let a = area(2, 3);\n    println!(\"{a}\");\n}\n";

#[tokio::test]
async fn next_edits_follow_from_something() {
    let done = ("height: u32)", "height: u32, scale: u32)");
    let call = "let a = area(2, 3, 1);";
    assert_eq!(next_edits(AREA, done, Blocks(&[("area(2, 3)", "area(2, 3, 1)")]), false).await, [call; 4]);
    // Near, but unrelated.
    let other = "println!(\"is {a}\");";
    let shown = next_edits(AREA, done, Blocks(&[("{a}", "is {a}")]), false).await;
    assert_eq!(shown, ["unsure", other, other, other]);
    // Far, and unrelated.
    let filler = "// filler\n".repeat(20);
    let far = AREA.replace("fn main", &format!("{filler}fn main"));
    let shown = next_edits(&far, done, Blocks(&[("{a}", "is {a}")]), false).await;
    assert_eq!(shown, ["unsure", "unsure", other, other]);
}

#[tokio::test]
async fn next_edits_that_call_unknown_names() {
    let done = ("height: u32)", "height: u32, scale: u32)");
    let made_up = "let a = area(2, 3, guess());";
    let reply = Blocks(&[("area(2, 3)", "area(2, 3, guess())")]);
    assert_eq!(next_edits(AREA, done, reply, true).await, ["unknown-name", "unknown-name", made_up, made_up]);
    assert_eq!(next_edits(AREA, done, reply, false).await, ["unknown-name", made_up, made_up, made_up]);
}
