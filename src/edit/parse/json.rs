//! Edits in JSON, and patches wrapped in JSON.

mod repair;

use serde_json::{Map, Value};

use super::block::{Block, Line, Role, Times, replacement};
use super::event::Event;
use super::line_kind::{holds_changes, starts_json};
use super::parser::Parser;
use super::patch;
use super::vocabulary::{
    ARGUMENTS, BESIDE_WHOLE, EVERYWHERE, EXPRESSION, LISTS, NEW, OLD, PATHS, TIMES, WHOLE, WRAPPERS, WRITERS,
    is_telling,
};
use crate::edit::{Refusal, line};
use repair::repair_json;

/// The name of the construct when a reply was cut.
pub(super) const INSIDE: &str = "a JSON value";

/// The content of a JSON reply.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// Edits.
    Events(Vec<Event>),
    /// Another format in a string.
    Wrapped(String),
}

/// Reads the JSON values at the start of a text.
///
/// `None` if the text is not JSON, or is JSON without edits.
///
/// Consecutive values count as one list. Text after them is talk, unless it mentions edits too.
pub(super) fn read(text: &str) -> Option<Result<Answer, Refusal>> {
    let answer = read_strictly(text);
    match &answer {
        Some(Err(Refusal::Malformed { .. })) => {
            repair_json(text).and_then(|text| read_strictly(&text)).filter(Result::is_ok).or(answer)
        }
        _ => answer,
    }
}

fn read_strictly(text: &str) -> Option<Result<Answer, Refusal>> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let first = match values.next()? {
        Ok(value) => value,
        Err(error) if error.is_eof() => return Some(Err(Refusal::Truncated { inside: INSIDE })),
        Err(error) if mentions_edits(text) => {
            return Some(Err(Refusal::malformed(format!("its JSON is wrong in line {}", error.line()))));
        }
        Err(_) => return None,
    };
    let mut end = values.byte_offset();
    let mut all = vec![first];
    while let Some(value) = values.next() {
        match value {
            Ok(value) if value.is_object() || value.is_array() => all.push(value),
            Err(error) if error.is_eof() && starts_json(&text[end..]) => {
                return Some(Err(Refusal::Truncated { inside: INSIDE }));
            }
            _ => break,
        }
        end = values.byte_offset();
    }
    let value = if all.len() == 1 { all.pop()? } else { Value::Array(all) };
    let answer = answer(&value).transpose()?;
    if answer.is_ok() && mentions_edits(&text[end..]) {
        return Some(Err(Refusal::malformed("it has more than one list of edits")));
    }
    Some(answer)
}

/// Returns the keys of the object at the start of a text.
pub(super) fn keys(text: &str) -> Option<Vec<String>> {
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Map<String, Value>>();
    Some(objects.next()?.ok()?.into_iter().map(|(key, _)| key).collect())
}

/// Whether broken JSON was intended to contain edits.
pub(super) fn mentions_edits(body: &str) -> bool {
    let key = |name: &str| body.contains(&format!("\"{name}\""));
    OLD.iter().any(|name| key(name)) && NEW.iter().any(|name| key(name))
        || WRAPPERS.iter().any(|name| key(name))
}

/// Returns the changes of a value that is a tool call.
///
/// The error is [`Refusal::Malformed`] if it is not an edit.
pub(super) fn events(value: &Value) -> Result<Vec<Event>, Refusal> {
    let inner = match answer(value)? {
        Some(Answer::Events(events)) => return Ok(events),
        Some(Answer::Wrapped(inner)) => wrapped(&inner)?,
        None => None,
    };
    inner.ok_or_else(|| Refusal::malformed("a call of a tool is no edit that can be read"))
}

/// Returns the events of another format in a string; `None` if the string has no format.
fn wrapped(text: &str) -> Result<Option<Vec<Event>>, Refusal> {
    let mut parser = Parser::default();
    let mut events = Vec::new();
    parser.push(text, &mut events);
    parser.finish(&mut events)?;
    Ok(parser.format.map(|_| events))
}

/// Returns the text of a tool's input that wraps another format.
///
/// A shell may also be called with the command `apply_patch`.
fn wrapped_text(object: &Map<String, Value>) -> Option<&str> {
    let command = || match object.get("command").or(object.get("cmd"))? {
        Value::Array(words) => words.iter().rev().find_map(Value::as_str),
        command => command.as_str(),
    };
    let text = WRAPPERS.iter().find_map(|name| object.get(*name)?.as_str());
    text.or_else(|| command().filter(|it| it.contains("*** Begin Patch")))
}

