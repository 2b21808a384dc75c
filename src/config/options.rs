//! What users write, field for field. Nothing is judged here except whether it can be read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Eagerness, FimDialect, Part, Problem, Secret};

/// The configuration as written: the file, and the editor's `initializationOptions` over it.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) providers: BTreeMap<String, Provider>,
    pub(super) fast: Option<Role>,
    pub(super) deep: Option<Role>,
    pub(super) max_file_bytes: Option<usize>,
    pub(super) max_ghost_lines: Option<usize>,
    pub(super) eagerness: Option<Eagerness>,
    pub(super) indicator_only: Option<bool>,
    pub(super) speculate: Option<bool>,
    pub(super) next_edit: Option<bool>,
    pub(super) languages: BTreeMap<String, Language>,
    pub(super) disable_in: Option<BTreeSet<Part>>,
    pub(super) privacy: Privacy,
    pub(super) budget: Budget,
    pub(super) prices: BTreeMap<String, Price>,
    pub(super) style: Option<String>,
    pub(super) proxy: Option<Secret>,
    pub(super) ca_file: Option<PathBuf>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Provider {
    pub(super) base_url: Secret,
    pub(super) api_key_env: Option<String>,
    #[serde(default)]
    pub(super) wire: Wire,
    #[serde(default)]
    pub(super) fim_dialect: FimDialect,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, Secret>,
    pub(super) proxy: Option<Secret>,
    pub(super) ca_file: Option<PathBuf>,
}

/// How a provider is talked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Wire {
    #[default]
    ResponsesWebsocket,
    ResponsesSse,
    Chat,
    Fim,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Role {
    pub(super) candidates: Vec<Candidate>,
    pub(super) hedge_ms: Option<u64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Candidate {
    pub(super) provider: String,
    pub(super) model: String,
    pub(super) reasoning_effort: Option<String>,
    pub(super) service_tier: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Language {
    pub(super) enabled: Option<bool>,
    pub(super) eagerness: Option<Eagerness>,
    pub(super) next_edit: Option<bool>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Privacy {
    pub(super) deny: Option<Vec<String>>,
    pub(super) allow: Option<Vec<String>>,
    pub(super) redact: Option<bool>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Budget {
    pub(super) session_dollars: Option<f64>,
    pub(super) day_dollars: Option<f64>,
    pub(super) session_tokens: Option<u64>,
    pub(super) day_tokens: Option<u64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Price {
    pub(super) input: f64,
    pub(super) cached: Option<f64>,
    pub(super) output: f64,
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
            let name = &format!("{source}: {key}");
            match key.as_str() {
                "providers" => entries(&mut self.providers, name, value, problems),
                "languages" => entries(&mut self.languages, name, value, problems),
                "prices" => entries(&mut self.prices, name, value, problems),
                "privacy" => set(&mut self.privacy, name, value, problems),
                "budget" => set(&mut self.budget, name, value, problems),
                "fast" => maybe(&mut self.fast, name, value, problems),
                "deep" => maybe(&mut self.deep, name, value, problems),
                "max_file_bytes" => maybe(&mut self.max_file_bytes, name, value, problems),
                "max_ghost_lines" => maybe(&mut self.max_ghost_lines, name, value, problems),
                "eagerness" => maybe(&mut self.eagerness, name, value, problems),
                "indicator_only" => maybe(&mut self.indicator_only, name, value, problems),
                "speculate" => maybe(&mut self.speculate, name, value, problems),
                "next_edit" => maybe(&mut self.next_edit, name, value, problems),
                "disable_in" => maybe(&mut self.disable_in, name, value, problems),
                "style" => maybe(&mut self.style, name, value, problems),
                "proxy" => maybe(&mut self.proxy, name, value, problems),
                "ca_file" => maybe(&mut self.ca_file, name, value, problems),
                _ => problems.push(Problem::new(name, "no such setting")),
            }
        }
    }
}

fn entries<T: DeserializeOwned>(
    of: &mut BTreeMap<String, T>,
    name: &str,
    value: Value,
    problems: &mut Vec<Problem>,
) {
    match value {
        Value::Object(table) => {
            for (key, value) in table {
                if let Some(read) = parse(&format!("{name}.{key}"), value, problems) {
                    of.insert(key, read);
                }
            }
        }
        other => problems.push(Problem::new(name, &format!("expected a table, found {}", kind(&other)))),
    }
}

fn set<T: DeserializeOwned>(field: &mut T, name: &str, value: Value, problems: &mut Vec<Problem>) {
    if let Some(read) = parse(name, value, problems) {
        *field = read;
    }
}

fn maybe<T: DeserializeOwned>(field: &mut Option<T>, name: &str, value: Value, problems: &mut Vec<Problem>) {
    if let Some(read) = parse(name, value, problems) {
        *field = Some(read);
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
