//! What is told of the fixes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::files::Files;
use super::fixed::{Broken, Fixed, Outcome};
use crate::cli::terminal;
use crate::snapshot::Diagnostic;
use crate::text::words::counted;
use crate::tool_output::{Report, Severity};

/// Reports that are left, of one reason: as many are listed.
const LISTED: usize = 20;

/// Reports that are left for one reason.
#[derive(Default)]
struct LeftReports {
    count: usize,
    /// The first of them, each with its place.
    listed: Vec<String>,
}

/// The sums over all files.
pub(super) struct Totals {
    ignored_lines: usize,
    dropped: usize,
    is_cut: bool,
    passed_over: Vec<(String, String, usize)>,
    by_kind: BTreeMap<&'static str, usize>,
    by_outcome: BTreeMap<&'static str, usize>,
    /// The reports that are left, by what becomes of them.
    left: BTreeMap<Outcome, LeftReports>,
    refused: Vec<String>,
    /// What is said of syntax errors that are left.
    broken: Vec<String>,
    /// What is said of files in which nothing can be found without a tool's report.
    unseen: Vec<String>,
    changed: usize,
}

impl Totals {
    /// The sums of no file yet. `is_cut` says that the output was longer than what was read.
    pub(super) fn new(read: &Report, is_cut: bool, files: &Files<'_>) -> Self {
        let passed = files.passed_over.iter().map(|((path, why), count)| (path.clone(), why.clone(), *count));
        Self {
            ignored_lines: read.ignored_lines,
            dropped: read.dropped,
            is_cut: is_cut || read.is_cut,
            passed_over: passed.collect(),
            by_kind: BTreeMap::new(),
            by_outcome: BTreeMap::new(),
            left: BTreeMap::new(),
            refused: Vec::new(),
            broken: Vec::new(),
            unseen: Vec::new(),
            changed: 0,
        }
    }

    pub(super) fn add(&mut self, file: &Fixed) {
        self.changed += usize::from(file.is_changed());
        let outcomes = file.outcomes();
        let reported = file.reported.iter().map(|it| &it.diagnostic).zip(outcomes);
        let stale = file.stale.iter().map(|it| (it, Outcome::Stale));
        for (it, outcome) in reported.chain(stale) {
            *self.by_outcome.entry(outcome.code()).or_default() += 1;
            if matches!(outcome, Outcome::NoRule | Outcome::Left(_) | Outcome::Stale) {
                let left = self.left.entry(outcome).or_default();
                left.count += 1;
                if left.listed.len() < LISTED {
                    let message = it.message.lines().next().unwrap_or_default();
                    left.listed.push(format!("{}:{}: {message}", file.work.shown, line_of(file, it)));
                }
            }
        }
        if let Some(why) = &file.refused {
            self.refused.push(format!("{}: {why}", file.work.shown));
        }
        if file.work.diagnostics.is_none() && !file.is_changed() {
            self.unseen.extend(unseen(file));
        }
        if let Some(Broken { errors, line }) = &file.broken {
            let stay = if *errors == 1 { "it is" } else { "they are" };
            self.broken.push(format!(
                "{}:{line}: {} without a certain fix, left as {stay}; what a compiler says of them may help (--diagnostics)",
                file.work.shown,
                counted(errors, "syntax error")
            ));
        }
        for fix in file.taken() {
            *self.by_kind.entry(fix.kind.name()).or_default() += 1;
        }
    }

    /// The summary, on standard error.
    pub(super) fn say(&self, arguments: &Arguments) {
        for (path, why, count) in &self.passed_over {
            terminal::say(format_args!("{path}: {why}; {} passed over", counted(count, "report")));
        }
        for said in self.refused.iter().chain(&self.broken).chain(&self.unseen) {
            terminal::say(said);
        }
        if self.is_cut {
            terminal::say("the diagnostics end in the middle; what is complete was read");
        }
        if self.dropped > 0 {
            terminal::say(format_args!("{} beyond the limit", counted(self.dropped, "report")));
        }
        let kinds: Vec<String> =
            self.by_kind.iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
        let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
        let done = if arguments.write { "made" } else { "to make" };
        let fixed = counted(self.by_kind.values().sum::<usize>(), "fix");
        match self.changed {
            0 => terminal::say(format_args!("no fixes {done}")),
            files => terminal::say(format_args!("{fixed} {done} in {}{kinds}", counted(files, "file"))),
        }
        for (outcome, left) in &self.left {
            // What the parser found was said with its line.
            if *outcome != Outcome::NoRule || self.broken.is_empty() {
                say_left(*outcome, left, arguments);
            }
        }
    }

