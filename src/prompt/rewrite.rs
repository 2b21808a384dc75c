//! The prompt for a rewrite: a range in its surroundings, to be answered by its new text.

use super::marks::{Marks, read_header, write_header};
use super::{ParsedPrompt, Prompt};
use crate::context::Region;

const INSTRUCTIONS: &str = "\
You edit code in an editor. The input shows a file: the text before a range, the range after <|range|>, the text \
after the range, and last the instruction (marks may be numbered, as in <|range-1|>). \
Apply the instruction to the range and reply with the complete new text of the range, and only of the range, in one \
code fence; if the range is empty, with what is to stand there. Change nothing that the instruction does not ask for; keep names, comments, style and indentation. \
Never shorten code to a comment such as \"rest unchanged\". If nothing has to change, reply NO_EDITS.";

const NAMES: [&str; 4] = ["before", "range", "after", "instruction"];

/// Renders the prompt that asks for `region` to be rewritten as `instruction` says.
pub fn render(region: &Region, instruction: &str) -> Prompt {
    let marks = Marks::absent_from(&NAMES, &[&region.before, &region.range, &region.after, instruction]);
    let mut input = String::with_capacity(
        region.before.len() + region.range.len() + region.after.len() + instruction.len() + 160,
    );
    write_header(&mut input, &region.path, &region.language);
    let parts = [&region.before, &region.range, &region.after, instruction];
    for (name, text) in NAMES.iter().zip(parts) {
        input.push_str(&marks.mark(name));
        input.push('\n');
        input.push_str(text);
        // Every part ends with one line end that is not its own, so that a missing one is kept as it is.
        input.push('\n');
    }
    Prompt { instructions: INSTRUCTIONS, input, stable: 0 }
}

/// Reads an input that [`render`] wrote.
pub(super) fn read(input: &str) -> Option<ParsedPrompt> {
    let (path, language, rest) = read_header(input)?;
    let (marks, mut rest) = Marks::read(rest, NAMES[0])?;
    let mut parts = Vec::with_capacity(NAMES.len());
    for name in &NAMES[1..] {
        let (part, after) = rest.split_once(&format!("\n{}\n", marks.mark(name)))?;
        parts.push(part.to_owned());
        rest = after;
    }
    let mut parts = parts.into_iter();
    Some(ParsedPrompt::Rewrite {
        path: path.to_owned(),
        language: language.to_owned(),
        before: parts.next()?,
        range: parts.next()?,
        after: parts.next()?,
        instruction: rest.strip_suffix('\n')?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(marked: &str, instruction: &str, expect: Expect) {
        let (before, rest) = marked.split_once('«').expect("a range");
        let (range, after) = rest.split_once('»').expect("a range");
        let region = Region {
            path: "a.py".into(),
            language: "python".into(),
            before: before.into(),
            range: range.into(),
            after: after.into(),
        };
        let prompt = render(&region, instruction);
        expect.assert_eq(&prompt.input);
        let shown = ParsedPrompt::Rewrite {
            path: region.path,
            language: region.language,
            before: region.before,
            range: region.range,
            after: region.after,
            instruction: instruction.to_owned(),
        };
        assert_eq!(super::super::read(&prompt.input), Some(shown));
    }

    #[test]
    fn shows_the_range_in_its_surroundings() {
        check(
            "import os\n\n«def f(a):\n    return a\n»\nf(1)\n",
            "rename a to b",
            expect![[r#"
                File: a.py
                Language: python
                <|before|>
                import os


                <|range|>
                def f(a):
                    return a

                <|after|>

                f(1)

                <|instruction|>
                rename a to b
            "#]],
        );
    }

    #[test]
    fn keeps_empty_parts_and_missing_line_ends() {
        check(
            "«x = 1»",
            "double it",
            expect![[r#"
                File: a.py
                Language: python
                <|before|>

                <|range|>
                x = 1
                <|after|>

                <|instruction|>
                double it
            "#]],
        );
    }
}
