//! The prompt for a fix.
//!
//! It shows the parts of a file that may change, then the diagnostic. The reply is new text between two tags.

use std::fmt::Write as _;

use super::marks::{Marks, read_header, write_header};
use super::{ParsedPrompt, Prompt};

const INSTRUCTIONS: &str = "\
You fix one reported problem in an editor. The input shows a file: perhaps an outline of it; after <|window|> its imports \
and the code around the problem, in blocks, each below a tag such as <@1a2b>; after <|problem|> what was reported, with the \
tag of the block and the line that it is about (marks may be numbered, as in <|window-1|>). \
Make the smallest change that solves this problem and keeps what the code is meant to do: never silence the report, never \
delete code to get rid of it. For each block to change, reply with its tag on a line, the complete new lines of the \
block, and the tag that follows the block, on a line. No code fence, no explanation. Copy what you do not change exactly. \
If the problem cannot be fixed here, or is not a problem, reply NO_EDITS.";

const NAMES: [&str; 3] = ["outline", "window", "problem"];

/// The context of a fix, as the model is shown it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FixInput {
    /// The file's path as shown, `/`-separated.
    pub path: String,
    /// The grammar's id, or the empty string.
    pub language: String,
    /// Imports and signatures of the rest of the file, if known.
    pub outline: String,
    /// The tagged blocks.
    pub window: String,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// The tool that reports the problem, such as `rustc`.
    pub source: Option<String>,
    /// The diagnostic's code, such as `E0425`.
    pub code: Option<String>,
    /// The diagnostic's message.
    pub message: String,
    /// The tag of the block that contains the problem.
    pub tag: String,
    /// The line on which the problem begins.
    pub line: String,
    /// The text that the diagnostic's range covers.
    pub marked: String,
    /// Related locations, with a message each.
    pub related: Vec<(String, String)>,
}

/// Renders the prompt.
pub fn render(report: &FixInput) -> Prompt {
    let mut problem = report.severity.to_owned();
    if let Some(code) = &report.code {
        let _ = write!(problem, "[{code}]");
    }
    if let Some(source) = &report.source {
        let _ = write!(problem, " ({source})");
    }
    let _ = writeln!(problem, ": {}", report.message.trim_end());
    for (place, words) in &report.related {
        let _ = writeln!(problem, "{place}: {}", words.trim_end());
    }
    let marked = report.marked.lines().next().unwrap_or_default();
    if !marked.is_empty() {
        let _ = writeln!(problem, "marked: {marked}");
    }
    let _ = writeln!(problem, "<@{}> {}", report.tag, report.line);
    let marks = Marks::absent_from(&NAMES, &[&report.outline, &report.window, &problem]);
    let mut input = String::with_capacity(report.outline.len() + report.window.len() + problem.len() + 128);
    write_header(&mut input, &report.path, &report.language);
    if !report.outline.is_empty() {
        let _ = writeln!(input, "{}\n{}", marks.mark(NAMES[0]), report.outline.trim_end());
    }
    let stable = input.len();
    let _ = write!(input, "{}\n{}{}\n{problem}", marks.mark(NAMES[1]), report.window, marks.mark(NAMES[2]));
    Prompt { instructions: INSTRUCTIONS, input, stable }
}

/// Reads an input that [`render`] wrote.
pub(super) fn read(input: &str) -> Option<ParsedPrompt> {
    let (path, language, rest) = read_header(input)?;
    let (marks, window) = match Marks::read(rest, NAMES[0]) {
        Some((marks, rest)) => {
            let (_, window) = rest.split_once(&format!("\n{}\n", marks.mark(NAMES[1])))?;
            (marks, window)
        }
        None => Marks::read(rest, NAMES[1])?,
    };
    let (window, problem) = window.split_once(&format!("{}\n", marks.mark(NAMES[2])))?;
    let (words, line) = problem.trim_end_matches('\n').rsplit_once('\n')?;
    let marked = words.rsplit_once("\nmarked: ").map_or("", |(_, marked)| marked);
    Some(ParsedPrompt::Fix {
        path: path.to_owned(),
        language: language.to_owned(),
        window: window.to_owned(),
        problem: words.to_owned(),
        marked: marked.to_owned(),
        line: line.split_once("> ").map_or("", |(_, line)| line).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn shows_the_problem_behind_its_surroundings() {
        let report = FixInput {
            path: "src/a.rs".into(),
            language: "rust".into(),
            outline: "fn g()\n".into(),
            window: "<@1a2b>\nfn f() {\n    h(猫)\n}\n<@3c4d>\n".into(),
            severity: "error",
            source: Some("rustc".into()),
            code: Some("E0425".into()),
            message: "cannot find value `猫` in this scope".into(),
            tag: "1a2b".into(),
            line: "    h(猫)".into(),
            marked: "猫".into(),
            related: vec![("src/b.rs:3".into(), "it was here".into())],
        };
        let prompt = render(&report);
        expect![[r#"
            File: src/a.rs
            Language: rust
            <|outline|>
            fn g()
            <|window|>
            <@1a2b>
            fn f() {
                h(猫)
            }
            <@3c4d>
            <|problem|>
            error[E0425] (rustc): cannot find value `猫` in this scope
            src/b.rs:3: it was here
            marked: 猫
            <@1a2b>     h(猫)
        "#]]
        .assert_eq(&prompt.input);
        let Some(ParsedPrompt::Fix { window, marked, line, problem, .. }) = super::super::read(&prompt.input)
        else {
            panic!("it can be read");
        };
        assert_eq!((window, marked, line), (report.window, report.marked, report.line));
        assert!(problem.starts_with("error[E0425]"));
    }
}
