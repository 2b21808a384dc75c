//! Raw values of the configuration with their positions, before they are interpreted.

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and its position.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    /// The byte offset of its key, or else of the value, in the file.
    ///
    /// `None` for a value from an editor.
    pub(super) at: Option<usize>,
    pub(super) value: RawValue,
}

/// A value as TOML and JSON can write it.
#[derive(Debug, Clone, Default)]
pub(super) enum RawValue {
    /// JSON's `null`, which editors send for unset values.
    #[default]
    Nothing,
    Switch(bool),
    Number(serde_json::Number),
    Text(String),
    /// A date, or a number that JSON does not have.
    Odd,
    List(Vec<Node>),
    /// Keys and values, in arbitrary order.
    Table(Vec<(String, Node)>),
}

impl Node {
    /// The name of its type in messages.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            RawValue::Nothing => "nothing",
            RawValue::Switch(_) => "true or false",
            RawValue::Number(_) => "a number",
            RawValue::Text(_) => "a string",
            RawValue::Odd => "a date",
            RawValue::List(_) => "a list",
            RawValue::Table(_) => "a table",
        }
    }

    /// Takes the entry `key` out of a table.
    pub(super) fn take(&mut self, key: &str) -> Option<Node> {
        let RawValue::Table(entries) = &mut self.value else { return None };
        let at = entries.iter().position(|(name, _)| name == key)?;
        Some(entries.remove(at).1)
    }

    /// The entry `key` of a table.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        let RawValue::Table(entries) = &self.value else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// The entry `key` of a table, to change it.
    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let RawValue::Table(entries) = &mut self.value else { return None };
        entries.iter_mut().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// The names of its settings: `eagerness`, `fast.candidates`, `providers.x`.
    pub(super) fn settings(&self) -> Vec<String> {
        let RawValue::Table(entries) = &self.value else { return Vec::new() };
        let names = entries.iter().flat_map(|(name, node)| match &node.value {
            RawValue::Table(entries) => entries.iter().map(|(below, _)| format!("{name}.{below}")).collect(),
            _ => vec![name.clone()],
        });
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        names
    }

    /// Restores the value at `path` from `before`; removes it if `before` has none.
    ///
    /// Values within a list are not restored: its other elements may have moved.
    pub(super) fn put_back(&mut self, path: &[String], before: Option<&Node>) {
        let Some((key, rest)) = path.split_first() else {
            *self = before.cloned().unwrap_or_default();
            return;
        };
        let before = before.and_then(|it| it.get(key));
        let RawValue::Table(entries) = &mut self.value else { return };
        let Some(at) = entries.iter().position(|(name, _)| name == key) else { return };
        match (rest, before) {
            ([], Some(before)) => entries[at].1 = before.clone(),
            ([], None) => drop(entries.remove(at)),
            (rest, before) => entries[at].1.put_back(rest, before),
        }
    }

    /// Collects the values without children, each with its dotted name.
    pub(super) fn leaves(&self, name: &str, found: &mut Vec<(String, Option<usize>)>) {
        match &self.value {
            RawValue::Table(entries) if !entries.is_empty() => {
                for (key, node) in entries {
                    node.leaves(&format!("{name}.{key}"), found);
                }
            }
            _ => found.push((name.to_owned(), self.at)),
        }
    }
}

impl From<&Value> for Node {
    fn from(value: &Value) -> Self {
        let value = match value {
            Value::Null => RawValue::Nothing,
            Value::Bool(it) => RawValue::Switch(*it),
            Value::Number(it) => RawValue::Number(it.clone()),
            Value::String(it) => RawValue::Text(it.clone()),
            Value::Array(list) => RawValue::List(list.iter().map(Self::from).collect()),
            Value::Object(table) => {
                RawValue::Table(table.iter().map(|(key, value)| (key.clone(), Self::from(value))).collect())
            }
        };
        Self { at: None, value }
    }
}

/// Parses TOML.
///
/// Recovers from errors and reads the rest. Each error has its byte offset, but not the text there, which may be a
/// key.
pub(super) fn parse(text: &str) -> (Node, Vec<(usize, String)>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let errors = errors.iter().map(|it| (it.span().map_or(0, |span| span.start), it.message().to_owned()));
    (Node { at: Some(0), value: RawValue::Table(entries(table.get_ref())) }, errors.collect())
}

fn entries(table: &DeTable<'_>) -> Vec<(String, Node)> {
    let mut entries: Vec<_> = table.iter().collect();
    // In the order of the file, in which users fix the problems.
    entries.sort_by_key(|(key, _)| key.span().start);
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name: &std::borrow::Cow<'_, str> = key.get_ref();
        (name.clone().into_owned(), Node { at: Some(key.span().start), ..node(value) })
    };
    entries.into_iter().map(entry).collect()
}

fn node(value: &Spanned<DeValue<'_>>) -> Node {
    let number = |digits: &str, radix: u32| {
        let whole = i64::from_str_radix(digits, radix).ok().map(serde_json::Number::from);
        let read = whole.or_else(|| serde_json::Number::from_f64(digits.parse().ok()?));
        read.map_or(RawValue::Odd, RawValue::Number)
    };
    let written = match value.get_ref() {
        DeValue::String(it) => RawValue::Text(it.clone().into_owned()),
        DeValue::Integer(it) => number(it.as_str(), it.radix()),
        DeValue::Float(it) => number(it.as_str(), 10),
        DeValue::Boolean(it) => RawValue::Switch(*it),
        DeValue::Datetime(_) => RawValue::Odd,
        DeValue::Array(list) => RawValue::List(list.iter().map(node).collect()),
        DeValue::Table(table) => RawValue::Table(entries(table)),
    };
    Node { at: Some(value.span().start), value: written }
}
