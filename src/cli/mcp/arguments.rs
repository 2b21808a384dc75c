//! Validates the arguments of a call against its tool's schema.

use serde_json::{Map, Value};

/// The arguments of a call, by name.
pub(super) type Arguments = Map<String, Value>;

/// Validates arguments against the schema of an object. The error has all problems, one per line, so that a model can
/// fix them in one go.
pub(super) fn check(arguments: &Arguments, schema: &Value) -> Result<(), String> {
    let empty = Arguments::new();
    let known = schema["properties"].as_object().unwrap_or(&empty);
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing = required.filter(|name| !arguments.contains_key(*name));
    let mut wrong: Vec<String> = missing.map(|name| format!("`{name}` is missing")).collect();
    for (name, value) in arguments {
        match known.get(name).map(|property| &property["type"]) {
            None => {
                let all: Vec<&str> = known.keys().map(String::as_str).collect();
                wrong.push(format!("there is no argument `{name}`; there are: `{}`", all.join("`, `")));
            }
            Some(wanted) if *wanted != kind(value) => {
                let wanted = wanted.as_str().unwrap_or_default();
                wrong.push(format!("`{name}` is of type {wanted}, not {}", kind(value)));
            }
            Some(_) => {}
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The JSON schema type of a value.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