    /// All of it for machines.
    pub(super) fn json(&self, fixed: &[Fixed]) -> Value {
        let files: Vec<Value> = fixed.iter().map(file).collect();
        let diagnostics: Vec<Value> = fixed.iter().flat_map(diagnostics).collect();
        let passed_over = self
            .passed_over
            .iter()
            .map(|(path, why, count)| json!({ "path": path, "reason": why, "diagnostics": count }));
        json!({
            "status": if self.changed > 0 { "changed" } else { "unchanged" },
            "files": files,
            "diagnostics": diagnostics,
            "summary": self.by_kind,
            "outcomes": self.by_outcome,
            "passed_over": passed_over.collect::<Vec<_>>(),
            "ignored_lines": self.ignored_lines,
            "dropped": self.dropped,
            "cut": self.is_cut,
        })
    }
}

/// Says which reports are left for one reason, and what would settle them.
fn say_left(outcome: Outcome, left: &LeftReports, arguments: &Arguments) {
    let problems = counted(left.count, "problem");
    let why = match outcome {
        Outcome::Left(why) => format!("{}; check again once these fixes are made", why.name()),
        Outcome::Stale => "the file has changed since; run the tool again".to_owned(),
        _ if arguments.model => "no single correct fix".to_owned(),
        _ => "no single correct fix; --model asks a model".to_owned(),
    };
    terminal::say(format_args!("{problems} left: {why}"));
    left.listed.iter().for_each(|it| terminal::say(format_args!("  {it}")));
    if left.count > left.listed.len() {
        terminal::say(format_args!("  … and {} more", left.count - left.listed.len()));
    }
}

/// That the parser alone finds no error in a file, if that is so.
fn unseen(file: &Fixed) -> Option<String> {
    let shown = &file.work.shown;
    match file.work.document.grammar() {
        None => Some(format!(
            "{shown}: its language is not known, so its errors are known from a report alone (--diagnostics)"
        )),
        // What its parser sees may be sound code with macros in it.
        Some(grammar) if !grammar.errors_are_reliable() => {
            let name = grammar.name();
            Some(format!(
                "{shown}: errors in {name} are fixed from a compiler's report alone (--diagnostics)"
            ))
        }
        Some(_) => None,
    }
}

/// A file for machines. Places of edits are bytes of the old text.
fn file(file: &Fixed) -> Value {
    let fixes = file.taken().map(|fix| json!({ "kind": fix.kind.name(), "title": fix.title }));
    let edits = file.edits().iter();
    let edits = edits.map(|it| json!({ "start": it.span.start, "end": it.span.end, "text": it.text }));
    json!({
        "path": file.work.shown,
        "fixes": fixes.collect::<Vec<_>>(),
        "edits": edits.collect::<Vec<_>>(),
        "refused": file.refused,
        "syntax_errors": file.broken.as_ref().map(|it| json!({ "count": it.errors, "line": it.line })),
    })
}

fn diagnostics(file: &Fixed) -> Vec<Value> {
    let text = file.work.document.text();
    let report = |it: &Diagnostic, outcome: Outcome| {
        let start = it.span.start.min(text.len_bytes());
        let line = line_of(file, it) - 1;
        json!({
            "path": file.work.shown,
            "line": line + 1,
            "column": start - text.line_to_byte(line) + 1,
            "severity": match it.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Information | Severity::Hint => "note",
            },
            "source": it.source,
            "code": it.code,
            "message": it.message,
            "outcome": outcome.code(),
        })
    };
    let placed =
        file.reported.iter().zip(file.outcomes()).map(|(it, outcome)| report(&it.diagnostic, outcome));
    let stale = file.stale.iter().map(|it| report(it, Outcome::Stale));
    placed.chain(stale).collect()
}

/// The line of a diagnostic, from 1.
fn line_of(file: &Fixed, it: &Diagnostic) -> usize {
    let text = file.work.document.text();
    text.byte_to_line(it.span.start.min(text.len_bytes())) + 1
}
