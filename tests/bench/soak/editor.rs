//! The editor: open files, pending requests, and every outgoing message.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::time::Instant;

use serde_json::{Value, json};
use tandem::lsp_client::LspClient;

use crate::corpus::Source;
use crate::instruction::Instruction;
use crate::prompts::Prompts;
use crate::report::Report;
use crate::text::{Encoding, Text};

/// The start of an instruction that shows the model a whole file, so that it can be checked.
pub(crate) const AUDIT: &str = "find nothing wrong in audit";

/// Code units that one audit shows: fewer than [`REWRITABLE`] bytes in any encoding …
const PIECE: usize = 12_000;
/// … which is the maximum size of one rewrite.
const REWRITABLE: usize = 48 * 1024;
/// The number of last steps in a file that are reported with a failure in it.
const REMEMBERED: usize = 8;

/// One file, open or not.
pub(crate) struct Buffer {
    pub(crate) uri: String,
    pub(crate) shown: String,
    pub(crate) language: &'static str,
    pub(crate) original: String,
    pub(crate) text: Text,
    pub(crate) version: i64,
    pub(crate) open: bool,
    /// Incremented with every change, opening and closing.
    pub(crate) epoch: u64,
    /// Incremented with every opening, which may restart the versions.
    pub(crate) life: u64,
    pub(crate) cursor: usize,
    /// The suggestion on screen.
    pub(crate) ghost: Option<Ghost>,
    /// Whether the model fails at this file.
    pub(crate) faulty: bool,
    steps: VecDeque<String>,
}

/// A suggestion on screen.
#[derive(Clone)]
pub(crate) struct Ghost {
    pub(crate) epoch: u64,
    pub(crate) at: usize,
    pub(crate) text: String,
    pub(crate) command: Value,
}

/// The expected answer to a request for ghost text.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Expected {
    Anything,
    Nothing,
    Rest(String),
}

pub(crate) enum Asked {
    Completion { cursor: usize, expected: Expected },
    Offers(Instruction),
    Resolve(Instruction),
    Rewrite { words: String, expected: Expected },
    Audit { words: String },
    Accept,
}

/// A request without an answer so far.
pub(crate) struct Pending {
    pub(crate) asked: Asked,
    pub(crate) file: usize,
    pub(crate) epoch: u64,
    pub(crate) life: u64,
    pub(crate) step: u64,
    pub(crate) at: Instant,
    pub(crate) cancelled: bool,
    /// Whether the model was unreachable for a part of the time.
    pub(crate) offline: bool,
}

/// A rewrite by command, whose edit arrives in a request of the server.
pub(crate) struct Ordered {
    pub(crate) file: usize,
    pub(crate) epoch: u64,
    pub(crate) life: u64,
    pub(crate) lines: Option<Range<usize>>,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) edits: usize,
    pub(crate) done: bool,
}

pub(crate) struct Editor {
    pub(crate) driver: LspClient,
    pub(crate) encoding: Encoding,
    pub(crate) files: Vec<Buffer>,
    pub(crate) pending: HashMap<i64, Pending>,
    pub(crate) ordered: HashMap<String, Ordered>,
    pub(crate) prompts: Prompts,
    pub(crate) report: Report,
    pub(crate) step: u64,
    /// Whether the model is unreachable now.
    pub(crate) offline: bool,
    /// The time until which the server may not retry a model that is back: it waits as long again as it has waited
    /// without an answer.
    pub(crate) shunned_until: Option<Instant>,
    /// Edits that were deliberately not applied: each may lead to one message.
    pub(crate) refused: usize,
    /// Suggestions as shown to the user.
    pub(crate) suggestions: Vec<String>,
    audits: u64,
}

impl Editor {
    pub(crate) fn new(driver: LspClient, encoding: Encoding, report: Report) -> Self {
        Self {
            driver,
            encoding,
            files: Vec::new(),
            pending: HashMap::new(),
            ordered: HashMap::new(),
            prompts: Prompts::default(),
            report,
            step: 0,
            offline: false,
            shunned_until: None,
            refused: 0,
            suggestions: Vec::new(),
            audits: 0,
        }
    }

