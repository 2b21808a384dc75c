//! Tool calls in tags: `<invoke name="edit">`, `<function=edit>`, `<tool_call>`.
//!
//! Their parameters are in tags or in JSON. Either way they are converted to the JSON arguments of the same
//! call and read as such. Some agents name the tags after the tool and its parameters: `<write_to_file>`,
//! `<path>`.

use serde_json::{Map, Value, json};

use super::call_tags::{name_of_tag, opens, opens_parameter, without_prefix};
use super::event::Event;
use super::vocabulary::{FILES, NEW, OLD, PARAMETERS, WHOLE};
use super::{json, path};
use crate::edit::Refusal;

/// Returns the changes that a closed call asks for.
///
/// The error is [`Refusal::Malformed`] if the call cannot be read or is not an edit.
pub(super) fn read(text: &str) -> Result<Vec<Event>, Refusal> {
    let inside = text.trim_start();
    if name_of_tag(inside).is_some_and(|rest| rest.starts_with("tool_call>")) {
        let inside = inside.split_once('>').map_or("", |(_, rest)| rest);
        let inside = inside.rsplit_once("</").map_or(inside, |(inside, _)| inside).trim();
        return match serde_json::from_str(inside) {
            Ok(value) => json::events(&value),
            Err(_) if opens(inside).is_some() => read(inside),
            Err(_) if inside.contains("<arg_key>") => in_pairs(inside),
            Err(error) => Err(malformed(&format!("its JSON is wrong in line {}", error.line()))),
        };
    }
    if let Some((_, closer)) = FILES.iter().find(|(open, _)| inside[1..].starts_with(open)) {
        return whole_file(inside, closer);
    }
    let (head, rest) = inside.split_once('>').ok_or_else(|| malformed("it has no name"))?;
    let (mut rest, tag) = rest.rsplit_once("</").unwrap_or_default();
    if opens(inside).and_then(|closer| closer.strip_prefix("</")) != Some(without_prefix(tag).trim_end()) {
        return Err(malformed("it has no end"));
    }
    let name = head.split_once('=').map_or_else(|| without_prefix(&head[1..]), |(_, name)| name);
    let name = name.trim_matches(['"', '\'', ' ']);
    let mut call = Map::new();
    while let Some(parameter) = Parameter::first_of(rest)? {
        rest = parameter.behind;
        if call.insert(parameter.name.to_owned(), parameter.value()).is_some() {
            return Err(malformed(&format!("it has `{}` twice", parameter.name)));
        }
    }
    json::events(&json!({ "name": name, "arguments": call }))
}

/// Reads the whole text of a file, or changes to it, from between tags.
fn whole_file(text: &str, closer: &str) -> Result<Vec<Event>, Refusal> {
    let path = path::of_tag(text).ok_or_else(|| malformed("it names no file"))?;
    let inside = text.split_once('>').and_then(|(_, rest)| rest.trim_end().strip_suffix(closer));
    let inside = inside.ok_or_else(|| malformed("it has no end"))?;
    let inside = inside.strip_prefix("\r\n").or_else(|| inside.strip_prefix('\n')).unwrap_or(inside);
    json::written(path, inside)
}

/// Reads a name and parameters in pairs: `<arg_key>path</arg_key>` and `<arg_value>…</arg_value>`.
fn in_pairs(text: &str) -> Result<Vec<Event>, Refusal> {
    let mut parts = text.split("<arg_key>");
    let name = parts.next().unwrap_or_default().trim();
    let mut call = Map::new();
    for part in parts {
        let pair = || {
            let (name, rest) = part.split_once("</arg_key>")?;
            let text = rest.trim_start().strip_prefix("<arg_value>")?;
            Some((name.trim(), text.trim_end().strip_suffix("</arg_value>")?))
        };
        let (name, text) = pair().ok_or_else(|| malformed("a value has no end"))?;
        call.insert(name.to_owned(), Parameter { name, text, behind: "" }.value());
    }
    json::events(&json!({ "name": name, "arguments": call }))
}

fn malformed(why: &str) -> Refusal {
    Refusal::malformed(format!("a call of a tool is wrong: {why}"))
}

/// A parameter: `<parameter name="path">…</parameter>`, `<parameter=path>`, or `<path>`.
struct Parameter<'t> {
    name: &'t str,
    text: &'t str,
    behind: &'t str,
}

impl<'t> Parameter<'t> {
    /// Reads the first parameter of the rest of a call; `None` at its end.
    ///
    /// The text ends at a closing tag before the next parameter or the end of the call, and outside of all elements
    /// with the same tag, because a file's text may contain such tags, too.
    fn first_of(text: &'t str) -> Result<Option<Self>, Refusal> {
        let text = text.trim_start();
        if text.is_empty() {
            return Ok(None);
        }
        let opening = name_of_tag(text).and_then(|rest| rest.split_once('>'));
        let Some((head, rest)) = opening else { return Err(malformed("text between its parameters")) };
        let end = head.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').unwrap_or(head.len());
        let (tag, head) = head.split_at(end);
        let head = if head.is_empty() { tag } else { head };
        let name = head
            .trim_start()
            .trim_start_matches("name")
            .trim_start_matches('=')
            .trim_matches(['"', '\'', ' ']);
        let mut depth = 0_usize;
        for (at, _) in rest.match_indices('<') {
            let inner = &rest[at + 1..];
            let of_tag = |it: &'t str| without_prefix(it).strip_prefix(tag)?.split_once('>');
            if let Some(("", behind)) = inner.strip_prefix('/').and_then(of_tag) {
                let next = behind.trim_start();
                let named = |it: &str| {
                    let names = || PARAMETERS.iter().filter_map(|name| it.strip_prefix(name));
                    names().any(|rest| rest.starts_with('>'))
                };
                let opens = || opens_parameter(next) || head == tag && name_of_tag(next).is_some_and(named);
                if depth == 0 && (next.is_empty() || opens()) {
                    return Ok(Some(Self { name, text: &rest[..at], behind }));
                }
                depth = depth.saturating_sub(1);
            } else if let Some((head, _)) = of_tag(inner) {
                let is_tag = head.is_empty() || head.starts_with([' ', '=']) && !head.ends_with('/');
                depth += usize::from(is_tag);
            }
        }
        Err(malformed(&format!("`{name}` has no end")))
    }

    /// Returns the parameter's value as in JSON.
    fn value(&self) -> Value {
        // If the text is on separate lines, the line ends next to the tags belong to the tags.
        let inner = self.text.strip_prefix("\r\n").or_else(|| self.text.strip_prefix('\n'));
        let text = inner.map_or(self.text, |inner| {
            inner.strip_suffix("\r\n").or_else(|| inner.strip_suffix('\n')).unwrap_or(inner)
        });
        if [&OLD[..], &NEW, &WHOLE, &["insert_text", "diff", "patch"]].concat().contains(&self.name) {
            return Value::from(text);
        }
        let text = text.trim();
        match serde_json::from_str(text) {
            Ok(value @ (Value::Array(_) | Value::Object(_) | Value::Bool(_) | Value::Number(_))) => value,
            _ if text.eq_ignore_ascii_case("true") => Value::Bool(true),
            _ => Value::from(text),
        }
    }
}
