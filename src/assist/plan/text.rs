//! A plan as a text that a person can edit.
//!
//! ```text
//! # Let `load` return an error
//!
//! 1. edit `src/config.rs`
//!    gear: deep (other files call it)
//!
//!    Return a `Result` from `load`, with the path in the error.
//!
//! 2. rename `src/util.rs` to `src/text.rs`
//!    gear: local (needs no model)
//!    after: 1
//! ```
//!
//! * A title, after `#`: the instruction.
//! * A step: a number, a verb, a path, and below it, indented, `gear` and `after` if needed, a blank line, and
//!   the intent.
//! * Lines that begin with `>` are notes without meaning. Any other line that cannot be parsed is an error.

use std::fmt::Write as _;

use super::error::PlanError;
use super::steps::{Action, Plan, Step, Tag, tidy};
use crate::text::line;

/// The indentation of the lines of a step below its heading.
pub(super) const INDENT: &str = "   ";

/// Writes a plan.
pub fn write(plan: &Plan) -> String {
    let mut text = String::new();
    for line in plan.instruction.split('\n').filter(|_| !plan.instruction.is_empty()) {
        push_line(&mut text, "# ", line);
    }
    for step in &plan.steps {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&step_text(step));
    }
    text
}

fn step_text(step: &Step) -> String {
    let mut text = format!("{}. {} `{}`", step.number, step.action.verb(), step.path);
    if let Action::Rename(to) = &step.action {
        _ = write!(text, " to `{to}`");
    }
    text.push('\n');
    if let Some(Tag { gear, why }) = &step.tag {
        let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
        push_line(&mut text, INDENT, &format!("gear: {gear}{why}"));
    }
    if !step.after.is_empty() {
        let after: Vec<String> = step.after.iter().map(u32::to_string).collect();
        push_line(&mut text, INDENT, &format!("after: {}", after.join(", ")));
    }
    if !step.intent.is_empty() {
        text.push('\n');
        for line in step.intent.split('\n') {
            push_line(&mut text, INDENT, line);
        }
    }
    text
}

/// Adds a line, without trailing blanks.
fn push_line(text: &mut String, before: &str, line: &str) {
    let whole = format!("{before}{line}");
    text.push_str(whole.trim_end());
    text.push('\n');
}

/// Parses a plan, without [checking](Plan::check) it.
///
/// # Errors
///
/// The first line that cannot be parsed.
pub fn read(text: &str) -> Result<Plan, PlanError> {
    let mut title = String::new();
    let mut steps: Vec<StepLines<'_>> = Vec::new();
    for (at, line) in line::split_iter(text.trim_start_matches('\u{feff}')).enumerate() {
        let (number, line) = (at + 1, line::body(line).trim_end());
        let indented = indented(line);
        if line.starts_with('>') || line.is_empty() && steps.is_empty() {
            continue;
        }
        match (steps.last_mut(), indented) {
            (Some(step), Some(line)) => step.below.push((number, line)),
            (Some(step), None) if line.is_empty() => step.below.push((number, "")),
            (None, None) if line.starts_with('#') => {
                title.push_str(line[1..].strip_prefix(' ').unwrap_or(&line[1..]));
                title.push('\n');
            }
            (_, None) if is_head(line) => steps.push(StepLines { number, head: line, below: Vec::new() }),
            _ => {
                let why = "it belongs to no step; indent it below one, or put `>` before it".to_owned();
                return Err(PlanError::Line { line: number, why });
            }
        }
    }
    let steps = steps.iter().map(StepLines::read).collect::<Result<_, _>>()?;
    Ok(Plan { instruction: tidy(&title), steps })
}

/// Whether a line begins a step: a number with a dot or a closing parenthesis, and a verb.
pub(super) fn is_head(line: &str) -> bool {
    let Some((_, rest)) = numbered(line) else { return false };
    let verb = rest.split_whitespace().next().unwrap_or_default();
    Action::of_verb(plain(verb), None).is_some()
}

/// A word without asterisks around it.
fn plain(word: &str) -> &str {
    word.trim_matches('*')
}