fn answer(value: &Value) -> Result<Option<Answer>, Refusal> {
    if let Value::String(text) = value {
        return Ok(Some(Answer::Wrapped(text.clone())));
    }
    let mut events = Vec::new();
    let mut blocks = 0;
    if collect(value, &mut events, &mut blocks)? {
        return Ok(Some(Answer::Events(events)));
    }
    // Text inside other objects counts as edits only if it contains some.
    let object = value.as_object().map(|object| {
        match WRAPPERS.iter().find_map(|name| object.get(*name)?.as_object()) {
            Some(inner) => inner,
            None => object,
        }
    });
    let Some(text) = object.and_then(wrapped_text) else { return Ok(None) };
    // The arguments of a tool call are nested JSON.
    match serde_json::from_str::<Value>(text) {
        Ok(inner @ (Value::Object(_) | Value::Array(_))) => answer(&inner),
        _ => Ok(Some(Answer::Wrapped(text.to_owned()))),
    }
}

/// Adds the edits of a value, at any depth.
///
/// Returns whether the value contains edits at all.
///
/// The error is [`Refusal::Malformed`] if only some items of a list can be read as edits: the others would be
/// lost.
fn collect(value: &Value, events: &mut Vec<Event>, blocks: &mut usize) -> Result<bool, Refusal> {
    let mut known = false;
    match value {
        Value::Array(items) => {
            let mut lost = None;
            for (number, item) in items.iter().enumerate() {
                let is_edit = collect(item, events, blocks)?;
                known |= is_edit;
                let has_text = |object: &Map<String, Value>| {
                    OLD.iter().chain(&NEW).any(|name| object.contains_key(*name))
                };
                let seems = |object: &Map<String, Value>| {
                    has_text(object)
                        || ARGUMENTS.iter().filter_map(|name| object.get(*name)?.as_object()).any(has_text)
                };
                if !is_edit && item.as_object().is_some_and(seems) {
                    lost.get_or_insert(number + 1);
                }
            }
            if let Some(number) = lost.filter(|_| known) {
                return Err(unread(number));
            }
        }
        Value::Object(object) => {
            if let Some(call) = call(object, events)? {
                for event in call {
                    *blocks += usize::from(matches!(event, Event::Block(_)));
                    events.push(numbered(event, *blocks));
                }
                return Ok(true);
            }
            let lists: Vec<&Vec<Value>> =
                LISTS.iter().filter_map(|name| object.get(*name)?.as_array()).collect();
            known = !lists.is_empty();
            let edit = edit(object, *blocks + 1)?;
            if known || edit.is_some() {
                events.extend(text_of(object, &PATHS).map(Event::File));
            }
            if let Some(block) = edit {
                known = true;
                *blocks += 1;
                events.push(Event::Block(block));
            }
            for inner in object.values().filter(|inner| inner.is_object() || inner.is_array()) {
                let before = changes(events);
                let is_list = inner.as_array().is_some_and(|inner| lists.contains(&inner));
                known |= collect(inner, events, blocks)?;
                let objects =
                    inner.as_array().map_or(0, |items| items.iter().filter(|it| it.is_object()).count());
                let read = changes(events) - before;
                if is_list && read < objects {
                    return Err(unread(read + 1));
                }
            }
        }
        _ => {}
    }
    Ok(known)
}

/// Counts the events that change a file.
fn changes(events: &[Event]) -> usize {
    events.iter().filter(|event| !matches!(event, Event::File(_))).count()
}

fn numbered(event: Event, number: usize) -> Event {
    match event {
        Event::Block(block) => Event::Block(Block { number, ..block }),
        event => event,
    }
}

