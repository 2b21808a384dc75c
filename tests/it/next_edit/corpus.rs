//! Next edits of `scenarios/*.txt`: with a model that always predicts them, and with models that err in known ways.
//!
//! In those files `=== name` begins a scenario; `«old→new»` is a replacement by the user, in textual order, and
//! `‹old→new›` an edit that follows from it; `«old→new→newer»` is both at one position. The line `%FAR%` stands for
//! enough lines to put the text below it out of a model's view. In a scenario whose name begins with `quiet` no edit
//! follows.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use tandem::assist::{Assist, Models, NextEditParams, SuggestedEdit};
use tandem::config::{Eagerness, Privacy, Scoped, Settings};
use tandem::document::position::{Encoding, position_at};
use tandem::document::{Change, DocumentId};
use tandem::edit::span;
use tandem::edit::{Edit, apply, diff};
use tandem::grammar::{self, Grammar};
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tandem::prompt::{self, ParsedPrompt};
use tandem::session::Session;
use tandem::session::ghost::Source;
use tandem::session::next_edit::NextEdit;
use tandem::workspace::Workspace;

/// A language, and code that is unrelated to its scenarios: its value is 41.
const LANGUAGES: &[(&str, &str)] = &[
    ("rust", "fn zebra() -> u32 {\n    let stripes = 41;\n    stripes\n}\n"),
    ("python", "def zebra():\n    stripes = 41\n    return stripes\n"),
    ("typescript", "function zebra() {\n  return 41;\n}\n"),
    ("go", "func zebra() int {\n\treturn 41\n}\n"),
    ("java", "class Zebra {\n    int stripes = 41;\n}\n"),
    ("cpp", "int zebra() {\n  return 41;\n}\n"),
    ("javascript", "function zebra() {\n  return 41;\n}\n"),
    ("ruby", "def zebra\n  41\nend\n"),
];

/// The minimum share of scenarios with exactly the expected result, in percent.
const LEAST_RIGHT: usize = 98;

pub(super) struct Scenario {
    pub(super) language: &'static str,
    pub(super) name: String,
    /// The text before the user's edits.
    pub(super) before: String,
    /// The typed edits, each in bytes of the text at that time.
    pub(super) steps: Vec<Edit>,
    /// The text after those edits.
    pub(super) typed: String,
    /// The edits that follow, in bytes of `typed`.
    pub(super) follows: Vec<Edit>,
    /// The offset of the cursor.
    pub(super) cursor: usize,
}

impl Scenario {
    fn read(language: &'static str, source: &str) -> Self {
        let (name, marked) = source.split_once('\n').unwrap();
        let (mut before, mut typed) = (String::new(), String::new());
        let (mut steps, mut follows, mut cursor) = (Vec::new(), Vec::new(), 0);
        // More blank lines than a model is shown.
        let marked = marked.replace("%FAR%\n", &"\n".repeat(3_000));
        let mut rest = marked.as_str();
        while let Some(at) = rest.find(['«', '‹']) {
            let is_step = rest[at..].starts_with('«');
            let (open, close) = if is_step { ("«", "»") } else { ("‹", "›") };
            before += &rest[..at];
            typed += &rest[..at];
            let (inside, after) = rest[at + open.len()..].split_once(close).unwrap();
            let (old, new) = inside.split_once('→').unwrap();
            let span = typed.len()..typed.len() + old.len();
            before += old;
            if is_step {
                let (new, newer) = new.split_once('→').map_or((new, None), |(new, newer)| (new, Some(newer)));
                let typed_span = span.start..span.start + new.len();
                follows.extend(newer.map(|newer| Edit::new(typed_span, newer)));
                steps.push(Edit::new(span, new));
                typed += new;
                cursor = typed.len();
            } else {
                follows.push(Edit::new(span, new));
                typed += old;
            }
            rest = after;
        }
        before += rest;
        typed += rest;
        let scenario = Self { language, name: name.to_owned(), before, steps, typed, follows, cursor };
        assert!(!scenario.steps.is_empty(), "{name}");
        assert_eq!(scenario.is_quiet(), name.starts_with("quiet"), "{name}");
        scenario
    }