    pub(crate) fn add(&mut self, source: Source, faulty: bool) {
        self.report.add("bytes of text opened", source.text.len());
        self.report.count("files opened");
        self.files.push(Buffer {
            uri: source.uri,
            shown: source.shown,
            language: source.language,
            text: Text::new(&source.text),
            original: source.text,
            version: 0,
            open: false,
            epoch: 0,
            life: 0,
            cursor: 0,
            ghost: None,
            faulty,
            steps: VecDeque::new(),
        });
        self.open(self.files.len() - 1, 1);
    }

    /// Records a step, to be reported with a failure in the same file.
    pub(crate) fn note(&mut self, file: usize, step: impl Into<String>) {
        let steps = &mut self.files[file].steps;
        if steps.len() == REMEMBERED {
            steps.pop_front();
        }
        steps.push_back(format!("{}: {}", self.step, step.into()));
    }

    pub(crate) fn fail(&mut self, file: usize, what: &str) {
        let it = &self.files[file];
        let steps = it.steps.iter().map(|step| format!("\n    {step}")).collect::<String>();
        let place = format!("step {}, {} (version {})", self.step, it.uri, it.version);
        self.report.fail(format!("{place}: {what}; before that:{steps}"));
    }

    /// Counts a check about a file; reports a failure.
    pub(crate) fn check(&mut self, passed: bool, file: usize, what: impl FnOnce() -> String) -> bool {
        if passed {
            self.report.passed += 1;
        } else {
            self.fail(file, &what());
        }
        passed
    }

