//! The prompt for a next edit.
//!
//! It shows the user's recent edits, then the parts of the file that may change. The reply is new text between two
//! tags.

use std::fmt::Write as _;

use super::marks::{Marks, read_header, write_header};
use super::{ParsedPrompt, Prompt};

const INSTRUCTIONS: &str = "\
You predict the next edit in an editor. The input shows a file: after <|steps|> what the user just did as small diffs, \
oldest first; after <|problems|> what compilers report; after <|window|> the parts of the file that you may change, in \
blocks, each below a tag such as <@1a2b>; after <|cursor|> the tag and the line of the cursor (marks may be numbered, as \
in <|window-1|>). \
Most of the time nothing follows from the last steps: then reply NO_EDITS and nothing else. Reply with edits only if they \
clearly follow: the rest of a change that is under way (uses of a renamed name, callers of a changed signature, a missing \
case, field or await), or what a problem next to the cursor needs. For each block to change, the most urgent first, reply \
with its tag on a line, the complete new lines of the block, and the tag that follows the block, on a line. No code fence, no \
explanation. Copy what you do not change exactly. Never undo what the user did, and never change only whitespace, \
comments or imports.";

const NAMES: [&str; 4] = ["steps", "problems", "window", "cursor"];

/// The context of a next edit, as the model is shown it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NextEditInput {
    /// The file's path as shown, `/`-separated.
    pub path: String,
    /// The grammar's id, or the empty string.
    pub language: String,
    /// The recent edits, oldest first.
    pub steps: Vec<ShownStep>,
    /// Diagnostics of other servers near the cursor, a line each.
    pub problems: Vec<String>,
    /// The tagged blocks.
    pub window: String,
    /// The tag of the cursor's block, and the cursor's line; empty if that block is not shown.
    pub cursor: String,
}

/// A recent edit, or a part of one, as a small diff.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownStep {
    /// The file's path as shown to the model.
    pub path: String,
    /// The line of the first change, from 1.
    pub line: usize,
    /// The lines without their ends, each with its diff prefix.
    ///
    /// `-` is for a deleted line, `+` for an added line, a blank for an unchanged line.
    pub lines: Vec<(char, String)>,
    /// Whether the edit was a suggestion that the user accepted.
    pub is_accepted: bool,
}

/// Renders the prompt.
pub fn render(scene: &NextEditInput) -> Prompt {
    let mut steps = String::new();
    for step in &scene.steps {
        let accepted = if step.is_accepted { " (accepted)" } else { "" };
        let path = step.path.replace(['\n', '\r'], " ");
        let _ = writeln!(steps, "@@ {path}:{}{accepted}", step.line);
        for (sign, line) in &step.lines {
            let _ = writeln!(steps, "{sign}{line}");
        }
    }
    let problems: String = scene.problems.iter().map(|line| line.replace(['\n', '\r'], " ") + "\n").collect();
    let marks = Marks::absent_from(&NAMES, &[&steps, &problems, &scene.window, &scene.cursor]);
    let mut input = String::with_capacity(steps.len() + problems.len() + scene.window.len() + 256);
    write_header(&mut input, &scene.path, &scene.language);
    let stable = input.len();
    for (name, text) in NAMES.iter().zip([&steps, &problems, &scene.window, &scene.cursor]) {
        let _ = write!(input, "{}\n{text}", marks.mark(name));
        if !text.is_empty() && !text.ends_with('\n') {
            input.push('\n');
        }
    }
    Prompt { instructions: INSTRUCTIONS, input, stable }
}

/// Reads an input that [`render`] wrote. Context lines around the edits are omitted.
pub(super) fn read(input: &str) -> Option<ParsedPrompt> {
    let (path, language, rest) = read_header(input)?;
    let (marks, rest) = Marks::read(rest, NAMES[0])?;
    let part = |rest: &str, name: &str| {
        let mark = format!("{}\n", marks.mark(name));
        let at = if rest.starts_with(&mark) { 0 } else { rest.find(&format!("\n{mark}"))? + 1 };
        Some((rest[..at].to_owned(), rest[at + mark.len()..].to_owned()))
    };
    let (steps, rest) = part(rest, NAMES[1])?;
    let (_, rest) = part(&rest, NAMES[2])?;
    let (window, cursor) = part(&rest, NAMES[3])?;
    let mut read: Vec<(String, String, String)> = Vec::new();
    for line in steps.lines() {
        if let Some(head) = line.strip_prefix("@@ ") {
            let path = head.rsplit_once(':').map_or(head, |(path, _)| path);
            read.push((path.to_owned(), String::new(), String::new()));
        } else if let Some((_, old, new)) = read.last_mut() {
            let side = if line.starts_with('-') {
                old
            } else if line.starts_with('+') {
                new
            } else {
                continue;
            };
            side.push_str(&line[1..]);
            side.push('\n');
        }
    }
    Some(ParsedPrompt::NextEdit {
        path: path.to_owned(),
        language: language.to_owned(),
        steps: read,
        window,
        cursor: cursor.trim_end_matches('\n').to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn side(step: &ShownStep, side: char) -> String {
        let lines = step.lines.iter().filter(|(sign, _)| *sign == side);
        lines.map(|(_, line)| format!("{line}\n")).collect()
    }

    fn check(scene: &NextEditInput, expect: Expect) {
        let prompt = render(scene);
        expect.assert_eq(&prompt.input);
        let shown = ParsedPrompt::NextEdit {
            path: scene.path.clone(),
            language: scene.language.clone(),
            steps: scene.steps.iter().map(|it| (it.path.clone(), side(it, '-'), side(it, '+'))).collect(),
            window: scene.window.clone(),
            cursor: scene.cursor.clone(),
        };
        assert_eq!(super::super::read(&prompt.input), Some(shown));
    }

    #[test]
    fn tells_the_story_before_the_window() {
        let step = ShownStep {
            path: "src/a.rs".into(),
            line: 2,
            lines: [(' ', "fn f() {"), ('-', "    let a = 1;"), ('+', "    let 猫 = 1;"), (' ', "}")]
                .map(|(sign, line)| (sign, line.to_owned()))
                .to_vec(),
            is_accepted: true,
        };
        let scene = NextEditInput {
            path: "src/a.rs".into(),
            language: "rust".into(),
            steps: vec![ShownStep { path: "b.rs".into(), is_accepted: false, ..step.clone() }, step],
            problems: vec!["error on `g(a)`: cannot find value `a`".into()],
            window: "<@1a2b>\nfn f() {\n    g(a)\n}\n<@3c4d>\n".into(),
            cursor: "<@1a2b>     g(a)".into(),
        };
        check(
            &scene,
            expect![[r#"
                File: src/a.rs
                Language: rust
                <|steps|>
                @@ b.rs:2
                 fn f() {
                -    let a = 1;
                +    let 猫 = 1;
                 }
                @@ src/a.rs:2 (accepted)
                 fn f() {
                -    let a = 1;
                +    let 猫 = 1;
                 }
                <|problems|>
                error on `g(a)`: cannot find value `a`
                <|window|>
                <@1a2b>
                fn f() {
                    g(a)
                }
                <@3c4d>
                <|cursor|>
                <@1a2b>     g(a)
            "#]],
        );
        check(
            &NextEditInput { window: "<@1a2b>\n<|window|>\n<@3c4d>\n".into(), ..NextEditInput::default() },
            expect![[r#"
                File: 
                Language: 
                <|steps-1|>
                <|problems-1|>
                <|window-1|>
                <@1a2b>
                <|window|>
                <@3c4d>
                <|cursor-1|>
            "#]],
        );
    }
}