    pub(super) fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/next_edit/scenarios");
        let read = |(language, _): &(&'static str, &str)| {
            let text = std::fs::read_to_string(folder.join(format!("{language}.txt"))).unwrap();
            let sources = text.split("=== ").skip(1);
            sources.map(|source| Self::read(language, source)).collect::<Vec<_>>()
        };
        LANGUAGES.iter().flat_map(read).collect()
    }

    fn is_quiet(&self) -> bool {
        self.follows.is_empty()
    }

    fn expected(&self) -> String {
        apply(&self.typed, &self.follows)
    }

    /// Whether some of the edits that follow lead to this text.
    fn is_partly_done(&self, text: &str) -> bool {
        assert!(self.follows.len() < 12, "{}", self.name);
        (0..1_u32 << self.follows.len()).any(|chosen| {
            let some = self.follows.iter().enumerate().filter(|(at, _)| chosen & (1 << at) != 0);
            apply(&self.typed, &some.map(|(_, edit)| edit.clone()).collect::<Vec<_>>()) == text
        })
    }
}

/// The model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reply {
    /// All edits that follow and are in the model's view.
    Right,
    /// Reverts all edits of the user.
    Reverting,
    /// Repeats the user's insertion beside it.
    Repeating,
    /// Changes another value far away.
    FarAway,
    /// Calls a function that does not exist.
    MadeUpName,
}

impl Reply {
    /// The text that the answer produces from `current`; `None` if this model has no answer.
    fn target(self, scenario: &Scenario, current: &str, tail: &str) -> Option<String> {
        match self {
            Self::Right => Some(scenario.expected() + tail),
            // These models answer once.
            _ if current != scenario.typed.clone() + tail => None,
            Self::Reverting => Some(scenario.before.clone() + tail),
            Self::Repeating => {
                let mut text = current.to_owned();
                let mut shift = 0;
                for step in scenario.steps.iter().filter(|step| step.span.is_empty()) {
                    let end = step.span.start + step.text.len() + shift;
                    text.insert_str(end, &step.text);
                    shift += step.text.len();
                }
                Some(text)
            }
            Self::FarAway => Some(current.replace("41", "42")),
            Self::MadeUpName => {
                let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
                let calls = current[..scenario.typed.len()].match_indices('(').filter_map(|(open, _)| {
                    let before = current[..open].trim_end_matches(is_word);
                    // Elsewhere it may be a declaration.
                    let is_use =
                        before.len() < open && (before.ends_with(['.', '(', ',']) || before.ends_with("= "));
                    is_use.then_some(before.len()..open)
                });
                let call = calls.min_by_key(|call| call.start.abs_diff(scenario.cursor))?;
                let mut text = current.to_owned();
                text.replace_range(call, "frobnicate");
                Some(text)
            }
        }
    }
}

/// A model that edits one text toward another.
#[derive(Debug, Clone, Default)]
struct Scripted(Arc<Mutex<(String, Option<String>)>>);

impl Model for Scripted {
    fn name(&self) -> String {
        "scripted".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, request: Request) -> ChunkStream {
        let Some(ParsedPrompt::NextEdit { window, .. }) = prompt::read(&request.input) else {
            panic!("a prompt for something else: {}", request.input);
        };
        let (current, target) = self.0.lock().unwrap().clone();
        let reply = target.map(|target| blocks(&window, &current, &target)).unwrap_or_default();
        let reply = if reply.is_empty() { "NO_EDITS".to_owned() } else { reply };
        stream::iter([Ok(Chunk::Text(reply)), Ok(Chunk::Done(Usage::default()))]).boxed()
    }
}