    pub(crate) fn open(&mut self, file: usize, version: i64) {
        let it = &mut self.files[file];
        (it.open, it.version, it.ghost) = (true, version, None);
        it.epoch += 1;
        it.life += 1;
        let text = it.text.whole();
        let document = json!({ "uri": it.uri, "languageId": it.language, "version": version, "text": text });
        self.driver.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub(crate) fn close(&mut self, file: usize) {
        let it = &mut self.files[file];
        (it.open, it.ghost) = (false, None);
        it.epoch += 1;
        self.driver.notify("textDocument/didClose", json!({ "textDocument": { "uri": it.uri } }));
        self.report.count("files closed and opened again");
    }

    pub(crate) fn save(&mut self, file: usize) {
        let uri = &self.files[file].uri;
        self.driver.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
        self.report.count("saves");
    }

    /// Replaces parts of the text in one notification: each range refers to the text after the preceding changes.
    pub(crate) fn change(&mut self, file: usize, changes: &[(Range<usize>, &str)]) {
        let it = &mut self.files[file];
        let mut told = Vec::new();
        for (range, text) in changes {
            told.push(json!({ "range": it.text.range(range.clone(), self.encoding), "text": text }));
            it.text.replace(range.clone(), text);
            let grown = range.start + text.encode_utf16().count();
            it.cursor = it.text.cursor_at(grown);
        }
        self.send_change(file, told.into());
    }

    /// Replaces the whole text, without a range.
    pub(crate) fn change_all(&mut self, file: usize, text: &str) {
        let it = &mut self.files[file];
        it.text = Text::new(text);
        it.cursor = it.text.cursor_at(it.cursor);
        self.send_change(file, json!([{ "text": text }]));
    }

    fn send_change(&mut self, file: usize, changes: Value) {
        let it = &mut self.files[file];
        it.version += 1;
        it.epoch += 1;
        let document = json!({ "uri": it.uri, "version": it.version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.driver.notify("textDocument/didChange", params);
        self.report.count("changes");
    }

    /// Sends a request about a file.
    pub(crate) fn ask(&mut self, file: usize, method: &str, params: Value, asked: Asked) -> i64 {
        self.report.count(format!("requests: {method}"));
        let id = self.driver.ask(method, params);
        let it = &self.files[file];
        let (epoch, life, step) = (it.epoch, it.life, self.step);
        let at = Instant::now();
        let offline = self.offline || self.shunned_until.is_some_and(|until| at < until);
        let pending = Pending { asked, file, epoch, life, step, at, cancelled: false, offline };
        self.pending.insert(id, pending);
        id
    }

    /// Requests ghost text; `version` is sent if the editor supports that.
    pub(crate) fn complete(
        &mut self,
        file: usize,
        cursor: usize,
        version: Option<i64>,
        expected: Expected,
    ) -> i64 {
        let it = &self.files[file];
        let mut document = json!({ "uri": it.uri });
        if let Some(version) = version {
            document["version"] = json!(version);
        }
        let params = json!({
            "textDocument": document,
            "position": it.text.position(cursor, self.encoding),
            // An explicit request, which is not delayed until typing pauses.
            "context": { "triggerKind": 1 },
        });
        if expected != Expected::Nothing {
            self.prompts.expect_completion(&it.shown, &it.text, cursor);
        }
        self.ask(file, "textDocument/inlineCompletion", params, Asked::Completion { cursor, expected })
    }

    pub(crate) fn cancel(&mut self, id: i64) {
        if let Some(pending) = self.pending.get_mut(&id) {
            pending.cancelled = true;
            self.driver.notify("$/cancelRequest", json!({ "id": id }));
            self.report.count("requests cancelled");
        }
    }

    /// Pending requests for ghost text in a file.
    pub(crate) fn completions_in(&self, file: usize) -> usize {
        let of_file = |it: &&Pending| it.file == file && matches!(it.asked, Asked::Completion { .. });
        self.pending.values().filter(of_file).count()
    }

    /// The suggestion on screen, if it is for the current text.
    pub(crate) fn ghost(&self, file: usize) -> Option<Ghost> {
        let it = &self.files[file];
        it.ghost.clone().filter(|ghost| ghost.epoch == it.epoch)
    }

    /// Requests a rewrite of a range by command.
    ///
    /// `lines` are the lines that must change, where they are known.
    pub(crate) fn rewrite(
        &mut self,
        file: usize,
        range: Range<usize>,
        lines: Option<Range<usize>>,
        names: (&str, &str),
        expected: Expected,
    ) {
        let (from, to) = names;
        let words = format!("rename {from} to {to}");
        let it = &self.files[file];
        let (epoch, life, text) = (it.epoch, it.life, it.text.whole());
        let arguments = self.rewrite_arguments(file, range, &words);
        self.prompts.expect_rewrite(&words, &it.shown, text, false);
        let (from, to) = (from.to_owned(), to.to_owned());
        let ordered = Ordered { file, epoch, life, lines, from, to, edits: 0, done: false };
        self.ordered.insert(words.clone(), ordered);
        self.ask(file, "workspace/executeCommand", arguments, Asked::Rewrite { words, expected });
    }

    /// Has the server show the model its whole text of a file, in pieces of whole lines.
    pub(crate) fn audit(&mut self, file: usize) {
        let mut line = 0;
        while !self.offline && line < self.files[file].text.lines() {
            let it = &self.files[file];
            let start = it.text.line(line).start;
            let last = it.text.line_of(it.text.len().min(start + PIECE)).max(line + 1);
            let whole = start + PIECE >= it.text.len();
            let end = if whole { it.text.len() } else { it.text.line(last - 1).end };
            line = if whole { it.text.lines() } else { last };
            let piece = it.text.slice(start..end);
            if piece.len() > REWRITABLE {
                self.report.count("lines too long for an audit");
            } else if !piece.is_empty() {
                self.audits += 1;
                let words = format!("{AUDIT} {}", self.audits);
                self.prompts.expect_rewrite(&words, &it.shown, piece, true);
                let arguments = self.rewrite_arguments(file, start..end, &words);
                self.ask(file, "workspace/executeCommand", arguments, Asked::Audit { words });
            }
        }
    }

    fn rewrite_arguments(&self, file: usize, range: Range<usize>, words: &str) -> Value {
        let it = &self.files[file];
        let range = it.text.range(range, self.encoding);
        let document = json!({ "uri": it.uri, "version": it.version });
        let argument = json!({ "textDocument": document, "range": range, "instruction": words });
        json!({ "command": "tandem.rewrite", "arguments": [argument] })
    }
}
