//! Removes the wrapping around the code in an answer.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::{line_numbers, overlap};
use crate::edit::check::suspect;
use crate::edit::locate::entities;
use crate::edit::parse::here_document;
use crate::edit::{Refusal, line};

/// Tags that a prompt is likely to have put around the code.
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

/// Further names for the single field of a JSON object that holds the code.
const FIELDS: [&str; 6] = ["content", "response", "reply", "rewritten_code", "source", "text"];

/// Removes everything that comes from the way the code was sent.
///
/// This may be JSON, a here-document or tags around it, HTML entities, the prompt's line numbers, and blank
/// lines at its ends.
///
/// The rest is code for `range`, or is refused: a wrapping is removed completely if the old text proves that
/// it is one, and no trace of it may remain in the new text.
///
/// It is an error if the code looks wrapped but its content is uncertain, or if it reports that there is no
/// code.
pub(in crate::edit) fn unwrap_code(code: &str, range: &str) -> Result<String, Refusal> {
    let code = inside(code, range)?.unwrap_or(Cow::Borrowed(code));
    let code = without_shell(&code, range);
    let code = without_entities(code, range);
    let code = without_numbers(&code, range);
    suspect::reject_non_code(&code, range)?;
    Ok(with_blank_ends_of(&code, range))
}

/// Returns the content of JSON or of a pair of tags that encloses the whole answer.
///
/// `None` if neither does.
///
/// The error is [`Refusal::Malformed`] if it is enclosed in JSON but its content is uncertain.
pub(in crate::edit) fn inside<'c>(answer: &'c str, range: &str) -> Result<Option<Cow<'c, str>>, Refusal> {
    let json = inside_json(answer, range)?.map(Cow::Owned);
    Ok(json.or_else(|| inside_tags(answer, range).map(Cow::Borrowed)))
}

/// Returns the string in `{"code": "…"}` or in `"…"`.
///
/// The error is [`Refusal::Malformed`] if the object has other fields, cannot be read, or reports an error
/// (the class `guard: talk for a region`).
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
            Err(Refusal::malformed("it is an error in JSON, and no code"))
        }
        Some((name, _)) if TAGS.contains(&name) || FIELDS.contains(&name) => {
            let mut fields = serde_json::from_str::<BTreeMap<String, String>>(text).unwrap_or_default();
            match (fields.pop_first(), fields.len()) {
                (Some((_, inside)), 0) => Ok(Some(inside)),
                _ => Err(Refusal::malformed("its code is wrapped in JSON that holds more")),
            }
        }
        _ => Ok(None),
    }
}

/// Returns the content of `cat > path <<'EOF'`, as in the class `guard: region in a here-document`.
///
/// A script may begin so itself: nothing may follow, and the old text has no such command.
fn without_shell<'c>(code: &'c str, range: &str) -> &'c str {
    let start = code.trim_start();
    let first = line::first_partial(start);
    if here_document::target(first).is_none() || here_document::has_command(range, first) {
        return code;
    }
    let word = first.split_once("<<").map_or("", |(_, behind)| behind.trim_start_matches('-').trim());
    let word = word.split_whitespace().next().unwrap_or_default().trim_matches(['\'', '"', '\\']);
    let inside = &start[line::first_end(start)..];
    let mut end = 0;
    for line in line::split_iter(inside) {
        if line.trim() == word {
            return if line::is_blank(&inside[end + line.len()..]) { &inside[..end] } else { code };
        }
        end += line.len();
    }
    code
}

/// Returns the content of a pair of tags that a prompt is likely to have put around the code.
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

/// Resolves HTML entities in the code, as in the class `odd: html region`.
///
/// Only if the old text has no entities and more lines match it afterwards.
fn without_entities<'c>(code: &'c str, range: &str) -> Cow<'c, str> {
    let Some(resolved) = entities(code) else { return Cow::Borrowed(code) };
    if entities(range).is_some() {
        return Cow::Borrowed(code);
    }
    let known: HashSet<&str> = line::split_iter(range).map(str::trim).collect();
    let count = |text: &str| line::split_iter(text).filter(|line| known.contains(line.trim())).count();
    if count(&resolved) > count(code) { Cow::Owned(resolved) } else { Cow::Borrowed(code) }
}

/// Limits the blank lines at either end to those of the old text.
///
/// Only if this changes less of the old text: blank lines come from the wrapping as often as from the code
/// (the class `whole file blank ends`).
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

/// Removes line numbers copied from the prompt.
///
/// Every line of the answer must have one, and the old text must contain one of the lines without its number.
/// The number of spaces removed after each number is the one for which most lines match the old text.
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
    // Most formats have one blank before the text.
    let blanks = (0..=most).max_by_key(|blanks| (fit(blanks), *blanks == 1, Reverse(*blanks))).unwrap_or(0);
    let text =
        |line: &&str| if line::is_blank(line) { line.trim_matches(' ') } else { &line[blanks..] }.to_owned();
    Cow::Owned(lines.iter().map(text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(range: &str, code: &str, expected: &str) {
        let outcome =
            unwrap_code(code, range).unwrap_or_else(|refusal| format!("refused: {}", refusal.code()));
        assert_eq!(outcome, expected);
    }

    #[test]
    fn wrappings_come_off() {
        check("a\n", "cat > x.rs <<'EOF'\nb\nEOF\n", "b\n");
        check("a\n", "<code>\nb\n</code>\n", "b\n");
        check("a\nif x < y\n", "b\nif x &lt; y\n", "b\nif x < y\n");
        check("a\nb\n", "1 | a\n2 | c\n", "a\nc\n");
        check("a\n  b\n", "1|a\n2|  c\n3|  d\n", "a\n  c\n  d\n");
        check("  a\n  b\n", "1:  a\n2:  c\n", "  a\n  c\n");
        check("  a\n  b\n", "1:   a\n2:   c\n", "  a\n  c\n");
        check("a\n", "\n\nb\n\n", "b\n");
        check("\na\n", "\n\nb\n\n", "\nb\n");
        check("a\n\nb\n", "\nb\n", "\nb\n");
    }

    #[test]
    fn what_is_code_stays() {
        check("<code>\n", "<code>\nb\n</code>\n", "<code>\nb\n</code>\n");
        for code in ["cat <<EOF\nb\nEOF\n", "cat > x.rs <<EOF\nb\nEOF\necho\n"] {
            check("a\n", code, code);
        }
        let script = "  cat <<EOF > a.conf\nb\nEOF\n";
        check(script, &script.replace('b', "c"), &script.replace('b', "c"));
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
        // Belongs to the file itself.
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
        // A table's bar is not the delimiter of a line number.
        check("aa\n| bb |\n", "7  cc\n8  | bb |\n", "cc\n| bb |\n");
    }
}
