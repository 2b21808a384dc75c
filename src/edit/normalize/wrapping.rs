//! Takes an answer's wrapping off its code.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::{line_numbers, overlap};
use crate::edit::check::suspect;
use crate::edit::locate::entities;
use crate::edit::{Refusal, line};

/// Tags that a prompt is likely to have had around the code.
const TAGS: [&str; 12] = [
    "edit",
    "rewrite",
    "code",
    "selection",
    "selected_code",
    "answer",
    "output",
    "result",
    "new_code",
    "updated_code",
    "replacement",
    "file",
];

/// Further names of the one field of an object that holds the code.
const FIELDS: [&str; 6] = ["content", "response", "reply", "rewritten_code", "source", "text"];

/// Takes off what belongs to the way that the code was sent.
///
/// That is JSON, a here-document or tags around it, HTML's entities, the prompt's line numbers, and blank
/// lines at its ends.
///
/// What is left is code for `range`, or is refused: each wrapping comes off as a whole where the old text
/// shows that it is one, and no sign of it stays in the new text.
///
/// # Errors
///
/// [`Refusal`] when it looks wrapped in a way whose inside is not certain, or says that there is no code at
/// all.
pub(in crate::edit) fn off(code: &str, range: &str) -> Result<String, Refusal> {
    let code = inside(code, range)?.unwrap_or(Cow::Borrowed(code));
    let code = without_shell(&code);
    let code = without_entities(code, range);
    let code = without_numbers(&code, range);
    suspect::check(&code, range)?;
    Ok(with_blank_ends_of(&code, range))
}

/// The inside of what holds all of an answer: JSON or a pair of tags.
///
/// `None` if nothing does.
///
/// # Errors
///
/// [`Refusal::Malformed`] when JSON is around it whose inside is not certain.
pub(in crate::edit) fn inside<'c>(answer: &'c str, range: &str) -> Result<Option<Cow<'c, str>>, Refusal> {
    let json = inside_json(answer, range)?.map(Cow::Owned);
    Ok(json.or_else(|| inside_tags(answer, range).map(Cow::Borrowed)))
}

/// The string in `{"code": "…"}`, and in `"…"`.
///
/// # Errors
///
/// [`Refusal::Malformed`] when the object has more than that, cannot be read, or tells of an error (the class
/// `guard: talk for a region`).
fn inside_json(code: &str, range: &str) -> Result<Option<String>, Refusal> {
    let text = code.trim();
    if range.trim_start().starts_with(['{', '[', '"']) || line::is_blank(range) {
        return Ok(None);
    }
    if text.starts_with('"')
        && let Ok(inside) = serde_json::from_str::<String>(text)
        && inside.contains('\n')
    {
        return Ok(Some(inside));
    }
    let name = text.strip_prefix('{').map(str::trim_start).and_then(|rest| rest.strip_prefix('"'));
    let name =
        name.and_then(|rest| rest.split_once('"')).filter(|(_, after)| after.trim_start().starts_with(':'));
    match name {
        Some(("error", _)) if serde_json::from_str::<BTreeMap<String, Value>>(text).is_ok() => {
            Err(Refusal::Malformed { detail: "it is an error in JSON, and no code".to_owned() })
        }
        Some((name, _)) if TAGS.contains(&name) || FIELDS.contains(&name) => {
            let mut fields = serde_json::from_str::<BTreeMap<String, String>>(text).unwrap_or_default();
            match (fields.pop_first(), fields.len()) {
                (Some((_, inside)), 0) => Ok(Some(inside)),
                _ => Err(Refusal::Malformed {
                    detail: "its code is wrapped in JSON that holds more".to_owned(),
                }),
            }
        }
        _ => Ok(None),
    }
}

/// The inside of `cat > path <<'EOF'`, as in the class `guard: region in a here-document`.
fn without_shell(code: &str) -> &str {
    let start = code.trim_start();
    let first = line::first_partial(start);
    let Some((command, word)) = first
        .split_once("<<")
        .filter(|(command, _)| command.starts_with("cat ") || command.starts_with("tee "))
    else {
        return code;
    };
    let word = word.trim_start_matches('-').trim().trim_matches(['\'', '"', '\\']);
    let inside = &start[line::first_end(start)..];
    let mut end = 0;
    for line in line::split_iter(inside) {
        if line.trim() == word && !command.is_empty() {
            return &inside[..end];
        }
        end += line.len();
    }
    code
}

/// The inside of a pair of tags that a prompt is likely to have had around the code.
///
/// The class is `region in wrappings`.
fn inside_tags<'c>(code: &'c str, range: &str) -> Option<&'c str> {
    let text = code.trim();
    TAGS.iter().find_map(|name| {
        let inside = text.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
        let inside = inside.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
        let inside = inside.strip_prefix("\r\n").or_else(|| inside.strip_prefix('\n')).unwrap_or(inside);
        (!range.contains(&format!("<{name}>"))).then_some(inside)
    })
}

/// The code with HTML's entities resolved, as in the class `odd: html region`.
///
/// They are resolved if the old text has none and knows more of the lines then.
fn without_entities<'c>(code: &'c str, range: &str) -> Cow<'c, str> {
    let Some(resolved) = entities(code) else { return Cow::Borrowed(code) };
    if entities(range).is_some() {
        return Cow::Borrowed(code);
    }
    let known: HashSet<&str> = line::split_iter(range).map(str::trim).collect();
    let count = |text: &str| line::split_iter(text).filter(|line| known.contains(line.trim())).count();
    if count(&resolved) > count(code) { Cow::Owned(resolved) } else { Cow::Borrowed(code) }
}

