//! Errors of real tools, and the fixes of the rules for them.
//!
//! `tests/fix/cases` has the programs, `tests/fix/recorded` the output of their tools (`tests/fix/corpus.py record`),
//! and `tests/fix/expected` the fixes. `tests/fix/run` verifies with the tools themselves that the fixes correct the
//! programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use expect_test::expect_file;
use similar::{ChangeTag, TextDiff};
use tandem::assist::{FileView, OtherFile, Reported, fix_file};
use tandem::document::{Document, DocumentId};
use tandem::edit::apply;
use tandem::tool_output::{self, Report, Severity};

/// Each recorded output, the programs that it is about, and the name of their main file.
const TOOLS: [(&str, &str, &str); 11] = [
    ("rustc", "rustc", "case.rs"),
    ("ruff", "ruff", "case.py"),
    ("mypy", "mypy", "case.py"),
    ("cpython", "python", "case.py"),
    ("pytest", "pytest", "test_case.py"),
    ("tsc", "tsc", "case.ts"),
    ("eslint", "eslint", "case.js"),
    ("gcc", "gcc", "case.c"),
    ("clang", "clang", "case.cpp"),
    ("compiler", "go", "case.go"),
    ("javac", "javac", "Case.java"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fix")
}

/// The parts of a file below lines such as `=== name`.
fn sections(path: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let name = line.trim_end().strip_prefix("=== ").filter(|it| !it.contains(['=', ' ']));
        match (name, sections.last_mut()) {
            (Some(name), _) => sections.push((name.to_owned(), String::new())),
            (None, Some((_, body))) => body.push_str(line),
            (None, None) => panic!("{} begins without a name", path.display()),
        }
    }
    sections
}

/// The programs of a tool, each with its files.
fn programs(tool: &str, main: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let split = |body: &str| {
        let mut files = vec![(main.to_owned(), String::new())];
        for line in body.split_inclusive('\n') {
            match line.trim_end().strip_prefix("//- ") {
                Some(name) => files.push((name.to_owned(), String::new())),
                None => files.last_mut().unwrap().1.push_str(line),
            }
        }
        files
    };
    let cases = sections(&folder().join(format!("cases/{tool}.txt")));
    cases.into_iter().map(|(name, body)| (name, split(&body))).collect()
}

fn recorded(tool: &str) -> Vec<(String, Report)> {
    let outputs = sections(&folder().join(format!("recorded/{tool}.txt")));
    outputs.into_iter().map(|(name, output)| (name, tool_output::read(&output))).collect()
}

/// The lines that fixes remove and add.
fn changed_lines(old: &str, new: &str) -> String {
    let mut shown = String::new();
    for change in TextDiff::from_lines(old, new).iter_all_changes() {
        let sign = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        let _ = writeln!(shown, "{sign}{}", change.value().trim_end_matches('\n'));
    }
    shown
}

#[test]
fn errors_of_real_tools_are_fixed_as_expected() {
    let (mut all, mut fixed) = (0, 0);
    for (_, tool, main) in TOOLS {
        let programs = programs(tool, main);
        let mut shown = String::new();
        for (name, report) in recorded(tool) {
            let files = &programs[&name];
            let open = |(path, text): &(String, String)| {
                Document::new(DocumentId::new(&format!("file:///no-such-folder/{path}")), "", 0, text)
            };
            let document = open(&files[0]);
            if document.grammar().is_none() {
                return;
            }
            let own: Vec<_> = report.diagnostics.iter().filter(|it| it.path.ends_with(main)).collect();
            assert!(!own.is_empty(), "{tool} {name}: nothing was read");
            for it in &own {
                assert!(it.is_of(document.text()), "{tool} {name}: {:?} is not the program's line", it.line);
            }
            let reported: Vec<Reported> = own.iter().map(|it| Reported::of_tool(it, &document)).collect();
            let read = |it| Arc::new(OtherFile::read(&open(it)));
            let others: Vec<Arc<OtherFile>> = files[1..].iter().map(read).collect();
            let messages =
                reported.iter().map(|it| (it.diagnostic.span.start, it.diagnostic.message.as_str()));
            let file = FileView::beside(&document, |_: &str| others.clone());
            let file = file.with_reported(messages);
            let fixes = fix_file(&file, &reported);
            let _ = writeln!(shown, "=== {name}");
            for at in &fixes.composed.taken {
                let fix = &fixes.fixes[*at].1;
                let _ = writeln!(shown, "{}: {}", fix.kind.name(), fix.title);
            }
            for (at, why) in &fixes.composed.left {
                let _ = writeln!(shown, "left, {}: {}", why.name(), fixes.fixes[*at].1.title);
            }
            let new = apply(&files[0].1, &fixes.composed.edits);
            shown.push_str(&changed_lines(&files[0].1, &new));
            all += 1;
            fixed += usize::from(new != files[0].1);
        }
        expect_file![folder().join(format!("expected/{tool}.txt"))].assert_eq(&shown);
    }
    assert!(all >= 200 && fixed * 100 >= all * 55, "{fixed} of {all} programs are fixed");
}

