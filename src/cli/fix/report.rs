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

/// Reports without a certain fix that are listed.
const LISTED: usize = 20;

/// The sums over all files.
pub(super) struct Totals {
    ignored_lines: usize,
    dropped: usize,
    is_cut: bool,
    passed_over: Vec<(String, String, usize)>,
    by_kind: BTreeMap<&'static str, usize>,
    by_outcome: BTreeMap<&'static str, usize>,
    /// Why fixes were left out, and how many.
    left: BTreeMap<&'static str, usize>,
    refused: Vec<String>,
    /// The first reports without a certain fix, each with its place.
    alone: Vec<String>,
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
            alone: Vec::new(),
            broken: Vec::new(),
            unseen: Vec::new(),
            changed: 0,
        }
    }

    pub(super) fn add(&mut self, file: &Fixed) {
        self.changed += usize::from(file.is_changed());
        let stale = std::iter::repeat_n(Outcome::Stale, file.stale.len());
        let outcomes = file.outcomes();
        for (it, _) in file.reported.iter().zip(&outcomes).filter(|(_, it)| **it == Outcome::NoRule) {
            if self.alone.len() < LISTED && file.work.diagnostics.is_some() {
                let line = line_of(file, &it.diagnostic);
                let message = it.diagnostic.message.lines().next().unwrap_or_default();
                self.alone.push(format!("{}:{line}: {message}", file.work.shown));
            }
        }
        for outcome in outcomes.into_iter().chain(stale) {
            *self.by_outcome.entry(outcome.code()).or_default() += 1;
            if let Outcome::Left(why) = outcome {
                *self.left.entry(why.name()).or_default() += 1;
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
        for (why, count) in &self.left {
            terminal::say(format_args!("{} left out: {why}", counted(count, "fix")));
        }
        let count = |code: &str| self.by_outcome.get(code).copied().unwrap_or(0);
        if count("stale") > 0 {
            terminal::say(format_args!(
                "{} of another version of the file",
                counted(count("stale"), "report")
            ));
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
        if self.by_outcome.is_empty() && self.passed_over.is_empty() && self.ignored_lines > 0 {
            let lines = counted(self.ignored_lines, "line");
            terminal::say(format_args!(
                "no report of a known tool in {lines} of diagnostics; `tandem fix --help` names the tools"
            ));
        }
        // What the parser found was said with its line.
        if count("no-rule") > 0 && self.broken.is_empty() {
            terminal::say(format_args!(
                "{} without a certain fix, left alone",
                counted(count("no-rule"), "report")
            ));
            self.alone.iter().for_each(|it| terminal::say(format_args!("  {it}")));
            if count("no-rule") > self.alone.len() && !self.alone.is_empty() {
                terminal::say(format_args!("  … and {} more", count("no-rule") - self.alone.len()));
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