/// A list item's number, and the text after it.
fn numbered(line: &str) -> Option<(u32, &str)> {
    let digits = line.len() - line.trim_start_matches(|it: char| it.is_ascii_digit()).len();
    let rest = line[digits..].strip_prefix(['.', ')'])?;
    Some((line[..digits].parse().ok()?, rest.strip_prefix([' ', '\t'])?.trim_start()))
}

/// A line without the indentation of a step's lines; `None` if it is not indented.
fn indented(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix('\t') {
        return Some(rest);
    }
    let blanks = line.len() - line.trim_start_matches(' ').len();
    (blanks > 0).then(|| &line[blanks.min(INDENT.len())..])
}

struct StepLines<'a> {
    number: usize,
    head: &'a str,
    below: Vec<(usize, &'a str)>,
}

impl StepLines<'_> {
    fn read(&self) -> Result<Step, PlanError> {
        let failed = |line: usize, why: &str| PlanError::Line { line, why: why.to_owned() };
        let bad_head =
            || failed(self.number, "write it as ``1. edit `path` ``, or ``1. rename `path` to `path` ``");
        let (number, rest) = numbered(self.head).ok_or_else(bad_head)?;
        let (verb, rest) = rest.split_once(char::is_whitespace).ok_or_else(bad_head)?;
        let verb = plain(verb);
        let (path, rest) = path(rest).ok_or_else(bad_head)?;
        // Bold text may end after the path.
        let mut rest = rest.strip_prefix("**").unwrap_or(rest).trim_start();
        let is_rename = matches!(Action::of_verb(verb, None), Some(Action::Rename { .. }));
        let mut to = None;
        if is_rename {
            let goal =
                ["to ", "-> ", "→ "].iter().find_map(|it| rest.strip_prefix(it)).ok_or_else(bad_head)?;
            let (path, behind) = self::path(goal).ok_or_else(bad_head)?;
            (to, rest) = (Some(path), behind.strip_prefix("**").unwrap_or(behind).trim_start());
        }
        let action = Action::of_verb(verb, to).ok_or_else(bad_head)?;
        // The intent may follow the path on the same line.
        let intent = match [":", "- ", "– ", "— "].iter().find_map(|it| rest.strip_prefix(it)) {
            Some(intent) => intent.trim_start(),
            None if rest.is_empty() => "",
            None => return Err(bad_head()),
        };
        let mut step = Step { number, path, action, intent: String::new(), tag: None, after: Vec::new() };
        let mut below = self.below.iter().peekable();
        while let Some((line, text)) = below.peek() {
            if let Some(gear) = text.strip_prefix("gear:").filter(|_| step.tag.is_none()) {
                step.tag = Some(tag(gear).map_err(|why| failed(*line, &why))?);
            } else if let Some(after) = text.strip_prefix("after:").filter(|_| step.after.is_empty()) {
                let why = "`after` takes numbers of steps, such as `after: 1, 2`";
                step.after = numbers(after).ok_or_else(|| failed(*line, why))?;
            } else {
                break;
            }
            below.next();
        }
        let lines: Vec<&str> = std::iter::once(intent).chain(below.map(|(_, text)| *text)).collect();
        step.intent = tidy(&lines.join("\n"));
        Ok(step)
    }
}

/// A path in backticks, or up to a blank or a colon, and the text after it.
fn path(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let (path, rest) = match text.strip_prefix('`') {
        Some(quoted) => quoted.split_once('`')?,
        None => {
            let end = text.find(char::is_whitespace).unwrap_or(text.len());
            let word = text[..end].trim_end_matches(':');
            (word, &text[word.len()..])
        }
    };
    (!path.is_empty()).then(|| (path.to_owned(), rest))
}

