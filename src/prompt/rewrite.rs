//! The prompt for a rewrite: a range in its surroundings. The reply is the range's new text.

use super::marks::{Marks, read_header, write_header};
use super::{ParsedPrompt, Prompt};
use crate::context::Region;

const INSTRUCTIONS: &str = "\
You edit code in an editor. The input shows a file: the text before a range, the range after <|range|>, the text \
after the range, and last the instruction (marks may be numbered, as in <|range-1|>). \
Apply the instruction to the range. Reply with the complete new text of the range, and of nothing else, in one code \
fence; if the range is empty, reply with the text to insert there. After <|problems|>, the input may list what compilers \
report on the range: use it to understand the instruction, and solve these problems only if the instruction asks for \
that. Change nothing that the instruction does not ask for; keep names, comments, style and indentation. \
Never shorten code to a comment such as \"rest unchanged\". If nothing has to change, reply NO_EDITS.";

/// The shortest instructions.
const BRIEF: &str = "\
You change code as you are told. Reply with the complete new code in one code fence, and with nothing else.";

const BRIEF_NAMES: [&str; 2] = ["range", "instruction"];
const NAMES: [&str; 5] = ["before", "range", "after", PROBLEMS, "instruction"];
/// The part that is omitted if empty.
const PROBLEMS: &str = "problems";

/// Renders the prompt that asks for `region` to be rewritten according to `instruction`.
///
/// `problems` are diagnostics of other servers on the range, a line each.
pub fn render(region: &Region, problems: &[String], instruction: &str) -> Prompt {
    let problems = problems.join("\n");
    let parts = [&region.before, &region.range, &region.after, &problems, instruction];
    let marks = Marks::absent_from(&NAMES, &parts);
    let bytes: usize = parts.iter().map(|part| part.len()).sum();
    let mut input = String::with_capacity(bytes + 160);
    write_header(&mut input, &region.path, &region.language);
    for (name, text) in NAMES.iter().zip(parts) {
        if *name == PROBLEMS && text.is_empty() {
            continue;
        }
        input.push_str(&marks.mark(name));
        input.push('\n');
        input.push_str(text);
        // Every part ends with one line end that does not belong to its text, so that a missing one is kept as it is.
        input.push('\n');
    }
    Prompt { instructions: INSTRUCTIONS, input, stable: 0 }
}

/// Renders the shortest prompt that asks for a region's lines to be rewritten.
///
/// It is for models that read slowly; these also get lost in long texts.
pub fn render_briefly(region: &Region, instruction: &str) -> Prompt {
    let parts = [region.range.as_str(), instruction];
    let marks = Marks::absent_from(&BRIEF_NAMES, &parts);
    let mut input = String::new();
    write_header(&mut input, &region.path, &region.language);
    for (name, text) in BRIEF_NAMES.iter().zip(parts) {
        input.extend([&marks.mark(name), "\n", text, "\n"]);
    }
    Prompt { instructions: BRIEF, input, stable: 0 }
}

/// Reads an input that [`render_briefly`] wrote.
fn read_brief(path: &str, language: &str, rest: &str) -> Option<ParsedPrompt> {
    let (marks, rest) = Marks::read(rest, BRIEF_NAMES[0])?;
    let (range, instruction) = rest.split_once(&format!("\n{}\n", marks.mark(BRIEF_NAMES[1])))?;
    Some(ParsedPrompt::Rewrite {
        path: path.to_owned(),
        language: language.to_owned(),
        before: String::new(),
        range: range.to_owned(),
        after: String::new(),
        instruction: instruction.strip_suffix('\n')?.to_owned(),
    })
}

/// Reads an input that [`render`] or [`render_briefly`] wrote.
pub(super) fn read(input: &str) -> Option<ParsedPrompt> {
    let (path, language, rest) = read_header(input)?;
    let Some((marks, mut rest)) = Marks::read(rest, NAMES[0]) else {
        return read_brief(path, language, rest);
    };
    let mut parts = Vec::with_capacity(NAMES.len());
    for name in &NAMES[1..] {
        match rest.split_once(&format!("\n{}\n", marks.mark(name))) {
            Some((part, after)) => {
                parts.push(part.to_owned());
                rest = after;
            }
            None if *name == PROBLEMS => {}
            None => return None,
        }
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

    #[track_caller]
    fn check(marked: &str, problems: &[&str], instruction: &str, expect: Expect) {
        let (before, rest) = marked.split_once('«').expect("a range");
        let (range, after) = rest.split_once('»').expect("a range");
        let region = Region {
            path: "a.py".into(),
            language: "python".into(),
            before: before.into(),
            range: range.into(),
            after: after.into(),
        };
        let problems: Vec<String> = problems.iter().map(|it| (*it).to_owned()).collect();
        let prompt = render(&region, &problems, instruction);
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
            &[],
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
    fn problems_stand_before_the_instruction() {
        check(
            "«x = y\n»",
            &["error on `x = y`: `y` is not defined", "warning on `x = y`: <|instruction|>"],
            "mend it",
            expect![[r#"
                File: a.py
                Language: python
                <|before-1|>

                <|range-1|>
                x = y

                <|after-1|>

                <|problems-1|>
                error on `x = y`: `y` is not defined
                warning on `x = y`: <|instruction|>
                <|instruction-1|>
                mend it
            "#]],
        );
    }

    #[test]
    fn shows_the_range_alone_to_slow_models() {
        let region = |range: &str| Region {
            path: "a.py".into(),
            language: "python".into(),
            before: "import os\n".into(),
            range: range.into(),
            after: "f(1)\n".into(),
        };
        let prompt = render_briefly(&region("def f(a):\n    return a\n"), "rename a to b");
        expect![[r#"
            File: a.py
            Language: python
            <|range|>
            def f(a):
                return a

            <|instruction|>
            rename a to b
        "#]]
        .assert_eq(&prompt.input);
        for range in ["def f(a):\n    return a\n", "x", "", "<|instruction|>\n"] {
            let ParsedPrompt::Rewrite { range: read, before, instruction, .. } =
                super::super::read(&render_briefly(&region(range), "b\nc").input).unwrap()
            else {
                panic!("{range} is read as something else");
            };
            assert_eq!((read.as_str(), &*before, &*instruction), (range, "", "b\nc"));
        }
    }

    #[test]
    fn keeps_empty_parts_and_missing_line_ends() {
        check(
            "«x = 1»",
            &[],
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
