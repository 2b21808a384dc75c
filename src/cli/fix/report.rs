//! Prints what was fixed and what is left.

use std::collections::BTreeMap;
use std::io;

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::files::{FileToFix, Files};
use super::fixed::{Broken, Fixed, ReportOutcome};
use crate::cli::apply::edits_report;
use crate::cli::diff::Diff;
use crate::cli::{terminal, write};
use crate::snapshot::Diagnostic;
use crate::text::words::counted;
use crate::tool_output::{Report, Severity};

/// Maximum number of reports that are listed for one reason.
const LISTED: usize = 20;

#[derive(Default)]
struct LeftReports {
    count: usize,
    /// The first of them, each with its position.
    listed: Vec<String>,
}

/// The totals of several files, with what is printed and written for them.
#[derive(Default)]
pub(super) struct Totals {
    ignored_lines: usize,
    dropped: usize,
    is_cut: bool,
    passed_over: Vec<(String, String, usize)>,
    by_kind: BTreeMap<&'static str, usize>,
    by_outcome: BTreeMap<&'static str, usize>,
    /// The reports that are left, by outcome.
    left: BTreeMap<ReportOutcome, LeftReports>,
    refused: Vec<String>,
    /// A message for each file with remaining syntax errors.
    broken: Vec<String>,
    /// A message for each file whose errors only a tool's report can show.
    unseen: Vec<String>,
    changed: usize,
    /// The diffs to print, unless the output is JSON.
    pub(super) diffs: Vec<Diff>,
    /// The changes to write, if `--write` is given.
    pub(super) changes: Vec<write::Change>,
    /// The files and the reports, for the JSON output.
    files: Vec<Value>,
    diagnostics: Vec<Value>,
}

impl Totals {
    /// The totals of one file, which is not needed afterwards.
    pub(super) fn of(file: &Fixed, arguments: &Arguments) -> io::Result<Self> {
        let mut totals = Self::default();
        totals.count(file);
        let FileToFix { path, shown, text, .. } = &file.work;
        if arguments.json {
            totals.files.push(file_for_machines(file));
            totals.diagnostics = diagnostics(file);
        } else if file.is_changed() {
            totals.diffs.push(Diff::of(shown, text, &file.new_text));
        }
        if file.is_changed() && arguments.write {
            totals.changes.push(write::Change::of_file(path, Some(text), file.new_text.clone())?);
        }
        Ok(totals)
    }

    /// Adds the totals of further files.
    pub(super) fn append(&mut self, mut next: Self) {
        next.by_kind.into_iter().for_each(|(kind, count)| *self.by_kind.entry(kind).or_default() += count);
        next.by_outcome.into_iter().for_each(|(of, count)| *self.by_outcome.entry(of).or_default() += count);
        for (outcome, mut next) in next.left {
            let left = self.left.entry(outcome).or_default();
            left.count += next.count;
            left.listed.append(&mut next.listed);
            left.listed.truncate(LISTED);
        }
        self.refused.append(&mut next.refused);
        self.broken.append(&mut next.broken);
        self.unseen.append(&mut next.unseen);
        self.changed += next.changed;
        self.diffs.append(&mut next.diffs);
        self.changes.append(&mut next.changes);
        self.files.append(&mut next.files);
        self.diagnostics.append(&mut next.diagnostics);
    }

    /// Adds what is known of the tool's output. `is_cut` if it was longer than what was read.
    pub(super) fn add_input(&mut self, read: &Report, is_cut: bool, files: &Files<'_>) {
        let passed = files.passed_over.iter().map(|((path, why), count)| (path.clone(), why.clone(), *count));
        self.passed_over = passed.collect();
        self.ignored_lines = read.ignored_lines;
        self.dropped = read.dropped;
        self.is_cut = is_cut || read.is_cut;
    }

    /// Whether any file changes.
    pub(super) fn has_changes(&self) -> bool {
        self.changed > 0
    }