/// The text with the certain fixes of a tool's diagnostics, without those for another text.
fn mended(path: &str, text: &str, report: &Report) -> String {
    let document = Document::new(DocumentId::new(&format!("file:///no-such-folder/{path}")), "", 0, text);
    let own = report.diagnostics.iter().filter(|it| it.path.ends_with(path) && it.is_of(document.text()));
    let placed = own.map(|it| Reported::of_tool(it, &document));
    let reported: Vec<Reported> = placed.filter(|it| !it.is_of_other_text(&document)).collect();
    let message = |it: &Reported| (it.diagnostic.span.start, it.message_with_name());
    let messages: Vec<(usize, String)> = reported.iter().map(message).collect();
    let file = FileView::new(&document).with_reported(messages.iter().map(|(at, it)| (*at, it.as_str())));
    apply(text, &fix_file(&file, &reported).composed.edits)
}

/// For a text whose lines were added or removed after the tool ran, its report leads to no other change.
#[test]
fn reports_of_an_older_text_change_nothing_else() {
    let mut wrong = String::new();
    let (mut all, mut made) = (0, 0);
    for (_, tool, main) in TOOLS {
        let programs = programs(tool, main);
        for (name, report) in recorded(tool) {
            let text = &programs[&name][0].1;
            let true_lines = changed_lines(text, &mended(main, text, &report));
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let added = (1..4).map(|count| "\n".repeat(count) + text);
            let gone = (0..lines.len().min(4)).map(|at| [&lines[..at], &lines[at + 1..]].concat().concat());
            for stale in added.chain(gone) {
                let changed = changed_lines(&stale, &mended(main, &stale, &report));
                all += 1;
                made += usize::from(!changed.is_empty());
                if changed.lines().any(|line| !true_lines.lines().any(|it| it == line)) {
                    let _ =
                        writeln!(wrong, "=== {tool} {name}\n{changed}--- of\n{stale}--- true\n{true_lines}");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(all > 1_000 && made > 100, "{made} of {all} older texts are mended");
}

/// The parts that two formats of one tool share: line, column and message of each diagnostic.
fn common(report: &Report, with_column: bool, source: &str) -> Vec<(usize, usize, String)> {
    let document = Document::new(DocumentId::new("case"), "", 0, source);
    let text = document.text();
    let place = |it: &tool_output::Diagnostic| {
        // A missing token at the end of a file is reported after its last character, or on the next line.
        let start = it.span(text).start.min(source.trim_end().len());
        let line = text.byte_to_line(start);
        (line, if with_column { start - text.line_to_byte(line) } else { 0 })
    };
    // Notes belong to their diagnostic, except in gcc's JSON, where some are separate.
    let own = report.diagnostics.iter().filter(|it| it.severity <= Severity::Warning);
    let mut all: Vec<(usize, usize, String)> =
        own.map(|it| (place(it).0, place(it).1, it.message.trim_end_matches('.').to_owned())).collect();
    all.sort();
    // One message may be both a warning and an error.
    all.dedup();
    all
}

/// Text and JSON of the same tool agree.
#[test]
fn formats_of_one_tool_agree() {
    for (text, json, main, with_column) in [
        ("rustc-text", "rustc", "case.rs", true),
        ("ruff-concise", "ruff", "case.py", true),
        ("ruff-full", "ruff", "case.py", true),
        ("ruff-sarif", "ruff", "case.py", true),
        ("tsc-pretty", "tsc", "case.ts", true),
        ("eslint-stylish", "eslint", "case.js", true),
        ("gcc-json", "gcc", "case.c", true),
        ("mypy-json", "mypy", "case.py", false),
    ] {
        let programs = programs(json, main);
        let others: BTreeMap<String, Report> = recorded(json).into_iter().collect();
        for (name, report) in recorded(text) {
            let source = &programs[&name][0].1;
            let expected = common(&others[&name], with_column, source);
            let mut found = common(&report, with_column, source);
            // Ruff's excerpts show the end of some messages by marks.
            for (it, whole) in found.iter_mut().zip(&expected) {
                if whole.2.starts_with(&it.2) {
                    it.2.clone_from(&whole.2);
                }
            }
            assert_eq!(found, expected, "{text} {name}");
        }
    }
}

/// Every output identifies its tool, for rules and summaries.
#[test]
fn outputs_name_their_tool() {
    for (source, tool, _) in TOOLS {
        let source = if tool == "clang" { "gcc" } else { source };
        for (name, report) in recorded(tool) {
            for it in &report.diagnostics {
                let found = it.source.as_deref().unwrap_or("none");
                let is_own = found == source || tool == "pytest" && found == "cpython";
                assert!(is_own, "{tool} {name}: {found}: {}", it.message);
            }
        }
    }
}
