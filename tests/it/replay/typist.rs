//! An editor with a typist, in virtual time: the text on screen after each key, and the cost.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};
use tandem::assist::Models;
use tokio::time::{Instant, sleep_until};

use super::model::Paced;
use crate::support::{Editor, Setup, at_cursor};

/// Not a path on disk, which a paused clock would not wait for.
const URI: &str = "untitled:typed.rs";

/// The behavior of an editor.
#[derive(Clone, Copy)]
pub(crate) struct Habits {
    /// The delay after a key before the request.
    pub(crate) debounce: Duration,
    /// Whether it cancels a request that is followed by a key.
    pub(crate) cancels: bool,
    /// Whether it inserts a closing bracket after a typed opening one, and types over it.
    pub(crate) pairs: bool,
}

impl Habits {
    /// Sends a request after each key at once, and cancels.
    pub(crate) const EAGER: Self = Self { debounce: Duration::ZERO, cancels: true, pairs: false };
    /// Waits 200 ms, and never cancels, as Neovim's own client does.
    pub(crate) const NEOVIM: Self =
        Self { debounce: Duration::from_millis(200), cancels: false, pairs: false };
}

/// A key, and the milliseconds since the one before.
pub(crate) type Key = (u64, String);

/// Reads a fixture: lines of milliseconds and a key; `␣`, `⏎` and `⌫` denote the keys that they depict.
pub(crate) fn keys(fixture: &str) -> Vec<Key> {
    let lines = fixture.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let (time, key) = line.split_once(' ').unwrap();
            (time.parse().unwrap(), key.replace('␣', " ").replace('⏎', "\n"))
        })
        .collect()
}

/// The keys of a text, one every `milliseconds`.
pub(crate) fn every(milliseconds: u64, text: &str) -> Vec<Key> {
    text.chars().map(|letter| (milliseconds, letter.to_string())).collect()
}

/// The result of a play.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// The screen over time, line by line: time, key, displayed text.
    pub(crate) screen: String,
    /// The requests that the editor sent.
    pub(crate) requests: usize,
    /// The texts that were on screen.
    pub(crate) shown: Vec<String>,
    /// Keys that agreed with the displayed text, but were followed by something other than its rest.
    pub(crate) flickers: usize,
    /// Requests that were answered.
    pub(crate) answers: usize,
}

/// Lets the threads that read ignore files finish.
///
/// A paused clock runs ahead of them: it waits for tasks of the blocking pool, and for no other thread. A request
/// whose deadline passes before it is known whether the model may see the file would get an empty answer.
async fn let_threads_read() {
    tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(50))).await.unwrap();
}

/// Types into a file at its `ˇ`, with a model behind the server.
pub(crate) async fn play(
    marked: &str,
    habits: Habits,
    model: &Paced,
    keys: &[Key],
    options: Value,
) -> Played {
    let models = Models { fast: Some(std::sync::Arc::new(model.clone())), deep: None };
    // A folder that does not exist, so that the machine's files have no influence.
    let workspace = "/nowhere".into();
    let setup = Setup { simulator: None, models: Some(models), options, workspace, ..Setup::default() };
    let mut editor = Editor::with(setup).await;
    let (text, line, column) = at_cursor(marked);
    editor.open_only(URI, "rust", &text);
    let_threads_read().await;
    let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let mut typist = Typist {
        editor,
        habits,
        lines,
        line: line as usize,
        column: column as usize,
        version: 1,
        asked: Vec::new(),
        waiting: None,
        ghost: None,
        started: Instant::now(),
        played: Played::default(),
    };
    let mut due = Instant::now();
    for (time, key) in keys {
        due += Duration::from_millis(*time);
        typist.until(due).await;
        typist.key(key);
    }
    typist.until(due + Duration::from_secs(3)).await;
    typist.finish().await
}

struct Typist {
    editor: Editor,
    habits: Habits,
    lines: Vec<String>,
    line: usize,
    /// The cursor's column, in letters; fixtures are ASCII.
    column: usize,
    version: i32,
    asked: Vec<i64>,
    /// The newest request.
    waiting: Option<Waiting>,
    /// The rest of the suggestion on screen.
    ghost: Option<String>,
    started: Instant,
    played: Played,
}

enum Waiting {
    /// To be sent at this time.
    Due(Instant),
    /// Sent.
    Sent(i64),
}