fn tag(text: &str) -> Result<Tag, String> {
    let (word, why) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    let gear = word.parse().map_err(|error: crate::route::UnknownGear| error.to_string())?;
    let why = why.trim();
    let inner = why.strip_prefix('(').and_then(|why| why.strip_suffix(')'));
    Ok(Tag { gear, why: inner.unwrap_or(why).trim().to_owned() })
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    text.split(',').map(|number| number.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;
    use crate::route::Gear;

    /// Checks a plan that is parsed and written again, or its error.
    fn check(text: &str, expect: Expect) {
        let shown = match read(text) {
            Ok(plan) => write(&plan),
            Err(error) => format!("{error}\n"),
        };
        expect.assert_eq(&shown);
    }

    #[test]
    fn plan_as_people_write_it_is_read() {
        check(
            "# Let `load` fail\r\n#\n#   with a path\n> A note.\n\n1) modify src/a b.rs: return a Result\n",
            expect![[r#"
                line 6: write it as ``1. edit `path` ``, or ``1. rename `path` to `path` ``
            "#]],
        );
        check(
            "# Let `load` fail\r\n#\n#   with a path\n> A note.\n\n1) modify `src/a b.rs`: return a Result\n\n  and\n\n     more\n2. move a to b\n gear: fast\n after: 1,3\n3. delete x\n\tafter: 1\n",
            expect![[r#"
                # Let `load` fail
                #
                #   with a path

                1. edit `src/a b.rs`

                   return a Result

                   and

                     more

                2. rename `a` to `b`
                   gear: fast
                   after: 1, 3

                3. delete `x`
                   after: 1
            "#]],
        );
    }

    #[test]
    fn line_without_a_meaning_is_an_error() {
        let stray = || {
            expect![[r#"
                line 2: it belongs to no step; indent it below one, or put `>` before it
            "#]]
        };
        check("1. edit a\nand b\n", stray());
        check("1. edit a\n# and b\n", stray());
        check("# a\n   b\n", stray());
        check(
            "1. edit a\n   gear: quick\n",
            expect![[r#"
                line 2: there is no gear `quick`; there are local, fast and deep
            "#]],
        );
        check(
            "1. edit a\n   after: all\n",
            expect![[r#"
                line 2: `after` takes numbers of steps, such as `after: 1, 2`
            "#]],
        );
        check(
            "1. rename a\n",
            expect![[r#"
                line 1: write it as ``1. edit `path` ``, or ``1. rename `path` to `path` ``
            "#]],
        );
    }

    /// Texts, some of which look like parts of a plan.
    fn words() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            Just("\n"),
            Just("\r\n"),
            Just(" "),
            Just("\t"),
            Just("   "),
            Just("1. edit `a`"),
            Just("gear: fast"),
            Just("after: 1"),
            Just("# "),
            Just("> "),
            Just("`"),
            Just(")"),
            Just("("),
            Just("é"),
            Just("to"),
            Just(":"),
            Just("\u{2028}"),
        ];
        prop::collection::vec(word, 0..12).prop_map(|words| words.concat())
    }

    fn path() -> impl Strategy<Value = String> {
        "[a-z./ é:#()-]{1,12}"
            .prop_map(|path| path.trim().to_owned())
            .prop_filter("no path", |it| !it.is_empty())
    }

    fn step() -> impl Strategy<Value = Step> {
        let action = prop_oneof![
            Just(Action::Edit),
            Just(Action::Create),
            path().prop_map(Action::Rename),
            Just(Action::Delete)
        ];
        let gear = prop::sample::select(&Gear::ALL[..]);
        let why = words().prop_map(|why| why.replace(['\n', '\r'], " ").trim().to_owned());
        let tag = prop::option::of((gear, why).prop_map(|(gear, why)| Tag { gear, why }));
        let after = prop::collection::vec(any::<u32>(), 0..3);
        (any::<u32>(), path(), action, words(), tag, after).prop_map(
            |(number, path, action, intent, tag, after)| {
                let intent = tidy(&intent);
                Step { number, path, action, intent, tag, after }
            },
        )
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        #[test]
        fn every_plan_is_read_as_it_was_written(
            instruction in words(),
            steps in prop::collection::vec(step(), 0..4),
        ) {
            let plan = Plan { instruction: tidy(&instruction), steps };
            let text = write(&plan);
            prop_assert_eq!(read(&text), Ok(plan), "{}", text);
        }
    }
}
