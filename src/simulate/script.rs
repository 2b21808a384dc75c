//! Prepared replies in the JSON Lines format.

use std::time::Duration;

use serde::Deserialize;

use super::{Fault, fault::UnknownFault};
use crate::lock::Mutex;

/// Prepared replies, tried in order; if none matches a prompt, the embedded engine answers.
#[derive(Debug, Clone, Default)]
pub struct Script {
    entries: Vec<Entry>,
}

/// The error for an invalid line of a script.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ScriptError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub message: String,
}

/// A line of a script, as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// The entry matches prompts that contain this text; without it, all prompts.
    when: Option<String>,
    reply: Option<String>,
    /// The pieces of the reply, one per delta; by default there is one delta per token.
    deltas: Option<Vec<String>>,
    ttft_ms: Option<u64>,
    fault: Option<String>,
    /// Whether the entry is removed after its first use.
    #[serde(default)]
    once: bool,
}

#[derive(Debug, Clone)]
struct Entry {
    when: Option<String>,
    once: bool,
    scripted: Scripted,
}

/// A scripted reply with its delay and fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scripted {
    /// The reply; `None` if the entry only adds a fault or a delay to the engine's reply.
    pub(super) reply: Option<Reply>,
    pub(super) ttft: Option<Duration>,
    pub(super) fault: Option<Fault>,
}

/// The text of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// Sent token by token.
    Text(String),
    /// Sent in exactly these pieces.
    Deltas(Vec<String>),
}

impl Script {
    /// Parses a script: one JSON object per line; empty lines are skipped.
    ///
    /// # Errors
    ///
    /// The first line that is not JSON, has an unknown field, names no fault that affects single replies, or
    /// contradicts itself.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let entries = lines
            .map(|(index, line)| entry(line).map_err(|message| ScriptError { line: index + 1, message }))
            .collect::<Result<_, _>>()?;
        Ok(Self { entries })
    }
}

fn entry(line: &str) -> Result<Entry, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| {
        // The parser sees this line only, so it always reports line 1.
        let message = error.to_string();
        message.replacen(" at line 1 column", ", column", 1)
    })?;
    if line.reply.is_none() && line.deltas.is_none() && line.ttft_ms.is_none() && line.fault.is_none() {
        return Err("one of `reply`, `deltas`, `ttft_ms` and `fault` is needed".into());
    }
    let reply = match (line.reply, line.deltas) {
        (Some(reply), Some(deltas)) if deltas.concat() != reply => {
            return Err("`deltas` joined are not `reply`".into());
        }
        (_, Some(deltas)) => Some(Reply::Deltas(deltas)),
        (reply, None) => reply.map(Reply::Text),
    };
    let fault = line.fault.as_deref().map(fault_for_one_reply).transpose()?;
    let scripted = Scripted { reply, ttft: line.ttft_ms.map(Duration::from_millis), fault };
    Ok(Entry { when: line.when, once: line.once, scripted })
}

fn fault_for_one_reply(name: &str) -> Result<Fault, String> {
    let fault: Fault = name.parse().map_err(|error: UnknownFault| error.to_string())?;
    if fault.affects_one_reply() {
        Ok(fault)
    } else {
        Err(format!("the fault `{name}` is for whole connections, not for one reply"))
    }
}

/// A script in use, without the entries that are used up.
pub(super) struct ActiveScript {
    entries: Mutex<Vec<Entry>>,
}

impl ActiveScript {
    pub(super) fn of(script: Script) -> Self {
        Self { entries: Mutex::new(script.entries) }
    }

    /// The first entry that matches this prompt.
    pub(super) fn reply_to(&self, prompt: &str) -> Option<Scripted> {
        let mut entries = self.entries.lock();
        let is_for = |entry: &Entry| entry.when.as_ref().is_none_or(|when| prompt.contains(when));
        let index = entries.iter().position(is_for)?;
        if entries[index].once {
            Some(entries.remove(index).scripted)
        } else {
            Some(entries[index].scripted.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_entry_for_the_prompt_answers() {
        let script = Script::parse(
            r#"{"when": "red", "reply": "first red", "once": true}

               {"when": "red", "deltas": ["later", " red"], "ttft_ms": 7}
               {"reply": "anything", "fault": "cut"}"#,
        );
        let play = ActiveScript::of(script.unwrap());
        let text = |text: &str| Some(Reply::Text(text.to_owned()));
        assert_eq!(play.reply_to("a red b").unwrap().reply, text("first red"));
        let later = play.reply_to("a red b").unwrap();
        assert_eq!(later.reply, Some(Reply::Deltas(vec!["later".into(), " red".into()])));
        assert_eq!(later.ttft, Some(Duration::from_millis(7)));
        let other = play.reply_to("blue").unwrap();
        assert_eq!((other.reply, other.fault), (text("anything"), Some(Fault::Cut)));
        assert_eq!(ActiveScript::of(Script::default()).reply_to("blue"), None);
    }

    #[test]
    fn a_bad_line_is_named() {
        let check = |text: &str, line: usize, part: &str| {
            let error = Script::parse(text).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains(part), "{error}");
        };
        check("{\"reply\": \"x\"}\n\nnot json", 3, "expected");
        check("{\"replay\": \"x\"}", 1, "unknown field `replay`");
        check("{\"when\": \"x\"}", 1, "is needed");
        check("{\"reply\": \"abc\", \"deltas\": [\"a\", \"b\"]}", 1, "joined");
        check("{\"reply\": \"x\", \"fault\": \"none-such\"}", 1, "no fault named `none-such`");
        check("{\"reply\": \"x\", \"fault\": \"refuse-401\"}", 1, "whole connections");
    }
}