/// The blocks of a window that differ in the target, each between its tags.
fn blocks(window: &str, current: &str, target: &str) -> String {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    for line in window.split_inclusive('\n') {
        match span::of_line(line) {
            Some(tag) => blocks.push((tag, String::new())),
            None => blocks.last_mut().unwrap().1.push_str(line),
        }
    }
    let edits = diff::minimal(current, target);
    let (mut reply, mut from) = (String::new(), 0);
    for pair in blocks.windows(2) {
        let [(tag, block), (next, _)] = pair else { unreachable!() };
        // The window may end in a line end that the file does not have.
        let Some(at) = current[from..].find(block.as_str()).map(|at| at + from) else { continue };
        let end = at + block.len();
        from = end;
        let inside = |edit: &&Edit| at <= edit.span.start && edit.span.end <= end && edit.span.start < end;
        let inside = edits.iter().filter(inside);
        let edits: Vec<Edit> = inside
            .map(|edit| Edit::new(edit.span.start - at..edit.span.end - at, edit.text.as_str()))
            .collect();
        if !edits.is_empty() {
            reply += &format!("<@{tag}>\n{}<@{next}>\n", apply(block, &edits));
        }
    }
    reply
}

/// The file after all suggestions were accepted, one edit after the other, and the last reason.
async fn play(
    workspace: &Arc<Workspace>,
    scenario: &Scenario,
    reply: Reply,
    is_invoked: bool,
) -> (String, String) {
    let model = Scripted::default();
    let assist = Assist::new(Models { fast: Some(Arc::new(model.clone())), deep: None }, &Privacy::default());
    let tail = LANGUAGES.iter().find(|file| file.0 == scenario.language).unwrap().1;
    let tail = format!("{}{tail}", "\n".repeat(16));
    let id = DocumentId::new("file:///no-such-folder/src/a");
    let settings = Scoped::from(Arc::new(Settings::default()));
    let mut session = Session::new(Encoding::Utf8, Vec::new(), settings);
    session.open(id.clone(), scenario.language, 0, &(scenario.before.clone() + &tail), "src/a");
    let (mut version, mut now) = (0, Instant::now());
    let mut change = |session: &mut Session, edit: &Edit, wait: u64| {
        let document = Arc::clone(session.tracked(&id).unwrap().document());
        let position = |byte| position_at(document.text(), byte, Encoding::Utf8);
        let range = Some(position(edit.span.start)..position(edit.span.end));
        version += 1;
        now += Duration::from_millis(wait);
        session.change(&id, Some(version), &[Change { range, text: edit.text.clone() }], now);
    };
    for step in &scenario.steps {
        change(&mut session, step, 3_000);
    }
    let mut cursor = scenario.cursor;
    let mut why = String::new();
    let mut number = 0;
    for _ in 0..6 {
        if session.ends_in_undo(&id) {
            why = "after-undo".to_owned();
            break;
        }
        let mut snapshot = session.snapshot(&id).unwrap();
        snapshot.workspace = Arc::clone(workspace);
        let current = snapshot.document.text().to_string();
        *model.0.lock().unwrap() = (current.clone(), reply.target(scenario, &current, &tail));
        let params = NextEditParams {
            snapshot,
            cursor,
            recent_edits: session.recent_edits(&id),
            withheld: Vec::new(),
            diagnostics: Vec::new(),
            eagerness: Eagerness::Medium,
            is_invoked,
            other_files: Vec::new(),
            unopened: None,
        };
        let mut append = false;
        let found = |edits: Vec<SuggestedEdit>| {
            let document = Arc::clone(&edits[0].document);
            let edits = edits.into_iter().map(|edit| {
                number += 1;
                let source = Source { gear: edit.gear.to_string(), model: None };
                NextEdit {
                    id: number,
                    edit: edit.edit,
                    old: edit.old,
                    repeats: edit.repeats,
                    rename: edit.rename,
                    source,
                }
            });
            session.next_edits(&id).unwrap().queue(&document, edits.collect(), append);
            append = true;
            session.next_edit(&id).is_some()
        };
        why = format!("{:?}", assist.next_edit(Arc::new(params), found).await);
        let mut taken = 0;
        while let Some(next) = session.next_edit(&id).cloned() {
            change(&mut session, &next.edit, 300);
            session.feedback().accept(next.id, Instant::now());
            cursor = next.edit.span.start + next.edit.text.len();
            taken += 1;
            assert!(taken < 40, "{}: no end of it", scenario.name);
        }
        if taken == 0 {
            break;
        }
    }
    let text = session.tracked(&id).unwrap().document().text().to_string();
    (text.strip_suffix(&tail).map_or_else(|| text.clone(), str::to_owned), why)
}