/// Leaves no more blank lines at either end than the old text has.
///
/// It does so where that changes less of it: they come with the wrapping as often as with the code (the class
/// `whole file blank ends`).
fn with_blank_ends_of(code: &str, range: &str) -> String {
    if line::is_blank(code) {
        return code.to_owned();
    }
    let lines: Vec<&str> = line::split(code);
    let own = line::split(range);
    let blank = |line: &&&str| line::is_blank(line);
    let (head, tail) = (lines.iter().take_while(blank).count(), lines.iter().rev().take_while(blank).count());
    let more_head = head.saturating_sub(own.iter().take_while(blank).count());
    let more_tail = tail.saturating_sub(own.iter().rev().take_while(blank).count());
    let bodies = |lines: &[&str]| lines.iter().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let (own, all) = (bodies(&own), bodies(&lines));
    let cuts = [(0, 0), (more_head, 0), (0, more_tail), (more_head, more_tail)];
    let size = |(head, tail): &(usize, usize)| overlap::changed(&own, &all[*head..all.len() - tail]);
    let (head, tail) = match (more_head, more_tail) {
        (0, 0) => (0, 0),
        _ => cuts.into_iter().min_by_key(size).unwrap_or_default(),
    };
    lines[head..lines.len() - tail].concat()
}

/// Drops the line numbers that the prompt's lines had.
///
/// Every line of the answer has one, and the old text shows that they are the prompt's: it has one of the
/// lines without its number. The blanks between a number and its line are as many as make most of the lines
/// the old ones.
fn without_numbers<'c>(code: &'c str, range: &str) -> Cow<'c, str> {
    let Some(lines) = line_numbers::removed(code) else { return Cow::Borrowed(code) };
    let known: HashSet<&str> =
        line::split_iter(range).filter(|line| !line::is_blank(line)).map(str::trim).collect();
    let is_prompts =
        |(line, text): (&str, &&str)| known.contains(text.trim()) && !known.contains(line.trim());
    if !line::split_iter(code).zip(&lines).any(is_prompts) {
        return Cow::Borrowed(code);
    }
    let whole: HashSet<&str> = line::split_iter(range).map(str::trim_end).collect();
    let visible = || lines.iter().filter(|line| !line::is_blank(line));
    let most = visible().map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0);
    let fit = |blanks: &usize| visible().filter(|line| whole.contains(line[*blanks..].trim_end())).count();
    let blanks = (0..=most).rev().max_by_key(fit).unwrap_or(0);
    let text =
        |line: &&str| if line::is_blank(line) { line.trim_matches(' ') } else { &line[blanks..] }.to_owned();
    Cow::Owned(lines.iter().map(text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(range: &str, code: &str, expected: &str) {
        let outcome = off(code, range).unwrap_or_else(|refusal| format!("refused: {}", refusal.code()));
        assert_eq!(outcome, expected);
    }

    #[test]
    fn wrappings_come_off() {
        check("a\n", "cat > x.rs <<'EOF'\nb\nEOF\n", "b\n");
        check("a\n", "<code>\nb\n</code>\n", "b\n");
        check("a\nif x < y\n", "b\nif x &lt; y\n", "b\nif x < y\n");
        check("a\nb\n", "1 | a\n2 | c\n", "a\nc\n");
        check("a\n", "\n\nb\n\n", "b\n");
        check("\na\n", "\n\nb\n\n", "\nb\n");
        check("a\n\nb\n", "\nb\n", "\nb\n");
    }

    #[test]
    fn what_is_code_stays() {
        check("<code>\n", "<code>\nb\n</code>\n", "<code>\nb\n</code>\n");
        check("a\n", "x = \"&lt;\"\n", "x = \"&lt;\"\n");
        check("1: a\n2: b\n", "1: x\n2: y\n", "1: x\n2: y\n");
    }

    #[test]
    fn code_in_json() {
        check("a\n", r#"{"code": "b\nc\n"}"#, "b\nc\n");
        check("a\n", "{\n  \"new_code\": \"b\"\n}\n", "b");
        check("a\n", r#""b\nc\n""#, "b\nc\n");
        check("a\n", r#"{"code": "b", "why": "c"}"#, "refused: malformed");
        check("a\n", r#"{"code": ["b", "c"]}"#, "refused: malformed");
        check("a\n", "{\"code\": \"b\nc\"}", "refused: malformed");
        // The file's own.
        check("{\"code\": \"a\"}\n", "{\"code\": \"b\"}\n", "{\"code\": \"b\"}\n");
        check("a\n", "{\"a\": \"b\"}\n", "{\"a\": \"b\"}\n");
        check("a\n", "{ code: 1 }\n", "{ code: 1 }\n");
        check("a\n", "{\n  \"error\": {\"code\": 429}\n}\n", "refused: malformed");
        check("{\"error\": 1}\n", "{\"error\": 2}\n", "{\"error\": 2}\n");
    }

    #[test]
    fn numbers_of_the_prompt() {
        check("aa\nbb\n", "7 aa\n8 cc\n", "aa\ncc\n");
        check("aa\n\nbb\n", "7: aa\n8:\n9: cc\n", "aa\n\ncc\n");
        check("    aa\nbb\n", "7     aa\n8 cc\n", "    aa\ncc\n");
        check("aa {\n  bb\n}\n", " 7  aa {\n 8    cc\n 9  }\n", "aa {\n  cc\n}\n");
        check("  aa\n  bb\n", "7   aa\n8   cc\n", "  aa\n  cc\n");
        check("1 a\n2 b\n", "1 c\n2 d\n", "1 c\n2 d\n");
        // A table's sign is none of the numbers' marks.
        check("aa\n| bb |\n", "7  cc\n8  | bb |\n", "cc\n| bb |\n");
    }
}
