//! The prompt for ghost text: the window around the cursor. The reply is the text to insert.

use super::marks::{Marks, read_header, write_header};
use super::{ParsedPrompt, Prompt};
use crate::context::Window;

/// Short, since every keystroke's request contains it (a socket does not keep it between requests).
const INSTRUCTIONS: &str = "\
You complete code in an editor. The input shows a file, sometimes an outline of the rest of it, and the code \
around the cursor; <|cursor|> (or a numbered <|cursor-1|>) marks the cursor. \
Reply with exactly the text to insert at the cursor: continue the line, and go on with further lines only if the \
statement or block needs them. No code fence, no explanation, nothing that already stands before or after the cursor. \
Keep the file's names, style and indentation. If nothing should be inserted, reply NO_EDITS.";

/// Text to append to the instructions for the `n`th suggestion at one position, from 2 on.
///
/// All suggestions are requested at the same time, so the model does not see the others.
pub fn variant(n: usize) -> String {
    format!(
        " Several suggestions are wanted, each from a request of its own: this is number {n}. Do not reply with the most \
         obvious text but with the one that you find most likely after {}.",
        if n == 2 { "that" } else { "those before it" }
    )
}

const NAMES: [&str; 3] = ["outline", "code", "cursor"];

/// Renders the prompt for the text at the window's cursor.
pub fn render(window: &Window) -> Prompt {
    let marks = Marks::absent_from(&NAMES, &[&window.outline, &window.before, &window.after]);
    let mut input =
        String::with_capacity(window.outline.len() + window.before.len() + window.after.len() + 128);
    write_header(&mut input, &window.path, &window.language);
    if !window.outline.is_empty() {
        push_block(&mut input, &marks.mark("outline"), &window.outline);
    }
    let stable = input.len();
    input.push_str(&marks.mark("code"));
    input.push('\n');
    input.push_str(&window.before);
    input.push_str(&marks.mark("cursor"));
    input.push_str(&window.after);
    Prompt { instructions: INSTRUCTIONS, input, stable }
}

/// The outline in an input that [`render`] wrote, behind any quotes from other files.
pub fn outline(input: &str) -> Option<&str> {
    let (_, _, rest) = read_header(super::related::split(input).1)?;
    let (marks, rest) = Marks::read(rest, "outline")?;
    Some(rest.split_once(&format!("{}\n", marks.mark("code")))?.0)
}

/// Reads an input that [`render`] wrote.
pub(super) fn read(input: &str) -> Option<ParsedPrompt> {
    let (path, language, rest) = read_header(input)?;
    let (marks, code) = match Marks::read(rest, "outline") {
        Some((marks, rest)) => {
            let (_, code) = rest.split_once(&format!("{}\n", marks.mark("code")))?;
            (marks, code)
        }
        None => Marks::read(rest, "code")?,
    };
    let (before, after) = code.split_once(&marks.mark("cursor"))?;
    Some(ParsedPrompt::Completion {
        path: path.to_owned(),
        language: language.to_owned(),
        before: before.to_owned(),
        after: after.to_owned(),
    })
}

fn push_block(input: &mut String, mark: &str, text: &str) {
    input.push_str(mark);
    input.push('\n');
    input.push_str(text);
    if !text.ends_with('\n') {
        input.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(outline: &str, marked: &str, expect: Expect) {
        let (before, after) = marked.split_once('ˇ').expect("a cursor");
        let window = Window {
            path: "src/a.rs".into(),
            language: "rust".into(),
            outline: outline.into(),
            before: before.into(),
            after: after.into(),
        };
        let prompt = render(&window);
        expect.assert_eq(&prompt.input);
        let shown = ParsedPrompt::Completion {
            path: window.path,
            language: window.language,
            before: window.before,
            after: window.after,
        };
        assert_eq!(super::super::read(&prompt.input), Some(shown));
    }

    #[test]
    fn shows_the_window_with_a_cursor() {
        check(
            "",
            "fn f() {\n    let x = ˇ;\n}\n",
            expect![[r#"
                File: src/a.rs
                Language: rust
                <|code|>
                fn f() {
                    let x = <|cursor|>;
                }
            "#]],
        );
    }

    #[test]
    fn puts_the_outline_first() {
        check(
            "use std::fmt;\nstruct Shape",
            "let 猫 = ˇ",
            expect![[r#"
                File: src/a.rs
                Language: rust
                <|outline|>
                use std::fmt;
                struct Shape
                <|code|>
                let 猫 = <|cursor|>"#]],
        );
    }

    #[test]
    fn numbers_its_marks_when_the_text_holds_them() {
        check(
            "",
            "mark(\"<|cursor|>\", \"<|code-1|>\"ˇ)",
            expect![[r#"
                File: src/a.rs
                Language: rust
                <|code-2|>
                mark("<|cursor|>", "<|code-1|>"<|cursor-2|>)"#]],
        );
    }
}
