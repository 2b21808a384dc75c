//! What users write, field for field. Nothing is judged here except whether it can be read.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Problem;

/// The configuration as written: the file, and the editor's `initializationOptions` over it.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) providers: BTreeMap<String, Provider>,
    pub(super) fast: Option<Role>,
    pub(super) max_file_bytes: Option<usize>,
    pub(super) max_ghost_lines: Option<usize>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Provider {
    pub(super) base_url: String,
    pub(super) api_key_env: Option<String>,
    #[serde(default)]
    pub(super) wire: Wire,
}

/// How a provider is talked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub(super) enum Wire {
    /// The Responses API over one WebSocket.
    #[default]
    #[serde(rename = "responses-websocket")]
    ResponsesWebsocket,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Role {
    pub(super) candidates: Vec<Candidate>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Candidate {
    pub(super) provider: String,
    pub(super) model: String,
    pub(super) reasoning_effort: Option<String>,
}

impl Options {
    /// Reads the tables in order, later ones over earlier ones, key by key. What cannot be read is reported by the
    /// name it has in `sources` and left as it was.
    pub(super) fn read(sources: Vec<(&str, Value)>, problems: &mut Vec<Problem>) -> Self {
        let mut options = Self::default();
        for (source, table) in sources {
            match table {
                Value::Object(table) => options.overlay(source, table, problems),
                Value::Null => {}
                other => {
                    problems.push(Problem::new(source, &format!("expected a table, found {}", kind(&other))))
                }
            }
        }
        options
    }

    fn overlay(&mut self, source: &str, table: Map<String, Value>, problems: &mut Vec<Problem>) {
        for (key, value) in table {
            let name = format!("{source}: {key}");
            match key.as_str() {
                "providers" => match value {
                    Value::Object(providers) => {
                        for (provider, value) in providers {
                            let name = format!("{name}.{provider}");
                            if let Some(read) = parse(&name, value, problems) {
                                self.providers.insert(provider, read);
                            }
                        }
                    }
                    other => problems
                        .push(Problem::new(&name, &format!("expected a table, found {}", kind(&other)))),
                },
                "fast" => self.fast = parse(&name, value, problems).or(self.fast.take()),
                "max_file_bytes" => {
                    self.max_file_bytes = parse(&name, value, problems).or(self.max_file_bytes);
                }
                "max_ghost_lines" => {
                    self.max_ghost_lines = parse(&name, value, problems).or(self.max_ghost_lines);
                }
                _ => problems.push(Problem::new(&name, "no such setting")),
            }
        }
    }
}

fn parse<T: DeserializeOwned>(name: &str, value: Value, problems: &mut Vec<Problem>) -> Option<T> {
    serde_json::from_value(value).map_err(|error| problems.push(Problem::new(name, &error.to_string()))).ok()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}