/// A workspace for each language, with enough names, without the made-up one.
fn workspaces() -> Vec<(&'static str, Arc<Workspace>)> {
    let workspace = |(language, _): &(&'static str, &str)| {
        let workspace = Arc::new(Workspace::default());
        let grammar: &Grammar = grammar::by_language_id(language).unwrap();
        let many: String = (0..5_000).map(|n| format!("name_{n} ")).collect();
        workspace.put(Path::new("names"), grammar, &many);
        workspace.complete();
        (*language, workspace)
    };
    LANGUAGES.iter().map(workspace).collect()
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the score is read here")]
async fn what_follows_is_shown_exactly_and_nothing_else() {
    let (scenarios, workspaces) = (Scenario::all(), workspaces());
    let workspace = |language: &str| &workspaces.iter().find(|it| it.0 == language).unwrap().1;
    let (mut right, mut wanted, mut silent, mut quiet, mut report) = (0, 0, 0, 0, String::new());
    for scenario in &scenarios {
        let (text, why) = play(workspace(scenario.language), scenario, Reply::Right, false).await;
        let is_right = text == scenario.expected();
        match scenario.is_quiet() {
            true => (quiet, silent) = (quiet + 1, silent + usize::from(is_right)),
            false => (wanted, right) = (wanted + 1, right + usize::from(is_right)),
        }
        if !is_right {
            report += &format!("--- {}, {}: {why}\n{text}", scenario.language, scenario.name);
        }
    }
    println!("{report}next edits: {right} of {wanted} shown exactly, {silent} of {quiet} quiet");
    assert!(wanted + quiet >= 100 && quiet * 3 >= wanted + quiet, "the scenarios have lost their measure");
    assert_eq!(silent, quiet, "{report}");
    assert!(right * 100 >= wanted * LEAST_RIGHT, "{right} of {wanted}\n{report}");
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figures are read here")]
async fn wrong_answers_are_not_shown() {
    let (scenarios, workspaces) = (Scenario::all(), workspaces());
    let workspace = |language: &str| &workspaces.iter().find(|it| it.0 == language).unwrap().1;
    let mut report = String::new();
    for reply in [Reply::Reverting, Reply::Repeating, Reply::FarAway, Reply::MadeUpName] {
        let mut shown = 0;
        for scenario in &scenarios {
            let (text, why) = play(workspace(scenario.language), scenario, reply, false).await;
            if !scenario.is_partly_done(&text) {
                shown += 1;
                report += &format!("--- {reply:?}, {}, {}: {why}\n{text}", scenario.language, scenario.name);
            }
        }
        println!("{reply:?}: {shown} of {} wrong answers shown", scenarios.len());
    }
    assert_eq!(report, "");
}

#[tokio::test]
async fn an_explicit_request_may_take_back_what_was_done() {
    let (scenarios, workspaces) = (Scenario::all(), workspaces());
    let is_it = |it: &&Scenario| it.language == "rust" && it.name == "quiet: a number was changed";
    let scenario = scenarios.iter().find(is_it).unwrap();
    let workspace = &workspaces[0].1;
    let (text, why) = play(workspace, scenario, Reply::Reverting, true).await;
    assert_eq!(text, scenario.before, "{why}");
}