/// Returns the changes of an object that is a tool call without old and new text.
///
/// `None` for any other object. The calls are those that providers document for their own tools: operations
/// of `apply_patch`, commands of a text editor, writing a file, and arguments that are JSON or another format
/// in a string. `before` holds the events before the call.
///
/// It is an error if the object is such a call but cannot be read.
fn call(object: &Map<String, Value>, before: &[Event]) -> Result<Option<Vec<Event>>, Refusal> {
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let path = text_of(object, &PATHS);
    let diff = || text("diff").or(text("patch")).unwrap_or_default();
    let word = match (text("type"), &path) {
        (Some("update_file"), Some(_)) => Some("Update File"),
        (Some("create_file"), Some(_)) => Some("Add File"),
        (Some("delete_file"), Some(_)) => Some("Delete File"),
        _ => None,
    };
    if let (Some(word), Some(path)) = (word, &path) {
        return patch::section(word, path, diff()).map(Some);
    }
    match (text("command"), path.clone()) {
        (Some("create"), Some(path)) => {
            let text = text("file_text").ok_or_else(|| unread(1))?;
            return Ok(Some(vec![Event::File(path), Event::Whole(text.to_owned())]));
        }
        (Some("insert"), Some(path)) => return insertion(object, path, before).map(Some),
        _ => {}
    }
    let is_beside = |key: &String| [&PATHS[..], &WHOLE, &BESIDE_WHOLE].concat().contains(&key.as_str());
    if let (Some(path), Some(text)) = (&path, text_of(object, &WHOLE))
        && object.keys().all(is_beside)
    {
        return written(path, &text).map(Some);
    }
    let arguments = ARGUMENTS.iter().find_map(|name| object.get(*name));
    let arguments = match arguments {
        Some(Value::String(text)) => serde_json::from_str(text).ok(),
        other => other.cloned(),
    };
    if let Some(Value::Object(inner)) = arguments {
        let writes = text("name").is_some_and(|name| WRITERS.contains(&name.to_lowercase().as_str()));
        let text = text_of(&inner, &WHOLE).or_else(|| text_of(&inner, &["text"]));
        if let (Some(path), Some(text)) = (text_of(&inner, &PATHS), text)
            && (writes || holds_changes(&text))
        {
            return written(&path, &text).map(Some);
        }
        let file = text_of(&inner, &PATHS).map(Event::File);
        let other = wrapped_text(&inner).map(wrapped).transpose()?.flatten();
        if let Some(events) = other {
            return Ok(Some(file.into_iter().chain(events).collect()));
        }
        let (mut events, mut blocks) = (Vec::new(), 0);
        return Ok(collect(&Value::Object(inner), &mut events, &mut blocks)?.then_some(events));
    }
    let is_inside = path.is_some() || text("type").is_some() || text("name").is_some();
    let Some(inner) = wrapped_text(object).filter(|_| is_inside) else { return Ok(None) };
    let file = path.map(Event::File);
    Ok(wrapped(inner)?.map(|events| file.into_iter().chain(events).collect()))
}

/// Returns the changes for a path and a file's whole text, which may also be changes to the file.
///
/// It is an error if these changes cannot be read.
pub(super) fn written(path: &str, text: &str) -> Result<Vec<Event>, Refusal> {
    let changes = if holds_changes(text) { wrapped(text)? } else { None };
    let events = changes.unwrap_or_else(|| vec![Event::Write(text.to_owned())]);
    Ok([Event::File(path.to_owned())].into_iter().chain(events).collect())
}

/// Inserts new lines after a line number that refers to the file as it is before all calls.
///
/// The error is [`Refusal::Malformed`] if an earlier call may have moved that line.
fn insertion(object: &Map<String, Value>, path: String, before: &[Event]) -> Result<Vec<Event>, Refusal> {
    let number = object.get("insert_line").and_then(Value::as_u64);
    let text = text_of(object, &["insert_text", "new_str", "text"]);
    let (Some(number), Some(text)) = (number, text) else { return Err(unread(1)) };
    let known = before.iter().rposition(|event| *event == Event::File(path.clone()));
    if known.is_some_and(|at| before[at..].iter().any(|event| matches!(event, Event::Block(_)))) {
        return Err(Refusal::malformed("a call names a line that one before it may have moved"));
    }
    let lines = line::split_iter(&text).map(|line| Line::new(Role::Add, line::body(line))).collect();
    let before = Some((number as usize).saturating_add(1));
    let block = Block { before, readings: vec![lines], ..Block::default() };
    Ok(vec![Event::File(path), Event::Block(block)])
}

fn unread(number: usize) -> Refusal {
    Refusal::malformed(format!("item {number} of its list is no edit that can be read"))
}

