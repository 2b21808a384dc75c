//! The embedded engine that speaks in place of a model.
//!
//! It is not a model and does not pretend to be one. It reads the prompts that this project writes and answers
//! them by rule.

use crate::{
    local,
    prompt::{self, Shown},
};

/// The agreed answer for "nothing to change".
const NO_EDITS: &str = "NO_EDITS";

/// What it says to prompts that are not this project's.
const INTRODUCTION: &str = "This is the simulator of Tandem, and there is no model behind it. It continues lines by \
    analogy with the text around the cursor, obeys `rename A to B`, and has nothing to say about this prompt.";

/// Answers a prompt. `input` is everything that was told to the model, one item after the other.
pub(super) fn answer(instructions: &str, input: &str) -> String {
    match prompt::read(input) {
        Some(shown) => answer_shown(&shown),
        None if [instructions, input].iter().any(|text| text.contains(NO_EDITS)) => NO_EDITS.to_owned(),
        None => INTRODUCTION.to_owned(),
    }
}

fn answer_shown(shown: &Shown) -> String {
    match shown {
        Shown::Completion { before, after, .. } => {
            local::complete(before, after).unwrap_or_else(|| NO_EDITS.to_owned())
        }
        Shown::Rewrite { language, range, instruction, .. } => {
            let rewritten = local::rewrite(range, instruction);
            fenced(language, rewritten.as_deref().unwrap_or(range))
        }
    }
}

/// The text in one fence, which is longer than any run of backticks in it.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let line_end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("{fence}{language}\n{text}{line_end}{fence}\n")
}

#[cfg(test)]
mod tests {
    use crate::context::{Region, Window};

    use super::*;

    /// Asks for a rewrite of the text between `«` and `»`.
    fn rewrite(marked: &str, instruction: &str) -> String {
        let (before, rest) = marked.split_once('«').unwrap();
        let (range, after) = rest.split_once('»').unwrap();
        let region = Region {
            path: "src/a.rs".into(),
            language: "rust".into(),
            before: before.into(),
            range: range.into(),
            after: after.into(),
        };
        let prompt = prompt::rewrite::render(&region, instruction);
        answer(prompt.instructions, &prompt.input)
    }

    /// Asks for a completion at `ˇ`.
    fn complete(marked: &str) -> String {
        let (before, after) = marked.split_once('ˇ').unwrap();
        let window = Window {
            path: "src/a.rs".into(),
            language: "rust".into(),
            outline: "struct Size".into(),
            before: before.into(),
            after: after.into(),
        };
        let prompt = prompt::complete::render(&window);
        answer(prompt.instructions, &prompt.input)
    }

    #[test]
    fn rewrites_what_it_understands_and_returns_the_rest_unchanged() {
        assert_eq!(
            rewrite("a();\n«let a = a + 1;\n»a();\n", "rename a to total"),
            "```rust\nlet total = total + 1;\n```\n"
        );
        assert_eq!(rewrite("«let a = 1;»", "make it faster"), "```rust\nlet a = 1;\n```\n");
        assert_eq!(rewrite("«/// ```\nfn f() {}»", "rename f to g"), "````rust\n/// ```\nfn g() {}\n````\n");
    }

    #[test]
    fn continues_lines_or_says_that_there_is_nothing() {
        assert_eq!(complete("    self.width = width;\n    self.height = heiˇ\n}\n"), "ght;");
        assert_eq!(complete("    mystery(ˇ"), NO_EDITS);
    }

    #[test]
    fn is_honest_with_strangers() {
        assert_eq!(answer("", "alpha beta"), INTRODUCTION);
        assert_eq!(answer("Answer NO_EDITS if nothing is wrong.", "alpha beta"), NO_EDITS);
    }
}