    fn count(&mut self, file: &Fixed) {
        self.changed += usize::from(file.is_changed());
        let outcomes = file.outcomes();
        let reported = file.reported.iter().zip(outcomes);
        let reported = reported.map(|(it, outcome)| (&it.diagnostic, it.summary(), outcome));
        let first_line = |it: &Diagnostic| it.message.lines().next().unwrap_or_default().to_owned();
        let stale = file.stale.iter().map(|it| (it, first_line(it), ReportOutcome::Stale));
        for (it, message, outcome) in reported.chain(stale) {
            *self.by_outcome.entry(outcome.code()).or_default() += 1;
            if matches!(outcome, ReportOutcome::NoRule | ReportOutcome::Left(_) | ReportOutcome::Stale) {
                let left = self.left.entry(outcome).or_default();
                left.count += 1;
                if left.listed.len() < LISTED {
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
                "{}:{line}: {} without a certain fix, left as {stay}; a compiler's output may help (--diagnostics)",
                file.work.shown,
                counted(errors, "syntax error")
            ));
        }
        for fix in file.taken() {
            *self.by_kind.entry(fix.kind.name()).or_default() += 1;
        }
    }

    /// Prints the summary on standard error.
    pub(super) fn say(&self, arguments: &Arguments) {
        for (path, why, count) in &self.passed_over {
            let passed = if *count == 0 { "it is".to_owned() } else { counted(count, "report") };
            terminal::say(format_args!("{path}: {why}; {passed} passed over"));
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
            // The parser's findings were printed with their lines.
            if *outcome != ReportOutcome::NoRule || self.broken.is_empty() {
                say_left(*outcome, left, arguments);
            }
        }
    }

    /// The whole report as JSON.
    pub(super) fn json(&self) -> Value {
        let passed_over = self
            .passed_over
            .iter()
            .map(|(path, why, count)| json!({ "path": path, "reason": why, "diagnostics": count }));
        json!({
            "status": if self.has_changes() { "changed" } else { "unchanged" },
            "files": self.files,
            "diagnostics": self.diagnostics,
            "summary": self.by_kind,
            "outcomes": self.by_outcome,
            "passed_over": passed_over.collect::<Vec<_>>(),
            "ignored_lines": self.ignored_lines,
            "dropped": self.dropped,
            "cut": self.is_cut,
        })
    }
}

/// Prints which reports are left for one reason, and what the user can do about them.
fn say_left(outcome: ReportOutcome, left: &LeftReports, arguments: &Arguments) {
    let problems = counted(left.count, "problem");
    let why = match outcome {
        ReportOutcome::Left(why) => format!("{}; check again once these fixes are made", why.name()),
        ReportOutcome::Stale => "the file has changed since; run the tool again".to_owned(),
        _ if arguments.model => "no single correct fix".to_owned(),
        _ => "no single correct fix; --model asks a model".to_owned(),
    };
    terminal::say(format_args!("{problems} left: {why}"));
    left.listed.iter().for_each(|it| terminal::say(format_args!("  {it}")));
    if left.count > left.listed.len() {
        terminal::say(format_args!("  … and {} more", left.count - left.listed.len()));
    }
}

/// A message that only a tool's report can show errors in a file; `None` if its parser can.
fn unseen(file: &Fixed) -> Option<String> {
    let shown = &file.work.shown;
    match file.work.document.grammar() {
        None => Some(format!(
            "{shown}: its language is not known, so only errors in a tool's report are fixed; pass one with --diagnostics"
        )),
        // The parser's errors may be in valid code with macros.
        Some(grammar) if !grammar.errors_are_reliable() => {
            let name = grammar.name();
            Some(format!(
                "{shown}: in {name}, only errors in a compiler's report are fixed; pass one with --diagnostics"
            ))
        }
        Some(_) => None,
    }
}

/// A file in the JSON output.
fn file_for_machines(file: &Fixed) -> Value {
    let fixes = file.taken().map(|fix| json!({ "kind": fix.kind.name(), "title": fix.title }));
    json!({
        "path": file.work.shown,
        "fixes": fixes.collect::<Vec<_>>(),
        "edits": edits_report(file.edits()),
        "refused": file.refused,
        "syntax_errors": file.broken.as_ref().map(|it| json!({ "count": it.errors, "line": it.line })),
    })
}

fn diagnostics(file: &Fixed) -> Vec<Value> {
    let text = file.work.document.text();
    let report = |it: &Diagnostic, outcome: ReportOutcome| {
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
    let stale = file.stale.iter().map(|it| report(it, ReportOutcome::Stale));
    placed.chain(stale).collect()
}

/// The line of a diagnostic, from 1.
fn line_of(file: &Fixed, it: &Diagnostic) -> usize {
    let text = file.work.document.text();
    text.byte_to_line(it.span.start.min(text.len_bytes())) + 1
}