/// Reads an object with old and new text.
///
/// An empty line range without old text is the position of an insertion.
///
/// The error is [`Refusal::NoOldText`] for a line range without its old text, because it cannot be verified.
/// [`Refusal::Malformed`] if a key for text has another type of value.
fn edit(object: &Map<String, Value>, number: usize) -> Result<Option<Block>, Refusal> {
    let count =
        |names: &[&str]| names.iter().find_map(|name| object.get(*name)?.as_u64()).map(|line| line as usize);
    let hint = count(&["start_line", "startLine", "line", "from_line"]);
    let (Some(old), Some(new)) = (text_of(object, &OLD), text_of(object, &NEW)) else {
        let names = |names: &[&str]| names.iter().any(|name| is_telling(name) && object.contains_key(*name));
        if names(&OLD) && names(&NEW) {
            return Err(unread(number));
        }
        let text = text_of(object, &NEW).or_else(|| text_of(object, &["text", "content"]));
        return if hint.is_some() && text.is_some() {
            Err(Refusal::NoOldText { block: number })
        } else {
            Ok(None)
        };
    };
    let is_set = |names: &[&str]| names.iter().any(|name| object.get(*name) == Some(&Value::Bool(true)));
    if is_set(&EXPRESSION) {
        return Err(Refusal::malformed("its old text is a regular expression"));
    }
    let times = match count(&TIMES) {
        _ if is_set(&EVERYWHERE) => Times::All,
        Some(times) if times > 1 => Times::Exactly(times),
        _ => Times::Once,
    };
    let end = count(&["end_line", "endLine", "to_line"]);
    let empty = old.is_empty() && end.is_some_and(|end| hint == Some(end + 1));
    let before = hint.filter(|_| empty);
    Ok(Some(Block { hint, before, times, ..replacement(number, &old, &new) }))
}

/// Returns the text of the first known key in `names`; a list of strings is a list of lines.
fn text_of(object: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match object.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(lines) => {
            let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
            lines.map(|lines| lines.join("\n"))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reply: &str, expected: &[(&str, &str)]) {
        let Some(Ok(Answer::Events(events))) = read(reply) else { panic!("no edits in {reply}") };
        let inline = |event: &Event| match event {
            Event::Block(block) => block.inline.clone(),
            _ => None,
        };
        let found: Vec<(String, String)> = events.iter().filter_map(inline).collect();
        let expected: Vec<(String, String)> =
            expected.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn edits_under_many_names() {
        check(r#"{"path": "a.rs", "old_string": "x", "new_string": "y"}"#, &[("x", "y")]);
        check(
            r#"[{"search": "x\n", "replace": "y\n"}, {"oldText": "{", "newText": "}"}]"#,
            &[("x\n", "y\n"), ("{", "}")],
        );
        check("{\"edits\": [{\"old\": [\"a\", \"b\"], \"new\": [\"c\"]}]}\n```\nDone.", &[("a\nb", "c")]);
        check(
            "{\"old\": \"a\", \"new\": \"b\"}\n{\"old\": \"c\", \"new\": \"d\"}\n",
            &[("a", "b"), ("c", "d")],
        );
    }

    #[test]
    fn lists_in_a_row() {
        check(
            "[{\"old\": \"a\", \"new\": \"b\"}]\n\n[{\"old\": \"c\", \"new\": \"d\"}]\n",
            &[("a", "b"), ("c", "d")],
        );
    }

    #[test]
    fn slips_whose_meaning_is_certain() {
        check("{\"edits\": [{\"old\": \"a,]\", \"new\": \"b\",},\n],}\n", &[("a,]", "b")]);
        check("[{\"old\": \"f(\n\tx)\", \"new\": \"f(\\\"\r\n,}\\\")\"}]", &[("f(\n\tx)", "f(\"\r\n,}\")")]);
    }

    #[test]
    fn what_is_no_edit() {
        assert_eq!(read("{\"name\": \"x\"}"), None);
        assert_eq!(read("fn f() {}"), None);
        assert_eq!(read("{\"patch\": \"*** Begin\"}"), Some(Ok(Answer::Wrapped("*** Begin".to_owned()))));
        assert_eq!(read("{\"edits\": []}"), Some(Ok(Answer::Events(Vec::new()))));
        let code = |reply: &str| read(reply).and_then(Result::err).map(|refusal| refusal.code());
        assert_eq!(code("{\"old_string\": \"x\", \"new_string\": \"y"), Some("truncated"));
        assert_eq!(code("{\"old_string\": \"x\" \"new_string\": \"y\"}"), Some("malformed"));
        assert_eq!(code("{\"old\": \"x\", \"new\": \"y\",, }"), Some("malformed"));
        assert_eq!(code("{\"start_line\": 3, \"new_text\": \"y\"}"), Some("no-old-text"));
        // No item of a list is skipped.
        let edit = "{\"old_string\": \"x\", \"new_string\": \"y\"}";
        for other in
            ["{\"old_strng\": \"x\", \"new_string\": \"y\"}", "{\"old_string\": null, \"new_string\": \"y\"}"]
        {
            assert_eq!(code(&format!("[{edit}, {other}]")), Some("malformed"));
            assert_eq!(code(&format!("{{\"edits\": [{edit}, {other}]}}")), Some("malformed"));
        }
        assert_eq!(code(&format!("{{\"edits\": [{edit}, {{\"what\": \"z\"}}]}}")), Some("malformed"));
    }
}