impl Typist {
    /// Runs until `then`: sends requests, and displays the answers.
    async fn until(&mut self, then: Instant) {
        loop {
            match self.waiting {
                Some(Waiting::Due(at)) if at <= then => {
                    sleep_until(at).await;
                    self.ask();
                }
                Some(Waiting::Sent(id)) => {
                    tokio::select! {
                        biased;
                        answer = self.editor.driver.answer(id) => self.draw(&answer.unwrap()),
                        () = sleep_until(then) => return,
                    }
                }
                _ => return sleep_until(then).await,
            }
        }
    }

    fn ask(&mut self) {
        let params = json!({
            "textDocument": { "uri": URI },
            "position": { "line": self.line, "character": self.column },
            "context": { "triggerKind": 2 },
        });
        let id = self.editor.driver.ask("textDocument/inlineCompletion", params);
        self.asked.push(id);
        self.played.requests += 1;
        self.waiting = Some(Waiting::Sent(id));
    }

    fn draw(&mut self, answer: &Value) {
        self.waiting = None;
        self.asked.retain(|id| answer["id"] != *id);
        self.played.answers += 1;
        let item = &answer["result"][0];
        let text = item["insertText"].as_str().map(str::to_owned);
        if let Some(before) = &self.ghost
            && text.as_ref() != Some(before)
        {
            self.played.flickers += 1;
        }
        self.show(text);
    }

    fn show(&mut self, text: Option<String>) {
        if text != self.ghost || text.is_none() {
            let at = self.started.elapsed().as_millis();
            let shown = text.as_ref().map_or_else(|| "-".to_owned(), |text| format!("{text:?}"));
            _ = writeln!(self.played.screen, "{at:>6}   {shown}");
        }
        self.played.shown.extend(text.clone());
        self.ghost = text;
    }

    fn key(&mut self, key: &str) {
        let at = self.started.elapsed().as_millis();
        let name = key.replace('\n', "⏎");
        _ = write!(self.played.screen, "{at:>6} {name} ");
        self.edit(key);
        // Editors keep a suggestion that agrees with a key on screen, and hide any other.
        let rest = self.ghost.take().and_then(|ghost| ghost.strip_prefix(key).map(str::to_owned));
        // Including the indentation of a new line.
        let rest = rest.map(|rest| if key == "\n" { rest.trim_start_matches(' ').to_owned() } else { rest });
        self.ghost = rest.filter(|rest| !rest.is_empty());
        let shown = self.ghost.as_ref().map_or_else(String::new, |text| format!("{text:?}"));
        _ = writeln!(self.played.screen, "{shown}");
        if let Some(Waiting::Sent(id)) = self.waiting.take()
            && self.habits.cancels
        {
            self.editor.driver.notify("$/cancelRequest", json!({ "id": id }));
        }
        self.waiting = Some(Waiting::Due(Instant::now() + self.habits.debounce));
    }

    /// Changes the text as the editor does for a key.
    fn edit(&mut self, key: &str) {
        let (line, column) = (self.line, self.column);
        let here = [line as u32, column as u32, line as u32, column as u32];
        if key == "⌫" {
            assert!(column > 0, "fixtures take back letters only");
            self.lines[line].remove(column - 1);
            self.column -= 1;
            return self.change([here[0], here[1] - 1, here[2], here[3]], "");
        }
        if key == "\n" {
            let below = self.lines[line].split_off(column);
            let indent = self.lines[line].len() - self.lines[line].trim_start().len();
            let opens = self.lines[line].ends_with('{');
            let indent = " ".repeat(indent + if opens { 4 } else { 0 });
            self.lines.insert(line + 1, format!("{indent}{below}"));
            (self.line, self.column) = (line + 1, indent.len());
            return self.change(here, &format!("\n{indent}"));
        }
        let closer = match key {
            "(" => ")",
            "[" => "]",
            "{" => "}",
            _ => "",
        };
        let is_over = [")", "]", "}"].contains(&key) && self.lines[line][column..].starts_with(key);
        self.column += key.len();
        if self.habits.pairs && is_over {
            // A closing bracket is typed over: the cursor moves, and the text does not change.
            return;
        }
        let text = if self.habits.pairs { format!("{key}{closer}") } else { key.to_owned() };
        self.lines[line].insert_str(column, &text);
        self.change(here, &text);
    }

    fn change(&mut self, range: [u32; 4], text: &str) {
        self.version += 1;
        self.editor.change(URI, self.version, range, text);
    }

    /// Checks that every request has had exactly one answer.
    async fn finish(mut self) -> Played {
        for id in std::mem::take(&mut self.asked) {
            self.editor.driver.answer(id).await.unwrap();
            self.played.answers += 1;
        }
        assert_eq!(self.played.answers, self.played.requests, "one answer each");
        self.editor.finish().await;
        self.played
    }
}
